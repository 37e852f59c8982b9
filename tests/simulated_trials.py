"""The simulated walk as a `Trial` in memory: no file, so no rounding to 32 bits between it and the truth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from gaitid.simulate import Walk, WalkSettings, WalkState, simulate_walk
from gaitid.simulate.body import Subject as SimulatedSubject
from gaitid.trial import ForcePlate, Trial


@dataclass(frozen=True)
class Simulated:
    """A walk, its exact state at the camera's instants, and what a laboratory would have recorded of it."""

    walk: Walk
    truth: WalkState
    trial: Trial
    static: Trial


def parameters_of(subject: SimulatedSubject, *, offsets: bool) -> dict[str, float]:
    """What Nexus would store, mm and rad; with `offsets` also what only a static trial yields."""
    found = {
        "Bodymass": subject.mass_kg,
        "InterAsisDistance": subject.inter_asis_distance_m * 1e3,
        "MarkerDiameter": subject.marker_diameter_m * 1e3,
    }
    for side, leg in subject.legs.items():
        letter = side[0].upper()
        found |= {
            f"{letter}LegLength": leg.leg_length_m * 1e3,
            f"{letter}AsisTrocanterDistance": leg.asis_trocanter_distance_m * 1e3,
            f"{letter}KneeWidth": leg.knee_width_m * 1e3,
            f"{letter}AnkleWidth": leg.ankle_width_m * 1e3,
            f"{letter}ThighRotation": leg.thigh_rotation_rad,
            f"{letter}ShankRotation": leg.shank_rotation_rad,
            f"{letter}TibialTorsion": leg.tibial_torsion_rad,
            f"{letter}AnkleAbAdd": leg.ankle_abduction_rad,
            f"{letter}SoleDelta": 0.0,
        }
        if offsets:
            found |= {
                f"{letter}StaticPlantFlex": leg.static_plantar_flexion_rad,
                f"{letter}StaticRotOff": leg.static_rotation_offset_rad,
            }
    return found


@cache
def simulated_walk(**options: float | bool) -> Simulated:
    settings = WalkSettings(**options)  # type: ignore[arg-type]
    walk = simulate_walk(settings)
    truth = walk.at(settings.times_s)
    channels = walk.plate_channels(settings.analog_times_s)
    plates = tuple(
        ForcePlate(p.number, 2, p.corners_g, p.sensor_p, settings.analog_rate_hz, *channels[p.number])
        for p in walk.plates
    )
    up = np.array([0.0, 0.0, 1.0])
    standing = walk.static_markers(20)
    return Simulated(
        walk,
        truth,
        Trial(
            Path("walk.c3d"),
            settings.rate_hz,
            1,
            tuple(truth.marker_g),
            np.stack(list(truth.marker_g.values()), axis=1),
            plates,
            parameters=parameters_of(walk.subject, offsets=True),
            up_hint=up,
        ),
        Trial(
            Path("static.c3d"),
            settings.rate_hz,
            1,
            tuple(standing),
            np.stack(list(standing.values()), axis=1),
            parameters=parameters_of(walk.subject, offsets=False),
            up_hint=up,
        ),
    )
