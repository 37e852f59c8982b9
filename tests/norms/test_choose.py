"""Which norms are drawn over a record, and the words that say why."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gaitid.errors import GaitidError
from gaitid.norms import norms_for
from gaitid.norms.fit import GRAVITY, definitions_of, dimensionless
from gaitid.norms.sets import load_set

Record = Mapping[str, Any]
LEG = 0.9
CHILD = {"age": {"value": 9.0, "unit": "years"}}
ADULT = {"age": {"value": 35.0, "unit": "years"}}


def changed(record: Record, **sections: Any) -> dict[str, Any]:
    """A copy with a section's keys changed; the legs are 0.9 m long."""
    made: dict[str, Any] = json.loads(json.dumps(record))
    for side in ("left", "right"):
        made["subject"][f"{side}.leg_length"] = {"value": LEG, "unit": "m"}
    for key, value in sections.items():
        made[key] = {**made[key], **value}
    return made


def metres_per_second(scaled: float) -> float:
    return scaled * math.sqrt(GRAVITY * LEG)


def redefined(record: Record, section: str, old: str, new: str) -> dict[str, str]:
    text = str(record["conventions"][section])
    assert old in text
    return {section: text.replace(old, new)}


def test_the_definitions_of_the_sets_are_those_that_pig_records(pig_record: Record) -> None:
    """Else every band would be left out silently of what this version computes."""
    for name in ("schwartz2008", "pinzone2014_centre1", "pinzone2014_centre2"):
        theirs, ours = load_set(name).definitions, definitions_of(pig_record)
        assert (theirs.angles, theirs.moments, theirs.axes) == (ours.angles, ours.moments, ours.axes)
        assert ours.models == ("pig",)


def test_a_group_is_drawn_at_its_own_speed(pig_record: Record) -> None:
    for group in load_set("schwartz2008").groups:
        speed = metres_per_second(group.speeds["dimensionless"].mean)
        norms, words = norms_for(None, changed(pig_record, subject=CHILD), speed)
        assert norms is not None
        assert len(norms.bands) == 21
        for column, band in group.bands.items():
            assert norms.bands[column].mean == pytest.approx(band.mean, abs=1e-9)
            assert norms.bands[column].sd == pytest.approx(band.sd, abs=1e-9)
        assert group.label in words


def test_between_two_groups_linear(pig_record: Record) -> None:
    norms, words = norms_for(None, changed(pig_record, subject=CHILD), metres_per_second((0.290 + 0.429) / 2))
    slow, free = load_set("schwartz2008").groups[1:3]
    assert norms is not None
    middle = (slow.bands["knee_flexion_deg"].mean + free.bands["knee_flexion_deg"].mean) / 2
    assert norms.bands["knee_flexion_deg"].mean == pytest.approx(middle, abs=1e-6)
    assert norms.spatiotemporal["stance_percent"].mean == pytest.approx(60.5)
    assert norms.dimensionless
    assert norms.bands["hip_power_W_per_kg"].spike_until_percent == 4
    assert words.startswith("Schwartz 2008, between slow and free speed (n = 82), at this walk's 1.07 m/s (0.36 of")


def test_interpolating_is_better_than_the_nearest_group() -> None:
    """The figures of `_by_speed`: each middle group from its neighbours, over its own standard deviation."""
    groups = load_set("schwartz2008").groups
    linear, nearest = [], []
    for before, group, after in zip(groups, groups[1:], groups[2:]):
        low, speed, high = (g.speeds["dimensionless"].mean for g in (before, group, after))
        share = (speed - low) / (high - low)
        for column, band in group.bands.items():
            a, b = before.bands[column].mean, after.bands[column].mean
            scale = np.sqrt((band.sd**2).mean())
            linear.append(np.sqrt((((1 - share) * a + share * b - band.mean) ** 2).mean()) / scale)
            nearest.append(np.sqrt((((a if share < 0.5 else b) - band.mean) ** 2).mean()) / scale)
    assert np.median(linear) == pytest.approx(0.14, abs=0.005)
    assert np.max(linear) == pytest.approx(0.37, abs=0.005)
    assert np.median(nearest) == pytest.approx(0.42, abs=0.005)


