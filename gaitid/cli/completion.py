"""`gaitid completion`."""

from __future__ import annotations

import click

from gaitid.cli.common import CONTEXT, talk_options
from gaitid.cli.shells import SHELLS, SWITCH_ON, script

_LINES = "\n".join(f"  {shell:6}{line:40}in {file}" for shell, (line, file) in SWITCH_ON.items())

_HELP = f"""What the shell reads to complete gaitid's commands, options, trials, models, settings and names with TAB.

To switch it on, put one line into the start file of your shell, and open a new one:

\b
{_LINES}

bash is needed in version 4.4 or later; macOS comes with 3.2, and has zsh.
"""


@click.command(
    context_settings=CONTEXT,
    help=_HELP,
    epilog="Example:  gaitid completion fish > ~/.config/fish/completions/gaitid.fish\n\nMore: docs/command_line.md",
)
@click.argument("shell", type=click.Choice(list(SHELLS)))
@talk_options
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    click.echo(script(shell, ctx.find_root().command), nl=False)
    return 0
