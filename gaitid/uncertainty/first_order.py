"""First-order propagation: the derivative of every column by every error, squared and summed (JCGM 100:2008, eq. 10).

The derivatives are forward differences of the computation itself with steps of micrometres and the like, so that they
hold for any model: calibration, frames, derivatives and dynamics are those of `run`. For errors of markers that change
over time, a column depends at each instant on the displacement of a marker and on its first two derivatives there:

    δy(t) = J0(t) δm(t) + J1(t) δm'(t) + J2(t) δm''(t)

One computation with the marker displaced all the time tells J0. It also tells how far each segment goes with the
marker, of which J1 and J2 follow by the rule for products (`_by_moves`). What depends on means over the trial (lengths,
the direction of walking) is left alone: the mean of soft tissue and noise is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from gaitid.analysis.pipeline import Pipeline
from gaitid.body.kinematics import spin_from_quaternion
from gaitid.numerics.rotation import quaternions
from gaitid.numerics.spline import spline_derivatives
from gaitid.trial import Array, IntArray
from gaitid.uncertainty.equations_of_motion import MOTIONS, EquationsOfMotion, Gradient
from gaitid.uncertainty.errors import Errors
from gaitid.uncertainty.features import FeatureGradient
from gaitid.uncertainty.groups import STEP_M, Group, jobs_of
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.shift import Shift
from gaitid.uncertainty.superposed import Superposed, sums_of
from gaitid.uncertainty.variances import Spread, Variances, moves_of

#: Which source its waves are of.
SKIN = "soft_tissue"
#: Of a standard deviation: steps of all other errors.
STEP = 1e-4
#: Periods of sine and cosine, frames.
PERIODS = (16, 40)
#: So many drawn tracks of each marker's noise stand for it where features are integrals: of some twenty markers that
#: make about as much the spread is known to 6 %, of one alone to 25 %.
NOISE_TRACKS = 8
#: Along three axes a displacement and its two derivatives.
_MOVES = 9


def propagate(perturbed: Perturbed, errors: Errors, features: bool = True) -> Spread:
    """Standard uncertainties by first order.

    Parameters
    ----------
    perturbed : Perturbed
    errors : Errors
        `gaitid.uncertainty.errors.errors_of` of the same result.
    features : bool
        Whether those of features are wanted too.
    """
    collected, equations = Variances(perturbed, features), EquationsOfMotion(perturbed)
    for error in errors.constant:
        if error.shift.of_segments:
            collected.add(error.source, equations.of_parameters(error.shift))
    sums = sums_of(perturbed, errors, collected, STEP)
    if errors.noise is not None or errors.rough or errors.waves or sums:
        _of_markers(perturbed, errors, collected, sums, motion_gradient(perturbed, equations))
    others = [error for error in errors.constant if not error.shift.of_segments]
    for group in sums:
        if group.holds(collected):
            collected.join(group.variances)
            others = [error for error in others if error not in group.errors]
    # those that move nothing go through fewer stages: the others first
    jobs = sorted(jobs_of(perturbed, others, errors.segment_of, STEP), key=lambda job: job.shift.moves_nothing)
    columns = perturbed.columns([job.shift.times(STEP) for job in jobs])
    for job, shifted in zip(jobs, columns, strict=True):
        change = (shifted - perturbed.unshifted) / STEP
        for error, mine in job.parts:
            own = np.where(np.isfinite(change), 0.0, change) if len(job.parts) > 1 else change
            own[:, mine] = change[:, mine]
            collected.add(error.source, own)
    return collected.spread({"method": "first_order", "computations": perturbed.count})


class _Together:
    """Markers of a segment that move alike: derivatives of a side's columns, and changes of features, summed."""

    def __init__(self, left: Iterable[str], J: Array) -> None:
        self.left = {*left}
        self.J = np.zeros_like(J)
        self.slopes: Array | float = 0.0


