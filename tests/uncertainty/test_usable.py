"""For what numbers are sure enough: limits, planes, words."""

from __future__ import annotations

import pytest

from gaitid.uncertainty.usable import (
    ACCEPTABLE,
    COVERAGE_FACTOR,
    DO_NOT_USE,
    WITH_CARE,
    UsableFor,
    from_records,
    level_of,
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


def test_a_record_is_judged_by_other_limits() -> None:
    entries = [of("left", "flexion", "sagittal", size).as_dict() for size in (3.0, 4.0)]
    (kept,) = from_records(entries, {})
    assert kept.level == WITH_CARE and kept.standard_uncertainty == pytest.approx((25 / 2) ** 0.5)
    (strict,) = from_records(entries, {"angle_deg": 3.5})
    assert strict.level == DO_NOT_USE
    assert from_records([{"side": "left"}, {**entries[0], "standard_uncertainty": "much"}], {}) == ()
