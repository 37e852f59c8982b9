"""What benchmarks share: where files lie, their option ``--write``, and tables that they put into the documentation."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # arrays this small are faster on one core

ROOT = Path(__file__).resolve().parents[1]
#: Recordings: beside this checkout, or where the environment says (open_recordings.py).
SHARED = Path(os.environ.get("GAITID_TRIALS", ROOT.parent / "shared" / "trials"))
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks"), str(ROOT / "tests")]


def parser_of(words: str | None, page: str = "") -> argparse.ArgumentParser:
    """A parser with the words of a script; with `page` its option ``--write``."""
    parser = argparse.ArgumentParser(description=words, formatter_class=argparse.RawDescriptionHelpFormatter)
    if page:
        parser.add_argument("--write", action="store_true", help=f"put the tables into docs/{page}.md")
    return parser


def show(lines: Sequence[str], write: bool, page: str, name: str) -> None:
    """Print lines and, where asked, put them between ``<!-- name -->`` and ``<!-- /name -->`` of a page.

    Raises
    ------
    ValueError
        The page has not both comments.
    """
    print(*lines, sep="\n", flush=True)
    if write:
        path, begin, end = ROOT / "docs" / f"{page}.md", f"<!-- {name} -->", f"<!-- /{name} -->"
        before, found, rest = path.read_text(encoding="utf-8").partition(begin)
        _, ends, after = rest.partition(end)
        if not (found and ends):
            raise ValueError(f"{path}: expected {begin} and {end}")
        path.write_text(f"{before}{begin}\n" + "\n".join(lines) + f"\n{end}{after}", encoding="utf-8")


def head(*cells: object) -> list[str]:
    """The first two lines of a table in Markdown."""
    return [row(*cells), "|" + "---|" * len(cells)]


def row(*cells: object) -> str:
    """A line of a table."""
    return f"| {' | '.join(map(str, cells))} |"
