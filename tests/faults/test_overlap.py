"""Plates that lie on each other with the corners as the file has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gaitid.body.feet import foot_tracks
from gaitid.faults.find import overlap_faults
from gaitid.ground.ground import find_ground
from gaitid.ground.plate_load import PlateLoad
from gaitid.model.load import load_model

UP = np.array([0.0, 0.0, 1.0])


@pytest.mark.parametrize("turn_deg", [0.0, 30.0])
def test_plates_that_lie_on_each_other_are_named(simulated: Callable[..., object], turn_deg: float) -> None:
    trial = simulated(turn_deg=turn_deg).trial  # type: ignore[attr-defined]
    model = load_model("pig")
    plates = find_ground(trial, model.settings, foot_tracks(trial, model), UP).plates
    a, b = plates
    assert not list(overlap_faults(plates, {1, 2}))
    apart = b.centre_g - a.centre_g
    sides = [axis * np.sign(axis @ apart) for axis in a.R_gp[:, :2].T]
    reach = a.half + np.abs(a.R_gp.T @ b.R_gp)[:2, :2] @ b.half
    gaps = [abs(axis @ apart) - reach[i] for i, axis in enumerate(sides)]
    # side by side along the one axis, 5 cm into each other along the other
    i = int(np.argmax(gaps))
    into = -(gaps[i] + 0.05) * sides[i] - (sides[1 - i] @ apart) * sides[1 - i]
    (fault,) = overlap_faults((a, at(b, b.centre_g + into)), {2})
    assert "plates 1 and 2 overlap by 5 cm" in fault.note.text and fault.plates == (1, 2) and not fault.withheld
    assert not list(overlap_faults((a, at(b, b.centre_g + into)), ()))  # nobody stood on either
    assert not list(overlap_faults((a, at(b, b.centre_g + into + 0.2 * UP)), {2}))  # a step over the floor


def at(plate: PlateLoad, centre_g: np.ndarray) -> PlateLoad:
    return replace(plate, centre_g=centre_g)
