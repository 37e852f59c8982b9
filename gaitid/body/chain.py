"""A model with `pose: {by: multibody}` -> its chain of segments, and their poses on a trial, fitted to all markers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gaitid.body.calibration import marker_label, tracking_markers, with_chain
from gaitid.body.chain_again import Before, fit_again
from gaitid.body.frames import Geometry
from gaitid.body.joints import Calibration, Joint, JointPlace, Place, Pose, Segment, during, joint_of
from gaitid.body.multibody import ChainFit, FittedChain, fit_chain
from gaitid.errors import TrialError, first_few
from gaitid.model import specs
from gaitid.model.pose import JOINT_TYPES, JointSpec, Multibody
from gaitid.model.shapes import PointName
from gaitid.model.validate import joint_letters
from gaitid.notes import Note, Notes, note
from gaitid.numerics.joint_path import JointPath
from gaitid.numerics.masks import mean_of_known, spans
from gaitid.numerics.rigid_fit import RigidFit
from gaitid.numerics.rotation import apply, frame_from_axes, norm
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask

# m. A marker that lies farther (root mean square over the trial) from its place on the fitted chain: skin moves those
# of a thigh by 10 to 30 mm in a walk (Leardini 2005, Gait Posture 21:212-225), and a chain shares that out.
FAR_M = 0.025
# Share of the frames: more of them at a limit say that the limit shapes the result.
OFTEN_AT_LIMIT = 0.1
_SHOWN = 6


def chain_notes(fitted: FittedChain, known: Sequence[Mask], model: specs.Model, direct: Geometry) -> list[Note]:
    fit, notes = fitted.fit, []
    seen = np.isfinite(fit.R[0]).all(axis=(1, 2))
    needed = {("", model.base.segment)} | {
        (s.name, b.segment) for s in model.sides for b in model.chain if not b.optional
    }
    for place, of_segment in zip(fitted.places, known, strict=True):
        if place in needed and not of_segment.any() and seen.any():
            never = [
                name for name, determined in zip(fit.names, fit.determined.T, strict=True) if not determined[seen].any()
            ]
            raise TrialError(
                f"the markers do not determine {first_few(never or ['the chain'], _SHOWN)} in any frame",
                expected="markers on every segment that tell how it turns, or joints that leave it less freedom",
                found=_seen_words(fitted, direct),
                todo="name more markers under pose.tracking, or give these joints a type with fewer free angles",
            )
    lacking = {
        name: int((seen & ~determined).sum())
        for name, determined in zip(fit.names, fit.determined.T, strict=True)
        if not determined[seen].all()
    }
    if lacking:
        notes.append(note("chain_undetermined", frames_of=[f"{name} ({count})" for name, count in lacking.items()]))
    if restless := int((seen & ~fit.converged).sum()):
        notes.append(note("chain_unsettled", n_frames=restless))
    far = []
    for place, names, off in zip(fitted.places, fitted.markers, fitted.residuals, strict=True):
        for k, name in enumerate(names):
            of_marker = off[:, k][np.isfinite(off[:, k])]
            weighs = fitted.chain[fitted.places.index(place)].weights[k] > 0
            if weighs and of_marker.size and (rms := float(np.sqrt((of_marker**2).mean()))) > FAR_M:
                far.append(f"{marker_label(model, name, place[0]) or name} {rms * 1e3:.0f} mm")
    if far:
        notes.append(note("chain_far", markers=far))
    often = [
        n for n, hit in zip(fit.names, fit.at_limit.T, strict=True) if seen.any() and hit[seen].mean() > OFTEN_AT_LIMIT
    ]
    if often:
        notes.append(note("chain_at_limit", coordinates=often))
    return notes


def _seen_words(fitted: FittedChain, direct: Geometry) -> str:
    """The markers of each segment that were seen."""
    parts = []
    for place, names in zip(fitted.places, fitted.markers, strict=True):
        there = [n for n in names if np.isfinite(direct.point(n, place[0])).any()]
        labels = [marker_label(direct.model, n, place[0]) or str(n) for n in there]
        parts.append(f"{' '.join(filter(None, place))}: {', '.join(labels) or 'none'}")
    return "; ".join(parts)


def chain_figures(fitted: FittedChain, model: specs.Model, first_frame: int) -> dict[str, object]:
    """How a chain fits a trial, for its record: by marker how far it lies from its place, mm."""
    fit = fitted.fit
    seen = np.isfinite(fit.R[0]).all(axis=(1, 2))
    markers: dict[str, object] = {}
    for place, names, off in zip(fitted.places, fitted.markers, fitted.residuals, strict=True):
        for k, name in enumerate(names):
            track = off[:, k]
            if not (known := np.isfinite(track)).any():
                continue
            worst = int(np.argmax(np.where(known, track, -1.0)))
            markers[marker_label(model, name, place[0]) or str(name)] = {
                "segment": " ".join(filter(None, place)),
                "residual_rms_mm": float(np.sqrt((track[known] ** 2).mean()) * 1e3),
                "residual_worst_mm": float(track[worst] * 1e3),
                "residual_worst_frame": worst + first_frame,
            }
    return {
        "markers": markers,
        "steps_mean": float(fit.steps[seen].mean()) if seen.any() else None,
        "frames_not_settled": int((seen & ~fit.converged).sum()),
        "frames_not_determined": {
            n: int((seen & ~determined).sum())
            for n, determined in zip(fit.names, fit.determined.T, strict=True)
            if not determined[seen].all()
        },
        "frames_at_limit": {n: int(hit.sum()) for n, hit in zip(fit.names, fit.at_limit.T, strict=True) if hit.any()},
    }


# More gaps than this in a trial are left as they are: markers that come and go all the time have no place of their own.
MOST_GAPS = 500


class _Gap(NamedTuple):
    """Frames from `start` to before `stop` in which a marker of a segment was not seen, amid frames in which it was."""

    segment: int
    marker: int
    start: int
    stop: int


def fit_steadily(
    chain: Sequence[Segment], points: Sequence[Array], start: Sequence[Array], before: Before | None = None
) -> ChainFit:
    """`fit_chain`, or `fit_again` where there is a fit before, with markers that are missing for some frames.

    Each of them is placed by the others. It is put where it lay beside its place on the segment just before and just
    after, as the chain without it has the segment (in between on a line): so it says nothing new in the gap, and takes
    nothing away at once at its edges. What is determined follows from the markers that were really seen.
    """
    fit = fit_chain(chain, points, start) if before is None else fit_again(chain, points, before)
    known: Mask = np.asarray(np.isfinite(fit.R[0]).all(axis=(1, 2)))
    gaps = list(_gaps(chain, points, known))
    if not gaps or len(gaps) > MOST_GAPS:
        return fit
    ends = [(gap, frame) for gap in gaps for frame in (gap.start - 1, gap.stop) if _seen(points, gap, frame)]
    frames: IntArray = np.array([frame for _, frame in ends])
    at_ends = [p[frames] for p in points]
    for i, (gap, _) in enumerate(ends):
        at_ends[gap.segment][i, gap.marker] = np.nan
    without = fit_chain(during(chain, frames), at_ends, [R[frames] for R in fit.R])
    beside: dict[_Gap, list[tuple[int, Array]]] = {gap: [] for gap in gaps}
    for i, (gap, frame) in enumerate(ends):
        R, origin = without.R[gap.segment][i], without.origin[gap.segment][i]
        local = R.T @ (points[gap.segment][frame, gap.marker] - origin)
        if without.known(chain, gap.segment)[i] and np.isfinite(local).all():
            beside[gap].append((frame, local))
    placed = [p.copy() for p in points]
    changed: Mask = np.zeros(len(known), dtype=bool)
    for gap, result in beside.items():
        if not result:
            continue
        inside = np.arange(gap.start, gap.stop)
        inside = inside[fit.known(chain, gap.segment)[inside]]
        at = np.array([frame for frame, _ in result])
        local = np.stack([np.interp(inside, at, column) for column in np.array([p for _, p in result]).T], axis=1)
        R, origin = fit.R[gap.segment][inside], fit.origin[gap.segment][inside]
        placed[gap.segment][inside, gap.marker] = origin + np.einsum("fij,fj->fi", R, local)
        changed[inside] = True
    again = np.flatnonzero(changed)
    if not again.size:
        return fit
    return _with(fit, fit_chain(during(chain, again), [p[again] for p in placed], [R[again] for R in fit.R]), again)


def _gaps(chain: Sequence[Segment], points: Sequence[Array], known: Mask) -> Sequence[_Gap]:
    """Of markers that track, where they are seen in at least half of the frames."""
    result = []
    for i, (segment, of_segment) in enumerate(zip(chain, points, strict=True)):
        for k in np.flatnonzero(segment.weights > 0):
            missing: Mask = known & ~np.isfinite(of_segment[:, k]).all(axis=1)
            if missing.any() and missing.sum() <= known.sum() / 2:
                result += [_Gap(i, int(k), *span) for span in spans(missing)]
    return result


def _seen(points: Sequence[Array], gap: _Gap, frame: int) -> bool:
    of_segment = points[gap.segment]
    return 0 <= frame < len(of_segment) and bool(np.isfinite(of_segment[frame, gap.marker]).all())


def _with(fit: ChainFit, other: ChainFit, frames: IntArray) -> ChainFit:
    """The fit with another one's poses and coordinates in some frames."""

    def put(mine: tuple[Array, ...], theirs: tuple[Array, ...]) -> tuple[Array, ...]:
        result = [values.copy() for values in mine]
        for values, new in zip(result, theirs, strict=True):
            values[frames] = new
        return tuple(result)

    at_limit, converged, steps = fit.at_limit.copy(), fit.converged.copy(), fit.steps.copy()
    at_limit[frames], converged[frames] = other.at_limit, other.converged
    steps[frames] += other.steps
    return fit._replace(
        R=put(fit.R, other.R),
        origin=put(fit.origin, other.origin),
        angles=put(fit.angles, other.angles),
        shifts=put(fit.shifts, other.shifts),
        at_limit=at_limit,
        converged=converged,
        steps=steps,
    )


