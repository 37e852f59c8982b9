"""Remake sample_data/: two simulated walks with their exact wrenches.

    python benchmarks/make_sample_data.py [FOLDER]

The same command gives the same bytes on one machine; between machines the last digits of the sines may differ.
"""

from __future__ import annotations

import sys
from pathlib import Path

from gaitid.simulate import simulate

ROOT = Path(__file__).resolve().parents[1]

# folder -> options: one exact walk, one as a laboratory would record it.
SAMPLES: dict[str, dict[str, float]] = {
    "walk": {"duration": 3.0},
    "walk_noisy": {"duration": 3.0, "seed": 1, "marker_noise_mm": 0.3, "force_noise_N": 0.5},
}


def make(folder: Path) -> None:
    """Write every sample below `folder`."""
    for name, options in SAMPLES.items():
        simulate("walk", folder / name, **options)


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "sample_data")
