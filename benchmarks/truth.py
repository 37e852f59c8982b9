"""The tables of docs/accuracy.md about simulated walks, whose wrenches are known exactly.

python benchmarks/truth.py [--write]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from common import head, parser_of, row, show
from simulated_trials import Simulated, simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.trial import Array

JOINTS = ("ankle", "knee", "hip")
RATES = (50, 100, 200, 400)
NOISES = (0.1, 0.3, 1.0)
CUTOFFS = ("none", "6", "7", "10", "auto")


def analysed(walk: Simulated, **settings: object) -> Result:
    return analyse(walk.trial, load_model("pig", settings), SubjectFile())


def wrench_errors(walk: Simulated, result: Result) -> tuple[Array, Array]:
    """Force and moment errors of all joints, (frames, 18) each, NaN where empty."""
    forces, moments = [], []
    for side, leg in result.sides.items():
        for joint in JOINTS:
            true_f, true_m = walk.truth.wrench[side, joint]
            forces.append(leg.wrenches[joint].f_g - true_f)
            moments.append(leg.wrenches[joint].m_g - true_m)
    return np.hstack(forces), np.hstack(moments)


def worst_rms(errors: Array) -> float:
    """Largest RMS of a column over the filled frames."""
    return float(np.sqrt(np.nanmean(errors**2, axis=0)).max())


def rate_table() -> list[str]:
    errors = ("force RMS, N", "moment RMS, N·m", "in swing: force, N", "moment, N·m")
    lines = head("camera rate", "joint centres, m", "rotations", *errors)
    for rate in RATES:
        walk = simulated_walk(rate_hz=float(rate), analog_rate_hz=2000.0)
        result = analysed(walk, cutoff_hz="none")
        forces, moments = wrench_errors(walk, result)
        centre = max(
            float(np.abs(leg.joints_g[j] - walk.truth.joint_g[f"{s}_{j}"]).max())
            for s, leg in result.sides.items()
            for j in JOINTS
        )
        turn = max(
            float(np.abs(m.R_gs - walk.truth.rotation[f"{s}_{name}"]).max())
            for s, leg in result.sides.items()
            for name, m in leg.motions.items()
        )
        in_air = {s: leg.load.state == 0 for s, leg in result.sides.items()}
        keep = np.hstack([np.repeat(in_air[s][:, None], 9, axis=1) for s in result.sides])
        swing_f, swing_m = np.where(keep, forces, np.nan), np.where(keep, moments, np.nan)
        parts = (worst_rms(of) for of in (forces, moments, swing_f, swing_m))
        lines.append(row(f"{rate} Hz", f"{centre:.1g}", f"{turn:.1g}", *(f"{of:.2g}" for of in parts)))
    return lines


def noise_table() -> list[str]:
    """Through files and the command line, as a laboratory would: errors with noise on markers and plates."""
    lines = head("marker noise", *(f"{c} Hz" if c[0].isdigit() else f"`{c}`" for c in CUTOFFS))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for noise in NOISES:
            _gaitid("simulate", "walk", "-o", str(folder), "--seed", "3", "--marker-noise-mm", str(noise), "-q")
            _, truth = _columns(folder / "walk.truth.wrenches.csv")
            cells = []
            for cutoff in CUTOFFS:
                _gaitid("run", str(folder / "walk.c3d"), "--model", "pig", "--cutoff", cutoff, "-o", str(folder), "-q")
                names, values = _columns(folder / "walk.wrenches.csv")
                errors = values - truth
                force = [i for i, n in enumerate(names) if "_force_global" in n and "ground" not in n]
                moment = [i for i, n in enumerate(names) if "_moment_global" in n]
                cells.append(f"{worst_rms(errors[:, force]):.2g} N, {worst_rms(errors[:, moment]):.2g} N·m")
            lines.append(row(f"{noise:g} mm", *cells))
    return lines


def _gaitid(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "gaitid", *words], check=True)


def _columns(path: Path) -> tuple[list[str], Array]:
    names = path.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
    return names, np.genfromtxt(path, delimiter=",", skip_header=1)


def main() -> None:
    given = parser_of(__doc__, "accuracy").parse_args()
    lines = [
        "### Without noise, `--cutoff none`, in memory",
        "",
        "Largest difference of joint centres and of entries of the rotation matrices; largest RMS error of a "
        "component of the joint forces and moments over the filled frames, and over the swing frames alone.",
        "",
        *rate_table(),
        "",
        "### With noise on the markers, 100 Hz, through C3D and the command line",
        "",
        "Largest RMS error of a component of the joint forces and moments, by `--cutoff`; `auto` is the default.",
        "",
        *noise_table(),
    ]
    show(lines, given.write, "accuracy", "simulated")


if __name__ == "__main__":
    main()
