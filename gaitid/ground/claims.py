"""One foot among the plates: which of them it is on in which frames, and whether another foot may be there too."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.dynamics.wrench import Wrench
from gaitid.errors import TrialError
from gaitid.ground.judgement import may_touch, reaches_onto
from gaitid.ground.plate_load import PlateLoad
from gaitid.ground.sole import distance_from_foot
from gaitid.ground.stance import Stance
from gaitid.model import specs
from gaitid.numerics.masks import known_rows
from gaitid.numerics.statistics import median
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask

# m. A foot whose line lies farther than this from the centre of pressure does not carry the plate's load.
COP_REACH = 0.10


@frozen_dataclass()
class ByHand:
    """What the user says: which plates carried a foot; frames are indices, both included.

    Attributes
    ----------
    side : str
    plates : tuple of int
        Empty: no plate tells of the foot in these frames.
    first, last : int or None
        None: from the beginning, to the end.
    """

    side: str
    plates: tuple[int, ...]
    first: int | None = None
    last: int | None = None


@frozen_dataclass(eq=False)
class Scene:
    """One foot among everything that tells of its contacts."""

    side: str
    foot: FootTrack
    stances: Mapping[str, Stance]
    plates: Sequence[PlateLoad]
    carried: Mapping[int, Mapping[str, Mask]]
    rate_hz: float
    weight_N: float
    settings: specs.Settings
    faults: Mapping[int, str]
    # kept, because hundreds of contacts of a long trial ask for the same few
    totals: dict[tuple[int, ...], Wrench] = field(default_factory=dict, repr=False)
    found: dict[int, list[tuple[int, int]]] = field(default_factory=dict, repr=False)

    @property
    def stance(self) -> Stance:
        return self.stances[self.side]

    def numbered(self, numbers: Collection[int]) -> list[PlateLoad]:
        """The plates of these numbers."""
        return [plate for plate in self.plates if plate.number in numbers]

    def on(self, plate: PlateLoad) -> Mask:
        """(frames,) the foot loads the plate, or may."""
        return self.carried[plate.number][self.side]

    def shares(self, plate: PlateLoad) -> Mask:
        """(frames,) another foot loads the plate, or may."""
        others = [mask for side, mask in self.carried[plate.number].items() if side != self.side]
        return np.logical_or.reduce(others) if others else np.zeros(len(self.foot.heel_g), dtype=bool)

    def lifted_off(self, plates: Sequence[PlateLoad], frames: slice) -> Mask:
        """(frames,) plates say that the foot is not on them: they feel nothing, or carry another foot alone."""
        off: Mask = np.logical_and.reduce([
            plate.feels_nothing(self.settings, frames)
            | (self.shares(plate)[frames] & ~self.on(plate)[frames] & known_rows(plate.wrench.f_g[frames]))
            for plate in plates
        ])  # fmt: skip
        return off

    def total(self, plates: Sequence[PlateLoad]) -> Wrench:
        """What several plates do to the foot, about the laboratory's origin, (frames, 3) each.

        A plate counts where this foot is on it or no other is: while it carries the other foot alone, it is left out.
        """
        numbers = tuple(plate.number for plate in plates)
        if numbers in self.totals:
            return self.totals[numbers]
        f, m = np.zeros((len(self.foot.heel_g), 3)), np.zeros((len(self.foot.heel_g), 3))
        for plate in plates:
            counts = self.on(plate) | ~self.shares(plate)
            here = plate.wrench.at(np.zeros(3))
            f[counts] += here.f_g[counts]
            m[counts] += here.m_g[counts]
        self.totals[numbers] = Wrench(f, m, np.zeros(3))
        return self.totals[numbers]

    def contacts_of(self, plate: PlateLoad) -> list[tuple[int, int]]:
        """(first, last) of each load on a plate, whoever's."""
        if plate.number not in self.found:
            self.found[plate.number] = plate.contacts(self.rate_hz, self.settings)
        return self.found[plate.number]

    @property
    def other_airborne(self) -> Mask:
        """(frames,) no other foot is on the ground."""
        others = [stance.airborne for side, stance in self.stances.items() if side != self.side]
        return np.logical_and.reduce(others) if others else np.zeros(len(self.foot.heel_g), dtype=bool)


