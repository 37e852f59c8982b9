"""The scripts that measured the figures in the docs still find what they use of gaitid."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).resolve().parents[1] / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_benchmark_loads(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(script.parent), *sys.path])
    monkeypatch.setattr(os, "environ", dict(os.environ))  # some set the number of threads
    loaded = runpy.run_path(str(script), run_name="loaded")
    assert any(callable(value) and getattr(value, "__module__", "") == "loaded" for value in loaded.values())