@pytest.mark.parametrize(("scaled", "drawn", "said"), [(0.15, True, ""), (0.05, True, "slower than"), (0.75, True, ""),
                                                      (0.85, False, "faster than")])  # fmt: skip
def test_nothing_is_extrapolated(pig_record: Record, scaled: float, drawn: bool, said: str) -> None:
    record, speed = changed(pig_record, subject=CHILD), metres_per_second(scaled)
    groups = load_set("schwartz2008").groups
    outer = groups[0] if scaled < 0.4 else groups[-1]
    for choice in (None, "schwartz2008"):
        norms, words = norms_for(choice, record, speed)
        assert said in words
        assert (norms is not None) == (drawn or choice is not None)
        if norms is not None:
            assert norms.bands["hip_flexion_deg"].mean == pytest.approx(outer.bands["hip_flexion_deg"].mean)


def test_an_unknown_speed_or_leg_is_said(pig_record: Record) -> None:
    norms, words = norms_for(None, changed(pig_record), math.nan)
    assert norms is not None
    assert norms.speed == "free speed (n = 82)"
    assert "walking speed of this result is not known" in words
    record = changed(pig_record)
    del record["subject"]["left.leg_length"], record["subject"]["right.leg_length"]
    norms, words = norms_for(None, record, 1.0)
    assert norms is not None
    assert "leg length of this result is not known" in words
    assert math.isnan(dimensionless(1.0, math.nan))


def test_ages(pig_record: Record) -> None:
    norms, words = norms_for(None, changed(pig_record, subject=CHILD), 1.0)
    assert norms is not None and norms.judges
    assert "age" not in words
    norms, words = norms_for(None, changed(pig_record), 1.0)
    assert norms is not None
    assert not norms.judges
    assert norms.legend == "Schwartz 2008 (able-bodied children, 4 to 18 years)"
    assert "able-bodied children (4 to 18 years); the age of this subject is not given" in words
    assert "No curve is called normal or not by it: that takes age_years" in words
    norms, words = norms_for("schwartz2008", changed(pig_record), 1.0)
    assert norms is not None and norms.judges
    assert "the age of this subject is not given" in words and "called normal" not in words
    norms, words = norms_for(None, changed(pig_record, subject=ADULT), 1.0)
    assert norms is None
    assert "4 to 18 years" in words and "this subject is 35" in words and "--norms schwartz2008" in words
    norms, words = norms_for("schwartz2008", changed(pig_record, subject=ADULT), 1.0)
    assert norms is not None and not norms.judges
    assert "this subject is 35" in words and "No curve is called normal or not by it" in words


def test_another_model_gets_the_ground_reaction_only(pig_record: Record) -> None:
    model = {"name": "ior", "files": ["ior.yaml (bundled)", "cast.yaml (bundled)"]}
    axes = redefined(pig_record, "segment axes", "z from knee to hip", "z from condyles to hip")
    record = changed(pig_record, model=model, conventions=axes)
    norms, words = norms_for(None, record, 1.0)
    assert norms is not None
    assert set(norms.bands) == {"ground_reaction_forward_N_per_kg", "ground_reaction_upward_N_per_kg"}
    assert "Ground reaction only" in words and "ior" in words
    norms, words = norms_for("schwartz2008", record, 1.0)
    assert norms is not None
    assert "knee_flexion_deg" in norms.bands and "hip_power_W_per_kg" in norms.bands
    assert not [c for c in norms.bands if "rotation" in c or "adduction" in c or "obliquity" in c or "abduction" in c]
    assert "sagittal plane only" in words


@pytest.mark.parametrize(
    ("model", "files"),
    [
        ("pig_vicon", ["pig_vicon.yaml (bundled)", "pig.yaml (bundled)", "tables/plug_in_gait.yaml (bundled)"]),
        ("ours", ["/home/x/ours.yaml", "pig.yaml (bundled)"]),
        ("ours", ["C:\\lab\\ours.yaml", "C:\\lab\\pig.yaml"]),
        ("copied", ["copied.yaml"]),  # all axes are the same
    ],
)
def test_models_of_the_family_get_all(pig_record: Record, model: str, files: list[str]) -> None:
    record = changed(pig_record, model={"name": model, "files": files}, subject=CHILD)
    norms, words = norms_for(None, record, 1.0)
    assert norms is not None
    assert len(norms.bands) == 21
    assert "ithout" not in words


