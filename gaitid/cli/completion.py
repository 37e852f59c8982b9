"""`gaitid completion`: the script for bash, zsh and fish, as far as completion differs between them, and what it is
answered.

The script asks `gaitid` itself, with the line so far, whenever TAB is pressed (click's way: docs/command_line.md).
Beyond click's own scripts, files are offered by their suffix, and words with ``=`` are completed in bash too, which
takes such a word for three.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import ClassVar

import click
from click.shell_completion import CompletionItem, ShellComplete, add_completion_class

from gaitid.cli.common import talk_options

#: The variable by which a shell asks.
VARIABLE = "_GAITID_COMPLETE"
#: How to switch it on, for each shell: a line for its start file, and that file.
SWITCH_ON = {
    "bash": ('eval "$(gaitid completion bash)"', "~/.bashrc"),
    "zsh": ('eval "$(gaitid completion zsh)"', "~/.zshrc"),
    "fish": ("gaitid completion fish | source", "~/.config/fish/config.fish"),
}
# Where a line breaks off: cannot be typed.
_HERE = "\0"

_BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' kind value
    COMPREPLY=()
    while IFS=, read -r kind value; do
        case $kind in
        path) compopt -o filenames 2>/dev/null ;;
        open) compopt -o nospace 2>/dev/null ;;
        esac
        COMPREPLY+=("$value")
    done < <(COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_WORDBREAKS="$COMP_WORDBREAKS" \\
        %(complete_var)s=bash_complete "$1" 2>/dev/null)
}
complete -o nosort -F %(complete_func)s %(prog_name)s 2>/dev/null || complete -F %(complete_func)s %(prog_name)s
"""

_ZSH = """\
#compdef %(prog_name)s
%(complete_func)s() {
    local kind value help
    local -a response plain described open
    response=("${(@f)$(COMP_LINE="${words[1,CURRENT]}" %(complete_var)s=zsh_complete ${~words[1]} 2>/dev/null)}")
    for kind value help in ${response}; do
        case $kind in
        glob) _alternative "files:file:_path_files -g '$value'" "folders:folder:_path_files -/" ;;
        folders) _files -/ ;;
        open) open+=("$value") ;;
        *) if [[ $help == _ ]]; then plain+=("$value"); else described+=("${value//:/\\\\:}:$help"); fi ;;
        esac
    done
    (( $#described )) && _describe -V 'gaitid' described
    (( $#plain )) && compadd -V 'gaitid names' -a plain
    (( $#open )) && compadd -V 'gaitid keys' -S '' -a open
    return 0
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef %(complete_func)s %(prog_name)s
fi
"""

_FISH = """\
function %(complete_func)s
    set -l line (commandline -cp)
    set -l command (string split -m 1 ' ' -- $line)[1]
    for answer in (COMP_LINE="$line" %(complete_var)s=fish_complete %(prog_name)s 2>/dev/null)
        echo (string split -m 1 , -- $answer)[2]
    end
end
complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


class _Shell(ShellComplete):
    """What the three have in common."""

    def get_completion_args(self) -> tuple[list[str], str]:
        words, _ = _split(os.environ.get("COMP_LINE", ""))
        return words[1:-1], words[-1]

    def source(self) -> str:
        line, file = SWITCH_ON[self.name]
        return (
            f"# Completion of gaitid for {self.name}. To switch it on, put this line into {file}:\n"
            f"#     {line}\n{super().source()}"
        )


class _Listing(_Shell):
    """A shell that is told the paths: bash and fish complete no pattern of files by themselves."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        items: list[CompletionItem] = []
        for item in super().get_completions(args, incomplete):
            if item.type in ("file", "dir"):
                begin = incomplete if item.value is None else str(item.value)
                items += [CompletionItem(path, type="path") for path in _paths(begin, _suffixes(item))]
            else:
                items.append(item)
        return items


