"""SEM and smallest detectable change from sessions of the same subjects."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gaitid
from gaitid.compare.comparison import compare
from gaitid.compare.page import changes_of
from gaitid.compare.repeatability import nested, repeatability, repeatability_lines
from gaitid.errors import GaitidError
from gaitid.report import Choices, write_report
from gaitid.uncertainty.repeatability import (
    CURVE,
    FEATURE,
    NUMBERS,
    Components,
    Repeatability,
    interval,
    read_repeatability,
    smallest_detectable_change,
)

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk_noisy" / "walk.c3d"


# --- variance components ----------------------------------------------------------------------------------------------


def drawn(sessions: list[int], between: float, within: float, random: np.random.Generator) -> list[np.ndarray]:
    """Sessions of one unit with so many cycles each, (cycles, 1)."""
    mean = 50 * random.standard_normal()
    return [
        mean + between * random.standard_normal() + within * random.standard_normal((cycles, 1)) for cycles in sessions
    ]


def test_components_of_an_unbalanced_design_are_found() -> None:
    """2,000 units: the estimates' own errors are 2 % of a variance."""
    random = np.random.default_rng(3)
    found = nested([drawn([2, 5, 3], 2.0, 1.5, random) for _ in range(2000)])
    assert found.between[0] == pytest.approx(4.0, rel=0.06)
    assert found.within[0] == pytest.approx(2.25, rel=0.06)
    assert found.freedom[0] == 4000
    assert found.cycles[0] == pytest.approx(3 / (1 / 2 + 1 / 5 + 1 / 3))


def test_the_smallest_detectable_change_is_weirs() -> None:
    assert smallest_detectable_change(2.0) == pytest.approx(1.96 * 2**0.5 * 2.0, rel=1e-4)


def test_an_interval_holds_what_it_promises() -> None:
    """A standard deviation from 8 degrees of freedom: its interval holds the truth in 95 of 100 (± 0.7 of 1,000)."""
    random = np.random.default_rng(1)
    shown = np.sqrt(random.chisquare(8, 20_000) / 8)
    low, high = interval(shown, 8.0)
    assert np.mean((low <= 1) & (high >= 1)) == pytest.approx(0.95, abs=0.005)


# --- the file ---------------------------------------------------------------------------------------------------------


def components(points: int, **given: float) -> Components:
    values = {name: np.full(points, given.get(name, np.nan)) for name in NUMBERS}
    return Components("deg", values)


def of_laboratory(shown: float, placed: float = 2.0, others: float = 0.5, freedom: float = 20.0) -> Repeatability:
    """Sessions that vary by `shown` where placement of 6 mm makes `placed`, and other errors `others`."""
    knee = components(
        101,
        degrees_of_freedom=freedom,
        sessions=freedom + 5,
        subjects=5.0,
        sd_between_sessions=shown,
        sd_within_session=1.0,
        predicted_standard_uncertainty=np.hypot(placed, others),
        predicted_by_marker_placement=placed,
        marker_placement_mm=6.0,
    )
    feature = components(1, degrees_of_freedom=freedom, sd_between_sessions=shown, sd_within_session=0.0)
    return Repeatability({"knee_flexion_deg": knee}, {"knee_flexion_angle_max_swing": feature})


def test_the_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path, before = tmp_path / "ours.csv", of_laboratory(1.2)
    path.write_text("".join(before.text), encoding="utf-8")
    after = read_repeatability(path)
    assert [*after.curves] == [*before.curves] and [*after.features] == [*before.features]
    for name in NUMBERS:
        np.testing.assert_allclose(
            after.curves["knee_flexion_deg"].numbers[name], before.curves["knee_flexion_deg"].numbers[name], rtol=1e-9
        )
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["percent"] for row in rows if row["kind"] == CURVE] == [str(p) for p in range(101)]
    assert [row["percent"] for row in rows if row["kind"] == FEATURE] == [""]


# --- from results -----------------------------------------------------------------------------------------------------


def of_sessions(folder: Path, off: dict[str, float]) -> Path:
    """Results of sessions of one subject: the noisy walk, whose left knee angle is off by so many degrees in each."""
    made = folder / "made"
    gaitid.analyse(WALK, model="pig").write(made)
    for session, degrees in off.items():
        place = folder / "sessions" / session
        place.mkdir(parents=True)
        for file in made.glob("walk.*"):
            text = file.read_text(encoding="utf-8")
            if file.suffixes[-2:] in ([".cycles", ".csv"], [".joints", ".csv"]):
                text = _with(text, "knee_flexion_deg", degrees)
            if file.name == "walk.features.csv":
                text = _with_features(text, degrees)
            (place / file.name).write_text(text, encoding="utf-8")
    return folder / "sessions"


def _with(text: str, column: str, degrees: float) -> str:
    header, *rows = [line.split(",") for line in text.splitlines()]
    at = [i for i, name in enumerate(header) if name in (column, f"left_{column}", f"right_{column}")]
    for row in rows:
        for i in at:
            row[i] = f"{float(row[i]) + degrees:.10g}" if row[i] else ""
    return "\n".join(",".join(row) for row in (header, *rows)) + "\n"


def _with_features(text: str, degrees: float) -> str:
    header, *rows = [line.split(",") for line in text.splitlines()]
    name, value = header.index("feature"), header.index("value")
    for row in rows:
        if row[name].startswith("knee_flexion_angle_") and "range" not in row[name] and row[value]:
            row[value] = f"{float(row[value]) + degrees:.10g}"
    return "\n".join(",".join(row) for row in (header, *rows)) + "\n"


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield of_sessions(tmp_path_factory.mktemp("repeated"), {"first": -3.0, "second": 0.0, "third": 3.0})


