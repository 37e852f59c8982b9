"""Chains that do not walk: what is drawn of them, as run and as simulated, and what is refused."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from gaitid.cli.run import run_command
from gaitid.report import write_report
from gaitid.report.chain import Drawn, truth_drawn
from gaitid.report.chain.gather import run_drawn
from gaitid.report.gathering import load_result
from gaitid.report.panels import CHAIN_FIGURES
from gaitid.simulate.files import simulate

SCENARIOS = Path(__file__).parents[1] / "simulate" / "scenarios"
# A quintic spline's second derivative at 200 Hz, away from the ends (docs/simulate.md).
NEAR = 12


def run(arguments: Sequence[object]) -> None:
    result = CliRunner().invoke(run_command, [str(a) for a in arguments])
    assert result.exit_code == 0, result.output


def recorded(folder: Path, scenario: str, *options: object) -> Path:
    """A scenario simulated and analysed, with its loads; its ``run.json``."""
    stem = Path(scenario).stem
    loads = [w for f in sorted(folder.glob(f"{stem}.load.*.csv")) for w in ("--load", f"{f.name.split('.')[2]}={f}")]
    model = folder / f"{stem}.model.yaml"
    run([folder / f"{stem}.c3d", "--quiet", "--model", model, *loads, *options, "-o", folder / "results"])
    return folder / "results" / f"{stem}.run.json"


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pendulum")
    simulate("double_pendulum", folder, duration=1.0, rate_hz=200.0)
    recorded(folder, "double_pendulum", "--contributions", "--observer", "upper")
    return folder


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("robot")
    simulate(str(SCENARIOS / "whole_body.yaml"), folder, duration=0.5)
    recorded(folder, "whole_body.yaml")
    return folder


def both(folder: Path, stem: str) -> tuple[Drawn, Drawn]:
    """What is drawn of the result, and of the truth."""
    result = load_result(folder / "results" / f"{stem}.run.json", chains=True)
    return run_drawn(result), truth_drawn(folder / f"{stem}.truth.json")


def curves(drawn: Drawn, figure: str) -> dict[str, np.ndarray]:
    return {
        f"{panel.title} {curve.label}".strip(): curve.values
        for panel in drawn.figures[figure]
        for curve in panel.curves
    }


@pytest.mark.parametrize("name", ["pendulum", "robot"])
def test_sticks_of_a_run_lie_where_those_of_the_truth_do(name: str, request: pytest.FixtureRequest) -> None:
    stem = {"pendulum": "double_pendulum", "robot": "whole_body"}[name]
    run, truth = both(request.getfixturevalue(name), stem)
    sticks = {stick.name.replace("right ", ""): stick for stick in truth.sticks}
    assert {stick.name for stick in run.sticks} == {stick.name.replace("_", " ") for stick in truth.sticks}
    for stick in run.sticks:
        exact = next(s for n, s in sticks.items() if n.replace("_", " ") == stick.name)
        # m: markers are 32-bit floats, and a far end lies up to five times as far as they are apart
        assert np.abs(stick.start_g - exact.start_g).max() < 2e-6
        ends, exact_ends = (np.sort(np.stack(s.ends_g), axis=0) for s in (stick, exact))
        assert np.abs(ends - exact_ends).max() < 2e-6
        assert (stick.rooted, stick.free) == (exact.rooted, exact.free)


def test_curves_of_a_run_are_those_of_the_truth(pendulum: Path) -> None:
    run, truth = both(pendulum, "double_pendulum")
    inside = slice(NEAR, -NEAR)
    # °, °/s, J, N: 32-bit floats of 3e-5 mm divided by the square of 5 ms are 1 mm/s², of 2 kg some 0.01 N each way
    for figure, limit in (("coordinates", 1e-4), ("rates", 0.02), ("energies", 1e-3), ("forces", 0.06)):
        of_run, exact = curves(run, figure), curves(truth, figure)
        assert of_run.keys() == exact.keys()
        for label, values in of_run.items():
            assert np.abs(values - exact[label])[inside].max() < limit, (figure, label)
    assert np.abs(np.stack(list(curves(run, "torques").values()))[:, inside]).max() < 0.06  # nothing drives it, N·m
    whole = curves(truth, "energies")["kinetic + potential"]
    assert np.ptp(whole) < 5e-8  # J, of 32: both parts are printed with ten digits


def test_parts_sum_to_the_whole(pendulum: Path) -> None:
    run, _ = both(pendulum, "double_pendulum")
    for figure in ("contributions", "force_contributions"):
        for panel in run.figures[figure]:
            whole, *parts = (curve.values for curve in panel.curves)
            assert len(parts) > 2
            known = np.isfinite(whole)
            # parts below a thousandth of the largest are not drawn
            assert np.abs(sum(parts) - whole)[known].max() < 0.01 * max(np.abs(p[known]).max() for p in parts)


def test_a_page_has_every_figure_and_needs_no_other_file(pendulum: Path, tmp_path: Path) -> None:
    write_report([pendulum / "results"], tmp_path / "run.html")
    write_report([pendulum / "double_pendulum.truth.json"], tmp_path / "truth.html")
    run, truth = (tmp_path / f"{name}.html" for name in ("run", "truth"))
    for page, left_out in ((run.read_text("utf-8"), set()), (truth.read_text("utf-8"), {"torques"})):
        figures = re.findall(r'data-figure="(\w+)"', page)
        of_run_only = {"contributions", "force_contributions"} if left_out else set()
        assert figures == [name for name in CHAIN_FIGURES if name not in left_out | of_run_only]
        assert not re.search(r'(src|href)="(?!#)', page)
        assert page.count("<svg ") == page.count("</svg>")
        assert "time (s)" in page and "chain report</title>" in page
    assert "3D view" in run.read_text("utf-8") and "<canvas" in run.read_text("utf-8")
    assert "No drive and no friction acts." in truth.read_text("utf-8")


def test_without_its_trial_the_tables_are_drawn(pendulum: Path, tmp_path: Path) -> None:
    shutil.copytree(pendulum / "results", tmp_path / "elsewhere")
    path = tmp_path / "elsewhere" / "double_pendulum.run.json"
    path.write_text(path.read_text("utf-8").replace(str(pendulum), str(tmp_path / "nowhere")), "utf-8")
    drawn = run_drawn(load_result(path, chains=True))
    assert "stick" not in drawn.names and "energies" not in drawn.names
    assert {"coordinates", "forces", "moments"} <= set(drawn.names)
    assert "double_pendulum.c3d is not where it was" in drawn.remarks[0]
    assert np.abs(curves(drawn, "coordinates")["pivot turn x"][0] - 30) < 1e-4
