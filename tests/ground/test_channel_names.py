"""Messages about a plate's channels name them as the file does, whatever the plate's own axes are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.ground.plate_load import plate_axes
from gaitid.model.load import load_model
from gaitid.trial import Array, ForcePlate

COLUMNS = ("1_ground_force_vx", "1_ground_force_vy", "1_ground_force_vz")


def as_filed(plate: ForcePlate, y_up: bool, spoil: Callable[[Array], None]) -> ForcePlate:
    """The plate from a file in laboratory axes, z or y up, whose columns are `COLUMNS`, spoilt there."""
    R_gp = plate_axes(plate)[0]
    R_gf = np.eye(3)[:, [0, 1, 2]] if not y_up else np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])
    R_pc = R_gp.T @ R_gf
    force = plate.force_p @ R_pc
    spoil(force)
    return replace(plate, force_p=force @ R_pc.T, channels=COLUMNS, R_pc=R_pc)


def of_plates(y_up: bool, spoil: Callable[[Array], None]) -> list[str]:
    trial = simulated_walk().trial
    wrong = replace(trial, plates=tuple(as_filed(p, y_up, spoil) for p in trial.plates))
    notes = analyse(wrong, load_model("pig"), SubjectFile()).notes
    return [f"{note.text} {note.cure}" for note in notes if note.code in ("plate_channel", "plate_doubtful")]


def exchange(*columns: int) -> Callable[[Array], None]:
    def spoil(force: Array) -> None:
        force[:, list(columns)] = force[:, list(columns)[::-1]]

    return spoil


def turn(column: int) -> Callable[[Array], None]:
    def spoil(force: Array) -> None:
        force[:, column] *= -1

    return spoil


@pytest.mark.parametrize(("y_up", "other"), [(False, 1), (True, 2)])
def test_exchanged_columns_are_named_by_their_own_names(y_up: bool, other: int) -> None:
    texts = of_plates(y_up, exchange(0, other))
    named = {COLUMNS[0], COLUMNS[other]}
    assert texts
    for text in texts:
        assert " are exchanged, it seems" in text and "wrong sign" not in text
        assert all(text.count(column) == 2 for column in named) and "Fx" not in text and "Fy" not in text


@pytest.mark.parametrize(("y_up", "column"), [(False, 0), (False, 1), (True, 0), (True, 2)])
def test_a_turned_sign_is_that_of_the_column(y_up: bool, column: int) -> None:
    texts = of_plates(y_up, turn(column))
    assert texts and all(f": probably {COLUMNS[column]} has the wrong sign" in text for text in texts)


@pytest.mark.parametrize("column", [0, 2])
def test_a_dead_column(column: int) -> None:
    def kill(force: Array) -> None:
        force[:, column] = 0.0

    texts = of_plates(True, kill)
    assert texts and all(f"{COLUMNS[column]} does not change" in text for text in texts)
