"""When weight goes from foot to foot on one plate: by a pressure that is made, and by recorded plates made one."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from attack_trials import RECORDED, SHARED, recorded_case
from merged_plates import row

from gaitid.ground.claims import told_by_pressure
from gaitid.trial import Array, Mask

RATE, N = 100.0, 100
DOUBT = (35, 60)  # by markers both may stand from the first to before the second
LONG = (3, 97)
STILL = np.zeros(3)


def touching(doubt: tuple[int, int] = DOUBT) -> dict[str, Mask]:
    """The left foot is on the plate first, the right one last."""
    first, stop = doubt
    return {"left": np.arange(N) < stop, "right": np.arange(N) >= first}


def pressure(share: Array, way_m: float = 0.6) -> Array:
    """(frames, 3) m, of feet `way_m` apart, the second of which carries `share`; under each it rolls at 0.3 m/s."""
    along = share * way_m + 0.3 * np.arange(N) / RATE
    return np.column_stack([along, way_m / 6 * share, np.zeros(N)])


def goes_over(first: int, last: int) -> Array:
    """(frames,) none until `first`, all from `last` on."""
    return np.clip((np.arange(N) - first) / (last - first), 0.0, 1.0)


@pytest.mark.parametrize("floor_m_per_s", [0.0, -1.3])
def test_both_stand_only_while_the_pressure_runs(floor_m_per_s: float) -> None:
    floor = np.array([floor_m_per_s, 0.0, 0.0])
    carried = pressure(goes_over(42, 52)) + np.arange(N)[:, None] / RATE * floor
    found, told = told_by_pressure(touching(), carried, floor, RATE)
    # central differences see it begin and end within one frame
    assert np.flatnonzero(found["right"])[0] in (42, 43) and np.flatnonzero(found["left"])[-1] in (51, 52)
    assert (found["left"] | found["right"]).all()
    np.testing.assert_array_equal(told, found["left"] & found["right"])


@pytest.mark.parametrize(
    ("carried", "doubt"),
    [
        (pressure(goes_over(4, 96)), LONG),  # slow all the way
        (pressure(0.5 * goes_over(4, 96) + 0.5 * goes_over(40, 50)), LONG),  # half of it slow
        (pressure(goes_over(42, 52), way_m=-0.02), DOUBT),  # feet side by side
        (np.full((N, 3), np.nan), DOUBT),
    ],
)
def test_what_the_pressure_does_not_tell_stays_in_doubt(carried: Array, doubt: tuple[int, int]) -> None:
    found, told = told_by_pressure(touching(doubt), carried, STILL, RATE)
    assert not told.any()
    for side, mask in touching(doubt).items():
        np.testing.assert_array_equal(found[side], mask)


@pytest.mark.parametrize("name", ["HC030A/walk", "sydney/walk03", "qualisys/walk"])
def test_recorded_plates_made_one_know_each_foot_alone(name: str) -> None:
    """What its own plate told of a foot is known of it on one great plate: 97 % of its frames, to 10 N."""
    found = [one for one in RECORDED if one.name == name]
    if not found or not (SHARED / found[0].file).is_file():
        pytest.skip("the shared trials are not beside this checkout")
    line = row(recorded_case(found[0]))
    assert line is not None
    _, _, _, _, known, worst, wrong, _ = (cell.strip() for cell in line.split("|"))
    assert float(known.rstrip("%")) >= 97.0
    assert float(worst.split()[0]) <= 10.0 and wrong == "0"
