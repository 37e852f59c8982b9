"""matplotlib as all pictures here use it: without a screen, and the same whatever its user has set up."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from gaitid.errors import GaitidError, WriteError

#: Of words and what is drawn most strongly, of what stands beside it, and of grids.
INK, MUTED, GRID = "#1c1d21", "#5c616b", "#d9dbe0"
#: Distinct also without colour vision (Okabe & Ito 2008, Color Universal Design).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")

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
