"""Pictures for papers: sizes, text, the same bytes every time, and that what is drawn is what was measured."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from gaitid.drawing import SIDES
from gaitid.errors import GaitidError
from gaitid.norms import Band
from gaitid.report import Choices, write_report
from gaitid.report.gathering import load_results
from gaitid.report.lines import Line, members_of, side_lines
from gaitid.report.panels import PANELS, Request
from gaitid.report.pictures import compose
from gaitid.report.pictures.draw import draw_panel, layout_for

ROOT = Path(__file__).resolve().parents[3]
Walk = Callable[..., Path]
Table = Callable[[Sequence[str]], Path]
KNEE = PANELS["knee_flexion_deg"]
POWER = PANELS["ankle_power_W_per_kg"]


def a_line(panel_impact: bool = False) -> Line:
    whole = np.array([np.full(101, 1.0), np.full(101, 3.0)])
    impact = np.zeros(101, dtype=bool)
    impact[:5] = panel_impact
    sd = whole.std(axis=0, ddof=1)
    return Line(
        "left",
        "left",
        0,
        whole.mean(axis=0),
        sd,
        whole,
        np.empty((0, 101)),
        impact,
        np.empty((0, 101), dtype=bool),
        60.0,
    )


def drawn(line: Line, band: Band | None = None, cycles: bool = False) -> Figure:
    figure = Figure()
    axes = figure.add_axes((0.1, 0.1, 0.8, 0.8))
    draw_panel(axes, POWER, [line], band, layout_for(90, 1), cycles)
    return figure


def test_the_mean_that_is_drawn_is_that_of_the_cycles(walk: Walk) -> None:
    (member,) = members_of(load_results([walk("a", cycles=5)]))
    left = side_lines(member, KNEE.column)[0]
    values = member.basis.sides["left"].curves.columns[KNEE.column]
    assert np.allclose(left.mean, values.mean(axis=0)) and np.allclose(left.sd, values.std(axis=0, ddof=1))
    line = drawn(left).axes[0].lines[1]  # after that of zero
    assert np.allclose(line.get_ydata(), values.mean(axis=0))
    assert line.get_color() == SIDES["left"][0]


def test_an_impact_is_drawn_apart_and_does_not_stretch_the_axis() -> None:
    line = a_line(panel_impact=True)
    line.mean[:5] = 100.0
    axes = drawn(line).axes[0]
    assert axes.get_ylim()[1] < 10
    sound, struck = axes.lines[1], axes.lines[2]
    assert np.isnan(np.asarray(sound.get_ydata())[:5]).all() and np.isfinite(np.asarray(sound.get_ydata())[5:]).all()
    assert np.flatnonzero(np.isfinite(np.asarray(struck.get_ydata()))).tolist() == list(range(6))
    assert (struck.get_alpha(), sound.get_alpha()) == (0.6, None)


def known_in_part(part: np.ndarray, impact: slice = slice(0)) -> Line:
    nothing, struck = np.full(101, np.nan), np.zeros((1, 101), dtype=bool)
    struck[:, impact] = True
    none = np.empty((0, 101))
    return Line("left", "left", 0, nothing, nothing, none, part, np.zeros(101, dtype=bool), struck, np.nan)


def test_what_is_known_in_part_only_is_drawn_with_its_gaps() -> None:
    part = np.full((1, 101), np.nan)
    part[0, 20:30], part[0, 50] = 2.0, 3.0
    line = known_in_part(part)
    _, curve, dots = drawn(line).axes[0].lines
    assert np.flatnonzero(np.isfinite(np.asarray(curve.get_ydata()))).tolist() == [*range(20, 30), 50]
    assert np.asarray(dots.get_xdata()).tolist() == [50]


def test_the_band_of_the_norm_is_one_sd() -> None:
    band = Band(np.array([0.0, 100.0]), np.array([2.0, 2.0]), np.array([0.5, 0.5]), 9)
    box = drawn(a_line(), band).axes[0].collections[0].get_paths()[0].get_extents()
    assert (box.y0, box.y1) == (1.5, 2.5)


def test_the_same_results_give_the_same_bytes_in_any_process(walk: Walk, tmp_path: Path) -> None:
    result, files = walk("a"), {}
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        for format in ("svg", "pdf"):
            words = [sys.executable, "-m", "gaitid", "report", str(result), "-o", f"f.{format}", "--figure", "powers"]
            env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
            subprocess.run(words, cwd=folder, env=env, check=True, capture_output=True)
            files.setdefault(format, set()).add((folder / f"f.{format}").read_bytes())
    assert {format: len(of_format) for format, of_format in files.items()} == {"svg": 1, "pdf": 1}
    pdf = files["pdf"].pop()
    assert b"/CreationDate" not in pdf and b"/Producer" not in pdf and b"/Type3" not in pdf
    assert "over cycles".encode("utf-16-be") in pdf  # the caption goes with the file


def test_sessions_have_a_page_of_a_pdf_for_each_side(walk: Walk, tmp_path: Path) -> None:
    results = [walk("before"), walk("after")]
    pdf = write_report(results, tmp_path / "s.pdf").read_bytes()
    assert len(re.findall(rb"/Type /Page\b", pdf)) == 2
    figure = write_report(results, tmp_path / "f.pdf", choices=Choices(Request(("powers",)))).read_bytes()
    assert len(re.findall(rb"/Type /Page\b", figure)) == 1
    text = write_report(results, tmp_path / "f.svg", choices=Choices(Request(("powers",)))).read_text(encoding="utf-8")
    assert {"Left", "Right", "before (4 cycles)", "after (4 cycles)"} <= set(re.findall(r">([^<>]+)</text>", text))


def test_of_a_group_each_subject_counts_once(walk: Walk, table: Table) -> None:
    walk("A", cycles=2, extra=0.0)
    walk("B", cycles=8, extra=10.0)
    sessions = load_results([table(["A/walk,A,,", "B/walk,B,,"])])
    picture = compose(sessions, Request(("knee_flexion",)), "none")
    left = picture.blocks[0].lines(KNEE.column)[0]
    means = [m.basis.sides["left"].mean(KNEE.column).mean for s in sessions for m in members_of([s])]
    assert np.allclose(left.mean, np.mean(means, axis=0)) and left.subjects == ("A", "B")
    assert picture.counted == "subject"


def refusal(results: list[Path], output: Path, picture: Request | None = None, format: str | None = None) -> str:
    with pytest.raises(GaitidError) as caught:
        write_report(results, output, format, choices=Choices(picture))
    assert "\n" not in caught.value.line()
    return caught.value.line()


def test_refusals_are_one_line(walk: Walk, tmp_path: Path) -> None:
    result = walk("a")
    assert "a page has all figures" in refusal([result], tmp_path / "f.html", Request(("powers",)))
    assert "is a folder; expected a file" in refusal([result], tmp_path, Request(("powers",)))
    assert "nothing to draw of hip_power" in refusal([result], tmp_path / "f.png", Request(("hip_power",)))
    gone = tmp_path / "gone.run.json"
    assert "no figure" in refusal([gone], tmp_path / "f.png", Request(("x",)))  # before anything is read
    assert not list(tmp_path.glob("f.*"))
