"""`gaitid models`: what is bundled, as text to copy; the language in words that are true; faults in one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from terminal import assert_refused, assert_wrong_usage, gaitid

from gaitid.model.load import bundled_models, load_model


@pytest.mark.parametrize("args", [("models",), ("models", "list")])
def test_list(args: tuple[str, ...]) -> None:
    done = gaitid(*args)
    assert done.code == 0
    assert done.err == ""
    rows = [line.split("\t") for line in done.out.splitlines()]
    assert {"pig", "pig_vicon"} <= {row[0] for row in rows}
    for name, title, file in rows:
        assert title
        assert Path(file) == bundled_models()[name]


@pytest.mark.parametrize("name", ["pig", "pig.yaml", "pig_vicon"])
def test_show_prints_the_file_itself(name: str) -> None:
    done = gaitid("models", "show", name)
    assert done.code == 0
    assert done.out == bundled_models()[name.removesuffix(".yaml")].read_text(encoding="utf-8")


@pytest.mark.parametrize("name", list(bundled_models()))
def test_show_resolved_is_the_same_model_without_extends(name: str, tmp_path: Path) -> None:
    done = gaitid("models", "show", name, "--resolved")
    assert done.code == 0
    assert "extends:" not in done.out
    (tmp_path / "whole.yaml").write_text(done.out, encoding="utf-8")
    whole, original = load_model(tmp_path / "whole.yaml"), load_model(name)
    for field in ("name", "title", "sides", "table", "chain", "base", "heel", "toe", "progression", "settings"):
        # a formula's parsed tree is equal to no other: its text says all
        assert re.sub(r"<ast[^>]*>", "", repr(getattr(whole, field))) == re.sub(
            r"<ast[^>]*>", "", repr(getattr(original, field))
        )
    assert set(whole.each_side.points) == set(original.each_side.points)


def test_validate(tmp_path: Path) -> None:
    done = gaitid("models", "validate", bundled_models()["pig"])
    assert done.code == 0
    assert done.out.startswith("OK ")
    mine = tmp_path / "mine.yaml"
    mine.write_text(
        "gaitid_model: 1\nextends: pig\nname: mine\n"
        "settings: {gravity_m_per_s2: high, cutof_hz: 6}\n"
        "each_side: {points: {hip: {in_frame: pelvs, offset: [0, 0, 0]}}}\ncolour: red\n"
    )
    done = gaitid("models", "validate", mine)
    assert_refused(done, "mine.yaml", "settings.gravity_m_per_s2", "settings.cutof_hz", "cutoff_hz", "colour")
    mine.write_text(
        "gaitid_model: 1\nextends: pig\nname: mine\neach_side: {points: {hip: {in_frame: pelvs, offset: [0, 0, 0]}}}\n"
    )
    assert_refused(gaitid("models", "validate", mine), "each_side.points.hip", "pelvs", "did you mean 'pelvis'")
    mine.write_text("gaitid_model: 1\nextends: pig\nname: mine\n")
    assert gaitid("models", "validate", mine).code == 0
    assert_refused(gaitid("models", "validate", tmp_path / "none.yaml"), "none.yaml")
    assert_refused(gaitid("models", "show", "nobody"), "nobody", "pig")
    assert_wrong_usage(gaitid("models", "validate"))
    assert_wrong_usage(gaitid("models", "paint"), "paint")


def test_schema_knows_every_key_that_a_bundled_model_uses() -> None:
    text = gaitid("models", "schema").out
    for name in bundled_models():
        model = load_model(name)
        assert model
    for key in (
        "gaitid_model",
        "name",
        "title",
        "extends",
        "sources",
        "table",
        "sides",
        "letter",
        "sign",
        "subject",
        "subject_each_side",
        "key",
        "unit",
        "range",
        "c3d",
        "c3d_unit",
        "optional",
        "zero_is_absent",
        "static",
        "otherwise",
        "because",
        "middle",
        "each_side",
        "markers",
        "landmarks",
        "clusters",
        "needs",
        "no_wrenches_because",
        "caution",
        "unchecked",
        "numbers",
        "points",
        "frames",
        "chain",
        "segment",
        "frame",
        "row",
        "com",
        "length",
        "joint",
        "centre",
        "ground",
        "base",
        "origin",
        "ground_contact",
        "heel",
        "toe",
        "progression",
        "point",
        "axes",
        "angles",
        "proximal",
        "distal",
        "sequence",
        "moments",
        "settings",
    ):
        assert re.search(rf"\b{key}:", text), key


def test_a_model_with_all_that_the_schema_says_is_required_and_no_more(tmp_path: Path) -> None:
    """The keys marked (required), each left out in turn, are those whose absence is refused."""
    whole = gaitid("models", "show", "pig", "--resolved").out
    import yaml

    content = yaml.safe_load(whole)
    del content["choices"]  # whose defaults are merged in already, and would fill what is cut
    text = gaitid("models", "schema").out
    required = {m[1] for m in re.finditer(r"^([a-z_]+):.*\(required\)", text, re.MULTILINE)}
    optional = {m[1] for m in re.finditer(r"^([a-z_]+):(?!.*\(required\))", text, re.MULTILINE)}
    assert required | optional >= {*content, "choices"}
    for key in content:
        if key in ("subject", "subject_each_side", "middle"):
            continue  # other parts of this model use what they define
        cut = {k: v for k, v in content.items() if k != key}
        (tmp_path / "m.yaml").write_text(yaml.safe_dump(cut, allow_unicode=True), encoding="utf-8")
        accepted = gaitid("models", "validate", tmp_path / "m.yaml").code == 0
        assert accepted == (key in optional), key


@pytest.mark.parametrize("name", ["cgm21", "cgm22", "cgm23", "cgm24"])
def test_a_model_that_nothing_independent_was_checked_against_says_so(name: str) -> None:
    shown = " ".join(gaitid("models", "show", name).out.split())
    assert "no independent result was found to check this model against" in shown
    assert not load_model("pig").unchecked
