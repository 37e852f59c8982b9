"""`gaitid features`: a row a trial, the means of its features, whose it is; what is refused loses nothing else."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from terminal import gaitid

import gaitid as api

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_data"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A batch of two trials of two sessions of one subject, and a result of `run` beside it."""
    folder = tmp_path_factory.mktemp("features")
    for session, sample in (("pre", "walk"), ("post", "walk_noisy")):
        shutil.copytree(SAMPLES / sample, folder / "data" / "Anna" / session)
    rows = [["trial", "subject", "session"], *([f"data/Anna/{s}/walk.c3d", "Anna", s] for s in ("pre", "post"))]
    (folder / "study.csv").write_text("\n".join(map(",".join, rows)) + "\n")
    assert gaitid("batch", folder / "study.csv", "--model", "pig", "-o", folder / "results", "-q").code == 0
    assert gaitid("run", SAMPLES / "walk" / "walk.c3d", "--model", "pig", "-o", folder / "alone", "-q").code == 0
    return folder


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_row_a_trial_with_its_means(results: Path, tmp_path: Path) -> None:
    table = tmp_path / "all.csv"
    done = gaitid("features", results / "results", results / "alone", "-o", table)
    assert done.code == 0 and "3 trials" in done.err
    rows = rows_of(table)
    assert [(row["subject"], row["session"]) for row in rows] == [("Anna", "post"), ("Anna", "pre"), ("", "")]
    assert {(row["model"], row["verdict"], row["corrected"]) for row in rows} <= {
        ("pig", "good", "0"),
        ("pig", "usable", "0"),
    }
    for row in rows:
        features = pd.read_csv(row["result"].replace("run.json", "features.csv"))
        means = features.groupby(["side", "feature", "unit"])["value"].mean()
        assert len(means) > 300
        for (side, name, unit), mean in means.items():
            cell = row[f"{side}_{name}_{unit}"]
            assert np.isnan(mean) if cell == "" else float(cell) == pytest.approx(mean)
        strides = pd.read_csv(row["result"].replace("run.json", "spatiotemporal.csv"))
        mean_of_left = strides[(strides["side"] == "left") & (strides["cycle"] == "mean")].iloc[0]
        assert float(row["left_stride_length_m"]) == pytest.approx(mean_of_left["stride_length_m"])
        cycles = strides[(strides["side"] == "left") & strides["cycle"].str.isdigit()]
        assert int(row["cycles_left"]) == len(cycles) > 0


def test_both_sides_as_difference_and_ratio(results: Path, tmp_path: Path) -> None:
    """Left less right of everything; a ratio of what has a zero of its own, and lies above it on both sides."""
    record = next((results / "alone").glob("*.run.json"))
    assert gaitid("features", record, "--asymmetry", "-o", tmp_path / "all.csv").code == 0
    (row,) = rows_of(tmp_path / "all.csv")
    for name in ("ankle_plantarflexion_moment_max_Nm_per_kg", "stance_percent", "knee_flexion_angle_max_deg"):
        left, right = (float(row[f"{side}_{name}"]) for side in ("left", "right"))
        assert float(row[f"asymmetry_{name}"]) == pytest.approx(left - right, abs=1e-8)
        assert float(row.get(f"asymmetry_ratio_{name}", "nan")) == (
            pytest.approx(left / right) if not name.endswith("deg") else pytest.approx(np.nan, nan_ok=True)
        )
    assert row["asymmetry_ratio_hip_extension_moment_min_Nm_per_kg"] == ""  # below zero
    table = api.load(record).asymmetry().set_index("feature")
    of = table.loc["ankle_plantarflexion_moment_max"]
    assert of.ratio == pytest.approx(float(row["asymmetry_ratio_ankle_plantarflexion_moment_max_Nm_per_kg"]))
    assert np.isfinite(table.ratio["knee_flexion_angle_range"]) and np.isnan(table.ratio["knee_flexion_angle_max"])


def test_parquet_is_the_same_table(results: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    for name in ("all.csv", "all.parquet"):
        assert gaitid("features", results / "alone", "-o", tmp_path / name).code == 0
    text, binary = pd.read_csv(tmp_path / "all.csv"), pd.read_parquet(tmp_path / "all.parquet")
    assert list(text) == list(binary)
    numbers = [name for name in text if name.startswith(("left_", "right_", "both_"))]
    assert len(numbers) > 300
    pd.testing.assert_frame_equal(text[numbers], binary[numbers], check_dtype=False)
