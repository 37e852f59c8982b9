"""What can be wrong with a recording, done to a trial in memory: each attack gives one or more spoilt trials.

An attack changes what a real fault changes and nothing else: a dead channel leaves the others as they are, a late plate
keeps its samples, a marker is off in the trajectories but not in the events.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent)]

from attack_trials import Case, replace_fields  # noqa: E402

from gaitid.body.subject import SubjectFile  # noqa: E402
from gaitid.trial import Array, ForcePlate, Trial  # noqa: E402

#: Draws of a marker and a frame in each trial.
DRAWS = 4


@dataclass(frozen=True, eq=False)
class Spoilt:
    """One spoilt trial.

    Attributes
    ----------
    words : str
        Which plate, marker or frame.
    trial : Trial
    static : Trial or None
        In place of that of the base; None for the same.
    subject : SubjectFile or None
        In place of the case's.
    base : str
        The unspoilt analysis that it is held against (`Case.base`).
    """

    words: str
    trial: Trial
    static: Trial | None = None
    subject: SubjectFile | None = None
    base: str = "as it is"


Make = Callable[[Case, np.random.Generator], Iterator[Spoilt]]


@dataclass(frozen=True, eq=False)
class Attack:
    """A fault by its name; `invisible` says why nobody can see it, where that is so."""

    group: str
    name: str
    make: Make
    invisible: str = ""

    def on(self, case: Case) -> Iterator[Spoilt]:
        """The spoilt trials, the same ones each time."""
        return self.make(case, np.random.default_rng(zlib.crc32(f"{case.name}: {self.name}".encode())))


# --- plates ---------------------------------------------------------------------------------------------------

Spoil = Callable[[ForcePlate], ForcePlate]


def with_plates(trial: Trial, change: Spoil, numbers: Sequence[int] | None = None) -> Trial:
    """The trial with plates changed, all or those of these numbers."""
    plates = tuple(change(p) if numbers is None or p.number in numbers else p for p in trial.plates)
    return replace_fields(trial, plates=plates)


def each_plate(change: Spoil, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """One plate that carries a foot, each in turn; at most three."""
    for number in case.plates_used[:3]:
        yield Spoilt(f"plate {number}", with_plates(case.trial, change, [number]))


def all_plates(change: Spoil, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """All plates, also in a static that the trial is analysed with."""
    static = None if case.static is None else with_plates(case.static, change)
    yield Spoilt("all plates", with_plates(case.trial, change), static)


def _channels(change: Callable[[Array], None]) -> Spoil:
    """Change the six channels Fx Fy Fz Mx My Mz of a plate's samples in place."""

    def spoil(plate: ForcePlate) -> ForcePlate:
        channels = np.concatenate([plate.force_p, plate.moment_p], axis=1)
        change(channels)
        return replace(plate, force_p=channels[:, :3], moment_p=channels[:, 3:])

    return spoil


def scaled(factor: float, *channels: int) -> Spoil:
    """Channels (0 to 5; none: all) multiplied."""

    def change(values: Array) -> None:
        values[:, list(channels) or slice(None)] *= factor

    return _channels(change)


def exchanged(a: int, b: int) -> Spoil:
    """Two channels exchanged."""

    def change(values: Array) -> None:
        values[:, [a, b]] = values[:, [b, a]]

    return _channels(change)


def offset(size: float, *channels: int) -> Spoil:
    """Something added to channels all the time."""

    def change(values: Array) -> None:
        values[:, list(channels)] += size

    return _channels(change)


def clipped(share: float) -> Spoil:
    """Fz held at a share of its greatest size."""

    def change(values: Array) -> None:
        most = share * float(np.nanmax(np.abs(values[:, 2])))
        values[:, 2] = np.clip(values[:, 2], -most, most)

    return _channels(change)


def corner(factor: float) -> Spoil:
    """One of four vertical transducers under the corners with another gain; they share the load as stiff springs do."""

    def spoil(plate: ForcePlate) -> ForcePlate:
        if plate.outlined:
            c1, c2, _, c4 = plate.corners_g
            a, b = 0.4 * np.linalg.norm(c1 - c2), 0.4 * np.linalg.norm(c1 - c4)
        else:
            a = b = 0.2
        # Mx = Σ y F, My = −Σ x F at the corners (±a, ±b)
        fz, mx, my = plate.force_p[:, 2], plate.moment_p[:, 0], plate.moment_p[:, 1]
        lost = (1 - factor) * (fz / 4 + mx / (4 * b) - my / (4 * a))
        force, moment = plate.force_p.copy(), plate.moment_p.copy()
        force[:, 2] -= lost
        moment[:, 0] -= b * lost
        moment[:, 1] += a * lost
        return replace(plate, force_p=force, moment_p=moment)

    return spoil