#: The frame of a model by an OpenSim model that its ankle's angles are determined by.
ANKLE_ALONE = "talus"

# --- the chain ----------------------------------------------------------------------------------------------------


def _chain(
    direct: Geometry, pose: Multibody, calibration: Calibration, sides: Sequence[str]
) -> tuple[list[Segment], list[Place], list[tuple[PointName, ...]]]:
    """Segments from the base to the free ends, side after side; without optional ones that nothing is known of."""
    model = direct.model
    chain: list[Segment] = []
    places: list[Place] = []
    markers: list[tuple[PointName, ...]] = []

    weights_of = tracking_markers(model)

    def add(place: Place, joint: Joint | None) -> None:
        weights = weights_of[place[1]]
        known = [name for name in weights if name in calibration.tracking.get(place, {})]
        at = np.stack([calibration.tracking[place][name] for name in known], axis=-2) if known else np.zeros((0, 3))
        at = at if at.ndim == 2 else direct.of_each(at)
        chain.append(Segment("_".join(filter(None, place)), at, np.array([weights[name] for name in known]), joint))
        places.append(place)
        markers.append(tuple(known))

    add(("", model.base.segment), None)
    for side in model.sides:
        if side.name not in sides:
            continue
        for body in reversed(model.chain):
            above = ("", model.base.segment) if body.on == model.base.segment else (side.name, body.on)
            at = calibration.joints.get((side.name, body.joint))
            if at is None or not np.isfinite(np.concatenate(at)).all() or above not in places:
                if body.optional:
                    continue
                raise TrialError(f"nothing shows where the {side.name} {body.joint} lies on its segments")
            if at.angles_rad.ndim > 1:
                at = JointPlace(*map(direct.of_each, at))
            proximal = places.index(above)
            if pose.scaled is not None:
                path = pose.scaled.paths[side.name, body.segment]
                add((side.name, body.segment), _by_path(f"{side.name}_{body.joint}", path, proximal))
                continue
            spec = pose.joints.get(body.joint, JointSpec())
            add((side.name, body.segment), _joint(spec, model, side, (body.joint, at, proximal)))
    return chain, places, markers


