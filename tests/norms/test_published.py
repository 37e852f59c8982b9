"""The published sets: their printed figures, their signs, and that a script remakes them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from gaitid.norms.sets import Band, load_set, published_sets

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from make_norms import GRAVITY, SOURCES, make  # noqa: E402

SPEEDS = ("very_slow", "slow", "free", "fast", "very_fast")
BODY_WEIGHT = 1 / GRAVITY

# Schwartz 2008, printed extremes of the mean curves at the five speeds and the mean standard deviation at free speed.
PRINTED = {
    "hip_flexion_deg": ((32.0, 34.3, 36.7, 39.9, 45.1), (1.5, -2.4, -5.8, -8.0, -7.3), 6.1),
    "hip_adduction_deg": ((3.0, 4.4, 5.2, 6.3, 7.5), (-4.8, -6.3, -7.1, -8.3, -8.5), 3.1),
    "hip_internal_rotation_deg": ((-0.1, 0.4, 1.2, 0.4, -0.9), (-3.8, -5.4, -5.3, -6.3, -6.9), 9.5),
    "knee_flexion_deg": ((44.7, 55.2, 59.1, 61.0, 61.9), (4.8, 3.6, 4.0, 4.1, 0.6), 6.3),
    "knee_adduction_deg": ((1.7, 3.1, 4.7, 3.6, 1.8), (-1.4, -1.5, -2.3, -3.8, -3.7), 4.4),
    "knee_internal_rotation_deg": ((8.2, 8.2, 8.4, 9.2, 7.7), (-0.6, -2.2, -2.6, -2.9, -4.2), 7.5),
    "ankle_dorsiflexion_deg": ((13.1, 13.8, 11.8, 8.9, 7.9), (-5.7, -13.6, -19.8, -22.1, -21.9), 5.3),
    "foot_progression_internal_rotation_deg": (
        (-4.8, -3.9, -1.5, -0.7, -3.6),
        (-14.8, -15.1, -14.2, -13.7, -15.0),
        7.2,
    ),
    "pelvis_anterior_tilt_deg": ((12.4, 11.5, 12.5, 14.3, 18.1), (11.6, 10.6, 10.5, 11.8, 14.6), 4.9),
    "ground_reaction_upward_N_per_kg": ((1.00, 1.03, 1.10, 1.25, 1.33), (), 0.07),
    "hip_extension_moment_Nm_per_kg": ((0.24, 0.44, 0.73, 1.00, 1.42), (-0.28, -0.41, -0.62, -0.86, -0.98), 0.15),
    "hip_abduction_moment_Nm_per_kg": ((0.51, 0.49, 0.49, 0.53, 0.59), (-0.03, -0.04, -0.09, -0.13, -0.16), 0.10),
    "knee_extension_moment_Nm_per_kg": ((0.06, 0.17, 0.37, 0.55, 0.50), (-0.24, -0.21, -0.29, -0.38, -0.44), 0.11),
    "knee_abduction_moment_Nm_per_kg": ((0.29, 0.28, 0.28, 0.32, 0.34), (-0.02, -0.03, -0.05, -0.06, -0.05), 0.07),
    "ankle_plantarflexion_moment_Nm_per_kg": (
        (1.09, 1.14, 1.23, 1.26, 1.23),
        (-0.06, -0.10, -0.13, -0.14, -0.10),
        0.12,
    ),
    "hip_power_W_per_kg": ((0.17, 0.41, 0.83, 1.38, 2.43), (-0.08, -0.18, -0.41, -0.76, -1.14), 0.25),
    "knee_power_W_per_kg": ((0.09, 0.23, 0.69, 1.17, 1.05), (-0.17, -0.43, -0.98, -1.48, -2.42), 0.26),
    "ankle_power_W_per_kg": ((0.81, 1.67, 2.80, 3.44, 3.61), (-0.36, -0.46, -0.37, -0.29, -0.37), 0.29),
}


def band(name: str, column: str, group: str = "") -> Band:
    norms = load_set(name)
    return next(g for g in norms.groups if g.name == (group or norms.usual)).bands[column]


def at(found: Band, percent: float) -> float:
    return float(np.interp(percent, found.percent, found.mean))


@pytest.mark.parametrize("column", PRINTED)
def test_extremes_are_the_printed_ones(column: str) -> None:
    highest, lowest, spread = PRINTED[column]
    scale = BODY_WEIGHT if column.startswith("ground") else 1.0
    half = 0.0551 if column.endswith("_deg") else 0.00551  # of the last printed digit, some rounded twice
    for speed, high in zip(SPEEDS, highest, strict=True):
        assert scale * band("schwartz2008", column, speed).mean.max() == pytest.approx(high, abs=half)
    for speed, low in zip(SPEEDS, lowest, strict=bool(lowest)):
        assert band("schwartz2008", column, speed).mean.min() == pytest.approx(low, abs=half)
    assert scale * band("schwartz2008", column).sd.mean() == pytest.approx(spread, abs=half)


def test_groups_and_figures_are_the_printed_ones() -> None:
    groups = load_set("schwartz2008").groups
    assert [g.name for g in groups] == list(SPEEDS)
    assert [g.n for g in groups] == [77, 82, 82, 76, 51]
    assert [g.speeds["dimensionless"].mean for g in groups] == [0.172, 0.290, 0.429, 0.560, 0.694]
    assert [g.speeds["dimensionless"].sd for g in groups] == [0.035, 0.027, 0.026, 0.031, 0.047]
    assert [g.spatiotemporal["stance_percent"].mean for g in groups] == [68, 62, 59, 58, 56]
    assert [g.spatiotemporal["initial_double_support_percent"].mean for g in groups] == [18, 12, 10, 8, 7]
    assert all(np.isnan(f.sd) for g in groups for f in g.spatiotemporal.values()), "none is printed"
    assert all(not g.features for g in groups), "none is printed"
    first, second = [load_set(f"pinzone2014_centre{n}").groups[0] for n in (1, 2)]
    assert (first.n, first.speeds["m/s"].mean, first.speeds["m/s"].sd) == (81, 1.158, 0.177)
    assert (second.n, second.speeds["m/s"].mean, second.speeds["m/s"].sd) == (31, 1.272, 0.132)


def test_stance_ends_where_the_vertical_force_does() -> None:
    """The printed foot off against the curve: 5 % of body weight is crossed within 3 % of the cycle of it."""
    for group in load_set("schwartz2008").groups:
        force = group.bands["ground_reaction_upward_N_per_kg"]
        loaded = force.percent[force.mean * BODY_WEIGHT > 0.05]
        assert loaded.max() == pytest.approx(group.spatiotemporal["stance_percent"].mean, abs=3.0)


@pytest.mark.parametrize("name", published_sets())
def test_signs_are_those_of_the_columns(name: str) -> None:
    """Positive means what the column says, at a moment of the cycle that everybody knows."""
    assert at(band(name, "knee_flexion_deg"), 72) > 50
    assert at(band(name, "hip_flexion_deg"), 90) > 30 > at(band(name, "hip_flexion_deg"), 54)
    assert at(band(name, "ankle_dorsiflexion_deg"), 40) > 5 > -10 > at(band(name, "ankle_dorsiflexion_deg"), 62)
    assert at(band(name, "pelvis_anterior_tilt_deg"), 0) > 10
    assert at(band(name, "pelvis_upward_obliquity_deg"), 16) > 2, "the side that takes the load is up"
    assert at(band(name, "pelvis_internal_rotation_deg"), 2) > 3, "the side that steps is ahead"
    assert at(band(name, "hip_adduction_deg"), 18) > 3
    assert at(band(name, "foot_progression_internal_rotation_deg"), 30) < -3, "feet point outward"
    assert at(band(name, "hip_extension_moment_Nm_per_kg"), 10) > 0.1
    assert at(band(name, "hip_abduction_moment_Nm_per_kg"), 20) > 0.3
    assert at(band(name, "knee_extension_moment_Nm_per_kg"), 14) > 0.2
    assert at(band(name, "ankle_plantarflexion_moment_Nm_per_kg"), 48) > 1
    assert at(band(name, "ankle_power_W_per_kg"), 54) > 1.5
    if name == "schwartz2008":
        assert (
            at(band(name, "ground_reaction_forward_N_per_kg"), 10)
            < -1
            < 1
            < at(band(name, "ground_reaction_forward_N_per_kg"), 52)
        )


def test_the_foot_strike_spike_is_marked_and_there() -> None:
    hip = band("schwartz2008", "hip_extension_moment_Nm_per_kg")
    assert [round(at(hip, percent), 2) for percent in (0, 2, 4)] == [0.12, 0.73, 0.54]
    for name in published_sets():
        for group in load_set(name).groups:
            marked = {column for column, b in group.bands.items() if b.spike_until_percent == 4}
            assert marked == {c for c in group.bands if c.startswith(("hip_", "knee_")) and not c.endswith("_deg")}
        assert load_set(name).force_filter == "not stated"


@pytest.mark.skipif(not SOURCES.is_dir(), reason="the digitised supplements are not beside this checkout")
def test_the_script_makes_the_same_bytes(tmp_path: Path) -> None:
    make(tmp_path)
    for name in published_sets():
        shipped = ROOT / "gaitid" / "norms" / "data" / f"{name}.json"
        assert (tmp_path / shipped.name).read_bytes() == shipped.read_bytes()
