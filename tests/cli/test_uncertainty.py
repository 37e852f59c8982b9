"""`gaitid run --uncertainty`: its files, its record, its refusals."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from terminal import NOISY, Done, assert_refused
from terminal import gaitid as command

import gaitid


def gaitid_run(*words: object) -> Done:
    return command("run", *words)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_has_a_row_for_every_frame_and_column(sure: Path) -> None:
    table = rows(sure / "walk.uncertainty.csv")
    assert list(table[0]) == ["frame", "column", "standard_uncertainty", "low_95", "high_95"]
    wide = {name: rows(sure / f"walk.{name}.csv") for name in ("wrenches", "joints")}
    names = [n for of in wide.values() for n in of[0] if n not in ("frame", "time_s")]
    assert len(table) == len(names) * len(wide["joints"])
    values = {row["frame"]: row | other for row, other in zip(wide["wrenches"], wide["joints"], strict=True)}
    for row in table:
        value = values[row["frame"]][row["column"]]
        assert bool(value) == bool(row["standard_uncertainty"]), row
        if value:
            assert float(row["low_95"]) - 1e-6 <= float(value) <= float(row["high_95"]) + 1e-6


def test_features_and_record_have_it_too(sure: Path) -> None:
    for row in rows(sure / "walk.features.csv"):
        if row["standard_uncertainty"]:
            assert row["value"] and float(row["low_95"]) <= float(row["value"]) <= float(row["high_95"])
    record = json.loads((sure / "walk.run.json").read_text(encoding="utf-8"))
    about = record["uncertainty"]
    assert about["method"] == "first_order" and about["hip_centre"] == "davis"
    assert about["sources"]["hip_centre"]["source"].startswith("Davis")
    assert any(entry["role"] == "uncertainty" for entry in record["inputs"])
    assert {"left_hip_extension_moment_Nm_per_kg", "right_knee_flexion_deg"} <= about["columns"].keys()


def test_a_run_without_it_takes_the_table_away(sure: Path, tmp_path: Path) -> None:
    shutil.copytree(sure, tmp_path, dirs_exist_ok=True)
    assert (tmp_path / "walk.uncertainty.csv").is_file()
    assert gaitid_run(NOISY, "--model", "pig", "-o", tmp_path).code == 0
    assert not (tmp_path / "walk.uncertainty.csv").exists()
    record = json.loads((tmp_path / "walk.run.json").read_text(encoding="utf-8"))
    assert "uncertainty" not in record


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gaitid_uncertainty: 1\nsources:\n  hip_center: {coordinate_mm: {davis: 3}}\n", "did you mean 'hip_centre'"),
        ("gaitid_uncertainty: 1\nsources:\n  timing: {frames: 1}\n", "sources.timing.source: missing"),
        ("gaitid_uncertainty: 1\nsources:\n  timing: {frames: -1, source: us}\n", "from 0 to 20"),
        ("gaitid_uncertainty: 1\nmethod: bootstrap\nsources: {}\n", "expected first_order or monte_carlo"),
        ("gaitid_uncertainty: 1\nsources:\n  measurements: {leg_length: 10, source: us}\n", "with its unit"),
        ("gaitid_uncertainty: 1\nsources:\n  soft_tissue: {harmonics: [0.7, 0.7], source: us}\n", "whose sum is 1"),
        ("gaitid_model: 1\n", "gaitid_uncertainty: 1"),
        ("gaitid_uncertainty: 1\nsources: {}\n", "no error is stated"),
        ("gaitid_uncertainty: 1\nsources:\n  timing: {frames: 0, source: us}\n", "no error is stated"),
        ("gaitid_uncertainty: 1\nsources:\n  measurements: {mass_kg: 900, source: us}\n", "from 0 to 50"),
        (
            "gaitid_uncertainty: 1\nsources:\n  measurements: {leg_lenght_mm: 9, source: us}\n",
            "did you mean 'leg_length_mm'",
        ),
        ("gaitid_uncertainty: 1\nsources:\n  hip_centre: {coordinate_mm: {davies: 9}, source: us}\n", "'davis'"),
        (
            "gaitid_uncertainty: 1\nsources:\n  marker_placement: {coordinate_mm: 6, except: [none], source: us}\n",
            "sources.marker_placement.except: 'none' is known neither to model pig",
        ),
    ],
)
def test_a_wrong_file_is_one_line(text: str, says: str, tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(text, encoding="utf-8")
    done = gaitid_run(NOISY, "--model", "pig", "-o", tmp_path / "out", "--uncertainty", own)
    assert_refused(done, says)
    assert not (tmp_path / "out").exists()


def test_from_python(sure: Path) -> None:
    r = gaitid.analyse(NOISY, model="pig", uncertainty=True)
    assert len(r.uncertainty) == len(rows(sure / "walk.uncertainty.csv"))
    assert {"standard_uncertainty", "low_95", "high_95"} <= set(r.features.columns)
    stored = gaitid.load(sure / "walk.run.json")
    assert stored.uncertainty.columns.tolist() == r.uncertainty.columns.tolist()
    with pytest.raises(gaitid.GaitidError, match="uncertainty=True"):
        _ = gaitid.analyse(NOISY, model="pig").uncertainty


def usable(folder: Path) -> dict[tuple[str, str, str, str], dict[str, Any]]:
    record = json.loads((folder / "walk.run.json").read_text(encoding="utf-8"))
    entries = record["verdict"]["usable_for"]
    assert all(entry["side"] and entry["joint"] and entry["half_width"] > 0 for entry in entries)
    return {(entry["side"], entry["joint"], entry["plane"], entry["kind"]): entry for entry in entries}


def test_the_verdict_says_for_what_it_is_sure_enough(sure: Path) -> None:
    """Half widths are 1.96 times the root mean square, over the cycles, of what the table holds."""
    found = usable(sure)
    assert found["left", "knee", "transverse", "angle"]["class"] == "do not use"
    assert found["left", "hip", "sagittal", "moment"]["class"] is None
    entry = found["right", "knee", "sagittal", "angle"]
    assert entry["unit"] == "deg" and entry["coverage_percent"] == 95
    of_column = [row["standard_uncertainty"] for row in rows(sure / "walk.uncertainty.csv")
                 if row["column"] == "right_knee_flexion_deg" and row["standard_uncertainty"]]  # fmt: skip
    mean_square = sum(float(u) ** 2 for u in of_column) / len(of_column)  # of all frames, in most of which it walks
    assert entry["half_width"] == pytest.approx(1.96 * mean_square**0.5, rel=0.05)


def test_limits_of_the_user_take_the_place_of_published_ones(sure: Path, tmp_path: Path) -> None:
    words = ("--max-uncertainty", "angle_deg=30", "--max-uncertainty", "moment_Nm_per_kg=0.001")
    done = gaitid_run(NOISY, "--model", "pig", "-o", tmp_path, *words)  # which implies --uncertainty
    assert done.code == 0, done.err
    found = usable(tmp_path)
    classes = {(kind, entry["class"]) for (*_, kind), entry in found.items() if kind != "power"}
    assert classes == {("angle", "acceptable"), ("moment", "do not use")}
    assert "do not use (± 95 %): " in done.err and "knee extension moment " in done.err
    before = usable(sure)
    assert {key: entry["half_width"] for key, entry in found.items()} == {
        key: entry["half_width"] for key, entry in before.items()
    }
    page = tmp_path / "page.html"
    assert command("report", sure / "walk.run.json", "-o", page, "--max-uncertainty", "angle_deg=30").code == 0
    table = page.read_text(encoding="utf-8").partition("Sure enough for what")[2].partition("</table>")[0]
    assert "acceptable" in table and "do not use" not in table
    assert gaitid_run(NOISY, "--max-uncertainty", "force_N=3").code == 2


def test_check_holds_numbers_to_how_sure_they_must_be() -> None:
    loose = command("check", NOISY, "--model", "pig", "--max-uncertainty", "moment_Nm_per_kg=0.5", "-q")
    assert loose.code == 0 and "standard uncertainty of moment_Nm_per_kg at most" in loose.out
    strict = command("check", NOISY, "--model", "pig", "--max-uncertainty", "angle_deg=1", "-q")
    assert strict.code == 1 and strict.out.startswith("FAIL") and "above 1" in strict.out
    assert command("check", NOISY, "--model", "pig", "--max-uncertainty", "angle=1").code == 2


def test_a_batch_has_it_across_trials(sure: Path, tmp_path: Path) -> None:
    """Beside a trial's own numbers, the same to the last digit."""
    data = tmp_path / "data"
    data.mkdir()
    (data / NOISY.name).write_bytes(NOISY.read_bytes())
    assert command("batch", data, "--model", "pig", "--uncertainty", "-o", tmp_path, "-j", 1, "-q").code == 0
    across = rows(tmp_path / "features.csv")
    names = ("side", "cycle", "feature", "value", "standard_uncertainty", "low_95", "high_95")
    assert sum(bool(row["standard_uncertainty"]) for row in across) > 100
    of_run = [tuple(row[name] for name in names) for row in rows(sure / "walk.features.csv")]
    assert [tuple(row[name] for name in names) for row in across] == of_run


