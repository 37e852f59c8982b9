"""Notes: their codes, how they are ranked, and the page that lists them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gaitid.notes import CODES, SEVERITIES, Note, ranked

ROOT = Path(__file__).resolve().parents[1]


def test_the_page_lists_every_code_with_its_severity_and_meaning() -> None:
    page = (ROOT / "docs" / "notes.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+) \|$", page, re.MULTILINE)
    assert rows == [(code, severity, meaning) for code, (severity, meaning) in CODES.items()]
    assert re.findall(r"^- \*\*(\w+)\*\*", page, re.MULTILINE) == list(SEVERITIES)
    for severity, code in re.findall(r'"severity": "(\w+)", "code": "(\w+)"', page):
        assert CODES[code][0] == severity


def test_every_severity_is_one_of_the_four() -> None:
    assert {severity for severity, _ in CODES.values()} == set(SEVERITIES)


def test_every_note_in_the_code_has_a_code_that_exists() -> None:
    sources = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "gaitid").rglob("*.py"))]
    codes = {code for source in sources for code in re.findall(r"\bNote\(\s*\"(\w+)\"", source)}
    assert len(codes) >= 10
    assert codes <= set(CODES)


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


def test_a_code_that_does_not_exist_is_a_fault_of_ours() -> None:
    with pytest.raises(KeyError):
        Note("no_such_code", "…").as_dict()
