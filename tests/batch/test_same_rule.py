"""One rule for statics: where a trial's stored calibration and a static agree, `run` and `batch` do the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from recordings import without_calibration

from gaitid.batch import job as jobs
from gaitid.batch.job import DONE, run_job
from gaitid.batch.manifest import manifest_csv
from gaitid.batch.plan import make_plan, stores_calibration
from gaitid.batch.supervisor import make_jobs
from gaitid.run import RunOptions, Setup, prepare, run_file


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


def test_what_is_given_wins(one_walk: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(one_walk / "calibrated.c3d", data / "walk.c3d")
    shutil.copy(one_walk / "static.c3d", data)
    static = str(data / "static.c3d")
    (planned,) = make_plan([str(data)], None, given=("--static", static)).trials
    assert planned.static is not None and planned.static.how == "given"
    assert planned.beside is None


def test_the_plan_says_what_is_compared(one_walk: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(one_walk / "calibrated.c3d", data / "walk.c3d")
    shutil.copy(one_walk / "static.c3d", data)
    plan = make_plan([str(data)], None)
    (planned,) = plan.trials
    assert (planned.static, planned.beside) == (None, data / "static.c3d")
    text = "\n".join(plan.lines())
    assert f"the better of static {data / 'static.c3d'} and the calibration stored in the trial" in text
    assert "not analysed" not in text
    assert "static" not in manifest_csv(plan.trials).partition("\n")[0]  # it is looked for, and compared, again


def test_which_trials_store_a_calibration(one_walk: Path, tmp_path: Path) -> None:
    calibrated = one_walk / "calibrated.c3d"
    assert stores_calibration(calibrated)
    assert stores_calibration(calibrated, "pig_vicon")
    assert not stores_calibration(calibrated, "cast")  # carries clusters over from a static: no file stores them
    assert not stores_calibration(one_walk / "walk.c3d")
    other_labels = tmp_path / "other.c3d"
    other_labels.write_bytes(calibrated.read_bytes().replace(b"LTHI", b"THI1").replace(b"RTHI", b"THI2"))
    assert not stores_calibration(other_labels)
    cut = tmp_path / "cut.c3d"
    cut.write_bytes(calibrated.read_bytes()[:700])
    assert not stores_calibration(cut)
    assert not stores_calibration(tmp_path / "absent.c3d")
    assert without_calibration(calibrated.read_bytes()) == (one_walk / "walk.c3d").read_bytes()


def test_trials_beside_statics_of_their_own_share_what_is_prepared(
    one_walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("P1", "P2"):
        (tmp_path / "data" / name).mkdir(parents=True)
        shutil.copy(one_walk / "calibrated.c3d", tmp_path / "data" / name / "walk.c3d")
        shutil.copy(one_walk / "static.c3d", tmp_path / "data" / name)
    prepared: list[RunOptions] = []

    def noted(options: RunOptions) -> Setup:
        prepared.append(options)
        return prepare(options)

    monkeypatch.setattr(jobs, "prepare", noted)
    jobs._prepared.cache_clear()
    found, statics = by_batch(tmp_path / "data", tmp_path / "batch", "pig")
    assert statics == [None, None]
    assert [options.static and options.static.parent.name for options in prepared] == [None, "P1", "P2"]
    assert found["walk"] == by_run(tmp_path / "data" / "P2" / "walk.c3d", tmp_path / "run", "pig")


def test_a_bundled_model_is_read_once(one_walk: Path) -> None:
    """Also for trials of several statics; with settings of its own it is another."""
    first, second = (prepare(RunOptions("pig", static=static)).model for static in (None, one_walk / "static.c3d"))
    other = prepare(RunOptions("pig", settings={"cutoff_hz": 7})).model
    assert first is second
    assert first is not None and other is not None and first.settings.cutoff_hz != other.settings.cutoff_hz == 7
