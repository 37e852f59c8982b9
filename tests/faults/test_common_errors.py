"""Errors that all plates have in common: the prior times what a trial shows, and how a load is shifted by them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gaitid.faults.laboratory import KINDS, Day, Share, common_errors
from gaitid.faults.spread import Prior
from gaitid.numerics.rotation import about_axis
from gaitid.trial import Array

SD = np.array([0.005, 0.005, 0.01, 0.0045])  # m, m, relative, s
KEYS = ("shift_x", "shift_y", "gain", "delay")
UP = np.array([0.0, 0.0, 1.0])


def ground(turn_deg: float = 0.0) -> Any:
    """Two plates, z down, the second turned on the floor."""
    down = np.diag([1.0, -1.0, -1.0])
    plates = [
        SimpleNamespace(number=1, R_gp=down),
        SimpleNamespace(number=2, R_gp=about_axis("z", np.radians(turn_deg)) @ down),
    ]
    return SimpleNamespace(floor=SimpleNamespace(up_g=UP), plates=plates)


def share(error: Array, sd_of_trial: Array, noise: Array) -> Share:
    """What one plate's trial tells of errors that are there, each with such a standard deviation."""
    information = np.diag(sd_of_trial**-2.0)
    usual = np.array([KINDS[key].prior.mean for key in KEYS])
    return Share({}, tuple((1, key) for key in KEYS), information @ (usual + error + noise), information, 3.0)


def numbers(of: Any) -> Array:
    """Root mean squares along the laboratory's x and y, of gain and delay."""
    return np.array([*np.linalg.norm(of.cop_g, axis=0)[:2], of.gain, of.delay_s])


def test_bands_hold_the_error_and_are_as_wide_as_before_on_the_average() -> None:
    """Of drawn errors: mean squares keep (law of total variance), 95 % and a little more lie within 1.96 of them."""
    random, n = np.random.default_rng(1), 3000
    sd_of_trial = SD * [2.0, 0.5, 1.0, 0.7]
    squares, inside = np.zeros(4), np.zeros(4)
    for _ in range(n):
        error, noise = SD * random.standard_normal(4), sd_of_trial * random.standard_normal(4)
        found = common_errors(share(error, sd_of_trial, noise), None, ground(), SD)
        rms = numbers(found)
        squares += rms**2 / n
        inside += (np.abs(error) < 1.96 * rms) / n
    assert squares == pytest.approx(SD**2, rel=0.1)  # chance alone: 3 %
    assert np.all((inside > 0.95) & (inside < 0.995))


def test_an_error_that_shows_widens_the_band() -> None:
    """20 ms where a trial tells to 3 ms: the band holds it, which the prior's does not."""
    rms = common_errors(share(np.array([0, 0, 0, 0.02]), np.full(4, 0.003), np.zeros(4)), None, ground(), SD).delay_s
    assert 1.96 * SD[3] < 0.02 < 1.96 * rms


def test_a_day_takes_the_place_of_the_prior() -> None:
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
    found = common_errors(None, Day("a day", {}, known), of, SD)
    assert numbers(found)[:2] == pytest.approx([np.hypot(0.02, 0.001), 0.001], rel=1e-6)
    assert (found.gain, found.delay_s) == pytest.approx((SD[2], 0.001), rel=1e-6)
