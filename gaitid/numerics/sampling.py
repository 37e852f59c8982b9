"""A fast signal at the instants of the cameras."""

from __future__ import annotations

import numpy as np

from gaitid.trial import Array, IntArray

# Instants at once: what they need stays small.
_BLOCK = 512


def sample_centred_mean(values: Array, rate_hz: float, camera_hz: float, n_frames: int, start_s: float = 0.0) -> Array:
    """Mean of the samples within half a camera interval of each instant: Plug-in Gait's reading of a plate.

    ± ⌊k/2⌋ samples, k the ratio of the rates (11 samples at 1000/100 Hz); fewer at the ends of the trial. Sample 0
    was taken `start_s` after the first frame.

    Returns
    -------
    (n_frames, columns) array
    """
    k = rate_hz / camera_hz
    half = int(np.floor(k / 2 + 1e-9))
    total = np.zeros((n_frames, values.shape[1]))
    count = np.zeros((n_frames, 1))
    nearest = np.rint(np.arange(n_frames) * k - start_s * rate_hz).astype(int)
    for tap in range(-half, half + 1):
        index = nearest + tap
        inside = (index >= 0) & (index < len(values))
        total[inside] += values[index[inside]]
        count[inside] += 1
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(total / np.where(count > 0, count, np.nan))


def sample_local_quadratic(
    values: Array, rate_hz: float, camera_hz: float, n_frames: int, start_s: float = 0.0
) -> Array:
    """Value at each camera instant of the quadratic that fits the samples within one camera interval of it best.

    A least-squares fit around each instant (Savitzky & Golay 1964, here at true instants, so that the rates
    need no common factor): its passband is flat to the fourth order, where a plain mean rounds off a peak to
    the second. Samples within one interval on either side; −3 dB at about half the camera rate. Sample 0 was taken
    `start_s` after the first frame.

    Returns
    -------
    (n_frames, columns) array
        NaN at an instant with fewer than three samples about it.
    """
    k = rate_hz / camera_hz
    if k >= 2 and k == int(k) and start_s == 0:
        return _local_quadratic_whole(values, int(k), n_frames)
    return _local_quadratic(values, k, np.arange(n_frames, dtype=np.float64) * k - start_s * rate_hz)


def _local_quadratic_whole(values: Array, k: int, n_frames: int) -> Array:
    """The same where k samples make a frame: one set of weights for all frames but those at the ends."""
    result = np.empty((n_frames, values.shape[1]))
    inner_end = min(n_frames, (len(values) - 1 - k) // k + 1)  # frames before this have a whole window
    ends = np.concatenate([np.arange(min(1, n_frames)), np.arange(max(1, inner_end), n_frames)])
    result[ends] = _local_quadratic(values, k, ends * k)
    if inner_end > 1:
        u = np.arange(-k, k + 1) / k
        design = np.stack([np.ones_like(u), u, u**2], axis=1)
        weights = np.linalg.solve(design.T @ design, design.T)[0]
        windows = np.lib.stride_tricks.sliding_window_view(values, 2 * k + 1, axis=0)[::k][: inner_end - 1]
        result[1:inner_end] = windows @ weights
    return result


def _local_quadratic(values: Array, k: float, instants: Array | IntArray) -> Array:
    """The value at each instant (in samples) of the quadratic that fits the samples around it; any ratio k."""
    blocks = [instants[start : start + _BLOCK] for start in range(0, len(instants), _BLOCK)]
    return np.concatenate([np.empty((0, values.shape[1])), *(_quadratics(values, k, block) for block in blocks)])


def _quadratics(values: Array, k: float, instants: Array | IntArray) -> Array:
    """`_local_quadratic` of a few instants: arrays below are (samples around it, instants)."""
    n_frames = len(instants)
    reach = int(np.floor(k + 1e-9)) + 1
    index = np.rint(instants).astype(int) + np.arange(-reach, reach + 1)[:, None]
    u = (index - instants) / k
    use = (index >= 0) & (index < len(values)) & (np.abs(u) <= 1 + 1e-9)
    # sum: one after the other, so that a value does not depend on how many instants are asked for
    moments = np.array([sum(np.where(use, u**power, 0.0)) for power in range(5)])
    normal = moments[np.add.outer(range(3), range(3))].transpose(2, 0, 1)
    enough = moments[0] >= 3
    weights = np.full((n_frames, 3), np.nan)
    if enough.any():
        weights[enough] = np.linalg.solve(normal[enough], np.broadcast_to(np.eye(3)[0][:, None], (enough.sum(), 3, 1)))[
            ..., 0
        ]
    w = np.where(use, weights[:, 0] + weights[:, 1] * u + weights[:, 2] * u**2, 0.0)
    samples = np.where(use[..., None], values[np.clip(index, 0, len(values) - 1)], 0.0)
    result = np.asarray(sum(w[..., None] * samples))
    result[~enough] = _between_samples(values, instants[~enough])
    return result


def _between_samples(values: Array, at: Array) -> Array:
    """On the line between the two samples around each (fractional) index; NaN beyond the first and the last."""
    low = np.clip(np.floor(at).astype(int), 0, max(len(values) - 2, 0))
    high = np.minimum(low + 1, len(values) - 1)
    share = (at - low)[:, None]
    inside = (at >= 0) & (at <= len(values) - 1)
    return np.where(inside[:, None], (1 - share) * values[low] + share * values[high], np.nan)
