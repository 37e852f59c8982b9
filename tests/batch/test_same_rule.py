"""One rule for statics: what a trial stores goes before a static that lies there, in `run` and in `batch`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from recordings import without_calibration

from gaitid.batch import job as jobs
from gaitid.batch.job import DONE, run_job
from gaitid.batch.plan import make_plan
from gaitid.batch.stored import stored_calibration
from gaitid.batch.supervisor import make_jobs
from gaitid.run import Prepared, RunOptions, prepare, run_file


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
    assert not json.loads(found["walk"]["walk.run.json"])["warnings"]  # the static says the same


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


def test_what_is_given_wins(one_walk: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(one_walk / "calibrated.c3d", data / "walk.c3d")
    shutil.copy(one_walk / "static.c3d", data)
    static = str(data / "static.c3d")
    (planned,) = make_plan([str(data)], None, given=("--static", static)).trials
    assert planned.static is not None and planned.static.how == "given"
    assert planned.beside is None


def test_the_plan_says_what_it_leaves(one_walk: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(one_walk / "calibrated.c3d", data / "walk.c3d")
    shutil.copy(one_walk / "static.c3d", data)
    plan = make_plan([str(data)], None)
    assert [p.beside for p in plan.trials] == [data / "static.c3d"]
    text = "\n".join(plan.lines())
    assert "no static" in text and f"--static {data / 'static.c3d'} would" in text
    assert "not analysed" not in text


def test_the_plan_says_nothing_of_a_static_that_stores_the_same(shared_trials: Path) -> None:
    for name, differs in (("children/HC030A", False), ("sydney", True)):
        plan = make_plan([str(shared_trials / name)], None)
        assert plan.trials and all(p.beside is not None and p.beside_differs == differs for p in plan.trials)
        text = "\n".join(plan.lines())
        assert "calibration stored in the trial" in text and ("is not taken" in text) == differs


def test_which_trials_store_a_calibration(one_walk: Path, tmp_path: Path) -> None:
    calibrated = one_walk / "calibrated.c3d"
    assert stored_calibration(calibrated) is not None
    assert stored_calibration(calibrated, "pig_vicon") is not None
    assert stored_calibration(calibrated, "cast") is None  # carries clusters over from a static: no file stores them
    assert stored_calibration(one_walk / "walk.c3d") is None
    other_labels = tmp_path / "other.c3d"
    other_labels.write_bytes(calibrated.read_bytes().replace(b"LTHI", b"THI1").replace(b"RTHI", b"THI2"))
    assert stored_calibration(other_labels) is None
    cut = tmp_path / "cut.c3d"
    cut.write_bytes(calibrated.read_bytes()[:700])
    assert stored_calibration(cut) is None
    assert stored_calibration(tmp_path / "absent.c3d") is None
    assert without_calibration(calibrated.read_bytes()) == (one_walk / "walk.c3d").read_bytes()


def test_trials_beside_statics_of_their_own_share_what_is_prepared(
    one_walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("P1", "P2"):
        (tmp_path / "data" / name).mkdir(parents=True)
        shutil.copy(one_walk / "calibrated.c3d", tmp_path / "data" / name / "walk.c3d")
        (tmp_path / "data" / name / "static.c3d").write_bytes((one_walk / "static.c3d").read_bytes() + name.encode())
    prepared: list[RunOptions] = []

    def noted(options: RunOptions) -> Prepared:
        prepared.append(options)
        return prepare(options)

    monkeypatch.setattr(jobs, "prepare", noted)
    jobs._prepared.cache_clear()
    found, statics = by_batch(tmp_path / "data", tmp_path / "batch", "pig")
    assert statics == [None, None] and len(prepared) == 1
    assert found["walk"] == by_run(tmp_path / "data" / "P2" / "walk.c3d", tmp_path / "run", "pig")


def test_a_bundled_model_is_read_once(one_walk: Path) -> None:
    """Also for trials of several statics; with settings of its own it is another."""
    first, second = (prepare(RunOptions("pig", static=static)).model for static in (None, one_walk / "static.c3d"))
    other = prepare(RunOptions("pig", overrides={"cutoff_hz": 7})).model
    assert first is second
    assert first is not None and other is not None and first.settings.cutoff_hz != other.settings.cutoff_hz == 7
