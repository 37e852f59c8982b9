"""Would a mistake be seen? The faultless analysis has the exact wrenches, and planted mistakes fail named tests.

`tests/seeded_faults.yaml` has for each room mistakes in its source: a file, its text, the wrong text, and a test of a
law or of behaviour. Each is planted in a copy of the source, in which that test must fail.

The walk is simulated (100 Hz, no noise) by code that shares nothing with the analysis but the error class: see
`test_the_simulation_shares_nothing_with_what_it_judges`.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from slow import slow_but

import gaitid
from gaitid.analysis import pipeline
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model

ROOT = Path(__file__).resolve().parents[2]
FAULTS: dict[str, dict[str, str]] = {
    f"{room} {k}": fault
    for room, faults in yaml.safe_load((ROOT / "tests/seeded_faults.yaml").read_text(encoding="utf-8")).items()
    for k, fault in enumerate(faults)
}
# What the sampling at 100 Hz costs the faultless analysis is 0.026 N and 0.0032 N·m (root mean square over the
# frames that it fills); a fault must exceed some fifteen times that.
FORCE_N, MOMENT_NM = 0.5, 0.05


def test_without_a_fault_every_wrench_is_within_tolerance(simulated: Callable[..., Any]) -> None:
    sim = simulated()
    result = pipeline.analyse(sim.trial, load_model("pig", {"cutoff_hz": "none"}), SubjectFile())
    assert sum(bool(contact.plates) for contact in result.contacts) == 2
    for (side, joint), truth in sim.truth.wrench.items():
        wrench = result.sides[side].wrenches[joint]
        rows = np.isfinite(wrench.f_g).all(axis=1) & np.isfinite(wrench.m_g).all(axis=1)
        assert rows.sum() > 150, (side, joint)  # a stance on a plate and the swings
        for ours, exact, limit in zip((wrench.f_g, wrench.m_g), truth, (FORCE_N, MOMENT_NM), strict=True):
            assert np.sqrt(np.mean(np.sum((ours - exact)[rows] ** 2, axis=1))) < limit, (side, joint)


# --- planted mistakes --------------------------------------------------------------------------------------


def test_every_room_has_its_mistakes_and_each_is_of_todays_source() -> None:
    assert min(Counter(name.partition(" ")[0] for name in FAULTS).values()) >= 5
    for fault in FAULTS.values():
        assert (ROOT / fault["file"]).read_text(encoding="utf-8").count(fault["text"]) == 1, fault
        file, _, test = fault["test"].partition("::")
        assert f"def {test.partition('[')[0]}(" in (ROOT / file).read_text(encoding="utf-8"), fault


@pytest.fixture(scope="session")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout with a source of its own."""
    folder = tmp_path_factory.mktemp("copied")
    for path in ROOT.iterdir():
        if path.name != "gaitid" and not path.name.startswith("."):
            (folder / path.name).symlink_to(path)
    shutil.copytree(ROOT / "gaitid", folder / "gaitid", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.parametrize("name", slow_but(["gaps 0", "dynamics 0"], FAULTS))
def test_a_planted_mistake_is_caught(name: str, copied: Path) -> None:
    fault = FAULTS[name]
    source = copied / fault["file"]
    sound = source.read_text(encoding="utf-8")
    source.write_text(sound.replace(fault["text"], fault["wrong"]), encoding="utf-8")
    command = [sys.executable, "-P", "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", fault["test"]]
    try:
        done = subprocess.run(
            command, cwd=copied, env={**os.environ, "PYTHONPATH": str(copied)}, capture_output=True, text=True
        )
    finally:
        source.write_text(sound, encoding="utf-8")
    assert done.returncode == 1, done.stdout  # tests ran, and some failed


# --- the judge is independent ------------------------------------------------------------------------------

# A chain is integrated forward in joint space, and its wrenches follow from momentum: nothing that `run` solves with,
# or builds segments with, is among these. Of the model it is the language of files.
SHARED = {
    "simulate",
    "errors",
    "disk",
    "write.CONTACT_COLUMNS",  # names of columns, no code
    "numerics.jet",  # exact derivatives, of simulations and mechanisms alone
    *(f"dynamics.{name}" for name in ("joint_space", "joint_tree", "integration", "control", "pace")),
    *(f"model.{name}" for name in ("fields", "expression", "yaml_file", "load", "find")),
}


def test_the_simulation_shares_nothing_with_what_it_judges() -> None:
    folder = Path(gaitid.__file__).parent / "simulate"
    files = sorted(folder.rglob("*.py"))
    assert len(files) > 5
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{file.name}: relative import"
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                continue
            for name in names:
                first, _, rest = name.partition(".")
                assert first != "importlib", file.name
                if first == "gaitid":
                    module, *parts = rest.split(".")
                    assert module in SHARED or f"{module}.{parts[0]}" in SHARED, f"{file.name} imports {name}"
    users = [file for file in folder.parent.rglob("*.py") if "numerics.jet import" in file.read_text(encoding="utf-8")]
    assert {file.parent.name for file in users} <= {"simulate", "mechanism"}
