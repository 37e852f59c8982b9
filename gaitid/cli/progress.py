"""A line on stderr that says how far a command is: on a terminal only."""

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
