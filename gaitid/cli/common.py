"""The group of all commands, and what they share: lines, JSON, a refusal as one line, folders, options of all."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gaitid.cli.streams import print_stderr
from gaitid.errors import in_print, in_words
from gaitid.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from gaitid.cli.streams import Log
import threading
import time
from types import TracebackType

from gaitid.cli.streams import draw_line, erase_line

T = TypeVar("T")
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


# --- options ------------------------------------------------------------------------------------------------


class Target(click.Path):
    """A path; nothing, as of a variable that a script did not set, is not the current folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("expected a path, found nothing", param, ctx)
        return super().convert(value, param, ctx)


class Seconds(click.FloatRange):
    """A time limit: a number, and no more than some months."""

    def __init__(self, min_open: bool) -> None:
        super().__init__(0, 1e7, min_open=min_open)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        return number if number == number else self.fail(f"{value!r} is no number", param, ctx)


class TrialName(click.types.StringParamType):
    """A trial as it was typed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value else self.fail("expected a path, found nothing", param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


def together(*decorators: Decorator) -> Decorator:
    """One decorator for several options, in the order of the help."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def _set_flag(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    """Keep a flag where `flag` looks it up; a group's holds for its commands."""
    if value:
        ctx.meta[f"gaitid.{parameter.name}"] = True


def flag(name: str) -> bool:
    """Whether ``quiet``, ``verbose`` or ``debug`` was given to the command that runs, or to a group above it."""
    return f"gaitid.{name}" in click.get_current_context().meta


def _flag_option(*names: str, help: str) -> Decorator:
    return click.option(*names, is_flag=True, expose_value=False, callback=_set_flag, help=help)


#: How the flags that every command has are typed.
TALK_FLAGS = ("-q", "--quiet", "-v", "--verbose", "--debug")
#: --quiet, --verbose, --debug and --version.
talk_options = together(
    _flag_option(*TALK_FLAGS[0:2], help="Print nothing but errors on stderr."),
    _flag_option(*TALK_FLAGS[2:4], help="Print more on stderr."),
    _flag_option(TALK_FLAGS[4], help="Show the full traceback of an error."),
    click.version_option(__version__, prog_name="gaitid"),
)


# --- lines for people, JSON for programs --------------------------------------------------------------------


def print_error(text: str) -> None:
    """A line on stderr."""
    print_stderr(f"gaitid: {in_print(text)}")


def print_info(text: str) -> None:
    """A line on stderr, but for ``--quiet``."""
    if not flag("quiet"):
        print_error(text)


def print_detail(text: str) -> None:
    """A line on stderr with ``--verbose``."""
    if flag("verbose"):
        print_info(text)


