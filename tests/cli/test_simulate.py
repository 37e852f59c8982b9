"""`gaitid simulate` as a user meets it: its help, its options, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from terminal import assert_refused, assert_wrong_usage, gaitid

from gaitid.read import read_trial
from gaitid.simulate import SCENARIOS, WalkSettings

SHORT = ("--duration", 1.5, "--analog-rate-hz", 200)


def test_help_names_every_scenario_and_every_setting() -> None:
    done = gaitid("simulate", "--help")
    words = " ".join(done.out.split())
    assert done.code == 0
    for name, scenario in SCENARIOS.items():
        assert f" {name} {scenario.about}" in words
    for setting in WalkSettings.__dataclass_fields__:
        option = "plate-type" if setting == "plate_types" else setting.replace("_", "-").lower()
        assert f"--{option} " in words


@pytest.mark.parametrize("types", [("--plate-type", "1,4"), ("--plate-type", 1, "--plate-type", 4)])
def test_plates_of_several_types(types: tuple[object, ...], tmp_path: Path) -> None:
    plates = ("--plate-seed", 3, "--origin-sign", "c3d")
    done = gaitid("simulate", "across_plates", "-o", tmp_path, *SHORT, *types, *plates)
    assert done.code == 0, done.err
    assert "across_plates.truth.loads.csv" in done.err
    assert [plate.kind for plate in read_trial(tmp_path / "across_plates.c3d").plates] == [1, 4, 1]


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
