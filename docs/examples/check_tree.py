"""Check every trial of a tree of golden results, each with the files and settings that its record names.

    python check_tree.py GOLDEN [options of gaitid check]

GOLDEN is what `gaitid batch DATASET --model pig -o GOLDEN` wrote. Run it where `batch` was run: records name files as
they were given there. Options given here come after those of the record: the later one counts, of those that may be
repeated all do. The exit code is 1 where any trial fails.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# Options of `gaitid run` that `gaitid check` has too; the others say where results go and what is written.
VALUES = ("--model", "--static", "--subject", "--forces", "--plates", "--cutoff", "--force-cutoff", "--assign", "--set")
FLAGS = ("--require-forces",)


def of_check(command: list[str]) -> Iterator[str]:
    words = iter(command)
    for word in words:
        name, _, value = word.partition("=")
        if word == "--":  # trials follow
            return
        if word in FLAGS:
            yield word
        elif name in VALUES:
            yield f"{name}={value if '=' in word else next(words)}"


golden, *options = sys.argv[1:]
records = sorted(Path(golden).rglob("*.run.json"))
failed = not records  # nothing was checked: that is no success
for path in records:
    record = json.loads(path.read_text(encoding="utf-8"))
    trial = next(one["path"] for one in record["inputs"] if one["role"] == "trial")
    own = of_check(record["command"])
    command = ["gaitid", "check", f"--against={path.parent}", *own, *options, "--", trial]
    failed |= subprocess.run(command).returncode != 0
sys.exit(failed)