def test_a_batch_has_bands_by_percent_and_by_frame_where_they_are_asked_for(sure: Path, tmp_path: Path) -> None:
    """Means over the cycles of a side, with the record's standard uncertainties; a run has none of them."""
    data, out = tmp_path / "data", tmp_path / "out"
    data.mkdir()
    (data / NOISY.name).write_bytes(NOISY.read_bytes())
    batch = ("batch", data, "--model", "pig", "-o", out, "-j", 1, "-q", "--uncertainty")
    assert command(*batch).code == 0
    by_frame, by_percent = out / "walk.uncertainty.csv", out / "walk.uncertainty_cycles.csv"
    assert by_percent.is_file() and not by_frame.exists() and not (sure / by_percent.name).exists()
    table = rows(by_percent)
    assert list(table[0]) == ["side", "percent", "column", "standard_uncertainty", "low_95", "high_95"]
    record = json.loads((out / "walk.run.json").read_text(encoding="utf-8"))
    cycles = rows(out / "walk.cycles.csv")
    for side, column in (("left", "knee_flexion_deg"), ("right", "hip_extension_moment_Nm_per_kg")):
        of_column = [row for row in table if (row["side"], row["column"]) == (side, column)]
        assert [row["percent"] for row in of_column] == [str(percent) for percent in range(101)]
        for percent, row in enumerate(of_column):
            values = [
                float(c[column]) for c in cycles if (c["side"], c["percent"]) == (side, str(percent)) and c[column]
            ]
            if not values:
                assert row["low_95"] == ""
                continue
            u, mean = float(row["standard_uncertainty"]), sum(values) / len(values)
            assert u == pytest.approx(record["uncertainty"]["cycle"][side][column][percent], rel=1e-3)
            assert float(row["low_95"]) == pytest.approx(mean - 1.959964 * u, abs=1e-6)
            assert float(row["high_95"]) == pytest.approx(mean + 1.959964 * u, abs=1e-6)
    # a session of a batch is compared like any other
    assert command("compare", out / "walk.run.json", sure / "walk.run.json", "--align", "cycle").code == 0
    assert command("compare", out / "walk.run.json", sure / "walk.run.json").code == 0
    assert command(*batch, "--write", "uncertainty").code == 0
    assert by_percent.is_file() and by_frame.read_bytes() == (sure / by_frame.name).read_bytes()
    assert gaitid.load(out / "walk.run.json").table("uncertainty_cycles").shape == (len(table), 6)


