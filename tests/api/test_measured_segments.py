"""Segments that were weighed, as a prosthesis is, in a subject file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import gaitid

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d"
SHANK = {"mass_kg": 1.9, "com_m": [0.01, -0.15, 0.02], "inertia_kg_m2": [0.021, 0.002, 0.021]}


def analysed(segments: Any, table: str = "dumas_2018_male", **options: Any) -> gaitid.Analysis:
    given = {} if segments is None else {"segments": segments}
    return gaitid.analyse(WALK, model="pig", subject=given, settings={"table": table}, **options)


def test_it_is_the_row_of_a_table_of_one_s_own(tmp_path: Path) -> None:
    table = tmp_path / "mine.yaml"
    row = {"span": "knee_to_ankle", **SHANK}
    content = {"gaitid_table": 1, "name": "mine", "source": "us", "extends": "dumas_2018_male"}
    table.write_text(yaml.safe_dump(content | {"segments": {"left.shank": row}}), encoding="utf-8")
    in_table, in_file, plain = analysed(None, str(table)), analysed({"left_shank": SHANK}), analysed(None)
    ours, theirs = in_file.wrenches.to_numpy(dtype=float), in_table.wrenches.to_numpy(dtype=float)
    np.testing.assert_array_equal(ours, theirs)
    moved = np.abs(ours - plain.wrenches.to_numpy(dtype=float))
    assert np.nanmax(moved) > 1.0  # N, N·m: 1.5 kg less on the left
    right = [i for i, name in enumerate(plain.wrenches.columns) if name.startswith("right")]
    assert np.nanmax(moved[:, right]) == 0
    segment = in_file.record["segments"]["left_shank"]
    assert (segment["mass_kg"], segment["source"]) == (1.9, "subject file: measured")
    assert in_file.record["segments"]["right_shank"]["source"] != segment["source"]


@pytest.mark.parametrize(
    ("segments", "table", "message"),
    [
        ({"left_shnak": SHANK}, "dumas_2018_male", "segments.left_shnak: no segment .* .did you mean 'left_shank"),
        ({"left_shank": SHANK}, "winter", "the table winter_pig has the centre of mass of shank on the segment's line"),
        ({"left_shank": SHANK | {"mass_kg": 190}}, "dumas_2018_male", "whole body.*the left shank 190"),
        (
            {"left_shank": SHANK | {"inertia_kg_m2": [0.02, 0.002, 0.2]}},
            "dumas_2018_male",
            "segments.left_shank.inertia_kg_m2: the inertia breaks the triangle inequality",
        ),
        (
            {"left_shank": SHANK | {"com_m": [0, -15, 0]}},
            "dumas_2018_male",
            "com_m: expected three numbers from -10 to 10",
        ),
        (
            {"left_shank": SHANK | {"com_m": [0, -1.5, 0]}},
            "dumas_2018_male",
            "subject file: measured: segments.left.shank.com_m: not on the segment",
        ),
        ({"left_shank": 4}, "dumas_2018_male", "segments.left_shank: expected keys and values, found 4"),
        (5, "dumas_2018_male", "segments: expected keys and values, found 5"),
    ],
)  # fmt: skip
def test_what_no_segment_weighs_is_refused(segments: Any, table: str, message: str) -> None:
    with pytest.raises(gaitid.GaitidError, match=message):
        analysed(segments, table)
