"""A data set of 1,000 simulated trials, 50 of them broken: speed, memory, and the same bytes after three kills.

    python benchmarks/batch.py [--trials 1000] [--broken 50] [--duration 4] [--seed 1] [--repeat 1] [--uncertainty]
                               [--processes 1 2] [--folder DIR]

Prints trials a second with one process and two (and a second of a processor, start-up included), in turn, the ratio of
the fastest of each beside its target, what a trial takes on disk, the resident memory of the process that works at
tenths of the time, and whether
a batch that was killed three times (kill −9 at random moments) and resumed left the bytes of one that nobody disturbed.
The exit code says whether all of that but the ratio is as it must be. Speeds are of this machine in these minutes; the
load is printed beside them.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from common import ROOT

FOLDERS = 50
# Trials a second of two processes over those of one.
TARGET = 1.9


def truncated(trial: bytes) -> bytes:
    return trial[: len(trial) // 2]


def no_c3d(trial: bytes) -> bytes:
    return b"This was a trial.\n"


def other_labels(trial: bytes) -> bytes:
    return trial.replace(b"LKNE", b"XXXX").replace(b"RKNE", b"YYYY")


def no_frames(trial: bytes) -> bytes:
    """The last frame before the first, in the header's fifth word."""
    return trial[:8] + b"\0\0" + trial[10:]


def wrong_count(trial: bytes) -> bytes:
    """More points than the parameters say, in the header's second word."""
    return trial[:2] + b"\xff\x00" + trial[4:]


BREAK: tuple[Callable[[bytes], bytes], ...] = (truncated, no_c3d, other_labels, no_frames, wrong_count)


def make(top: Path, trials: int, broken: int, duration: float, chance: random.Random) -> set[str]:
    """The data set; names of the broken ones."""
    from gaitid.simulate.files import simulate

    walks = []
    for seed in range(5):
        simulate("walk", top / "made", duration=duration, seed=seed, marker_noise_mm=0.5, force_noise_N=1.0)
        walks.append((top / "made" / "walk.c3d").read_bytes())
    bad = set(chance.sample(range(trials), broken))
    names = set()
    for i in range(trials):
        folder = top / "data" / f"P{i % FOLDERS + 1:02}"
        if not folder.exists():
            folder.mkdir(parents=True)
            shutil.copy(top / "made" / "static.c3d", folder)
        content = walks[i % len(walks)] + i.to_bytes(4, "little")  # after the last frame: no two of the same hash
        if i in bad:
            content = BREAK[len(names) % len(BREAK)](content)
            names.add(f"{folder.name}/walk{i}.c3d")
        (folder / f"walk{i}.c3d").write_bytes(content)
    shutil.rmtree(top / "made")
    return names


def start(data: Path, folder: Path, *options: str) -> subprocess.Popen[str]:
    folder.mkdir(exist_ok=True)
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "gaitid", "batch", str(data), "--model", "pig", "-o", "out", *options]
    return subprocess.Popen(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, stderr=subprocess.PIPE, text=True
    )


def resident_MB(parent: int) -> float:
    """Of the largest process below another, from Linux's /proc; 0 where there is none."""
    largest = 0.0
    for task in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in task.read_text().splitlines())
        except (OSError, ValueError):
            continue
        if int(fields["PPid"]) == parent and "VmRSS" in fields:
            largest = max(largest, int(fields["VmRSS"].split()[0]) / 1024)
    return largest


