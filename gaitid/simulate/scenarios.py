"""The scenarios: a plain walk, and the awkward trials that every laboratory has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gaitid.simulate.names import ABOUT
from gaitid.simulate.pattern import NORMAL_WALK
from gaitid.simulate.running import NORMAL_RUN, RUN_LOAD
from gaitid.simulate.scenario import PlatePlace, Scenario, Visit
from gaitid.simulate.series import Pattern, Planted, Series, Sum
from gaitid.simulate.timing import Clock

#: Two plates on whole millimetres, turned by 90° against each other. The first, short along the walkway, reaches from
#: 70 mm behind the heel marker; the second, long, from 50 mm behind it, so that the next step of the first foot comes
#: down off its front edge.
TWO_PLATES = (PlatePlace(0, 0.130, 0.600, 0.400, 90.0), PlatePlace(1, 0.250, 0.600, 0.400, 180.0))


def _adducted(pattern: Pattern, angle_rad: float, lowered_m: float) -> Pattern:
    """Planted feet nearer to, or beyond, the middle line; a swinging leg passes the other at its usual distance."""
    extra = Planted(angle_rad, pattern.stance_fraction)
    up = pattern.pelvis["up"]
    return replace(
        pattern,
        leg={**pattern.leg, "hip_adduction": Sum(_series(pattern.leg["hip_adduction"]), extra)},
        pelvis={**pattern.pelvis, "up": replace(up, mean=up.mean - lowered_m)},
    )


def _series(course: Series | Sum) -> Series:
    assert isinstance(course, Series)
    return course


_ALL = (
    Scenario("walk", ABOUT["walk"], TWO_PLATES),
    Scenario("crossing", ABOUT["crossing"], TWO_PLATES, pattern=_adducted(NORMAL_WALK, 0.150, 0.010)),
    Scenario(
        "shared_plate",
        ABOUT["shared_plate"],
        (PlatePlace(0, 0.450, 1.200, 0.600, 180.0, aside_m=0.0), PlatePlace(2, 0.130, 0.600, 0.400, 90.0)),
        steps=3,
    ),
    Scenario(
        "across_plates",
        ABOUT["across_plates"],
        (
            PlatePlace(0, -0.140, 0.500, 0.400, 180.0),
            PlatePlace(0, 0.360, 0.500, 0.400, 180.0),
            PlatePlace(1, 0.250, 0.600, 0.400, 180.0),
        ),
    ),
    Scenario(
        "over_edge",
        ABOUT["over_edge"],
        (
            PlatePlace(0, 0.310, 0.500, 0.400, 180.0),
            PlatePlace(1, 0.130, 0.400, 0.400, 180.0, aside_m=0.130),
            PlatePlace(2, 0.130, 0.600, 0.400, 90.0),
        ),
        steps=3,
    ),
    Scenario("stop", ABOUT["stop"], TWO_PLATES, clock=Clock(1.0, ((0.32, 0.92, -1.0), (1.92, 2.52, 1.0)))),
    Scenario(
        "stumble",
        ABOUT["stumble"],
        TWO_PLATES,
        clock=Clock(1.0, ((0.20, 0.50, -0.50), (0.52, 0.92, 0.65), (0.95, 1.35, -0.15))),
    ),
    Scenario("backward", ABOUT["backward"], TWO_PLATES, clock=Clock(-1.0)),
    Scenario(
        "turn",
        ABOUT["turn"],
        (PlatePlace(0, 0.130, 0.600, 0.400, 90.0), PlatePlace(1, 0.150, 0.600, 0.400, 90.0)),
        pivots_deg=((0, 35.0), (1, 40.0)),
    ),
    Scenario("treadmill", ABOUT["treadmill"], (PlatePlace(None, -0.050, 1.800, 0.600, 180.0, aside_m=0.0),), belt=True),
    Scenario(
        "split_belt",
        ABOUT["split_belt"],
        (
            PlatePlace(None, -0.050, 1.800, 0.400, 180.0, aside_m=0.200),
            PlatePlace(None, -0.050, 1.800, 0.400, 180.0, aside_m=-0.200),
        ),
        pattern=_adducted(NORMAL_WALK, -0.020, 0.0),
        belt=True,
    ),
    Scenario("ramp", ABOUT["ramp"], TWO_PLATES, slope_deg=6.0),
    Scenario(
        "run",
        ABOUT["run"],
        (PlatePlace(0, 0.150, 0.900, 0.600, 180.0), PlatePlace(1, 0.150, 0.900, 0.600, 90.0)),
        pattern=NORMAL_RUN,
        load=RUN_LOAD,
    ),
    Scenario("swapped_plates", ABOUT["swapped_plates"], TWO_PLATES, swapped=True),
    Scenario(
        "second_person",
        ABOUT["second_person"],
        (*TWO_PLATES, PlatePlace(0, 0.500, 0.600, 0.400, 180.0, aside_m=0.700)),
        visits=(Visit(2, -0.60), Visit(3, 0.15)),
    ),
)
#: Every scenario by its name.
SCENARIOS: Mapping[str, Scenario] = {scenario.name: scenario for scenario in _ALL}