def _by_path(name: str, path: JointPath, proximal: int) -> Joint:
    """A joint of an OpenSim model: its coordinates in their order are a, b and c."""
    origin = np.zeros(3)
    turns = (path.count > 0, path.count > 1, path.count > 2)
    low, high = (tuple(of.tolist()) for of in (path.low, path.high))
    return Joint(name, proximal, origin, origin, turns, neutral=path.neutral, low=low, high=high, path=path)


def _by_first_alone(fitted: FittedChain, i: int) -> Array:
    """(frames, 3, 3) axes of a segment as they were if its joint moved by its first coordinate only, laboratory axes.

    Of a foot those are the talus' with the subtalar joint at rest: OpenSim's ankle angle is determined by them.
    """
    segment, fit = fitted.chain[i], fitted.fit
    joint = joint_of(segment)
    assert joint.path is not None
    q = np.where([True, False, False], fit.angles[i - 1], joint.neutral)
    return np.asarray(fit.R[joint.proximal] @ joint.path.at(q).R)


def _in_a_plane(base: Segment, R_gs: Array) -> tuple[Segment, Array]:
    """The base of a model of the sagittal plane and its axes, turning about the laboratory's axis across the walk only.

    That is the axis nearest to the mean of the pelvis' left; it stays as it is where that is not known.
    """
    across = mean_of_known(R_gs[..., 1])
    if not np.isfinite(across).all():
        return base, R_gs
    k = int(np.abs(across).argmax())
    axis_g = np.eye(3)[k]
    left = np.broadcast_to(np.sign(across[k]) * axis_g, R_gs[..., 1].shape)
    return replace(base, axis_g=axis_g), frame_from_axes("y", left, "z", R_gs[..., 2])


