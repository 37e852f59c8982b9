"""gaitid: 3D gait analysis from markers and force plates to joint wrenches, with everything needed to trust them.

>>> import gaitid
>>> r = gaitid.analyse("sample_data/walk/walk.c3d")
>>> r.verdict["trial"], round(float(r.angles["left_knee_flexion_deg"].max()), 1)
('good', 59.9)

Importing the package loads nothing but its version: what a name stands for is loaded when it is used (docs/python.md).
"""

from __future__ import annotations

from gaitid.version import __version__

# As a type checker reads it; to import `typing` takes 10 ms.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from gaitid.api import Analysis as Analysis
    from gaitid.api import Plate as Plate
    from gaitid.api import analyse as analyse
    from gaitid.api import load as load
    from gaitid.api import load_model as load_model
    from gaitid.api import read_trial as read_trial
    from gaitid.api import repeatability as repeatability
    from gaitid.api import trial_from_arrays as trial_from_arrays
    from gaitid.errors import GaitidError as GaitidError

# Where each name comes from.
_FROM = {
    **dict.fromkeys(
        ("Analysis", "Plate", "analyse", "load", "load_model", "read_trial", "repeatability", "trial_from_arrays"),
        "gaitid.api",
    ),
    "GaitidError": "gaitid.errors",
}

__all__ = [
    "Analysis",
    "GaitidError",
    "Plate",
    "__version__",
    "analyse",
    "load",
    "load_model",
    "read_trial",
    "repeatability",
    "trial_from_arrays",
]


def __getattr__(name: str) -> object:
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(_FROM[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_FROM})
