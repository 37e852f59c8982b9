"""Ways to fill a gap of a marker, and by how much each errs where the same pattern is laid over what was seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np

from gaitid.numerics.masks import known_rows, quantile
from gaitid.numerics.rigid_fit import closest_rotations
from gaitid.numerics.rotation import apply, apply_transposed, norm
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Mask

# m²/s⁵. Density of the white jerk that a marker's motion is taken for (Wahba 1978, J R Stat Soc B 40:364-372: the
# smoothing spline is the estimate of such a motion). Fits simulated walks with known noise (docs/gaps.md).
JERK_DENSITY = 500.0
# Mock gaps, at least, that an error is estimated from.
MOCKS_MIN = 20
# Share of the mock gaps whose largest error stays within the error that is reported.
CONFIDENCE = 0.95
# Ways in which a fill is off that are stated, at most, and their least share of the variance of the first.
# And the fewest degrees of freedom: those of one gap.
MOST_MODES, LEAST_MODE, LEAST_FREEDOM = 3, 0.01, 3.0
# Partners of a rigid fit: three points are the fewest that fix a rotation (Söderkvist & Wedin 1993).
PARTNERS = 3
# Orders of the spline in the partners' frame; 1 blends linearly what the fit leaves at both ends of the gap, which is
# best where the partners are truly rigid, 3 follows a marker that moves steadily against them.
RIGID_ORDERS = (1, 2, 3)
# s beside a gap in which a line of order 1 turns from how the marker moves there: a kink is a blow to its segment (one
# frame beside an open gap cost 0.15 N·m/kg at the hip, with 0.02 to 0.06 s 0.02 to 0.04).
BENT_S = 0.03
# Further neighbours of a regression; its ridge, as a share of their variance (10 times more or less changes the errors
# of fills by a twentieth); orders of the spline of what it leaves; mock gaps, spread over the trial, that judge it.
CARRIERS, RIDGE, REGRESSION_ORDERS, REGRESSION_MOCKS = 12, 1e-3, (1, 3), 60


@frozen_dataclass(eq=False)
class _Way:
    """A way to fill a gap: the marker in a moving frame, and the order of the spline there."""

    method: str
    partners: tuple[str, ...]
    order: int
    R_gs: Array | None
    origin_g: Array | None

    def to_local(self, points_g: Array) -> Array:
        local = points_g if self.origin_g is None else points_g - self.origin_g
        return local if self.R_gs is None else apply_transposed(self.R_gs, local)

    def to_laboratory(self, local: Array, frames: slice) -> Array:
        turned = local if self.R_gs is None else apply(self.R_gs[frames], local)
        return turned if self.origin_g is None else turned + self.origin_g[frames]


class Hidden(NamedTuple):
    """A gap: all markers, whose it is, frames of it with its support and of itself, which are seen, λ, and `bent`."""

    markers: Mapping[str, Array]
    label: str
    window: slice
    frames: slice
    pattern: Mask
    smoothing: float
    bent: float

    @property
    def offset(self) -> int:
        """Of the gap in its window."""
        return int(self.frames.start - self.window.start)

    def weights(self, order: int) -> Array:
        """`spline_weights` of the gap; a line begins and ends as the marker moves."""
        missing, bent = self.frames.stop - self.frames.start, self.bent if order == 1 else 0.0
        return spline_weights(tuple(self.pattern.tolist()), missing, self.offset, order, self.smoothing, bent)


class Try(NamedTuple):
    """A way to fill a gap: its name, whom it follows, the spline's order, (frames, 3) positions, m, the errors of mocks
    (`mock_errors`), and how many mocks there are to draw from.
    """

    method: str
    partners: tuple[str, ...]
    order: int
    values: Array
    errors: Array
    mocks: int


def tries(hidden: Hidden, alone: bool, together: bool) -> Iterator[Try]:
    """Ways to fill a gap: by the marker itself where it may be filled alone, and by others where `together`."""
    if alone:
        yield _tried(hidden, _Way("spline", (), 3, None, None))
    if not together:
        return
    steady = _partners(hidden.markers, hidden.label, hidden.window)
    partners, further = steady[:PARTNERS], steady[PARTNERS : PARTNERS + CARRIERS]
    if partners:
        yield _tried(hidden, _Way("pattern", partners[:1], 3, None, hidden.markers[partners[0]]))
    if len(partners) == PARTNERS:
        frame = _rigid_motion(np.stack([hidden.markers[name] for name in partners], axis=1), hidden.window)
        for order in RIGID_ORDERS:
            yield _tried(hidden, _Way("rigid", partners, order, *frame))
        if further:
            yield from _regressions(hidden, _Way("regression", steady[: PARTNERS + CARRIERS], 0, *frame), further)


def _tried(hidden: Hidden, way: _Way) -> Try:
    weights, local = hidden.weights(way.order), way.to_local(hidden.markers[hidden.label])
    values = way.to_laboratory(weights @ local[hidden.window][hidden.pattern], hidden.frames)
    errors = mock_errors(local, hidden.pattern, weights, hidden.offset)
    return Try(way.method, way.partners, way.order, values, errors, errors.shape[2])


def _regressions(hidden: Hidden, way: _Way, further: tuple[str, ...]) -> Iterator[Try]:
    """The marker by ridge regression on further markers in its partners' frame, and what that leaves by the spline.

    How markers of a body go together in the rest of the trial tells where one of them is (Gløersen & Federolf 2016,
    PLoS ONE 11:e0152616). Each window, that of the gap and those of mocks, is told by all other frames.
    """
    local = way.to_local(hidden.markers[hidden.label])
    others = np.concatenate([way.to_local(hidden.markers[name]) for name in further], axis=1)
    known: Mask = np.isfinite(others).all(axis=1)
    both = known & known_rows(local)
    length, span = len(hidden.pattern), np.arange(len(hidden.pattern))
    count = np.cumsum(np.concatenate([[0], both]))
    starts = np.flatnonzero(count[length:] - count[:-length] == length)
    if len(starts) < MOCKS_MIN:
        return
    early = np.linspace(0, (len(starts) - 1) / 2, min(len(starts), REGRESSION_MOCKS) // 2).astype(int)
    some = np.concatenate([early, len(starts) - 1 - early[::-1]])  # the same backward in time
    mocks, starts = len(starts), np.append(starts[some], hidden.window.start)
    centre, middle = others[both].mean(axis=0), local[both].mean(axis=0)
    scale = np.full((len(others), 1), np.sqrt(np.mean((others[both] - centre) ** 2)))
    X = np.concatenate([others - centre, scale], axis=1)
    X[~known] = 0.0
    Y = np.where(both[:, None], local - middle, 0.0)
    windows = starts[:, None] + span  # (mocks and the gap, frames)
    of_X = np.where(both[:, None], X, 0.0)
    left_X, left_Y = of_X[windows], Y[windows]
    square = of_X.T @ of_X - np.swapaxes(left_X, 1, 2) @ left_X
    ridge = RIDGE * np.trace(of_X.T @ of_X) / X.shape[1] * np.eye(X.shape[1])
    factors = np.linalg.solve(square + ridge, of_X.T @ Y - np.swapaxes(left_X, 1, 2) @ left_Y)
    told = X[windows] @ factors + middle  # (mocks and the gap, frames, 3)
    rest, missing = local[windows] - told, hidden.offset + np.arange(hidden.frames.stop - hidden.frames.start)
    for order in REGRESSION_ORDERS:
        filled = hidden.weights(order) @ rest[:, hidden.pattern] + told[:, missing]
        errors = np.moveaxis(filled[:-1] - local[windows[:-1]][:, missing], 0, 2)  # (missing, 3, mocks)
        values = way.to_laboratory(filled[-1], hidden.frames)
        yield Try(way.method, way.partners, order, values, np.swapaxes(errors, 0, 1), mocks)


def _partners(markers: Mapping[str, Array], label: str, window: slice) -> tuple[str, ...]:
    """Markers seen all through the window, those first whose distance from this one varies least."""
    points, varies = markers[label], {}
    for name, others in markers.items():
        if name != label and np.isfinite(others[window]).all():
            distance = norm(points - others)
            varies[name] = distance[np.isfinite(distance)].std()
    return tuple(sorted(varies, key=varies.__getitem__))


# --- interpolation and its error ----------------------------------------------------------------------------


def smoothing_of(noise_m: float, rate_hz: float) -> float:
    """The noise's variance over that of the motion's third difference: λ of the smoothing spline (Wahba 1978)."""
    return noise_m**2 * rate_hz**5 / JERK_DENSITY


@lru_cache(maxsize=64)  # noise that blanks every other frame makes thousands of equal gaps
def spline_weights(
    seen_frames: tuple[bool, ...], missing: int, offset: int, order: int, smoothing: float, bent: float = 0.0
) -> Array:
    """(missing, seen) weights of the seen frames of a window in the missing ones from `offset` on.

    Of all sequences z, the one that makes Σ (z − y)² over the seen frames + λ Σ (Δⁿz)² least, n the order: the
    discrete smoothing spline (Whittaker 1923, Proc Edinb Math Soc 41:63-75; with gaps Eilers 2003, Anal Chem
    75:3631-3636, by weights of 0). It passes through the seen frames where they carry no noise and
    averages where they do. With `bent` Σ (bent² Δⁿ⁺²z)² is added: order 1 then goes on as the marker did, and is a line
    from about so many frames beside the gap on (a spline in tension; Schweikert 1966, J Math Phys 45:312-317).
    """
    pattern = np.array(seen_frames)
    differences = np.diff(np.eye(len(pattern)), order, axis=0)
    if bent:
        differences = np.concatenate([differences, bent**2 * np.diff(np.eye(len(pattern)), order + 2, axis=0)])
    seen, unseen = differences[:, pattern], differences[:, ~pattern]
    n, m = seen.shape[1], unseen.shape[1]
    # Unknown are r = (z − y)/√λ where seen and z where not: Σ r² + Σ (Δⁿ(y + √λ r))² stays well conditioned as λ → 0.
    # λ of the third order is carried over to the others at the same cut-off: (2 sin(ω/2))^(2n) = 1/λ.
    root = smoothing ** (order / 6)
    q, r = np.linalg.qr(np.block([[np.eye(n), np.zeros((n, m))], [root * seen, unseen]]))
    z = np.linalg.solve(r, q.T @ np.concatenate([np.zeros((n, n)), -seen]))[n:]
    start = int(np.count_nonzero(~pattern[:offset]))
    return np.asarray(z[start : start + missing])


def mock_error(local: Array, pattern: Mask, weights: Array, offset: int) -> float:
    """Quantile over mock gaps, m, of the largest distance between fill and truth; NaN where there are too few."""
    return largest_error(mock_errors(local, pattern, weights, offset))


def mock_errors(local: Array, pattern: Mask, weights: Array, offset: int) -> Array:
    """(3, missing, mocks) by how much fills of mock gaps differ from what was seen, m; of too few none.

    The pattern is laid over every run of frames of the same length in which everything was seen. Lengths are the same
    in a moving frame, so `local` will do.
    """
    count = np.cumsum(np.concatenate([[0], known_rows(local)]))
    start = np.flatnonzero(count[len(pattern) :] - count[: -len(pattern)] == len(pattern))[:, None]
    if len(start) < MOCKS_MIN:
        return np.zeros((3, len(weights), 0))
    axes = np.ascontiguousarray(local.T)  # each (frames,)
    seen, truth = (axes.take(start + of, axis=1) for of in (np.flatnonzero(pattern), offset + np.arange(len(weights))))
    errors = (seen.reshape(-1, seen.shape[2]) @ weights.T).reshape(truth.shape) - truth
    return np.swapaxes(errors, 1, 2)


def largest_error(errors: Array) -> float:
    """Of (3, missing, mocks) errors the quantile of the largest of each mock, m; NaN of none."""
    if not errors.shape[2]:
        return float("nan")
    return float(quantile((errors**2).sum(axis=0).max(axis=0) ** 0.5, CONFIDENCE))


def principal_errors(errors: Array, windows: float, noise_m: float) -> tuple[tuple[float, ...], ...]:
    """The principal components of (3, missing, mocks) errors, each axis alike, without the noise of what was seen.

    Mocks overlap: so many are independent as `windows` lie side by side. The variance of one error more is that of
    Student's t with three times as many degrees of freedom, ν / (ν − 2) times theirs.
    """
    n = errors.shape[2]
    if not n:
        return ()
    freedom = max(3 * windows, LEAST_FREEDOM)
    covariance = np.einsum("afm,agm->fg", errors, errors) / (3 * n) - noise_m**2 * np.eye(errors.shape[1])
    covariance *= freedom / (freedom - 2)
    variances, ways = np.linalg.eigh(covariance)
    most = [k for k in range(len(variances))[::-1][:MOST_MODES] if variances[k] > LEAST_MODE * max(variances[-1], 0.0)]
    return tuple(tuple((np.sqrt(variances[k]) * ways[:, k]).tolist()) for k in most)


# --- rigid fit ----------------------------------------------------------------------------------------------


def _rigid_motion(partners_g: Array, window: slice) -> tuple[Array, Array]:
    """Rotation (frames, 3, 3) and origin (frames, 3) of partners (frames, n, 3), laid over their mean shape.

    The shape is the mean of those at both ends of the window, one turned onto the other, so that time may run
    backward and nothing changes.
    """
    ends = partners_g[[window.start, window.stop - 1]]
    ends = ends - ends.mean(axis=1, keepdims=True)
    shape = (ends[0] + ends[1] @ _rotations(ends[1], ends[:1])[0].T) / 2
    origin_g = partners_g.mean(axis=1)
    return _rotations(shape, partners_g - origin_g[:, None]), origin_g


def _rotations(shape: Array, centred: Array) -> Array:
    """(frames, 3, 3) rotations that lay the shape (n, 3) best over centred points (frames, n, 3); NaN where unseen."""
    R = np.full((len(centred), 3, 3), np.nan)
    seen = known_rows(centred)
    R[seen] = closest_rotations(shape - shape.mean(axis=0), centred[seen])
    return R