def whole(data: Path, folder: Path, broken: set[str], *options: str) -> tuple[float, list[float], str]:
    """Seconds of one undisturbed batch, memory of its largest worker over time (MB), and what it said last."""
    begin = time.perf_counter()
    process = start(data, folder, *options)
    memory: list[float] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.25):
            memory.append(resident_MB(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, err = process.communicate()
    seconds = time.perf_counter() - begin
    ended.set()
    watcher.join()
    assert process.returncode == bool(broken), err
    return seconds, [m for m in memory if m], err.splitlines()[-1]


def processor_s() -> float:
    """Spent by all processes begun here that have ended."""
    spent = os.times()
    return spent.children_user + spent.children_system


def tree(folder: Path) -> tuple[dict[str, str], int]:
    """Hashes of all files below, hidden ones too; batch.csv without the time, its last column. And their bytes."""
    top = folder / "out"
    files = [path for path in top.rglob("*") if path.is_file()]
    hashes = {path.relative_to(top).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files}
    rows = (top / "batch.csv").read_bytes().splitlines()
    hashes["batch.csv"] = sha256(b"\n".join(row.rpartition(b",")[0] for row in rows)).hexdigest()
    return hashes, sum(path.stat().st_size for path in files)


def not_done(folder: Path) -> set[str]:
    rows = [line.split(",") for line in (folder / "out" / "batch.csv").read_text(encoding="utf-8").splitlines()[1:]]
    return {"/".join(Path(row[0]).parts[-2:]) for row in rows if row[3] != "done"}


def killed(data: Path, folder: Path, seconds: float, chance: random.Random, *options: str) -> list[int]:
    """Begin, kill −9 at a random moment, go on with --resume, three times; trials done at each kill."""
    noted = []
    for i in range(3):
        process = start(data, folder, "-j", "2", *options, *(["--resume"] if i else []))
        time.sleep(chance.uniform(0.1, 0.3) * seconds)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        journal = folder / "out" / ".gaitid" / "batch.jsonl"
        noted.append(journal.read_bytes().count(b"\n") if journal.exists() else 0)
    return noted


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--broken", type=int, default=50)
    parser.add_argument("--duration", type=float, default=4.0, help="of each trial, s")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=1, help="of the batches with one process and with two")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--uncertainty", action="store_true", help="also the bands")
    parser.add_argument("--folder", type=Path, help="for the data and results, instead of a temporary one")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        top = Path(name)
        broken = make(top, options.trials, options.broken, options.duration, chance)
        data, rates, results = top / "data", {}, {}
        more = ["--uncertainty"] if options.uncertainty else []
        for n, again in ((n, again) for again in range(options.repeat) for n in options.processes):
            before = processor_s()
            seconds, memory, last = whole(data, top / f"n{n}", broken, "-j", str(n), *more)
            used = processor_s() - before
            rates[n] = max(rates.get(n, 0.0), options.trials / seconds)
            print(
                f"-j {n}: {seconds:.1f} s, {options.trials / seconds:.1f} trials/s, "
                f"{options.trials / used:.1f} trials a processor second; load {os.getloadavg()[0]:.1f}; {last}",
                flush=True,
            )
            if again + 1 < options.repeat:
                shutil.rmtree(top / f"n{n}")
                continue
            results[n], size = tree(top / f"n{n}")
            tenths = [memory[round(k * (len(memory) - 1) / 10)] for k in range(1, 11)]
            print(f"   on disk: {size / 1e6 / options.trials:.2f} MB a trial")
            print("   resident memory of the largest worker at tenths of the time, MB:", *(f"{m:.0f}" for m in tenths))
        if rates.keys() >= {1, 2}:
            print(f"two processes over one: {rates[2] / rates[1]:.2f}, target {TARGET}")
        noted = killed(data, top / "killed", options.trials / rates[n], chance, *more)
        _, _, last = whole(data, top / "killed", broken, "-j", "2", "--resume", *more)
        print(f"killed with {', '.join(map(str, noted))} trials done, resumed: {last}")
        checks = {
            f"the {options.broken} broken trials are named, and no other": not_done(top / f"n{n}") == broken,
            "any number of processes makes the same bytes": all(result == results[n] for result in results.values()),
            "killed and resumed: the same bytes": results[n] == tree(top / "killed")[0],
            # the first trials fill what is kept of models and statics
            "memory is flat (within 10 % after the first fifth)": max(tenths[2:]) < 1.1 * tenths[1],
        }
        for what, right in checks.items():
            print(f"{'yes' if right else 'NO '} {what}")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
