"""What a terminal shows, what the journal and the table hold."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import works

from gaitid.batch import journal as journals
from gaitid.batch.job import CRASHED, DONE, Job, Outcome
from gaitid.batch.journal import Journal
from gaitid.batch.previous import refuse_foreign_tables, refuse_other_root
from gaitid.batch.results_folder import FOLDER, JOURNAL, LOCK, ROOT, TABLE, locked, sweep, writing
from gaitid.batch.supervisor import run_batch
from gaitid.batch.table import COLUMNS, batch_csv, results_in
from gaitid.batch.types import Planned
from gaitid.cli import streams
from gaitid.cli.progress import Bar
from gaitid.errors import WriteError


def planned(name: str) -> Planned:
    return Planned(Path(name), Path("out"), "P1", None, 0, (), "")


def test_a_bar_with_rate_and_time_left() -> None:
    progress = Bar(1000, shown=False)
    for i in range(250):
        progress.add(worked=i >= 50, refused=i < 3)
    # 200 worked on in 100 s are 2/s; 750 are left
    assert progress.line(100.0) == "[######                  ] 250/1000  3 refused  2.0/s  0:06:15 left"


def test_nothing_is_known_of_the_rate_of_what_was_done_before() -> None:
    progress = Bar(4, shown=False)
    progress.add(worked=False, refused=False)
    assert progress.line(1.0) == "[######                  ] 1/4"


def test_the_bar_is_drawn_over_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stream := io.StringIO())
    Bar(1, shown=True).add(worked=True, refused=False)
    streams.erase_line()
    assert stream.getvalue().startswith("\r[########################] 1/1")
    assert "\n" not in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[K")


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


@pytest.mark.parametrize("line", [b"[" * 200_000, b"\xff\xfe", b"5", b'"x"', b"null", b"{}", b"\0" * 100, b""])
def test_lines_that_are_no_lines_of_ours(tmp_path: Path, line: bytes) -> None:
    journal = Journal(tmp_path)
    journal.write({"a": NOTED})
    journal.path.write_bytes(line + b"\n" + journal.path.read_bytes() + line)
    assert list(journal.read()) == ["a"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_journal_that_is_no_file(tmp_path: Path) -> None:
    """A pipe would be waited for, a device has no end: neither is read, nor is a file put in its place."""
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero"), Path.mkdir):
        journal = Journal(tmp_path / make.__name__)
        journal.path.parent.mkdir(parents=True, exist_ok=True)
        journal.path.unlink(missing_ok=True)
        make(journal.path)
        assert journal.read() == {}
        with pytest.raises(WriteError, match=r"cannot write to .* \(batch\.jsonl is a (device|folder)"):
            journal.write({"a": NOTED})


def test_a_journal_that_leads_nowhere(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.path.parent.mkdir()
    journal.path.symlink_to(journal.path)
    assert journal.read() == {}
    journal.write({"a": NOTED})
    assert list(journal.read()) == ["a"]


def test_a_journal_that_is_too_large(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.write({"a": NOTED})
    with journal.path.open("ab") as file:
        file.truncate(300 * 10**9)
    assert journal.read() == {}


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


def test_names_in_the_table_are_as_they_are_but_for_what_a_terminal_obeys() -> None:
    """A path stays that path, also one that a spreadsheet takes for a formula."""
    names = ["=1+2.c3d", "two  blanks.c3d", "Zoë\u200c\xa0膝.c3d", "a\x1b[31m\n\u0085.c3d", "b\udcff.c3d"]
    table = batch_csv([planned(name) for name in names], {name: Outcome(name, DONE) for name in names})
    assert len(table.splitlines()) == len(names) + 1
    expected = [*names[:3], r"a\x1b[31m\n\x85.c3d", r"b\udcff.c3d"]
    assert [row["trial"] for row in csv.DictReader(io.StringIO(table))] == expected


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


@pytest.mark.parametrize("name", [JOURNAL, ROOT, LOCK, TABLE])
@pytest.mark.parametrize("size", [1, 700])
def test_a_file_of_zeros_is_as_good_as_none(name: str, size: int, tmp_path: Path) -> None:
    """A file system may leave zeros in place of what was written last when the power goes."""
    path = tmp_path / name if name == TABLE else tmp_path / FOLDER / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(bytes(size))
    with locked(tmp_path, wait=False):
        refuse_other_root(tmp_path, tmp_path / "anywhere")
        refuse_foreign_tables(tmp_path)
        assert Journal(tmp_path).read() == {}


def test_a_table_of_somebody_else_that_begins_with_zeros_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / TABLE).write_bytes(bytes(100) + b"data")
    with pytest.raises(WriteError, match="was not made by gaitid"):
        refuse_foreign_tables(tmp_path)


def test_zeros_behind_the_lines_of_a_journal_cost_none_of_them(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    done = {"P1/walk": NOTED}
    with locked(tmp_path, wait=False):
        journal.write(done)
    with journal.path.open("ab") as file:
        file.write(bytes(300))
    assert journal.read() == done


def test_the_lock_is_free_again(tmp_path: Path) -> None:
    for _ in range(2):
        with locked(tmp_path, wait=False), pytest.raises(WriteError, match="another batch"), locked(tmp_path, False):
            pass
    assert (tmp_path / ".gaitid" / "lock").read_bytes() == b""


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Lustre without the option `flock`: the batch works, unguarded."""
    import fcntl

    def no_locks(descriptor: int, how: int) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with locked(tmp_path, wait=False):
        assert (tmp_path / ".gaitid" / "lock").exists()


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


def test_a_disk_that_is_full_when_the_journal_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(journals, "put_all", full)
    with pytest.raises(WriteError, match=r"cannot write to .*No space left on device.*--resume"):
        Journal(tmp_path).write({})


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EACCES, errno.EROFS])
def test_room_is_asked_for_where_it_is_missing_only(tmp_path: Path, number: int) -> None:
    with pytest.raises(WriteError) as refused, writing(tmp_path):
        raise OSError(number, os.strerror(number))
    assert refused.value.todo == "give another folder with -o; --resume goes on"
    with pytest.raises(WriteError, match="make room, or give another"), writing(tmp_path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_the_lock_as_windows_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One byte at the file's position, refused with EACCES, let go before the file is closed."""
    held: set[int] = set()

    def locking(descriptor: int, mode: int, n_bytes: int) -> None:
        assert (os.lseek(descriptor, 0, os.SEEK_CUR), n_bytes) == (0, 1)
        if mode == 0:
            held.remove(0)
        elif held:
            raise PermissionError(errno.EACCES, "Permission denied")
        held.add(0) if mode else None

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_UNLCK=0, LK_NBLCK=2))
    for _ in range(2):
        with locked(tmp_path, wait=False):
            # byte 0 is locked: what others read of the holder begins after it
            assert (tmp_path / ".gaitid" / "lock").read_bytes().startswith(f"\nprocess {os.getpid()} on ".encode())
            with pytest.raises(WriteError, match=f"another batch works there .process {os.getpid()} on"):
                locked(tmp_path, wait=False).__enter__()
        assert held == set()
