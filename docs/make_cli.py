"""Write docs/cli.md, the reference of all commands, from the commands themselves.

    python docs/make_cli.py

To be run again whenever a command, an option, a default, a help text or an example changes; tests/cli/test_cli_page.py
fails until then.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from gaitid.cli.common import group

PAGE = Path(__file__).resolve().parent / "cli.md"

HEAD = """\
# Command line reference

`gaitid COMMAND --help` says this and more. `python docs/make_cli.py` makes this page from the commands.

Every command also takes `-q, --quiet` (only errors on stderr), `-v, --verbose` (more on stderr), `--debug` (the full
traceback of an error), `--version`, `-h, --help`. Data go to files or stdout, all else to stderr.

Exit codes:

- `0`: success
- `1`: a trial, file or setting was refused, or a check failed; the other trials are done
- `2`: unknown command or option, or a value that the option does not take
- `130`: interrupted (Ctrl-C); `143`: ended by another program (SIGTERM)

**Options of several commands**; each command below names those that it takes:
"""
#: Words of a paragraph after the options that --help alone has: limits of `check`.
LONG = 60
#: Said once, at the top.
OF_ALL = ("--quiet", "--verbose", "--debug", "--version", "--help")
#: Of several commands, each with a file of its own.
OF_EACH = ("--output", "--name", "--title")


def page() -> str:
    """The page: what commands share, then each command."""
    context = click.Context(group, info_name="gaitid")
    found = list(commands(group, context))
    counted = Counter(entry for command, at in found for entry in options(command, at).items())
    #: By name: the first line that several commands have.
    shared: dict[str, str] = {}
    for (name, line), times in counted.items():
        if times > 1 and name not in OF_EACH:
            shared.setdefault(name, line)
    parts = [HEAD, "\n".join(shared.values()) + "\n"]
    for command, at in found:
        parts += section(command, at, shared)
    return "\n".join(parts)


def commands(above: click.Group, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """Each command, then its subcommands."""
    for name in above.list_commands(context):
        command = above.get_command(context, name)
        assert command is not None
        at = click.Context(command, info_name=name, parent=context)
        yield command, at
        if isinstance(command, click.Group):
            yield from commands(command, at)


def section(command: click.Command, context: click.Context, shared: dict[str, str]) -> Iterator[str]:
    words = command_path(context)
    yield f"{'#' * (1 + len(words.split()))} gaitid {words}\n"
    usage = [f"`{piece}`" for piece in command.collect_usage_pieces(context) if not piece.startswith("[OPTIONS]")]
    if usage:
        yield f"Takes {' '.join(usage)}\n"
    first, *others = inspect.cleandoc(command.help or "").split("\n\n")
    yield from paragraphs("\n\n".join([first, *(part for part in others if part.startswith("\b"))]))
    lines = options(command, context)
    named = [f"`{name}`" for name, line in lines.items() if shared.get(name) == line]
    left_out = [f"`{name}`" for name, line in shared.items() if lines.get(name) != line]
    if named:
        yield f"Shared options: {', '.join(named) if len(named) < len(left_out) else all_but(left_out)}\n"
    if own := [line for name, line in lines.items() if shared.get(name) != line]:
        yield "\n".join(own) + "\n"
    command.format_epilog(context, click.HelpFormatter())  # some fill it in only now
    epilog = (command.epilog or "").split("\n\n")
    yield from paragraphs("\n\n".join(part for part in epilog if len(part.split()) < LONG))


def all_but(left_out: list[str]) -> str:
    return f"all but {', '.join(left_out)}" if left_out else "all"


def command_path(context: click.Context) -> str:
    """The words after ``gaitid``."""
    words = []
    at: click.Context | None = context
    while at is not None and at.parent is not None:
        words.append(at.info_name or "")
        at = at.parent
    return " ".join(reversed(words))


def paragraphs(text: str) -> Iterator[str]:
    """Those of a command's help, examples and text that click leaves as it is as blocks."""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        words = paragraph.removeprefix("\b").strip("\n")
        if words.startswith("Example:"):
            yield "```sh\n" + "\n".join(examples(words)) + "\n```\n"
        elif paragraph.startswith("\b"):
            yield f"```text\n{words}\n```\n"
        elif words:
            yield escaped(" ".join(words.split())) + "\n"


def options(command: click.Command, context: click.Context) -> dict[str, str]:
    """The line of each option, by its long name."""
    lines = {}
    for option in command.params:
        if not isinstance(option, click.Option) or option.hidden or set(option.opts) & set(OF_ALL):
            continue
        names = ", ".join(option.opts) + (" / " + ", ".join(option.secondary_opts) if option.secondary_opts else "")
        text, default = meaning(option)
        takes = "" if option.is_flag else f" {metavar(option, context)}"
        facts = [word for word, holds in (("Required.", option.required), (f"Default: {default}.", default)) if holds]
        if option.multiple and "repeat" not in text and "several times" not in text:
            facts.append("May be repeated.")
        lines[option.opts[-1]] = f"- `{names}{takes}`: " + " ".join([text, *facts])
    return lines


def meaning(option: click.Option) -> tuple[str, str]:
    """An option's help, and its default in words, empty where it has none."""
    text = " ".join((option.help or "").split())
    default = ""
    if found := re.search(r"\s*\[default: (.*)\]$", text):  # where the help has to say it itself
        text, default = text[: found.start()], f"`{found[1]}`"
    elif not option.is_flag and isinstance(option.default, str | int | float):
        default = f"`{option.default}`" * (str(option.default) not in ("", "nan"))
    elif isinstance(option.default, tuple) and option.default:
        default = f"`{','.join(map(str, option.default))}`"
    return escaped(text if text.endswith((".", "?", ")")) else f"{text}."), default


def metavar(option: click.Option, context: click.Context) -> str:
    values = option.make_metavar(context)
    return values.strip("[]") if isinstance(option.type, click.Choice) else values


def escaped(text: str) -> str:
    """Markdown that shows the text: stars and angle brackets outside of code are themselves, pages are links."""
    parts = text.split("`")
    parts[::2] = [part.replace("*", r"\*").replace("<", "&lt;") for part in parts[::2]]
    parts[::2] = [re.sub(r"docs/(\w+\.md)", r"[\1](\1)", part) for part in parts[::2]]
    return "`".join(parts)


def examples(text: str) -> list[str]:
    """The commands of "Example:  gaitid …; gaitid …", one a line."""
    words = " ".join(text.split()).removeprefix("Example:").strip()
    return re.split(r";\s+(?:or\s+)?(?=gaitid )", words)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
