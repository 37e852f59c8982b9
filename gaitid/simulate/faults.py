"""What a laboratory adds to a trial: noise, plates that were not zeroed or drift, markers out of sight.

Only what is recorded has it; the truth has none.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.simulate.jet import Array
from gaitid.simulate.settings import ChainSettings, WalkSettings

#: Lever, m, on which noise, bias and drift of a plate's moments are those of its forces.
MOMENT_LEVER_M = 0.1


def noisy_markers(
    markers: Mapping[str, Array], settings: WalkSettings | ChainSettings, noise: np.random.Generator
) -> dict[str, Array]:
    """Markers (frames, 3), m, with white noise on every coordinate."""
    sigma_m = settings.marker_noise_mm * 1e-3
    return {label: p + sigma_m * noise.standard_normal(p.shape) for label, p in markers.items()}


def noisy_poses(poses: Mapping[str, tuple[Array, Array]], settings: WalkSettings) -> dict[str, tuple[Array, Array]]:
    """Poses with the noise of markers on their origins, and gaps as of markers, in all segments at once."""
    draw = np.random.default_rng((int(settings.seed), 3))
    sigma_m = settings.marker_noise_mm * 1e-3
    seen = with_gaps({"": np.zeros((settings.times_s.size, 1))}, settings)[""]
    return {
        label: (R + seen[..., None], origin + sigma_m * draw.standard_normal(origin.shape) + seen)
        for label, (R, origin) in poses.items()
    }


def noisy_channels(
    channels: Mapping[int, tuple[Array, Array]], settings: WalkSettings, noise: np.random.Generator
) -> dict[int, tuple[Array, Array]]:
    """Force and moment (samples, 3), N and N·m, of each plate with white noise on every component."""
    out = {}
    for number, (force, moment) in channels.items():
        f = force + settings.force_noise_N * noise.standard_normal(force.shape)
        lever = settings.force_noise_N * MOMENT_LEVER_M
        out[number] = (f, moment + lever * noise.standard_normal(moment.shape))
    return out


def biased_channels(
    channels: Mapping[int, tuple[Array, Array]], settings: WalkSettings
) -> dict[int, tuple[Array, Array]]:
    """Force and moment (samples, 3), N and N·m, of each plate with its bias and drift in directions of its own.

    The bias is what there is at the first sample; the drift goes on evenly from there.
    """
    if not (settings.plate_bias_N or settings.plate_drift_N_per_s):
        return dict(channels)
    draw = np.random.default_rng((int(settings.seed), 1))
    since = settings.analog_times_s[:, None]
    out = {}
    for number, (force, moment) in channels.items():
        way = draw.standard_normal((4, 3))
        way /= np.linalg.norm(way, axis=1, keepdims=True)
        f = settings.plate_bias_N * way[0] + settings.plate_drift_N_per_s * since * way[1]
        m = settings.plate_bias_N * way[2] + settings.plate_drift_N_per_s * since * way[3]
        out[number] = (force + f, moment + MOMENT_LEVER_M * m)
    return out


def with_gaps(markers: Mapping[str, Array], settings: WalkSettings | ChainSettings) -> dict[str, Array]:
    """Markers (frames, 3), m, NaN in random gaps; no marker gets a second one before all have one."""
    out = {label: p.copy() for label, p in markers.items()}
    draw = np.random.default_rng((int(settings.seed), 2))
    length, labels = int(settings.gap_frames), list(out)
    order = draw.permutation(len(labels))
    for k in range(int(settings.gap_count)):
        p = out[labels[order[k % len(labels)]]]
        first = int(draw.integers(len(p) - length + 1))
        p[first : first + length] = np.nan
    return out
