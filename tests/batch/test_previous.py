"""Nothing old stands beside something newer: what a folder of results remembers, and what is taken away."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from gaitid.batch.job import DONE, Job, Outcome, run_job
from gaitid.batch.journal import Journal
from gaitid.batch.plan import make_plan
from gaitid.batch.previous import other_places, refuse_equal_names
from gaitid.batch.results_folder import TABLE, folds_case, locked
from gaitid.batch.supervisor import make_jobs, run_batch
from gaitid.errors import WriteError
from gaitid.run import RunOptions


@pytest.fixture
def data(one_walk: Path, tmp_path: Path) -> Path:
    """``P1`` and ``P2``, each with ``static.c3d``, ``walk1.c3d`` and ``walk2.c3d``."""
    for folder in (tmp_path / "data" / name for name in ("P1", "P2")):
        folder.mkdir(parents=True)
        shutil.copy(one_walk / "static.c3d", folder)
        for name in ("walk1.c3d", "walk2.c3d"):
            shutil.copy(one_walk / "walk.c3d", folder / name)
    return tmp_path / "data"


def here(jobs: Sequence[Job]) -> Iterator[Outcome]:
    yield from map(run_job, jobs)


def work(
    output: Path, *datasets: object, schedule: Any = here, resume: bool = False, remark: Any = str, **options: Any
) -> dict[str, Outcome]:
    """A batch in this process; by the trial's folder and name."""
    plan = make_plan([str(name) for name in datasets], output)
    jobs = make_jobs(
        plan.trials,
        lambda planned: RunOptions(
            "pig", static=planned.static and planned.static.path, command=(str(planned.trial), str(options)), **options
        ),
    )
    outcomes = run_batch(plan.trials, jobs, output, schedule, resume=resume, remark=remark)
    return {"/".join(Path(name).parts[-2:]): outcome for name, outcome in outcomes.items()}


def files(output: Path, place: str) -> list[str]:
    return sorted(p.name for p in (output / place).parent.glob(f"{Path(place).name}.*"))


def test_an_input_is_neither_overwritten_nor_taken_away(data: Path, tmp_path: Path) -> None:
    """One with the name of a result, where an earlier batch noted a file of its own."""
    out = tmp_path / "out"
    work(out, data)
    given = out / "P1" / "walk1.contacts.csv"
    given.write_text("mass_kg: 60\n")
    outcomes = work(out, data, subject=given)
    assert outcomes["P1/walk1.c3d"].reason.startswith(f"{given} is an input and would be overwritten")
    assert [name for name, one in outcomes.items() if one.status != DONE] == ["P1/walk1.c3d"]
    assert files(out, "P1/walk1") == ["walk1.contacts.csv"]
    assert given.read_text() == "mass_kg: 60\n"


def damage(trial: Path) -> None:
    trial.write_bytes(trial.read_bytes()[:5000])


# --- whose results these are --------------------------------------------------------------------------------


