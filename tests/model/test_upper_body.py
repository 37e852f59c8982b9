"""Trunk, head and arms in the model language: they fit every model that names them, and their masses are as printed.

`tests/authorities/winter_2009_upper_body.csv` is a copy of the printed table apart from `configs`, and was
found the same in BMClab's tables of body segments (CC BY 4.0).
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from gaitid.errors import ModelError
from gaitid.model.load import bundled_folder, bundled_models, load_model
from gaitid.model.specs import Model
from gaitid.model.tables import load_table
from gaitid.model.upper_body import faults_with, load_upper_body
from gaitid.model.yaml_file import load_yaml

PRINTED = Path(__file__).resolve().parents[1] / "authorities"
CONFIGS = bundled_folder("configs")
FILE = CONFIGS / "upper_body" / "trunk_head_arms.yaml"
# Names of the printed table -> rows of ours.
WINTER = {"trunk": "trunk", "head & neck": "head", "upper arm": "upper_arm", "forearm": "forearm", "hand": "hand"}
LEGS = ("thigh", "shank", "foot")
ARMS = ("upper_arm", "forearm", "hand")
WITHOUT = {"pig_vicon", "keypoints", "segments", "sagittal2d"}


def rows_of(name: str) -> dict[str, dict[str, str]]:
    with (PRINTED / name).open(encoding="utf-8") as file:
        return {row["segment"]: row for row in csv.DictReader(file)}


@pytest.mark.parametrize("name", sorted(bundled_models()))
def test_it_holds_together_with_every_model_that_names_it(name: str) -> None:
    model = load_model(name)
    assert (model.upper_body is None) == (name in WITHOUT)
    if model.upper_body is not None:
        assert faults_with(load_upper_body(model.upper_body), model) == []


def test_dempsters_rows_are_as_printed_and_sum_to_the_body() -> None:
    printed, ours = rows_of("winter_2009_upper_body.csv"), load_table(CONFIGS / "upper_body" / "winter.yaml").rows
    legs = load_table(CONFIGS / "tables" / "winter_pig.yaml").rows
    for theirs, name in WINTER.items():
        assert ours[name].mass_fraction == float(printed[theirs]["mass"]), name
        assert ours[name].com_fraction == float(printed[theirs]["com_from_proximal"]), name
        radius = printed["trunk head neck" if name == "trunk" else theirs]["radius_about_com"]
        assert ours[name].gyration_fractions == (float(radius), 0.0, float(radius)), name
    sides = [legs[name].mass_fraction or 0 for name in LEGS] + [ours[name].mass_fraction or 0 for name in ARMS]
    assert (ours["trunk"].mass_fraction or 0) + (ours["head"].mass_fraction or 0) + 2 * sum(sides) == pytest.approx(1.0)


# Printed to 0.1 % of the body each, twenty of them: 0.4 % at most.
@pytest.mark.parametrize("table", ["winter", "de_leva_female", "de_leva_male", "dumas_2018_female", "dumas_2018_male"])
def test_every_table_of_legs_goes_with_one_that_makes_a_body(table: str) -> None:
    model = with_table(table)
    upper = load_upper_body(FILE)
    rows = upper.table_of(model).rows
    total = 2 * sum(model.table.rows[name].mass_fraction or 0 for name in LEGS)
    for segment in upper.segments:
        name, span = upper.row_of(segment, upper.table_of(model))
        assert span in segment.spans
        total += (2 if segment.sided else 1) * (rows[name].mass_fraction or 0)
    assert total == pytest.approx(1.0, abs=0.005)


def with_table(name: str) -> Model:
    return load_model("pig", {} if name == "winter" else {"table": name})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gaitid_upper_body": 2}, "not an upper body"),
        ({"tables": {"winter": "upper_body/winter.yaml"}}, "tables.otherwise: missing"),
        ({"segments": {"trunk": {"on": "moon", "spans": {}}}}, "hangs on 'moon'"),
        ({"nonsense": 1}, "nonsense: unknown key"),
    ],
)
def test_a_file_that_is_none_is_refused(change: dict[str, object], words: str, tmp_path: Path) -> None:
    content = {**json.loads(json.dumps(load_yaml(FILE))), **change}
    path = tmp_path / "own.yaml"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ModelError, match=words):
        load_upper_body(path)
