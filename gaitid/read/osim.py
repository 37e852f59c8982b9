"""A scaled OpenSim model as a static: its markers where it stands at its coordinates' defaults, one frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gaitid.model.osim import BODIES, ScaledModel
from gaitid.trial import POSE_ARM_M, Trial, pose_labels


def read_osim(path: Path) -> Trial:
    """The model's markers on pelvis and legs, and the poses of their bodies, in axes of the pelvis (z up).

    Raises
    ------
    ReadError
        As `ScaledModel`.
    """
    model = ScaledModel(path)
    places = [("", "pelvis"), *((side, segment) for side in model.sides for segment in BODIES)]
    labels: list[str] = []
    points = []
    segments = []
    for side, segment in places:
        at = model.standing(side, segment)
        names = {f"osim_{side[:1]}_{segment}" if side else f"osim_{segment}": at}
        if side and segment == "foot" and (toes := model.toes(side)) is not None:
            names[f"osim_{side[:1]}_toes"] = at._replace(p=at.p + at.R @ toes)
        for name, pose in names.items():
            segments.append(name)
            points += [pose.p, *(pose.p + POSE_ARM_M * pose.R.T)]
        labels += pose_labels([*names])
        labels += model.markers[side, segment]
        points += [at.p + at.R @ place for place in model.markers[side, segment].values()]
    return Trial(
        path,
        1.0,
        1,
        tuple(labels),
        np.array(points)[None],
        # as a C3D file stores the mass of its subject
        parameters={"Bodymass": model.mass_kg},
        up_hint=np.array([0.0, 0.0, 1.0]),
        segments=tuple(segments),
        scaled=model,
    )
