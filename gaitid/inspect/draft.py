"""A first draft of a marker set from the labels and the places of a trial's markers, for a person to correct."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from textwrap import TextWrapper

import numpy as np

from gaitid.analysis.landmarks import read_landmarks
from gaitid.errors import GaitidError, TrialError
from gaitid.ground.vertical import vertical
from gaitid.inspect.signals import MARKER, kinds_of
from gaitid.model.expression import mean_of_known
from gaitid.model.marker_sets import SCHEMA, MarkerSet, Spellings, squeeze
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import unit
from gaitid.records import NamedTuple
from gaitid.trial import Array, Trial, seen_labels

# Shares of stature, after Drillis & Contini 1966 as printed in Winter 2009, figure 4.1: ankle 0.039, knee 0.285, hip
# 0.530. Zones of landmarks reach a little to both sides; pelvic markers stand up to a tenth above the hips.
_ZONES = (
    ("foot", 0.0, 0.075),
    ("shank", 0.075, 0.24),
    ("knee", 0.24, 0.325),
    ("thigh", 0.325, 0.49),
    ("pelvis", 0.49, 0.64),
)
# Of stature: the height of the highest pelvic marker, where nothing is worn above it.
_PELVIS_TOP = 0.59
# m. No pelvis stands so high.
_HIPS_OF_NOBODY = 1.25
# m. Who moves farther than this walks forward.
_WALKED = 0.5
# m. From the middle of a foot's markers: behind it the heel, ahead of it the forefoot, and its edges.
_BEHIND, _AHEAD, _OUTWARD = -0.06, 0.04, 0.025
# Labels of what is worn above the pelvis.
_UPPER = re.compile(r"hea?d|fhd|bhd|temp|nose|neck|c7|cv7|acr|sho|elb|wr|clav|ster|strn|t10|t8|arm|fin", re.IGNORECASE)
# Shares of stature below which markers are of the legs, and of the feet.
_LEGS, _FEET = 0.66, 0.075
# Markers by which two feet can be told, and rounds of dividing them into two.
_FEWEST_OF_FEET, _ROUNDS = 4, 10
# m. Farther from the middle than this a marker is of one side.
_OF_A_SIDE = 0.03


class Placed(NamedTuple):
    """Where a marker is worn while the subject stands or walks: means over the trial.

    Attributes
    ----------
    label : str
    side : str
        ``left``, ``right``, or empty for the middle.
    height : float
        Share of the stature.
    left, forward : float
        m, from the middle of the body at that height.
    """

    label: str
    side: str
    height: float
    left: float
    forward: float


def draft_marker_set(trial: Trial) -> str:
    """A marker set in YAML: what is read of the labels, and guesses by place for the others.

    Raises
    ------
    TrialError
        There are no labelled markers.
    """
    labels = [label for label in seen_labels(trial) if not re.fullmatch(r"[*#]?\d*", label)]
    if not labels:
        raise TrialError("no marker with a label was seen", todo="label the markers first")
    read = read_landmarks(trial, None)
    known = None if read is None else read.marker_set
    result = {} if known is None else known.found(Spellings(labels))
    used = {label for group in result.values() for label in group}
    guesses: dict[tuple[str, str], list[Placed]] = {}
    # neither points that a program computed, nor arms that hang beside the thigh
    markers = {label for label, kind in zip(trial.labels, kinds_of(trial)) if kind == MARKER}
    everywhere = _placed(trial, [label for label in labels if label in markers])
    for placed in everywhere:
        role = "" if placed.label in used or _UPPER.search(placed.label) else _guess(placed, everywhere)
        if role and (role.endswith("_cluster") or (placed.side, role) not in result):
            guesses.setdefault((placed.side, role), []).append(placed)
    lines = _head(trial, known)
    for key in ("landmarks", "clusters"):
        for name, sides in ((key, [""]), (f"{key}_each_side", ["left", "right"])):
            lines += _section(name, sides, result, guesses)
    left_over = sorted(set(labels) - used - {p.label for group in guesses.values() for p in group})
    if left_over:
        lines += [
            "# Not used (worn above the pelvis, or not understood):",
            *TextWrapper(111, "# ", "# ", break_long_words=False, break_on_hyphens=False).wrap(" ".join(left_over)),
        ]
    return "\n".join(lines) + "\n"


# --- by place -------------------------------------------------------------------------------------------------


def side_of(label: str) -> str:
    """The side that a label names by its first or last letters; empty where it names none."""
    text = squeeze(label)
    return {"l": "left", "r": "right"}.get(text[:1]) or (
        "left" if text.endswith(("left", "g")) else "right" if text.endswith(("right", "d")) else ""
    )


def _placed(trial: Trial, labels: Sequence[str]) -> list[Placed]:
    """Where each marker is worn; nothing where left, right and up cannot be told."""
    up = _up(trial, labels)
    tracks = {label: trial.marker(label) for label in labels}
    heights = {label: mean_of_known(points @ up) for label, points in tracks.items()}
    floor = min(heights.values())
    top = max(heights.values()) - floor
    worn_above = top > _HIPS_OF_NOBODY or any(_UPPER.search(label) for label in labels)
    stature = top if worn_above else top / _PELVIS_TOP
    low = [label for label in labels if heights[label] - floor < _LEGS * stature]
    sided = {label: side_of(label) for label in labels}
    by_label = [[label for label in low if sided[label] == side] for side in ("left", "right")]
    if min(map(len, by_label)) <= len(low) / 4:
        sided = {}
        by_label = _sides_by_place(tracks, [x for x in low if heights[x] - floor < _FEET * stature], low, up)
    if not all(by_label):
        return []
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # frames in which nothing was seen
        left, right = (np.nanmean(np.stack([tracks[label] for label in side]), axis=0) for side in by_label)
    middle, leftward = (left + right) / 2, left - right
    leftward = unit(leftward - (leftward @ up)[:, None] * up)
    forward = np.cross(leftward, up)
    result = []
    for label, points in tracks.items():
        away = points - middle
        beside, ahead = mean_of_known((away * leftward).sum(axis=1)), mean_of_known((away * forward).sum(axis=1))
        side = sided.get(label, "") or ("left" if beside > _OF_A_SIDE else "right" if beside < -_OF_A_SIDE else "")
        result.append(Placed(label, side, (heights[label] - floor) / stature, beside, ahead))
    return result


def _sides_by_place(
    tracks: Mapping[str, Array], feet: Sequence[str], legs: Sequence[str], up: Array
) -> list[list[str]]:
    """The markers of the left and of the right foot, where labels name no sides; empty where they cannot be told.

    The feet are two groups of low markers; who does not walk points them to where the lower half of them lies.
    """
    if len(feet) < _FEWEST_OF_FEET:
        return [[], []]
    known = np.stack([known_rows(tracks[label]) for label in legs]).all(axis=0)
    if not known.any():
        return [[], []]
    centre = np.mean([tracks[label][known] for label in legs], axis=0)
    walked = centre[-1] - centre[0]
    walked = walked - (walked @ up) * up
    places = {label: (tracks[label][known] - centre).mean(axis=0) for label in legs}
    flat = {label: place - (place @ up) * up for label, place in places.items()}
    far = max(((a, b) for a in feet for b in feet), key=lambda ab: float(np.linalg.norm(flat[ab[0]] - flat[ab[1]])))
    ends = [flat[far[0]], flat[far[1]]]
    groups: list[list[str]] = [[], []]
    for _ in range(_ROUNDS):
        groups = [[], []]
        for label in feet:
            groups[int(np.linalg.norm(flat[label] - ends[1]) < np.linalg.norm(flat[label] - ends[0]))].append(label)
        if not all(groups):
            return [[], []]
        ends = [np.mean([flat[label] for label in group], axis=0) for group in groups]
    forward = walked
    if np.linalg.norm(walked) < _WALKED:  # the forefoot lies lower than ankle and heel
        by_height = sorted(feet, key=lambda label: float(places[label] @ up))
        half = len(feet) // 2
        low, high = ([flat[label] for label in part] for part in (by_height[:half], by_height[half:]))
        forward = np.mean(low, axis=0) - np.mean(high, axis=0)
    first_is_left = np.cross(up, forward) @ (ends[0] - ends[1]) > 0
    return groups if first_is_left else groups[::-1]


def _up(trial: Trial, labels: Sequence[str]) -> Array:
    try:
        return vertical(trial, None)[0]
    except GaitidError:
        means = np.array([np.nanmean(trial.marker(label), axis=0) for label in labels])
        axis = int(np.argmax(np.ptp(means, axis=0)))  # a body is longer than wide
        return np.asarray(np.eye(3)[axis])


def _guess(placed: Placed, others: Sequence[Placed]) -> str:
    """What a marker may be by its place among the others of its part of the body; empty where that says nothing."""
    zone = _zone(placed)
    sides = {placed.side, *(("left", "right") if zone == "pelvis" else ())}
    near = [other for other in others if other.side in sides and _zone(other) == zone]
    outward = _outward(placed) - float(np.mean([_outward(other) for other in near]))
    forward = placed.forward - float(np.mean([other.forward for other in near]))
    if not placed.side:
        return "sacrum" if zone == "pelvis" and placed.forward < 0 else ""
    if zone == "pelvis":
        return "asis" if forward > 0 else "psis"
    if zone == "knee":
        return "knee_lateral" if outward > 0 else "knee_medial"
    if zone == "foot":
        if forward < _BEHIND:
            return "heel"
        if forward > _AHEAD:
            return "mt5" if outward > _OUTWARD else "mt1" if outward < -_OUTWARD else "toe"
        return "ankle_lateral" if outward > 0 else "ankle_medial"
    return f"{zone}_cluster" if zone else ""


def _zone(placed: Placed) -> str:
    return next((name for name, low, high in _ZONES if low <= placed.height < high), "")


def _outward(placed: Placed) -> float:
    return placed.left if placed.side == "left" else -placed.left


# --- text -----------------------------------------------------------------------------------------------------


def _head(trial: Trial, known: MarkerSet | None) -> list[str]:
    labels = f"labels as in {known.name}" if known else "no label is understood"
    return [
        f"# A first draft of a marker set from {trial.path.name}: {labels}.",
        "# A guess was made by where the marker is worn. Correct the file, then: gaitid run TRIAL --markers FILE",
        "# docs/any_lab.md lists the landmarks and clusters.",
        f"gaitid_markers: {SCHEMA}",
        "name: ours",
        "title: Our laboratory's markers",
    ]


def _section(
    key: str,
    sides: Sequence[str],
    results: Mapping[tuple[str, str], Sequence[str]],
    guesses: Mapping[tuple[str, str], Sequence[Placed]],
) -> list[str]:
    is_cluster = key.startswith("clusters")
    places = [*results, *guesses]
    names = [name for side, name in places if side in sides and name.endswith("_cluster") == is_cluster]
    lines = []
    for name in dict.fromkeys(names):
        guessed = {side: guesses.get((side, name), ()) for side in sides}
        both = {side: [*results.get((side, name), ()), *(placed.label for placed in guessed[side])] for side in sides}
        of_sides = {side: labels for side, labels in both.items() if labels}
        where = ", ".join(f"{p.label} at {100 * p.height:.0f} % of the height" for side in sides for p in guessed[side])
        lines.append(f"  {name}: {_value(of_sides, is_cluster)}" + f"  # a guess: {where}" * bool(where))
    return [f"{key}:", *lines] if lines else []


def _value(of_sides: Mapping[str, Sequence[str]], is_cluster: bool) -> str:
    if set(of_sides) == {""}:
        return _flow(of_sides[""], is_cluster)
    left, right = of_sides.get("left", ()), of_sides.get("right", ())
    patterns = [_pattern(a, b) for a, b in zip(left, right, strict=False)]
    if left and len(left) == len(right) and all(patterns):
        return _flow(patterns, is_cluster)
    if not is_cluster:
        return "{" + ", ".join(f"{side}: {_flow(labels, False)}" for side, labels in of_sides.items()) + "}"
    members = [
        "{" + ", ".join(f"{side}: {_flow([of[i]], False)}" for side, of in of_sides.items() if i < len(of)) + "}"
        for i in range(max(map(len, of_sides.values())))
    ]
    return f"[{', '.join(members)}]"


def _pattern(left: str, right: str) -> str:
    """A label of both sides with {S} for the letter in which they differ; empty where they differ otherwise."""
    parts = [(left[:i], left[i + 1 :]) for i, letter in enumerate(left) if letter == "L"]
    return next((f"{begin}{{S}}{end}" for begin, end in parts if right == f"{begin}R{end}"), "")


def _flow(labels: Sequence[str], is_cluster: bool) -> str:
    quoted = [json.dumps(label, ensure_ascii=False) for label in labels]
    return quoted[0] if len(quoted) == 1 and not is_cluster else f"[{', '.join(quoted)}]"
