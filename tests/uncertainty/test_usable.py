"""For what numbers are sure enough: limits, planes, words."""

from __future__ import annotations

import pytest

from gaitid.errors import GaitidError
from gaitid.uncertainty.usable import (
    ACCEPTABLE,
    COVERAGE_FACTOR,
    DO_NOT_USE,
    QUANTITIES,
    WITH_CARE,
    UsableFor,
    from_records,
    level_of,
    read_limits,
    usable_words,
)


def of(side: str, motion: str, plane: str, size: float) -> UsableFor:
    return UsableFor(side, "knee", motion, plane, "angle_deg", size, level_of(size, "angle_deg", {}))


@pytest.mark.parametrize(
    ("size", "level"), [(2.0, ACCEPTABLE), (2.01, WITH_CARE), (5.0, WITH_CARE), (5.01, DO_NOT_USE)]
)
def test_published_limits_are_of_the_standard_uncertainty(size: float, level: str) -> None:
    one = of("left", "flexion", "sagittal", size)
    assert one.level == level
    assert one.half_width == pytest.approx(COVERAGE_FACTOR * size)


def test_nobody_published_limits_of_moments() -> None:
    assert level_of(9.0, "moment_Nm_per_kg", {}) == ""
    assert level_of(0.3, "moment_Nm_per_kg", {"moment_Nm_per_kg": 0.2}) == DO_NOT_USE
    assert level_of(4.0, "angle_deg", {"angle_deg": 4.0}) == ACCEPTABLE  # the user's own limit takes their place


def test_words_of_a_clinic() -> None:
    both = [of(side, "flexion", "sagittal", size) for side, size in (("left", 1.4), ("right", 1.5))]
    turned = [of("left", "internal_rotation", "transverse", 6.1), of("right", "internal_rotation", "transverse", 4.0)]
    assert usable_words([*both, *turned]) == [
        "knee: flexion ± 2.9° (95 %), acceptable; left rotation ± 12° (95 %): do not use for rotation; "
        "right rotation ± 7.8° (95 %), with care"
    ]


def test_a_record_is_judged_by_other_limits() -> None:
    entries = [of("left", "flexion", "sagittal", size).as_dict() for size in (3.0, 4.0)]
    (kept,) = from_records(entries, {})
    assert kept.level == WITH_CARE and kept.standard_uncertainty == pytest.approx((25 / 2) ** 0.5)
    (strict,) = from_records(entries, {"angle_deg": 3.5})
    assert strict.level == DO_NOT_USE
    assert from_records([{"side": "left"}, {**entries[0], "standard_uncertainty": "much"}], {}) == ()


@pytest.mark.parametrize("word", ["angle_deg", "angle_deg=-1", "angle_deg=nan", "force_N=3", "angle_deg=inf"])
def test_limits_that_are_none(word: str) -> None:
    with pytest.raises(GaitidError, match="--max-uncertainty"):
        read_limits([word])


def test_limits() -> None:
    assert read_limits([f"{name}=2" for name in QUANTITIES]) == dict.fromkeys(QUANTITIES, 2.0)
    with pytest.raises(GaitidError, match="twice"):
        read_limits(["angle_deg=2", "angle_deg=3"])
