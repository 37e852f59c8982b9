"""Run the commands of docs/tutorial.md and write what they print into the page.

    python docs/make_tutorial.py

To be run again whenever what a command prints changes; tests/cli/test_tutorial_page.py fails until then.

A block ```console holds commands behind `$ ` and their output; the blocks ```python are run in one Python session, and
what each prints is the block ```text behind it. A line `...` stands for lines that are left out: as many lines as stand
before and behind it are kept.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(
    r"```console\n(?P<console>.*?)```|```python\n(?P<python>.*?)```\n\n```text\n(?P<printed>.*?)```", re.S
)
#: What takes more than two seconds says how far it is: which lines come depends on the machine.
PROGRESS = re.compile(r"^gaitid: .*\((?:step \d+|\d+ of \d+.*)\)\n", re.MULTILINE)
#: Between the outputs of two blocks of Python.
MARK = "--8<--"


def remade(text: str, folder: Path) -> str:
    """The page with what its commands print in `folder`, in which sample_data lies.

    All commands run first, then the Python, which reads the files that they wrote.
    """
    blocks = list(BLOCK.finditer(text))
    commands = iter([run_commands(block["console"], folder) for block in blocks if block["console"]])
    python = iter(run_python([block["python"] for block in blocks if block["python"]], folder))

    def again(block: re.Match[str]) -> str:
        if block["console"]:
            return f"```console\n{next(commands)}```"
        return f"```python\n{block['python']}```\n\n```text\n{shortened(next(python), block['printed'])}```"

    return BLOCK.sub(again, text)


def run_commands(block: str, folder: Path) -> str:
    """Each command of a block with what it prints."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    both: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    lines = []
    for command, before in zip(parts[1::2], parts[2::2], strict=True):
        done = subprocess.run(command, shell=True, cwd=folder, env=environment(), check=False, **both)
        lines.append(f"$ {command}\n{shortened(PROGRESS.sub('', done.stdout), before)}")
    return "".join(lines)


def run_python(blocks: list[str], folder: Path) -> list[str]:
    """What each block prints, in one session."""
    program = f"\nprint({MARK!r})\n".join(blocks)
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout.split(f"{MARK}\n")


def shortened(printed: str, before: str) -> str:
    """As many lines of the start and the end as the page had around its line ``...``."""
    lines, kept = printed.splitlines(keepends=True), before.splitlines()
    if "..." not in kept:
        return printed
    first, last = kept.index("..."), len(kept) - kept.index("...") - 1
    return "".join([*lines[:first], "...\n", *lines[len(lines) - last :]])


def environment() -> dict[str, str]:
    """In which `gaitid` and `python` are those that run this script; lines as wide as the page."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "COLUMNS": "110", "MPLBACKEND": "Agg", "LC_ALL": "C.UTF-8"}


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(ROOT / "sample_data", Path(name, "sample_data"))
        PAGE.write_text(remade(PAGE.read_text(encoding="utf-8"), Path(name)), encoding="utf-8")
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
