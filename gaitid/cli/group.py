"""The group of all commands: one small module a command, loaded only when that command is given."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from gaitid.cli.common import talk_options

# Each command is a module of this room; where it stands in the help.
_SECTIONS = {
    "Analysis": ("run", "batch", "inspect", "calibrate", "check"),
    "Results": ("report", "compare", "features", "repeatability", "export", "norms", "models"),
    "Mechanics": ("simulate", "mechanism", "capacity"),
}
COMMANDS = [name for names in _SECTIONS.values() for name in names]


class Interrupted(Exception):
    """Ctrl-C."""


class _Lazy(click.Group):
    """A group that imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return COMMANDS

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"gaitid.cli.{name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None  # before click prints an empty line for it

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section, names in _SECTIONS.items():
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
