"""Finding, inheriting and reading models, tables and YAML."""

from __future__ import annotations

from pathlib import Path

import pytest

from gaitid.errors import ModelError
from gaitid.model.load import as_bundled, bundled_folder, bundled_models, find_model, load_model, load_table
from gaitid.model.shapes import Between, InFrame
from gaitid.model.yaml_file import MAX_BYTES, load_yaml, parse_yaml

CONFIGS = bundled_folder("configs")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# --- finding -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pig", "pig.yaml", "pig_vicon", "pig_vicon.yaml"])
def test_bundled_models_have_names_with_or_without_ending(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_model(name) == CONFIGS / f"{name.removesuffix('.yaml')}.yaml"
    assert load_model(name).name == name.removesuffix(".yaml")


def test_a_file_in_the_current_folder_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (CONFIGS / "pig.yaml").read_text(encoding="utf-8").replace("name: pig\n", "name: my_pig\n")
    write(tmp_path / "pig.yaml", text)
    for name in ("pig", "pig.yaml"):
        model = load_model(name)
        assert model.name == "my_pig"
        # a copy works anywhere: its table is the bundled one
        assert [p.resolve() for p in model.paths] == [tmp_path / "pig.yaml", CONFIGS / "tables" / "winter_pig.yaml"]


def test_every_bundled_model_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a fault, so that they need not be looked for again where a bundled model is taken as it is."""
    assert {"pig", "pig_vicon"} <= set(bundled_models())
    looked_through = {name: load_model(path) for name, path in bundled_models().items()}
    monkeypatch.setattr("gaitid.model.schema.faults_of", lambda names: ["looked through once more"])
    for name, path in bundled_models().items():
        assert looked_through[name].paths[0] == path
        assert as_bundled.__wrapped__(name) == looked_through[name]


# --- inheriting --------------------------------------------------------------------------------------------


def test_a_child_changes_what_it_says_and_keeps_the_rest(tmp_path: Path) -> None:
    path = write(
        tmp_path / "mine.yaml",
        "gaitid_model: 1\nname: mine\nextends: pig\n"
        "settings: {cutoff_hz: 6}\n"
        "subject: {mass: {range: [1, 300]}}\n"
        "each_side: {markers: {toe: ['{S}_MT2']}, "
        "points: {knee: {between: [knee_marker, knee_medial], fraction: 0.5}}}\n",
    )
    model, pig = load_model(path), load_model("pig")
    assert model.settings == pig.settings._replace(cutoff_hz=6.0)
    assert (model.subject["mass"].low, model.subject["mass"].high) == (1, 300)
    assert model.subject["mass"].key == "mass_kg"
    assert model.each_side.markers["toe"] == ("{S}_MT2",)
    assert model.each_side.markers["heel"] == pig.each_side.markers["heel"]
    # a definition is replaced whole: no half of the chord is left
    assert isinstance(model.each_side.points["knee"], Between)
    assert isinstance(model.each_side.points["hip"], InFrame)


def test_grandparents_and_overrides(tmp_path: Path) -> None:
    write(tmp_path / "a" / "parent.yaml", "gaitid_model: 1\nname: p\nextends: pig_vicon\nsettings: {end_frames: 6}\n")
    path = write(
        tmp_path / "child.yaml", "gaitid_model: 1\nname: c\nextends: a/parent.yaml\nsettings: {cutoff_hz: 8}\n"
    )
    settings = load_model(path, {"contact_threshold_N": 30}).settings
    assert (settings.end_frames, settings.cutoff_hz, settings.contact_threshold_N) == (6, 8.0, 30.0)
    assert settings.angular_velocity == "single_entries"
    with pytest.raises(ModelError, match=r"--set cutof_hz: no such setting \(did you mean 'cutoff_hz'"):
        load_model(path, {"cutof_hz": 6})


def test_a_loop_of_parents_is_refused(tmp_path: Path) -> None:
    a = write(tmp_path / "a.yaml", "gaitid_model: 1\nname: a\nextends: b.yaml\n")
    write(tmp_path / "b.yaml", "gaitid_model: 1\nname: b\nextends: a.yaml\n")
    with pytest.raises(ModelError, match="extends itself"):
        load_model(a)
    for i in range(12):
        write(tmp_path / f"m{i}.yaml", f"gaitid_model: 1\nname: m\nextends: m{i + 1}.yaml\n")
    write(tmp_path / "m12.yaml", "gaitid_model: 1\nname: m\nextends: pig\n")
    with pytest.raises(ModelError, match="extends itself"):
        load_model(tmp_path / "m0.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gaitid_model: 1\nname: a\nextends: nowhere.yaml\n", "no model 'nowhere.yaml'"),
        ("gaitid_model: 1\nname: a\nextends: [pig]\n", "extends: expected a file or a model's name"),
        ("gaitid_model: 1\nname: a\nextends: pig\ntable: nowhere.yaml\n", "no file 'nowhere.yaml' beside the model"),
        ("gaitid_model: 1\nname: a\n", "table: expected the path of a segment-parameter table, found None"),
        ("- 1\n- 2\n", "not a gaitid model"),
        ("mass_kg: 70\n", "not a gaitid model"),
        ("", "not a gaitid model"),
    ],
)
def test_what_is_no_model_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message.replace("[", r"\[")):
        load_model(write(tmp_path / "mine.yaml", text))


def test_a_table_beside_the_model_wins_over_the_bundled_one(tmp_path: Path) -> None:
    text = (CONFIGS / "tables" / "winter_pig.yaml").read_text(encoding="utf-8").replace("0.0145", "0.0137")
    write(tmp_path / "tables" / "winter_pig.yaml", text)
    model = load_model(write(tmp_path / "mine.yaml", "gaitid_model: 1\nname: mine\nextends: pig\n"))
    assert model.table.rows["foot"].mass_fraction == 0.0137
    assert model.paths[-1] == tmp_path / "tables" / "winter_pig.yaml"


# --- tables ------------------------------------------------------------------------------------------------

ROW = "foot: {mass_fraction: 0.0145, com_fraction: 0.5, gyration_fractions: [0.475, 0.475, 0]}"
TABLE = "gaitid_table: 1\nname: t\nsource: me\ngyration_about: centre_of_mass\nsegments:\n  "


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.0145", "14.5", "segments.foot.mass_fraction: expected a number from"),
        ("0.0145", "0", "segments.foot.mass_fraction: expected a number"),
        ("0.0145", "heavy", "segments.foot.mass_fraction: expected a number"),
        ("com_fraction: 0.5", "com_fraction: 50", "segments.foot.com_fraction: expected a number from -1 to 2"),
        ("com_fraction: 0.5, ", "", "segments.foot.com_fraction: missing"),
        ("[0.475, 0.475, 0]", "[0.475, 0.475]", "segments.foot.gyration_fractions: expected three numbers"),
        ("[0.475, 0.475, 0]", "[0.475, 0.475, -1]", "segments.foot.gyration_fractions: expected three numbers"),
        # I1 > I2 + I3: no distribution of mass has these
        ("[0.475, 0.475, 0]", "[0.5, 0.3, 0.3]", "segments.foot.gyration_fractions: no body has these"),
        ("centre_of_mass", "proximal_end", "gyration_about: expected centre_of_mass"),
        ("gaitid_table: 1", "gaitid_table: 2", "not a gaitid table"),
        ("com_fraction", "com_fractoin", "segments.foot.com_fractoin: unknown key .did you mean 'com_fraction'"),
        ("source: me", "origin: me", "source: missing"),
    ],
)
def test_a_table_that_no_body_has_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (TABLE + ROW + "\n").replace(old, new)
    assert text != TABLE + ROW + "\n"
    with pytest.raises(ModelError, match="t.yaml: .*" + message):
        load_table(write(tmp_path / "t.yaml", text))


# --- YAML --------------------------------------------------------------------------------------------------


def test_a_key_given_twice_is_refused_with_its_line() -> None:
    with pytest.raises(ModelError, match="m.yaml: line 2: the key 'a' is given twice"):
        parse_yaml("a: 1\na: 2\n", "m.yaml")
    with pytest.raises(ModelError, match="line 4: the key 'x' is given twice"):
        parse_yaml("a:\n  x: 1\n  y: 2\n  x: 3\n", "m.yaml")
    assert parse_yaml("a: {x: 1}\nb: {x: 2}\n", "m.yaml") == {"a": {"x": 1}, "b": {"x": 2}}


@pytest.mark.parametrize(
    "text",
    [
        "a: [1, 2",
        "a: b: c",
        "\t- a",
        "a: !!python/object/apply:os.system ['true']",
        "a: !!python/name:os.system",
        "{[1]: 2}",
        "a: &x [*x, *y]",
        "2024-13-45: 1\n? 2024-13-45\n",
        "a: \x01",
    ],
)
def test_text_that_is_no_plain_yaml_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_yaml(text, "m.yaml")
    assert caught.value.line().startswith("m.yaml: ")
    assert "\n" not in caught.value.line()


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such file"):
        load_yaml(tmp_path / "none.yaml")
    with pytest.raises(ModelError, match="cannot be read"):
        load_yaml(tmp_path)
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00a\x00")
    with pytest.raises(ModelError, match="not text"):
        load_yaml(tmp_path / "binary.yaml")
    (tmp_path / "huge.yaml").write_bytes(b"a: 1\n" * (MAX_BYTES // 5 + 1))
    with pytest.raises(ModelError, match="too large"):
        load_yaml(tmp_path / "huge.yaml")
    (tmp_path / "bom.yaml").write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert load_yaml(tmp_path / "bom.yaml") == {"a": 1}


# --- what a model finds in the labels of a trial ---------------------------------------------------------------------


# --- formulas of columns -------------------------------------------------------------------------------------------
