"""Values as people read them: text that is safe to draw or to put into a page, numbers, unknowns."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.errors import in_print

UNKNOWN = "–"
"""What stands where a value is unknown."""

_MAX_DEPTH = 8
_LONG_WORD = 32


def plain(value: object) -> str:
    """One line of printable text that UTF-8 can hold, of any value.

    File names and labels come from outside: they may hold control characters, line breaks and lone
    surrogates, which neither a font nor an encoder takes; they are written as escapes.
    """
    return in_print(str(value))


def escape(value: object) -> str:
    """`plain` text, safe in HTML text and in quoted attributes."""
    return html.escape(plain(value), quote=True)


def each(markup: str, texts: Iterable[object]) -> str:
    """HTML with ``{}`` where each of the texts stands, escaped, one after the other."""
    return "".join(markup.format(escape(text)) for text in texts)


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


def facts_html(pairs: Mapping[str, str]) -> str:
    """Terms and what they are, for the head of an article; without those that are empty."""
    facts = (f"<div><dt>{escape(term)}</dt><dd>{escape(text)}</dd></div>" for term, text in pairs.items() if text)
    return f'<dl class="facts">{"".join(facts)}</dl>'


def title(key: object) -> str:
    """A key as a heading: underscores become spaces."""
    return plain(key).replace("_", " ")


def value_html(value: object, depth: int = 0) -> str:
    """Whatever JSON can hold, as HTML: mappings and lists of mappings become small tables.

    The record's shape is open (a model may record anything), so nothing here depends on its keys.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value).replace("-", "−")
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Mapping | list) and depth >= _MAX_DEPTH:
        return "…"
    if not value:
        return UNKNOWN
    if isinstance(value, Mapping):
        return _mapping_table(value, depth + 1)
    if isinstance(value, list):
        if all(isinstance(v, Mapping) for v in value):
            return records_table(value, depth + 1)
        # a matrix: one line a row
        between = "<br>" if any(isinstance(v, list) for v in value) else ", "
        return between.join(value_html(v, depth + 1) for v in value)
    text = escape(value)
    # A hash is to break anywhere; a word is not.
    return f"<code>{text}</code>" if len(text) >= _LONG_WORD and " " not in text else text


def _mapping_table(mapping: Mapping[str, Any], depth: int) -> str:
    """Two columns: key and value. Mappings that hold mappings of one shape become one table, a row each."""
    inner = list(mapping.values())
    if len(inner) > 1 and all(isinstance(v, Mapping) and v and v.keys() == inner[0].keys() for v in inner):
        return records_table(inner, depth, heads=[title(key) for key in mapping])
    return pairs_table((title(key), value_html(value, depth)) for key, value in mapping.items())


def pairs_table(pairs: Iterable[tuple[str, str]]) -> str:
    """Two columns: words, and HTML."""
    rows = (f'<tr><th scope="row">{escape(words)}</th><td>{content}</td></tr>' for words, content in pairs)
    return f'<table class="pairs"><tbody>{"".join(rows)}</tbody></table>'


def records_table(rows: Sequence[Mapping[str, object]], depth: int = 0, heads: Sequence[str] = ()) -> str:
    """One row a record, with a column for every key that any of them has; `heads` name the rows."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    top = ("<td></td>" if heads else "") + each('<th scope="col">{}</th>', map(title, keys))
    body = ""
    for i, row in enumerate(rows):
        head = f'<th scope="row">{escape(heads[i])}</th>' if heads else ""
        cells = "".join(f"<td>{value_html(row.get(key), depth)}</td>" for key in keys)
        body += f"<tr>{head}{cells}</tr>"
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