def _of_markers(
    perturbed: Perturbed, errors: Errors, collected: Variances, sums: Sequence[Superposed], gradient: Gradient | None
) -> None:
    """Errors of markers that change over time, marker by marker: derivatives of none are kept longer than needed."""
    rate_hz, n = perturbed.result.trial.rate_hz, perturbed.n_frames
    moves_by_label = _moves_of_waves(errors, rate_hz)
    together: dict[tuple[int, str], _Together] = {}
    random, drawn_of = np.random.default_rng(0), ("", np.zeros(0))
    sides_of = [part for group in errors.groups for part in group.parts]
    for parts in derivatives_of(perturbed, errors.groups, gradient):
        for label, side, J in parts:
            for group in sums:
                group.add(label, side, J)
            columns = perturbed.of_side[side]
            mine = [(i, wave) for i, wave in enumerate(errors.waves) if label in wave.labels]
            tracks = [moves_by_label[label]] if mine else []
            noise = errors.rough.get(label, errors.noise)
            if noise is not None:
                # of independent normal numbers: an axis's displacement and its derivatives
                root = np.kron(np.eye(3), np.linalg.cholesky(noise.covariance).T)[None]
                collected.add_of_tracks("marker_noise", J, columns, root)
                if drawn_of[0] != label:
                    raw = noise.drawn(random, (NOISE_TRACKS, n, 3), rate_hz)
                    drawn_of = label, moves_of(raw, rate_hz)
                tracks.append(drawn_of[1])
            slopes = _slopes(collected.gradient, J, columns, tracks)
            if noise is not None:
                collected.add_of_features("marker_noise", slopes.pop() / np.sqrt(NOISE_TRACKS))
            for i, wave in mine:
                moves, of_wave = wave.size_m * moves_by_label[label], wave.size_m * slopes[0]
                if len(wave.labels) == 1:
                    collected.add_of_tracks(SKIN, J, columns, moves)
                    collected.add_of_features(SKIN, of_wave)
                    continue
                if (i, side) not in together:
                    together[i, side] = _Together((of for of in wave.labels if (of, side) in sides_of), J)
                of_segment = together[i, side]
                of_segment.J += J
                of_segment.slopes = of_segment.slopes + of_wave
                of_segment.left.remove(label)
                if not of_segment.left:
                    del together[i, side]
                    collected.add_of_tracks(SKIN, of_segment.J, columns, moves)
                    collected.add_of_features(SKIN, np.asarray(of_segment.slopes))


def _moves_of_waves(errors: Errors, rate_hz: float) -> dict[str, Array]:
    """By label `moves_of` the waves of its segment, of 1 m."""
    segments = {id(wave.tracks_g): wave for wave in errors.waves}
    moves = {which: moves_of(wave.tracks_g, rate_hz) for which, wave in segments.items()}
    return {label: moves[id(wave.tracks_g)] for wave in errors.waves for label in wave.labels}


def wave_changes(
    perturbed: Perturbed, errors: Errors, over: Callable[[Array], Array]
) -> Iterator[tuple[str, list[Array]]]:
    """Of each wave of soft tissue whose it is, and for each of its tracks the change that it makes.

    Parameters
    ----------
    perturbed : Perturbed
    errors : Errors
    over : callable
        Of the change of all columns, (frames, columns), what is wanted of it: linear in it.
    """
    rate_hz, gradient = perturbed.result.trial.rate_hz, motion_gradient(perturbed)
    moves_by_label = _moves_of_waves(errors, rate_hz)
    every = [part for group in errors.groups for part in group.parts]
    left = [{part for part in every if part[0] in wave.labels} for wave in errors.waves]
    summed: dict[int, list[Array]] = {}
    for parts in derivatives_of(perturbed, errors.groups, gradient):
        for label, side, J in parts:
            change = np.zeros(perturbed.unshifted.shape)
            for i, wave in enumerate(errors.waves):
                if label not in wave.labels:
                    continue
                moves = wave.size_m * moves_by_label[label]
                for k in range(moves.shape[1]):
                    change[:, perturbed.of_side[side]] = np.einsum("fm,fmc->fc", moves[:, k], J)
                    of_track = over(change)
                    tracks = summed.setdefault(i, [])
                    if len(tracks) == k:
                        tracks.append(of_track)
                    else:
                        tracks[k] = tracks[k] + of_track
                left[i].remove((label, side))
                if not left[i]:
                    yield wave.words, summed.pop(i)


