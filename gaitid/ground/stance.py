"""When a foot stands and when it surely flies, from its own markers and the file's events."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.ground.belt import CUTOFF_HZ, Floor, SlowFeet, velocity
from gaitid.ground.plate_load import SHORTEST
from gaitid.numerics.masks import quantile, spans
from gaitid.numerics.rotation import norm
from gaitid.read.event_names import foot_event
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Event, Mask

# A foot stands while its slower marker moves at less than this share of the foot's own swing speed (the 95th
# percentile of the trial). On level walking that is 0.7 to 0.9 of the walking speed, near the 0.78 that Bruening &
# Ridge (2014, Gait Posture 39:472-477) found for the same idea; a share of the swing also serves stairs and turns.
STANDING_SHARE = 0.25
# m/s. A foot that is never faster than this never leaves the ground in the trial.
MIN_SWING_SPEED = 0.5
# s. A foot surely flies from this long after its slower marker takes speed until this long before it loses it, unless
# an event of the file says when. On 44 strikes and 43 offs of the shared trials that loss lies 1 to 7 frames before the
# strike (it is early by itself), that take 4 frames before to 2 after the off (at 100 Hz).
AFTER_OFF, BEFORE_STRIKE = 0.04, 0.02
# s. An event agrees with the markers when it lies within these of the change that they show: what was measured on those
# strikes and offs.
STRIKE_AGREES, OFF_AGREES = (-0.02, 0.08), (-0.03, 0.05)
# s. A foot that lands sinks fastest from so long before its strike to so long after (O'Connor et al. 2007, Gait Posture
# 25:469-474): from 22 ms before to 29 ms after the force of 35 strikes. Events on plates lie from 21 ms before that to
# 17 ms after; those that somebody put beside plates, 32 of them, from 45 ms before to 66 ms after. So of the two the
# earlier one is taken, and the foot surely flies until so long before it (events of 23 strikes lie up to 7 ms after the
# force). A later event tells only that the foot did not strike before it sank: until so long before that, two frames at
# least (19 ms at 100 Hz and more, 29 ms at 60 Hz).
SINKS, LATE_EVENT, BEFORE_EVENT = (0.05, 0.10), 0.025, 0.010
# s. Where the foot is not seen to sink, a later event than on plates is not believed.
LATE_UNSEEN = 0.05
# m/s. A foot that sinks more slowly does not land then.
LEAST_SINK = 0.05
# s. Times are looked for a little beyond what agrees, as sums of them are rounded.
_ROUNDING = 1e-6

BY_SPEED, BY_EVENTS_TOO = "foot speed", "foot speed and events of the file"


@frozen_dataclass(eq=False)
class Stance:
    """When one foot stands.

    Attributes
    ----------
    standing : (frames,) bool array
        The foot is on the ground, by its speed.
    airborne : (frames,) bool array
        The foot surely is not. Frames that are neither may be either.
    method : str
        The evidence.
    unseen : (frames,) bool array
        A marker of the foot is missing.
    """

    standing: Mask
    airborne: Mask
    method: str
    unseen: Mask

    @cached_property
    def stood(self) -> tuple[tuple[int, int], ...]:
        """First frame of each time that it stands, and the one behind the last."""
        return tuple(spans(self.standing))

    @cached_property
    def may_stand(self) -> Mask:
        """(frames,) standing, or unseen in a gap beside frames in which it stands."""
        result = self.standing.copy()
        for start, stop in spans(self.unseen):
            if (start > 0 and self.standing[start - 1]) or (stop < len(result) and self.standing[stop]):
                result[start:stop] = True
        return result

    def beyond(self, first: int, last: int) -> tuple[int, int]:
        """How many frames on end the foot stands before `first` and after `last`."""
        before = self.standing[:first][::-1]
        after = self.standing[last + 1 :]
        return int(np.argmin(np.append(before, False))), int(np.argmin(np.append(after, False)))

    def gap_to_air(self, first: int, last: int) -> tuple[int, int]:
        """How many frames lie between a contact and the frames in which the foot surely flies, on both sides."""
        before, after = self.airborne[:first][::-1], self.airborne[last + 1 :]
        early = int(np.argmax(before)) if before.any() else 0
        late = int(np.argmax(after)) if after.any() else 0
        return early, late


def detect_stances(feet: Mapping[str, FootTrack], floor: Floor) -> dict[str, Stance]:
    """Standing and flying of every foot, by its markers alone."""
    return {side: detect_stance(foot, floor) for side, foot in feet.items()}


def detect_stance(foot: FootTrack, floor: Floor) -> Stance:
    """Standing and flying of one foot, by its markers alone.

    Parameters
    ----------
    foot : FootTrack
        Not filtered.
    floor : Floor
        How the ground moves.
    """
    rate_hz = floor.rate_hz
    heel, toe = _speed(foot.heel_g, floor), _speed(foot.toe_g, floor)
    known = np.isfinite(heel) & np.isfinite(toe)
    nowhere = np.zeros(len(heel), dtype=bool)
    if not known.any():
        return Stance(nowhere, nowhere, "no foot markers", ~known)
    swing = float(quantile((heel + toe)[known] / 2, 0.95))
    if swing < MIN_SWING_SPEED:
        return Stance(known, nowhere, "foot markers never fast enough to be in the air", ~known)
    slow = np.minimum(heel, toe) < STANDING_SHARE * swing
    standing = known & _without_short(slow, ~known, round(SHORTEST * rate_hz))
    return _with_flights(Stance(standing, nowhere, BY_SPEED, ~known), _NO_EVENTS, rate_hz)


def _speed(point_g: Array, floor: Floor) -> Array:
    """(frames,) m/s, of a point over the ground."""
    velocity_g = velocity(point_g, floor.rate_hz)
    return norm(velocity_g - floor.velocity_g if floor.velocity_g.any() else velocity_g)


def with_events(
    stances: Mapping[str, Stance], feet: SlowFeet, rate_hz: float, events: Sequence[Event]
) -> dict[str, Stance]:
    """The same stances with the frames in which the feet surely fly sharpened by events.

    Parameters
    ----------
    stances : mapping of side to Stance
        By the markers alone.
    feet : SlowFeet
        Of the same sides.
    rate_hz : float
    events : sequence of Event
        Foot Strike and Foot Off as the file has them; those that disagree with the markers are left aside.
    """
    rise = velocity(feet.height, rate_hz)
    result = dict(stances)
    named = [(foot_event(event.name, event.side, stances), event.time_s) for event in events]
    for i, (side, stance) in enumerate(stances.items()):
        of_foot = _Events(named, side)
        if stance.method == BY_SPEED and (of_foot.strikes or of_foot.offs):
            landings = find_landings(rise[:, i], stance, rate_hz)
            result[side] = _with_flights(stance, of_foot, rate_hz, landings)
    return result


class _Events:
    """When the file says that one foot strikes and leaves, s; of what each event means (`foot_event`), and its time."""

    def __init__(self, named: Sequence[tuple[tuple[str, str], float]], side: str) -> None:
        self.strikes, self.offs = (
            sorted(t for meant, t in named if meant == (side, kind)) for kind in ("strike", "off")
        )


_NO_EVENTS = _Events((), "")


def _with_flights(
    stance: Stance, events: _Events, rate_hz: float, landings: Mapping[int, float] = MappingProxyType({})
) -> Stance:
    """The same stance with the frames in which the foot surely flies; `landings` are those of `find_landings`."""
    standing, known = stance.standing, ~stance.unseen
    n = len(standing)
    after, before = max(2, round(AFTER_OFF * rate_hz)), max(1, round(BEFORE_STRIKE * rate_hz))
    airborne = np.zeros(n, dtype=bool)
    method = BY_SPEED
    for start, stop in spans(known & ~standing):
        off = strike = None
        if events.offs and start > 0 and standing[start - 1]:
            off = _agreeing(events.offs, start / rate_hz, OFF_AGREES)
        if events.strikes and stop < n and standing[stop]:
            strike = _sure_strike(events.strikes, stop, landings.get(stop), rate_hz)
        # at an end of the trial, the flight is seen to its end; beyond a gap in the markers the margins hold as well
        first = start if start == 0 else start + after if off is None else int(np.floor(off * rate_hz + 1e-6)) + 2
        end = stop if stop == n else stop - before
        if strike is not None:
            end = int(np.floor((strike - BEFORE_EVENT) * rate_hz + 1e-6)) + 1
        airborne[max(first, 0) : max(end, 0)] = True
        if off is not None or strike is not None:
            method = BY_EVENTS_TOO
    return Stance(standing, airborne & known, method, stance.unseen)


def _sure_strike(strikes_s: Sequence[float], stop: int, landing: float | None, rate_hz: float) -> float | None:
    """Until when a foot that stands from `stop` on flies, s, by an event that the markers agree with; None without."""
    strike = _agreeing(strikes_s, stop / rate_hz, STRIKE_AGREES)
    if strike is None or landing is None:
        return strike if strike is not None and strike - stop / rate_hz <= LATE_UNSEEN else None
    sinks = landing / rate_hz
    if strike <= sinks + LATE_EVENT:
        return min(strike, sinks)
    return sinks - max(LATE_EVENT, 2 / rate_hz) + BEFORE_EVENT


def find_landings(rise: Array, stance: Stance, rate_hz: float) -> dict[int, float]:
    """When a foot sinks fastest, in frames, for the first frame of a stance; left out where it does not.

    `rise`, (frames,), m/s, is how fast its middle rises, low-passed.
    """
    if rate_hz <= 2 * CUTOFF_HZ:
        return {}
    found = {}
    for start in [start for start, _ in stance.stood if start > 0]:
        first = max(start - round(SINKS[0] * rate_hz), 0)
        part = rise[first : start + round(SINKS[1] * rate_hz) + 1]
        if len(part) < 3 or not np.isfinite(part).all():
            continue
        k = int(np.argmin(part))
        if 0 < k < len(part) - 1 and part[k] < -LEAST_SINK:
            bend = part[k - 1] - 2 * part[k] + part[k + 1]
            found[start] = float(first + k + (0.5 * (part[k - 1] - part[k + 1]) / bend if bend else 0.0))
    return found


def _agreeing(times_s: Sequence[float], time_s: float, agrees: tuple[float, float]) -> float | None:
    """The event's time, of those in order, nearest to a change that the markers show; None where none agrees."""
    first = bisect_left(times_s, time_s + agrees[0] - _ROUNDING)
    stop = bisect_right(times_s, time_s + agrees[1] + _ROUNDING)
    near = [t for t in times_s[first:stop] if agrees[0] <= t - time_s <= agrees[1]]
    return min(near, key=lambda t: abs(t - time_s)) if near else None


def _without_short(mask: Mask, unseen: Mask, n: int) -> Mask:
    """The mask with runs of either kind shorter than `n` frames turned over, flights first.

    A run beside unseen frames may be longer than it seems, and stays.
    """
    result = mask.copy()
    for value in (False, True):
        for start, stop in list(spans(result == value)):
            ends_seen = start > 0 and stop < len(result) and not (unseen[start - 1] or unseen[stop])
            if stop - start < n and ends_seen and not unseen[start:stop].any():
                result[start:stop] = not value
    return result
