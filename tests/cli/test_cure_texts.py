"""Every cure in the source that names an option is printed and applied by a row, or says here why not."""

from __future__ import annotations

import ast
import re
from itertools import chain
from pathlib import Path

import test_cures
import test_cures_of_commands
import test_cures_of_files
from cure_texts import APPLIED, NOT_APPLIED

import gaitid
from gaitid.notes import CODES, PHRASES, WORDS

SOURCE = Path(gaitid.__file__).parent
OPTION = re.compile(r"(?<![\w-])(--[a-z]|-[oj]\b)")
CURES = {"todo", "cure"}
#: A value in a template, or the begin or the end of words that stand only where there is one.
VALUE = re.compile(r"\{\w+:\?|\{\w+(?::[^{}]*)?\}|\}|\|\|")


def parts_of(template: str) -> list[str]:
    """The texts of a template between its values."""
    parts = VALUE.split(template.replace("{{", "\x00").replace("}}`", "\x01`"))
    return [part.replace("\x00", "{").replace("\x01", "}") for part in parts]


def cure_texts() -> dict[str, str]:
    """Where each text lies that names an option, and is a cure or part of one by the name of what holds it."""
    found: dict[str, str] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            held: list[ast.expr] = []
            if isinstance(node, ast.keyword) and node.arg in CURES:
                held = [node.value]
            elif isinstance(node, ast.Assign | ast.AugAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = {target.id.lower().strip("_") for target in targets if isinstance(target, ast.Name)}
                held = [node.value] if names & CURES and node.value else []
            for part in (part for expression in held for part in ast.walk(expression)):
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and OPTION.search(part.value):
                    found[part.value.strip(" ;,")] = f"{path.relative_to(SOURCE)}:{part.lineno}"
    for name, (_, cure) in WORDS.items():
        message = CODES[name.partition("/")[0]]
        general = message.cure if message.severity in ("error", "doubt") else ""  # no other prints one
        texts = {part.strip(" ;,") for part in (*parts_of(cure), general) if OPTION.search(part)}
        found |= dict.fromkeys(texts, f"notes: {name}")
    for name, cure in PHRASES.items():
        texts = {part.strip(" ;,") for part in parts_of(cure) if name.startswith("cure/") and OPTION.search(part)}
        found |= dict.fromkeys(texts, f"phrases: {name}")
    return found


def test_every_cure_that_names_an_option_is_applied_or_says_why_not() -> None:
    texts = cure_texts()
    applied, others = (list(chain(*listed.values())) for listed in (APPLIED, NOT_APPLIED))
    known = {*applied, *others}
    assert len(known) == len(applied) + len(others)  # each stands once
    assert {text: where for text, where in texts.items() if text not in known} == {}  # add a row, or a reason
    assert known - texts.keys() == set()  # the source has them no more
    rows = test_cures.ROWS.keys() | test_cures_of_files.ROWS.keys() | test_cures_of_commands.ROWS.keys()
    assert APPLIED.keys() - rows == set()  # no such row, which `assert_cures` holds against the text
