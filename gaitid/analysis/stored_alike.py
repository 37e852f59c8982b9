"""Whether a static stores the calibration that a trial stores too: a look at parameters alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from gaitid.disk.regular import file_state
from gaitid.errors import GaitidError
from gaitid.model import specs
from gaitid.read.c3d.trial import read_stored_subject

# rad or deg, and mm, as the files store it.
_SAME, _SAME_MM = 1e-3, 1.0


def stores_the_same(static: Path, model: specs.Model, ours: Mapping[str, float]) -> bool:
    """Whether a static stores the calibration angles, and no other lengths, that the trial stores.

    What a program computed from a static and wrote into both needs no comparison.

    Parameters
    ----------
    static : Path
        Only a C3D file stores measurements.
    model : Model
    ours : mapping of str to float
        What the trial stores, in its own units.
    """
    if static.suffix.lower() != ".c3d":
        return False
    measurements = model.subject.values()
    angles = _names(model, [m for m in measurements if isinstance(m.static, specs.StaticAngle | specs.StaticTurn)])
    lengths = _names(model, [m for m in measurements if m.c3d_unit == "mm"])
    if not any(map(ours.get, angles)):
        return False
    try:
        stored = _stored_in(static, file_state(static))
    except (GaitidError, OSError, ValueError):
        return False
    if not all(abs(stored.get(name, 0.0) - ours.get(name, 0.0)) < _SAME for name in angles):
        return False
    # a length that it does not store it leaves as it is
    return all(abs(stored[name] - ours.get(name, 0.0)) < _SAME_MM for name in lengths if stored.get(name))


def _names(model: specs.Model, measurements: Sequence[specs.Measurement]) -> list[str]:
    """The names of measurements of all sides in C3D files."""
    return [name.replace("{S}", side.letter) for m in measurements for name in m.c3d for side in model.sides]


@lru_cache(maxsize=4)
def _stored_in(path: Path, state: tuple[int, ...] | None) -> Mapping[str, float]:
    """What a static stores that several trials lie beside, read once; `state` tells when it was written anew."""
    return read_stored_subject(path)[1]
