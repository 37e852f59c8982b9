"""Long lists of examples: a few run by default, the others with the mark `slow`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def slow_but(few: Collection[Any], values: Iterable[Any]) -> list[Any]:
    """Parameters of a test: `values`, of which those not among `few` are marked `slow`."""
    listed = list(values)
    assert set(few) <= set(listed), f"{set(few) - set(listed)} is none of the values"
    return [value if value in few else pytest.param(value, marks=pytest.mark.slow) for value in listed]
