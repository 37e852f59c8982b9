"""How columns of joints are called in files."""

from __future__ import annotations

#: How columns of `Model.lengths` end; `index` is a percentage. All other columns of `SideResult.angles` are in degrees.
LENGTH_UNITS = ("mm", "index")


def angle_column(name: str, column: str) -> str:
    """How a column of `SideResult.angles` is called, without its side."""
    return f"{name}_{column}" if column in LENGTH_UNITS else f"{name}_{column}_deg"
