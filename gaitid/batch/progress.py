"""A line that shows how far a batch is: on a terminal only."""

from __future__ import annotations

import time
from typing import TextIO

_WIDTH = 24
_EVERY_S = 0.1


class Progress:
    """``[#####     ] 312/1000  3 refused  18.2/s  0:38 left``, drawn over itself.

    Parameters
    ----------
    total : int
    stream : text file or None
        None: nothing is shown.
    """

    def __init__(self, total: int, stream: TextIO | None) -> None:
        self.total, self.stream = total, stream
        self.start, self.shown = time.monotonic(), 0.0
        self.done = self.worked = self.refused = 0

    def add(self, *, worked: bool, refused: bool) -> None:
        """Count one trial; one that was done before does not count for the rate."""
        self.done += 1
        self.worked += worked
        self.refused += refused
        if self.stream is not None and (self.seconds - self.shown > _EVERY_S or self.done == self.total):
            self.shown = self.seconds
            self.stream.write(f"\r{self.line(self.seconds)}\x1b[K")
            self.stream.flush()

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

    def clear(self) -> None:
        """Clear the bar, so that a line of text has its place."""
        if self.stream is not None:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
