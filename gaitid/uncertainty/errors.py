"""Standard uncertainties and a result -> every error that its ingredients may have, as large as one of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.body.poses import segments_of_markers
from gaitid.body.resolve import COMPUTED
from gaitid.body.subject import key_of
from gaitid.markers.filtering import low_passed_alone
from gaitid.model.shapes import StoredFrame
from gaitid.model.specs import Model
from gaitid.numerics.lowpass import butterworth_coefficients, lowpass
from gaitid.numerics.masks import nearest_known
from gaitid.numerics.rotation import cross
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array
from gaitid.uncertainty.functional import axis_end_m, of_joint
from gaitid.uncertainty.groups import Group, groups_of
from gaitid.uncertainty.perturbed import Perturbed, cutoff_of
from gaitid.uncertainty.shift import Error, Shift
from gaitid.uncertainty.sources import OTHERWISE, SOURCES, Sources

#: Hz. Of a stride, where a trial has no whole one: soft tissue moves with it.
STRIDE_HZ = 0.9


class Wave(NamedTuple):
    """Soft tissue: a wave of some markers of a segment, in its axes.

    The displacement of each marker is `size_m` times a standard normal number times `track_g`, for each of three axes
    and, for the cosine and the sine of each harmonic, one track.

    Attributes
    ----------
    words : str
        Whose it is, as ``left thigh``, or a marker's label.
    labels : tuple of str
        Of the markers that move alike.
    size_m : float
        One standard deviation.
    tracks_g : (tracks, frames, 3) array
        Of all waves of one segment; unknown where that is.
    """

    words: str
    labels: tuple[str, ...]
    size_m: float
    tracks_g: Array


class Noise(NamedTuple):
    """White noise behind the run's filter: of each coordinate of each marker.

    Attributes
    ----------
    raw_m : float
        Standard deviation before the filter.
    covariance : (3, 3) array
        Behind it, of a coordinate in m with its first and second derivative as the splines take them.
    cutoff_hz : float or None
    """

    raw_m: float
    covariance: Array
    cutoff_hz: float | None

    def drawn(self, random: np.random.Generator, shape: tuple[int, int, int], rate_hz: float) -> Array:
        """(tracks, frames, 3) noise behind the filter, m."""
        raw = self.raw_m * random.standard_normal(shape)
        if self.cutoff_hz is None:
            return raw
        passed = np.moveaxis(lowpass(np.moveaxis(raw, 1, 0), self.cutoff_hz, rate_hz), 0, 1)
        return np.where(np.isfinite(passed), passed, 0.0)


@frozen_dataclass(eq=False)
class Errors:
    """All errors of one result.

    Attributes
    ----------
    constant : tuple of Error
    waves : tuple of Wave
    noise : Noise or None
        None where the markers were smoothed before they were stored and nothing is left to measure.
    rough : mapping of label to Noise
        Of the markers that carry much more than the others.
    segment_of : mapping of label to (side, segment)
    groups : tuple of Group
        All markers, in pairs where both legs can be done at once.
    stride_hz : float
    left_out : tuple of str
        What could not be taken into account, in words.
    """

    constant: tuple[Error, ...]
    waves: tuple[Wave, ...]
    noise: Noise | None
    rough: Mapping[str, Noise]
    segment_of: Mapping[str, tuple[str, str]]
    groups: tuple[Group, ...]
    stride_hz: float
    left_out: tuple[str, ...]


class OverTrial(NamedTuple):
    """What is decided over a whole trial: with which segment each marker moves, and how often strides follow, Hz."""

    segment_of: Mapping[str, tuple[str, str]]
    stride_hz: float


def over_trial(perturbed: Perturbed) -> OverTrial:
    """That of the trial of a perturbed."""
    result = perturbed.result
    return OverTrial(segments_of_markers(result.body, result.markers.filtered), _stride_hz(perturbed))


def errors_of(sources: Sources, perturbed: Perturbed, over: OverTrial | None = None) -> Errors:
    """Every error of the ingredients of a result.

    Parameters
    ----------
    sources : Sources
    perturbed : Perturbed
        Of the result.
    over : OverTrial, optional
        Of the trial of which the result is a part.
    """
    result = perturbed.result
    segment_of, stride_hz = over or over_trial(perturbed)
    left_out: list[str] = []
    carries = bool(result.body.geometry.calibration is not None and result.body.geometry.calibration.places)
    calibration = result.body.geometry.calibration
    if carries and perturbed.static is None and calibration is not None:
        instead = "the walk's own mean" if calibration.source == "" and calibration.chain_source else "a subject file"
        left_out.append(
            f"where the anatomical markers were put in the static, and measurements that joints follow from: {instead} "
            "stands for it"
        )
    groups = tuple(groups_of(perturbed, segment_of))
    if _hip_of_the_walk(perturbed):
        left_out.append("the hip's centre: without a static its place in the chain of joints is a mean of the walk")
    if any(side.trunk_angles for side in result.sides.values()):
        left_out.append("the angles of thorax and spine: no errors of the trunk's markers are stated")
    if perturbed.estimate is not None and not sources.sizes["estimated_loads"]["times"]:
        left_out.append("errors of the loads that were estimated from the motion: the file states no estimated_loads")
    if result.applied_loads:
        left_out.append("errors of the loads that files gave (--load)")
    constant = [
        *(() if carries and perturbed.static is None else _placement(sources, perturbed, segment_of, groups)),
        *_hip(sources, perturbed),
        *_measurements(sources, perturbed),
        *(error for source in SOURCES.values() if source.errors for error in source.errors(sources, perturbed)),
        *of_markerless(sources, perturbed, segment_of),
    ]
    noise, rough = _noise(sources, perturbed)
    if noise is None and sources.noise_m is None:
        left_out.append("noise that was smoothed away before the markers were stored, and what that took with it")
    waves = tuple(_waves(sources, perturbed, segment_of, stride_hz))
    return Errors(tuple(constant), waves, noise, rough, segment_of, groups, stride_hz, tuple(left_out))


def _roles(perturbed: Perturbed) -> dict[str, str]:
    """The role of each label."""
    model = perturbed.result.model
    return {label: role for side, role in model.roles for label in model.labels(role, side)}


def _placement(
    sources: Sources, perturbed: Perturbed, segment_of: Mapping[str, tuple[str, str]], groups: Sequence[Group]
) -> Iterator[Error]:
    """Of anatomical markers, in the axes of their segments: in the walk, in the static, and in what follows from that.

    A marker of the static that is still there in the walk lies on the same wrong place of the skin; what the static
    gives, places or angles, is found again with it.
    """
    placement, roles, segments = sources.placement_m, _roles(perturbed), perturbed.still.body.segments
    static = perturbed.session.static if perturbed.session else None
    estimates = estimated(perturbed.result.model, sources)
    pairs = [[*group.labels] for group in groups]
    if static is not None:
        of_static = (*static.model.roles, *static.model.calibration_roles)
        roles |= {label: role for side, role in of_static for label in static.model.labels(role, side)}
        estimates |= estimated(static.model, sources)
        # where the model carries places over, a calibration is made again for each marker alone
        pairs = [] if perturbed.static is not None else pairs
        paired = {label for pair in pairs for label in pair}
        pairs += [[label] for label in static.tracks if label not in paired]
    for pair in pairs if placement else ():
        labels = [label for label in pair if _anatomical(label, roles, estimates, sources)]
        size = axis_end_m(perturbed.result.subject, static, labels, sources.knee_axis_rad) or min(
            (sources.placement_of.get(roles.get(label, ""), placement) for label in labels), default=placement
        )
        standing = {
            label: _standing_axes(static, perturbed, label, segment_of)
            for label in labels
            if static is not None and label in static.tracks
        }
        for axis in range(3 if labels else 0):
            walk = {
                label: size * nearest_known(segments[segment_of[label]].pose.R_gs)[:, :, axis]
                for label in labels
                if label in segment_of
            }
            in_static = {label: size * R[:, axis] for label, R in standing.items()}
            shift = Shift(walk, in_static, numbers=perturbed.follow(in_static, {}))
            words = f"{' and '.join(f'{roles.get(label, label)} ({label})' for label in labels)}, {'xyz'[axis]}"
            yield Error("marker_placement", words, shift)


def _anatomical(label: str, roles: Mapping[str, str], estimates: Collection[str], sources: Sources) -> bool:
    """Whether it matters where on the bone a marker is; an estimate of a point was put nowhere."""
    role = roles.get(label, "")
    return role not in sources.placement_except and "cluster" not in role and label not in estimates


def _standing_axes(
    static: Geometry, perturbed: Perturbed, label: str, segment_of: Mapping[str, tuple[str, str]]
) -> Array:
    """(3, 3) axes of a marker's segment as it stands in the static; the laboratory's for one that the walk lacks."""
    if label not in segment_of:
        return np.eye(3)
    side, segment = segment_of[label]
    model = perturbed.result.model
    spec = next((spec for spec in model.chain if spec.segment == segment), None)
    frame = model.base.frame if spec is None else spec.frame
    R = static.frame(frame, side).R_gs
    known = np.isfinite(R).all(axis=(1, 2))
    if not known.any():
        return np.eye(3)
    u, _, vt = np.linalg.svd(R[known].mean(axis=0))
    return np.asarray(u @ vt)


def hip_method(perturbed: Perturbed) -> str:
    """How the model finds the hip's centre, in a word of configs/uncertainty; empty where it has no such choice."""
    chosen = perturbed.result.model.choices.get("hip_centre")
    return "" if chosen is None else chosen.option


