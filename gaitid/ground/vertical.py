"""Which way is up: what the model says, plates, posture, the file's screen axes, in this order."""

from __future__ import annotations

import numpy as np

from gaitid.body.feet import foot_tracks
from gaitid.body.frames import Geometry
from gaitid.errors import GaitidError, TrialError
from gaitid.ground.plate_load import plate_axes
from gaitid.markers.clean import model_markers
from gaitid.model import specs
from gaitid.numerics.masks import known_rows
from gaitid.trial import Array, Trial


def vertical(trial: Trial, model: specs.Model | None) -> tuple[Array, str]:
    """Which laboratory axis points up, and how that was found (`laboratory_vertical`).

    Parameters
    ----------
    trial : Trial
    model : Model or None
        Which may say it, or whose markers tell the posture, if any.

    Raises
    ------
    TrialError
        Nothing says, or the plates and the posture contradict each other.
    """
    normals = []
    for plate in trial.plates:
        try:
            normals.append(-plate_axes(plate)[0][:, 2])
        except GaitidError:
            continue  # refused by name where the plate is read
    pelvis = foot = np.full((trial.n_frames, 3), np.nan)
    given = None
    if model is not None and model.vertical:
        given = np.eye(3)["xyz".index(model.vertical[-1])] * (-1.0 if model.vertical[0] == "-" else 1.0)
    if model is not None and model.touches_ground:
        geometry = Geometry(model, model_markers(trial, model), {}, trial.n_frames, np.zeros(3))
        pelvis = geometry.point(model.base.origin)
        feet = np.stack([p for track in foot_tracks(trial, model).values() for p in (track.heel_g, track.toe_g)])
        seen = np.isfinite(feet)
        total = np.where(seen, feet, 0.0).sum(axis=0)
        foot = np.where(seen.any(axis=0), total / np.maximum(seen.sum(axis=0), 1), np.nan)
    return laboratory_vertical(np.array(normals).reshape(-1, 3), pelvis, foot, trial.up_hint, given)


def laboratory_vertical(
    plate_normals: Array, pelvis: Array, feet: Array, hint: Array | None, given: Array | None = None
) -> tuple[Array, str]:
    """Which laboratory axis points up, and how that was found.

    What the model gives first, then plates (their surfaces face up), then posture (the pelvis is above the feet),
    then the file's screen axes: some makers write a screen axis that points down.

    Parameters
    ----------
    plate_normals : (plates, 3) array
        Outward normals of the surfaces.
    pelvis, feet : (frames, 3) arrays, m
    hint, given : (3,) array or None
        Of the file, of the model.

    Raises
    ------
    TrialError
        Nothing says, or the plates and the posture contradict each other.
    """
    with np.errstate(invalid="ignore"):
        above = pelvis - feet
        seen = known_rows(above)
    posture = above[seen].mean(axis=0) if seen.any() else None
    for direction, words in (
        (given, "the model"),
        (plate_normals.sum(axis=0) if len(plate_normals) else None, "plates"),
        (posture, "posture: the pelvis above the feet"),
        (hint, "screen axes of the file"),
    ):
        if direction is None or not np.linalg.norm(direction) > 0:
            continue
        largest = int(np.argmax(np.abs(direction)))
        up = np.eye(3)[largest] * np.sign(direction[largest])
        if posture is not None and posture @ up <= 0:
            raise TrialError(
                f"the pelvis lies below the feet along the vertical found from {words}",
                expected="a standing or walking subject and plates that face up",
                found=f"vertical {'+-'[int(up.sum() < 0)]}{'XYZ'[largest]}",
                todo="check the labels of the markers and the corners of the plates",
            )
        return up, words
    raise TrialError(
        "the vertical cannot be found",
        expected="force plates, or pelvis and foot markers",
        todo="say it in the model, as `vertical: z`",
    )
