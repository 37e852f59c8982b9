"""Colours, scales and paths of all that is drawn; and matplotlib as all pictures here use it: without a screen, and
the same whatever its user has set up.
"""

from __future__ import annotations

import io
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaitid.errors import GaitidError, WriteError
from gaitid.numerics.masks import spans
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask

#: Of words and what is drawn most strongly, of what stands beside it, and of grids.
INK, MUTED, GRID = "#1c1d21", "#5c616b", "#d9dbe0"
#: Distinct also without colour vision (Okabe & Ito 2008, Color Universal Design).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")

# --- axes and paths of a page -----------------------------------------------------------------------------------

#: A panel of a page and where its axes lie, in units of the panel, from the top left.
SHAPE = {"width": 340, "height": 206, "left": 38, "right": 328, "top": 13, "bottom": 180}
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_SECOND_POINT = re.compile(r"(?<=\.\d) \.")


@frozen_dataclass()
class Scale:
    """The axes of one panel: x from `x_low` to `x_high`, y from `low` to `high` with `ticks`."""

    low: float
    high: float
    ticks: tuple[float, ...]
    x_low: float = 0.0
    x_high: float = 100.0

    def x(self, value: float | Array) -> Array:
        """Across, in the panel's units."""
        part = (np.asarray(value) - self.x_low) / (self.x_high - self.x_low)
        return np.asarray(SHAPE["left"] + part * (SHAPE["right"] - SHAPE["left"]))

    def y(self, value: float | Array) -> Array:
        """Down, in the panel's units; what lies far outside the axes stays near them."""
        part = np.minimum(np.maximum((self.high - np.asarray(value)) / (self.high - self.low), -0.5), 1.5)
        return np.asarray(SHAPE["top"] + part * (SHAPE["bottom"] - SHAPE["top"]))

    @property
    def y_ticks(self) -> list[tuple[str, str, bool]]:
        """Of each tick where it lies, down, what it says, and whether it is zero."""
        places = (f"{float(self.y(tick)):.1f}" for tick in self.ticks)
        return [(y, text, tick == 0) for y, text, tick in zip(places, _labels(self.ticks), self.ticks, strict=True)]

    def x_labels(self, ticks: Sequence[float]) -> list[tuple[str, str]]:
        """Of each tick where it lies, across, and what it says."""
        return [(f"{float(self.x(tick)):.1f}", text) for tick, text in zip(ticks, _labels(ticks), strict=True)]


def _labels(ticks: Sequence[float]) -> list[str]:
    """With as many decimals as any needs."""
    decimals = next((d for d in range(4) if all(abs(t - round(t, d)) < 1e-9 for t in ticks)), 4)
    return [f"{tick + 0.0:.{decimals}f}".replace("-", "−") for tick in ticks]


def middle(percents: Array) -> float | None:
    """Where the mean of percents of the cycle lies across a panel; None where none is known."""
    seen = percents[np.isfinite(percents)]
    return float(Scale(0, 1, ()).x(seen.mean())) if len(seen) else None


def scale_for(low: float, high: float, values: Array) -> Scale:
    """Axes that show `low` to `high`, and all finite values beside a small margin, with four to six round ticks."""
    seen = values[np.isfinite(values)]
    if len(seen):
        margin = 0.04 * max(high - low, float(np.ptp(seen)))
        low = min(low, float(seen.min()) - margin) if seen.min() < low else low
        high = max(high, float(seen.max()) + margin) if seen.max() > high else high
    step = round_step((high - low) / 5)
    ticks = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step
    return Scale(low, high, tuple(float(t) for t in np.round(ticks, 10)))


def round_step(raw: float, steps: Sequence[float] = _STEPS) -> float:
    """The first round step that is not less."""
    power = 10.0 ** np.floor(np.log10(raw))
    return float(next(step for step in steps if step * power >= raw * 0.999) * power)


def path(scale: Scale, x: Array, y: Array) -> str:
    """The path of a line; nothing where a value is unknown, a dot where one stands alone."""
    return paths(scale, x, y[None])[0]


def paths(scale: Scale, x: Array, rows: Array) -> list[str]:
    """The path of each of several lines, (lines, points), as `path` has it."""
    points = _tenths(scale, x, rows)
    starts, steps = points.tolist(), (points[:, 1:] - points[:, :-1]).reshape(len(points), -1).tolist()
    return [
        "".join(
            _path(start[first], step[2 * first : 2 * after - 2] or [0, 0]) + ("" if after - first > 1 else "h.1")
            for first, after in spans(known)
        )
        for known, start, step in zip(np.isfinite(rows), starts, steps, strict=True)
    ]


