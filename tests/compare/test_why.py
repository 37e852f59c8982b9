"""Two results of one recording: one ingredient otherwise is named first, with its size; all parts sum to the whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from comparisons import change, move, remainder, sums, turn_plate

from gaitid.compare.comparison import Comparison, compare
from gaitid.compare.mixture import ORDER
from gaitid.compare.words import differs_most, verdict
from gaitid.simulate.files import simulate

Result = Callable[..., Path]
# Of the difference: tables have ten digits, and nothing else is left over where every ingredient is exchanged.
ROUNDING = 1e-6


def named_first(comparison: Comparison) -> tuple[str, str]:
    """Key and size of the ingredient with the largest share."""
    assert comparison.explanation is not None
    key = comparison.ranked()[0][0]
    return key, next(p.size for p in comparison.explanation.parts if p.ingredient.key == key)


def name_of(key: str) -> str:
    return next(ingredient.name for ingredient in ORDER if ingredient.key == key)


def only(comparison: Comparison, key: str, words: str) -> None:
    """One ingredient makes all of it, and says by how much both lie apart in it."""
    found, size = named_first(comparison)
    assert found == key, verdict(comparison)
    assert words in size
    for quantity in comparison.quantities:
        assert comparison.shares(quantity)[key].share == pytest.approx(1.0, abs=1e-3)
        assert remainder(comparison, quantity) < ROUNDING
    sums(comparison)
    assert f"Why: {name_of(key)} first" in verdict(comparison)


def test_a_hip_centre_20_mm_off(walk: Path, result: Result) -> None:
    comparison = compare(result(), result("--model", walk / "hip_20_mm.yaml"))
    only(comparison, "joint_centres", "hip 20 mm")
    quantity, measured = differs_most(comparison)
    assert quantity == "moment_Nm_per_kg"
    assert "hip_abduction" in max(measured, key=lambda m: abs(m.largest)).column


def test_a_filter_of_3_hz(result: Result) -> None:
    only(compare(result("--cutoff", "none"), result("--cutoff", 3)), "marker_filter", "cutoff none and 3 Hz")


def test_a_plate_turned_by_10_degrees(walk: Path, result: Result) -> None:
    turned = change(walk / "walk.c3d", walk / "turned_10.c3d", turn_plate(1, 10))
    comparison = compare(result(), result(trial=turned))
    only(comparison, "plates", "plate 1 turned by 10 deg")
    assert not [m for m in comparison.differing if m.quantity == "angle_deg"]


def test_a_plate_that_is_refused_is_named_where_one_side_knows_nothing(walk: Path, result: Result) -> None:
    turned = change(walk / "walk.c3d", walk / "turned_90.c3d", turn_plate(1, 90))
    comparison = compare(result(), result(trial=turned))
    assert max(m.only_a for m in comparison.shown if "moment" in m.column) > 50
    words = verdict(comparison)
    assert "the same where both are known" in words
    assert "force plates (plate 1 turned by 90 deg) made other contacts" in words


def test_another_static(walk: Path, result: Result) -> None:
    other = change(walk / "static.c3d", walk / "other_static.c3d", move("LTHI", (20.0, 0.0, 0.0)))
    # without what the trial itself stores of a calibration, the static's own markers tell it
    comparison = compare(result("--static", walk / "static.c3d"), result("--static", other))
    sums(comparison)
    if not comparison.differing:
        pytest.fail("a wand that was moved in the static changes nothing")
    only(comparison, "static", "static static.c3d and other_static.c3d")


def test_a_marker_moved_in_the_recording(walk: Path, result: Result) -> None:
    moved = change(walk / "walk.c3d", walk / "moved.c3d", move("LKNE", (10.0, 0.0, 0.0)))
    only(compare(result(), result(trial=moved)), "marker_positions", "LKNE 10 mm")


@pytest.mark.parametrize(
    ("options", "key", "words"),
    [
        (("--set", "hip_centre=bell"), "joint_centres", "hip"),
        (("--set", "table=plug_in_gait"), "segment_parameters", "tables winter_pig and plug_in_gait"),
        (("--set", "angular_velocity=single_entries"), "derivative", "quaternion spline and single entries"),
        (("--force-cutoff", 8), "force_sampling", "force cutoff none and 8 Hz"),
        (("--set", "plate_sampling=centred_mean"), "force_sampling", "local quadratic and centred mean"),
        (("--set", "gravity_m_per_s2=9.6"), "vertical", "9.81 and 9.6"),
        (("--set", "pelvis_sequence=rotation_first"), "frame_of_expression", "as written and rotation first"),
    ],
)
def test_a_setting(result: Result, options: tuple[object, ...], key: str, words: str) -> None:
    only(compare(result(), result(*options)), key, words)


def test_two_things_at_once_interact_and_sum(walk: Path, result: Result) -> None:
    """The hip's shift, seen through a filter, is another: what is left of its share comes with it."""
    comparison = compare(result("--cutoff", "none"), result("--model", walk / "hip_20_mm.yaml", "--cutoff", 3))
    sums(comparison)
    keys = [key for key, _ in comparison.ranked()]
    assert set(keys[:2]) == {"joint_centres", "marker_filter"}
    shares = comparison.shares("power_W_per_kg")
    assert abs(shares["marker_filter"].interaction) > 1e-3
    assert shares["joint_centres"].interaction == pytest.approx(0.0, abs=1e-12)  # it comes first
    assert remainder(comparison, "moment_Nm_per_kg") < ROUNDING


