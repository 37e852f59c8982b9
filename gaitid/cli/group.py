"""The group of all commands: one small module a command, loaded only when that command is given."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from gaitid.cli.common import talk_options

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Each command, a module of this room, and its line of help: so that `gaitid --help` loads none of them.
_SECTIONS = {
    "Analysis": {
        "run": "Joint wrenches, angles, moments and powers of one or more trials.",
        "batch": "All trials of a data set: supervised, resumable.",
        "inspect": "What is in a file: markers, plates, loads, subject, events.",
        "calibrate": "What a session needs of its static, once: a subject file.",
        "check": "Can these trials be analysed and trusted? The exit code says.",
    },
    "Results": {
        "report": "Pictures and tables of results, for people.",
        "compare": "How far two results differ, or a result and another program's, and why.",
        "repeatability": "What sessions of the same subjects show: SEM, smallest detectable change.",
        "export": "Results for other programs: C3D, OpenSim, MATLAB, tables.",
        "norms": "Normative bands: list, show, and build your own.",
        "models": "List, show and check models.",
    },
    "Mechanics": {
        "simulate": "A synthetic trial with its exact wrenches beside it.",
        "mechanism": "Inverse dynamics of a planar, kinematically driven mechanism.",
        "capacity": "What accelerations a leg's joint torques could produce, posture by posture.",
    },
    "Shell": {"completion": "Completion by TAB in bash, zsh and fish: how to switch it on."},
}
COMMANDS = {name: about for section in _SECTIONS.values() for name, about in section.items()}


class Interrupted(Exception):
    """Ctrl-C."""


class _Lazy(click.Group):
    """A group that imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"gaitid.cli.{name}").command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands, of which none is loaded, and the options of the group."""
        from click.shell_completion import CompletionItem

        names = [CompletionItem(name, help=about) for name, about in COMMANDS.items() if name.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None  # before click prints an empty line for it

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section, commands in _SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl(list(commands.items()), col_max=16)

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
