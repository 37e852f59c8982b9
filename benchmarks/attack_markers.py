"""What can be wrong with a subject's measurements, a static, markers, labels and cameras: done to a trial in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from attack_plates import about
from attack_trials import Case, Spoilt, replace_fields

from gaitid.numerics.lowpass import lowpass, pad_length
from gaitid.numerics.masks import known_rows, spans
from gaitid.trial import Array, Trial

#: What is done in place to the positions of one marker or all, at a frame; and to all markers of a case.
OneMarker = Callable[[Array, int, np.random.Generator], None]
AllMarkers = Callable[[Array, Case, np.random.Generator], None]
#: Draws of a marker and a frame in each trial.
DRAWS = 3

# --- subject --------------------------------------------------------------------------------------------------


def with_measurement(case: Case, name: str, change: Callable[[float], float]) -> Iterator[Spoilt]:
    """A measurement that trial or subject file gives, otherwise; nothing where it was estimated."""
    side, _, bare = name.rpartition(".")
    specification = case.model.subject.get(bare)
    if specification is None:
        return
    if name in case.subject.values:
        values = {**case.subject.values, name: change(case.subject.values[name])}
        yield Spoilt(name, case.trial, subject=replace(case.subject, values=values))
        return
    letter = side[:1].upper()
    stored = [c.replace("{S}", letter) for c in specification.c3d]
    for key in stored:
        if case.trial.parameters.get(key):
            parameters = {**case.trial.parameters, key: change(case.trial.parameters[key])}
            yield Spoilt(name, replace_fields(case.trial, parameters=parameters))
            return


def measured_times(factor: float, names: Sequence[str], case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Measurements multiplied, one at a time."""
    for name in names:
        yield from with_measurement(case, name, lambda value: factor * value)