def area(scale: Scale, x: Array, low: Array, high: Array) -> str:
    """The path of the area between two lines."""
    pieces = []
    upper, lower = _tenths(scale, x, high), _tenths(scale, x, low)
    for first, after in spans(np.isfinite(low) & np.isfinite(high)):
        if after - first > 1:
            span = slice(first, after)
            outline = np.concatenate([upper[span], lower[span][::-1]])
            pieces.append(_path(outline[0].tolist(), (outline[1:] - outline[:-1]).ravel().tolist()) + "Z")
    return "".join(pieces)


def _tenths(scale: Scale, x: Array, y: Array) -> NDArray[np.int64]:
    """(…, points, 2) tenths of the panel's units; what is unknown is 0, and not to be drawn."""
    both = np.empty((*y.shape, 2))
    both[..., 0], both[..., 1] = scale.x(x), scale.y(np.where(np.isfinite(y), y, scale.high))
    return np.asarray(np.rint(10 * both), dtype=np.int64)


def _path(start: Sequence[int], steps: Sequence[int]) -> str:
    """Lines from a point on, each relative to the one before: half as long as in absolute places."""
    x, y = start
    joined = " ".join(map(_short, steps))
    # a minus sign or, behind a number with a point (which ends in a tenth), a point begins the next number
    joined = _SECOND_POINT.sub(".", joined.replace(" -", "-"))
    return f"M{x / 10:g} {y / 10:g}l{joined}"


@cache
def _short(tenths: int) -> str:
    """Tenths as text, as short as can be: there are only as many as a panel is wide."""
    text = f"{tenths / 10:g}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def wider(mask: Mask) -> Mask:
    """The mask and one more to either side: so that pieces of one line meet."""
    more = mask.copy()
    more[1:] |= mask[:-1]
    more[:-1] |= mask[1:]
    return more


# --- matplotlib -------------------------------------------------------------------------------------------------

_OURS = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "text.parse_math": False,  # labels come from outside; a dollar sign is a dollar sign
    "svg.hashsalt": "gaitid",  # ids that do not change
}

_NOT_STYLE = ("backend", "backend_fallback")
# Of each format, by the suffix of a name, what would be another the next time: the same result gives the same bytes.
_ABOUT = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def load_matplotlib(why: str) -> None:
    """Import matplotlib, where that has not happened: to be called before a module that draws is imported.

    Parameters
    ----------
    why : str
        What needs it, with which an error begins.

    Raises
    ------
    GaitidError
        It is not installed, or does not load.
    """
    if sys.modules.get("matplotlib") is not None:
        return
    import logging

    messages: list[str] = []

    def hear(record: logging.LogRecord) -> bool:
        messages.append(record.getMessage())
        return False

    # Its own logger, not those below it, speaks of two things while it loads: a user's matplotlibrc, of which nothing
    # is used here, and a folder for its cache that it cannot write to, for which it makes another.
    logger = logging.getLogger("matplotlib")
    logger.addFilter(hear)
    # A backend shows pictures in windows, which nothing here does, and the one asked for may be absent (a notebook's,
    # in a shell that was started from there).
    asked = os.environ.pop("MPLBACKEND", None)
    try:
        import matplotlib
        import matplotlib.figure
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "matplotlib":
            raise
        raise GaitidError(
            f"{why} needs matplotlib, which is not installed", todo="install it: pip install matplotlib"
        ) from None
    except (ImportError, OSError, UnicodeError) as error:
        # an unreadable matplotlibrc is named only in what it logs
        words = messages[-1].rstrip(".") if messages and isinstance(error, UnicodeError) else str(error)
        raise GaitidError(f"{why} needs matplotlib, which does not load", found=words) from None
    finally:
        logger.removeFilter(hear)
        if asked is not None:
            os.environ["MPLBACKEND"] = asked
    if asked:
        with suppress(ValueError):  # for what else this process may draw
            matplotlib.rcParams["backend"] = asked


@contextmanager
def shared_style(settings: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Draw with matplotlib's defaults, what all pictures here share, and `settings`; nothing of a matplotlibrc."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        # old names among the defaults warn; a file name in a script that the font lacks is drawn as boxes
        warnings.simplefilter("ignore", matplotlib.MatplotlibDeprecationWarning)
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        style: Any = {key: value for key, value in matplotlib.rcParamsDefault.items() if key not in _NOT_STYLE}
        matplotlib.rcParams.update(style | _OURS | dict(settings or {}))
        yield


def refuse_format(option: str, suffix: str) -> None:
    """Raise a `WriteError` where the suffix of a picture that an option names is none that can be drawn."""
    if suffix.lower() not in _ABOUT:
        raise WriteError(f"{option}: no picture format {suffix!r}", expected=" or ".join(_ABOUT))


def picture_bytes(figure: Any, suffix: str, dpi: int) -> bytes:
    """A figure as the content of a file, by its suffix."""
    content = io.BytesIO()
    suffix = suffix.lower()
    figure.savefig(content, format=suffix[1:], dpi=dpi, metadata=_ABOUT[suffix], facecolor="white")
    return content.getvalue()
