"""docs/cli.md is what docs/make_cli.py makes of the commands today, and holds all that --help says."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from gaitid.cli.common import group

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "cli.md").read_text(encoding="utf-8")


def commands(command: click.Command, context: click.Context) -> Iterator[tuple[str, click.Context]]:
    """Each command below one, with its words."""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, click.Context(below, info_name=name, parent=context))
    if context.parent is not None:
        words = [word for word in context.command_path.split() if word.islower()]  # without a group's own argument
        yield " ".join(words), context


LONG = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z](?![\w-])")
ALL = dict(commands(group, click.Context(group, info_name="gaitid")))


def test_the_page_is_of_these_commands() -> None:
    script = runpy.run_path(str(DOCS / "make_cli.py"))
    assert script["page"]() == PAGE, "a command changed: run `python docs/make_cli.py` and commit docs/cli.md"


@pytest.mark.parametrize("name", ALL)
def test_what_the_help_lists_stands_there(name: str) -> None:
    """Read from the text that click prints, not by the script's own way through the commands."""
    help_text = ALL[name].command.get_help(ALL[name])
    section = re.split(r"\n#+ ", PAGE.split(f"# {name}\n", 1)[1])[0]
    head = PAGE.split("\n## ")[0]
    of_options = help_text.split("Options:\n" if "Options:\n" in help_text else "Input:\n")[-1]
    listed = {
        typed for names in re.findall(r"^  (\S.*?)(?:  |$)", of_options, re.MULTILINE) for typed in LONG.findall(names)
    }
    assert listed >= {"--quiet", "--verbose", "--help"}
    for option in listed:
        assert re.search(rf"[` ]{option}[` ]", section + head), option
    for default in re.findall(r"\[default:\s+(\S+)\]", help_text):
        assert f"`{default}`" in section + head, default
    example = re.search(r"Example:\s+(gaitid \w+)", help_text)
    assert example, "every command's help has an example"
    assert f"```sh\n{example[1]}" in section
