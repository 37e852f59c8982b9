"""Values as people read them: text that is safe to draw or to put into a page, numbers, unknowns."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence

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


def title(key: object) -> str:
    """A key as a heading: underscores become spaces."""
    return plain(key).replace("_", " ")


def value_html(value: object, depth: int = 0) -> str:
    """Whatever JSON can hold, as HTML: mappings and lists of mappings become small tables.

    The record's shape is open (a model may record anything), so nothing here depends on its keys.
    """
    if value is None or value == "":
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value).replace("-", "−")
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Mapping | list) and depth >= _MAX_DEPTH:
        return "…"
    if isinstance(value, Mapping):
        return mapping_table(value, depth + 1) if value else UNKNOWN
    if isinstance(value, list):
        return _list_html(value, depth)
    text = escape(value)
    # A hash is to break anywhere; a word is not.
    return f"<code>{text}</code>" if len(text) >= _LONG_WORD and " " not in text else text


def _list_html(values: Sequence[object], depth: int) -> str:
    if not values:
        return UNKNOWN
    if all(isinstance(v, Mapping) for v in values):
        return records_table([v for v in values if isinstance(v, Mapping)], depth + 1)
    cells = [value_html(v, depth + 1) for v in values]
    if any(isinstance(v, list) for v in values):  # a matrix: one line a row
        return "<br>".join(cells)
    return ", ".join(cells)


def mapping_table(mapping: Mapping[str, object], depth: int = 0) -> str:
    """Two columns: key and value. Mappings that hold mappings of one shape become one table, a row each."""
    inner = list(mapping.values())
    if len(inner) > 1 and all(isinstance(v, Mapping) and v for v in inner):
        rows = [v for v in inner if isinstance(v, Mapping)]
        if all(set(row) == set(rows[0]) for row in rows):
            return records_table(rows, depth, heads=[title(k) for k in mapping])
    body = "".join(
        f'<tr><th scope="row">{escape(title(key))}</th><td>{value_html(value, depth)}</td></tr>'
        for key, value in mapping.items()
    )
    return f'<table class="pairs"><tbody>{body}</tbody></table>'


def records_table(rows: Sequence[Mapping[str, object]], depth: int = 0, heads: Sequence[str] | None = None) -> str:
    """One row a record, with a column for every key that any of them has; `heads` name the rows."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    top = ("<td></td>" if heads else "") + "".join(f'<th scope="col">{escape(title(k))}</th>' for k in keys)
    body = []
    for i, row in enumerate(rows):
        head = f'<th scope="row">{escape(heads[i])}</th>' if heads else ""
        cells = "".join(f"<td>{value_html(row.get(key), depth)}</td>" for key in keys)
        body.append(f"<tr>{head}{cells}</tr>")
    return f"<table><thead><tr>{top}</tr></thead><tbody>{''.join(body)}</tbody></table>"
