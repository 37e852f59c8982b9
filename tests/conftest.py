"""Fixtures for all tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from simulated_trials import Simulated, simulated_walk


@pytest.fixture(scope="session")
def simulated() -> Callable[..., Simulated]:
    """`simulated(rate_hz=200.0, …)`: options of `WalkSettings`; each walk is made once a session."""
    return simulated_walk
