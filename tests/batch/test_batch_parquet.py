"""The Parquet data set holds what the CSV files hold, partitioned by subject."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from recordings import FRAMES

from gaitid.batch.job import Outcome, run_job
from gaitid.batch.parquet import refuse_long_subjects, write_parquet
from gaitid.batch.plan import make_plan
from gaitid.batch.supervisor import make_jobs, run_batch
from gaitid.batch.types import Planned
from gaitid.errors import GaitidError
from gaitid.run import RunOptions


def done(
    dataset: Path, output: Path, *names: str, default: Sequence[str] = ("P2/walk2.c3d", "P2/walk3.c3d", "P4/walk1.c3d")
) -> dict[str, Outcome]:
    """Some trials and their data set; of two subjects, one of the trials broken, where none are named."""
    datasets = [str(dataset / name) for name in names or default]
    plan = make_plan(datasets, output)
    jobs = make_jobs(plan.trials, lambda planned: RunOptions("pig", static=planned.static and planned.static.path))
    outcomes = run_batch(plan.trials, jobs, output, lambda jobs: (run_job(job) for job in jobs))
    write_parquet(output, ((p, outcomes[str(p.trial)]) for p in plan.trials))
    return outcomes


def test_rows_and_partitions(dataset: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the optional extra gaitid[parquet]")
    outcomes = done(dataset, tmp_path)
    assert [o.status for o in outcomes.values()] == ["done", "refused", "done"]
    frames = pd.read_parquet(tmp_path / "frames.parquet")
    assert sorted(frames["subject"].unique()) == ["P2", "P4"]
    assert len(frames) == 2 * FRAMES
    wrenches = pd.read_csv(tmp_path / "P4" / "walk1.wrenches.csv")
    joints = pd.read_csv(tmp_path / "P4" / "walk1.joints.csv")
    own = frames[frames["subject"] == "P4"].reset_index(drop=True)
    assert set(own["trial"]) == {str(dataset / "P4" / "walk1.c3d")}
    assert set(own.columns) == {"trial", "subject", "subject_name", *wrenches.columns, *joints.columns}
    for name, expected in {**wrenches, **joints}.items():
        np.testing.assert_array_equal(own[name].to_numpy(float), expected.to_numpy(float), err_msg=str(name))
    assert own["left_ankle_moment_distal_x_Nm"].isna().any()  # an unknown cell is null, and its column of numbers
    assert frames.drop(columns=["trial", "subject", "subject_name"]).dtypes.map(pd.api.types.is_numeric_dtype).all()


def test_subjects_that_look_like_numbers(dataset: Path, tmp_path: Path) -> None:
    """Readers take the partition 01 for the number 1; the column of text keeps it, and typed calls do."""
    pytest.importorskip("pyarrow", reason="the optional extra gaitid[parquet]")
    import pyarrow as pa
    from pyarrow import dataset as datasets

    for name in ("01", "1"):
        shutil.copytree(dataset / "P1", tmp_path / "data" / name)
    done(tmp_path / "data", tmp_path / "out", "01/walk1.c3d", "1/walk1.c3d")
    top = tmp_path / "out" / "frames.parquet"
    assert pd.read_parquet(top, partitioning=None)["subject_name"].value_counts().to_dict() == dict.fromkeys(
        ("01", "1"), FRAMES
    )
    typed = datasets.partitioning(pa.schema([("subject", pa.string())]), flavor="hive")
    frames = pd.read_parquet(top, partitioning=typed)
    assert (frames["subject"].astype(str) == frames["subject_name"]).all()
    assert set(frames["subject"]) == {"01", "1"}


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    from gaitid.batch.parquet import require_pyarrow

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(GaitidError, match=r"--parquet needs the library pyarrow; pip install 'gaitid\[parquet\]'"):
        require_pyarrow()


def test_a_subject_that_no_folder_can_be_named_by() -> None:
    """247 characters are left beside ``subject=``; each of these takes six."""

    def planned(subject: str) -> Planned:
        return Planned(Path("a.c3d"), Path("out"), subject, None, 0, (), "")

    refuse_long_subjects([planned("ü" * 41), planned("a" * 247)])
    for subject in ("ü" * 42, "a" * 248):
        with pytest.raises(GaitidError, match="subject=NAME.*expected at most 255 bytes; found 2(60|56)"):
            refuse_long_subjects([planned(subject)])


def test_made_anew_as_a_whole(dataset: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the optional extra gaitid[parquet]")
    done(dataset, tmp_path)
    before = {p.name: p.read_bytes() for p in (tmp_path / "frames.parquet").rglob("*.parquet")}
    stray = tmp_path / "frames.parquet" / "subject=gone" / "walk.parquet"
    stray.parent.mkdir()
    stray.write_bytes(b"")
    done(dataset, tmp_path)
    assert {p.name: p.read_bytes() for p in (tmp_path / "frames.parquet").rglob("*.parquet")} == before
    assert not (tmp_path / ".gaitid" / "frames.parquet").exists()
