"""What was typed -> one call of a room below, its answer printed; every ending -> an exit code, a refusal -> one line.

A command parses, calls and prints; it computes nothing.
"""

from __future__ import annotations

import os

# The arrays of a trial are small: a pool of linear-algebra threads costs more to start (30 ms) than it saves, and
# one thread gives the same last digit on every machine. Set before numpy is loaded; a user's own value wins.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def main() -> None:
    """Entry point: every refusal of ours is one line on stderr and exit code 1; wrong usage is 2."""
    from gaitid.cli.start import main as started

    started()


def entry() -> None:
    """`main` for a process that ends with it."""
    from gaitid.cli.start import entry as started

    started()