def _hip_of_the_walk(perturbed: Perturbed) -> bool:
    """Whether a chain of joints carries the hip as the walk itself shows it on average: nothing is there to shift."""
    return perturbed.result.model.pose is not None and perturbed.static is None


def _hip(sources: Sources, perturbed: Perturbed) -> Iterator[Error]:
    """Of the centre of the most proximal joint, in the axes of the base."""
    model = perturbed.result.model
    size = sources.hip_m.get(hip_method(perturbed), sources.hip_m.get(OTHERWISE, 0.0))
    if not size or not model.touches_ground or _hip_of_the_walk(perturbed) or estimated(model, sources):
        return  # an estimated hip has an error of its own
    # a regression misses both sides by the same; a functional trial is of one, and may be less sure than published
    own = perturbed.result.subject.functional if hip_method(perturbed) == "functional" else {}
    for sides in [(side,) for side in perturbed.sides] if own else [perturbed.sides]:
        error_m = max(size, *(1e-3 * of_joint(own, f"{side}_hip", "standard_error_mm") for side in sides))
        named = " ".join((*sides, model.chain[-1].joint)) if own else model.chain[-1].joint
        for axis in range(3):
            offset = error_m * np.eye(3)[axis]
            centres = {model.place("point", model.chain[-1].centre, side): offset for side in sides}
            yield Error("hip_centre", f"{named}, {'xyz'[axis]} of the {model.base.segment}", Shift(centres=centres))