def test_sessions_that_are_three_degrees_apart(sessions: Path) -> None:
    """The variance of −3, 0 and 3 is 9, less what the cycles of a session let expect of their mean: of both sides,
    which have other numbers of cycles, to a percent."""
    found = repeatability([sessions])
    knee = found.curves["knee_flexion_deg"].numbers
    within, cycles = knee["sd_within_session"], knee["cycles"]
    np.testing.assert_allclose(knee["sd_between_sessions"] ** 2, 9 - within**2 / cycles, rtol=0.01)
    np.testing.assert_allclose(knee["sem"], 3.0, rtol=0.005)
    np.testing.assert_allclose(knee["smallest_detectable_change"], 1.96 * 2**0.5 * 3, rtol=0.005)
    assert (knee["subjects"] == 1).all() and (knee["sessions"] == 3).all()
    assert np.nanmax(found.curves["hip_flexion_deg"].numbers["sd_between_sessions"]) == 0.0
    peak = found.features["knee_flexion_angle_max_swing"].numbers
    assert peak["sem"][0] == pytest.approx(3.0, rel=0.005)
    assert any(line.startswith("knee flexion: SEM 3.0° (95 % ") for line in repeatability_lines(found))


def test_it_is_the_limit_of_compare(sessions: Path, tmp_path: Path) -> None:
    path, found = tmp_path / "ours.csv", repeatability([sessions])
    path.write_text("".join(found.text), encoding="utf-8")
    comparison = compare(sessions / "first", sessions / "third", way="cycle", sessions=path)
    assert comparison.sure is not None and "3 sessions, 1 subject)" in comparison.sure.words
    limits = comparison.sure.limits["left_knee_flexion_deg"]
    knee = found.curves["knee_flexion_deg"]
    (measured,) = (m for m in comparison.measured if m.column == "left_knee_flexion_deg")
    assert measured.bias == pytest.approx(6.0, abs=1e-6)
    t = 2.776445  # Student's of 4 degrees of freedom (two sides of three sessions), 97.5 %
    between, within = knee.numbers["sd_between_sessions"], knee.numbers["sd_within_session"]
    n = len(gaitid.load(sessions / "first" / "walk.run.json").cycles.query("side == 'left'")["cycle"].unique())
    np.testing.assert_allclose(limits, t * np.sqrt(2 * between**2 + 2 * within**2 / n), rtol=1e-6)
    with pytest.raises(GaitidError, match="two recordings"):
        compare(sessions / "first", sessions / "first", way="frames", sessions=path)


def test_a_page_lists_what_changed_between_named_sessions(tmp_path: Path) -> None:
    """Sessions 1° apart show what a change of 9° is: the knee's curve, and features of the knee alone."""
    apart = of_sessions(tmp_path / "alike", {"first": -0.5, "second": 0.5})
    path = tmp_path / "ours.csv"
    path.write_text("".join(repeatability([apart]).text), encoding="utf-8")
    both = of_sessions(tmp_path / "changed", {"before": 0.0, "after": 9.0})
    named = {"pre": [both / "before"], "post": [both / "after"]}
    (found,) = changes_of(named, sessions=path)
    assert (found.a, found.b, found.known) == ("pre", "post", True)
    assert {row.side for row in found.rows} == {"left", "right"}
    assert all(row.words.startswith("Knee flexion") and row.difference == "9" for row in found.rows)
    assert float(found.rows[0].b) - float(found.rows[0].a) == pytest.approx(9.0, abs=0.1)
    choices = Choices(named=named, changes=lambda: [found])
    page = write_report([*named["pre"], *named["post"]], tmp_path / "page.html", choices=choices)
    table = page.read_text(encoding="utf-8").split('aria-label="Changes from pre to post"')[1].split("</section>")[0]
    assert table.count('<td class="n clear"') == len(found.rows)
    (unknown,) = changes_of(named)
    assert not unknown.known and "--uncertainty" in unknown.words and not unknown.rows


def test_run_takes_the_placement_that_it_shows(tmp_path: Path) -> None:
    path = tmp_path / "ours.csv"
    path.write_text("".join(of_laboratory(np.hypot(1.0, 0.5)).text), encoding="utf-8")
    stated = gaitid.analyse(WALK, model="pig", uncertainty=True)
    ours = gaitid.analyse(WALK, model="pig", repeatability=path)  # which implies it
    mm: Any = ours.record["uncertainty"]["sources"]["marker_placement"]["coordinate_mm"]
    assert mm == pytest.approx(6 * ((4 + 20 / 4) / 24) ** 0.5, rel=1e-3)
    assert "sessions of this laboratory" in ours.record["uncertainty"]["sources"]["marker_placement"]["source"]
    column = "left_ankle_internal_rotation_deg"
    before, after = (
        float(np.nanmedian(np.array(r.record["uncertainty"]["cycle"]["left"]["ankle_internal_rotation_deg"], float)))
        for r in (stated, ours)
    )
    assert after < 0.9 * before, column
    assert any(entry["role"] == "repeatability" for entry in json.loads(json.dumps(ours.record["inputs"])))
    path.write_text("".join(of_laboratory(1.0, np.nan, np.nan).text), encoding="utf-8")
    with pytest.raises(GaitidError, match="--uncertainty"):
        gaitid.analyse(WALK, model="pig", repeatability=path)
