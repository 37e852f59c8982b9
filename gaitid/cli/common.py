"""What every command shares: messages on stderr, errors as one line, JSON, options that all have."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from gaitid.cli.streams import tell
from gaitid.errors import GaitidError, in_print, in_words
from gaitid.version import __version__

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


class Target(click.Path):
    """A path to write to."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("expected a path, found nothing", param, ctx)
        return super().convert(value, param, ctx)


def say(text: str) -> None:
    """A line for the person, on stderr."""
    tell(f"gaitid: {in_print(text)}")


def say_json(content: object) -> None:
    """One JSON object on stdout, in ASCII where stdout is not of Unicode."""
    from gaitid.write.record import plain

    unicode = "utf" in (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    click.echo(json.dumps(plain(content), indent=1, ensure_ascii=not unicode, allow_nan=False))


def together(*decorators: Decorator) -> Decorator:
    """One decorator for several options, in the order of the help."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def _inherited(ctx: click.Context, parameter: click.Parameter, value: bool) -> bool:
    key = f"gaitid.{parameter.name}"
    ctx.meta[key] = value or ctx.meta.get(key, False)
    return bool(ctx.meta[key])


#: --quiet, --verbose, --debug and --version; the first three hold for the commands below a group too.
talk_options = together(
    click.option("-q", "--quiet", is_flag=True, callback=_inherited, help="Say nothing but errors on stderr."),
    click.option("-v", "--verbose", is_flag=True, callback=_inherited, help="Say more on stderr."),
    click.option("--debug", is_flag=True, callback=_inherited, help="Show the full traceback of an error."),
    click.version_option(__version__, prog_name="gaitid"),
)


def guarded(what: str, function: Callable[[], Any], debug: bool) -> tuple[bool, Any]:
    """Call a function; a refusal becomes one line that begins with `what`. (worked, value)."""
    start = f"{what}: " if what else ""
    try:
        return True, function()
    except GaitidError as error:
        if debug:
            raise
        text = error.line()
        say(text if not what or text.startswith(what) else f"{start}{text}")
    except BrokenPipeError:
        raise
    except Exception as error:
        # A fault of ours: still one line for a batch of trials, and how to see the rest.
        if debug and not isinstance(error, MemoryError):
            raise
        say(f"{start}{in_words(error, what)}")
    return False, None


def folder_for(trial: Path, pattern: str) -> Path:
    """A folder that may hold {parent}, the name of the trial's folder."""
    if "{parent}" not in pattern:
        return Path(pattern)
    try:
        parent = trial.resolve().parent.name
    except (OSError, RuntimeError):  # a loop of links, or a current folder that is gone
        parent = trial.parent.name
    return Path(pattern.replace("{parent}", parent))


def refuse_pattern(option: str, pattern: str) -> None:
    """An empty folder, and a placeholder other than {parent}."""
    if not pattern:
        raise click.UsageError(f"{option}: expected a folder, found nothing")
    unknown = [word for word in re.findall(r"\{[^{}]*\}", pattern) if word != "{parent}"]
    if unknown:
        raise click.UsageError(f"{option} {pattern}: unknown placeholder {unknown[0]}; expected {{parent}}")
