"""How sure each number is, on the page: bands about the curves, a table of peaks with their budgets."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import gaitid
from gaitid.report.gathering import load_results
from gaitid.report.page.sure import layers, standard_over_cycle, variance_over_cycle
from gaitid.uncertainty.sources import SOURCES

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk_noisy" / "walk.c3d"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sure")
    analysis = gaitid.analyse(WALK, model="pig", uncertainty=True)
    analysis.write(folder)
    return folder


def page(folder: Path) -> str:
    gaitid.load(folder / "walk.run.json").report(folder / "page.html")
    return (folder / "page.html").read_text(encoding="utf-8")


def test_the_page_says_how_sure_it_is(folder: Path) -> None:
    html = page(folder)
    assert "<h2>How sure</h2>" in html and 'data-value="sure"' in html
    assert html.count('class="sure" d="M') > 20
    record = json.loads((folder / "walk.run.json").read_text(encoding="utf-8"))
    for peak in record["uncertainty"]["peaks"]:
        assert peak["feature"].replace("_", " ") in html
        widths = [float(w) for w in re.findall(r'class="src s\d+" style="width:([\d.]+)%', html)]
    assert sum(widths) == pytest.approx(100 * len(record["uncertainty"]["peaks"]), rel=0.01)


def test_bands_are_those_of_the_table(folder: Path) -> None:
    """Half-way between two frames the cubic differs from both by little: the record's band is the table's, to 2 %."""
    (session,) = load_results([folder / "walk.run.json"])
    (result,) = session.results
    side, column = "left", "knee_flexion_deg"
    of_cycle = standard_over_cycle([result], side, column, 101)
    assert of_cycle is not None
    table = gaitid.load(folder / "walk.run.json").uncertainty
    of_frames = table[table["column"] == f"{side}_{column}"]["standard_uncertainty"].to_numpy()
    assert np.nanmin(of_frames) * 0.98 <= np.nanmin(of_cycle) and np.nanmax(of_cycle) <= np.nanmax(of_frames) * 1.02


def test_the_stacked_picture_is_as_high_as_the_uncertainty(folder: Path) -> None:
    """Layers one upon the other, each as high as its share of the variance, up to the standard uncertainty."""
    (session,) = load_results([folder / "walk.run.json"])
    results = session.results
    about = json.loads((folder / "walk.run.json").read_text(encoding="utf-8"))["uncertainty"]
    column = "hip_extension_moment_Nm_per_kg"
    found = layers(variance_over_cycle(results, "left", column))
    assert [[*SOURCES][i] for i, _, _ in found] == [
        s for s in SOURCES if s in about["cycle_shares_percent"]["left"][column]
    ]
    for (_, _, below), (_, low, high) in zip(found[:-1], found[1:], strict=True):
        np.testing.assert_array_equal(below, low)
        assert np.all((high >= low) | np.isnan(high))
    u = np.array(about["cycle"]["left"][column], dtype=float)
    known = np.isfinite(u)
    # shares are whole percents, every second one between two: 1 % of the variance for each of nine sources at most
    np.testing.assert_allclose(found[-1][2][known], u[known], rtol=0.03)
    html = page(folder)
    assert "The budget over the cycle" in html and html.count("standard uncertainty over the cycle, stacked") == 16
