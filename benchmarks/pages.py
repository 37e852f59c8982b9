"""Tables that benchmarks write into pages of the documentation, between two comments that name them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def write_between(page: Path, name: str, lines: Sequence[str]) -> None:
    """Put lines between ``<!-- name -->`` and ``<!-- /name -->`` of a page, in place of what stands there.

    Raises
    ------
    ValueError
        The page has not both comments.
    """
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    text = page.read_text(encoding="utf-8")
    before, found, rest = text.partition(begin)
    _, ends, after = rest.partition(end)
    if not (found and ends):
        raise ValueError(f"{page}: expected {begin} and {end}")
    page.write_text(f"{before}{begin}\n" + "\n".join(lines) + f"\n{end}{after}", encoding="utf-8")
