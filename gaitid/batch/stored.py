"""Whether a trial stores a calibration, which a static that was found is compared with: a look at its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from gaitid.errors import GaitidError
from gaitid.model import AUTO, specs
from gaitid.model.load import load_model
from gaitid.model.needs import side_needs
from gaitid.read.c3d.trial import read_stored_subject


def stores_calibration(path: Path, model_name: str = AUTO) -> bool:
    """Whether what a trial stores, and its markers, are all that the model needs of a static.

    That is so of the conventional models, which ask for measurements and angles that programs store with each trial.

    Parameters
    ----------
    path : Path
        The trial; only a C3D file stores measurements.
    model_name : str
        `AUTO` stands for the first model that it would try, `pig`.
    """
    if path.suffix.lower() != ".c3d":
        return False
    try:
        model = _model(model_name)
        if not any(isinstance(m.static, specs.StaticAngle) and m.c3d for m in model.subject.values()):
            return False
        labels, stored = read_stored_subject(path)
    except (GaitidError, OSError, ValueError):  # refused by name when it is its turn
        return False
    wanted = _measurements_of(model_name, labels)
    return wanted is not None and all(_is_stored(model, name, stored) for name in wanted)


@lru_cache(maxsize=16)  # the trials of a data set have few sets of labels
def _measurements_of(model_name: str, labels: frozenset[str]) -> frozenset[str] | None:
    """The measurements that a model asks for where a trial has these labels; None where no leg was recorded."""
    model = _model(model_name)
    of_sides = [side_needs(model, side.name, labels)[0] for side in model.sides]
    recorded = [needs.measurements for needs in of_sides if needs.complete]
    return frozenset().union(*recorded) if recorded else None


def _is_stored(model: specs.Model, name: str, stored: Mapping[str, float]) -> bool:
    """Whether a measurement stands in the parameters, or needs no static to be known."""
    side, _, bare = name.rpartition(".")
    measurement = model.subject[bare]
    if measurement.static is None or measurement.optional or measurement.otherwise or measurement.trial:
        return True
    letter = next((s.letter for s in model.sides if s.name == side), "")
    return any(stored.get(key.replace("{S}", letter)) for key in measurement.c3d)  # 0: it was never calibrated


@lru_cache(maxsize=16)
def _model(name: str) -> specs.Model:
    return load_model("pig" if name == AUTO else name)
