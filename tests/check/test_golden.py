"""What `check --against` says of every way in which a result can differ from golden results."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from gaitid.analysis.result import Result
from gaitid.check.findings import Finding
from gaitid.check.golden import compare
from gaitid.run import RunOptions, Setup, analyse_file, prepare, run_file
from gaitid.simulate.files import simulate

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated walk of 2.5 s."""
    folder = tmp_path_factory.mktemp("simulated")
    simulate("walk", folder, duration=2.5)
    return folder / "walk.c3d"


OPTIONS = RunOptions("pig", write=("segments", "base"), contributions=True, observer="thigh")


@pytest.fixture(scope="module")
def prepared() -> Setup:
    return prepare(RunOptions("pig"))


@pytest.fixture(scope="module")
def result(trial: Path, prepared: Setup) -> Result:
    return analyse_file(trial, prepared)


@pytest.fixture(scope="module")
def written(trial: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that `run` can write of it."""
    folder = tmp_path_factory.mktemp("golden")
    run_file(trial, folder, prepare(OPTIONS))
    return folder


@pytest.fixture
def golden(written: Path, tmp_path: Path) -> Path:
    """A copy, to spoil."""
    shutil.copytree(written, tmp_path / "golden")
    return tmp_path / "golden"


def texts(findings: Sequence[Finding], status: str = "fail") -> list[str]:
    return [f.text for f in findings if f.status == status]


def edit(path: Path, change: Callable[[list[list[str]]], object]) -> None:
    """Change a CSV whose cells hold no commas: rows of cells, the header first."""
    rows = [line.split(",") for line in path.read_text().splitlines()]
    change(rows)
    path.write_text("\n".join(",".join(row) for row in rows) + "\n")


def edit_record(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "walk.run.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


# --- what moved ---------------------------------------------------------------------------------------------


def test_another_verdict_is_a_warning_and_a_result_of_before_verdicts_is_as_golden(
    result: Result, prepared: Setup, trial: Path, golden: Path
) -> None:
    edit_record(golden, lambda c: c["verdict"].update(trial="usable"))
    found = compare(result, prepared, trial, golden)
    assert texts(found) == []
    assert texts(found, "warn") == ["the verdict was usable, and is good"]
    edit_record(golden, lambda c: c.pop("verdict"))
    path = golden / "walk.spatiotemporal.csv"
    path.write_text("\n".join(line.rsplit(",", 4)[0] for line in path.read_text().splitlines()) + "\n")
    found = compare(result, prepared, trial, golden)
    assert (texts(found), texts(found, "warn")) == ([], [])


def test_the_largest_difference_is_named_with_column_and_frame(
    result: Result, prepared: Setup, trial: Path, golden: Path
) -> None:
    def move(rows: list[list[str]]) -> None:
        for column, frame, by in (("left_hip_force_global_y_N", 120, 0.5), ("right_knee_force_global_z_N", 130, -2.0)):
            i = rows[0].index(column)
            rows[frame][i] = f"{float(rows[frame][i]) + by:.10g}"

    edit(golden / "walk.wrenches.csv", move)
    findings = [f for f in compare(result, prepared, trial, golden) if f.status == "fail"]
    record, moved = findings
    assert moved.text == "right_knee_force_global_z_N (frame 130) moved by 2 N (+1 column)"
    assert (moved.value, moved.limit, moved.unit) == (pytest.approx(2.0, abs=1e-9), 0.01, "N")
    assert record.text.startswith("no difference of version, settings, model or input is recorded")


@pytest.mark.parametrize(
    ("table", "column", "place"),
    [
        ("wrenches", "left_knee_moment_distal_x_coriolis_Nm", "frame 120"),
        ("wrenches", "left_hip_force_global_z_ground_reaction_N", "frame 120"),
        ("base", "pelvis_moment_distal_y_Nm", "frame 120"),
        ("contacts", "peak_vertical_N", "side right, plates 2"),
        ("cycles", "hip_flexion_deg", "percent 17"),
        ("spatiotemporal", "stride_length_m", "cycle 1"),
        ("features", "value_J_per_kg", "feature hip_power_generation_work_H3"),
        ("wrenches", "time_s", "frame 120"),
    ],
)
def test_every_table_is_watched(
    result: Result, prepared: Setup, trial: Path, golden: Path, table: str, column: str, place: str
) -> None:
    path = golden / f"walk.{table}.csv"

    def move(rows: list[list[str]]) -> None:
        i = rows[0].index("value" if table == "features" else column)
        row = 120 if place == "frame 120" else next(k for k, r in enumerate(rows) if k and r[i] and matches(rows[0], r))
        rows[row][i] = f"{float(rows[row][i]) + 1:.10g}"

    def matches(header: list[str], row: list[str]) -> bool:
        cells = dict(zip(header, row, strict=False))
        return all(cells[word.split()[0]] == word.split()[1] for word in place.split(", "))

    edit(path, move)
    _, first = texts(compare(result, prepared, trial, golden))
    assert first.startswith(f"{column} (")
    assert place in first
    assert "moved by 1 " in first


def test_cells_that_became_empty_are_counted_with_their_rows(
    result: Result, prepared: Setup, trial: Path, golden: Path
) -> None:
    hip = replace(result.sides["left"].wrenches["hip"])
    forces = hip.f_g.copy()
    forces[100:103] = float("nan")
    leg = result.sides["left"]
    wrench = type(hip)(forces, hip.m_g, hip.p_g)
    emptied = replace(result, sides={**result.sides, "left": replace(leg, wrenches={**leg.wrenches, "hip": wrench})})
    found = texts(compare(emptied, prepared, trial, golden))
    # 3 frames × 3 axes × 2 frames of expression, of the wrench and its 7 parts
    assert found[1].startswith(
        "wrenches: 144 cells are newly empty and 0 newly filled in 3 rows (first: left_hip_force_"
    )
    assert ", frame 101)" in found[1]


# --- since when ---------------------------------------------------------------------------------------------


def since(result: Result, prepared: Setup, trial: Path, golden: Path) -> list[str]:
    """The differences that are named where numbers moved."""
    edit(golden / "walk.joints.csv", lambda rows: rows[120].__setitem__(rows[0].index("left_hip_flexion_deg"), "200"))
    text = texts(compare(result, prepared, trial, golden))[0]
    assert text.startswith("since ")
    return text.removeprefix("since ").split(", ")


DAMAGED = ["{", "[]", "{}", "\ufffd\0", "[" * 100_000]


@pytest.mark.parametrize("text", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_record_is_said_whether_anything_moved_or_not(
    result: Result, prepared: Setup, trial: Path, golden: Path, text: str
) -> None:
    (golden / "walk.run.json").write_text(text)
    for name in ("segments", "wrenches"):  # what an observer adds is known from the record only
        (golden / f"walk.{name}.csv").unlink()
    run_file(trial, golden / "now", prepared)
    (golden / "now" / "walk.wrenches.csv").rename(golden / "walk.wrenches.csv")
    findings = compare(result, prepared, trial, golden)
    assert texts(findings) == []
    (warning,) = texts(findings, "warn")
    assert warning.startswith("the golden record cannot be read, and since when is not known: ")
    edit(golden / "walk.joints.csv", lambda rows: rows[120].__setitem__(2, "1000"))
    assert texts(compare(result, prepared, trial, golden))[0] == warning


# --- the examples of docs/ci.md, on the sample trials -------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as docs/ci.md has it: trials and their golden results; `gaitid` is on the path."""
    folder = tmp_path_factory.mktemp("repository")
    for name in ("walk", "walk_noisy"):
        (folder / "trials" / name).mkdir(parents=True)
        shutil.copy(ROOT / "sample_data" / name / "walk.c3d", folder / "trials" / name)
    command = folder / "bin" / "gaitid"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gaitid "$@"\n')
    command.chmod(0o755)
    bash("gaitid run trials/*/walk*.c3d --model pig -o 'golden/{parent}' --quiet", folder, {})
    return folder


@pytest.fixture(scope="module")
def short_walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a simulated walk of 1.5 s."""
    folder = tmp_path_factory.mktemp("short")
    simulate("walk", folder, duration=1.5)
    return folder


@pytest.fixture
def repository(untouched: Path, tmp_path: Path) -> Path:
    """A copy, to work in."""
    return shutil.copytree(untouched, tmp_path, dirs_exist_ok=True)


def bash(script: str, folder: Path, environment: dict[str, str], code: int = 0) -> str:
    """What a script says, run as GitHub runs a step whose shell is bash (its workflow syntax, `shell`)."""
    path = os.pathsep.join((str(folder / "bin"), os.environ["PATH"]))
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == code, done
    return done.stdout + done.stderr


@needs_bash
def test_a_tree_of_batch_is_checked_with_the_statics_of_each_trial(repository: Path, short_walk: Path) -> None:
    for name in ("Ann Other", "B"):
        folder = repository / "recordings" / "2024" / name
        shutil.copytree(short_walk, folder)
        # a trial that stores no calibration takes the static beside it
        (folder / "walk.c3d").write_bytes(
            (folder / "walk.c3d").read_bytes().replace(b"StaticPlantFlex", b"NotStoredAnyMor")
        )
    script = shlex.join([sys.executable, str(ROOT / "docs" / "examples" / "check_tree.py"), "tree", "--model", "pig"])
    bash(script, repository, {}, code=1)  # nothing there
    bash("gaitid batch recordings --model pig -o tree -j 1 --quiet", repository, {})
    record = json.loads((repository / "tree" / "2024" / "B" / "walk.run.json").read_text())
    assert "static" in {one["role"] for one in record["inputs"]}
    out = bash(script, repository, {})
    assert [re.split(r" \(|: ", line)[0] for line in out.splitlines() if line.startswith("PASS")] == [
        f"PASS recordings/2024/{name}/walk.c3d" for name in ("Ann Other", "B")
    ]
    assert "same numbers since" not in out
    assert "settings.cutoff_hz none -> 6" in bash(f"{script} --cutoff 6", repository, {}, code=1)


@pytest.mark.slow
@needs_bash
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
def test_the_hooks_run(repository: Path) -> None:
    pytest.importorskip("pre_commit", reason="pre-commit is not here")
    config = repository / ".pre-commit-config.yaml"
    shutil.copy(ROOT / "docs" / "examples" / "pre-commit-config.yaml", config)
    run = f'git add -A && "{sys.executable}" -m pre_commit run --all-files --color never'
    home = {"PRE_COMMIT_HOME": str(repository / ".cache"), "HOME": str(repository)}
    out = bash(f"git init -q . && echo '.cache\nbin' > .gitignore && {run}", repository, home)
    assert out.count("Passed") == 2, out
    text = config.read_text()
    assert text.count("--model pig ") == 2
    config.write_text(text.replace("--model pig ", "--model pig --cutoff 6 "))
    out = bash(run, repository, home, code=1)
    assert out.count("Failed") == 2, out
    assert "settings.cutoff_hz none -> 6" in out


def of_action(name: str) -> str:
    """What a step of action.yml runs, which names it."""
    return next(step["run"] for step in ACTION["runs"]["steps"] if step.get("name") == name)


@needs_bash
def test_the_action_passes_and_a_moved_result_fails(repository: Path) -> None:
    given = {"TRIALS": "trials/*/walk*.c3d", "AGAINST": "golden/{parent}", "GITHUB_STEP_SUMMARY": "summary.md"}
    out = bash(of_action("Check"), repository, {**given, "OPTIONS": ACTION["inputs"]["options"]["default"]})
    assert out.count("PASS trials/") == 2
    moved = bash(of_action("Check"), repository, {**given, "OPTIONS": "--model pig --cutoff 6"}, code=1)
    assert "settings.cutoff_hz none -> 6" in moved
    bash(of_action("Summary"), repository, given)
    assert "- FAIL trials/walk/walk.c3d" in (repository / "summary.md").read_text(encoding="utf-8")
    bash(of_action("Results as they are now"), repository, {**given, "OPTIONS": "--model pig --cutoff 6"})
    assert (repository / "now" / "walk" / "walk.joints.csv").is_file()