def test_resume_works_on_a_trial_whose_magnitudes_of_errors_changed(tmp_path: Path) -> None:
    mine, data = tmp_path / "mine.yaml", tmp_path / "data"
    data.mkdir()
    shutil.copy(NOISY, data)
    text = "gaitid_uncertainty: 1\nsources:\n  marker_noise: {{coordinate_mm: {}, source: us}}\n"
    batch = ("batch", data, "--model", "pig", "--uncertainty", mine, "-o", tmp_path / "out", "-j", 1, "-q")
    first, second = text.format(1), text.format(2)
    uncertain = []
    for content, more in ((first, ()), (first, ("--resume",)), (second, ("--resume",))):
        mine.write_text(content, encoding="utf-8")
        assert command(*batch, *more).code == 0
        uncertain.append((tmp_path / "out" / f"{NOISY.stem}.uncertainty_cycles.csv").read_bytes())
    assert uncertain[0] == uncertain[1] != uncertain[2]


def test_a_result_is_computed_again_with_magnitudes_that_moved_with_it(tmp_path: Path) -> None:
    from gaitid.run.command import read_recorded

    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    shutil.copy(NOISY, there)
    (there / "mine.yaml").write_text(
        "gaitid_uncertainty: 1\nsources:\n  marker_noise: {coordinate_mm: 1, source: us}\n", encoding="utf-8"
    )
    own = there / "mine"  # as with a model, the end of the name may be left out
    assert gaitid_run(there / NOISY.name, "--model", "pig", "--uncertainty", own, "-o", there).code == 0
    there.rename(here)
    record = here / f"{NOISY.stem}.run.json"
    recorded = read_recorded(json.loads(record.read_text(encoding="utf-8")), record)
    assert str(here / "mine.yaml") == str(recorded.setup.options.uncertainty)
    (here / "mine.yaml").write_text("gaitid_uncertainty: 1\n", encoding="utf-8")
    with pytest.raises(gaitid.GaitidError, match=r"mine\.yaml is no longer the file"):
        read_recorded(json.loads(record.read_text(encoding="utf-8")), record)
