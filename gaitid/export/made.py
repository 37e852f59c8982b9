"""What every format gives: the content of its files by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Made(NamedTuple):
    """The files of a result in one format, and what is worth saying of them."""

    contents: Mapping[str, str | bytes]
    remarks: tuple[str, ...] = ()
