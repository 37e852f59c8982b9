"""Show that a change leaves every byte that gaitid writes as it was.

    python benchmarks/same_files.py [--against COMMIT] [--quick] [--only PATTERN] [--jobs N] [--keep FOLDER]

The commands of ``same_files_commands.py`` are run with this checkout as it lies here and with a copy of COMMIT, each
command in a folder that looks the same to both. All files that they write, stdout, stderr and exit codes are compared,
with the texts of messages. What may differ stands in the tables below, with its reason. The exit code is 1 where
anything else differs.

--keep FOLDER keeps what was written (``before`` and ``after``, to be looked at with ``diff -r``); with the same FOLDER
again, what the commit wrote is not made anew. --only takes cases by a part of their name, or a pattern as
``'recorded/*/walk.c3d'``.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "trials"
TIME_LIMIT_S = 900.0
# Two processes share the machine, and none asks how wide a terminal is.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "100"}

# --- what may differ ----------------------------------------------------------------------------------------------

#: Sections of a record, and why they may differ.
SECTIONS = {"gaitid": "the version", "versions": "of gaitid, Python and numpy"}
#: Keys of a line of a log.
LOG_KEYS = {"time": "when it was", "pid": "which process it was", "duration_s": "how long it took"}
#: Columns of a batch's table.
COLUMNS = {"run_time_s": "how long it took", "fingerprint": "the version goes into it"}
#: Folders that are not compared.
FOLDERS = {".gaitid": "where a batch remembers what it did, with times: no result"}
#: Of pages, logs and stderr.
TEXTS = {
    r'(?<=<span>gaitid )[^<]*|(?<=<th scope="row">gaitid</th><td>)[^<]*': "the version in a page",
    r"(?<=\bgaitid )\d+\.\d+[\w.+]*": "the version in a text",
    r"[\d.]+(?= trials/s)": "how fast a batch was",
}

# --- comparing ----------------------------------------------------------------------------------------------------

# So many columns, lines and places are named.
NAMED = 3
_LONG = 80
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_KEY = re.compile(r'\s*("(?:[^"\\]|\\.)*")\s*:\s*')
_SEPARATOR = re.compile(r"\s*,?")


def without(text: str, names: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    """The text of a JSON object, to the byte, without some of its entries; and these."""
    decode = json.JSONDecoder().raw_decode
    position = text.index("{") + 1
    kept, left_out = [], {}
    while (key := _KEY.match(text, position)) is not None:
        name = json.loads(key[1])
        value, end = decode(text, key.end())
        if name in names:
            left_out[name] = value
        else:
            kept.append(text[position:end])
        separator = _SEPARATOR.match(text, end)
        position = separator.end() if separator else end
    return "{" + ",".join(kept) + text[position:], left_out


def comparable(name: str, content: str) -> str:
    """The text of a file without what may differ."""
    if name.endswith(".jsonl"):
        return replaced("\n".join(without(line, LOG_KEYS)[0] for line in content.splitlines() if line))
    if name == "batch.csv":
        rows = list(csv.reader(io.StringIO(content)))
        kept = [i for i, column in enumerate(rows[0]) if column not in COLUMNS] if rows else []
        table = io.StringIO()
        csv.writer(table, lineterminator="\n").writerows([[row[i] for i in kept if i < len(row)] for row in rows])
        return table.getvalue()
    if name.endswith((".json", ".stdout")) and content.startswith("{"):
        with suppress(ValueError):
            return without(content, SECTIONS)[0]
    return replaced(content) if name.endswith((".html", ".stdout", ".stderr")) else content


def replaced(text: str) -> str:
    for pattern in TEXTS:
        text = re.sub(pattern, "…", text)
    return text


def difference(name: str, before: str, after: str) -> str:
    """Where two texts differ and by how much, in a line; empty where they do not."""
    if before == after:
        return ""
    words = ""
    if name.endswith(".csv"):
        words = table_difference(before, after)
    elif before.startswith("{") and after.startswith("{") and not name.endswith(".jsonl"):
        words = record_difference(before, after)
    return words or line_difference(before, after)


def apart(before: str, after: str) -> float | None:
    """How far two numbers lie apart; None where one is none."""
    try:
        return abs(float(before) - float(after))
    except ValueError:
        return None


def change(before: object, after: object) -> str:
    return f"{_short(before)} -> {_short(after)}"


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return (text if len(text) <= _LONG else f"{text[: _LONG - 1]}…") or "empty"


def _listed(words: Sequence[str], what: str) -> str:
    """The first few, and how many more there are."""
    more = len(words) - NAMED
    return "; ".join(words[:NAMED]) + (f"; and {more} more {what}" if more > 0 else "")


def table_difference(before: str, after: str) -> str:
    """Columns and rows that are gone or new, then the columns that differ, the largest difference first."""
    tables = (list(csv.reader(io.StringIO(text))) or [[]] for text in (before, after))
    (names, *rows), (other_names, *other_rows) = tables
    words = [
        f"column {name} is {fate}"
        for fate, some, others in (("gone", names, other_names), ("new", other_names, names))
        for name in some
        if name not in others
    ]
    if len(rows) != len(other_rows):
        words.append(f"{len(rows)} -> {len(other_rows)} rows")
    columns = []
    for name in (name for name in names if name in other_names):
        i, k = names.index(name), other_names.index(name)
        cells = [
            (apart(row[i], other[k]), f"{names[0]} {row[0]}, line {line}", row[i], other[k])
            for line, (row, other) in enumerate(zip(rows, other_rows), start=2)
            if i < len(row) and k < len(other) and row[i] != other[k]
        ]
        if cells:
            columns.append(_column_difference(name, cells))
    columns.sort(key=lambda entry: -entry[0])
    return _listed([*words, *(text for _, text in columns)], "columns")


def _column_difference(name: str, cells: Sequence[tuple[float | None, str, str, str]]) -> tuple[float, str]:
    """How much a column differs, and in words; text and cells that became empty count more than any number."""
    others = [cell for cell in cells if cell[0] is None]
    size, place, before, after = others[0] if others else max(cells, key=lambda cell: cell[0] or 0.0)
    at_most = f"at most {size:.3g}: " if size is not None else ""
    words = f"{name} in {len(cells)} rows, {at_most}{change(before, after)} at {place}"
    return (float("inf") if size is None else size), words


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value:
        for i, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{i}]")
    else:
        yield path, value


def record_difference(before: str, after: str) -> str:
    """Keys that are gone or new, then values that differ: texts, and the largest numeric difference first."""
    try:
        old, new = (dict(_leaves(json.loads(text))) for text in (before, after))
    except ValueError:
        return ""
    keys = [f"{path} is gone" for path in old if path not in new]
    keys += [f"{path} is new" for path in new if path not in old]
    values = []
    for path in (path for path in old if path in new and old[path] != new[path]):
        size, words = apart(str(old[path]), str(new[path])), f"{path}: {change(old[path], new[path])}"
        values.append((float("inf"), words) if size is None else (size, f"{words} ({size:.3g})"))
    values.sort(key=lambda entry: -entry[0])
    return _listed([*keys, *(words for _, words in values)], "entries")


def line_difference(before: str, after: str) -> str:
    """The first line that differs, and the largest numeric difference of lines that differ in numbers alone."""
    old, new = before.splitlines(), after.splitlines()
    pairs = [(i, a, b) for i, (a, b) in enumerate(zip(old, new), start=1) if a != b]
    words = [f"{len(old)} -> {len(new)} lines"] if len(old) != len(new) else []
    if pairs:
        number, a, b = pairs[0]
        same = next((k for k, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        start = same if len(a) > _LONG else 0
        words.append(f"line {number}: {change(a[start:], b[start:])}")
    numeric = [(a, b) for _, a, b in pairs if _NUMBER.sub("0", a) == _NUMBER.sub("0", b)]
    sizes = [apart(x, y) or 0.0 for a, b in numeric for x, y in zip(_NUMBER.findall(a), _NUMBER.findall(b))]
    if sizes:
        words.append(f"largest numeric difference {max(sizes):.3g}")
    return "; ".join(words) or "ends of lines"


def byte_difference(before: bytes, after: bytes) -> str:
    """Of files that are no text."""
    first = next((i for i, (a, b) in enumerate(zip(before, after)) if a != b), min(len(before), len(after)))
    count = sum(a != b for a, b in zip(before, after)) + abs(len(before) - len(after))
    return f"{count} of {change(len(before), len(after))} bytes, from byte {first}"


@dataclass
class Comparison:
    """What comparing the files of one case, or of all, gave.

    Attributes
    ----------
    faults : dict of str to list of str
        By command: what differs and may not.
    files : int
        That were compared.
    """

    faults: dict[str, list[str]] = field(default_factory=dict)
    files: int = 0


def compare_folders(before: Path, after: Path) -> Comparison:
    """Compare all files of two folders of one case."""
    result = Comparison()
    old, new = _files(before), _files(after)
    for name in sorted(old | new):
        result.files += 1
        words = "is gone" if name not in new else "is new" if name not in old else ""
        if not words:
            words = compare_files(before / name, after / name)
        if words:
            command, _, rest = name.partition("/")
            key = command if rest else command.partition(".")[0]
            result.faults.setdefault(key, []).append(f"{name}: {words}")
    return result


def compare_files(before: Path, after: Path) -> str:
    """What differs in one file and may not."""
    old, new = before.read_bytes(), after.read_bytes()
    if old == new:
        return ""
    try:
        texts = [comparable(before.name, content.decode("utf-8")) for content in (old, new)]
    except UnicodeDecodeError:
        return byte_difference(old, new)
    return difference(before.name, *texts)


def _files(folder: Path) -> set[str]:
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in paths if not FOLDERS.keys() & set(path.parts)}


# --- running ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """One of the two trees, and where what it writes is kept."""

    tree: Path
    kept: Path
    commit: str = ""


def run_case(name: str, commands: Mapping[str, Sequence[str]], side: Side, folder: Path) -> Path:
    """Run the commands of a case with one tree; the folder of what it wrote.

    Both trees work in the same place, one after the other, so that no path tells them apart.
    """
    kept = side.kept / name
    note = kept.with_name(f"{kept.name}.made_by")
    what = json.dumps([side.commit, commands])
    if side.commit and kept.is_dir() and note.is_file() and note.read_text(encoding="utf-8") == what:
        return kept
    shutil.rmtree(kept, ignore_errors=True)
    work = folder / "work" / name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "inputs").symlink_to(folder / "inputs")
    for command, words in commands.items():
        code, out, err = run_gaitid(side.tree, words, work)
        for suffix, content in (("exit", f"{code}\n".encode()), ("stdout", out), ("stderr", err)):
            if content:  # `models list` says where the bundled files lie
                (work / f"{command}.{suffix}").write_bytes(content.replace(bytes(side.tree), b"TREE"))
    (work / "inputs").unlink()
    kept.parent.mkdir(parents=True, exist_ok=True)
    work.rename(kept)
    note.write_text(what, encoding="utf-8")
    return kept


def run_gaitid(tree: Path, words: Sequence[str], folder: Path) -> tuple[int | str, bytes, bytes]:
    """Exit code, stdout and stderr."""
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(tree)}
    command = [sys.executable, "-m", "gaitid", *words]
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"no end within {TIME_LIMIT_S:.0f} s", b"", b""
    return done.returncode, done.stdout, done.stderr


def check_out(commit: str, folder: Path) -> Path:
    """The files of a commit in a folder."""
    if not folder.is_dir():
        packed = subprocess.run(["git", "-C", str(ROOT), "archive", commit], check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
    return folder


def refuse_other_package(tree: Path) -> None:
    """Raise where Python would not take gaitid from a tree."""
    words = [sys.executable, "-c", "import gaitid; print(gaitid.__file__)"]
    where = subprocess.run(words, env={**os.environ, "PYTHONPATH": str(tree)}, cwd=tree.parent, capture_output=True)
    if not where.stdout.decode().startswith(f"{tree}{os.sep}"):
        raise SystemExit(f"with PYTHONPATH={tree} gaitid is {where.stdout.decode().strip() or 'not found'}")


def compare_case(case: Any, before: Side, after: Side, folder: Path) -> tuple[Any, Comparison]:
    """Run a case with both trees and compare."""
    old, new = (run_case(case.name, case.commands, side, folder) for side in (before, after))
    return case, compare_folders(old, new)


def selected(quick: bool, only: str | None) -> Callable[[Any], bool]:
    """Whether a case is to be run."""
    return lambda case: (case.quick or not quick) and (only is None or only in case.name or fnmatch(case.name, only))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", metavar="COMMIT", default="HEAD", help="default: %(default)s")
    parser.add_argument("--quick", action="store_true", help="samples, six recorded trials, each command")
    parser.add_argument("--only", metavar="PATTERN")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="cases at the same time; default: %(default)s")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    words = ["git", "-C", str(ROOT), "rev-parse", "--verify", "--short=12", f"{given.against}^{{commit}}"]
    commit = subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as aside:
        return compare_trees(commit, (given.keep or Path(aside)).resolve(), given)


def compare_trees(commit: str, folder: Path, given: argparse.Namespace) -> int:
    """Compare this checkout with a commit; the exit code."""
    from same_files_commands import cases, make_inputs

    start = time.perf_counter()
    before = Side(check_out(commit, folder / f"tree-{commit}"), folder / "before", commit)
    after = Side(ROOT, folder / "after")
    for side in (before, after):
        refuse_other_package(side.tree)
    shutil.rmtree(folder / "inputs", ignore_errors=True)
    make_inputs(folder / "inputs", before.tree, SHARED)
    chosen = list(filter(selected(given.quick, given.only), cases(before.tree, SHARED)))
    if not chosen:
        raise SystemExit(f"--only: no case's name fits {given.only!r}; give a part of it, as 'wild', or a pattern")
    everything = Comparison()
    with ThreadPoolExecutor(given.jobs) as pool:
        for case, result in pool.map(lambda case: compare_case(case, before, after, folder), chosen):
            for command, faults in result.faults.items():
                print(f"{case.name} {command}: {' | '.join(faults)}", flush=True)
                everything.faults[f"{case.name} {command}"] = faults
            everything.files += result.files
    n_commands = sum(len(case.commands) for case in chosen)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"\n{len(everything.faults)} of {n_commands} commands write something else than at {commit}; "
        f"{everything.files} files compared in {len(chosen)} cases; "
        f"{time.perf_counter() - start:.0f} s ({used.ru_utime + used.ru_stime:.0f} s of processors)"
    )
    return 1 if everything.faults else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