class Bash(_Listing):
    """bash; 4.4 and later, older ones without folders' slashes."""

    name: ClassVar[str] = "bash"
    source_template: ClassVar[str] = _BASH

    def complete(self) -> str:
        words, quoted = _split(os.environ.get("COMP_LINE", ""))
        # what bash replaces begins behind the last of these in the word, but not within quotes; a space was escaped
        breaks = () if quoted else set(os.environ.get("COMP_WORDBREAKS", "")) - set(" \t\n\"'")
        kept = max((words[-1].rfind(c) for c in breaks), default=-1) + 1
        items = self.get_completions(words[1:-1], words[-1])
        # a folder gets its slash from bash, which does not know one with a slash for a folder within quotes
        values = (str(item.value).removesuffix("/") if item.type == "path" else str(item.value) for item in items)
        return "\n".join(f"{item.type},{value[kept:]}" for item, value in zip(items, values))


class Zsh(_Shell):
    """zsh, which lists files by itself and shows what each word means."""

    name: ClassVar[str] = "zsh"
    source_template: ClassVar[str] = _ZSH

    def format_completion(self, item: CompletionItem) -> str:
        kind, value = item.type, str(item.value)
        if kind in ("file", "dir"):
            suffixes = _suffixes(item)
            kind = "glob" if suffixes != () else "folders"
            value = f"*(#i)({'|'.join(suffixes)})(-.)" if suffixes else "*"
        return f"{kind}\n{value}\n{' '.join((item.help or '_').split())}"


class Fish(_Listing):
    """fish, which shows what each word means."""

    name: ClassVar[str] = "fish"
    source_template: ClassVar[str] = _FISH

    def format_completion(self, item: CompletionItem) -> str:
        about = f"\t{' '.join(item.help.split())}" if item.help else ""
        return f"{item.type},{item.value}{about}"


SHELLS: dict[str, type[_Shell]] = {shell.name: shell for shell in (Bash, Zsh, Fish)}


def register() -> None:
    """Let click answer by the classes of this module."""
    for shell in SHELLS.values():
        add_completion_class(shell)


def _suffixes(item: CompletionItem) -> tuple[str, ...] | None:
    """Of the files that are offered besides folders; None: all files."""
    if item.type == "dir":
        return ()
    suffixes: tuple[str, ...] | None = item.suffixes
    return suffixes


def _split(line: str) -> tuple[list[str], bool]:
    """The words of a line that was typed so far, the last being typed, and whether a quote is open in it."""
    for quote in ("", "'", '"'):
        lexer = shlex.shlex(line + _HERE + quote, posix=True)
        lexer.whitespace_split, lexer.commenters = True, ""
        try:
            words = list(lexer)
        except ValueError:  # within the other quotes
            continue
        return [*words[:-1], words[-1].removesuffix(_HERE)], bool(quote)
    return ["gaitid", ""], False


def _paths(begin: str, suffixes: tuple[str, ...] | None) -> Iterator[str]:
    """Folders, with a slash, and files of these suffixes (None: all), whose path begins so."""
    folder, slash, stem = begin.rpartition("/")
    try:
        with os.scandir(os.path.expanduser(folder + slash) or ".") as entries:  # noqa: PTH111 - ~ stays in the answer
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in found:
        name = entry.name
        if not name.startswith(stem) or "\n" in name or (name.startswith(".") and not stem.startswith(".")):
            continue
        if entry.is_dir():
            yield f"{folder}{slash}{name}/"
        elif suffixes is None or name.lower().endswith(suffixes):
            yield f"{folder}{slash}{name}"


# --- the command --------------------------------------------------------------------------------------------

_LINES = "\n".join(f"  {shell:6}{line:40}in {file}" for shell, (line, file) in SWITCH_ON.items())

_HELP = f"""What the shell reads to complete gaitid's commands, options, trials, models, settings and names with TAB.

To switch it on, put one line into the start file of your shell, and open a new one:

\b
{_LINES}

bash is needed in version 4.4 or later; macOS comes with 3.2, and has zsh.
"""


@click.command(
    help=_HELP,
    epilog="Example:  gaitid completion fish > ~/.config/fish/completions/gaitid.fish\n\nMore: docs/command_line.md",
)
@click.argument("shell", type=click.Choice(list(SHELLS)))
@talk_options
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    click.echo(SHELLS[shell](ctx.find_root().command, {}, "gaitid", VARIABLE).source(), nl=False)
    return 0
