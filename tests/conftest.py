"""Fixtures for all tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

# As the command line does: threads of a linear-algebra pool that wait for each other cost more than they save. Before
# numpy is loaded, and for the processes that tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings
from one_process import run_here
from simulated_trials import Simulated, simulated_walk

# The same examples at every run: what fails, fails for whoever changed it and not for a stranger months later, and no
# machine is too slow for it. New examples are looked for on purpose: HYPOTHESIS_PROFILE=search python -m pytest.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture(scope="session")
def simulated() -> Callable[..., Simulated]:
    """`simulated(rate_hz=200.0, …)`: options of `WalkSettings`; each walk is made once a session."""
    return simulated_walk


@pytest.fixture(scope="session", autouse=True)
def one_process() -> Iterator[None]:
    """`gaitid batch -j 1` that a test calls in this process works in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gaitid.batch.local.run_local", run_here)
        yield