def _measurements(sources: Sources, perturbed: Perturbed) -> Iterator[Error]:
    """Each by itself, with what a static computes from it; an angle that a static's markers tell has their errors."""
    measured = perturbed.result.subject.measured
    for measurement in perturbed.result.model.subject.values():
        size = sources.measurements.get(key_of(measurement, ""), 0.0)
        names = [name for name in measured if name.rpartition(".")[2] == measurement.name]
        if size and names and all(np.isfinite(measured[name].value) for name in names):
            for name in names:
                if not measured[name].source.startswith(COMPUTED):
                    shift = Shift(numbers=perturbed.follow({}, {name: size}))
                    yield Error("measurements", name.replace(".", " "), shift)


def _stride_hz(perturbed: Perturbed) -> float:
    """Strides in a second: the mean of the trial's, or `STRIDE_HZ`."""
    durations = [stride.cycle.duration_s for stride in perturbed.result.gait.strides]
    return 1 / float(np.mean(durations)) if durations else STRIDE_HZ


def _waves(
    sources: Sources, perturbed: Perturbed, segment_of: Mapping[str, tuple[str, str]], stride_hz: float
) -> Iterator[Wave]:
    time = perturbed.result.trial.time_s[perturbed.frames] - _left_strike_s(perturbed, stride_hz)
    gains = [_gain(k * stride_hz, perturbed) for k in range(1, len(sources.harmonics) + 1)]
    waves = np.stack(
        [
            gain * np.sqrt(share) * wave(2 * np.pi * k * stride_hz * time)
            for k, (share, gain) in enumerate(zip(sources.harmonics, gains, strict=True), start=1)
            for wave in (np.cos, np.sin)
        ]
    )
    estimates = estimated(perturbed.result.model, sources)
    for place, segment in perturbed.still.body.segments.items():
        sizes = sources.soft_tissue.get(place[1])
        labels = tuple(label for label, of in segment_of.items() if of == place and label not in estimates)
        if sizes is None or not labels:
            continue
        axes = np.moveaxis(segment.pose.R_gs, 2, 0)  # (3 axes, frames, 3)
        tracks = (waves[:, None, :, None] * axes[None]).reshape(-1, len(time), 3)
        if sizes.together_m:
            yield Wave(" ".join(place).strip(), labels, sizes.together_m, tracks)
        if sizes.each_m:
            yield from (Wave(label, (label,), sizes.each_m, tracks) for label in labels)


