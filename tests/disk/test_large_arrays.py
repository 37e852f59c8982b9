"""Memory that arrays leave; what is put aside is in tests/analysis/test_long_trials.py."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FREED = """
import resource
import numpy
from gaitid.run import RunOptions, prepare
prepare(RunOptions("pig"))
for _ in range(2):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    numpy.ones((24 << 20) // 8)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc learns from what is freed")
def test_memory_that_an_array_leaves_is_taken_again() -> None:
    """The second array comes without new pages; what the user says of it stays."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_TUNABLES"))}
    faults = []
    for env in (plain, {**plain, "MALLOC_MMAP_THRESHOLD_": "131072"}):
        env = {**env, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-c", FREED], env=env, capture_output=True, text=True, check=True)
        faults.append(int(done.stdout))
    assert faults[0] < 5 < 10 < faults[1]  # a page may have 2 MB
