"""Whether a static stores the calibration that a trial stores too: a look at parameters alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from gaitid.disk.regular import file_state
from gaitid.errors import GaitidError
from gaitid.model import specs
from gaitid.read.c3d.trial import read_stored_subject

# rad or deg, as the files store it.
_SAME = 1e-3


def stores_the_same(static: Path, model: specs.Model, ours: Mapping[str, float]) -> bool:
    """Whether a static stores the calibration angles that the trial stores.

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
    letters = [side.letter for side in model.sides]
    angles = [m for m in model.subject.values() if isinstance(m.static, specs.StaticAngle | specs.StaticTurn)]
    names = [name.replace("{S}", letter) for m in angles for name in m.c3d for letter in letters]
    if not any(map(ours.get, names)):
        return False
    try:
        stored = _stored_in(static, file_state(static))
    except (GaitidError, OSError, ValueError):
        return False
    return all(abs(stored.get(name, 0.0) - ours.get(name, 0.0)) < _SAME for name in names)


@lru_cache(maxsize=4)
def _stored_in(path: Path, state: tuple[int, ...] | None) -> Mapping[str, float]:
    """What a static stores that several trials lie beside, read once; `state` tells when it was written anew."""
    return read_stored_subject(path)[1]
