"""``gaitid --help`` as it was stored: click, which makes it, takes three times as long to load as Python to start."""

from __future__ import annotations

import os
import sys

#: Of terminals for which it is stored: no terminal at all, or one of that many columns; and as wide as any text is.
COLUMNS = (80, 110)


def print_stored() -> bool:
    """Print the help, and say whether it was: not on a terminal of another width, nor to a stream that refuses it."""
    from gaitid.cli.help_stored import TEXTS

    text = TEXTS.get(min(_columns(), COLUMNS[-1]))
    if text is None or sys.stdout is None:
        return False
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except (OSError, ValueError):
        return False  # as every command ends then
    return True


def _columns() -> int:
    """As `shutil.get_terminal_size` says, which loads archives."""
    given = os.environ.get("COLUMNS", "")
    columns = int(given) if given.isdigit() else 0
    if columns <= 0:
        try:
            columns = os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else 0
        except (OSError, ValueError):
            columns = 0
    return columns or COLUMNS[0]
