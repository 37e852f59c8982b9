"""Check every trial of a tree of golden results, each with its own static and subject as its record names them.

    python check_tree.py GOLDEN --model pig [options of gaitid check]

GOLDEN is what `gaitid batch DATASET --model pig -o GOLDEN` wrote. Run it where `batch` was run: records name files as
they were given there. The exit code is 1 where any trial fails.
"""

import json
import subprocess
import sys
from pathlib import Path

golden, *options = sys.argv[1:]
records = sorted(Path(golden).rglob("*.run.json"))
failed = not records  # nothing was checked: that is no success
for record in records:
    files = {one["role"]: one["path"] for one in json.loads(record.read_text(encoding="utf-8"))["inputs"]}
    own = [f"--{role}={files[role]}" for role in ("static", "subject", "forces", "plates") if role in files]
    command = ["gaitid", "check", f"--against={record.parent}", *own, *options, "--", files["trial"]]
    failed |= subprocess.run(command).returncode != 0
sys.exit(failed)
