"""The uncertainty of segment masses reaches rows of one side, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import gaitid

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d"
ROW = "{span: knee_to_ankle, mass_kg: 3.4, com_m: [0, -0.18, 0], inertia_kg_m2: [0.05, 0.005, 0.05]}"


def test_a_measured_left_shank_is_as_unsure_as_one_of_both_sides(tmp_path: Path) -> None:
    bands = []
    for key in ("left.shank", "shank"):
        table = tmp_path / f"{key}.yaml"
        head = "gaitid_table: 1\nname: mine\nsource: us\nextends: dumas_2018_male\nsegments:\n"
        table.write_text(f"{head}  {key}: {ROW}\n", encoding="utf-8")
        found = gaitid.analyse(WALK, model="pig", settings={"table": str(table)}, uncertainty=True).uncertainty
        of_knee = found["column"].str.startswith("left_knee") & found["column"].str.contains("moment")
        bands.append(found.loc[of_knee, "standard_uncertainty"].to_numpy(dtype=float))
    assert np.nanmax(bands[0]) > 0
    np.testing.assert_allclose(bands[0], bands[1], rtol=1e-9)