def test_another_data_set_is_refused_before_any_work(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    work(out, data / "P1")
    before = {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}
    with pytest.raises(WriteError) as refused:
        work(out, data / "P2")
    said = refused.value.line()
    assert f"expected {data / 'P1'}; found {data / 'P2'}; " in said
    assert said.endswith("with another -o")
    assert {p: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before
    for trial in (data / "P2").glob("walk*.c3d"):
        trial.write_bytes(trial.read_bytes() + b"P2")
    with pytest.raises(WriteError, match=f"a part of this data set; expected {data / 'P1'}; found {data}; give"):
        work(out, data)
    shutil.rmtree(out / ".gaitid")  # as in a copy without hidden files, or after `gaitid run`
    with pytest.raises(WriteError, match=r"walk1.run.json is the result of .*P1/walk1.c3d, not of .*P2.* \(and 1 more"):
        work(out, data / "P2")
    assert not (out / ".gaitid" / "dataset").exists()


def test_a_data_set_that_moved(data: Path, tmp_path: Path) -> None:
    """Known by the trials' bytes; not where another person's trials are there instead."""
    out, moved = tmp_path / "out", tmp_path / "moved"
    work(out, data)
    data.rename(moved)
    assert all(o.status == DONE for o in work(out, moved, resume=True).values())
    assert (out / ".gaitid" / "dataset").read_text() == f"{moved}\n"
    moved.rename(tmp_path / "again")
    trial = tmp_path / "again" / "P1" / "walk1.c3d"
    trial.write_bytes(trial.read_bytes() + b"another")
    with pytest.raises(WriteError, match=r"walk1.run.json is the result of .*moved/P1/walk1.c3d, not of"):
        work(out, tmp_path / "again")


def test_a_part_of_the_data_set_does_not_forget_the_rest(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    work(out, data)
    work(out, data / "*" / "walk1.c3d", resume=True)
    assert [o.run_time_s for o in work(out, data, resume=True).values()] == [None] * 4
    (out / "P2" / "walk2.joints.csv").unlink()
    plan = make_plan([str(data / "*" / "walk1.c3d")], out)
    jobs = make_jobs(plan.trials, lambda planned: RunOptions("pig"))
    assert other_places(out, jobs, Journal(out).read()) == ["P1/walk2"]  # the other one's files are not all there


# --- what must go -------------------------------------------------------------------------------------------


def test_nothing_is_taken_away_for_a_mistyped_option(data: Path, tmp_path: Path) -> None:
    """Where no trial at all is done, the fault is the command's; and where an input is gone, that of a disk."""
    out = tmp_path / "out"
    work(out, data)
    remarks: list[str] = []
    outcomes = work(out, data, settings={"contact_threshold_N": 25}, schedule=all_refused, remark=remarks.append)
    assert {o.status for o in outcomes.values()} == {"refused"}
    assert remarks == ["4 earlier results kept, though not done now"]
    assert len(files(out, "P1/walk1")) == 8
    (data / "P1" / "walk1.c3d").rename(tmp_path / "unplugged.c3d")
    (data / "P1" / "walk1.c3d").symlink_to(tmp_path / "gone.c3d")
    remarks.clear()
    outcomes = work(out, data, resume=True, remark=remarks.append)
    assert [o.status for o in outcomes.values()] == ["refused", DONE, DONE, DONE]
    assert remarks == ["1 earlier result kept, though not done now"]
    assert len(files(out, "P1/walk1")) == 8
    damage(data / "P2" / "walk1.c3d")
    remarks.clear()
    work(out, data, resume=True, remark=remarks.append)
    assert "1 earlier result taken away: not done now" in remarks
    assert files(out, "P2/walk1") == []


def all_refused(jobs: Sequence[Job]) -> Iterator[Outcome]:
    yield from (Outcome(job.name, "refused", "no such model") for job in jobs)


def frames_of(out: Path) -> Path:
    """A data set as --parquet leaves it."""
    (out / "frames.parquet" / "subject=P1").mkdir(parents=True)
    return out / "frames.parquet"


def test_tables_go_when_the_first_result_changes(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    work(out, data)
    frames = frames_of(out)

    def watched(jobs: Sequence[Job]) -> Iterator[Outcome]:
        assert (out / TABLE).exists()
        yield run_job(jobs[0])
        assert not (out / TABLE).exists()
        assert not frames.exists()
        yield from map(run_job, jobs[1:])

    work(out, data, schedule=watched, resume=True, settings={"cutoff_hz": 7})
    assert (out / TABLE).exists()
    assert not list((out / ".gaitid").glob("frames*"))


# --- a static of somebody else ------------------------------------------------------------------------------


@pytest.fixture
def heavier(data: Path) -> Path:
    """The static of P1 says 45 kg, its trials 70 kg."""
    static = data / "P1" / "static.c3d"
    content = static.read_bytes()
    at = content.index(struct.pack("<f", 70.0), content.index(b"Bodymass"))
    static.write_bytes(content[:at] + struct.pack("<f", 45.0) + content[at + 4 :])
    return data


def test_nothing_is_written_through_a_link(data: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    out.mkdir()
    other.mkdir()
    (out / "P1").symlink_to(other)
    with pytest.raises(WriteError, match="out/P1 is a link"):
        work(out, data)
    assert list(other.iterdir()) == []


def test_names_that_are_one_to_the_file_system(tmp_path: Path) -> None:
    """``Walk`` and ``walk`` are two files here, but results may go to exFAT, a share or a Mac."""
    jobs = [Job(Path(name), tmp_path / "P1", RunOptions("pig"), ()) for name in ("Walk.c3d", "walk.c3d", "run.c3d")]
    with locked(tmp_path, wait=False):
        if not folds_case(tmp_path):
            refuse_equal_names(tmp_path, jobs)
            (tmp_path / ".gaitid" / "LOCK").symlink_to("lock")  # as if it were the same name
        with pytest.raises(WriteError, match=r"Walk.c3d and walk.c3d would both write .*P1/walk\.\*"):
            refuse_equal_names(tmp_path, jobs)
        refuse_equal_names(tmp_path, jobs[1:])


def test_a_table_of_somebody_else_is_not_overwritten(data: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / TABLE).write_text("trials,subject\nmine,me\n")
    with pytest.raises(WriteError, match="was not made by gaitid"):
        work(tmp_path / "out", data)
    assert (tmp_path / "out" / TABLE).read_text() == "trials,subject\nmine,me\n"
