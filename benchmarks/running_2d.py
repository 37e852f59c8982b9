"""The planar running stride of the shared trials as plain CSV, for `gaitid run` (docs/accuracy.md).

    python benchmarks/running_2d.py FOLDER -o OUT

FOLDER holds ``all.kin`` and ``all.frc``; OUT gets ``running.csv`` (markers), ``running.forces.csv`` (a plate about its
origin), ``running.plates.yaml`` and ``subject.yaml``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

RATE_HZ = 10_000
LABELS = ("RHIP", "RKNEE", "RANKLE", "RTOE")
# m. The plate reaches beyond everywhere that the foot treads, so that no frame lies at an edge of it.
PLATES = """\
# One plate as large as the place, its surface the ground, its centre the laboratory's origin: x forward, z up.
plates:
  - number: 1
    corners_m: [[3, -1.5, 0], [-3, -1.5, 0], [-3, 1.5, 0], [3, 1.5, 0]]
    force_sense: reaction
    axes: laboratory
    moment_about: surface_centre
"""
SUBJECT = """\
# The data do not tell the body's mass, and the model does not need it: its table gives the segments' own.
# With `mass_kg: …` joints.csv has moments and powers per kg.
{}
"""


def convert(folder: Path, out: Path) -> list[Path]:
    """Write the four files and return their paths."""
    kin, frc = np.loadtxt(folder / "all.kin"), np.loadtxt(folder / "all.frc")
    time = np.arange(len(kin)) / RATE_HZ
    zero = np.zeros(len(kin))
    markers, names = [time], ["time_s"]
    for i, label in enumerate(LABELS):
        names += [f"{label}_{axis}_m" for axis in "xyz"]
        markers += [kin[:, 2 * i], zero, kin[:, 2 * i + 1]]
    fx, fz, cop = frc.T
    # the plate's origin is the laboratory's: M = r × F with r = (cop, 0, 0)
    forces = [time, fx, zero, fz, zero, 0.0 - cop * fz, zero]
    force_names = ["time_s", *(f"plate1_{a}{x}_{u}" for a, u in (("F", "N"), ("M", "Nm")) for x in "xyz")]
    texts = {
        "running.csv": _csv(names, markers),
        "running.forces.csv": _csv(force_names, forces),
        "running.plates.yaml": PLATES,
        "subject.yaml": SUBJECT,
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
    return [out / name for name in texts]


def _csv(names: list[str], columns: list[np.ndarray]) -> str:
    rows = [",".join(f"{v:.12g}" for v in row) for row in np.column_stack(columns).tolist()]
    return "\n".join([",".join(names), *rows]) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    for path in convert(given.folder, given.output):
        print(path)