def test_the_way_back_has_the_same_differences_with_the_sign_turned(walk: Path, result: Result) -> None:
    a, b = result(), result("--model", walk / "hip_20_mm.yaml")
    there, back = compare(a, b), compare(b, a)
    for one, other in zip(there.measured, back.measured, strict=True):
        assert (one.column, one.rms, one.bias, one.n) == (other.column, other.rms, -other.bias, other.n)
    only(back, "joint_centres", "hip 20 mm")


def test_models_with_other_segments_are_not_mixed(walk: Path, result: Result) -> None:
    """Joint centres, axes and masses of bodies of other names are not exchanged: words say so; they are left over."""
    model = walk / "leg.yaml"
    hip = yaml.safe_load((walk / "hip_20_mm.yaml").read_text("utf-8"))["each_side"]
    chain = [
        {"segment": "foot", "frame": "foot", "joint": "ankle", "centre": "ankle", "ground": True}
        | {"com": {"along": "foot.z", "from": "ankle", "distance": "-com_fraction * length"}, "length": "foot_length"},
        {"segment": "leg", "row": "shank", "frame": "shank", "joint": "knee", "centre": "knee"}
        | {"com": {"between": ["knee", "ankle"], "fraction": "com_fraction"}, "length": "distance(knee, ankle)"},
        {"segment": "thigh", "frame": "thigh", "joint": "hip", "centre": "hip"}
        | {"com": {"between": ["hip", "knee"], "fraction": "com_fraction"}, "length": "distance(hip, knee)"},
    ]
    content = {"gaitid_model": 1, "name": "leg", "extends": "pig.yaml", "chain": chain, "each_side": hip}
    model.write_text(yaml.safe_dump(content), encoding="utf-8")
    comparison = compare(result("--cutoff", "none"), result("--model", model, "--cutoff", 3))
    sums(comparison)
    assert comparison.explanation is not None
    refused = {part.ingredient.key for part in comparison.explanation.parts if part.why_not}
    assert refused == {"joint_centres", "segment_axes", "segment_parameters", "frame_of_expression"}
    assert all("other segments or joints" in p.why_not for p in comparison.explanation.parts if p.why_not)
    assert remainder(comparison, "moment_Nm_per_kg") > 0.1  # the hip's 20 mm
    assert comparison.shares("power_W_per_kg")["marker_filter"].share > 0.5


def test_a_hip_of_functional_trials_needs_the_subject_that_has_it(walk: Path, result: Result) -> None:
    """It cannot be exchanged by itself: it is tried again when what it needs is there, and nothing is left over."""
    folder = walk / "functional"
    simulate("functional", folder)
    static = ("--static", folder / "static.c3d")
    comparison = compare(result(*static), result(*static, "--functional", folder / "left_hip.c3d"))
    assert comparison.explanation is not None
    keys = [part.ingredient.key for part in comparison.explanation.parts]
    assert keys[:2] == ["subject_values", "joint_centres"]
    assert comparison.explanation.parts[0].size == "measured otherwise: left hip"
    assert not any(part.why_not for part in comparison.explanation.parts)
    shares = comparison.shares("moment_Nm_per_kg")
    assert shares["joint_centres"].share == pytest.approx(1.0, abs=0.01)
    assert shares["joint_centres"].share_alone != shares["joint_centres"].share_alone  # NaN: not known
    assert remainder(comparison, "moment_Nm_per_kg") < ROUNDING


def test_a_result_whose_trial_is_gone_says_why_it_is_not_explained(walk: Path, tmp_path: Path, result: Result) -> None:
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        source = result() if name == "a" else result("--cutoff", 3)
        for file in source.parent.iterdir():
            (folder / file.name).write_bytes(file.read_bytes())
        record = json.loads((folder / source.name).read_text(encoding="utf-8"))
        record["inputs"][0]["path"] = "gone/walk.c3d"
        record["command"][2] = "gone/walk.c3d"
        (folder / source.name).write_text(json.dumps(record), encoding="utf-8")
    comparison = compare(tmp_path / "a", tmp_path / "b")
    assert comparison.explanation is None
    assert "walk.c3d is not where it was" in comparison.why_not
    assert comparison.differing  # the figures are there all the same
