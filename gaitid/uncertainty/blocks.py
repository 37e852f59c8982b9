"""A long trial some frames at a time: what is found in each block, put together.

What an estimate needs at once for each frame is twenty times what a result holds of it. The blocks overlap, so that the
ends of one tell nothing in the frames that it is asked for, and every cycle lies in one of them. What a model takes as
a mean over the trial is a mean over the block there; what the analysis decided stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gaitid.gait.feature_list import FEATURES
from gaitid.numerics.masks import is_long
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray
from gaitid.uncertainty.budget import Parts
from gaitid.uncertainty.errors import Errors
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.variances import Spread

#: Frames of a block without what it shares with others: those of a walk or two, which take some 300 MB.
FRAMES = 2048
#: Frames before and behind a block: where they end tells nothing in it any more (`gaitid.body.kinematics.with_margin`).
_MARGIN = 128


class Block(NamedTuple):
    """Some frames of a trial.

    Attributes
    ----------
    perturbed : Perturbed
        Of these and of the margins on either side.
    frames : slice
        Of the trial, those that are asked for.
    cycles : (n,) int array
        Which cycles of the trial begin in them.
    """

    perturbed: Perturbed
    frames: slice
    cycles: IntArray


def blocks_of(whole: Perturbed) -> Iterator[Block]:
    """The blocks of a trial, one behind the other; a trial that is not long is one."""
    n_frames, rate_hz, curves = whole.n_frames, whole.result.trial.rate_hz, whole.curves
    if not is_long(n_frames):
        yield Block(whole, slice(0, n_frames), np.arange(len(curves.strides)))
        return
    begins = np.array([int(cycle.strike.time_s * rate_hz) for cycle in curves.cycles], dtype=np.intp)
    ends = np.array([int(np.ceil(cycle.next_strike.time_s * rate_hz)) for cycle in curves.cycles], dtype=np.intp)
    edges = np.linspace(0, n_frames, -(-n_frames // FRAMES) + 1).astype(int)
    for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        mine = np.flatnonzero((begins >= start) & (begins < stop))
        last = max(stop, int(ends[mine].max(initial=0)))
        some = Perturbed(
            whole.result, whole.express_in, whole, slice(max(start - _MARGIN, 0), min(last + _MARGIN, n_frames))
        )
        values = {name: getattr(curves, name)[mine] for name in ("values", "impact", "settled", "matched")}
        some.curves = replace(curves, strides=tuple(curves.strides[i] for i in mine), **values)
        yield Block(some, slice(start, stop), mine)


class Joined(NamedTuple):
    """What was found in all blocks of a trial.

    Attributes
    ----------
    errors : Errors
        Those of the last block.
    standard : (frames, columns) array
        Standard uncertainties of the columns that are written.
    features : mapping of source to (cycles, features) array
        Variances.
    of_features : (cycles, features) array
        Standard uncertainties.
    figures : mapping
        Of the method, for the record.
    parts : Parts
        Of the variances of the columns that are `Perturbed.budgeted`.
    """

    errors: Errors
    standard: Array
    features: Mapping[str, Array]
    of_features: Array
    figures: Mapping[str, object]
    parts: Parts


def joined(whole: Perturbed, in_block: Callable[[Perturbed], tuple[Errors, Spread]]) -> Joined:
    """What is found in all blocks, one after the other: of a block nothing is kept that grows with its errors.

    Parameters
    ----------
    whole : Perturbed
    in_block : callable
        The errors of a block and what they make of its columns.
    """
    kept = whole.budgeted
    standard = np.full((whole.n_frames, whole.written), np.nan)
    shape = (len(whole.curves.strides), len(FEATURES))
    of_features = np.full(shape, np.nan)
    features: dict[str, Array] = {}
    figures: list[Mapping[str, object]] = []
    parts = Parts([whole.names[i] for i in kept], whole.result.trial.rate_hz)
    for block in blocks_of(whole):
        errors, spread = in_block(block.perturbed)
        first = block.perturbed.first
        rows = slice(block.frames.start - first, block.frames.stop - first)
        standard[block.frames] = spread.standard[rows, : whole.written]
        for source, of in spread.variance.items():
            counts = np.where(block.perturbed.by_motion, np.nan, of)
            parts.add(source, counts[:, kept], rows, block.perturbed.curves.cycles, first)
        of_features[block.cycles] = spread.of_features
        for source, of in spread.features.items():
            features.setdefault(source, np.zeros(shape))[block.cycles] = of
        figures.append(spread.figures)
    return Joined(errors, standard, features, of_features, _figures(figures), parts)


def _figures(of_blocks: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Those of a method: computations together, and how far two ways are apart as the mean of the blocks."""
    found = dict(of_blocks[0])
    for name in found:
        values = [of for part in of_blocks if isinstance(of := part[name], int | float)]
        if name == "computations":
            found[name] = int(sum(values))
        elif "_differ" in name:
            known = [value for value in values if np.isfinite(value)]
            found[name] = float(np.mean(known)) if known else float("nan")
    return found
