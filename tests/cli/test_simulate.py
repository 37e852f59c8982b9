"""`gaitid simulate` as a user meets it: its help, its options, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from terminal import assert_refused, assert_wrong_usage, gaitid

from gaitid.read import read_trial
from gaitid.simulate import ABOUT, ABOUT_CHAINS, ABOUT_FUNCTIONAL
from gaitid.simulate.settings import WalkSettings

SHORT = ("--duration", 1.5, "--analog-rate-hz", 200)


def test_help_names_every_scenario_and_every_setting() -> None:
    done = gaitid("simulate", "--help")
    words = " ".join(done.out.split())
    assert done.code == 0
    for name, about in {**ABOUT, **ABOUT_FUNCTIONAL, **ABOUT_CHAINS}.items():
        assert f" {name} {about}" in words
    for setting in WalkSettings.__dataclass_fields__:
        option = "plate-type" if setting == "plate_types" else setting.replace("_", "-").lower()
        assert f"--{option} " in words


def test_options_reach_the_trial(tmp_path: Path) -> None:
    for folder, options in (("soft", ()), ("hard", ("--impact-bw", 1.5, "--gap-count", 2, "--no-events"))):
        assert gaitid("simulate", "walk", "-q", "-o", tmp_path / folder, *SHORT, *options).code == 0
    soft, hard = (read_trial(tmp_path / folder / "walk.c3d") for folder in ("soft", "hard"))
    more = [(-b.force_p[:, 2] + a.force_p[:, 2]).max() for a, b in zip(soft.plates, hard.plates, strict=True)]
    # N: 1.5 body weights of a subject of 70 kg, whose peak lies within 2.5 ms of a sample
    assert min(more) == pytest.approx(1.5 * 70 * 9.81, rel=0.06)
    assert np.isnan(hard.points_g).any() and not np.isnan(soft.points_g).any()
    assert soft.events and not hard.events


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--plate-type", "x"), "expected whole numbers such as 2 or 1,4; found 'x'"),
        (("--plate-type", "1,"), "found '1,'"),
        (("--origin-sign", "up"), "'up' is not one of"),
        (("--gap-count", "1.5"), "'1.5' is not a valid integer"),
        (("--impact-bw", "much"), "'much' is not a valid float"),
    ],
)
def test_wrong_usage(options: tuple[str, ...], words: str, tmp_path: Path) -> None:
    assert_wrong_usage(gaitid("simulate", "walk", "-o", tmp_path / "x", *options), words)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--plate-type", "2,5"), "plate type 5 is none of 1, 2, 3, 4, 6, 7"),
        (("--impact-bw", -1, "--gap-count", -1), "impact_bw -1 is negative, gap_count -1 is negative"),
        (("--gap-count", 1, "--gap-frames", 9999), "gap_frames 9999 is not from 1 to the trial's 400 frames"),
        (("--plate-bias-n", "nan"), "plate_bias_N nan is no number"),
    ],
)
def test_impossible_settings(options: tuple[object, ...], words: str, tmp_path: Path) -> None:
    assert_refused(gaitid("simulate", "walk", "-o", tmp_path / "x", *options), words)
    assert not list(tmp_path.iterdir())


# --- mechanical systems ------------------------------------------------------------------------------------

PENDULUM = """
gaitid_scenario: 1
kind: chain
name: pendulum
bodies:
  - name: rod
    parent: ground
    joint: {name: pin, type: revolute, axis: [0, 1, 0], at_m: [0, 0, 1.5]}
    distal_m: [0, 0, -1]
    mass_kg: 2
    com_m: [0, 0, -0.5]
    inertia_kg_m2: [2 / 12, 2 / 12, 0]
start: {pin: {angle_rad: pi / 6}}
settings: {duration: 0.5, rate_hz: 50}
"""


@pytest.fixture
def pendulum(tmp_path: Path) -> Path:
    path = tmp_path / "own.yaml"
    path.write_text(PENDULUM, encoding="utf-8")
    return path


def test_a_file_of_one_s_own_is_simulated_and_run(pendulum: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = gaitid("simulate", pendulum, "-o", out, "--rate-hz", 200)
    assert done.code == 0, done.err
    assert done.out == ""
    assert len(done.lines) == 2
    assert "wrote pendulum.c3d, pendulum.csv, pendulum.scenario.yaml, pendulum.model.yaml" in done.lines[0]
    assert "DOP853 with tolerances 1e-12 (relative)" in done.lines[1]
    assert "energy drifts by 1e-1" in done.lines[1]
    assert read_trial(out / "pendulum.c3d").rate_hz == 200
    assert (out / "pendulum.scenario.yaml").read_text(encoding="utf-8") == PENDULUM
    settings = json.loads((out / "pendulum.truth.json").read_text(encoding="utf-8"))["settings"]
    assert (settings["rate_hz"], settings["duration"]) == (200, 0.5)
    run = gaitid("run", out / "pendulum.c3d", "--model", out / "pendulum.model.yaml", "--cutoff", "none", "-o", out)
    assert run.code == 0, run.err
    rows = [line.split(",") for line in (out / "pendulum.wrenches.csv").read_text().splitlines()]
    at = rows[0].index("right_pin_force_global_z_N")
    truth = [line.split(",") for line in (out / "pendulum.truth.wrenches.csv").read_text().splitlines()]
    # N, of 20: half way, the markers' 32 bits at 200 Hz are worth 2 kg · 1e-7 m · 4 · 200² = 0.03
    assert float(rows[50][at]) == pytest.approx(float(truth[50][at]), abs=0.03)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("parent: ground", "parent: rod", "bodies[0].parent: 'rod' must be listed before 'rod' (a loop)"),
        ("    mass_kg: 2\n", "", "own.yaml: line 6: bodies[0].mass_kg: missing"),
        ("[2 / 12, 2 / 12, 0]", "[1, 1, 3]", "bodies[0].inertia_kg_m2: the inertia breaks the triangle inequality"),
        ("[2 / 12, 2 / 12, 0]", "[1, 1, -1]", "bodies[0].inertia_kg_m2: the inertia is indefinite"),
        ("rate_hz: 50", "rate: 50", "settings.rate: unknown key (did you mean 'rate_hz'?)"),
        ("rate_hz: 50", "rate_hz: 0", "cannot simulate: rate_hz 0 is not positive"),
    ],
)
def test_a_bad_file_is_one_line_and_leaves_nothing(
    old: str, new: str, words: str, pendulum: Path, tmp_path: Path
) -> None:
    assert old in PENDULUM
    pendulum.write_text(PENDULUM.replace(old, new), encoding="utf-8")
    assert_refused(gaitid("simulate", pendulum, "-o", tmp_path / "out"), words)
    assert not (tmp_path / "out").exists()
