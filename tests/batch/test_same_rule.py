"""One rule for statics: where a trial's stored calibration and a static agree, `run` and `batch` do the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gaitid.batch.job import DONE, run_job
from gaitid.batch.plan import make_plan
from gaitid.batch.supervisor import make_jobs
from gaitid.run import RunOptions, prepare, run_file


def written(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def by_batch(data: Path, out: Path, model: str) -> tuple[dict[str, dict[str, bytes]], list[Path | None]]:
    """The files of each trial by its stem, and each one's static."""
    plan = make_plan([str(data)], out)
    planned = make_jobs(
        plan.trials,
        lambda p: RunOptions(
            model=model, static=p.static and p.static.path, beside=p.beside, command=("gaitid", "run")
        ),
    )
    found = {}
    for job in planned:
        outcome = run_job(job)
        assert outcome.status == DONE, outcome.reason
        names = sorted(outcome.outputs)
        found[job.trial.stem] = {name: (job.folder / name).read_bytes() for name in names}
    return found, [p.static and p.static.path for p in plan.trials]


def by_run(trial: Path, out: Path, model: str) -> dict[str, bytes]:
    run_file(trial, out, prepare(RunOptions(model=model, command=("gaitid", "run"))))
    return written(out)


@pytest.mark.parametrize("model", ["pig", "auto"])
def test_run_and_batch_write_equal_files(one_walk: Path, tmp_path: Path, model: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(one_walk / "calibrated.c3d", data / "walk.c3d")
    shutil.copy(one_walk / "static.c3d", data)
    found, statics = by_batch(data, tmp_path / "batch", model)
    assert statics == [None]
    assert found["walk"] == by_run(data / "walk.c3d", tmp_path / "run", model)
    codes = {note["code"] for note in json.loads(found["walk"]["walk.run.json"])["warnings"]}
    assert codes <= {"events_moved"}  # the static says the same


@pytest.mark.parametrize("name", ["sydney", "children/HC030A", "children/HC036A"])
def test_so_do_recorded_trials(shared_trials: Path, tmp_path: Path, name: str) -> None:
    data = tmp_path / "data"
    shutil.copytree(shared_trials / name, data)
    found, statics = by_batch(data, tmp_path / "batch", "pig")
    assert statics == [None] * len(statics)
    for stem, files in found.items():
        assert files == by_run(data / f"{stem}.c3d", tmp_path / f"run_{stem}", "pig"), stem
        codes = [note["code"] for note in json.loads(files[f"{stem}.run.json"])["warnings"]]
        assert ("calibration_conflict" in codes) == (name == "sydney")