def test_what_a_model_of_the_family_defines_otherwise_is_left_out(pig_record: Record) -> None:
    def columns(section: str, old: str, new: str) -> tuple[set[str], str]:
        record = changed(pig_record, conventions=redefined(pig_record, section, old, new), subject=CHILD)
        norms, words = norms_for(None, record, 1.0)
        assert norms is not None
        return set(load_set("schwartz2008").groups[0].bands) - set(norms.bands), words

    lost, words = columns("angles", "pelvis: yxz", "pelvis: zxy")
    assert lost == {f"pelvis_{c}_deg" for c in ("anterior_tilt", "upward_obliquity", "internal_rotation")}
    assert "defines otherwise than the band: pelvis" in words
    lost, _ = columns("moments", "knee: in axes of shank", "knee: in axes of thigh")
    assert lost == {"knee_extension_moment_Nm_per_kg", "knee_abduction_moment_Nm_per_kg"}
    # another axis of the knee: nothing beside the sagittal plane where the thigh takes part
    lost, _ = columns("segment axes", "y near from knee to knee_marker", "y near from knee to knee_medial")
    assert {c for c in lost if c.startswith(("hip", "knee"))} == lost
    assert "hip_internal_rotation_deg" in lost and "knee_adduction_deg" in lost
    assert not [c for c in lost if "flexion" in c or "extension" in c or "power" in c]


@pytest.mark.parametrize(
    ("found", "way"),
    [
        ("path of asis_middle: the walk turns by 92°", "The walk turns by 92°"),
        ("displacement of asis_middle: the walk goes down by 36°", "The walk goes down by 36°"),
        ("against the displacement of asis_middle: the subject walks backward", "The subject walks backward"),
        (
            "against the displacement of asis_middle: the subject walks backward: the walk goes up by 6°",
            "The subject walks backward",
        ),
    ],
)
def test_a_walk_that_goes_not_straight_on_over_level_ground_is_said(pig_record: Record, found: str, way: str) -> None:
    text = f"forward = (1, 0, 0), {found}; axes x, y, z"
    record = changed(pig_record, conventions={"progression": text}, subject=CHILD)
    norms, words = norms_for(None, record, 1.0)
    assert norms is None
    assert f"{way}: Schwartz 2008 is of walking straight on over level ground, and is not drawn" in words
    norms, words = norms_for("schwartz2008", record, 1.0)
    assert norms is not None
    assert f"{way}, and the band is of walking straight on over level ground." in words


def test_by_name(pig_record: Record) -> None:
    record = changed(pig_record, subject=CHILD)
    assert norms_for("none", record, 1.0) == (None, "No normative bands were asked for.")
    norms, words = norms_for("schwartz2008:fast", record, 0.5)
    assert norms is not None
    assert norms.speed == "fast speed (n = 76)"
    norms, words = norms_for("pinzone2014_centre2", record, 2.0)
    assert norms is not None
    assert norms.n == 31 and not norms.dimensionless
    assert "1.27 ± 0.13 m/s (n = 31)" in words and "faster than those of the band" in words
    wanted = r"did you mean 'schwartz2008'.*pinzone2014_centre1, .*, none \(no bands\), or a file"
    with pytest.raises(GaitidError, match=rf"no norms 'schwartz'.*{wanted}"):
        norms_for("schwartz", record, 1.0)
    with pytest.raises(GaitidError, match=r"no group 'brisk'; expected one of very_slow, slow, free, fast, very_fast"):
        norms_for("schwartz2008:brisk", record, 1.0)


def test_a_record_of_almost_nothing_is_no_failure() -> None:
    norms, words = norms_for(None, {"gaitid": "0.1"}, 1.0)
    assert norms is not None
    assert all(column.startswith("ground_reaction") for column in norms.bands)
    assert "Ground reaction only" in words


def test_a_file_wins_over_a_name(pig_record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("schwartz2008").write_text("gaitid_norms: 2\n", encoding="utf-8")
    with pytest.raises(GaitidError, match=r"schwartz2008: not norms; expected the key gaitid_norms: 1; found 2"):
        norms_for("schwartz2008", pig_record, 1.0)