def _slopes(gradient: FeatureGradient | None, J: Array, columns: IntArray, tracks: Sequence[Array]) -> list[Array]:
    """(tracks, cycles, features) of each array of displacements; none of them where no features are wanted."""
    if gradient is None or not tracks:
        return [np.zeros((1, 1, 1)) for _ in tracks]
    known = np.where(np.isfinite(J), J, 0.0)
    ends = np.cumsum([of.shape[1] for of in tracks])
    return np.split(gradient.of_tracks(known, columns, np.concatenate(tracks, axis=1)), ends[:-1])


def derivatives(perturbed: Perturbed, group: Group, gradient: Gradient | None) -> Array:
    """(frames, 9, columns) of all columns by one group; as `derivatives_of`."""
    J = np.zeros((perturbed.n_frames, _MOVES, len(perturbed.names)))
    for _, side, of in next(derivatives_of(perturbed, [group], gradient)):
        J[:, :, perturbed.of_side[side]] = of
    return J


def derivatives_of(
    perturbed: Perturbed, groups: Sequence[Group], gradient: Gradient | None
) -> Iterator[list[tuple[str, str, Array]]]:
    """For each group its labels and sides, and (frames, 9, columns of the side) of these by the marker: along x J0, J1
    and J2, then along y and z.

    As many displacements as fit are computed at once; each array is valid until the next one is asked for.
    `gradient` is the `motion_gradient` of the perturbed.
    """
    if gradient is None:
        for group in groups:
            by_waves = derivatives_by_waves(perturbed, group)
            yield [(label, side, by_waves[:, :, perturbed.of_side[side]]) for label, side in group.parts]
        return
    n, columns = perturbed.unshifted.shape
    always = np.full((n, 1), STEP_M)
    shifts = [Shift(markers=dict.fromkeys(of.labels, always * along)) for of in groups for along in np.eye(3)]
    J = {side: np.zeros((n, 3, 3, len(of))) for side, of in perturbed.of_side.items()}
    axes, along = ((group, axis) for group in groups for axis in range(3)), []
    for again in perturbed.again(shifts, held=True):
        moved = (perturbed.columns_of(again).reshape(-1, n, columns) - perturbed.unshifted) / STEP_M
        motions = _motions_by_moves(perturbed, _moves_of(perturbed.still, again, len(moved)))
        for change, of_draw in zip(moved, motions, strict=True):
            group, axis = next(axes)
            along.append(of_draw)
            for side in {side for _, side in group.parts}:
                J[side][:, axis, 0] = change[:, perturbed.of_side[side]]
                if axis == 2:
                    which, moved_columns, by = gradient[side]
                    of_axes = np.concatenate(along, axis=1)[:, :, which]
                    moved_by = (of_axes @ by).reshape(n, 3, 2, -1)
                    for order in (0, 1):  # twice as fast as both at once
                        J[side][:, :, 1 + order][:, :, moved_columns] = moved_by[:, :, order]
            if axis == 2:
                yield [(label, side, J[side].reshape(n, _MOVES, -1)) for label, side in group.parts]
                along = []


