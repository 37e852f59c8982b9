"""Which features of the open recordings moved between two versions, by how much, and why.

    python benchmarks/release.py BEFORE [AFTER] [--only PATTERN] [--csv FILE]

BEFORE and AFTER are commits, tags, or folders with a tree of gaitid; AFTER is this checkout where none is named. Both
run the sample walks, and the recordings of open_recordings.yaml where they lie in ../shared/trials or in the folder
that the variable GAITID_TRIALS names. A number counts as moved beyond a millionth of its size. Why is what
`gaitid compare` of AFTER finds between both results, settings and models that the records hold, and notes that came
or went. The table is short; --csv has every cell that moved.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

from common import ROOT, parser_of
from same_files import check_out, refuse_other_package

#: A number has moved beyond this share of the larger of both.
MOVED = 1e-6
#: So many features and reasons are printed.
SHOWN = 12


class Move(NamedTuple):
    """A cell of `features.csv` that is another one; empty where one version does not know it."""

    trial: str
    side: str
    cycle: str
    feature: str
    unit: str
    before: str
    after: str

    @property
    def size(self) -> float:
        """How far; NaN where one is empty."""
        return abs(float(self.after or "nan") - float(self.before or "nan"))


def recordings() -> dict[str, Path]:
    """Trials that are there, by their names."""
    from shared_trials import TRIALS

    samples = {name: ROOT / "sample_data" / name / "walk.c3d" for name in ("walk", "walk_noisy")}
    return {name: path for name, path in (samples | {one.name: one.path for one in TRIALS}).items() if path.is_file()}


def gaitid(tree: Path, *words: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    return subprocess.run(
        [sys.executable, "-m", "gaitid", *map(str, words)], capture_output=True, text=True, env=environment, cwd=tree
    )


def moves(trial: str, before: Path, after: Path) -> Iterator[Move]:
    """Cells of the features of one trial that moved, came or went."""
    tables = []
    for folder in (before, after):
        with (folder / "walk.features.csv").open(encoding="utf-8", newline="") as lines:
            rows = csv.DictReader(lines)
            tables.append({(r["side"], r["cycle"], r["feature"], r["unit"]): r["value"] for r in rows})
    for key in dict.fromkeys((*tables[0], *tables[1])):
        values = [table.get(key, "") for table in tables]
        numbers = [float(value) if value else None for value in values]
        if None in numbers:
            if numbers[0] is not numbers[1]:
                yield Move(trial, *key, *values)
        elif abs(numbers[0] - numbers[1]) > MOVED * max(map(abs, numbers)):
            yield Move(trial, *key, *values)


def reasons(after_tree: Path, before: Path, after: Path) -> list[str]:
    """Why the results of one trial differ, the surest first."""
    a, b = (json.loads((folder / "walk.run.json").read_text(encoding="utf-8")) for folder in (before, after))
    found = [
        f"{section}.{key} {_short(a[section].get(key))} -> {_short(b[section].get(key))}"
        for section in ("model", "settings")
        for key in dict.fromkeys((*a[section], *b[section]))
        if key in _NAMED.get(section, (key,)) and a[section].get(key) != b[section].get(key)
    ]
    done = gaitid(after_tree, "compare", before / "walk.run.json", after / "walk.run.json", "--json")
    told = json.loads(done.stdout) if done.stdout.startswith("{") else {}
    parts = (told.get("why") or {}).get("parts", ())
    shares = [(part["all_curves"]["share"], part) for part in parts if (part.get("all_curves") or {}).get("share")]
    if shares and (most := max(shares, key=lambda one: one[0]))[0] > 0.05:
        found.insert(0, f"{most[1]['name']} ({most[1]['size']}): {100 * most[0]:.0f} % of the difference of curves")
    if not found:
        found.append(f"the code alone: {told.get('why_not') or done.stderr.strip() or 'no ingredient differs'}")
    codes = [{note["code"] for note in record["warnings"]} for record in (a, b)]
    for word, names in (("also a new note", codes[1] - codes[0]), ("also no longer the note", codes[0] - codes[1])):
        found += [f"{word} {name}" for name in sorted(names)]
    return found


#: Of the record's model only its name and hash.
_NAMED: Mapping[str, tuple[str, ...]] = {"model": ("name", "sha256")}


def _short(value: Any, most: int = 60) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def show(found: list[Move], why: Counter[str], cells: Mapping[str, int]) -> None:
    """The table: features by how many of their cells moved, then reasons by how many trials have them."""
    by_feature: dict[tuple[str, str], list[Move]] = {}
    for move in found:
        by_feature.setdefault((move.feature, move.unit), []).append(move)
    for (feature, unit), of in sorted(by_feature.items(), key=lambda one: -len(one[1]))[:SHOWN]:
        known = [move for move in of if move.before and move.after]
        line = f"{feature}: {len(of)} of {cells[feature]} moved"
        if known:
            most = max(known, key=lambda move: move.size)
            line += f", by up to {most.size:.3g} {unit} ({most.trial} {most.side}: {most.before} -> {most.after})"
        print(line + (f"; {len(of) - len(known)} known in one only" if len(of) > len(known) else ""))
    if len(by_feature) > SHOWN:
        print(f"and {len(by_feature) - SHOWN} more features (--csv has all)")
    for reason, trials in why.most_common(SHOWN):
        print(f"why, in {trials} of the trials that moved: {_short(reason, 150)}")


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("before")
    parser.add_argument("after", nargs="?", default=str(ROOT))
    parser.add_argument("--only", default="*", help="recordings by their names, as 'children/*'")
    parser.add_argument("--csv", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        top = Path(name).resolve()
        trees = []
        for i, version in enumerate((given.before, given.after)):
            is_folder = Path(version).is_dir()
            trees.append(Path(version).resolve() if is_folder else check_out(version, top / f"tree{i}"))
            refuse_other_package(trees[-1])
        found: list[Move] = []
        why: Counter[str] = Counter()
        cells: Counter[str] = Counter()
        words: Counter[str] = Counter()
        for trial, path in recordings().items():
            if not fnmatch(trial, given.only):
                continue
            folders = [top / f"out{i}" / trial for i in (0, 1)]
            link = top / trial / "walk.c3d"  # one name of results
            link.parent.mkdir(parents=True, exist_ok=True)
            link.write_bytes(path.read_bytes())
            done = [gaitid(tree, "run", link, "-o", out, "-q").returncode for tree, out in zip(trees, folders)]
            if any(done):
                words["refused by " + ("both" if all(done) else "the first" if done[0] else "the second")] += 1
                continue
            moved = list(moves(trial, *folders))
            words["moved" if moved else "the same"] += 1
            found += moved
            with (folders[1] / "walk.features.csv").open(encoding="utf-8", newline="") as lines:
                cells.update(row["feature"] for row in csv.DictReader(lines))
            why.update(reasons(trees[1], *folders) if moved else ())
        counts = ", ".join(f"{n} {what}" for what, n in words.items())
        print(f"{given.before} -> {given.after if given.after != str(ROOT) else 'this checkout'}: {counts}")
        show(found, why, cells)
    if given.csv:
        with given.csv.open("w", encoding="utf-8", newline="") as lines:
            csv.writer(lines, lineterminator="\n").writerows([Move._fields, *found])
    return 0


if __name__ == "__main__":
    sys.exit(main())
