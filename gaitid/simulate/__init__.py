"""A scenario -> a synthetic trial whose joint wrenches are known exactly, and its truth in the same columns.

Nothing here uses the analysis that the trials are there to test: geometry, derivatives, mechanics and
clinical terms are written a second time, by other means (forward from the skeleton, exact derivatives, the
momentum principle). Shared are the errors, the reading of YAML and, for mechanical systems, the joint-space equations
that are integrated: the analysis has none of them, and the truth is not computed by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gaitid.simulate.files import simulate, write_walk
    from gaitid.simulate.scenarios import SCENARIOS
    from gaitid.simulate.settings import WalkSettings
    from gaitid.simulate.walk import Walk, WalkState
    from gaitid.simulate.walk_setup import simulate_walk

__all__ = ["SCENARIOS", "Walk", "WalkSettings", "WalkState", "simulate", "simulate_walk", "write_walk"]


def __getattr__(name: str) -> Any:
    """What the room offers, loaded when it is first asked for: the help of a command needs only the names."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import gaitid.simulate.files as files
    import gaitid.simulate.scenarios as scenarios
    import gaitid.simulate.walk as walk
    import gaitid.simulate.walk_setup as walk_setup

    modules = (files, scenarios, walk, walk_setup)
    return next(getattr(module, name) for module in modules if hasattr(module, name))
