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


#: Faults of plates and clocks that the rules of single plates named and the judge (`gaitid.faults`) does not yet, and
#: one body that stumbles, which it takes for a gain: by a part of the test's name. Whoever mends one takes it away.
NOT_YET = (
    "test_channel_names.py::test_exchanged_columns_are_named_by_their_own_names[False-1]",
    "test_channel_names.py::test_exchanged_columns_are_named_by_their_own_names[True-2]",
    "test_channel_names.py::test_a_turned_sign_is_that_of_the_column[False-1]",
    "test_channel_names.py::test_a_turned_sign_is_that_of_the_column[True-2]",
    "test_plate_faults.py::test_simulated_walks_have_none[stumble]",
    "test_contact_clocks.py::test_one_plate_50_ms_late_is_named[sydney/walk03]",
    "test_contact_clocks.py::test_one_contact_tells_a_rate_that_is_twice_too_high",
    "test_named.py::test_a_gain_of_the_horizontal_forces[walk-0.6-plates1]",
    "test_named.py::test_a_gain_of_the_horizontal_forces[HC030A/walk-0.6-plates2]",
    "test_named.py::test_a_gain_of_the_plates_under_one_foot",
    "test_undeclared_plates.py::test_a_foot_that_may_have_stood_on_a_dropped_plate_is_not_beside_the_plates[moved]",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what the judge of plates does not name yet."""
    for item in items:
        if any(name in item.nodeid for name in NOT_YET):
            item.add_marker(pytest.mark.xfail(strict=True, reason="the judge of plates does not name it yet"))
