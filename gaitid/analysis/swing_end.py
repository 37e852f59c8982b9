"""The last frames of a swing that ends beside plates: the foot carries nothing until the strike itself.

Frame by frame the load is known to be none until a margin before the strike, because events and markers may err by that
much (`gaitid.ground.stance`). A cycle ends with its strike, by its definition: up to it the moments are those of a foot
that nothing loads.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, floor

from gaitid.analysis.result import Result
from gaitid.analysis.under_load import under_load
from gaitid.gait.cycles import Cycle
from gaitid.ground.contacts import AIR, UNKNOWN
from gaitid.trial import Array, IntArray

# s. No more than this lies between the last frame that is known and a strike that the file has and the markers agree
# with: the margin, by how much events beside plates and markers differ, and a frame.
END_S = 0.03


def swing_end(result: Result, cycle: Cycle) -> range:
    """The frames between the last in which a foot is known to fly and the strike of the file that ends its cycle.

    With that of the strike and the next, between which it may lie. Empty where anything but the margin makes the load
    unknown.
    """
    if cycle.next_strike.source not in ("file", "given"):
        return range(0)
    state = result.sides[cycle.side].load.state
    strike, reach = cycle.next_strike.time_s * result.trial.rate_hz, END_S * result.trial.rate_hz + 1e-6
    end = min(floor(strike + 1e-6), len(state) - 1)
    before = state[max(ceil(strike - reach), 0) : end + 1].tolist()
    first = end + 1
    while before and before[-1] == UNKNOWN:
        before.pop()
        first -= 1
    if not before or before[-1] != AIR or not first - 1 < strike:
        return range(0)
    return range(first, min(end + 2, len(state)))


def unloaded(
    result: Result, side: str, frames: IntArray
) -> tuple[Mapping[str, Mapping[str, Array]], Mapping[str, Array]]:
    """Moments and powers of a limb that nothing loads: `under_load` without one."""
    return under_load(result, side, frames, None)
