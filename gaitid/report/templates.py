"""Pages from templates: ``.html`` files beside the code that gathers what stands in them. All text is escaped.

In a template a line break beside a tag or an expression is nothing, and elsewhere a blank: lines may be broken and
indented as they read best.
"""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gaitid.drawing import SHAPE
from gaitid.report.text import UNKNOWN, fixed, mean_sd, number, plain

if TYPE_CHECKING:
    from jinja2 import Environment

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
    made.filters |= {"fixed": fixed, "number": number, "mean_sd": mean_sd, "upper_first": _upper_first}
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


def _upper_first(text: str) -> str:
    return text[:1].upper() + text[1:]
