"""The files that docs/chains.md links, as a reader would use them: simulated, analysed, drawn, their limits taken."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from gaitid.cli.mechanics import capacity_command as capacity
from gaitid.cli.results import report_command as report
from gaitid.cli.run import run_command as run
from gaitid.simulate.files import simulate

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
# 60 frames of each: their rates are 100, 100 and 200 Hz.
SECONDS = {"arm": 0.6, "robot": 0.6, "limb": 0.3}
TIPS = {"arm": ("hand_end", "--plane", "xz"), "robot": ("l_fore_end",)}


def called(command: object, *arguments: object) -> None:
    done = CliRunner().invoke(command, [str(a) for a in arguments])  # type: ignore[arg-type]
    assert done.exit_code == 0, done.output


def columns(path: Path) -> dict[str, np.ndarray]:
    with path.open(encoding="utf-8", newline="") as file:
        names, *rows = list(csv.reader(file))
    values = np.array([[float(cell) if cell else np.nan for cell in row] for row in rows]).T
    return dict(zip(names, values, strict=True))


@pytest.mark.parametrize("name", ["arm", "robot", "limb"])
def test_a_system_from_yaml_to_picture(name: str, tmp_path: Path) -> None:
    sim, results = tmp_path / "sim", tmp_path / "results"
    simulate(EXAMPLES / f"{name}.yaml", sim, duration=SECONDS[name])
    model = sim / f"{name}.model.yaml"
    loads = [w for f in sorted(sim.glob("*.load.*.csv")) for w in ("--load", f"{f.name.split('.')[2]}={f}")]
    assert bool(loads) == (name != "robot")
    called(run, sim / f"{name}.c3d", "--model", model, *loads, "--contributions", "-o", results, "--quiet")
    found, truth = columns(results / f"{name}.wrenches.csv"), columns(sim / f"{name}.truth.wrenches.csv")
    for column in truth.keys() - {"frame", "time_s"}:
        # N and N·m: the spline's error away from the ends, and 32-bit floats of a C3D
        np.testing.assert_allclose(found[column][15:-15], truth[column][15:-15], rtol=0, atol=0.05, err_msg=column)
    called(report, results, "-o", tmp_path / "page.html", "--quiet")
    called(report, sim, "-o", tmp_path / "sheet.svg", "--quiet")
    assert (tmp_path / "page.html").stat().st_size > 50_000 and (tmp_path / "sheet.svg").stat().st_size > 50_000
    if name in TIPS:
        limits = EXAMPLES / f"{name}.limits.yaml"
        tip, *more = TIPS[name]
        asked = ["--model", model, "--limits", limits, "--endpoint", tip, *more, "--picture", 30, "-o", results]
        called(capacity, sim / f"{name}.csv", *asked, "--quiet")
        table = columns(results / f"{name}.capacity.csv")
        m = 2 if more else 3
        volume = f"right_{tip}_polytope_{'area_m2_per_s4' if m == 2 else 'volume_m3_per_s6'}"
        assert (table[volume][10:-10] > 0).all() and (table[f"right_{tip}_polytope_rank"][10:-10] == m).all()
        assert (results / f"{name}.capacity.png").stat().st_size > 5000
