"""A long trial some frames at a time: its result in these alone, and what is found in each, put together.

What an estimate needs at once for each frame is twenty times what a result holds of it. The parts overlap, so that the
ends of one tell nothing in the frames that it is asked for, and every cycle lies in one of them. What a model takes as
a mean over the trial is a mean over the part there; what the analysis decided stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gaitid.analysis.limb import absent_limb
from gaitid.analysis.result import Result, SideResult
from gaitid.body.frames import Geometry, Pose
from gaitid.body.poses import SegmentPose
from gaitid.dynamics.wrench import Wrench
from gaitid.gait.feature_list import FEATURES
from gaitid.ground.contacts import FootLoad
from gaitid.model import specs
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray
from gaitid.uncertainty.computation import Computation
from gaitid.uncertainty.errors import Errors
from gaitid.uncertainty.first_order import Spread

#: Frames of a part without what it shares with others: those of a walk or two, which take some 300 MB.
FRAMES = 2048
#: Frames before and behind a part: where they end tells nothing in it any more (`gaitid.body.kinematics.with_margin`).
_MARGIN = 128


class Part(NamedTuple):
    """Some frames of a trial.

    Attributes
    ----------
    computation : Computation
        Of these and of the margins on either side.
    frames : slice
        Of the trial, those that are asked for.
    inner : slice
        Where they lie in the computation.
    cycles : (n,) int array
        Which cycles of the trial begin in them.
    """

    computation: Computation
    frames: slice
    inner: slice
    cycles: IntArray


def parts_of(whole: Computation) -> Iterator[Part]:
    """The parts of a trial, one behind the other."""
    result, n_frames, rate_hz = whole.result, whole.result.trial.n_frames, whole.result.trial.rate_hz
    cycles = whole.curves.cycles
    begins = np.array([int(cycle.strike.time_s * rate_hz) for cycle in cycles], dtype=np.intp)
    ends = np.array([int(np.ceil(cycle.next_strike.time_s * rate_hz)) for cycle in cycles], dtype=np.intp)
    edges = np.linspace(0, n_frames, -(-n_frames // FRAMES) + 1).astype(int)
    for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        mine = np.flatnonzero((begins >= start) & (begins < stop))
        last = max(stop, int(ends[mine].max(initial=0)))
        outer = slice(max(start - _MARGIN, 0), min(last + _MARGIN, n_frames))
        computation = replace(whole, result=in_frames(result, outer), first=outer.start)
        curves = whole.curves
        some = replace(
            curves,
            strides=tuple(curves.strides[i] for i in mine),
            values=curves.values[mine],
            impact=curves.impact[mine],
            settled=curves.settled[mine],
            matched=curves.matched[mine],
        )
        applied = {place: _wrench(wrench, outer) for place, wrench in whole.applied.items()}
        computation.__dict__.update(
            names=whole.names, values=np.asarray(whole.values[outer]), curves=some, applied=applied
        )
        yield Part(computation, slice(start, stop), slice(start - outer.start, stop - outer.start), mine)


def in_frames(result: Result, frames: slice) -> Result:
    """What a computation takes of a result, in some frames: its markers, poses and loads; no wrenches."""
    n_frames, geometry = frames.stop - frames.start, result.body.geometry
    seen, filtered, support = (
        {label: track[frames] for label, track in of.items()}
        for of in (result.markers.seen, result.markers.filtered, result.markers.support)
    )
    numbers = result.subject.numbers
    some = Geometry(result.model, filtered, numbers, n_frames, geometry.up_g, calibration=geometry.calibration)
    segments = {key: _pose(of, frames) for key, of in result.body.segments.items()}
    R_gp = result.body.R_gp if result.body.R_gp.ndim == 2 else result.body.R_gp[frames]
    passes = _passes(result.body.passes, frames)
    return replace(
        result,
        trial=replace(result.trial, points_g=np.zeros((n_frames, 0, 3)), labels=()),
        markers=replace(result.markers, seen=seen, filtered=filtered, support=support, passes=passes),
        body=replace(result.body, geometry=some, segments=segments, R_gp=R_gp, passes=passes),
        sides={name: _side(result.model, leg, frames) for name, leg in result.sides.items()},
    )


def _passes(passes: Sequence[slice], frames: slice) -> tuple[slice, ...]:
    """The walks in some frames, counted from the first of these."""
    n_frames = frames.stop - frames.start
    found = [slice(max(one.start - frames.start, 0), min(one.stop - frames.start, n_frames)) for one in passes]
    return tuple(one for one in found if one.start < one.stop) or (slice(0, n_frames),)


def _side(model: specs.Model, leg: SideResult, frames: slice) -> SideResult:
    trunk = {name: {column: values[frames] for column, values in of.items()} for name, of in leg.trunk_angles.items()}
    some = absent_limb(model, frames.stop - frames.start)
    return replace(some, load=_load(leg.load, frames), acting=_load(leg.acting, frames), trunk_angles=trunk)


def _load(load: FootLoad, frames: slice) -> FootLoad:
    return FootLoad(load.state[frames], _wrench(load.wrench, frames), load.cop_g[frames], load.free_moment[frames])


def _wrench(wrench: Wrench, frames: slice) -> Wrench:
    return Wrench(wrench.f_g[frames], wrench.m_g[frames], np.broadcast_to(wrench.p_g, wrench.f_g.shape)[frames])


def _pose(segment: SegmentPose, frames: slice) -> SegmentPose:
    pose = Pose(np.array(segment.pose.R_gs[frames]), np.array(segment.pose.origin_g[frames]))
    length = segment.length_m[frames] if len(segment.length_m) else segment.length_m
    return SegmentPose(pose, segment.com_g[frames], segment.known[frames], length)


def joined(whole: Computation, found: Iterable[tuple[Part, Errors, Spread]]) -> tuple[Errors, Spread]:
    """What was found in all parts, each taken as it comes.

    Returns
    -------
    errors : Errors
        Those of the last part, without the errors themselves.
    spread : Spread
        Of the columns that are written, variances as reals of 32 bits.
    """
    shape, cycles = (len(whole.values), whole.written), (len(whole.curves.strides), len(FEATURES))
    standard, of_features = np.full(shape, np.nan), np.full(cycles, np.nan)
    variance: dict[str, Array] = {}
    features: dict[str, Array] = {}
    figures: list[Mapping[str, object]] = []
    kept: list[Errors] = []
    for part, errors, spread in found:
        kept = [replace(errors, constant=(), waves=())]
        columns = part.inner, slice(whole.written)
        standard[part.frames] = spread.standard[columns]
        for source, of in spread.variance.items():
            variance.setdefault(source, np.zeros(shape, dtype=np.float32))[part.frames] = of[columns]
        of_features[part.cycles] = spread.of_features
        for source, of in spread.features.items():
            features.setdefault(source, np.zeros(cycles))[part.cycles] = of
        figures.append(spread.figures)
    return kept[0], Spread(variance, features, _figures(figures), standard, of_features)


def _figures(of_parts: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Those of a method: computations together, and how far two ways are apart as the mean of the parts."""
    found = dict(of_parts[0])
    for name in found:
        values = [of for part in of_parts if isinstance(of := part[name], int | float)]
        if name == "computations":
            found[name] = int(sum(values))
        elif "_differ" in name:
            known = [value for value in values if np.isfinite(value)]
            found[name] = float(np.mean(known)) if known else float("nan")
    return found
