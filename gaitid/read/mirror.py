"""A laboratory with left-handed axes -> the same with the sign of one axis turned: markers, plates and forces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gaitid.errors import ReadError
from gaitid.trial import Array, ForcePlate, Trial


def mirrored(trial: Trial, axis: str) -> Trial:
    """The trial with the sign of one laboratory axis turned.

    Raises
    ------
    ReadError
        It holds poses of segments, whose axes are right-handed as they are.
    """
    if trial.segments:
        raise ReadError(
            f"--set mirror={axis}: the file holds poses of segments, which no mirror image of right-handed axes can be",
            todo="leave it out",
        )
    signs = np.where(np.arange(3) == "xyz".index(axis), -1.0, 1.0)
    hint = None if trial.up_hint is None else trial.up_hint * signs
    plates = tuple(_plate(plate, signs) for plate in trial.plates)
    return replace(trial, points_g=trial.points_g * signs, plates=plates, up_hint=hint)


def _plate(plate: ForcePlate, signs: Array) -> ForcePlate:
    """A plate measures in axes of its own, which follow from its corners.

    Without corners its forces are laboratory vectors, S the mirror: S f, and r × f becomes S r × S f = −S (r × f).
    Plate axes are S R D, a rotation, where D turns the plate's x; its z stays into the plate.
    """
    if plate.outlined or plate.R_gp is None or plate.centre_g is None:
        made = replace(plate, corners_g=plate.corners_g * signs)
        return made.made_again(plate.__dict__["_again"]) if "_again" in plate.__dict__ else made
    x = np.array([-1.0, 1.0, 1.0])
    return replace(
        plate,
        R_gp=signs[:, None] * plate.R_gp * x,
        centre_g=plate.centre_g * signs,
        sensor_p=plate.sensor_p * x,
        force_p=plate.force_p * x,
        moment_p=-plate.moment_p * x,
        R_pc=x[:, None] * (np.eye(3) if plate.R_pc is None else plate.R_pc),
    )
