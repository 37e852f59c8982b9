"""Where the record of plates is cut because one pass ends and another begins.

At the ends of a pass the record of a plate is cut, as at the ends of a trial: a load that begins or ends there was cut,
and what lies on either side belongs to two walks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from gaitid.trial import ForcePlate

# Samples of a plate are read within so many camera intervals of an instant (`gaitid.numerics.sampling`).
READ_WITHIN = 1


def unknown_frames(passes: Sequence[slice]) -> Iterator[int]:
    """The frames whose samples are not known because two passes meet, in order.

    Those beside the ends of each pass; where a pass follows without a gap its first one, which is unknown in the
    markers too (`gaitid.markers.passes.blocks_of`).
    """
    for before, after in pairwise(passes):
        yield from sorted({before.stop, max(after.start - 1, before.stop)})


def parted(plate: ForcePlate, passes: Sequence[slice], camera_hz: float) -> ForcePlate:
    """The plate with the samples between two passes unknown, so that no load goes on from one to the next.

    Parameters
    ----------
    plate : ForcePlate
    passes : sequence of slice
        Frames of each walk; with fewer than two nothing is changed.
    camera_hz : float
    """
    return without_frames(plate, [*unknown_frames(passes)], camera_hz)


def without_frames(plate: ForcePlate, frames: Sequence[int], camera_hz: float) -> ForcePlate:
    """The plate with all samples of some camera frames unknown."""
    if not frames:
        return plate
    force, moment = plate.force_p.copy(), plate.moment_p.copy()
    for frame in frames:
        ends = (np.array([frame, frame + 1]) / camera_hz - plate.start_s) * plate.rate_hz
        first, stop = int(np.floor(ends[0] + 1e-6)), int(np.ceil(ends[1] - 1e-6))
        force[max(first, 0) : max(stop, 0)] = np.nan
        moment[max(first, 0) : max(stop, 0)] = np.nan
    return replace(plate, force_p=force, moment_p=moment)


def recorded_with(frame: int, passes: Sequence[slice], n_frames: int) -> tuple[int, int]:
    """The frames in which plates are read of the pass that a frame belongs to, or comes after: first, and one behind.

    All frames where there is one pass.
    """
    first, stop = 0, n_frames
    for before, after in pairwise(passes):
        if frame >= after.start:
            first = after.start + READ_WITHIN + (after.start == before.stop)
        else:
            stop = before.stop - READ_WITHIN
            break
    return first, stop
