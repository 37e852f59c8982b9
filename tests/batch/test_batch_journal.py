"""What a terminal shows, what the journal and the table hold."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import works

from gaitid.batch.job import CRASHED, DONE, Job, Outcome
from gaitid.batch.journal import Journal
from gaitid.batch.results_folder import locked, sweep
from gaitid.batch.supervisor import run_batch
from gaitid.batch.table import COLUMNS, batch_csv, results_in
from gaitid.batch.types import Planned
from gaitid.errors import WriteError


def planned(name: str) -> Planned:
    return Planned(Path(name), Path("out"), "P1", None, 0, (), "")


def test_the_table_keeps_the_order_of_the_plan_and_the_time_last() -> None:
    outcomes = {
        "b": Outcome(
            "b",
            DONE,
            figures={"frames": 100, "wrenches_filled": 2 / 3},
            run_time_s=0.25,
            verdict={"trial": "usable", "left": "good", "right": "usable", "worst_reason": "right: no heel, no load"},
        ),
        "a": Outcome("a", CRASHED, 'it said "no", twice'),
    }
    lines = batch_csv([planned("b"), planned("a"), planned("c")], outcomes).splitlines()
    none = "none: no static was found"
    assert lines == [
        ",".join(COLUMNS),
        f'b,P1,{none},done,,,,,usable,good,usable,"right: no heel, no load",100,,0.6666666667,,,,,,,,,0.250',
        f'a,P1,{none},crashed,"it said ""no"", twice",,,,,,,,,,,,,,,,,,,',
    ]


def test_a_journal_gives_back_what_was_done(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    name, outputs = "Zoë/walk\udcff.c3d", {"walk.run.json": "56"}
    outcome = Outcome(name, DONE, "", "12", "34", {"frames": 5}, outputs, 1.5, warnings=("a gap",))
    journal.write({})
    journal.append("Zoë/walk\udcff", outcome)
    with journal.path.open("a") as file:
        file.write('{"trial": "cut off')
    known = journal.read()
    assert known == {"Zoë/walk\udcff": replace(outcome, run_time_s=None)}


NOTED = Outcome("a", DONE, "", "12", "34", {"frames": 5, "wrenches_filled": 0.5}, {"a.run.json": "56", "a.csv": "78"})


def summed(text: str) -> str:
    """A line of anybody who knows how the sum is made."""
    return f'{text[:-1]}, "sha256": "{hashlib.sha256(text.encode()).hexdigest()}"}}\n'


def unsummed(journal: Journal) -> str:
    return journal.path.read_text().partition(', "sha256"')[0] + "}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"frames": 5', '"frames": 9999'),
        ('"frames": 5', '"frames": NaN'),
        ('"frames": 5', '"frames": 1e999'),
        ('"frames": 5', '"frames": 1' + "0" * 400),
        ('"frames": 5', '"frames": "x"'),
        ('"frames": 5', '"frames": [1]'),
        ('"frames": 5', '"frames": true'),
        ('"frames": 5', '"frames": 5, "frames": 5'),
        ('{"frames": 5, "wrenches_filled": 0.5}', "[]"),
        (', "a.csv": "78"', ""),
        ('"78"', "78"),
        ('"fingerprint": "34"', '"fingerprint": null'),
        ('"warnings": []', '"warnings": "x"'),
        ('"warnings": []', '"warnings": [1]'),
        ('"warnings": []', '"warnings": [], "run_time_s": "x"'),
        ('"warnings": []', '"warnings": [], "fatal": true'),
        ('"warnings": []', '"warnings": ' + "[" * 200_000),
        ('"warnings": []', '"warnings":  []'),
    ],
)
def test_a_line_that_was_changed_is_not_believed(tmp_path: Path, old: str, new: str) -> None:
    """Not even where its sum was made anew, but for what a line may say: other figures, fewer outputs."""
    journal = Journal(tmp_path)
    journal.write({"a": NOTED, "b": NOTED})
    line = journal.path.read_text().splitlines(keepends=True)[0]
    assert old in line
    journal.path.write_text(journal.path.read_text().replace(old, new, 1))
    assert list(journal.read()) == ["b"]
    journal.write({"a": NOTED})
    plain = unsummed(journal)
    journal.path.write_text(summed(plain))
    assert list(journal.read()) == ["a"]
    journal.path.write_text(summed(plain.replace(old, new)))
    assert list(journal.read()) == (["a"] if new in ('"frames": 9999', "") else [])


@pytest.mark.parametrize("name", [".gaitid", ".gaitid/lock", ".gaitid/batch.jsonl"])
def test_nothing_is_written_through_a_link(tmp_path: Path, name: str) -> None:
    """Nor through a second name of a file that is no lock."""
    out, mine = tmp_path / "out", tmp_path / "mine"
    mine.write_text("mine")
    (out / name).parent.mkdir(parents=True)
    (out / name).symlink_to(tmp_path if name == ".gaitid" else mine)
    outcome = replace(NOTED, outputs={})
    with pytest.raises(WriteError, match=r"is a link or a device|cannot write to"), locked(out, wait=False):
        Journal(out).append("a", outcome)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine", "out"]
    assert mine.read_text() == "mine"


@pytest.mark.parametrize(
    "table", ["", "trial,x\na,done\n", "trial,status\na,done\n", 'trial,status\n"' + "x" * 200_000]
)
def test_a_table_that_was_damaged_has_what_can_be_read(table: str) -> None:
    assert results_in(table) == ([("", "", "", "a", "", "")] if ",status\na" in table else [])


def test_sweep_takes_away_what_was_left_aside_only(tmp_path: Path) -> None:
    left = [".two\nlines.run.json.1.0.part", ".walk.wrenches.csv.4242.0.part", ".walk.run.json.1.12.part.old"]
    others = ["walk.run.json", ".part", ".my.part", "walk.4242.0.part", ".walk.4242.0.part.txt"]
    for name in (*left, *others):
        (tmp_path / name).touch()
    sweep([tmp_path, tmp_path / "absent"])
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(others)


def test_a_disk_that_is_full_ends_the_batch(tmp_path: Path) -> None:
    """At the first trial that finds it so: what is done is noted, the others are not begun."""
    begun: list[str] = []

    def schedule(jobs: Sequence[Job]) -> Iterator[Outcome]:
        for job in jobs:
            begun.append(job.name)
            full = job.name == "b"
            yield Outcome(job.name, "refused" if full else DONE, "cannot write to out" if full else "", fatal=full)

    jobs = [replace(works.job(name), folder=tmp_path) for name in "abc"]
    with pytest.raises(WriteError, match="cannot write to out; or mend that and go on with --resume"):
        run_batch([planned(name) for name in "abc"], jobs, tmp_path, schedule)
    assert begun == ["a", "b"]
    assert list(Journal(tmp_path).read()) == ["a"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_lock_that_is_no_lock(tmp_path: Path) -> None:
    lock = tmp_path / ".gaitid" / "lock"
    lock.parent.mkdir()
    os.mkfifo(lock)
    with pytest.raises(WriteError, match="lock is a link or a device"), locked(tmp_path, wait=False):
        pass
    lock.unlink()
    (tmp_path / "mine").write_text("mine")
    os.link(tmp_path / "mine", lock)
    with pytest.raises(WriteError, match="lock is no lock of gaitid"), locked(tmp_path, wait=False):
        pass
    assert (tmp_path / "mine").read_text() == "mine"
    lock.unlink()
    lock.write_text("\nprocess 4711 on a machine that lost its power\n")
    with locked(tmp_path, wait=False):
        assert str(os.getpid()) in lock.read_text()
