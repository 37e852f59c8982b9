"""A plate that stands twice in a file, or is the sum of others: told by the loads, left out, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from plates_in_files import Filed, seen_from, walk_over_plates, write

import gaitid
from gaitid.simulate.walk import Walk

SHARED = Path(__file__).parents[2].parent / "shared" / "trials"
RNG = np.random.default_rng(6)


@pytest.fixture(scope="module")
def made() -> tuple[Walk, list[Filed]]:
    return walk_over_plates()


def turned(plate: Filed, quarters: int) -> Filed:
    """The same plate, its corners named from another one: axes turned by 90° each."""
    sensor_g = plate.R_gp @ plate.sensor_p
    corners = np.roll(plate.corners_g, quarters, axis=0)
    R_gp = replace(plate, corners_g=corners).R_gp
    return seen_from(*plate.in_laboratory(), corners, R_gp.T @ sensor_g)


def summed(plates: list[Filed], sensor_p: np.ndarray) -> Filed:
    """A plate that spans others and feels what they feel together."""
    lowest, highest = (
        f([p.corners_g.min(axis=0) for p in plates] + [p.corners_g.max(axis=0) for p in plates], axis=0)
        for f in (np.min, np.max)
    )
    (x0, y0, z), (x1, y1, _) = lowest, highest
    corners = np.array([[x1, y0, z], [x0, y0, z], [x0, y1, z], [x1, y1, z]])
    loads = [plate.in_laboratory() for plate in plates]
    return seen_from(sum(f for f, _ in loads), sum(m for _, m in loads), corners, sensor_p)  # type: ignore[arg-type]


def noisy(plate: Filed, sd: float) -> Filed:
    noise = RNG.normal(size=plate.channels.shape) * sd * np.array([1, 1, 1, 0.1, 0.1, 0.1])
    return replace(plate, channels=plate.channels + noise)


def biased(plate: Filed) -> Filed:
    return replace(plate, channels=plate.channels + np.array([3, -2, 9, 0.5, -0.7, 0.2]))


def action(plate: Filed) -> Filed:
    return replace(plate, channels=-plate.channels)


def elsewhere_about(plate: Filed) -> Filed:
    """The same plate about the centre of its surface, 40 mm and more from the sensor."""
    return seen_from(*plate.in_laboratory(), plate.corners_g, np.zeros(3))


TWINS: dict[str, Callable[[Filed], Filed]] = {
    "as it is": lambda p: p,
    "turned by 90°": lambda p: turned(p, 1),
    "turned by 180°": lambda p: turned(p, 2),
    "the action": action,
    "about another point": elsewhere_about,
    "not zeroed": biased,
    "with 3 N of noise": lambda p: noisy(p, 3.0),
    "in steps of a 12-bit converter": lambda p: replace(p, channels=np.round(p.channels / 0.5) * 0.5),
}


@pytest.mark.parametrize("name", TWINS)
def test_of_a_plate_that_stands_twice_one_is_used(name: str, made: tuple[Walk, list[Filed]], tmp_path: Path) -> None:
    walk, (first, second) = made
    trial = gaitid.read_trial(write(tmp_path / "walk.c3d", walk, [first, second, TWINS[name](first)]))
    assert ([p.number for p in trial.plates], trial.refused_plates) == ([1, 2], {})
    (note,) = (note for note in trial.notes if note.code == "plate_repeated")
    assert note.plates == (3,)
    assert "repeats the load of plate 1" in note.text


@pytest.mark.parametrize("sensor", [[0.0, 0.0, 0.0], [0.1, -0.2, 0.05]])
def test_the_sum_of_others_is_left_out_wherever_it_stands(
    sensor: list[float], made: tuple[Walk, list[Filed]], tmp_path: Path
) -> None:
    walk, plates = made
    plates = [noisy(plate, 3.0) for plate in plates]
    both = biased(turned(summed(plates, np.array(sensor)), 1))
    trial = gaitid.read_trial(write(tmp_path / "walk.c3d", walk, [both, *plates]))
    assert ([p.number for p in trial.plates], trial.refused_plates) == ([2, 3], {})
    (note,) = (note for note in trial.notes if note.code == "plate_repeated")
    assert note.plates == (1,)
    assert "the sum of the loads of plates 2 and 3" in note.text


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
@pytest.mark.parametrize("case", ["plate_twice", "combined_plate"])
def test_the_shared_cases(case: str) -> None:
    """Right values and tolerances: `cases/*/README.md`."""
    result = gaitid.analyse(SHARED / "cases" / case / "walk.c3d")
    known = result.contacts[result.contacts.plates != ""]
    found = [tuple(row) for row in known[["side", "plates", "first_frame", "last_frame"]].itertuples(index=False)]
    assert [row[:2] for row in found] == [("left", "1"), ("right", "2")]
    for row, frames in zip(found, ((142, 205), (197, 260)), strict=True):
        assert np.abs(np.subtract(row[2:], frames)).max() <= 1
    for side in ("left", "right"):
        peak = result.moments[f"{side}_ankle_plantarflexion_moment_Nm_per_kg"].max()
        assert peak == pytest.approx(1.346, abs=0.02)
    assert result.verdict["trial"] == "good"