def late(seconds: float) -> Spoil:
    """Samples that come later (or earlier) by this; at the end that lacks samples the outermost one stays."""

    def spoil(plate: ForcePlate) -> ForcePlate:
        at = np.clip(np.arange(len(plate.force_p)) - round(seconds * plate.rate_hz), 0, len(plate.force_p) - 1)
        return replace(plate, force_p=plate.force_p[at], moment_p=plate.moment_p[at])

    return spoil


def stretched(factor: float) -> Spoil:
    """A clock that runs fast: samples are taken `factor` times as often as is declared."""

    def spoil(plate: ForcePlate) -> ForcePlate:
        n = len(plate.force_p)
        at = np.clip(np.round(np.arange(n) / factor).astype(int), 0, n - 1)
        return replace(plate, force_p=plate.force_p[at], moment_p=plate.moment_p[at])

    return spoil


def late_forces(seconds: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """All plates late, with the events of the file."""
    if case.trial.events:
        yield Spoilt("events kept", with_plates(case.trial, late(seconds)))


def late_without_events(seconds: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """All plates late, without events."""
    trial = with_plates(replace_fields(case.trial, events=()), late(seconds))
    yield Spoilt("no events", trial, base="without events")


def late_markers_and_events(seconds: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """All plates late, and events found on them, which are late too."""
    if case.trial.events:
        events = tuple(replace(e, time_s=e.time_s + seconds) for e in case.trial.events)
        yield Spoilt("events with the plates", with_plates(replace_fields(case.trial, events=events), late(seconds)))


def moved(shift_g: Array, plate: ForcePlate) -> ForcePlate:
    """The plate declared elsewhere."""
    if plate.outlined:
        return replace(plate, corners_g=plate.corners_g + shift_g)
    assert plate.centre_g is not None
    return replace(plate, centre_g=plate.centre_g + shift_g)


def _ways(plate: ForcePlate) -> dict[str, Array]:
    """Unit vectors along the plate's sides."""
    if plate.outlined:
        c1, c2, _, c4 = plate.corners_g
        x, y = c1 - c2, c1 - c4
    else:
        assert plate.R_gp is not None
        x, y = plate.R_gp[:, 0], plate.R_gp[:, 1]
    x, y = x / np.linalg.norm(x), y / np.linalg.norm(y)
    return {"+x": x, "-x": -x, "+y": y, "-y": -y}


def shifted(metres: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """One plate declared beside where it is, in each of four ways, and all of them."""
    by_number = {plate.number: plate for plate in case.trial.plates}
    for number in case.plates_used[:2]:
        for way, unit_g in _ways(by_number[number]).items():
            change = partial(moved, metres * unit_g)
            yield Spoilt(f"plate {number} {way}", with_plates(case.trial, change, [number]))
    for way, unit_g in _ways(case.trial.plates[0]).items():
        yield Spoilt(f"all plates {way}", with_plates(case.trial, partial(moved, metres * unit_g)))


def raised(metres: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """All plates declared too high."""
    up = case.result.body.geometry.up_g
    yield Spoilt("all plates", with_plates(case.trial, partial(moved, metres * up)))


def corners_in_order(order: Sequence[int], case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Corners of one plate in another order."""
    yield from each_plate(
        lambda plate: replace(plate, corners_g=plate.corners_g[list(order)]) if plate.outlined else plate, case, draw
    )


def turned(degrees: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """One plate declared turned about its centre."""
    a = np.radians(degrees)
    up = case.result.body.geometry.up_g
    K = np.cross(np.eye(3), up)
    R = np.eye(3) - np.sin(a) * K + (1 - np.cos(a)) * K @ K

    def spoil(plate: ForcePlate) -> ForcePlate:
        if not plate.outlined:
            return replace(plate, R_gp=R @ plate.R_gp)
        centre = plate.corners_g.mean(axis=0)
        return replace(plate, corners_g=(plate.corners_g - centre) @ R.T + centre)

    yield from each_plate(spoil, case, draw)


def plates_exchanged(case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """The cables of two plates exchanged: each reports what the other felt."""
    used = case.plates_used[:2]
    if len(used) < 2:
        return
    a, b = (next(p for p in case.trial.plates if p.number == number) for number in used)
    if len(a.force_p) != len(b.force_p):
        return
    swap = {a.number: b, b.number: a}

    def spoil(plate: ForcePlate) -> ForcePlate:
        other = swap[plate.number]
        return replace(plate, force_p=other.force_p, moment_p=other.moment_p)

    yield Spoilt(f"plates {used[0]} and {used[1]}", with_plates(case.trial, spoil, used))


def deep(change: Callable[[Array], Array], case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """The sensor's place under the surface declared otherwise."""
    trial = with_plates(case.trial, lambda plate: replace(plate, sensor_p=change(plate.sensor_p)))
    if any(np.abs(a.sensor_p - b.sensor_p).max() > 1e-3 for a, b in zip(trial.plates, case.trial.plates)):
        yield Spoilt("all plates", trial)


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


def marker_off(millimetres: float, n_frames: int, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """One marker off by this in so many frames; 0: throughout."""
    for label, frame in draws(case, draw):
        position = case.trial.marker(label).copy()
        frames = slice(frame, frame + n_frames) if n_frames else slice(None)
        position[frames] += millimetres * 1e-3 * direction(draw)
        where = f"{label} from frame {frame + case.trial.first_frame}" if n_frames else label
        yield Spoilt(where, with_marker(case.trial, label, position))


def marker_late(n_frames: int, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """One marker comes some frames late."""
    at = np.maximum(np.arange(case.trial.n_frames) - n_frames, 0)
    for label, _ in draws(case, draw):
        yield Spoilt(label, with_marker(case.trial, label, case.trial.marker(label)[at]))


def marker_noisy(millimetres: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """White noise on one marker."""
    for label, _ in draws(case, draw):
        position = case.trial.marker(label)
        noise = millimetres * 1e-3 * draw.standard_normal(position.shape)
        yield Spoilt(label, with_marker(case.trial, label, position + noise))


def marker_gap(n_frames: int, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """One marker is not seen for some frames."""
    for label, frame in draws(case, draw):
        position = case.trial.marker(label).copy()
        position[frame : frame + n_frames] = np.nan
        where = f"{label} from frame {frame + case.trial.first_frame}"
        yield Spoilt(where, with_marker(case.trial, label, position))


def marker_drifts(millimetres: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """One marker comes loose and slips evenly over the trial."""
    share = np.linspace(0.0, 1.0, case.trial.n_frames)[:, None]
    for label, _ in draws(case, draw):
        position = case.trial.marker(label) + millimetres * 1e-3 * share * direction(draw)
        yield Spoilt(label, with_marker(case.trial, label, position))


def marker_stands_still(n_frames: int, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """One marker's position is held for some frames."""
    for label, frame in draws(case, draw):
        position = case.trial.marker(label).copy()
        position[frame : frame + n_frames] = position[frame]
        yield Spoilt(f"{label} from frame {frame + case.trial.first_frame}", with_marker(case.trial, label, position))


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


# --- frames and rates -----------------------------------------------------------------------------------------


def frame_repeated(n_times: int, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """A camera frame stands in the file so many times more, in place of those that follow."""
    for side in ("left", "right"):
        frame = int(draw.choice(loaded_frames(case, side)))
        points = case.trial.points_g.copy()
        points[frame + 1 : frame + 1 + n_times] = points[frame]
        yield Spoilt(f"frame {frame + case.trial.first_frame}", replace_fields(case.trial, points_g=points))


def frame_lost(n_frames: int, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Camera frames were lost: from there on the markers are ahead of forces and events."""
    for side in ("left", "right"):
        frame = int(draw.choice(loaded_frames(case, side)))
        at = np.arange(case.trial.n_frames)
        at = np.minimum(np.where(at >= frame, at + n_frames, at), len(at) - 1)
        where = f"frame {frame + case.trial.first_frame}"
        yield Spoilt(where, replace_fields(case.trial, points_g=case.trial.points_g[at]))


def rate_wrong(factor: float, events: bool, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Cameras, and plates with them, declared at another rate; events keep their frames."""
    kept = tuple(replace(e, time_s=e.time_s / factor) for e in case.trial.events) if events else ()
    if events and not kept:
        return
    trial = with_plates(
        replace_fields(case.trial, rate_hz=case.trial.rate_hz * factor, events=kept),
        lambda plate: replace(plate, rate_hz=plate.rate_hz * factor, start_s=plate.start_s / factor),
    )
    yield Spoilt("", trial, base="as it is" if events else "without events")


def camera_rate_wrong(factor: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Cameras alone declared at another rate, as where the forces are in a file of their own."""
    yield Spoilt("", replace_fields(case.trial, rate_hz=case.trial.rate_hz * factor))


def scale_wrong(factor: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Cameras calibrated with a wand of a wrong length: markers alone are scaled about the laboratory's origin."""
    yield Spoilt("markers", replace_fields(case.trial, points_g=case.trial.points_g * factor))


# --- all of them ----------------------------------------------------------------------------------------------

FX, FY, FZ, MX, MY, MZ = range(6)
ONE, ALL = "one plate", "all plates"
_NAMES = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
SAME_AS_MASS = "a gain that all plates share is a body of another mass: only the stored mass can contradict it"


def _of_plates(name: str, spoil: Spoil, which: Sequence[str] = (ONE, ALL)) -> Iterator[Attack]:
    for words in which:
        make = partial(each_plate if words == ONE else all_plates, spoil)
        yield Attack("plates", f"{name}, {words}", make)


def _timing() -> Iterator[Attack]:
    for ms in (10, 20, 50, 100):
        for sign, way in ((1, "late"), (-1, "early")):
            s = sign * ms * 1e-3
            yield Attack("clocks", f"forces {ms} ms {way}, with events", partial(late_forces, s))
            yield Attack("clocks", f"forces {ms} ms {way}, without events", partial(late_without_events, s))
            if ms >= 50:
                yield Attack("clocks", f"forces and events {ms} ms {way}", partial(late_markers_and_events, s))
    for ms in (20, 50):
        yield Attack("clocks", f"one plate {ms} ms late", partial(each_plate, late(ms * 1e-3)))
    yield Attack("clocks", "clock of the plates 2 % fast", partial(all_plates, stretched(1.02)))
    for factor in (2.0, 0.5):
        yield Attack("clocks", f"declared rate × {factor:g}, with events", partial(rate_wrong, factor, True))
        yield Attack("clocks", f"declared rate × {factor:g}, without events", partial(rate_wrong, factor, False))
        yield Attack("clocks", f"declared rate of the cameras × {factor:g}", partial(camera_rate_wrong, factor))
    for n in (1, 3):
        yield Attack("clocks", f"{n} camera frame{'s' * (n > 1)} lost", partial(frame_lost, n))


def _plates() -> Iterator[Attack]:
    for channel in (FX, FY, FZ, MX, MY, MZ):
        yield from _of_plates(f"sign of {_NAMES[channel]}", scaled(-1.0, channel))
    yield from _of_plates("sign of all channels", scaled(-1.0))
    yield from _of_plates("Fx and Fy exchanged", exchanged(FX, FY))
    yield from _of_plates("Mx and My exchanged", exchanged(MX, MY), [ONE])
    for channel in (FX, FY, FZ, MX, MY, MZ):
        yield from _of_plates(f"{_NAMES[channel]} dead", scaled(0.0, channel), [ONE])
    for share in (0.9, 0.7):
        yield from _of_plates(f"Fz clipped at {share:.0%} of its peak", clipped(share))
    for factor in (0.5, 0.85, 0.9, 1.1, 1.15, 2.0, 4.4482, 8.0):
        yield from _of_plates(f"gain {factor:g}", scaled(factor))
    for channel in (FX, FZ, MY):
        yield from _of_plates(f"{_NAMES[channel]} × 1000", scaled(1000.0, channel), [ONE])
    yield from _of_plates("torques × 1000", scaled(1000.0, MX, MY, MZ))
    yield from _of_plates("torques / 1000", scaled(0.001, MX, MY, MZ))
    for factor in (0.8, 0.5, 0.0):
        yield from _of_plates(f"one of four transducers at {factor:.0%}", corner(factor), [ONE])
    for factor in (3.0, 10.0):
        yield from _of_plates(f"Mz × {factor:g}", scaled(factor, MZ), [ONE])
    for newtons in (10.0, 50.0, 200.0):
        yield from _of_plates(f"steady bias of {newtons:g} N in Fz", offset(newtons, FZ), [ONE])
        yield from _of_plates(f"steady bias of {newtons:g} N in Fx", offset(newtons, FX), [ONE])
    yield from _of_plates("steady bias of 20 N·m in My", offset(20.0, MY), [ONE])


def _places() -> Iterator[Attack]:
    for cm in (2, 4, 6, 10):
        yield Attack("places", f"plates shifted by {cm} cm", partial(shifted, cm * 1e-2))
    yield Attack("places", "plates 3 cm too high", partial(raised, 0.03))
    for degrees in (5.0, 90.0, 180.0):
        yield Attack("places", f"one plate turned by {degrees:g}°", partial(turned, degrees))
    yield Attack("places", "corners of one plate mirrored", partial(corners_in_order, (1, 0, 3, 2)))
    yield Attack("places", "two plates exchanged", plates_exchanged)
    yield Attack("places", "sensor above the surface", partial(deep, lambda o: o * [1, 1, -1]))
    yield Attack("places", "sensor in the surface", partial(deep, lambda o: o * [1, 1, 0]))


def _subject() -> Iterator[Attack]:
    for factor in (2.2046, 1 / 2.2046, 1.1, 0.9):
        yield Attack("subject", f"mass × {factor:.3g}", partial(measured_times, factor, ["mass"]))
    legs = ["left.leg_length", "right.leg_length"]
    yield Attack("subject", "one leg's length × 1.1", partial(measured_times, 1.1, legs))
    widths = ["left.knee_width", "right.knee_width", "left.ankle_width", "right.ankle_width"]
    yield Attack("subject", "one joint's width × 2", partial(measured_times, 2.0, widths))
    yield Attack("subject", "measurements of left and right exchanged", measured_sides_exchanged)
    yield Attack("static", "stored calibration angles zero", stored_zero)
    for name in ("thigh_rotation", "tibial_torsion"):
        yield Attack("static", f"stored {name.replace('_', ' ')} off by 30°", partial(stored_offset, name, 30.0))
    yield Attack("static", "another person's static", other_person)
    yield Attack("static", "a wand marker medial in the static", wand_medial)
    yield Attack("static", "one marker off by 20 mm in the static", partial(static_marker_off, 20.0))
    yield Attack("static", "left and right exchanged in the static", static_sides_exchanged)


def _markers() -> Iterator[Attack]:
    yield Attack("markers", "one frame repeated", partial(frame_repeated, 1))
    yield Attack("markers", "one frame repeated three times", partial(frame_repeated, 3))
    for mm in (5.0, 10.0, 15.0, 40.0):
        for n in (1, 5):
            name = f"one marker off by {mm:g} mm in {n} frame{'s' * (n > 1)}"
            yield Attack("markers", name, partial(marker_off, mm, n))
    yield Attack("markers", "one marker off by 20 mm throughout", partial(marker_off, 20.0, 0))
    yield Attack("markers", "one marker slips by 30 mm over the trial", partial(marker_drifts, 30.0))
    yield Attack("markers", "one marker 5 frames late", partial(marker_late, 5))
    yield Attack("markers", "one marker held for 5 frames", partial(marker_stands_still, 5))
    yield Attack("markers", "noise of 3 mm on one marker", partial(marker_noisy, 3.0))
    for n in (5, 20):
        yield Attack("markers", f"one marker not seen in {n} frames", partial(marker_gap, n))
    for pair, words in (("near", "neighbours"), ("mirrored", "the same marker of both sides")):
        yield Attack("labels", f"two labels exchanged in 15 frames: {words}", partial(labels_exchanged, pair, 15))
        yield Attack("labels", f"two labels exchanged throughout: {words}", partial(labels_exchanged, pair, 0))
    yield Attack("labels", "left and right exchanged", sides_exchanged)
    yield Attack("markers", "markers 3 % too large", partial(scale_wrong, 1.03))


ATTACKS: tuple[Attack, ...] = (*_timing(), *_plates(), *_places(), *_subject(), *_markers())
