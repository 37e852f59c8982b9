"""A result's record -> the same numbers again, or one line that says why not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gaitid.cli.options import run_options
from gaitid.cli.run import given_options, recorded_command
from gaitid.cli.run import run_command as command
from gaitid.report.gathering import load_result
from gaitid.report.scene.moving import analyse_again, seen_of
from gaitid.results.result import Result
from gaitid.run.command import read_command

#: Each option of `run` that changes a result, as typed.
TYPED = {
    "model": ["--model", "pig"],
    "markers": ["--markers", "labels.yaml"],
    "static": ["--static", "b.c3d"],
    "subject": ["--subject", "s.yaml"],
    "forces": ["--forces", "f.mot"],
    "plates": ["--plates", "p.yaml"],
    "subject_prefix": ["--subject-prefix", "Anna"],
    "events": ["--events", "e.csv"],
    "corrections": ["--corrections", "walk.corrections.yaml"],
    "laboratory": ["--laboratory", "laboratory.yaml"],
    "express_in": ["--express-in", "jcs", "--express-in", "global", "--express-in", "jcs"],
    "cutoff": ["--cutoff", "6.5"],
    "force_cutoff": ["--force-cutoff", "none"],
    "solver": ["--solver", "dense"],
    "contributions": ["--contributions"],
    "observer": ["--observer", "left.thigh"],
    "assign": ["--assign", "left=1+2@234-296", "--assign", "right=none"],
    "require_forces": ["--require-forces"],
    "estimate_loads": ["--estimate-loads"],
    "estimated_too": ["--estimated-too"],
    "write": ["--write", "base"],
    "settings": ["--set", "point_unit=mm", "--set", "gap_error_mm=7", "--set", "hip_centre=hara"],
    "loads": ["--load", "left_shank=cell.csv", "--load", "right_foot=other.csv"],
    "uncertainty": ["--uncertainty"],
    "repeatability": ["--repeatability", "ours.csv"],
    "max_uncertainty": ["--max-uncertainty", "angle_deg=3"],
    "functional": ["--functional", "right_hip=hip.c3d", "--functional", "knee.c3d"],
    "keep_names": ["--keep-names"],
    "emg_reference": ["--emg-reference", "mvc.c3d"],
}


def recorded_and_read(typed: list[str]) -> None:
    """What a command means is what its record means."""
    with command.make_context("gaitid run", [*typed, "walk.c3d"]) as ctx:
        meant = run_options(ctx)
        words = recorded_command(Path("walk.c3d"), given_options(ctx))
    trial, options = read_command(words)
    assert trial == Path("walk.c3d")
    assert options == meant


def test_all_options_together_and_none() -> None:
    recorded_and_read([word for words in TYPED.values() for word in words])
    recorded_and_read([])


def test_the_same_numbers(walk: Result) -> None:
    again = analyse_again(walk)
    assert again.why_not == ""
    assert again.moving is not None
    ours = again.moving.result.sides["left"].load.wrench.f_g[:, 2]
    np.testing.assert_allclose(ours, walk.columns["left_ground_force_z_N"], rtol=1e-9, atol=1e-6)


def changed_record(path: Path, change: Callable[[dict[str, object]], None]) -> Result:
    record = json.loads(path.read_text("utf-8"))
    change(record)
    path.write_text(json.dumps(record), "utf-8")
    return load_result(path)


def elsewhere(record: dict[str, object], old: Path) -> None:
    """As if the command had run in another folder that is gone: ``session/walk.c3d``."""
    text = json.dumps(record).replace(str(old), "/gone/session")
    record.clear()
    record.update(json.loads(text))


@pytest.mark.parametrize("name", ["walk.c3d", "static.c3d"])
def test_a_file_that_is_gone_or_has_changed(made: Path, copied: Path, name: str) -> None:
    result = changed_record(copied / "results" / "walk.run.json", lambda record: elsewhere(record, made))
    with (copied / name).open("ab") as file:
        file.write(b"\0")
    assert analyse_again(result).why_not == f"{name} is no longer the file that the result was made from"
    (copied / name).unlink()
    assert analyse_again(result).why_not == f"{name} is not where it was when the result was made"


def test_other_numbers_are_not_drawn(copied: Path) -> None:
    table = copied / "results" / "walk.joints.csv"
    header, *rows = table.read_text("utf-8").splitlines()
    at = header.split(",").index("left_knee_extension_moment_Nm_per_kg")
    cells = [row.split(",") for row in rows]
    middle = next(row for row in cells[len(cells) // 2 :] if row[at])
    middle[at] = f"{float(middle[at]) + 0.001:.10g}"
    table.write_text("\n".join([header, *(",".join(row) for row in cells)]) + "\n", "utf-8")
    again = analyse_again(load_result(copied / "results" / "walk.run.json"))
    assert again.moving is None
    assert "this version computes other numbers" in again.why_not


@pytest.mark.parametrize(
    ("trial", "options"),
    [
        ("sydney/walk03.c3d", ("--static", "sydney/static.c3d", "--assign", "left=1+2")),
        ("children/HC030A/walk.c3d", ("--static", "children/HC030A/static.c3d", "--cutoff", "8")),
        ("qualisys/walk.c3d", ("--static", "qualisys/static.c3d", "--set", "gravity_m_per_s2=9.8")),
        (
            "wild/opencap/drop_jump.trc",
            ("--static", "wild/opencap/static.trc", "--forces", "wild/opencap/drop_jump_grf.mot"),
        ),
    ],
)
def test_trials_of_laboratories(recorded: Callable[..., Result], trial: str, options: tuple[str, ...]) -> None:
    assert analyse_again(recorded(trial, *options)).why_not == ""


def test_a_trial_is_analysed_once_for_view_and_plan(copied: Path) -> None:
    path = copied / "results" / "walk.run.json"
    first = seen_of(load_result(path))
    assert seen_of(load_result(path)) is first
    changed_record(path, lambda record: record.update(inputs=[]))
    assert seen_of(load_result(path)).moving is None
