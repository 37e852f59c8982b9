"""How far the angles by two calibrations of one trial lie from those that another program stored in its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from gaitid.analysis.pipeline import Pipeline
from gaitid.analysis.result import SideResult
from gaitid.analysis.stored_outputs import stored_angles
from gaitid.errors import GaitidError
from gaitid.model.settings import ReaderSettings
from gaitid.records import NamedTuple
from gaitid.trial import Array, Trial

Columns = Mapping[str, Mapping[str, Array]]
#: By side; and what computes other trials with the same calibration.
Sides = Mapping[str, SideResult]
Way = tuple[Sides, Pipeline]


class Off(NamedTuple):
    """How far the angles of both calibrations lie from those that another program stored in a file, degrees RMS."""

    stored_deg: float
    static_deg: float
    file: str

    @property
    def words(self) -> str:
        """For a person."""
        off = (
            f"the calibration stored in the trial is {self.stored_deg:.1f}° RMS off, the static {self.static_deg:.1f}°"
        )
        return f"from the angles that {self.file} stores, {off}"


def off_outputs(trial: Trial, stored: Way, by_static: Way, settings: ReaderSettings | None) -> Off | None:
    """How far both calibrations are from the angles that the trial's file stores, else from those of the static's.

    None where neither stores any.
    """
    (first, of_stored), (second, of_static) = stored, by_static
    if off := _rms(stored_angles(trial.path, settings), first, second):
        return Off(*off, trial.path.name)
    static = of_static.static
    if static is None or not (angles := stored_angles(static.path, settings)):
        return None
    try:
        stored_in_static = replace(static, parameters=trial.parameters)
        standing = of_stored.of_trial(stored_in_static), of_static.of_trial(static)
    except GaitidError:
        return None
    off = _rms(angles, *(result.sides for result in standing))
    return Off(*off, static.path.name) if off else None


def _rms(stored_deg: Mapping[str, Array], first: Sides, second: Sides) -> tuple[float, float] | None:
    """The distances of two sets of angles from stored ones, degrees RMS, over all of joints that differ between both.

    Those of pelvis and foot to the ground hang on which way a program says that a walk goes, too.
    """
    squares: list[Array] = []
    for side in (name for name in first if name in second):
        for joint, name, mine, theirs in shared(first[side].angles, second[side].angles):
            seen = stored_deg.get(f"{side}_{joint}_{name}_deg")
            if joint not in first[side].moments or seen is None or len(seen) != len(mine):
                continue
            if np.array_equal(mine, theirs, equal_nan=True):
                continue
            off = np.stack([turned(values - seen) for values in (mine, theirs)])
            squares.append(off[:, np.isfinite(off).all(axis=0)] ** 2)
    joined = np.concatenate(squares, axis=1) if squares else np.empty((2, 0))
    if not joined.size:
        return None
    of_stored, of_static = np.sqrt(joined.mean(axis=1))
    return float(of_stored), float(of_static)


def shared(first: Columns, second: Columns) -> Iterator[tuple[str, str, Array, Array]]:
    """The columns that both have: joint, name and the values of each."""
    for joint, columns in first.items():
        for name, values in columns.items():
            if name in (others := second.get(joint, {})):
                yield joint, name, values, others[name]


def turned(angles_deg: Array) -> Array:
    """Differences of angles as the nearer way round."""
    return angles_deg - 360.0 * np.round(angles_deg / 360.0)
