"""A line on stderr that says how far a command is: on a terminal only, and only where it takes over two seconds."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType

from gaitid.cli.common import flag
from gaitid.cli.streams import draw_line, erase_line
from gaitid.errors import in_print

# s: before the line is drawn, and between two drawings.
AFTER_S, EVERY_S = 2.0, 0.3


class Progress:
    """``[12/40] walk.c3d, 5 s``, drawn over itself while the work goes on; erased at the end and by any other line.

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
