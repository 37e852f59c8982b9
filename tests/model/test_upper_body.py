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
from gaitid.model.specs import SEXES, Model
from gaitid.model.tables import load_table
from gaitid.model.upper_body import faults_with, is_there, load_upper_body
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


@pytest.mark.parametrize("sex", SEXES)
def test_dumas_trunk_is_what_is_printed_of_its_parts(sex: str) -> None:
    with (PRINTED / "dumas_2018.csv").open(encoding="utf-8") as file:
        printed = [row for row in csv.DictReader(file) if SEXES["FM".index(row["sex"])] == sex]
    parts = [float(row["mass"]) for row in printed if row["segment"] in ("thorax", "abdomen", "pelvis")]
    assert len(parts) == 3
    trunk = load_table(CONFIGS / "upper_body" / f"dumas_{sex}.yaml").rows["trunk"]
    assert trunk.mass_fraction == pytest.approx(sum(parts) / 100, abs=1e-9)
    of_de_leva = load_table(CONFIGS / "tables" / f"de_leva_{sex}.yaml").rows["trunk_from_shoulders"]
    assert trunk.com_fraction == of_de_leva.com_fraction
    assert trunk.gyration_fractions == of_de_leva.gyration_fractions


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


def test_labels_tell_whether_there_is_anything_to_read() -> None:
    sides = load_model("pig").sides
    legs = ["LASI", "RASI", "SACR", "LTHI", "LKNE", "LSHN", "LANK", "LHEE", "LTOE", "LTIB", "LShankAP"]
    assert not is_there(FILE, sides, legs)
    for label in ("C7", "RSHO", "cv7", "R.Shoulder", "l_elbow_lat", "LFHD"):
        assert is_there(FILE, sides, [*legs, label]), label


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


def test_a_name_that_nothing_defines_is_told(tmp_path: Path) -> None:
    content = json.loads(json.dumps(load_yaml(FILE)))
    content["middle"]["points"]["mid_hips"] = {"mean": ["left.hips", "right.hip"]}
    content["middle"]["points"]["sacrum"] = {"mean": ["upper_back", "lower_back"]}
    path = tmp_path / "own.yaml"
    path.write_text(json.dumps(content), encoding="utf-8")
    faults = faults_with(load_upper_body(path), load_model("pig"))
    assert any("'sacrum' is defined by the model too" in fault for fault in faults)
    del content["middle"]["points"]["sacrum"]
    path = tmp_path / "another.yaml"
    path.write_text(json.dumps(content), encoding="utf-8")
    faults = faults_with(load_upper_body(path), load_model("pig"))
    assert any("left.hips" in fault for fault in faults)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("table.yaml", "table.yaml: not an upper body"),
        ("7", "upper_body: expected text, found 7"),
        ("gone.yaml", "own.yaml: no file 'gone.yaml' beside the model"),
    ],
)
def test_a_model_that_names_something_else_is_refused(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "table.yaml").write_text((CONFIGS / "tables" / "winter.yaml").read_text(encoding="utf-8"), "utf-8")
    own = tmp_path / "own.yaml"
    own.write_text(f"gaitid_model: 1\nname: own\nextends: pig\nupper_body: {name}\n", "utf-8")
    with pytest.raises(ModelError) as refused:
        load_model(str(own))
    assert words in refused.value.line() and refused.value.line().count("own.yaml") <= 1