def _joint(spec: JointSpec, model: specs.Model, side: specs.Side, where: tuple[str, JointPlace, int]) -> Joint:
    """A joint of one side from its specification: angles by name become a, b, c in radians."""
    name, at, above = where
    letters = joint_letters(model, name, side.sign)
    turns = {letters[n][0] for n in spec.free or JOINT_TYPES[spec.type]}
    low, high, neutral, pull = [-np.inf] * 3, [np.inf] * 3, at.angles_rad.copy(), [0.0] * 3
    for column, (least, most) in spec.limits_deg.items():
        i, gain, offset = letters[column]
        low[i], high[i] = sorted(float(np.radians(gain * (end - offset))) for end in (least, most))
    for column, value in spec.held_at_deg.items():
        i, gain, offset = letters[column]
        neutral[..., i] = np.radians(gain * (value - offset))
    for column, value in spec.pull_mm_per_deg.items():
        pull[letters[column][0]] = 1e-3 * value * 180 / np.pi
    return Joint(
        name=f"{side.name}_{name}",
        proximal=above,
        centre_p=at.proximal_m,
        centre_d=at.distal_m,
        turns=(0 in turns, 1 in turns, 2 in turns),
        slides=spec.type == "free",
        sequence=model.angles[name].sequence,
        neutral=neutral,
        low=(low[0], low[1], low[2]),
        high=(high[0], high[1], high[2]),
        pull_m_per_rad=(pull[0], pull[1], pull[2]),
    )


# --- a trial ------------------------------------------------------------------------------------------------------


