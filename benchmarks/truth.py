"""The tables of docs/accuracy.md about simulated walks, whose wrenches are known exactly.

python benchmarks/truth.py [--write]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from simulated_trials import Simulated, simulated_walk  # noqa: E402 - the tests' walk as a trial in memory

from gaitid.analysis.pipeline import analyse  # noqa: E402
from gaitid.analysis.result import Result  # noqa: E402
from gaitid.body.subject import SubjectFile  # noqa: E402
from gaitid.model.load import load_model  # noqa: E402
from gaitid.trial import Array  # noqa: E402

JOINTS = ("ankle", "knee", "hip")
RATES = (50, 100, 200, 400)
NOISES = (0.1, 0.3, 1.0)
CUTOFFS = ("none", "4", "5", "6", "7", "8", "10", "auto")


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
    lines = [
        "| camera rate | joint centres, m | rotations | force RMS, N | moment RMS, N·m | in swing: force | moment |",
        "|---|---|---|---|---|---|---|",
    ]
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
        lines.append(
            f"| {rate} Hz | {centre:.1g} | {turn:.1g} | {worst_rms(forces):.2g} | {worst_rms(moments):.2g} | "
            f"{worst_rms(swing_f):.2g} N | {worst_rms(swing_m):.2g} N·m |"
        )
    return lines


def noise_table() -> list[str]:
    """Through files and the command line, as a laboratory would: errors with noise on markers and plates."""
    head = "| marker noise | " + " | ".join(f"{c} Hz" if c[0].isdigit() else f"`{c}`" for c in CUTOFFS) + " |"
    lines = [head, "|---|" + "---|" * len(CUTOFFS)]
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
            lines.append(f"| {noise:g} mm | " + " | ".join(cells) + " |")
    return lines


def _gaitid(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "gaitid", *words], check=True)


def _columns(path: Path) -> tuple[list[str], Array]:
    names = path.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
    return names, np.genfromtxt(path, delimiter=",", skip_header=1)


def tables() -> str:
    """All tables as Markdown."""
    return "\n".join(
        [
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
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/accuracy.md")
    text = tables()
    print(text)
    if parser.parse_args().write:
        page = ROOT / "docs" / "accuracy.md"
        before, _, rest = page.read_text(encoding="utf-8").partition("<!-- simulated: begin -->")
        _, _, after = rest.partition("<!-- simulated: end -->")
        page.write_text(f"{before}<!-- simulated: begin -->\n{text}\n<!-- simulated: end -->{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
