"""YAML: numbers as they are written, and nothing that ends the process or fills the memory."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from gaitid.errors import ModelError
from gaitid.model.yaml_file import MAX_DEPTH, parse_yaml, with_lines


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("106", 106),
        ("-0", 0),
        ("+7", 7),
        ("0106", "0106"),  # 70 in YAML 1.1
        ("1:10", "1:10"),  # also 70
        ("1:10.5", "1:10.5"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("1.5", 1.5),
        (".5", 0.5),
        ("-2.", -2.0),
        ("1e-3", 1e-3),  # text in YAML 1.1
        ("1.0E+3", 1e3),
        ("01.5", "01.5"),
        ("-.inf", -math.inf),
        ("1.2.3", "1.2.3"),
        (".", "."),
        ("'12'", "12"),
        ("true", True),
        ("no", False),
        ("on", "on"),  # true in YAML 1.1
        ("off", "off"),
    ],
)
def test_numbers_are_decimal(text: str, value: object) -> None:
    found = parse_yaml(f"a: {text}\n", "m.yaml")
    assert found == {"a": value}
    assert isinstance(found, dict)
    assert type(found["a"]) is type(value)


def refused(text: str) -> str:
    with pytest.raises(ModelError) as caught:
        parse_yaml(text, "m.yaml")
    line = caught.value.line()
    assert line.startswith("m.yaml: ")
    assert len(line) < 300
    return line


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{a: " * 50_000,
        "".join(f"{' ' * i}a:\n" for i in range(1000)),
        "- " * 20_000 + "1",
        "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
    ],
    ids=["lists", "mappings", "blocks", "dashes", "one too deep"],
)
def test_deep_nesting_is_refused_before_it_ends_the_process(text: str) -> None:
    assert f"nested more than {MAX_DEPTH} levels deep" in refused(text)


def test_aliases_are_read_but_may_not_grow() -> None:
    assert parse_yaml("a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}\n", "m.yaml") == {
        "a": {"b": 1},
        "c": {"b": 1},
        "d": {"b": 1, "e": 2},
    }
    ten = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n"
    bomb = ten + "".join(f"a{i + 1}: &a{i + 1} [{','.join([f'*a{i}'] * 10)}]\n" for i in range(9))
    assert "its aliases stand for more than" in refused(bomb)
    chain = "a0: &a0 [1]\n" + "".join(f"a{i + 1}: &a{i + 1} [*a{i}]\n" for i in range(100))
    assert "its aliases stand for more than" in refused(chain)
    assert "an alias inside what it stands for" in refused("a: &a [*a]\n")
    assert "an alias inside what it stands for" in refused("&a {<<: *a, b: 3}\n")


@pytest.mark.parametrize(
    ("text", "line", "label"),
    [
        ("a: 1\nlabel: {S}TOE\n", 2, "{S}TOE"),
        ("a: 1\nlabel: {S}\nb: 2\n", 2, "{S}"),
        ("labels: [{S}TOE, x]\n", 1, "{S}TOE"),
        ("labels: [{S}]\n", 1, "{S}"),
        ("labels:\n  - {s}_toe\n", 2, "{s}_toe"),
        ("a: {toe: {S}.TOE}\n", 1, "{S}.TOE"),
        ("toe: {S}TOE\nheel: x\n", 1, "{S}TOE"),
    ],
)
def test_a_brace_that_is_not_quoted_is_to_be_quoted(text: str, line: int, label: str) -> None:
    message = refused(text)
    assert f"line {line}: " in message
    assert message.endswith(f'; quote it: "{label}"')


def test_a_fault_has_the_line_of_its_key(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(
        "# first\nplates:\n  - number: 1\n    corners: [1,\n      2]\n  - {number: 2}\nleft.hip:\n  x y: 3\n"
    )
    faults = {
        "plates[0].corners: expected": 4,
        "plates[1].number: expected": 6,
        "plates[1].sense: missing": 6,
        "plates[1].sense: expected": 0,  # nobody wrote it here
        "left.hip.x y: expected": 8,
        "plates: expected": 2,
        "mass_kg: missing": 0,
        "the file: expected keys": 0,
    }
    shown = [f"line {line}: {fault}" if line else fault for fault, line in faults.items()]
    assert with_lines(path, list(faults)) == shown
    assert with_lines(tmp_path / "none.yaml", ["plates: expected"]) == ["plates: expected"]