def print_json(content: object) -> None:
    """One JSON object on stdout, in ASCII where stdout is not of Unicode."""
    from gaitid.write.record import plain

    unicode = "utf" in (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    click.echo(json.dumps(plain(content), indent=1, ensure_ascii=not unicode, allow_nan=False))


def attempt(about: str, work: Callable[[], T], log: Log | None = None) -> T | None:
    """The function's value; None where it was refused, which is logged and printed in one line that begins with `about`
    (a file; empty for what the whole command needs).
    """
    try:
        return work() if log is None else log.watch(about, work)
    except BrokenPipeError:
        raise
    except Exception as error:
        if flag("debug") and not isinstance(error, MemoryError):
            raise
        text = in_words(error, about)
        of_result = about.removesuffix("run.json")  # a table beside a record is named already
        print_error(text if text.startswith(of_result) else f"{about}: {text}")
        return None


# --- folders ------------------------------------------------------------------------------------------------


def folders_for(trials: Sequence[str], option: str, pattern: str) -> list[tuple[Path, Path]]:
    """Each trial with the folder of its files, ``{parent}`` in the option's value being the name of the trial's folder.

    Raises
    ------
    click.UsageError
        No folder, another placeholder, or two trials with the same files.
    """
    refuse_pattern(option, pattern)
    name_of: dict[Path, str] = {}
    folders = []
    for name in trials:
        trial = Path(name)
        folder = Path(pattern.replace("{parent}", _parent(trial)))
        stem = folder / trial.stem
        if stem in name_of:
            first = Path(name_of[stem])
            if _parent(first) != _parent(trial):
                todo = f"give {option} 'DIR/{{parent}}', or the trials one by one"
            elif first == trial:
                todo = "give this trial once"
            else:
                todo = "give the trials one by one, each a folder of its own"
            raise click.UsageError(f"{option} {pattern}: {first} and {name} have the same files {stem}.*; {todo}")
        name_of[stem] = name
        folders.append((trial, folder))
    return folders


def refuse_pattern(option: str, pattern: str) -> None:
    """Raise where a folder is empty, or has a placeholder other than {parent}."""
    if not pattern:
        raise click.UsageError(f"{option}: expected a folder, found nothing")
    words = re.findall(r"\{[^{}]*\}", pattern) if "{" in pattern else []
    unknown = [word for word in words if word != "{parent}"]
    if unknown:
        raise click.UsageError(f"{option} {pattern}: unknown placeholder {unknown[0]}; expected {{parent}}")


def _parent(trial: Path) -> str:
    """The name of a trial's folder."""
    try:
        return trial.resolve().parent.name
    except (OSError, RuntimeError):  # a loop of links, or a current folder that is gone
        return trial.parent.name


# Where each command stands in the help, and in which module of this room, if not in one of its name.
_COMMAND_SECTIONS = {
    "Analysis": ("run", "batch", "inspect", "calibrate", "check"),
    "Results": ("report", "compare", "features", "repeatability", "export", "norms", "models"),
    "Mechanics": ("simulate", "mechanism", "capacity"),
}
_MODULES = {
    "calibrate": "run",
    "inspect": "check",
    **dict.fromkeys(("export", "report", "compare"), "results"),
    **dict.fromkeys(("features", "repeatability", "norms"), "data_sets"),
    **dict.fromkeys(_COMMAND_SECTIONS["Mechanics"], "mechanics"),
}
COMMANDS = [name for names in _COMMAND_SECTIONS.values() for name in names]


class Interrupted(Exception):
    """Ctrl-C."""


class _Lazy(click.Group):
    """A group that imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return COMMANDS

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"gaitid.cli.{_MODULES.get(name, name)}"), f"{name}_command")
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None  # before click prints an empty line for it

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section, names in _COMMAND_SECTIONS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(section):
                formatter.write_dl([(name, of.get_short_help_str(90)) for name, of in commands if of], col_max=16)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"no command {args[0]!r}; expected one of {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Lazy,
    # of all commands too: what stands below inherits it
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Example:  gaitid run walk.c3d --model pig -o results\n\nThe command line in full: docs/command_line.md",
)
@talk_options
def group() -> None:
    """3D gait analysis from markers and force plates to joint wrenches."""


# s: before the line is drawn, and between two drawings.
AFTER_S, EVERY_S = 2.0, 0.3
# The same of a bar, and its width in characters.
_BAR_EVERY_S, _WIDTH = 0.1, 24


class Progress:
    """``[12/40] walk.c3d, 5 s``, drawn over itself while the work goes on, where it takes over two seconds; erased at
    the end and by any other line.

    A thread of its own draws: one long trial says nothing by itself. Where stderr is no terminal, or with ``--quiet``,
    there is none.

    Parameters
    ----------
    total : int
        How many there are to do.
    """

    def __init__(self, total: int) -> None:
        self._total, self._number, self._name, self._words = total, 0, "", ""
        self._start, self._ended = time.monotonic(), threading.Event()
        shown = sys.stderr.isatty() and not flag("quiet")
        self._thread = threading.Thread(target=self._draw, daemon=True) if shown else None

    def __enter__(self) -> Progress:
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            erase_line()

    def at(self, name: object) -> None:
        """What is worked on now: the next of all."""
        self._number += 1
        self._name, self._words = str(name), ""

    def within(self, words: str) -> None:
        """How far the one that is worked on is, in words."""
        self._words = words

    def line(self) -> str:
        """The line as it would be drawn now, as long as the terminal is wide."""
        import shutil  # with its compressors it costs a command that shows no line 3 ms

        count = f"[{self._number}/{self._total}] " if self._total > 1 else ""
        words = f", {self._words}" if self._words else ""
        after = f"{words}, {time.monotonic() - self._start:.0f} s"
        width = shutil.get_terminal_size().columns - len(count) - len(after) - 1
        name = in_print(self._name)
        return count + (name if len(name) <= width else f"…{name[len(name) - width + 1 :]}") + after

    def _draw(self) -> None:
        pause = AFTER_S
        while not self._ended.wait(pause):
            draw_line(self.line())
            pause = EVERY_S


class Bar:
    """``[#####     ] 312/1000  3 refused  18.2/s  0:00:38 left`` of a batch, drawn over itself; any other line
    erases it.

    Parameters
    ----------
    total : int
    shown : bool
    """

    def __init__(self, total: int, shown: bool) -> None:
        self.total, self.shown = total, shown
        self.start, self.drawn = time.monotonic(), 0.0
        self.done = self.worked = self.refused = 0

    def add(self, *, worked: bool, refused: bool) -> None:
        """Count one trial; one that was done before does not count for the rate."""
        self.done += 1
        self.worked += worked
        self.refused += refused
        if self.shown and (self.seconds - self.drawn > _BAR_EVERY_S or self.done == self.total):
            self.drawn = self.seconds
            draw_line(self.line(self.seconds))

    def line(self, seconds: float) -> str:
        filled = _WIDTH * self.done // max(self.total, 1)
        text = f"[{'#' * filled}{' ' * (_WIDTH - filled)}] {self.done}/{self.total}"
        if self.refused:
            text += f"  {self.refused} refused"
        if self.worked and seconds > 0:
            rate = self.worked / seconds
            left = round((self.total - self.done) / rate)
            text += f"  {rate:.1f}/s  {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
        return text

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.start
