"""Errors of plates and clocks that nobody noticed: what is usual, times what a trial shows of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gaitid.faults.laboratory import KINDS, Day, Share
from gaitid.faults.plate_errors import SHARES, SPREADS, PlateErrors, Sizes, plate_errors
from gaitid.faults.spread import Prior
from gaitid.numerics.rotation import about_axis
from gaitid.trial import Array

SIZES = Sizes(gain=0.01, cop_m=0.005, crosstalk=0.005, turn_rad=0.01, delay_s=0.0045)
SD = np.array([0.005, 0.005, 0.01, 0.0045])  # m, m, relative, s: of KEYS
KEYS = ("shift_x", "shift_y", "gain", "delay")
UP = np.array([0.0, 0.0, 1.0])


def ground(turn_deg: float = 0.0, plates: int = 2) -> Any:
    """Plates, z down, the second turned on the floor."""
    down = np.diag([1.0, -1.0, -1.0])
    turned = about_axis("z", np.radians(turn_deg)) @ down
    every = [SimpleNamespace(number=n + 1, R_gp=turned if n == 1 else down) for n in range(plates)]
    return SimpleNamespace(floor=SimpleNamespace(up_g=UP), plates=every)


def share(error: Array, sd_of_trial: Array, noise: Array) -> Share:
    """What one plate's trial tells of errors that are there, each with such a standard deviation."""
    information = np.diag(sd_of_trial**-2.0)
    usual = np.array([KINDS[key].prior.mean for key in KEYS])
    return Share({}, tuple((1, key) for key in KEYS), information @ (usual + error + noise), information, 3.0)


def numbers(of: PlateErrors, plate: int = 1) -> Array:
    """Root mean squares along the laboratory's x and y, of gain and delay."""
    cop_g = of.plates[plate].cop_g
    return np.array([*np.linalg.norm(cop_g, axis=0)[:2], of.plates[plate].gain, of.delay_s])


def drawn(random: np.random.Generator) -> Array:
    """Of plates, frames and clocks of two kinds each: what one of them is off by, as `KEYS` has it."""

    def kind() -> float:
        return float(random.choice(SPREADS, p=SHARES))

    plate, frame, clock = kind(), kind(), kind()
    shift = 0.005 / np.sqrt(2) * (plate * random.standard_normal(2) + frame * random.standard_normal(2))
    return np.array([*shift, 0.01 * plate * random.standard_normal(), 0.0045 * clock * random.standard_normal()])


def test_bands_hold_the_error_and_are_as_wide_as_stated_on_the_average() -> None:
    """Of drawn errors: mean squares keep (law of total variance), 95 % and more lie within 1.96 of them."""
    random, n = np.random.default_rng(1), 2000
    sd_of_trial = SD * [2.0, 0.5, 1.0, 0.7]
    squares, inside = np.zeros(4), np.zeros(4)
    for _ in range(n):
        error, noise = drawn(random), sd_of_trial * random.standard_normal(4)
        rms = numbers(plate_errors(share(error, sd_of_trial, noise), None, ground(plates=1), SIZES))
        squares += rms**2 / n
        inside += (np.abs(error) < 1.96 * rms) / n
    assert squares == pytest.approx(SD**2, rel=0.15)  # chance alone: 5 %, with such tails
    assert np.all((inside > 0.94) & (inside < 0.995))


def test_without_evidence_it_is_what_is_stated() -> None:
    found = plate_errors(None, None, ground(), SIZES)
    for number in (1, 2):
        assert numbers(found, number) == pytest.approx(SD)
        assert np.linalg.norm(found.plates[number].crosstalk_g, axis=1) == pytest.approx([SIZES.crosstalk] * 2)
    assert found.turn_rad == pytest.approx(SIZES.turn_rad)


def test_an_error_that_shows_widens_the_band() -> None:
    """20 ms where a trial tells to 3 ms, 3 cm where it tells to 6 mm: the band holds them, which the usual does not."""
    late = plate_errors(share(np.array([0, 0, 0, 0.02]), np.full(4, 0.003), np.zeros(4)), None, ground(), SIZES)
    assert 1.96 * SD[3] < 0.02 < 1.96 * late.delay_s
    moved = share(np.array([0.03, 0, 0, 0]), np.array([0.006, 0.006, 0.1, 0.1]), np.zeros(4))
    of_first, of_second = (numbers(plate_errors(moved, None, ground(), SIZES), k) for k in (1, 2))
    assert 1.96 * SD[0] < 0.03 < 1.96 * of_first[0]
    # the calibration frame may lie askew as well as that plate alone
    assert SD[0] < of_second[0] < of_first[0]


def test_a_size_of_zero_stays_so() -> None:
    shown = share(np.array([0.03, 0, 0, 0.02]), np.full(4, 0.003), np.zeros(4))
    found = plate_errors(shown, None, ground(), Sizes(0.0, 0.0, 0.0, 0.0, 0.0))
    assert numbers(found) == pytest.approx(np.zeros(4), abs=0.0)
    assert found.turn_rad == 0.0


def test_turning_the_laboratory_turns_the_errors() -> None:
    """A plate off along its own x is off along the laboratory's y once it is turned by 90°."""
    shown = Share({}, ((2, "shift_x"), (2, "shift_y")), np.array([0.03, 0.0]) / 0.005**2, np.eye(2) / 0.005**2, 3.0)
    straight, turned = (numbers(plate_errors(shown, None, ground(deg), SIZES), 2) for deg in (0.0, 90.0))
    assert straight[:2] == pytest.approx(turned[1::-1], rel=1e-9)
    assert straight[0] > 3 * straight[1]


def test_a_day_takes_the_place_of_what_is_usual() -> None:
    """Both plates read 2 cm along the laboratory's x, the second, turned by 90°, along its own y."""
    known = {
        (1, "shift_x"): Prior(0.001, 0.02),
        (1, "shift_y"): Prior(0.001),
        (2, "shift_x"): Prior(0.001),
        (2, "shift_y"): Prior(0.001, -0.02),
        (1, "delay"): Prior(0.001, KINDS["delay"].prior.mean),
        (2, "delay"): Prior(0.001, KINDS["delay"].prior.mean),
    }
    of = ground(-90.0)
    assert of.plates[1].R_gp @ [0.0, -1.0, 0.0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
    found = plate_errors(None, Day("a day", {}, known), of, SIZES)
    for plate in (1, 2):
        assert numbers(found, plate)[:2] == pytest.approx([np.hypot(0.02, 0.001), 0.001], rel=1e-6)
    assert (found.plates[1].gain, found.delay_s) == pytest.approx((SD[2], 0.001), rel=1e-6)
