"""Remake sample_data/ from the bundled scenarios: trials as laboratories store them, with their exact wrenches.

    python benchmarks/make_sample_data.py [FOLDER]

The same command gives the same bytes, tests/test_sample_data.py checks that; docs/simulate.md says what may differ
between processors.
"""

from __future__ import annotations

import sys
from pathlib import Path

from common import ROOT

from gaitid.simulate.files import simulate

# folder -> bundled scenario and options: a walk exact and as a laboratory would record it, and two of the mechanical
# systems, kept short.
SAMPLES: dict[str, tuple[str, dict[str, float]]] = {
    "walk": ("walk", {"duration": 3.0}),
    "walk_noisy": ("walk", {"duration": 3.0, "seed": 1, "marker_noise_mm": 0.3, "force_noise_N": 0.5}),
    "double_pendulum": ("double_pendulum", {"duration": 1.0}),
    "swing_leg": ("swing_leg", {"duration": 1.0}),
}


def make(folder: Path) -> None:
    """Write every sample below `folder`."""
    for name, (scenario, options) in SAMPLES.items():
        simulate(scenario, folder / name, **options)


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "sample_data")
