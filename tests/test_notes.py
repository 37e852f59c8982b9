"""Notes: their codes and words, how they are ranked, and the page that lists them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter

from gaitid.notes import MESSAGES, PHRASES, WORDS, Note, ranked
from gaitid.notes.message import GOOD, SEVERITIES

ROOT = Path(__file__).resolve().parents[1]


def in_page(code: str) -> str:
    """A code's line of docs/notes.md."""
    of = MESSAGES[code]
    lowers = "" if of.lowers_to == GOOD else f" ({of.lowers_to}{' where a stance is lacking' * of.explains})"
    return f"- `{code}`: {of.meaning}{lowers}"


def test_the_page_lists_every_code_with_what_it_means_and_does() -> None:
    page = (ROOT / "docs" / "notes.md").read_text(encoding="utf-8")
    # by severity, within it in the order of the messages
    codes = [code for severity in SEVERITIES for code, of in MESSAGES.items() if of.severity == severity]
    assert re.findall(r"^- `\w+`: .+$", page, re.MULTILINE) == [in_page(code) for code in codes]
    assert re.findall(r"^- \*\*(\w+)\*\*", page, re.MULTILINE) == list(SEVERITIES)
    for severity, code in re.findall(r'"severity": "(\w+)", "code": "(\w+)"', page):
        assert MESSAGES[code].severity == severity


# --- words and the code that fills them ---------------------------------------------------------------------


def fields(template: str) -> set[str]:
    """The names of the values in a template, and in what it writes where a value is there."""
    parsed = [*Formatter().parse(template)]
    assert not any(conversion for *_, conversion in parsed), template
    return {name for _, name, _, _ in parsed if name is not None}.union(*(fields(s) for _, _, s, _ in parsed if s))


#: The templates of each function that fills them, by name.
TABLES = {
    "note": {name: "".join(templates) for name, templates in WORDS.items() if templates[0]},
    **dict.fromkeys(("phrase", "unknown", "no_mass"), PHRASES),
}


def named(argument: ast.expr, table: Mapping[str, str]) -> list[str]:
    """The names that a first argument may be, by what it begins with where its end is computed; else none."""
    if isinstance(argument, ast.IfExp):
        return named(argument.body, table) + named(argument.orelse, table)
    if isinstance(argument, ast.JoinedStr) and isinstance(argument.values[0], ast.Constant):
        return [name for name in table if name.startswith(str(argument.values[0].value))]
    return [str(argument.value)] if isinstance(argument, ast.Constant) else []


def calls() -> Iterator[tuple[str, bool, list[str], set[str | None]]]:
    """Of each call in the package that fills a template its function, the names that it may have, and its values.

    A name that is chosen before the call is one of those that stand in the same function, or else in the same file: of
    some of them only, then.
    """

    def around(node: ast.AST, table: Mapping[str, str]) -> list[str]:
        return [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and n.value in table]  # type: ignore[misc]

    for path in sorted((ROOT / "gaitid").rglob("*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        for function in (node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)):
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TABLES:
                    table = TABLES[node.func.id]
                    names = named(node.args[0], table)
                    chosen = isinstance(node.args[0], ast.JoinedStr) or not names
                    given = {keyword.arg for keyword in node.keywords} - {"side", "plates"}
                    yield node.func.id, chosen, names or around(function, table) or around(module, table), given


def test_every_name_in_the_code_is_in_the_table_and_has_the_values_that_its_words_need() -> None:
    used = set()
    for filled_by, of_some, names, given in calls():
        needed = [fields(TABLES[filled_by][name]) - {"side", "plates"} for name in names]
        assert given - {None} <= set().union(*needed), names
        assert None in given or (any if of_some else all)(of <= given for of in needed), names
        used |= {*names}
    assert used == {*TABLES["note"], *PHRASES}


# --- ranks and records --------------------------------------------------------------------------------------


def test_the_most_serious_come_first_each_once_and_the_others_stay_in_order() -> None:
    notes = [
        Note("reading_info", "a"),
        Note("measurement_assumed", "b"),
        Note("plate_refused", "c"),
        Note("reading_info", "a"),
        Note("values_lost", "d"),
        Note("file_repaired", "e"),
        Note("plate_refused", "f"),
    ]
    assert [note.text for note in ranked(notes)] == ["c", "d", "f", "e", "b", "a"]
    assert ranked([]) == ()


def test_a_note_as_the_record_shows_it() -> None:
    note = Note("measurements_differ", "mass: 70 kg from the trial")
    assert note.as_dict() == {"severity": "doubt", "code": "measurements_differ", "text": "mass: 70 kg from the trial"}
    of_plates = Note("load_unclaimed", "plates 1 and 3", plates=(1, 3))
    assert of_plates.as_dict() == {
        "severity": "doubt",
        "code": "load_unclaimed",
        "text": "plates 1 and 3",
        "plates": [1, 3],
    }
