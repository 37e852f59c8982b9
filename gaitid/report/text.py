"""Values as people read them: text that is safe to draw, numbers, unknowns."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gaitid.errors import in_print

UNKNOWN = "–"
"""What stands where a value is unknown."""


def plain(value: object) -> str:
    """One line of printable text that UTF-8 can hold, of any value.

    File names and labels come from outside: they may hold control characters, line breaks and lone
    surrogates, which neither a font nor an encoder takes; they are written as escapes.
    """
    return in_print(str(value))


def file_name(path: object) -> str:
    """The last part of a path written on any system: a report may be shared, folders name people."""
    return plain(path).replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def number(value: float, digits: int = 6) -> str:
    """A number with a true minus sign, an unknown one as a dash."""
    if not math.isfinite(value):
        return UNKNOWN
    return f"{value:.{digits}g}".replace("-", "−")


def fixed(value: float, decimals: int) -> str:
    """A number with so many decimals (never "−0.00"), an unknown one as a dash."""
    if not math.isfinite(value):
        return UNKNOWN
    text = f"{value:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def mean_sd(values: Sequence[float], times: float, decimals: int) -> str:
    """``12.3 ± 0.4``, an unknown one as a dash."""
    if not len(values):
        return UNKNOWN
    spread = f" ± {fixed(float(np.std(values, ddof=1)) * times, decimals)}" if len(values) > 1 else ""
    return f"{fixed(float(np.mean(values)) * times, decimals)}{spread}"
