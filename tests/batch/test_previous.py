"""Nothing old stands beside something newer: what a folder of results remembers, and what is taken away."""

from __future__ import annotations

import json
import os
import shutil
import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gaitid.batch.job import DONE, TIMEOUT, Job, Outcome, run_job
from gaitid.batch.journal import Journal
from gaitid.batch.plan import make_plan
from gaitid.batch.previous import other_places, refuse_equal_names, refuse_foreign_tables
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


def test_a_part_of_the_data_set_goes_where_the_whole_went(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    work(out, data)
    for part in (data / "P1", data / "P1" / "walk1.c3d", data / "P1" / "*.c3d"):
        assert all(o.run_time_s is None for o in work(out, part, resume=True).values())
    assert not (out / "walk1.run.json").exists()


def test_one_data_set_by_other_names(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative, absolute, from elsewhere, through a link, as its parts: the same root."""
    out = tmp_path / "out"
    (tmp_path / "link").symlink_to(data)
    monkeypatch.chdir(tmp_path)
    for datasets in (["data"], [data], ["link"], ["data/P1", "data/P2"], ["data/*/walk1.c3d"]):
        assert all(o.status == DONE for o in work(out, *datasets).values())
    monkeypatch.chdir(data / "P1")
    assert len(work(out, "..")) == 4
    assert len(Journal(out).read()) == 4  # each place is noted once, by its latest name


def test_a_folder_without_results_is_anybodys(data: Path, tmp_path: Path) -> None:
    def nothing(jobs: Sequence[Job]) -> Iterator[Outcome]:
        yield from (Outcome(job.name, "refused", "x") for job in jobs)

    work(tmp_path / "out", data / "P1", schedule=nothing)
    assert all(o.status == DONE for o in work(tmp_path / "out", data).values())


def test_what_was_fetched_moves_with_the_results(data: Path, tmp_path: Path) -> None:
    """A root in the results' own folder; the message names it as the user did."""
    out = tmp_path / "out"
    for name in ("one", "two"):
        shutil.copytree(data / "P1", out / ".gaitid" / "fetched" / "s3" / "lab" / name)
    work(out, out / ".gaitid" / "fetched" / "s3" / "lab" / "one")
    out.rename(tmp_path / "moved")
    out = tmp_path / "moved"
    work(out, out / ".gaitid" / "fetched" / "s3" / "lab" / "one")
    with pytest.raises(WriteError, match=r"expected s3://lab/one; found s3://lab/two; "):
        work(out, out / ".gaitid" / "fetched" / "s3" / "lab" / "two")


def test_a_part_of_the_data_set_does_not_forget_the_rest(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    work(out, data)
    work(out, data / "*" / "walk1.c3d", resume=True)
    assert [o.run_time_s for o in work(out, data, resume=True).values()] == [None] * 4
    (out / "P2" / "walk2.joints.csv").unlink()
    plan = make_plan([str(data / "*" / "walk1.c3d")], out)
    jobs = make_jobs(plan.trials, lambda planned: RunOptions("pig"))
    assert other_places(out, jobs, Journal(out).read()) == ["P1/walk2"]  # the other one's files are not all there


def test_a_table_of_somebody_else_is_not_overwritten(data: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / TABLE).write_text("trials,subject\nmine,me\n")
    with pytest.raises(WriteError, match="was not made by gaitid"):
        work(tmp_path / "out", data)
    assert (tmp_path / "out" / TABLE).read_text() == "trials,subject\nmine,me\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_table_that_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.symlink_to("nowhere")):
        make(tmp_path / TABLE)
        with pytest.raises(WriteError, match="was not made by gaitid"):
            refuse_foreign_tables(tmp_path)
        (tmp_path / TABLE).unlink()
    for held in ("", "trial,subject,static,status,reason\n"):
        (tmp_path / TABLE).write_text(held)
        refuse_foreign_tables(tmp_path)
    (tmp_path / TABLE).write_text("trial,comment\n")
    with pytest.raises(WriteError, match="was not made by gaitid"):
        refuse_foreign_tables(tmp_path)
    with (tmp_path / TABLE).open(
        "wb"
    ) as file:  # zeros, as a disk that lost its power leaves them: as if it were absent
        file.truncate(300 * 10**9)
    refuse_foreign_tables(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_root_and_a_record_that_are_no_files(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    work(out, data)
    (out / ".gaitid" / "dataset").unlink()
    os.mkfifo(out / ".gaitid" / "dataset")
    record = out / "P1" / "walk1.run.json"
    record.write_text("[" * 200_000)
    damage(data / "P1" / "walk1.c3d")
    with pytest.raises(WriteError, match="dataset is a device, a pipe or a socket"):
        work(out, data, resume=True)
    (out / ".gaitid" / "dataset").unlink()
    assert work(out, data, resume=True)["P1/walk2.c3d"].run_time_s is None
    assert (out / ".gaitid" / "dataset").read_text() == f"{data}\n"


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


# --- what must go -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("journal", [True, False])
@pytest.mark.parametrize("resume", [True, False])
def test_no_result_beside_a_refusal(data: Path, tmp_path: Path, journal: bool, resume: bool) -> None:
    """By what the journal lists, or by the record; what gaitid did not write stays."""
    out = tmp_path / "out"
    work(out, data)
    mine = ["walk1.notes.csv", "walk1.txt", "walk10.wrenches.csv"]
    for name in mine:
        (out / "P1" / name).write_text("mine")
    damage(data / "P1" / "walk1.c3d")
    if not journal:
        (out / ".gaitid" / "batch.jsonl").unlink()
    outcomes = work(out, data, resume=resume)
    assert {name for name, o in outcomes.items() if o.status != DONE} == {"P1/walk1.c3d"}
    assert files(out, "P1/walk1") == mine[:2]
    assert (out / "P1" / mine[2]).exists()
    assert len(files(out, "P1/walk2")) == 8
    assert sorted(Journal(out).read()) == ["P1/walk2", "P2/walk1", "P2/walk2"]


def test_files_of_another_trial_stay(data: Path, tmp_path: Path) -> None:
    """A record of somebody else's trial, under the name of one that is refused now; a journal that leads astray."""
    out = tmp_path / "out"
    work(out, data)
    record = out / "P1" / "walk1.run.json"
    content = json.loads(record.read_text())
    content["inputs"][0]["path"] = "elsewhere/walk1.c3d"
    record.write_text(json.dumps(content))
    journal = Journal(out)
    noted = journal.read()
    journal.write({"P1/walk1": replace(noted["P1/walk1"], outputs={"../P2/walk1.run.json": "12"})})
    damage(data / "P1" / "walk1.c3d")
    work(out, data / "P1" / "..")
    assert len(files(out, "P1/walk1")) == 8
    assert len(files(out, "P2/walk1")) == 8


def test_a_result_that_is_right_stays_beside_a_time_limit(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    work(out, data)

    def slow(jobs: Sequence[Job]) -> Iterator[Outcome]:
        yield Outcome(jobs[0].name, TIMEOUT, "given up")
        yield from map(run_job, jobs[1:])

    work(out, data, schedule=slow)
    assert len(files(out, "P1/walk1")) == 8
    assert [o.run_time_s for o in work(out, data, resume=True).values()] == [None] * 4
    work(out, data, schedule=slow, settings={"cutoff_hz": 7})  # another cut-off: it is not right any more
    assert files(out, "P1/walk1") == []
    assert sorted(Journal(out).read()) == ["P1/walk2", "P2/walk1", "P2/walk2"]


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


def test_frames_of_somebody_else_stay(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    frames = out / "frames.parquet"
    frames.write_text("a file of pandas")
    with pytest.raises(WriteError, match="frames.parquet was not made by gaitid"):
        work(out, data)
    frames.unlink()
    (frames / "subject=P1").mkdir(parents=True)
    (frames / "queries.sql").write_text("mine")
    with pytest.raises(WriteError, match="frames.parquet was not made by gaitid"):
        work(out, data)
    assert (frames / "queries.sql").read_text() == "mine"
    (frames / "queries.sql").unlink()
    assert len(work(out, data)) == 4
    assert not frames.exists()


class Stopped(Exception):
    """As Ctrl-C or a scheduler that is lost."""


def first_only(jobs: Sequence[Job]) -> Iterator[Outcome]:
    yield run_job(jobs[0])
    raise Stopped


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


@pytest.mark.parametrize("resume", [True, False])
def test_tables_are_gone_after_an_early_end(data: Path, tmp_path: Path, resume: bool) -> None:
    """Even where nothing was told: a process may have put something in place."""
    out = tmp_path / "out"
    work(out, data)
    frames = frames_of(out)
    with pytest.raises(Stopped):
        work(out, data, schedule=first_only, resume=resume)
    assert not (out / TABLE).exists()
    assert not frames.exists()
    outcomes = work(out, data, resume=True)
    # without --resume the first batch was to compute everything again, and so goes on
    assert [o.run_time_s is None for o in outcomes.values()] == ([True] * 4 if resume else [True] + [False] * 3)


def test_frames_stay_where_nothing_changed(data: Path, tmp_path: Path) -> None:
    """All done before, one refused again; not where the trials or their subjects are others."""
    out = tmp_path / "out"
    damage(data / "P2" / "walk2.c3d")
    work(out, data)
    frames = frames_of(out)
    (out / ".gaitid" / "frames.parquet.old" / "subject=P1").mkdir(parents=True)  # of a batch that was killed
    work(out, data, resume=True)
    work(out, data)  # the same again
    assert not list((out / ".gaitid").glob("frames*"))
    assert frames.exists()
    work(out, data / "*" / "walk1.c3d", resume=True)
    assert not frames.exists()


def test_a_table_that_cannot_be_taken_away(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that a spreadsheet has open on Windows: one line, nothing lost."""
    out = tmp_path / "out"
    work(out, data)

    def held(self: Path, missing_ok: bool = False) -> None:
        if self.name == TABLE:
            raise PermissionError(13, "Permission denied", str(self))
        if self.exists() or not missing_ok:
            os.unlink(self)  # noqa: PTH108 - Path.unlink is what is replaced

    monkeypatch.setattr(Path, "unlink", held)
    with pytest.raises(WriteError, match=r"cannot delete .*batch\.csv of an earlier batch \(Permission.*; close it"):
        work(out, data, settings={"cutoff_hz": 7})


def test_nothing_is_written_through_a_link(data: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    out.mkdir()
    other.mkdir()
    (out / "P1").symlink_to(other)
    with pytest.raises(WriteError, match="out/P1 is a link"):
        work(out, data)
    assert list(other.iterdir()) == []


def test_another_suffix_is_another_trial(data: Path, tmp_path: Path) -> None:
    """``walk1.csv`` would take the place of what ``walk1.c3d`` made, in a batch of its own too."""
    out = tmp_path / "out"
    work(out, data / "P1" / "walk1.c3d", data / "P2")
    other = data / "P1" / "walk1.trc"
    other.write_text("PathFileType\t4\n")
    (data / "P1" / "walk1.c3d").rename(tmp_path / "gone.c3d")
    with pytest.raises(WriteError, match=r"is the result of .*walk1.c3d, not of .*walk1.trc"):
        work(out, other)
    assert len(files(out, "P1/walk1")) == 8


# --- a static of somebody else ------------------------------------------------------------------------------


@pytest.fixture
def heavier(data: Path) -> Path:
    """The static of P1 says 45 kg, its trials 70 kg."""
    static = data / "P1" / "static.c3d"
    content = static.read_bytes()
    at = content.index(struct.pack("<f", 70.0), content.index(b"Bodymass"))
    static.write_bytes(content[:at] + struct.pack("<f", 45.0) + content[at + 4 :])
    return data


def test_a_static_that_was_found_and_may_be_another_persons(heavier: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcomes = work(out, heavier)
    assert [o.status for o in outcomes.values()] == ["refused", "refused", DONE, DONE]
    assert outcomes["P1/walk1.c3d"].reason == (
        "the static may be another person's: its mass is 45 kg, the trial's 70 kg "
        f"({heavier}/P1/static.c3d was found, not given); name its static in a manifest or with --static"
    )
    assert files(out, "P1/walk1") == []


def test_a_static_that_was_given_and_may_be_another_persons(heavier: Path, tmp_path: Path) -> None:
    """Done, with the doubt in the table, also when it was done before; not believed where the static is found."""
    out = tmp_path / "out"
    rows = "".join(f"{name}/static.c3d,{name}/walk1.c3d\n" for name in ("P1", "P2"))
    (heavier / "plan.csv").write_text(f"static,trials\n{rows}")
    for resume in (False, True):
        outcomes = work(out, heavier / "plan.csv", resume=resume)
        assert [o.status for o in outcomes.values()] == [DONE, DONE]
        assert outcomes["P1/walk1.c3d"].doubt.endswith("its mass is 45 kg, the trial's 70 kg")
        assert outcomes["P2/walk1.c3d"].doubt == ""
        lines = (out / TABLE).read_text().splitlines()
        assert ['"the static may be another' in line for line in lines] == [False, True, False]
    found = work(out, heavier / "*" / "walk1.c3d", resume=True)
    assert [o.status for o in found.values()] == ["refused", DONE]
    assert files(out, "P1/walk1") == []
