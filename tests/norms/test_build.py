"""A laboratory's own norms: from made-up results whose means are known, and back from the file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from norm_results import Make

from gaitid.errors import GaitidError
from gaitid.model.yaml_file import parse_yaml
from gaitid.norms import norms_for
from gaitid.norms.build import About, build_norms
from gaitid.norms.sets import parse_set
from gaitid.norms.text import set_yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from terminal import assert_refused, assert_wrong_usage, gaitid

ABOUT = About("ours", "Ours", "adults")
RISE = 0.01 * np.arange(101)


def test_each_subject_counts_once_and_sides_are_pooled(result: Make, tmp_path: Path) -> None:
    result("ann", 1.0, right=3.0)  # mean 2
    result("bob", 4.0, cycles=5)  # mean 4, however many cycles
    result("cid", 8.0, stem="a")
    result("cid", 10.0, stem="b", speed=1.4)  # mean 9 over two trials
    norms, lines = build_norms([tmp_path], ABOUT)
    (group,) = norms.groups
    band = group.bands["hip_flexion_deg"]
    assert (group.n, band.n) == (3, 3)
    assert band.mean == pytest.approx(5 + RISE)
    assert band.sd == pytest.approx(np.std([2, 4, 9], ddof=1))
    assert group.spatiotemporal["stance_percent"].mean == pytest.approx(65)
    assert group.spatiotemporal["stance_percent"].unit == "%"
    assert group.features["hip_flexion_angle_max"].mean == pytest.approx(5)
    assert group.features["hip_flexion_angle_max"].unit == "deg"
    assert "knee_flexion_angle_max" not in group.features, "nobody has one"
    assert group.speeds["m/s"].mean == pytest.approx((1 + 1 + 1.2) / 3)
    assert group.speed_range_m_per_s == (1.0, 1.4)
    assert "3 subjects, 4 trials, 16 cycles" in lines


def test_only_whole_cycles_of_a_quantity(result: Make, tmp_path: Path) -> None:
    result("ann", 1.0, cycles=2, gap_in="hip_extension_moment_Nm_per_kg")
    result("bob", 3.0, gap_in="hip_extension_moment_Nm_per_kg")
    norms, _ = build_norms([tmp_path], ABOUT)
    bands = norms.groups[0].bands
    assert bands["hip_flexion_deg"].n == 2
    assert bands["hip_extension_moment_Nm_per_kg"].n == 1
    assert bands["hip_extension_moment_Nm_per_kg"].mean == pytest.approx(1 + RISE)
    assert np.isnan(bands["hip_extension_moment_Nm_per_kg"].sd).all()


def test_verdicts(result: Make, tmp_path: Path) -> None:
    result("ann", 1.0)
    result("bob", 3.0, verdict="usable")
    result("cid", 50.0, verdict="do not use")
    result("dan", 5.0, right=70.0, change={"verdict": {"right": "do not use"}})
    norms, lines = build_norms([tmp_path], ABOUT)
    assert norms.groups[0].bands["hip_flexion_deg"].mean == pytest.approx(3 + RISE)
    assert norms.groups[0].features["hip_flexion_angle_max"].mean == pytest.approx(3), "nor a figure of that side"
    assert any("1 result left out (1 do not use)" in line and "cid" in line for line in lines)
    norms, lines = build_norms([tmp_path], About("ours", "", "", verdicts=("do not use",)))
    assert norms.groups[0].n == 1
    assert any("one subject only" in line for line in lines)
    with pytest.raises(GaitidError, match=r"no result is left; expected at least one with the verdict 'good'"):
        build_norms([tmp_path / "cid"], About("ours", "", "", verdicts=("good",)))


def test_turns_and_the_same_trial_twice_are_left_out(result: Make, tmp_path: Path) -> None:
    result("ann", 1.0, sha256="same")
    result("copy", 1.0, sha256="same")
    result("bob", 3.0)
    turn = {"conventions": {"progression": "forward = ...: the walk turns by 92°; axes"}}
    result("bob", 90.0, stem="turn", change=turn)
    norms, lines = build_norms([tmp_path], ABOUT)
    assert norms.groups[0].n == 2
    assert norms.groups[0].bands["hip_flexion_deg"].mean == pytest.approx(2 + RISE)
    assert any("1 turning" in line for line in lines) and any("same trial" in line for line in lines)
    norms, _ = build_norms([tmp_path], About("ours", "", "", with_turns=True))
    assert norms.groups[0].bands["hip_flexion_deg"].mean.max() > 20


def test_models_are_not_mixed(result: Make, tmp_path: Path) -> None:
    result("ann", 1.0)
    result("bob", 2.0)
    result("cid", 2.0, change={"model": {"name": "pig_vicon", "files": ["pig_vicon.yaml (bundled)"]}})
    with pytest.raises(GaitidError) as refused:
        build_norms([tmp_path], ABOUT)
    line = refused.value.line()
    assert line.startswith("results of different models or conventions; expected all of one model")
    assert "pig (2:" in line and "pig_vicon (1:" in line and "they differ in models" in line
    assert "\n" not in line


def test_controls_have_scores_of_their_own(result: Make, tmp_path: Path) -> None:
    """Each against the mean of the others: 0, 3 and 9 are 6, 1.5 and 7.5 from it."""
    for name, level in (("ann", 0.0), ("bob", 3.0), ("cid", 9.0)):
        result(name, level)
    features = build_norms([tmp_path], ABOUT)[0].groups[0].features
    assert features["gait_profile_score"].mean == pytest.approx((6 + 1.5 + 7.5) / 3)
    assert features["gait_profile_score"].sd == pytest.approx(np.std([6, 1.5, 7.5], ddof=1))
    assert features["gait_variable_score_knee_flexion"].mean == pytest.approx(5)
    assert features["gait_profile_score"].n == 3


def test_the_impact_of_the_foot_strike_is_marked(result: Make, tmp_path: Path) -> None:
    """Frames 97 to 104 of a cycle that begins with frame 100 and lasts 100."""
    result("ann", 1.0)
    result("bob", 2.0)
    bands = build_norms([tmp_path], ABOUT)[0].groups[0].bands
    assert bands["hip_extension_moment_Nm_per_kg"].spike_until_percent == 4
    assert bands["knee_power_W_per_kg"].spike_until_percent == 4
    assert bands["hip_flexion_deg"].spike_until_percent == 0
    assert bands["ground_reaction_upward_N_per_kg"].spike_until_percent == 0


def test_the_file_is_read_back(result: Make, tmp_path: Path) -> None:
    records = [result("ann", 1.0), result("bob", 3.0), result("cid", 4.0)]
    built, _ = build_norms([tmp_path], About('no: "ours"', "Ours, été", "adults\n\x07", ages_years=(20, 40)))
    read = parse_set(parse_yaml(set_yaml(built), "x"), "x")
    assert (read.name, read.title, read.population) == ('no: "ours"', "Ours, été", "adults\n\x07")
    assert read.ages_years == (20, 40)
    assert read.definitions == built.definitions
    for column, band in built.groups[0].bands.items():
        again = read.groups[0].bands[column]
        assert again.mean == pytest.approx(band.mean, rel=1e-5)
        assert again.sd == pytest.approx(band.sd, rel=1e-5)
        assert (again.n, again.spike_until_percent) == (band.n, band.spike_until_percent)
    assert set(read.groups[0].features) == set(built.groups[0].features)
    assert read.groups[0].speed_range_m_per_s == (1, 1)
    own = tmp_path / "own.yaml"
    own.write_text(set_yaml(built), encoding="utf-8")
    norms, words = norms_for(str(own), json.loads(records[0].read_text("utf-8")), 1.0)
    assert norms is not None
    assert set(norms.bands) == set(built.groups[0].bands)
    assert "Ours, été, all speeds, 1.00 ± 0.00 m/s (n = 3)." in words


def test_a_group_for_each_range_of_speeds(result: Make, tmp_path: Path) -> None:
    """Trials below 0.8 m/s, and from there on; which is drawn goes by the walk's speed."""
    for name, level in (("ann", 1.0), ("bob", 3.0)):
        result(name, level, stem="slow", speed=0.5)
        result(name, level + 10.0, stem="free", speed=1.2)
    norms, lines = build_norms([tmp_path], About("ours", "Ours", "adults", speed_edges=(0.8,)))
    assert [(g.label, g.n, g.speeds["m/s"].mean) for g in norms.groups] == [
        ("0 to 0.8 m/s", 2, pytest.approx(0.5)),
        ("from 0.8 m/s", 2, pytest.approx(1.2)),
    ]
    assert [g.bands["knee_flexion_deg"].mean[0] for g in norms.groups] == [2.0, 12.0]
    assert "from 0.8 m/s: 2 subjects, 2 trials, 4 cycles" in lines and norms.usual == "from_0_8"


