"""Chains that do not walk: what is drawn of them, as run and as simulated, and what is refused."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from gaitid.analysis.joint_power import energies
from gaitid.cli.run import command as run_command
from gaitid.errors import GaitidError
from gaitid.report import Choices, write_report
from gaitid.report.chain import Drawn, chosen_frames, truth_drawn, views_of
from gaitid.report.chain.gather import run_drawn
from gaitid.report.panels import CHAIN_FIGURES, Request
from gaitid.report.result import load_result
from gaitid.report.scene.describe import described
from gaitid.report.scene.moving import seen_of
from gaitid.simulate.files import simulate

SCENARIOS = Path(__file__).parents[1] / "simulate" / "scenarios"
ROOT = Path(__file__).parents[2]
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


def test_energies_are_those_of_a_body_by_hand(pendulum: Path) -> None:
    truth = truth_drawn(pendulum / "double_pendulum.truth.json")
    q, w = (np.stack(list(curves(truth, f).values()), axis=1) * np.pi / 180 for f in ("coordinates", "rates"))
    a, b, p, r = q[:, 0], q[:, 0] + q[:, 1], w[:, 0], w[:, 0] + w[:, 1]
    # bars of 1 m and 1 kg, I = 1/3 about the ends: T = ½ (4/3) ω₁² + ½ (1/3) ω₂² + ½ ω₁ ω₂ cos(θ₁ − θ₂)
    kinetic = 2 / 3 * p**2 + r**2 / 6 + p * r * np.cos(a - b) / 2
    potential = 9.81 * (2 * 2.2 - 1.5 * np.cos(a) - 0.5 * np.cos(b))
    found = curves(truth, "energies")
    assert np.abs(found["kinetic"] - kinetic).max() < 1e-7
    assert np.abs(found["potential (0 at height 0)"] - potential).max() < 1e-7


def test_parts_sum_to_the_whole(pendulum: Path) -> None:
    run, _ = both(pendulum, "double_pendulum")
    for figure in ("contributions", "force_contributions"):
        for panel in run.figures[figure]:
            whole, *parts = (curve.values for curve in panel.curves)
            assert len(parts) > 2
            known = np.isfinite(whole)
            # parts below a thousandth of the largest are not drawn
            assert np.abs(sum(parts) - whole)[known].max() < 0.01 * max(np.abs(p[known]).max() for p in parts)


def test_views(pendulum: Path, robot: Path) -> None:
    flat, solid = both(pendulum, "double_pendulum")[1], both(robot, "whole_body")[1]
    assert [view.labels for view in views_of(flat)] == [("y (m)", "z (m)")]
    assert [view.labels for view in views_of(solid)] == [("x (m)", "y (m)"), ("x (m)", "z (m)")]
    assert chosen_frames(flat, 5) == [0, 50, 99, 149, 199]  # of 200, the nearest to four equal steps


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


@pytest.mark.parametrize(("format", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_pictures(pendulum: Path, tmp_path: Path, format: str, begins: bytes) -> None:
    truth = pendulum / "double_pendulum.truth.json"
    choices = Choices(Request(("stick", "energies"), "single"))
    write_report([truth], tmp_path / f"one.{format}", choices=choices)
    one = (tmp_path / f"one.{format}").read_bytes()
    assert one.startswith(begins)
    write_report([truth], tmp_path / f"again.{format}", choices=choices)
    assert (tmp_path / f"again.{format}").read_bytes() == one
    (tmp_path / "each").mkdir()
    write_report([truth], tmp_path / "each", format, choices=choices)
    assert sorted(path.name for path in (tmp_path / "each").iterdir()) == [f"energies.{format}", f"stick.{format}"]


def test_words_of_a_picture_are_text(pendulum: Path, tmp_path: Path) -> None:
    write_report([pendulum / "double_pendulum.truth.json"], tmp_path / "all.svg")
    words = re.findall(r">([^<>]+)</text>", (tmp_path / "all.svg").read_text("utf-8"))
    for label in ("y (m)", "z (m)", "time (s)", "angle (°)", "rate (°/s)", "energy (J)", "force (N)", "moment (N·m)"):
        assert label in words


def test_without_its_trial_the_tables_are_drawn(pendulum: Path, tmp_path: Path) -> None:
    shutil.copytree(pendulum / "results", tmp_path / "elsewhere")
    path = tmp_path / "elsewhere" / "double_pendulum.run.json"
    path.write_text(path.read_text("utf-8").replace(str(pendulum), str(tmp_path / "nowhere")), "utf-8")
    drawn = run_drawn(load_result(path, chains=True))
    assert "stick" not in drawn.names and "energies" not in drawn.names
    assert {"coordinates", "forces", "moments"} <= set(drawn.names)
    assert "double_pendulum.c3d is not where it was" in drawn.told[0]
    assert np.abs(curves(drawn, "coordinates")["pivot turn x"][0] - 30) < 1e-4


def test_every_free_end_has_a_place_of_its_own_in_the_3d_view(robot: Path) -> None:
    seen = seen_of(load_result(robot / "results" / "whole_body.run.json", chains=True)).moving
    assert seen is not None
    content = json.loads(described(seen, "r0", "robot", 10**7))
    far = [bone["ends"][1] for bone in content["bones"] if content["ends"][bone["ends"][1]]["name"] == "end"]
    assert len(far) == 4 == len(set(far))  # of two eyes and two forearms


def test_energies_of_a_run_with_a_load(robot: Path) -> None:
    result = load_result(robot / "results" / "whole_body.run.json", chains=True)
    again = seen_of(result).moving
    assert again is not None
    found, truth = energies(again.result), curves(both(robot, "whole_body")[1], "energies")
    assert np.abs(found.kinetic_J - truth["kinetic"])[NEAR:-NEAR].max() < 1e-3
    assert np.abs(found.potential_J - truth["potential (0 at height 0)"]).max() < 1e-4


def test_what_is_refused_is_one_line(pendulum: Path, robot: Path, tmp_path: Path) -> None:
    truth, page = pendulum / "double_pendulum.truth.json", tmp_path / "page.html"
    for paths, output, options, words in (
        ([truth], page, {"norms": "schwartz2008"}, "--norms is of gait, and this is a chain"),
        ([truth], page, {"choices": Choices(by="trial")}, "--by is of gait"),
        (
            [truth],
            tmp_path / "a.png",
            {"choices": Choices(Request(("powers",)))},
            "nothing to draw of powers; expected",
        ),
        ([truth], tmp_path / "a.png", {"choices": Choices(Request(("stik",)))}, "no figure 'stik'"),
        ([truth, robot], tmp_path / "a.png", {}, "2 chains, and a picture is of one"),
        ([robot / "whole_body.csv"], page, {}, "not a result"),
    ):
        with pytest.raises(GaitidError, match=re.escape(words)):
            write_report(paths, output, **options)  # type: ignore[arg-type]
    bad = tmp_path / "walk.truth.json"
    bad.write_text("{}", "utf-8")
    with pytest.raises(GaitidError, match="not the truth of a mechanical system"):
        write_report([bad], page)
    assert not page.exists() and not (tmp_path / "a.png").exists()
