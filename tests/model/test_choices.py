"""What a model leaves to choose: options are merged, refused with the list, and remembered with who chose them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gaitid.errors import ModelError
from gaitid.model import specs
from gaitid.model.choices import ChoiceError
from gaitid.model.load import bundled_models, load_model, merged_content, with_each_option

CHILD = "gaitid_model: 1\nname: mine\nextends: pig\n"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def text_of(model: specs.Model, name: str) -> str:
    return model.each_side.numbers[name].text


def test_an_option_replaces_what_it_defines_and_nothing_else() -> None:
    model, default = load_model("pig", {"hip_centre": "bell"}), load_model("pig")
    assert text_of(model, "hip_up") == "-0.30 * pelvis_width"
    assert model.choices["hip_centre"].by == specs.BY_USER
    assert model.each_side.points == default.each_side.points
    assert model.table == default.table


def test_an_unknown_option_is_refused_with_the_list_and_the_nearest() -> None:
    with pytest.raises(ChoiceError) as caught:
        load_model("pig", {"hip_centre": "harington"})
    line = caught.value.line()
    assert "--set hip_centre=harington: no such option (did you mean 'harrington'?); expected davis, bell, " in line
    with pytest.raises(ChoiceError, match=r"--set hip_centre=: no such option; expected davis"):
        load_model("pig", {"hip_centre": None})
    with pytest.raises(ChoiceError, match=r"--set HIP_CENTRE: no such setting \(did you mean 'hip_centre'\?\)"):
        load_model("pig", {"HIP_CENTRE": "bell"})
    with pytest.raises(ChoiceError, match=r"--set marker_cutof_hz: no such setting \(did you mean 'cutoff_hz'\?\)"):
        load_model("pig", {"marker_cutof_hz": 6})
    with pytest.raises(ChoiceError, match=r"--set hip_center: no such setting \(did you mean 'hip_centre'\?\)"):
        load_model("pig", {"hip_center": "bell"})
    with pytest.raises(ChoiceError, match="hip_centre: no such setting"):
        load_model("keypoints", {"hip_centre": "bell"})


def test_a_table_may_be_an_option_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_model("pig", {"table": "plug_in_gait"}).table.name == "plug_in_gait"
    rows = "".join(
        f"  {name}: {{mass_fraction: 0.05, com_fraction: 0.5, gyration_fractions: [0.3, 0.3, 0.3]}}\n"
        for name in ("foot", "shank", "thigh")
    )
    head = "gaitid_table: 1\nname: ours\nsource: us\ngyration_about: centre_of_mass\nsegments:\n"
    write(tmp_path / "ours.yaml", head + rows)
    model = load_model("pig", {"table": "ours.yaml"})
    assert model.table.rows["foot"].mass_fraction == 0.05
    assert model.choices["table"] == specs.Chosen("ours", specs.BY_USER, "us")
    with pytest.raises(ModelError, match=r"--set table=nowhere.yaml: no such option; .*winter, .*the file of a"):
        load_model("pig", {"table": "nowhere.yaml"})


def test_a_child_changes_the_default_and_adds_an_option(tmp_path: Path) -> None:
    mine = write(
        tmp_path / "mine.yaml",
        CHILD + "choices:\n  hip_centre:\n    default: ours\n    options:\n      ours:\n        source: our MRI\n"
        "        definitions: {each_side: {numbers: {hip_forward: 0.01, hip_outward: 0.08, hip_up: -0.09}}}\n",
    )
    model = load_model(mine)
    assert text_of(model, "hip_up") == "-0.09"
    assert model.choices["hip_centre"] == specs.Chosen("ours", specs.BY_DEFAULT, "our MRI")
    assert text_of(load_model(mine, {"hip_centre": "bell"}), "hip_up") == "-0.30 * pelvis_width"
    assert load_model("helen_hayes").choices["hip_centre"].option == "helen_hayes"
    assert with_each_option(mine) == model


def test_a_resolved_model_is_the_same_model(tmp_path: Path) -> None:
    import yaml

    for name, path in bundled_models().items():
        text = yaml.safe_dump(merged_content(path).content, sort_keys=False, allow_unicode=True)
        again = load_model(write(tmp_path / f"{name}_resolved.yaml", text))
        assert again._replace(paths=()) == load_model(name)._replace(paths=(), option_files=())


@pytest.mark.parametrize("name", sorted(bundled_models()))
def test_each_option_of_a_bundled_model_has_a_title_and_a_source_and_can_be_read(name: str) -> None:
    with_each_option(name)
    for choice in merged_content(bundled_models()[name]).choices.values():
        assert choice.title
        assert all(option.title and option.source for option in choice.options.values())


def test_an_option_that_asks_for_a_measurement_that_was_taken_away_is_passed_over(tmp_path: Path) -> None:
    head = "gaitid_model: 1\nname: mine\nextends: landmarks\nsubject_each_side: {leg_length: null}\n"
    mine = write(tmp_path / "mine.yaml", head + "choices: {hip_centre: {default: bell}}\n")
    assert with_each_option(mine).choices["hip_centre"].option == "bell"
    with pytest.raises(ModelError, match="no number 'leg_length' in the model"):
        load_model(mine, {"hip_centre": "davis"})
    # the option in use is not passed over, nor is one with another fault
    with pytest.raises(ModelError, match="no number 'leg_length' in the model"):
        with_each_option(write(tmp_path / "default.yaml", head))
    ours = "{source: x, definitions: {each_side: {numbers: {hip_up: leg_length * nowhere}}}}"
    text = f"choices: {{hip_centre: {{default: bell, options: {{ours: {ours}}}}}}}\n"
    with pytest.raises(ModelError, match=r"no number 'nowhere' in the model.*\(with choices.hip_centre.options.ours\)"):
        with_each_option(write(tmp_path / "ours.yaml", head + text))