GOOD = {
    "gaitid_norms": 1,
    "name": "x",
    "title": "x",
    "population": "x",
    "percent": [0, 50, 100],
    "groups": {"all": {"n": 2, "bands": {"hip_flexion_deg": {"mean": [1, 2, 3], "sd": [1, None, 1]}}}},
}


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("groups.all.bands.hip_flexion_deg.mean", [1, 2], "groups.all.bands.hip_flexion_deg.mean: expected 3 numbers"),
        ("groups.all.bands.hip_flexion_deg.mean", "1 2 3", "hip_flexion_deg.mean: expected a list of numbers"),
        ("groups.all.bands.hip_flexion_deg.sds", [1, 1, 1], "hip_flexion_deg.sds: unknown key (did you mean 'sd'?)"),
        ("groups.all.n", 0, "groups.all.n: expected a number from 1"),
        ("groups", {}, "groups: expected at least one"),
        ("ages_years", [40, 20], "ages_years: expected two numbers, the lowest and the highest"),
        ("titel", "x", "titel: unknown key"),
        ("definitions.angles", {"hip": 3}, "definitions.angles.hip: expected text"),
        ("gaitid_norms", True, "not norms; expected the key gaitid_norms: 1; found True"),
    ],
)
def test_a_fault_is_named_with_its_key(path: str, value: object, words: str) -> None:
    content = json.loads(json.dumps(GOOD))
    assert parse_set(content, "mine.yaml").groups[0].n == 2
    *parents, key = path.split(".")
    at = content
    for parent in parents:
        at = at.setdefault(parent, {})
    at[key] = value
    with pytest.raises(GaitidError) as refused:
        parse_set(content, "mine.yaml")
    assert refused.value.line().startswith("mine.yaml: ")
    assert words in refused.value.line()
    assert "\n" not in refused.value.line()


# --- the command ------------------------------------------------------------------------------------------------


def test_build_and_show(result: Make, tmp_path: Path) -> None:
    record = result("ann", 1.0)
    result("bob", 3.0)
    output = tmp_path / "out" / "my_norms.yaml"
    done = gaitid("norms", "build", tmp_path, "-o", output, "--population", "adults", "--ages", 20, 40)
    assert done.code == 0, done.err
    assert "2 subjects, 2 trials, 4 cycles" in done.err and f"wrote {output}" in done.err
    shown = gaitid("norms", "show", output)
    assert "my_norms (my_norms)" in shown.out and "ages: 20 to 40 years" in shown.out and "n = 2" in shown.out
    assert_refused(gaitid("norms", "build", tmp_path / "x.run.json", "-o", output), "no such file")
    assert_refused(gaitid("norms", "build", tmp_path / "out", "-o", output), "no result in this folder")
    assert_refused(gaitid("norms", "build", record.with_name("walk.cycles.csv"), "-o", output), "not a result")
    assert_refused(gaitid("norms", "build", record, "-o", record), "is an input and would be overwritten")
    assert_wrong_usage(gaitid("norms", "build", record, "-o", output, "--ages", 40, 20), "--ages 40 20")