def measured_as(value: float, names: Sequence[str], case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Measurements given otherwise by hand, one at a time, whatever the file says."""
    for name in names:
        if name.rpartition(".")[2] in case.model.subject:
            subject = replace(case.subject, values={**case.subject.values, name: value})
            yield Spoilt(name, case.trial, subject=subject)


def others_measurements(case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """All that the file stores of the subject is another person's."""
    if case.trial.parameters and case.other_parameters:
        yield Spoilt("", replace_fields(case.trial, parameters=case.other_parameters))


def measured_sides_exchanged(case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """All stored measurements of left and right exchanged."""
    given = case.trial.parameters
    pairs = {key: "R" + key[1:] for key in given if key[:1] == "L" and "R" + key[1:] in given}
    swapped = {**given, **{a: given[b] for a, b in pairs.items()}, **{b: given[a] for a, b in pairs.items()}}
    if pairs:
        yield Spoilt("", replace_fields(case.trial, parameters=swapped))


# --- statics --------------------------------------------------------------------------------------------------


def other_person(case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Another person's static."""
    if case.other_static is not None:
        yield Spoilt(case.other_static.path.parent.name, case.trial, case.other_static, base="with the static")


def wand_medial(case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """In the static a wand marker lies mirrored to the inner side of its segment."""
    static = case.calibration
    if static is None:
        return
    for letter, other in ("LR", "RL"):
        for wand in ("THI", "TIB"):
            labels = [f"{letter}{wand}", f"{letter}KNE", f"{other}KNE"]
            if not all(map(static.has, labels)):
                continue
            p, knee, beyond = (static.marker(label) for label in labels)
            across = beyond - knee
            across /= np.linalg.norm(across, axis=1, keepdims=True)
            inner = p - 2 * np.sum((p - knee - 0.05 * across) * across, axis=1, keepdims=True) * across
            spoilt = with_marker(static, labels[0], inner)
            yield Spoilt(labels[0], case.trial, spoilt, base="with the static")


def static_marker_off(millimetres: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """One marker lies elsewhere in the static, all the time."""
    static = case.calibration
    if static is None:
        return
    labels = [label for label in case.side_of if static.has(label)]
    for label in draw.choice(labels, min(2 * DRAWS, len(labels)), replace=False):
        spoilt = with_marker(static, label, static.marker(label) + millimetres * 1e-3 * direction(draw))
        yield Spoilt(str(label), case.trial, spoilt, base="with the static")


def static_sides_exchanged(case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Left and right are exchanged in the static."""
    if case.calibration is not None:
        yield Spoilt("", case.trial, renamed(case.calibration, mirrored_labels(case)), base="with the static")


def stored_offset(name: str, degrees: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """A stored calibration angle off."""
    for side in ("left", "right"):
        yield from with_measurement(case, f"{side}.{name}", lambda value: value + np.radians(degrees))


def stored_zero(case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """All stored calibration angles zero."""
    angles = {c for m in case.model.subject.values() for c in m.c3d if m.c3d_unit == "rad"}
    names = {angle.replace("{S}", letter) for angle in angles for letter in "LR"} & set(case.trial.parameters)
    if any(case.trial.parameters[name] for name in names):
        yield Spoilt("", replace_fields(case.trial, parameters={**case.trial.parameters, **dict.fromkeys(names, 0.0)}))


# --- markers --------------------------------------------------------------------------------------------------


def direction(draw: np.random.Generator) -> Array:
    """(3,) a unit vector in any direction."""
    way = draw.standard_normal(3)
    return np.asarray(way / np.linalg.norm(way))


def with_marker(trial: Trial, label: str, position: Array) -> Trial:
    """The trial with other positions of one marker."""
    points = trial.points_g.copy()
    points[:, trial.labels.index(label)] = position
    return replace_fields(trial, points_g=points)


def renamed(trial: Trial, names: dict[str, str]) -> Trial:
    """The trial with markers under other labels."""
    return replace_fields(trial, labels=tuple(names.get(label, label) for label in trial.labels))


def mirrored_labels(case: Case) -> dict[str, str]:
    """The label of the same marker of the other side, for each that the model knows."""
    model = case.result.model
    swap: dict[str, str] = {}
    for role in (*model.each_side.markers, *model.each_side.calibration_markers):
        for a, b in zip(model.labels(role, "left"), model.labels(role, "right")):
            swap |= {a: b, b: a}
    return swap


def loaded_frames(case: Case, side: str) -> Array:
    """Frames in which a known load is on a foot, of this side if there are any; not the outermost of the trial."""
    states = {s: leg.load.state == 1 for s, leg in case.result.sides.items()}
    mask = states.get(side, np.zeros(case.trial.n_frames, dtype=bool))
    if not mask.any():
        mask = np.logical_or.reduce(list(states.values()))
    frames = np.flatnonzero(mask)
    return np.asarray(frames[(frames > 10) & (frames < case.trial.n_frames - 20)])


def draws(case: Case, draw: np.random.Generator, n: int = DRAWS) -> Iterator[tuple[str, int]]:
    """Markers, each once, and a frame of a known load on the leg that it is of, in which it is seen."""
    for label in draw.permutation(list(case.side_of))[:n]:
        frames = loaded_frames(case, case.side_of[label])
        frames = frames[np.isfinite(case.trial.marker(label)[frames]).all(axis=1)]
        if len(frames):
            yield str(label), int(draw.choice(frames))


def frames_from(frame: int, n_frames: int) -> slice:
    """So many frames from one on; 0: to the end."""
    return slice(frame, frame + n_frames if n_frames else None)


def one_marker(change: OneMarker, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Something done to one marker's positions, from a frame on or throughout."""
    for label, frame in draws(case, draw):
        position = case.trial.marker(label).copy()
        change(position, frame, draw)
        yield Spoilt(f"{label}, frame {frame + case.trial.first_frame}", with_marker(case.trial, label, position))


def off(millimetres: float, n_frames: int | None) -> OneMarker:
    """Off by this in so many frames; 0: from a frame on (it was knocked); None: throughout."""

    def change(position: Array, frame: int, draw: np.random.Generator) -> None:
        frames = slice(None) if n_frames is None else frames_from(frame, n_frames)
        position[frames] += millimetres * 1e-3 * direction(draw)

    return change


def marker_late(n_frames: int, position: Array, frame: int, draw: np.random.Generator) -> None:
    """Comes some frames late."""
    position[:] = position[np.maximum(np.arange(len(position)) - n_frames, 0)]


def marker_noisy(millimetres: float, position: Array, frame: int, draw: np.random.Generator) -> None:
    """White noise."""
    position += millimetres * 1e-3 * draw.standard_normal(position.shape)


def marker_gap(n_frames: int, position: Array, frame: int, draw: np.random.Generator) -> None:
    """Not seen for some frames."""
    position[frame : frame + n_frames] = np.nan


def marker_drifts(millimetres: float, position: Array, frame: int, draw: np.random.Generator) -> None:
    """Comes loose and slips evenly over the trial."""
    position += millimetres * 1e-3 * np.linspace(0.0, 1.0, len(position))[:, None] * direction(draw)


def marker_stands_still(n_frames: int, position: Array, frame: int, draw: np.random.Generator) -> None:
    """Its position is held for some frames."""
    position[frame : frame + n_frames] = position[frame]


#: How the roles of a segment's markers begin.
SEGMENTS = {
    "foot": ("heel", "toe", "mt", "foot_cluster", "ankle"),
    "shank": ("shank", "fibular", "tibial", "ankle"),
    "thigh": ("thigh", "trochanter", "knee"),
    "pelvis": ("sacrum", "asis", "psis", "iliac", "pelvis_cluster"),
}


def of_segment(case: Case, segment: str, side: str) -> list[str]:
    """Labels of a segment's markers; those of the pelvis on both sides."""
    model, sides = case.result.model, ("", side) if segment != "pelvis" else ("", "left", "right")
    roles = [(s, role) for s, role in model.roles if s in sides and role.startswith(SEGMENTS[segment])]
    return list(dict.fromkeys(label for s, role in roles for label in model.labels(role, s) if label in case.side_of))


def segment_off(
    segment: str, millimetres: float, n_frames: int, case: Case, draw: np.random.Generator
) -> Iterator[Spoilt]:
    """All markers of a segment off by this in so many frames; 0: from a frame on (a shoe slips, a plate is knocked)."""
    return _segment_changed(segment, lambda some: some + millimetres * 1e-3 * direction(draw), n_frames, case, draw)


def segment_turned(
    segment: str, degrees: float, n_frames: int, case: Case, draw: np.random.Generator
) -> Iterator[Spoilt]:
    """All markers of a segment turned about their middle in so many frames; 0: from a frame on (a plate is knocked)."""

    def turn(some: Array) -> Array:
        middle = np.nanmean(some, axis=1, keepdims=True)
        return np.asarray(middle + (some - middle) @ about(direction(draw), degrees).T)

    return _segment_changed(segment, turn, n_frames, case, draw)


def _segment_changed(
    segment: str, change: Callable[[Array], Array], n_frames: int, case: Case, draw: np.random.Generator
) -> Iterator[Spoilt]:
    for side in case.result.sides:
        labels, frame = of_segment(case, segment, side), int(draw.choice(loaded_frames(case, side)))
        points, columns = case.trial.points_g.copy(), [case.trial.labels.index(label) for label in labels]
        frames = frames_from(frame, n_frames)
        points[frames, columns] = change(points[frames, columns])
        if len(labels) > 1:
            where = f"{', '.join(labels)} from frame {frame + case.trial.first_frame}"
            yield Spoilt(where, replace_fields(case.trial, points_g=points))


def all_markers(change: AllMarkers, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Something done to all markers' positions."""
    points = case.trial.points_g.copy()
    change(points, case, draw)
    yield Spoilt("markers", replace_fields(case.trial, points_g=points))


def markers_noisy(millimetres: float, points: Array, case: Case, draw: np.random.Generator) -> None:
    """White noise."""
    points += millimetres * 1e-3 * draw.standard_normal(points.shape)


def markers_rounded(millimetres: float, points: Array, case: Case, draw: np.random.Generator) -> None:
    """In steps of this."""
    points[:] = np.round(points / (millimetres * 1e-3)) * (millimetres * 1e-3)


def markers_smoothed(cutoff_hz: float, points: Array, case: Case, draw: np.random.Generator) -> None:
    """Through a low-pass before they were stored."""
    for track in np.swapaxes(points, 0, 1):
        for first, stop in spans(known_rows(track)):
            if stop - first > pad_length(cutoff_hz, case.trial.rate_hz):
                track[first:stop] = lowpass(track[first:stop], cutoff_hz, case.trial.rate_hz)


def left_higher(factor: float, points: Array, case: Case, draw: np.random.Generator) -> None:
    """Cameras that see the left side of the body too high, by this times the height."""
    columns = [case.trial.labels.index(label) for label, side in case.side_of.items() if side == "left"]
    points[:, columns, int(np.argmax(np.abs(case.result.body.geometry.up_g)))] *= factor


def axes_scaled(factors: Sequence[float], points: Array, case: Case, draw: np.random.Generator) -> None:
    """Cameras calibrated with a wand of a wrong length, or that see one axis of the laboratory too long."""
    points *= factors


def at_frames(change: OneMarker, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Something that happens to all markers at a frame in which the left foot stands, then one of the right."""
    for side in ("left", "right"):
        frame, points = int(draw.choice(loaded_frames(case, side))), case.trial.points_g.copy()
        change(points, frame, draw)
        yield Spoilt(f"frame {frame + case.trial.first_frame}", replace_fields(case.trial, points_g=points))


def frame_repeated(n_times: int, points: Array, frame: int, draw: np.random.Generator) -> None:
    """A camera frame stands in the file so many times more, in place of those that follow."""
    points[frame + 1 : frame + 1 + n_times] = points[frame]


def frame_lost(n_frames: int, points: Array, frame: int, draw: np.random.Generator) -> None:
    """Camera frames were lost: from there on the markers are ahead of forces and events.

    At the end of the trial all markers go on as they did: repeated frames there would tell what the loss does not.
    """
    on = np.arange(1, n_frames + 1)[:, None, None] * (points[-1] - points[-2])
    points[:] = np.concatenate([points[:frame], points[frame + n_frames :], points[-1] + on])


def labels_exchanged(pair: str, n_frames: int, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Two labels exchanged: of a marker and its neighbour or the same marker of the other side; 0: throughout."""
    mirrored = mirrored_labels(case)
    for label, frame in draws(case, draw):
        other = mirrored.get(label) if pair == "mirrored" else neighbour(case, label)
        if other not in case.side_of:
            continue
        points, columns = case.trial.points_g.copy(), [case.trial.labels.index(name) for name in (label, other)]
        frames = slice(frame, frame + n_frames) if n_frames else slice(None)
        points[frames, columns] = points[frames, columns[::-1]]
        where = f"{label} and {other}" + (f" from frame {frame + case.trial.first_frame}" if n_frames else "")
        yield Spoilt(where, replace_fields(case.trial, points_g=points))


def neighbour(case: Case, label: str) -> str | None:
    """The nearest marker of the same side."""
    here, side = case.trial.marker(label), case.side_of[label]
    distance = {
        other: float(np.nanmean(np.linalg.norm(case.trial.marker(other) - here, axis=1)))
        for other, its_side in case.side_of.items()
        if its_side == side and other != label
    }
    return min(distance, key=lambda other: distance[other]) if distance else None


def sides_exchanged(case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Left and right exchanged in all labels."""
    yield Spoilt("all labels", renamed(case.trial, mirrored_labels(case)))


def markers_turned(degrees: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Cameras calibrated in axes that are turned about the vertical against the plates', about the first plate."""
    yield _about_a_plate("markers", case.result.body.geometry.up_g, degrees, case)


def markers_tilted(degrees: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Cameras whose vertical leans against the plates', to two sides, about the first plate."""
    up = case.result.body.geometry.up_g
    level = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
    for words, axis in (("to one side", level), ("at right angles to that", np.cross(up, level))):
        yield _about_a_plate(words, axis / np.linalg.norm(axis), degrees, case)


def _about_a_plate(words: str, axis: Array, degrees: float, case: Case) -> Spoilt:
    plate = case.trial.plates[0]
    centre = plate.corners_g.mean(axis=0) if plate.outlined else plate.centre_g
    points = (case.trial.points_g - centre) @ about(axis, degrees).T + centre
    return Spoilt(words, replace_fields(case.trial, points_g=points))


def events_of_the_other_foot(case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Events of left and right exchanged."""
    swap = {"left": "right", "right": "left"}
    if case.trial.events:
        events = tuple(replace(event, side=swap.get(event.side, event.side)) for event in case.trial.events)
        yield Spoilt("", replace_fields(case.trial, events=events))


def camera_rate_wrong(factor: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Cameras alone declared at another rate, as where the forces are in a file of their own."""
    yield Spoilt("", replace_fields(case.trial, rate_hz=case.trial.rate_hz * factor))