def put_by_chain(direct: Geometry, sides: Sequence[str], near: FittedChain | None = None) -> tuple[Geometry, Notes]:
    """The geometry with its segments where a chain with joints fits the markers best.

    Frames of segments, joint centres and the origin of the base move; what the model carries by them follows.

    Parameters
    ----------
    direct : Geometry
        Of a trial, frames as they are written: where the fit starts.
    sides : sequence of str
    near : FittedChain, optional
        Of about the same markers: where the fit starts instead, in the frames in which it is known.

    Raises
    ------
    TrialError
        A coordinate is not determined by the markers in any frame.
    """
    model, calibration = direct.model, direct.calibration or Calibration()
    assert model.pose is not None
    notes: list[Note] = []
    if not calibration.joints:
        calibration = with_chain(calibration, direct, sides, "the walk's own mean")
        notes.append(note("chain_from_trial"))
    chain, places, markers = _chain(direct, model.pose, calibration, sides)
    tracks = tracks_of(direct, places, markers)
    frames_of = {("", model.base.segment): model.base.frame} | {
        (s, b.segment): b.frame for s in sides for b in model.chain
    }
    if (before := direct.before) is None:
        start = [direct.frame(frames_of[place], place[0]).R_gs for place in places]
        if near is not None and near.places == tuple(places):
            start = [np.where(np.isfinite(R), R, other) for R, other in zip(near.fit.R, start, strict=True)]
    else:
        start = [*before.fit.R]
    if model.pose.scaled is not None and model.pose.scaled.turns_in_a_plane:
        chain[0], start[0] = _in_a_plane(chain[0], start[0])
    fit = before.fit if before is not None and not before.moved else fit_steadily(chain, tracks, start, before)
    known = [fit.known(chain, i) for i in range(len(chain))]
    if before is not None:  # of markers that were moved on purpose nobody asks how well they fit
        fitted = FittedChain(tuple(chain), tuple(places), tuple(markers), (), fit)
        return _placed(direct, calibration, fitted, known, frames_of), tuple(notes)
    residuals = tuple(
        norm(track - (o[:, None] + segment.places @ np.swapaxes(R, 1, 2)))
        for track, R, o, segment in zip(tracks, fit.R, fit.origin, chain, strict=True)
    )
    fitted = FittedChain(tuple(chain), tuple(places), tuple(markers), residuals, fit)
    notes += chain_notes(fitted, known, model, direct)
    return _placed(direct, calibration, fitted, known, frames_of), tuple(notes)


def tracks_of(geometry: Geometry, places: Sequence[Place], markers: Sequence[tuple[PointName, ...]]) -> list[Array]:
    """(frames, n, 3) tracks of each segment's markers, m; NaN where one was not seen."""
    return [_stacked(geometry, place[0], names) for place, names in zip(places, markers, strict=True)]


def _stacked(geometry: Geometry, side: str, names: Sequence[PointName]) -> Array:
    if not names:
        return np.zeros((geometry.n_frames, 0, 3))
    return np.stack([geometry.point(name, side) for name in names], axis=1)


def _placed(
    direct: Geometry,
    calibration: Calibration,
    fitted: FittedChain,
    known: Sequence[Mask],
    frames_of: Mapping[Place, str],
) -> Geometry:
    """The geometry with frames, joint centres and origin of the base from the fit; unknown where not determined."""
    model, fit = direct.model, fitted.fit
    frames: dict[Place, Pose] = {}
    points: dict[Place, Array] = {}
    fits: dict[Place, tuple[tuple[str, ...], RigidFit]] = {}
    for i, place in enumerate(fitted.places):
        side, segment = place
        seen = known[i]
        R, origin = np.where(seen[:, None, None], fit.R[i], np.nan), np.where(seen[:, None], fit.origin[i], np.nan)
        of_frame = model.place("frame", frames_of[place], side)
        frames[of_frame] = Pose(R, origin)
        if model.pose is not None and model.pose.scaled is not None and segment == model.chain[0].segment:
            frames[side, ANKLE_ALONE] = Pose(_by_first_alone(fitted, i), origin)
        joint = fitted.chain[i].joint
        if joint is None:
            at = calibration.joints["", segment].distal_m
            at = apply(R, direct.of_each(at)) if at.ndim > 1 else R @ at
            points[model.place("point", model.base.origin, "")] = origin + at
        else:
            above, seen_above = joint.proximal, known[joint.proximal]
            lies = joint.centre_p + fit.shifts[i - 1]
            if joint.path is not None:
                lies = joint.path.centre(fit.angles[i - 1])
            centre = fit.origin[above] + apply(fit.R[above], lies)
            body = next(body for body in model.chain if body.segment == segment)
            points[model.place("point", body.centre, side)] = np.where(seen_above[:, None], centre, np.nan)
        if not fitted.residuals:
            continue
        off = np.where(fitted.chain[i].weights > 0, fitted.residuals[i], np.nan)
        count = np.isfinite(off).sum(axis=1)
        rms = np.sqrt(np.nansum(off**2, axis=1) / np.maximum(count, 1))
        fits[of_frame] = (
            tuple(map(str, fitted.markers[i])),
            RigidFit(R, origin, np.where(seen & (count > 0), rms, np.nan), count),
        )
    return direct.with_poses(frames, points, fits, calibration, fitted)
