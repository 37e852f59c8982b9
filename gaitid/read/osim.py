"""A scaled OpenSim model as a static: its markers where it stands at its coordinates' defaults, one frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gaitid.model.osim import ScaledModel
from gaitid.trial import POSE_ARM_M, Trial, pose_labels


def read_osim(path: Path) -> Trial:
    """The model's markers on pelvis and legs, and the poses of their bodies, in axes of the pelvis (z up).

    Raises
    ------
    ReadError
        As `ScaledModel`.
    """
    model = ScaledModel(path)
    poses = {"_".join(filter(None, ("osim", side[:1], segment))): at for (side, segment), at in model.poses()}
    points = {
        label: point
        for name, at in poses.items()
        for label, point in zip(pose_labels([name]), (at.p, *(at.p + POSE_ARM_M * at.R.T)), strict=True)
    }
    for place, at in model.poses():
        points |= {label: at.p + at.R @ lies for label, lies in model.markers.get(place, {}).items()}
    return Trial(
        path,
        1.0,
        1,
        tuple(points),
        np.array([*points.values()])[None],
        parameters={"Bodymass": model.mass_kg},  # as a C3D file stores the mass of its subject
        up_hint=np.array([0.0, 0.0, 1.0]),
        segments=tuple(poses),
        scaled=model,
    )