def _moves_of(still: Pipeline, again: Pipeline, count: int) -> Array:
    """(draws, frames, segments, 7) by how much a displacement moves quaternions and centres of mass, over its size."""
    segments = still.body.segments
    n = still.body.geometry.n_frames
    moves = np.empty((count, n, len(segments), 7))
    for i, (key, of) in enumerate(segments.items()):
        moved = again.body.segments[key]
        q, q_moved = quaternions(of.pose.R_gs), quaternions(moved.pose.R_gs).reshape(count, n, 4)
        same = np.where(np.einsum("fi,dfi->df", q, q_moved) < 0, -1.0, 1.0)[..., None]
        moves[:, :, i, :4] = same * q_moved - q
        moves[:, :, i, 4:] = moved.com_g.reshape(count, n, 3) - of.com_g
    return moves / STEP_M


def _motions_by_moves(perturbed: Perturbed, moves: Array) -> Array:
    """(draws, frames, 2, segments × 12) of motions by the first and the second derivative of each displacement.

    Of a displacement m(t) of markers that moves a centre of mass by C m and a quaternion by Q m, the acceleration
    moves by C'' m + 2 C' m' + C m'', the velocity by C' m + C m', and angular velocity and acceleration by what q' and
    q'' move by likewise.
    """
    draws, n = moves.shape[:2]
    over_time = np.moveaxis(moves, 0, 1)  # (frames, draws, segments, 7)
    rates = spline_derivatives(over_time, perturbed.result.trial.rate_hz)[0]
    both = np.zeros((draws, n, 2, moves.shape[2], MOTIONS))
    for i, of in enumerate(perturbed.still.body.segments.values()):
        q = np.broadcast_to(quaternions(of.pose.R_gs)[:, None], (n, draws, 4))
        turn, dturn = (spin_from_quaternion(q, of_pose[:, :, i, :4]) for of_pose in (over_time, rates))
        by_first = np.concatenate([2 * rates[:, :, i, 4:], 2 * dturn, turn, over_time[:, :, i, 4:]], axis=2)
        both[:, :, 0, i] = np.moveaxis(by_first, 1, 0)
        both[:, :, 1, i, :6] = np.moveaxis(np.concatenate([over_time[:, :, i, 4:], turn], axis=2), 1, 0)
    both[~np.isfinite(both)] = 0.0  # beside what is not known columns are not known either
    return both.reshape(draws, n, 2, -1)


def motion_gradient(perturbed: Perturbed, equations: EquationsOfMotion | None = None) -> Gradient | None:
    """`EquationsOfMotion.motion_gradient`; None where angular velocities are not those of quaternions."""
    if perturbed.result.settings.angular_velocity == "single_entries":
        return None
    return (equations or EquationsOfMotion(perturbed)).motion_gradient()


def derivatives_by_waves(perturbed: Perturbed, group: Group) -> Array:
    """The same from displacements that go as sin ωt and cos ωt at two frequencies, whatever stages lie between."""
    result = perturbed.result
    n, rate_hz = perturbed.n_frames, result.trial.rate_hz
    J = np.empty((n, 3, 3, perturbed.unshifted.shape[1]))
    fast, slow = (2 * np.pi / period * rate_hz for period in PERIODS)
    angles = [2 * np.pi / period * np.arange(n)[:, None] for period in PERIODS]
    waves = [wave for angle in angles for wave in (np.sin(angle), np.cos(angle))]
    along = [wave * axis for axis in STEP_M * np.eye(3) for wave in waves]
    shifted = perturbed.columns([Shift(markers=dict.fromkeys(group.labels, track)) for track in along])
    apart = fast**2 - slow**2
    for axis in range(3):
        in_phase, in_quadrature = [], []
        for s, c in (waves[:2], waves[2:]):
            sine, cosine = ((next(shifted) - perturbed.unshifted) / STEP_M for _ in range(2))
            in_phase.append(sine * s + cosine * c)  # J0 − J2 ω²
            in_quadrature.append(sine * c - cosine * s)  # J1 ω
        J[:, axis, 0] = (in_phase[1] * fast**2 - in_phase[0] * slow**2) / apart
        J[:, axis, 1] = in_quadrature[0] / fast
        J[:, axis, 2] = (in_phase[1] - in_phase[0]) / apart
    return J.reshape(n, _MOVES, -1)
