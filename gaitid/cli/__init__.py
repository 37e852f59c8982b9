"""The command line: one small module a command, loaded only when that command is given."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from gaitid import __version__

# The arrays of a trial are small: a pool of linear-algebra threads costs more to start (30 ms) than it saves, and
# one thread gives the same last digit on every machine. Set before numpy is loaded; a user's own value wins.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# name -> (module, one line of help): so that `gaitid --help` loads no command.
COMMANDS = {
    "run": ("gaitid.cli.run", "Joint wrenches, angles, moments and powers of one or more trials."),
    "inspect": ("gaitid.cli.inspect", "What is in a file: markers, plates, loads, subject, events."),
    "check": ("gaitid.cli.check", "Can these trials be analysed and trusted? The exit code says."),
    "simulate": ("gaitid.cli.simulate", "A synthetic trial with its exact wrenches beside it."),
    "report": ("gaitid.cli.report", "Pictures and tables of results, for people."),
    "models": ("gaitid.cli.models", "List, show and check models."),
}


class _Lazy(click.Group):
    """A group that imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"no command {args[0]!r}; expected one of {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Example:  gaitid run walk.c3d --model pig -o results",
)
@click.version_option(__version__, prog_name="gaitid")
def group() -> None:
    """3D gait analysis from markers and force plates to joint wrenches."""


def main() -> None:
    """Entry point: every refusal of ours is one line on stderr and exit code 1; wrong usage is 2."""
    try:
        code = group.main(standalone_mode=False, prog_name="gaitid")
    except click.exceptions.Abort:
        sys.exit(130)
    except KeyboardInterrupt:
        sys.exit(130)
    except click.UsageError as error:
        if not sys.argv[1:]:
            print(error.format_message(), file=sys.stderr)  # the whole help, for somebody who is new here
            sys.exit(error.exit_code)
        where = error.ctx.command_path if error.ctx is not None else "gaitid"
        text = " ".join(error.format_message().split())
        print(f"gaitid: {text}; see {where} --help", file=sys.stderr)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        print(f"gaitid: {error.format_message()}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # the reader of our output went away, as `head` does
        sys.stderr.close()
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)
