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
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gaitid.errors import GaitidError, WriteError
from gaitid.numerics.masks import spans
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask

Dashes = Literal["-"] | tuple[float, tuple[float, ...]]
#: Of words and what is drawn most strongly, of what stands beside it, of grids, and of norms.
INK, MUTED, GRID, NORM = "#1c1d21", "#5c616b", "#d9dbe0", "#d5d8dd"
#: Distinct also without colour vision (Okabe & Ito 2008, Color Universal Design), and two more.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6a3d9a", "#8c564b")
#: So that lines are told apart in grey print, too.
DASHES: tuple[Dashes, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
#: Colour and dashes of left and right.
SIDES: Mapping[str, tuple[str, Dashes]] = {"left": ("#c5342b", (0, (5, 1.5))), "right": ("#0b6fa4", "-")}
MM_PER_INCH = 25.4

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
    "svg.fonttype": "none",  # text stays text
    "pdf.fonttype": 42,  # TrueType: journals take no Type 3
    "path.simplify_threshold": 0.1,
}

_NOT_STYLE = ("backend", "backend_fallback")
_FONT = b"'DejaVu Sans'"
# Of each format what would be another the next time (the same result gives the same bytes), and where a caption stands.
_ABOUT: Mapping[str, tuple[tuple[str, ...], str]] = {
    ".png": (("Software",), "Description"),
    ".svg": (("Creator", "Date", "Format", "Type"), "Description"),
    ".pdf": (("Creator", "Producer", "CreationDate"), "Subject"),
}


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


def picture_bytes(figures: Sequence[Any], suffix: str, dpi: int, caption: str = "") -> bytes:
    """Figures as the content of a file, by its suffix: in a PDF each has a page of its own, in others the first."""
    content, suffix = io.BytesIO(), f".{suffix.lower().removeprefix('.')}"
    nothing, caption_is = _ABOUT[suffix]
    about: dict[str, Any] = dict.fromkeys(nothing) | ({caption_is: caption} if caption else {})
    if suffix == ".pdf":
        from matplotlib.backends.backend_pdf import PdfPages

        with PdfPages(content, metadata=about) as pdf:
            for figure in figures:
                pdf.savefig(figure, facecolor="white")
        # fonts' names differ from one process to the next by six letters, drawn from a hash
        return re.sub(rb"/[A-Z]{6}\+(?=DejaVu)", b"/GAITID+", content.getvalue())
    figures[0].savefig(content, format=suffix[1:], dpi=dpi, metadata=about, facecolor="white")
    # a reader without this font takes the next
    return content.getvalue().replace(_FONT, _FONT + b", Arial, Helvetica, sans-serif")


@frozen_dataclass(eq=False)
class Paper:
    """A figure on which places are millimetres from the top left."""

    figure: Any
    width: float
    height: float

    def axes(self, left: float, top: float, width: float, height: float) -> Any:
        """Axes in a box."""
        box = (left / self.width, 1 - (top + height) / self.height, width / self.width, height / self.height)
        return self.figure.add_axes(box, facecolor="none")

    def text(self, left: float, top: float, words: str, **style: Any) -> None:
        """Words below a place."""
        style = {"fontsize": LETTERS, "color": INK, "va": "top", **style}
        self.figure.text(left / self.width, 1 - top / self.height, words, **style)

    def legend(self, left: float, top: float, handles: Sequence[Any], columns: int) -> None:
        """A legend below a place."""
        at = (left / self.width, 1 - top / self.height)
        self.figure.legend(handles=handles, loc="upper left", bbox_to_anchor=at, ncols=columns, **LEGEND)


def paper(width: float, height: float) -> Paper:
    """An empty one, as large as whole dots make it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / MM_PER_INCH, height / MM_PER_INCH))
    return Paper(figure, *(float(inches) * MM_PER_INCH for inches in figure.get_size_inches()))


#: Points, of letters on paper (Elsevier: 7, none below 6).
LETTERS = 7.0
#: Of every legend on paper.
LEGEND: Mapping[str, Any] = {
    "fontsize": LETTERS,
    "frameon": False,
    "labelcolor": INK,
    "handlelength": 2.6,
    "handletextpad": 0.5,
    "columnspacing": 1.2,
    "labelspacing": 0.35,
    "borderpad": 0,
    "borderaxespad": 0,
}


def plain(axes: Any, grid: Literal["both", "x", "y"] = "both") -> None:
    """Thin axes at the left and below, and a grid behind what is drawn."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set(color=INK, linewidth=0.5)
    axes.tick_params(labelsize=LETTERS, colors=INK, length=2, width=0.5, pad=1.5)
    axes.set_axisbelow(True)
    axes.grid(True, axis=grid, color=GRID, linewidth=0.4)