def who_is_on(
    plates: Sequence[PlateLoad],
    feet: Mapping[str, FootTrack],
    stances: Mapping[str, Stance],
    rate_hz: float,
    settings: specs.Settings,
    n_frames: int,
) -> dict[int, dict[str, Mask]]:
    """For each plate and side, the frames in which that foot loads that plate, or may (both sides may)."""
    result: dict[int, dict[str, Mask]] = {}
    for plate in plates:
        on = {side: np.zeros(n_frames, dtype=bool) for side in feet}
        distance = {side: distance_from_foot(plate.cop_g, foot, plate.normal_g) for side, foot in feet.items()}
        touching = {side: may_touch(plate, foot, stances[side]) for side, foot in feet.items()}
        if not plate.outlined:  # only the pressure tells who is on it
            with np.errstate(invalid="ignore"):
                touching = {side: touch & (distance[side] <= COP_REACH) for side, touch in touching.items()}
        for first, last in plate.contacts(rate_hz, settings):
            frames = slice(first, last + 1)
            pressing = plate.vertical[frames] > 0.5 * np.fmax.reduce(plate.vertical[frames])
            reach = {side: _typical(d[frames][pressing]) for side, d in distance.items()}
            nearest = min(reach, key=lambda s: reach[s], default=None)
            # a foot that only passes over a corner as it leaves does not stand there
            involved = {side for side, touch in touching.items() if (touch & stances[side].may_stand)[frames].any()}
            if nearest is not None and reach[nearest] <= COP_REACH:
                involved.add(nearest)
            for side, own in _shared_out(involved, {s: touching[s][frames] for s in feet}).items():
                on[side][frames] |= own
        result[plate.number] = on
    return result


def _typical(distance: Array) -> float:
    known = distance[np.isfinite(distance)]
    return float(median(known)) if known.size else np.inf


def _shared_out(involved: set[str], touching: Mapping[str, Mask]) -> dict[str, Mask]:
    """Whose each frame of one load on a plate is, or may be: (frames of the load,) by side.

    The load of a foot that is alone on the plate is its own to the edges. Of several feet, each has the frames in which
    it may touch the plate; frames in which none may (it has just left, or is about to land) belong to the one that was
    on it last or comes next, whichever is nearer.
    """
    if len(involved) <= 1:
        return {side: np.ones(len(touching[side]), dtype=bool) for side in involved}
    n = len(next(iter(touching.values())))
    away = {}
    for side in involved:
        at = np.flatnonzero(touching[side])
        frames = np.arange(n)
        following = np.clip(np.searchsorted(at, frames), 0, max(len(at) - 1, 0))
        away[side] = (
            np.minimum(np.abs(frames - at[following]), np.abs(frames - at[np.maximum(following - 1, 0)]))
            if len(at)
            else np.full(n, n)
        )
    nearest = np.minimum.reduce(list(away.values()))
    return {side: away[side] == nearest for side in involved}


def write_by_hand(
    given: Sequence[ByHand],
    sides: Iterable[str],
    carried: Mapping[int, dict[str, Mask]],
    plates: Sequence[PlateLoad],
    rate_hz: float,
    settings: specs.Settings,
    n_frames: int,
) -> dict[str, Mask]:
    """Write what the user says into `carried`; for each side, the frames of which he says it.

    Raises
    ------
    TrialError
        A plate that is not there, or that carries nothing in those frames.
    """
    said = {side: np.zeros(n_frames, dtype=bool) for side in sides}
    by_number = {plate.number: plate for plate in plates}
    for one in given:
        frames = slice(one.first or 0, n_frames if one.last is None else one.last + 1)
        loaded = np.zeros(n_frames, dtype=bool)
        for number in one.plates:
            if number not in by_number:
                raise TrialError(
                    f"--assign: plate {number} is not there or cannot be used",
                    expected=f"one of {', '.join(map(str, by_number))}" if by_number else "a usable plate",
                )
            here = np.zeros(n_frames, dtype=bool)
            for first, last in by_number[number].contacts(rate_hz, settings):
                here[first : last + 1] = True
            loaded[frames] |= here[frames]
        if one.plates and not loaded.any():
            raise TrialError(
                f"--assign: plate {'+'.join(map(str, one.plates))} carries nothing in the frames that are given",
                expected=f"more than {settings.contact_threshold_N:g} N",
            )
        mine = loaded
        if not one.plates:
            mine = np.zeros(n_frames, dtype=bool)
            mine[frames] = True
        for number, on in carried.items():
            for side in on:
                if side == one.side:
                    on[side][mine] = number in one.plates
                elif number in one.plates:
                    on[side][mine] = False
        if one.plates:
            said[one.side] |= mine
    return said


def touches_lightly(plate: PlateLoad, scene: Scene, first: int, last: int) -> bool:
    """Whether a standing foot's sole reaches onto a plate whose load is too small or too short for a contact.

    Beside the plates that carry the foot, such a plate may carry a part of it, which belongs to the sum.
    """
    frames = slice(first, last + 1)
    edge = scene.settings.contact_edge_N
    if any(a <= last and b >= first for a, b in scene.contacts_of(plate)):
        return False  # a contact of its own, judged by itself
    loaded = plate.vertical[frames] > max(edge, plate.noise_N if np.isfinite(plate.noise_N) else edge)
    foot = FootTrack(scene.foot.heel_g[frames], scene.foot.toe_g[frames])
    return bool((loaded & reaches_onto(plate, foot) & scene.stance.standing[frames]).any())
