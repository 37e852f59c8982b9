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
from gaitid.norms.fit import GRAVITY, definitions_of
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


def test_a_file_wins_over_a_name(pig_record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("schwartz2008").write_text("gaitid_norms: 2\n", encoding="utf-8")
    with pytest.raises(GaitidError, match=r"schwartz2008: not norms; expected the key gaitid_norms: 1; found 2"):
        norms_for("schwartz2008", pig_record, 1.0)
