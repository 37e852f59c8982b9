"""A command that also has `list` and `show NAME` of the files that come with gaitid, as `models` and `norms` have."""

from __future__ import annotations

from typing import Any

import click

from gaitid.cli.common import TALK_FLAGS


class WithTemplates(click.Group):
    """A command with subcommands beside what it does itself: `gaitid simulate walk` and `gaitid simulate show walk`.

    A first word that is none of the subcommands is the command's own argument; a file of such a name is `./show`.
    """

    allow_interspersed_args = True
    allow_extra_args = False  # a group would keep a second file for a subcommand, and lose it

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **{"invoke_without_command": True, "no_args_is_help": False, **given})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = next((i for i, word in enumerate(args) if word not in TALK_FLAGS), 0)
        if args[first : first + 1] and args[first] in self.commands:
            ctx.args = [args[first], *args[:first], *args[first + 1 :]]  # `-q show walk` is `show -q walk`
            return ctx.args
        return click.Command.parse_args(self, ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        if not (ctx.args and ctx.args[0] in self.commands):
            return click.Command.invoke(self, ctx)
        name, command, args = self.resolve_command(ctx, ctx.args)
        assert command is not None
        # a child of the group above: its path would have the argument of this command in it
        with command.make_context(f"{ctx.info_name} {name}", args, parent=ctx.parent) as sub:
            return command.invoke(sub)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return click.Command.collect_usage_pieces(self, ctx)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_usage(ctx, formatter)
        for name, command in self.commands.items():
            pieces = [piece for piece in command.collect_usage_pieces(ctx) if piece != "[OPTIONS]"]
            formatter.write(f"       {' '.join((ctx.command_path, name, *pieces))}\n")
