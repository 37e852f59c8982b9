"""Which foot loads which plate in which frames, or may: several feet may claim one plate in the same frames."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, reduce
from itertools import permutations

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.dynamics.chain import Wrench
from gaitid.errors import TrialError
from gaitid.ground.by_hand import ByHand
from gaitid.ground.ground import Ground
from gaitid.ground.plate_load import Carried, PlateLoad
from gaitid.ground.sole import HALF_WIDTH, may_touch, median_off, odds_of_foot, off_the_sole
from gaitid.ground.stance import Stance
from gaitid.numerics.masks import bridged, known_rows, spans
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask, frozen

# 1/s. The centre of pressure of two feet lies between theirs, by the share that each carries: while weight goes over,
# it runs at the rate of that share times the distance between the feet. Under one foot it rolls at 0.1 to 1.1 m/s: in a
# second 0.2 to 2.3 of the 0.33 to 0.6 m between the pressures of two feet.
GOES_OVER = 2.0
# Of the way between the feet, that part at least is run through at that rate: else the weight went over more slowly,
# and its end cannot be told.
WHOLE_WAY = 0.8


@frozen_dataclass(eq=False)
class Claims:
    """Which foot loads which plate, or may.

    Attributes
    ----------
    by_plate : mapping of plate number to mapping of side to (frames,) bool array
    given : mapping of side to (frames,) bool array
        Where the user says which plates a foot is on.
    on_none : mapping of side to (frames,) bool array
        Where the user says that it is on none, and why.
    cuts : mapping of side to frozenset of int
        The frames at which what the user says cuts a load in two.
    told : mapping of plate number to (frames,) bool array
        Where the pressure tells that two feet load a plate: no frame before or after these is in doubt.
    """

    by_plate: Mapping[int, Mapping[str, Mask]]
    given: Mapping[str, Mask]
    on_none: Mapping[str, Mask]
    cuts: Mapping[str, frozenset[int]]
    told: Mapping[int, Mask] = field(default_factory=dict)

    def of_any_foot(self, plate: int) -> Mask | bool:
        """(frames,) whether any foot claims a plate."""
        masks = list(self.by_plate[plate].values())
        return np.asarray(np.logical_or.reduce(masks)) if masks else False


@frozen_dataclass(eq=False)
class FootClaims:
    """The plates as one foot meets them."""

    side: str
    ground: Ground
    claims: Claims
    # kept: the load on a foot is put together from what its contacts were judged by
    _carried: dict[tuple[tuple[int, ...], int, int], Carried] = field(default_factory=dict, repr=False)

    @property
    def foot(self) -> FootTrack:
        return self.ground.feet[self.side]

    @property
    def stance(self) -> Stance:
        return self.ground.stances[self.side]

    @property
    def given(self) -> Mask:
        """(frames,) the user says which plates this foot is on."""
        return self.claims.given[self.side]

    @property
    def given_edges(self) -> frozenset[int]:
        """The frames at which what the user says cuts a load in two."""
        return self.claims.cuts[self.side]

    def numbered(self, numbers: Collection[int]) -> list[PlateLoad]:
        """The plates of these numbers."""
        return [plate for plate in self.ground.plates if plate.number in numbers]

    def on(self, plate: PlateLoad) -> Mask:
        """(frames,) the foot loads the plate, or may."""
        return self.claims.by_plate[plate.number][self.side]

    def shares(self, plate: PlateLoad) -> Mask:
        """(frames,) another foot loads the plate, or may."""
        others = [mask for side, mask in self.claims.by_plate[plate.number].items() if side != self.side]
        return reduce(np.logical_or, others) if others else np.zeros(self.ground.n_frames, dtype=bool)

    def _counts(self, plate: PlateLoad, frames: slice) -> Mask:
        """(frames,) what the plate does is counted as done to this foot: it is on it, or no other foot is."""
        return self.on(plate)[frames] | ~self.shares(plate)[frames]

    def shared_perhaps(self, plate: PlateLoad, frames: slice) -> Mask:
        """(frames,) this foot and another load the plate, or may, and nothing tells when they came and left."""
        return (self.shares(plate) & self.on(plate) & ~self.claims.told[plate.number])[frames]

    def lifted_off(self, plates: Sequence[PlateLoad], frames: slice) -> Mask:
        """(frames,) plates say that the foot is not on them: they feel nothing, or carry another foot alone."""
        off = [
            plate.feels_nothing(self.ground.settings, frames)
            | (self.shares(plate)[frames] & ~self.on(plate)[frames] & known_rows(plate.wrench.f_g[frames]))
            for plate in plates
        ]
        return reduce(np.logical_and, off)

    def carried(self, plates: Sequence[PlateLoad], frames: slice) -> Carried:
        """What several plates do to the foot in some frames.

        A plate counts where this foot is on it or no other is: while it carries the other foot alone, it is left out.
        """
        asked = tuple(plate.number for plate in plates), frames.start, frames.stop
        if asked not in self._carried:
            f, m = (np.zeros((frames.stop - frames.start, 3)) for _ in range(2))
            for plate in plates:
                here, counts = plate.wrench.during(frames).at(np.zeros(3)), self._counts(plate, frames)
                if counts.all():
                    f += here.f_g
                    m += here.m_g
                else:
                    f[counts] += here.f_g[counts]
                    m[counts] += here.m_g[counts]
            self._carried[asked] = Carried(Wrench(frozen(f), frozen(m), np.zeros(3)), plates[0])
        return self._carried[asked]

    def knows(self, plates: Sequence[PlateLoad], frame: int) -> bool:
        """Whether what several plates do to the foot is known in one frame."""
        here = slice(frame, frame + 1)
        return all(np.isfinite(p.wrench.f_g[frame]).all() or not self._counts(p, here)[0] for p in plates)

    @cached_property
    def other_airborne(self) -> Mask:
        """(frames,) no other foot is on the ground."""
        others = [stance.airborne for side, stance in self.ground.stances.items() if side != self.side]
        return reduce(np.logical_and, others) if others else np.zeros(self.ground.n_frames, dtype=bool)


def find_claims(ground: Ground, by_hand: Sequence[ByHand] = ()) -> Claims:
    """Which foot loads which plate, by the foot's markers and the pressure, and where the user says so.

    Parameters
    ----------
    ground : Ground
    by_hand : sequence of ByHand
        It wins.

    Raises
    ------
    TrialError
        A plate that is given is not there, or carries nothing in those frames.
    """
    ways = {side: _bridged(foot) for side, foot in ground.feet.items()}
    found = {plate.number: _by_evidence(ground, plate, ways) for plate in ground.plates}
    claims = _overruled(ground, {number: on for number, (on, _) in found.items()}, by_hand)
    return replace(claims, told={number: told for number, (_, told) in found.items()})


def _bridged(foot: FootTrack) -> FootTrack:
    """The foot with its gaps bridged."""
    heel_g, toe_g = bridged(foot.heel_g), bridged(foot.toe_g)
    whole = heel_g is foot.heel_g and toe_g is foot.toe_g
    return foot if whole else replace(foot, heel_g=heel_g, toe_g=toe_g)


def _by_evidence(ground: Ground, plate: PlateLoad, ways: Mapping[str, FootTrack]) -> tuple[dict[str, Mask], Mask]:
    """For each side, the frames in which that foot loads a plate, or may (both sides may); and those in which the
    pressure tells that both do.

    `ways` are the feet with their gaps bridged.
    """
    on = {side: np.zeros(ground.n_frames, dtype=bool) for side in ground.feet}
    told = np.zeros(ground.n_frames, dtype=bool)
    for first, last in ground.loaded[plate.number]:
        frames = slice(first, last + 1)
        touching = {side: may_touch(plate, way, ground.stances[side], frames) for side, way in ways.items()}
        if not plate.outlined:  # only the pressure tells who is on it
            for side, foot in ground.feet.items():
                beside = off_the_sole(plate.cop_g[frames], foot.during(frames), plate.normal_g)
                touching[side] = touching[side] & (odds_of_foot(beside) > 0)
        heavy = np.flatnonzero(plate.vertical[frames] > 0.5 * np.fmax.reduce(plate.vertical[frames])) + first
        off = {
            side: median_off(plate.cop_g[heavy], foot.during(heavy), plate.normal_g)
            for side, foot in ground.feet.items()
        }
        # a foot that only passes over a corner as it leaves does not stand there
        involved = {side for side, touch in touching.items() if (touch & ground.stances[side].may_stand[frames]).any()}
        involved |= {side for side, of in off.items() if of == min(off.values()) and odds_of_foot(of) > 0}
        if len(involved) > 1:
            touching, told[frames] = told_by_pressure(
                {side: touching[side] for side in involved},
                plate.cop_g[frames],
                ground.floor.during(frames),
                ground.rate_hz,
            )
        said = ground.declared.get(plate.number)
        if said is not None and not told[frames].any() and odds_of_foot(off.get(said.foot, np.inf)) > 0:
            involved = {said.foot}
        for side, mask in _shared_out(involved, touching).items():
            on[side][frames] |= mask
    return on, told


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


def _overruled(ground: Ground, by_plate: Mapping[int, Mapping[str, Mask]], by_hand: Iterable[ByHand]) -> Claims:
    """The claims with what the user says written over them."""
    claims = {number: {side: mask.copy() for side, mask in masks.items()} for number, masks in by_plate.items()}
    given, on_none = ({side: np.zeros(ground.n_frames, dtype=bool) for side in ground.feet} for _ in range(2))
    cuts: dict[str, frozenset[int]] = dict.fromkeys(ground.feet, frozenset())
    for entry in by_hand:
        frames, cut = _frames_of(ground, entry)
        for number, masks in claims.items():
            for side, mask in masks.items():
                if side == entry.side:
                    mask[frames] = number in entry.plates
                elif number in entry.plates:
                    mask[frames] = False
        if entry.plates or entry.reasoned:
            (given if entry.plates else on_none)[entry.side] |= frames
        cuts[entry.side] |= cut
    return Claims(claims, given, on_none, cuts)


def _frames_of(ground: Ground, entry: ByHand) -> tuple[Mask, frozenset[int]]:
    """(frames,) in which its plates are loaded, and where it cuts a load in two; where it says that none tells of the
    foot, all that it names.

    A load of which everything above the threshold is named belongs to it to the last newton.
    """
    n = ground.n_frames
    frames = slice(entry.first or 0, n if entry.last is None else entry.last + 1)
    named = np.zeros(n, dtype=bool)
    named[frames] = True
    loaded = np.zeros(n, dtype=bool)
    plates = {plate.number: plate for plate in ground.plates}
    for number in entry.plates or ground.loaded:
        if number not in ground.loaded:
            usable = ", ".join(map(str, ground.loaded))
            raise TrialError(
                f"{entry.source}: plate {number} is not there or cannot be used",
                expected=f"one of {usable}" if usable else "a usable plate",
            )
        for first, last in ground.loaded[number]:
            run = slice(first, last + 1)
            loaded[run] = True
            with np.errstate(invalid="ignore"):
                heavy = plates[number].vertical[run] > ground.settings.contact_threshold_N
            if heavy.any() and named[run][heavy].all():
                named[run] = True
    if not entry.plates:
        return named, frozenset((np.flatnonzero(np.diff(named)) + 1).tolist())
    if not (loaded & named).any():
        raise TrialError(
            f"{entry.source}: plate {'+'.join(map(str, entry.plates))} carries nothing in the frames that are given",
            expected=f"more than {ground.settings.contact_threshold_N:g} N",
        )
    at = np.flatnonzero(np.diff(named)) + 1
    return np.asarray(loaded & named), frozenset(at[loaded[at - 1] & loaded[at]].tolist())


# --- when the body's weight goes from one foot to the other on a plate that carries both --------------------


def told_by_pressure(
    touching: Mapping[str, Mask], pressure_g: Array, floor_g: Array, rate_hz: float
) -> tuple[dict[str, Mask], Mask]:
    """Of the frames in which two feet may both touch a plate, those in which both do, by how the pressure moves.

    Markers and events tell to some hundredths of a second when a foot lands and leaves. Where one foot is alone on the
    plate before, and the other alone after, the pressure is at rest under the one, runs, and is at rest under the
    other: both carry something only while it runs (the pattern by which Roerdink et al. 2008, J Biomech 41:2628-2632,
    find strikes and offs on one belt).

    Parameters
    ----------
    touching : mapping of side to (frames,) bool array
        The frames in which a foot touches the plate, or may.
    pressure_g : (frames, 3) array, m
        Centre of pressure of the plate.
    floor_g : (3,) array, m/s
        Velocity of the ground.
    rate_hz : float

    Returns
    -------
    dict of side to (frames,) bool array
        `touching` without the frames before the pressure runs, of the foot that lands, and after, of the one that
        leaves.
    (frames,) bool array
        The frames in which it runs, but those at an end of the span in which both may touch: they may touch beyond it.
    """
    result = {side: mask.copy() for side, mask in touching.items()}
    told = np.zeros(len(pressure_g), dtype=bool)
    on_ground = pressure_g - np.arange(len(pressure_g))[:, None] / rate_hz * floor_g
    for leaves, lands in permutations(touching, 2):
        both = touching[leaves] & touching[lands]
        for first, stop in spans(both):
            if not (first > 0 and stop < len(both) and touching[leaves][first - 1] and touching[lands][stop]):
                continue
            running = _running(on_ground[first - 1 : stop + 1], rate_hz)
            if running is None:
                continue
            begins, ends = first + running[0], first + running[1]
            result[lands][first:begins] = False
            result[leaves][ends + 1 : stop] = False
            told[max(begins, first + 1) : min(ends + 1, stop - 1)] = True
    return result, told


def _running(pressure_g: Array, rate_hz: float) -> tuple[int, int] | None:
    """First and last of the inner frames in which the pressure runs, or is not known; None where it does not tell.

    `pressure_g`, (frames + 2, 3) on the ground, begins with the last frame of the one foot and ends with the first of
    the other.
    """
    way = pressure_g[-1] - pressure_g[0]
    distance = float(np.linalg.norm(way))
    if not distance > 2 * HALF_WIDTH:  # soles lie side by side
        return None
    along = pressure_g @ way / distance**2
    rate = (along[2:] - along[:-2]) * rate_hz / 2
    runs = np.flatnonzero(~(np.abs(rate) <= GOES_OVER))
    if not len(runs):
        return None
    first, last = int(runs[0]), int(runs[-1])
    return (first, last) if along[last + 2] - along[first] >= WHOLE_WAY else None