def _left_strike_s(perturbed: Perturbed, stride_hz: float) -> float:
    """When a left foot strikes, so that one wave is the same in two walks; half a stride before a right one else."""
    by_side = {stride.cycle.side: stride.cycle.strike.time_s for stride in reversed(perturbed.result.gait.strides)}
    return by_side.get("left", by_side.get("right", 0.0) - 0.5 / stride_hz)


def _gain(frequency_hz: float, perturbed: Perturbed) -> float:
    """What the run's filter lets through of a wave."""
    cutoff, rate_hz = cutoff_of(perturbed), perturbed.result.trial.rate_hz
    if cutoff is None:
        return 1.0
    return float(_response(np.array([2 * np.pi * frequency_hz / rate_hz]), cutoff, rate_hz)[0])


def _response(w: Array, cutoff_hz: float, rate_hz: float) -> Array:
    """Gain of both passes of the low-pass at angular frequencies, rad a sample."""
    b, a = butterworth_coefficients(cutoff_hz, rate_hz)
    z = np.exp(-1j * np.outer(w, np.arange(3)))
    return np.asarray(np.abs(z @ b) ** 2 / np.abs(z @ a) ** 2)


def _noise(sources: Sources, perturbed: Perturbed) -> tuple[Noise | None, dict[str, Noise]]:
    """As measured or given, of most markers and of those that carry much more."""
    result, raw = perturbed.result, sources.noise_m
    quality, rate_hz = result.markers.quality, result.trial.rate_hz
    rough_mm: Mapping[str, float] = quality.get("rough_markers_mm", {}) if raw is None else {}
    if raw is None:
        raw = quality.get("marker_noise_mm", np.nan) * 1e-3
    alone = low_passed_alone(rough_mm, result.settings, rate_hz)
    cutoff = cutoff_of(perturbed)
    rough = {
        label: _behind_filter(mm * 1e-3, result.settings.raw_cutoff_hz if label in alone else cutoff, rate_hz)
        for label, mm in rough_mm.items()
    }
    # less than that was smoothed before: `SMOOTHED_BELOW_MM`
    return _behind_filter(raw, cutoff, rate_hz) if raw > 2e-6 else None, rough


