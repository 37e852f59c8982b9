"""Labels against the places of markers on their bodies, as a static shows them: which are right, in which frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from gaitid.markers.jumps import parts_between
from gaitid.numerics.masks import known_rows, quantile_of_known
from gaitid.numerics.rigid_fit import FEWEST, rigid_fit
from gaitid.numerics.rotation import apply, norm
from gaitid.records import NamedTuple
from gaitid.trial import Array, Mask

# m, root mean square. A body that fits better is not asked whether its labels are exchanged: it would make no odds.
UNFIT_M = 0.003
# How many times as well a body must fit with two labels exchanged: 45 times in a recorded run (46 mm against 1.0),
# never more than 1.1 times in eleven other recordings and with another person's static.
FIT_RATIO = 2.0
# m. A marker is off in a part of a trial in which it lies farther from its place than in its best part, by this or by
# a quarter of the jump that made it suspect, whichever is more. Skin moves by less.
OFF_M = 0.01
# m. A marker that lies farther from its place than this in every part: the static does not tell where it belongs.
USUALLY_M = 0.015
# Share of the frames in which a static must tell which of two labels is which.
TELLING = 0.9
# Share of the frames that may disagree with what is said of the whole trial.
MOSTLY = 0.1
# Frames of a trial that are looked at to find labels that are exchanged throughout.
SOME_FRAMES = 50


class Template(NamedTuple):
    """Where the markers of one rigid body lie on it.

    Attributes
    ----------
    body : str
        In words.
    places : mapping of label to (3,) array, m
        In axes of the body.
    """

    body: str
    places: Mapping[str, Array]


class Exchange(NamedTuple):
    """Two labels that lie the other way round than in the static throughout."""

    labels: tuple[str, str]
    better_m: float


def find_exchanged_throughout(markers: Mapping[str, Array], templates: Sequence[Template]) -> list[Exchange]:
    """Pairs of labels of bodies that fit badly, and twice as well with the two exchanged.

    Proper rotations only: a mirror image of a foot or of a cluster fits no worse by its distances.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
    templates : sequence of Template
    """
    if not templates or not markers:
        return []
    step = max(1, len(next(iter(markers.values()))) // SOME_FRAMES)
    few = {label: points[::step] for label, points in markers.items()}
    unfit = [template for template in templates if _at_share(_misfit(few, [template]), MOSTLY) > UNFIT_M]
    labels = dict.fromkeys(label for template in unfit for label in template.places if label in few)
    found: list[Exchange] = []
    for a, b in combinations(labels, 2):
        bodies = [template for template in unfit if a in template.places or b in template.places]
        # throughout: as they are the labels fit badly in nearly every frame, and the other way round in nearly none
        as_is = _at_share(_misfit(few, bodies), MOSTLY)
        other = _at_share(_misfit(_with_exchanged(few, a, b), bodies), 1 - MOSTLY)
        if as_is > FIT_RATIO * other:
            found.append(Exchange((a, b), as_is - other))
    # one exchange spoils the fit with other pairs too: the one that explains most is named
    best: list[Exchange] = []
    for exchange in sorted(found, key=lambda e: -e.better_m):
        if not {label for e in best for label in e.labels} & set(exchange.labels):
            best.append(exchange)
    return best


def exchanged_frames(
    markers: Mapping[str, Array], labels: tuple[str, str], templates: Sequence[Template]
) -> Mask | None:
    """(frames,) in which two labels that change places are not sure to be right; None where the static cannot tell.

    Where only one of them was seen, those in which it lies in the other's place.
    """
    bodies = [template for template in templates if set(labels) & set(template.places)]
    if not bodies or not all(any(label in template.places for template in bodies) for label in labels):
        return None
    as_is = _misfit(markers, bodies)
    other = _misfit(_with_exchanged(markers, *labels), bodies)
    one, two = (known_rows(markers[label]) for label in labels)
    seen = one & two
    with np.errstate(invalid="ignore"):
        right, wrong = other > FIT_RATIO * as_is, as_is > FIT_RATIO * other
    if not seen.any() or (right | wrong)[seen].mean() < TELLING:
        return None
    return np.asarray((seen & ~right) | ((one ^ two) & wrong))


def off_the_body(
    markers: Mapping[str, Array],
    label: str,
    templates: Sequence[Template],
    jumps: Sequence[tuple[int, int]],
    size_m: float,
) -> Mask | None:
    """(frames,) in which a label that jumps is not at its place among the other markers of its body.

    Whole parts of the trial between jumps are judged, by their medians: from frame to frame skin and noise blur the
    place that the others give a marker.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
    label : str
    templates : sequence of Template
    jumps : sequence of (int, int)
        The last frame before each jump and the first after it; the frames between them are never believed.
    size_m : float
        How far the label jumped.

    Returns
    -------
    (frames,) bool array, or None where the static does not tell.
    """
    for template in templates:
        others = [x for x in template.places if x != label and x in markers]
        if label not in template.places or len(others) < FEWEST:
            continue
        fit = rigid_fit(_places(template, others), _stacked(markers, others))
        place = apply(fit.R, np.broadcast_to(template.places[label], fit.t.shape)) + fit.t
        off = norm(markers[label] - place)
        parts = parts_between(jumps, len(off))
        usual = np.array([_at_share(off[first : last + 1]) for first, last in parts])
        if not (usual < USUALLY_M).any():
            continue
        wrong = np.ones(len(off), dtype=bool)
        with np.errstate(invalid="ignore"):
            right = usual < usual[np.isfinite(usual)].min() + max(OFF_M, size_m / 4)
        for k in np.flatnonzero(right):
            wrong[parts[k][0] : parts[k][1] + 1] = False
        return wrong
    return None


def _misfit(markers: Mapping[str, Array], templates: Sequence[Template]) -> Array:
    """(frames,) root mean square distance of markers from their places on their bodies, m; NaN where not known."""
    n_frames = len(next(iter(markers.values()), ()))
    squares, count = np.zeros(n_frames), 0
    for template in templates:
        labels = [label for label in template.places if label in markers]
        if len(labels) < FEWEST:
            continue
        fit = rigid_fit(_places(template, labels), _stacked(markers, labels))
        squares = squares + fit.residual**2 * len(labels)
        count += len(labels)
    return np.sqrt(squares / count) if count else np.full(n_frames, np.nan)


def _at_share(values: Array, share: float = 0.5) -> float:
    """A quantile, by default the median, of what is known; NaN where nothing is."""
    return float(quantile_of_known(values, share)) if len(values) else float("nan")


def _places(template: Template, labels: Sequence[str]) -> Array:
    return np.array([template.places[label] for label in labels])


def _stacked(markers: Mapping[str, Array], labels: Sequence[str]) -> Array:
    return np.stack([markers[label] for label in labels], axis=1)


def _with_exchanged(markers: Mapping[str, Array], a: str, b: str) -> dict[str, Array]:
    return {**markers, a: markers[b], b: markers[a]}
