"""Entries of a record by their keys: its shape is open, and records of before lack some."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def entry_at(record: Mapping[str, Any], *keys: str) -> Any:
    """An entry deeper down; None where it is absent."""
    entry: Any = record
    for key in keys:
        entry = entry.get(key) if isinstance(entry, Mapping) else None
    return entry


def mapping_at(record: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """An entry that is a mapping; empty where there is none."""
    entry = entry_at(record, *keys)
    return entry if isinstance(entry, Mapping) else {}


def mappings_at(record: Mapping[str, Any], *keys: str) -> list[Mapping[str, Any]]:
    """The mappings of an entry that is a list; none where there is none."""
    entry = entry_at(record, *keys)
    return [of for of in entry if isinstance(of, Mapping)] if isinstance(entry, list) else []


def number_at(record: Mapping[str, Any], *keys: str) -> float | None:
    """An entry that is a number; None where there is none."""
    entry = entry_at(record, *keys)
    return float(entry) if isinstance(entry, int | float) and not isinstance(entry, bool) else None