def _behind_filter(raw_m: float, cutoff_hz: float | None, rate_hz: float) -> Noise:
    """White noise behind the filter: the integral over all frequencies of what it and the splines let through.

    The interpolating quintic spline's derivatives respond to exp(iwt) by these (from the B-spline's sampled values and
    derivatives; Unser 1993, IEEE Trans Signal Process 41:821-833).
    """
    w = (np.arange(4096) + 0.5) * np.pi / 4096
    power = np.ones_like(w) if cutoff_hz is None else _response(w, cutoff_hz, rate_hz) ** 2
    values = (66 + 52 * np.cos(w) + 2 * np.cos(2 * w)) / 120
    first = rate_hz * (20 * np.sin(w) + 2 * np.sin(2 * w)) / 24 / values
    second = rate_hz**2 * (-6 + 4 * np.cos(w) + 2 * np.cos(2 * w)) / 6 / values
    covariance = np.zeros((3, 3))
    covariance[0, 0], covariance[1, 1], covariance[2, 2] = (np.mean(power * g) for g in (1, first**2, second**2))
    covariance[0, 2] = covariance[2, 0] = np.mean(power * second)
    return Noise(raw_m, raw_m**2 * covariance, cutoff_hz)


# --- markerless: constant in the trial, in the axes of the segment ----------------------------------------------------

#: Segments whose length is their axis z: what turns them about it shows least in pictures.
_LONG = ("thigh", "shank")


def estimated(model: Model, sources: Sources) -> frozenset[str]:
    """Labels that are no markers on skin: of key points, and all of a model that takes poses from the file."""
    points, stored = sources.markerless.points, bool(_poses(model))
    return frozenset(
        label for side, role in model.roles if stored or role in points for label in model.labels(role, side)
    )


def of_markerless(sources: Sources, perturbed: Perturbed, segment_of: Mapping[str, tuple[str, str]]) -> Iterator[Error]:
    """Each key point off along each axis of its segment; each pose turned about each and shifted along it."""
    result, sizes = perturbed.result, sources.markerless
    model, body = result.model, perturbed.still.body
    tracks = body.geometry.tracks
    poses = _poses(model)
    for side, role in model.roles:
        for label in model.labels(role, side):
            if label not in segment_of or label not in tracks:
                continue
            R = nearest_known(body.segments[segment_of[label]].pose.R_gs)
            of_poses = {point for pose in poses for point in pose}
            alone = sizes.origin_m if poses and role not in of_poses else 0.0  # of a pose only its origin is taken
            size = sizes.point_m if role in sizes.points else alone
            for axis in range(3 if size else 0):
                shift = Shift(markers={label: size * R[:, :, axis]})
                yield Error("markerless", f"{role} ({label}), {'xyz'[axis]}", shift)
            pose = next((pose for pose in poses if role == pose.origin), None)
            if pose is not None:
                parts = {of: tracks[of] for point in pose for of in model.labels(str(point), side) if of in tracks}
                yield from _of_pose(f"{side} {role}".strip(), segment_of[label], parts, tracks[label], R, sources)


def _of_pose(
    words: str, place: tuple[str, str], parts: Mapping[str, Array], origin: Array, R: Array, sources: Sources
) -> Iterator[Error]:
    """Turned about its origin, and shifted with all its points."""
    sizes = sources.markerless
    for axis, letter in enumerate("xyz"):
        turn = sizes.about_length_rad if place[1] in _LONG and letter == "z" else sizes.turn_rad
        along = R[:, :, axis]
        if turn:
            turned = {label: turn * cross(along, track - origin) for label, track in parts.items()}
            yield Error("markerless", f"{words} turned about {letter}", Shift(markers=turned))
        if sizes.origin_m:
            moved = dict.fromkeys(parts, sizes.origin_m * along)
            yield Error("markerless", f"{words} along {letter}", Shift(markers=moved))


def _poses(model: Model) -> list[StoredFrame]:
    """Those that the model takes from the file."""
    frames = (frame for scope in (model.middle, model.each_side) for frame in scope.frames.values())
    return [frame for frame in frames if isinstance(frame, StoredFrame)]
