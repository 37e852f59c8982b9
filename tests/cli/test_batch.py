"""`gaitid batch`: the same bytes as `run`, whatever is broken, killed, resumed, or done by several."""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from slow import slow_but
from terminal import Done, assert_refused, assert_wrong_usage, gaitid

from gaitid.batch.results_folder import locked

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "batch"))
from recordings import BROKEN, FRAMES, SUBJECTS, WALKS, make_recordings

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    "contacts.csv",
    "cycles.csv",
    "features.csv",
    "joints.csv",
    "run.json",
    "spatiotemporal.csv",
    "stances.csv",
    "wrenches.csv",
)


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_recordings(tmp_path_factory.mktemp("data"))


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """With a folder as the current one."""
    before = Path.cwd()
    folder.mkdir(exist_ok=True)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def batch(dataset: Path, folder: Path, *options: object, output: str = "out") -> Done:
    with inside(folder):
        return gaitid("batch", dataset, "--model", "pig", "-o", output, *options)


def started(dataset: Path, folder: Path, *options: str, output: str = "out") -> subprocess.Popen[str]:
    """The same in a process group of its own, for signals."""
    folder.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "gaitid", "batch", str(dataset), "--model", "pig", "-o", output, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # a shell that runs tests in the background ignores Ctrl-C for them
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )


def table(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "out" / "batch.csv").read_text().splitlines()))


def tree(folder: Path, output: str = "out") -> dict[str, bytes]:
    """Every file of ``out``, hidden ones too, with its bytes; of batch.csv all but the time, its last column."""
    top = folder / output
    found = {p.relative_to(top).as_posix(): p.read_bytes() for p in top.rglob("*") if p.is_file()}
    found["batch.csv"] = b"\n".join(line.rpartition(b",")[0] for line in found["batch.csv"].splitlines())
    return found


def noted(folder: Path, output: str = "out") -> int:
    """Trials that the journal knows to be done."""
    journal = folder / output / ".gaitid" / "batch.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def noted_at_least(folder: Path, number: int, output: str = "out") -> bool:
    return noted(folder, output) >= number


def group_is_gone(process: int) -> bool:
    try:
        os.killpg(process, 0)
    except ProcessLookupError:
        return True
    return False


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.005)


