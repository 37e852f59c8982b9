"""Corners that do not fit the feet are found, named, and their offset is estimated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gaitid.body.feet import foot_tracks
from gaitid.ground.ground import find_ground
from gaitid.ground.plate_alignment import Alignment, overlap_faults
from gaitid.ground.plate_load import PlateLoad
from gaitid.model.load import load_model
from gaitid.trial import ForcePlate, Trial

UP = np.array([0.0, 0.0, 1.0])


def told(trial: Trial) -> dict[int, Alignment]:
    model = load_model("pig")
    feet = foot_tracks(trial, model)
    return dict(find_ground(trial, model.settings, feet, UP).alignments)


def moved(trial: Trial, change: Callable[[ForcePlate], np.ndarray]) -> Trial:
    return replace(trial, plates=tuple(replace(p, corners_g=change(p)) for p in trial.plates))


def test_corners_that_fit(simulated: Callable[..., object]) -> None:
    found = told(simulated().trial)  # type: ignore[attr-defined]
    assert set(found) == {1, 2}
    for one in found.values():
        assert one.fault == "" and one.contacts == 1
        # m; the simulated foot presses up to 3 cm from where the rule of thumb says
        assert np.linalg.norm(one.offset_g) < 0.04


@pytest.mark.parametrize("shift", [(0.10, 0.0, 0.0), (0.0, -0.09, 0.0), (-0.08, 0.07, 0.0)])
def test_a_shift_is_estimated(simulated: Callable[..., object], shift: tuple[float, float, float]) -> None:
    trial = simulated().trial  # type: ignore[attr-defined]
    before, after = told(trial), told(moved(trial, lambda p: p.corners_g + np.array(shift)))
    for number, one in after.items():
        assert "moved by" in one.fault
        # m; what the plate was moved by, beside what its pressure was off before
        np.testing.assert_allclose(np.subtract(one.offset_g, before[number].offset_g), shift, atol=1e-9)


@pytest.mark.parametrize(("steps", "words"), [(2, "turned by 180°"), (1, "turned by 90°"), (3, "turned by -90°")])
def test_a_turn_is_named(simulated: Callable[..., object], steps: int, words: str) -> None:
    trial = simulated().trial  # type: ignore[attr-defined]
    found = told(moved(trial, lambda p: np.roll(p.corners_g, steps, axis=0)))
    assert any(f"corners seem {words}" in one.fault for one in found.values())
    assert all(one.fault for one in found.values())


def test_exchanged_corners_are_named(simulated: Callable[..., object]) -> None:
    trial = simulated().trial  # type: ignore[attr-defined]
    a, b = trial.plates
    found = told(moved(trial, lambda p: (b if p is a else a).corners_g))
    assert "those of plate 2" in found[1].fault and "those of plate 1" in found[2].fault


def test_turning_the_laboratory_turns_the_offset(simulated: Callable[..., object]) -> None:
    plain = told(simulated().trial)  # type: ignore[attr-defined]
    turned = told(simulated(turn_deg=90.0).trial)  # type: ignore[attr-defined]
    for number, one in plain.items():
        x, y, _ = one.offset_g
        np.testing.assert_allclose(turned[number].offset_g[:2], (-y, x), atol=2e-3)  # m: whole millimetres of corners


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
    assert (
        "plates 1 and 2 lie on each other by 5 cm" in fault.note.text and fault.plates == (1, 2) and not fault.withheld
    )
    assert not list(overlap_faults((a, at(b, b.centre_g + into)), ()))  # nobody stood on either
    assert not list(overlap_faults((a, at(b, b.centre_g + into + 0.2 * UP)), {2}))  # a step over the floor


def at(plate: PlateLoad, centre_g: np.ndarray) -> PlateLoad:
    return replace(plate, centre_g=centre_g)


def without_outline(trial: Trial, shift: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Trial:
    """As of an OpenSim force file, whose points of application are off by `shift`, m."""
    plates = []
    for plate in trial.plates:
        c1, c2, c3, c4 = plate.corners_g
        x, y = c1 + c4 - c2 - c3, c1 + c2 - c3 - c4
        R_gp = np.stack([x / np.linalg.norm(x), y / np.linalg.norm(y), -UP], axis=1)
        centre_g = plate.corners_g.mean(axis=0) + np.array(shift)
        plates.append(replace(plate, corners_g=np.full((4, 3), np.nan), R_gp=R_gp, centre_g=centre_g))
    return replace(trial, plates=tuple(plates))


def test_points_of_application_of_another_origin_are_told(simulated: Callable[..., object]) -> None:
    """One of five contacts passed with them 10 cm off, at 1.1 N·m/kg: without corners nothing was looked at."""
    trial = simulated().trial  # type: ignore[attr-defined]
    for number, one in told(without_outline(trial)).items():
        assert one.fault == ""
        np.testing.assert_allclose(one.offset_g, told(trial)[number].offset_g, atol=1e-9)
    for one in told(without_outline(trial, (0.1, 0.0, 0.0))).values():
        assert one.fault.startswith("its force acts 1") and "; moved by (-1" in one.fault
        assert one.fault.endswith("cm from there: of another origin?")
