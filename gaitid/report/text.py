"""Values as people read them, and pages from templates: ``.html`` files beside the code that says what is in them.

All text in a page is escaped. In a template a line break beside a tag or an expression is nothing, and elsewhere a
blank: lines may be broken and indented as they read best.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gaitid.drawing import SHAPE
from gaitid.errors import in_print

if TYPE_CHECKING:
    from jinja2 import Environment

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


def scaled(value: object, times: float, decimals: int) -> str:
    """A value in another unit; what is no number as a dash."""
    return fixed(times * value, decimals) if isinstance(value, int | float) else UNKNOWN


def four_digits(value: object) -> str:
    """With no number so small that it is only rounding."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return "none" if value is None else str(value)
    if abs(value) < 1e-4:
        return "0"
    return fixed(value, max(0, 3 - math.floor(math.log10(abs(value)))) if abs(value) < 1e4 else 0)


def mean_sd(values: Sequence[float], times: float, decimals: int) -> str:
    """``12.3 ± 0.4``, an unknown one as a dash."""
    if not len(values):
        return UNKNOWN
    spread = f" ± {fixed(float(np.std(values, ddof=1)) * times, decimals)}" if len(values) > 1 else ""
    return f"{fixed(float(np.mean(values)) * times, decimals)}{spread}"


_PACKAGE = Path(__file__).parents[1]
_BREAK_BESIDE_MARKUP = re.compile(r"^\s+|\s*\n\s*(?=[<{]|$)|(?<=[>}])\s*\n\s*")
# A hash is to break anywhere; a word is not.
_LONG_WORD = 32
_BREAK = re.compile(r"\s*\n\s*")


def render(template: str, **values: Any) -> str:
    """A page, or a part of one: it is not escaped again where another template names it.

    Parameters
    ----------
    template : str
        Its file below the package, as ``report/page/page.html``.
    **values
        What it names.
    """
    return _markup(_environment().get_template(template).render(values))


def macro(template: str, name: str) -> Any:
    """A macro of a template, to be called: a part of a page."""
    return getattr(_environment().get_template(template).module, name)


def _markup(text: str) -> str:
    from markupsafe import Markup

    return Markup(text)


@cache
def _environment() -> Environment:
    # Not at the top: it takes 50 ms to import, and `gaitid compare` and pictures need no page.
    from jinja2 import Environment, FileSystemBytecodeCache, FunctionLoader, StrictUndefined
    from jinja2.bccache import Bucket
    from markupsafe import Markup

    class Compiled(FileSystemBytecodeCache):
        """Templates beside Python's own compiled files, where these may be written: compiling all takes 0.2 s."""

        def dump_bytecode(self, bucket: Bucket) -> None:
            if not sys.dont_write_bytecode:
                with suppress(OSError):
                    super().dump_bytecode(bucket)

    def joined(name: str) -> str:
        source = _BREAK_BESIDE_MARKUP.sub("", (_PACKAGE / name).read_text(encoding="utf-8"))
        return _BREAK.sub(" ", source)

    def printable(value: Any) -> Any:
        """What steers a terminal, and what no encoder takes, as escapes."""
        return value if isinstance(value, Markup) or str(value).isprintable() else plain(value)

    made = Environment(
        loader=FunctionLoader(joined),
        autoescape=True,
        finalize=printable,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.do"],
        bytecode_cache=Compiled(str(Path(cache_from_source(__file__)).parent)),
    )
    made.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    filters = (fixed, number, mean_sd, scaled, four_digits, file_name, upper_first)
    made.filters |= {of.__name__: of for of in filters}
    made.tests["list"] = lambda of: isinstance(of, list)
    made.globals |= {
        "UNKNOWN": UNKNOWN,
        "SHAPE": SHAPE,
        "value": value,
        # the text of a style sheet or a script of ours
        "file": cache(lambda name: Markup((_PACKAGE / name).read_text(encoding="utf-8"))),
    }
    return made


def value(of: Any, depth: int = 0) -> Any:
    """Whatever JSON can hold: in a word, or as the template writes what is nested or long."""
    if isinstance(of, bool):
        return "yes" if of else "no"
    if isinstance(of, int):
        return str(of).replace("-", "−")
    if isinstance(of, float):
        return number(of)
    if not of:
        return UNKNOWN
    if isinstance(of, str) and (len(of) < _LONG_WORD or " " in of):
        return of
    return macro("report/page/parts.html", "nested")(of, depth)


def upper_first(text: str) -> str:
    """The same with a capital first letter."""
    return text[:1].upper() + text[1:]