@pytest.fixture(scope="session")
def undisturbed(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What one process makes of the data set in one go."""
    folder = tmp_path_factory.mktemp("undisturbed")
    done = batch(dataset, folder, "-j", 1)
    assert done.code == 1, done.err  # three are broken
    return folder


# --- what it makes ------------------------------------------------------------------------------------------


def test_all_but_the_broken_are_done(undisturbed: Path, dataset: Path) -> None:
    rows = table(undisturbed)
    assert len(rows) == SUBJECTS * WALKS
    refused = {Path(row["trial"]).relative_to(dataset).as_posix() for row in rows if row["status"] == "refused"}
    assert refused == BROKEN
    for row in rows:
        trial = Path(row["trial"])
        files = {p.name for p in (undisturbed / "out" / trial.parent.name).glob(f"{trial.stem}.*")}
        if row["status"] == "done":
            assert files == {f"{trial.stem}.{name}" for name in FILES}
            assert float(row["wrenches_filled"]) > 0.5  # share: of 1.5 s, two stances and a swing on each side
            assert float(row["run_time_s"]) > 0
            assert (row["frames"], row["contacts"], row["reason"]) == (str(FRAMES), "2", "")
        else:
            assert files == set()
            assert row["reason"]


def test_two_processes_make_the_same_bytes_and_say_what_they_do(
    undisturbed: Path, dataset: Path, tmp_path: Path
) -> None:
    """The pairing, one line a broken trial, a summary; nothing but the broken ones with -q. Nor does the folder's name
    count."""
    done = batch(dataset, tmp_path, "-j", 2, output="of/two processes")
    assert done.code == 1
    assert done.out == ""
    assert tree(tmp_path, "of/two processes") == tree(undisturbed)
    lines = done.lines
    assert lines[0] == f"gaitid: {SUBJECTS * WALKS} trials in 4 folders, 4 statics"
    assert "walk4.c3d and 2 more: subject P1; static " in lines[1]
    assert sum(any(f"{name}: " in line for name in BROKEN) for line in lines) == 3
    assert lines[-1].startswith(f"gaitid: {SUBJECTS * WALKS} trials: ")
    assert "21 done" in lines[-1]
    assert "3 refused" in lines[-1]
    quiet = batch(dataset, tmp_path, "-j", 2, "-q", "--resume", output="of/two processes")
    assert len(quiet.lines) == 3
    assert all(any(f"{name}: " in line for name in BROKEN) for line in quiet.lines)


def test_the_same_bytes_as_run(undisturbed: Path, dataset: Path) -> None:
    """The record's own command, run again, changes nothing."""
    before = tree(undisturbed)
    for name in ("P1/walk10", "P4/walk2"):
        words = json.loads((undisturbed / "out" / f"{name}.run.json").read_text())["command"]
        trial, static = dataset / f"{name}.c3d", dataset / name[:2] / "static.c3d"
        assert words == ["gaitid", "run", str(trial), "--model", "pig", "--static", str(static)]
        with inside(undisturbed):
            assert gaitid(*words[1:], "-o", f"out/{name[:2]}").code == 0
    assert tree(undisturbed) == before


def test_a_manifest_with_options_of_its_own(dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "plan.csv").write_text(
        "subject,static,trials,cutoff\n"
        f"Ann,{dataset}/P1/static.c3d,{dataset}/P1/walk1.c3d,6\nBob,none,{dataset.parent}/one/calibrated.c3d,none\n"
    )
    done = batch(tmp_path / "plan.csv", tmp_path, "-j", 1)
    assert done.code == 0, done.err
    statics = {row["subject"]: row["static"] for row in table(tmp_path)}
    assert statics == {"Ann": str(dataset / "P1" / "static.c3d"), "Bob": "none: the manifest says so"}
    names = ("recordings/P1/walk1", "one/calibrated")
    records = [json.loads((tmp_path / "out" / f"{name}.run.json").read_text()) for name in names]
    assert [r["settings"]["cutoff_hz"] for r in records] == [6, None]


# --- what it says -------------------------------------------------------------------------------------------


@pytest.fixture
def two_people(dataset: Path, tmp_path: Path) -> Path:
    """``P1`` with a static of 45 kg beside two walks of 70 kg, and ``P2``."""
    for name in ("P1", "P2"):
        (tmp_path / "people" / name).mkdir(parents=True)
        for file in ("static.c3d", "walk1.c3d", "walk2.c3d"):
            shutil.copy(dataset / name / file, tmp_path / "people" / name)
    static = tmp_path / "people" / "P1" / "static.c3d"
    content = static.read_bytes()
    at = content.index(struct.pack("<f", 70.0), content.index(b"Bodymass"))
    static.write_bytes(content[:at] + struct.pack("<f", 45.0) + content[at + 4 :])
    return tmp_path / "people"


def test_a_static_that_may_be_another_persons(two_people: Path, tmp_path: Path) -> None:
    """Found: refused, in full once. Given: done, with a line each time; the log has every warning."""
    found = batch(two_people, tmp_path, "-j", 1, "-q")
    assert found.code == 1
    first, second = found.lines
    assert "walk1.c3d: the static may be another person's: its mass is 45 kg, the trial's 70 kg (" in first
    assert second.endswith("walk2.c3d: the same as " + first.removeprefix("gaitid: ").partition(": ")[0])
    reasons = {row["reason"] for row in table(tmp_path) if row["status"] == "refused"}
    assert len(reasons) == 1
    log = tmp_path / "log.jsonl"
    static = two_people / "P1" / "static.c3d"
    for k in range(2):
        done = batch(two_people / "P1", tmp_path / "given", "-j", 1, "--static", static, "--log", log, "--resume")
        assert done.code == 0
        warned = [line for line in done.lines if "warning: the static may be another person's: its mass" in line]
        assert len(warned) == 2
        events = [json.loads(line) for line in log.read_text().splitlines()]
        noted = [e["message"] for e in events if e["event"] == "warning" and e["level"] == "warning"]
        assert sum(text.startswith("the static may be another") for text in noted) == 2 * (k + 1)
    record = json.loads((tmp_path / "given" / "out" / "walk1.run.json").read_text())
    mine = [e["message"] for e in events if e["event"] == "warning" and str(e["trial"]).endswith("walk1.c3d")]
    assert mine[: len(mine) // 2] == [note["text"] for note in record["warnings"]]


# --- resume -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("times", slow_but([1], [1, 3]))
def test_killed_and_resumed(undisturbed: Path, dataset: Path, tmp_path: Path, times: int) -> None:
    """Kill −9 at random moments, the workers left to themselves; then the same bytes, no part of a file left.

    In a folder of another name than the undisturbed one, as who compares the two would have it.
    """
    chance, output = random.Random(5), "killed"
    for k in range(times):
        process = started(dataset, tmp_path, "-j", "2", *(["--resume"] if k else []), output=output)
        wait_until(partial(noted_at_least, tmp_path, 5 * (k + 1), output))
        time.sleep(chance.uniform(0, 0.1))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL  # not done before it was killed
        assert not (tmp_path / output / "batch.csv").exists()
    done = batch(dataset, tmp_path, "-j", 2, "--resume", output=output)
    assert done.code == 1
    assert "done before" in done.lines[-1]
    assert tree(tmp_path, output) == tree(undisturbed)


@pytest.fixture
def finished(undisturbed: Path, tmp_path: Path) -> Path:
    """A copy of the finished batch."""
    shutil.copytree(undisturbed, tmp_path / "copy")
    return tmp_path / "copy"


def worked_on(folder: Path) -> set[str]:
    return {"/".join(Path(row["trial"]).parts[-2:]) for row in table(folder) if row["run_time_s"]}


def test_resume_after_a_change_does_what_it_touches(dataset: Path, tmp_path: Path) -> None:
    """Another static: its trials; other options: all. Without --resume: all, too."""
    changed = tmp_path / "recordings"
    for name in ("P1/static.c3d", "P1/walk1.c3d", "P2/static.c3d", "P2/walk1.c3d", "P2/walk2.c3d"):
        (changed / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(dataset / name, changed / name)
    all_of_them = {"P1/walk1.c3d", "P2/walk1.c3d", "P2/walk2.c3d"}
    assert batch(changed, tmp_path, "-j", 1).code == 0
    assert batch(changed, tmp_path, "-j", 1, "--resume").code == 0
    assert worked_on(tmp_path) == set()
    with (changed / "P2" / "static.c3d").open("ab") as file:
        file.write(b"\0")
    assert batch(changed, tmp_path, "-j", 1, "--resume").code == 0
    assert worked_on(tmp_path) == {"P2/walk1.c3d", "P2/walk2.c3d"}
    assert batch(changed, tmp_path, "-j", 1, "--resume", "--cutoff", 6).code == 0
    assert worked_on(tmp_path) == all_of_them
    assert batch(changed, tmp_path, "-j", 1, "--cutoff", 6).code == 0
    assert worked_on(tmp_path) == all_of_them


# --- signals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted(undisturbed: Path, dataset: Path, tmp_path: Path, number: signal.Signals, code: int) -> None:
    """Ctrl-C reaches all processes of the group: one line, nothing half, nobody left; --resume goes on."""
    process = started(dataset, tmp_path, "-j", "2")
    wait_until(partial(noted_at_least, tmp_path, 5))
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code, err
    assert "Traceback" not in err
    assert not list((tmp_path / "out").rglob("*.part*"))
    wait_until(partial(group_is_gone, process.pid))
    if number == signal.SIGINT:
        assert "interrupted; " in err.splitlines()[-1]
        assert "--resume" in err.splitlines()[-1]
        assert batch(dataset, tmp_path, "-j", 2, "--resume").code == 1
        assert tree(tmp_path) == tree(undisturbed)


# --- limits, locks, disks -----------------------------------------------------------------------------------


def test_a_full_disk(dataset: Path, tmp_path: Path) -> None:
    """A file system of 1 MB: one line, no half file; after room was made, --resume goes on."""
    out = tmp_path / "out"
    out.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", out], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        done = batch(dataset / "P1", tmp_path, "-j", 2, "-q")
        assert_refused(done, "cannot write to out", "No space left on device", "--resume")
        assert not list(out.rglob("*.part*"))
        assert not (out / "batch.csv").exists()
        n_done = noted(tmp_path)
        assert 0 < n_done < WALKS
        complete = list(out.glob("walk*.run.json"))
        assert len(complete) in (n_done, n_done + 1)  # the other worker may have finished one that was not noted
        assert all((out / p.name.replace("run.json", name)).exists() for p in complete for name in FILES)
        subprocess.run(["mount", "-o", "remount,size=50m", out], check=True)
        again = batch(dataset / "P1", tmp_path, "-j", 2, "--resume")
        assert again.code == 0
        assert f"{n_done} done before" in again.lines[-1]
    finally:
        subprocess.run(["umount", out], check=True)


# --- refusals before any work -------------------------------------------------------------------------------


def test_wrong_usage(dataset: Path, tmp_path: Path) -> None:
    assert_wrong_usage(batch(dataset, tmp_path, "-j", 0), "-j")
    assert_wrong_usage(batch(dataset, tmp_path, "--memory-limit", 60), "--memory-limit 60", "256")
    assert_wrong_usage(batch(dataset, tmp_path, "--cutoff", "fast"), "--cutoff")
    assert_wrong_usage(batch(dataset, tmp_path, "--set", "x"), "--set")
    assert_wrong_usage(batch(dataset, tmp_path, "--assign", "left=1@1-50"), "--assign", "manifest")
    assert_wrong_usage(gaitid("batch", dataset, "--model", "pig", "-o", str(tmp_path / "{parent}")), "mirrors")
    assert_wrong_usage(gaitid("batch", dataset, "--model", "pig"), "-o")


def test_a_trial_that_is_not_to_be_used_has_a_line_and_a_cure(dataset: Path, tmp_path: Path) -> None:
    from terminal import edited_c3d, set_parameter

    for name in ("walk1.c3d", "static.c3d"):
        source, target = dataset / "P1" / name, tmp_path / "data" / name.replace("1", "")
        edited_c3d(source, target, lambda c: set_parameter(c, "Bodymass", 70 * 2.2046))
    done = batch(tmp_path / "data", tmp_path, "-j", 1)
    assert done.code == 0
    (line,) = [line for line in done.lines if "walk.c3d: do not use: " in line]
    assert "a mass in pounds read as kilograms, it seems; cure: give the mass in kg" in line
    assert "; 1 do not use; wrote " in done.lines[-1]
    (row,) = table(tmp_path)
    assert (row["status"], row["verdict"], row["left"], row["right"]) == ("done", *["do not use"] * 3)


def test_two_batches_in_one_folder(dataset: Path, tmp_path: Path) -> None:
    with locked(tmp_path / "out", wait=False):
        second = batch(dataset, tmp_path, "-j", 1, "-q")
    assert_refused(second, "out: another batch works there", f"process {os.getpid()} on ", "--wait")
    assert batch(dataset / "P1" / "walk1.c3d", tmp_path, "-j", 1, "-q").code == 0
