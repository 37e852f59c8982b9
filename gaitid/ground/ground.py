"""Plates and feet of a trial, side by side, before anybody is named: what `contacts` judges and `inspect` shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.ground.belt import SAME_STANCE, Floor, floor_under_slow, slow_feet
from gaitid.ground.plate_load import STEP, PlateLoad, recorded_with
from gaitid.ground.plates_at_camera import plates_at_camera
from gaitid.ground.stance import Stance, detect_stances, with_events
from gaitid.model import specs
from gaitid.notes import Notes, note
from gaitid.numerics.masks import median
from gaitid.read.event_names import foot_event
from gaitid.read.plates import refusals
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Assignment, Trial

# s. Events whose median lies farther from the plates' own onsets and ends are not used.
EVENTS_OFF = 0.03


@frozen_dataclass(eq=False)
class Ground:
    """What the plates felt and what the feet did.

    Attributes
    ----------
    floor : Floor
    plates : tuple of PlateLoad
        Those that can be used.
    refused : mapping of plate number to str
        Why others cannot.
    feet : mapping of side to FootTrack
        Not filtered.
    stances : mapping of side to Stance
        By the markers, and by the file's events where these agree with the plates.
    loaded : mapping of plate number to sequence of (int, int)
        First and last frame of each load on a plate, whoever's.
    settings : Settings
    n_frames : int
    events_note : Notes
        That the file's events were not used, where they do not fit the plates.
    events_late_s : float
        By which these lie after what the plates say; 0 without any.
    withheld : mapping of plate number to str
        Plates that have another fault (`gaitid.faults`), and which.
    declared : mapping of plate number to Assignment
        What was assigned in another program, for the whole trial.
    """

    floor: Floor
    plates: tuple[PlateLoad, ...]
    refused: Mapping[int, str]
    feet: Mapping[str, FootTrack]
    stances: Mapping[str, Stance]
    loaded: Mapping[int, Sequence[tuple[int, int]]]
    settings: specs.Settings
    n_frames: int
    events_note: Notes = ()
    events_late_s: float = 0.0
    withheld: Mapping[int, str] = field(default_factory=dict)
    declared: Mapping[int, Assignment] = field(default_factory=dict)

    @property
    def rate_hz(self) -> float:
        """Of the cameras."""
        return self.floor.rate_hz

    @property
    def covered(self) -> tuple[int, int] | None:
        """First and last frame in which any plate has a sample; None without any."""
        known = [np.flatnonzero(np.isfinite(plate.vertical)) for plate in self.plates]
        ends = [(int(frames[0]), int(frames[-1])) for frames in known if frames.size]
        return (min(a for a, _ in ends), max(b for _, b in ends)) if ends else None

    def recorded(self, frame: int) -> tuple[int, int]:
        """First frame, and the one behind the last, in which plates are read of the pass that a frame belongs to."""
        return recorded_with(frame, self.floor.passes, self.n_frames)

    def cuts(self, first: int, last: int) -> tuple[bool, bool]:
        """Whether a load from `first` to `last` begins, and ends, where the record of the plates does."""
        (begin, stop), covered = self.recorded(first), self.covered or (0, self.n_frames - 1)
        return first <= max(begin, covered[0]), last >= min(stop - 1, covered[1])

    @property
    def lower_ground_g(self) -> Array:
        """(n, 3) m, the feet's markers while these stand lower than a plate."""
        standing = [(foot, self.stances[side].standing) for side, foot in self.feet.items() if side in self.stances]
        points = [marker_g[stands] for foot, stands in standing for marker_g in (foot.heel_g, foot.toe_g)]
        below = [[plate.height(p_g) < -STEP for plate in self.plates] for p_g in points]
        lower = [p_g[np.logical_or.reduce(of)] for p_g, of in zip(points, below, strict=True) if of]
        return np.concatenate([np.zeros((0, 3)), *lower])

    @property
    def notes(self) -> Notes:
        """What is worth saying of plates, events and the floor."""
        return (
            *refusals(self.refused),
            *(
                note("plate_set_aside", plates=number, source=said.source)
                for number, said in self.declared.items()
                if said.foot == "none" and number in self.loaded
            ),
            *(of_plate for plate in self.plates for of_plate in plate.notes(self.settings)),
            *self.events_note,
            *self.floor.notes,
        )


def no_ground(trial: Trial, settings: specs.Settings, up_g: Array) -> Ground:
    """Of a model that the ground does not act on."""
    floor = Floor(up_g, trial.rate_hz, np.zeros(3))
    return Ground(floor, (), {}, {}, {}, {}, settings, trial.n_frames)


def find_ground(
    trial: Trial, settings: specs.Settings, feet: Mapping[str, FootTrack], up_g: Array, passes: tuple[slice, ...] = ()
) -> Ground:
    """Plates at the camera's instants, and stances of the feet.

    Parameters
    ----------
    trial : Trial
    settings : Settings
    feet : mapping of side to FootTrack
        Those that were recorded; none for a model that the ground does not act on.
    up_g : (3,) array
    passes : tuple of slice, optional
        The frames of each walk of a recording that holds several.

    Raises
    ------
    TrialError
        The force cut-off is not below half a plate's rate.
    """
    slow = slow_feet(list(feet.values()), up_g, trial.rate_hz)
    floor = floor_under_slow(slow, list(feet), up_g, trial.rate_hz, passes)
    stances = detect_stances(feet, floor)
    plates, refused = plates_at_camera(trial, settings, feet, stances, up_g, passes)
    loaded = {plate.number: plate.contacts(trial.rate_hz, settings, passes) for plate in plates}
    set_aside = {n: f"{said.source}: not to be used" for n, said in trial.declared.items() if said.foot == "none"}
    ground = Ground(
        floor,
        plates,
        refused,
        feet,
        stances,
        loaded,
        settings,
        trial.n_frames,
        withheld={n: why for n, why in set_aside.items() if n in loaded},
        declared=trial.declared,
    )
    late_s = _events_late(trial, ground)
    events_note: Notes = ()
    if abs(late_s) <= EVENTS_OFF:
        stances = with_events(stances, slow, trial.rate_hz, trial.events)
    else:
        events_note = (note("events_off/plates", ms=1000 * abs(late_s), late=late_s > 0),)
    return replace(ground, stances=stances, events_note=events_note, events_late_s=late_s)


def _events_late(trial: Trial, ground: Ground) -> float:
    """The median time, s, by which the file's events lie after the onsets and ends of loads on plates; 0 without any.

    Each load's onset is held against the nearest strike of either foot, its end against the nearest off: which foot it
    was needs no answer for that, and a load of another step or a part of one lies too far from all of them.
    """
    rate, late, sides = trial.rate_hz, [], list(ground.feet)
    times: dict[str, list[float]] = {"strike": [], "off": []}
    for event in trial.events:
        side, kind = foot_event(event.name, event.side, sides)
        if kind and side in sides:
            times[kind].append(event.time_s)
    for first, last in (contact for contacts in ground.loaded.values() for contact in contacts):
        for kind, frame, cut in zip(("strike", "off"), (first, last + 1), ground.cuts(first, last), strict=True):
            named = times[kind]
            if named and not cut:
                late.append(min((t - frame / rate for t in named), key=abs))
    late = [difference for difference in late if abs(difference) < SAME_STANCE]  # the others are of another step
    return float(median(np.array(late))) if late else 0.0
