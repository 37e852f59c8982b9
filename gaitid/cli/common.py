"""What every command shares: messages on stderr, errors as one line, --quiet, --verbose, --debug."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from gaitid.errors import GaitidError

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


def say(text: str) -> None:
    """A line for the person, on stderr."""
    print(f"gaitid: {' '.join(text.split())}", file=sys.stderr)


def talk_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--quiet, --verbose and --debug."""
    for decorator in (
        click.option("--debug", is_flag=True, help="Show the full traceback of an error."),
        click.option("-v", "--verbose", is_flag=True, help="Say more on stderr."),
        click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors on stderr."),
    ):
        function = decorator(function)
    return function


def guarded(what: str, function: Callable[[], Any], debug: bool) -> tuple[bool, Any]:
    """Call a function; a refusal becomes one line that begins with `what`. (worked, value)."""
    try:
        return True, function()
    except GaitidError as error:
        if debug:
            raise
        text = error.line()
        say(text if not what or text.startswith(what) else f"{what}: {text}")
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except MemoryError:
        say(f"{what}: not enough memory")
    except Exception as error:
        # A fault of ours: still one line for a batch of trials, and how to see the rest.
        if debug:
            raise
        say(f"{what}: internal error ({type(error).__name__}: {error}); please report it with --debug")
    return False, None
