"""What `inspect` shows of each plate of a file, whether it is used or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from gaitid.ground.ground import Ground
from gaitid.ground.plate_alignment import Alignment
from gaitid.ground.plate_load import PlateLoad
from gaitid.read.plates.repeated import repeated_plates
from gaitid.trial import ForcePlate, Trial


def plate_rows(trial: Trial, ground: Ground) -> list[dict[str, Any]]:
    """Every plate of the file, by its number, whether it is used or not."""
    loads = {load.number: load for load in ground.plates}
    recorded = {plate.number: plate for plate in trial.plates}
    refused = {**trial.refused_plates, **repeated_plates(trial.notes), **ground.refused}
    return [
        {
            "plate": number,
            "used": number in loads,
            "reason": refused.get(number, ""),
            **_plate(recorded.get(number), loads.get(number), ground.alignments.get(number)),
        }
        for number in sorted({*recorded, *refused})
    ]


def _plate(plate: ForcePlate | None, load: PlateLoad | None, alignment: Alignment | None) -> dict[str, Any]:
    """What is known of one plate; None for what is not."""
    corners = plate.corners_g.tolist() if plate is not None and plate.outlined else None
    peak = None if load is None else load.recorded_peak_N
    empty = load if load is not None and np.isfinite(load.bias_g).all() else None
    bias = None if empty is None else empty.bias_g.tolist()
    return {
        "type": None if plate is None else plate.kind,
        "outlined": None if plate is None else plate.outlined,
        "rate_hz": None if plate is None else plate.rate_hz,
        "corners": corners,
        "corners_m": corners,
        "size_m": (2 * load.half).tolist() if load is not None and load.outlined else None,
        "sensor_below_surface_m": None if plate is None else float(plate.sensor_p[2]),
        "peak_vertical_force": peak,
        "peak_vertical_N": peak,
        "bias": bias,
        "bias_N": bias,
        "bias_moment_Nm": None if empty is None else empty.bias_moment_g.tolist(),
        "drift_N_per_s": None if empty is None else empty.drift_g.tolist(),
        "bias_removed": None if plate is None else load is not None and load.removed,
        "noise_N": None if empty is None else empty.noise_N,
        "alignment": None if alignment is None else _alignment(alignment),
    }


def _alignment(alignment: Alignment) -> dict[str, Any]:
    """What the pressure says of a plate's corners."""
    return {
        "contacts": alignment.contacts,
        "pressure_off_m": list(alignment.offset_g),
        "swing_m": alignment.swing_m,
        "corners_fit": not alignment.fault,
        "fault": alignment.fault,
    }
