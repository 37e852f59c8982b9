"""What a trial says of its laboratory and of the feet in it, before anything of the subject is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gaitid.errors import GaitidError, TrialError
from gaitid.frames import Geometry, laboratory_vertical
from gaitid.model import specs
from gaitid.plates import PlateLoad, known_empty, plate_axes, plate_load, with_empty_reading
from gaitid.stance import FootTrack, detect_stances
from gaitid.trial import Array, Trial


def model_markers(trial: Trial, model: specs.Model) -> dict[str, Array]:
    """Positions, (frames, 3), m, by label, of the markers that the model knows and the trial saw."""
    geometry = Geometry(model, {}, {}, 0, np.zeros(3))
    roles = [("", role) for role in model.middle.markers]
    roles += [(side.name, role) for side in model.sides for role in model.each_side.markers]
    labels = [label for side, role in roles for label in geometry.labels(role, side)]
    return {label: trial.marker(label) for label in labels if trial.has(label)}


def foot_tracks(trial: Trial, model: specs.Model, markers: Mapping[str, Array] | None = None) -> dict[str, FootTrack]:
    """Heel and toe of each side, unfiltered, from the trial's own or given markers; NaN where one was not seen.

    None for a model that the ground does not act on.
    """
    if not model.touches_ground:
        return {}
    geometry = Geometry(model, markers or model_markers(trial, model), {}, trial.n_frames, np.zeros(3))

    def toe(side: str) -> Array:
        point = geometry.point(model.toe, side)
        if model.instead_of_toe and not np.isfinite(point).any():
            return geometry.point(model.instead_of_toe, side)
        return point

    return {side.name: FootTrack(geometry.point(model.heel, side.name), toe(side.name)) for side in model.sides}


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


def check_cutoff(cutoff_hz: float, rate_hz: float, option: str) -> None:
    """Refuse a cut-off that is not below half the rate.

    Raises
    ------
    TrialError
    """
    if not cutoff_hz < rate_hz / 2:
        raise TrialError(
            f"the cut-off {cutoff_hz:g} Hz is too high",
            expected=f"below half the rate, {rate_hz / 2:g} Hz",
            todo=f"give a lower {option}, or none",
        )


def plates_at_camera(
    trial: Trial, settings: specs.Settings, feet: Mapping[str, FootTrack], up_g: Array
) -> tuple[list[PlateLoad], dict[int, str]]:
    """Each plate's load at the camera's instants with its empty reading, and why other plates cannot be used.

    Parameters
    ----------
    trial : Trial
    settings : Settings
    feet : mapping of side to FootTrack
        Frames without a foot near a plate give its bias; without any feet nothing does.
    up_g : (3,) array

    Returns
    -------
    plates : list of PlateLoad
    refused : dict of plate number to reason

    Raises
    ------
    TrialError
        The force cut-off is not below half a plate's rate.
    """
    loads: list[PlateLoad] = []
    refused: dict[int, str] = {}
    airborne = {side: stance.airborne for side, stance in detect_stances(feet, (), up_g, trial.rate_hz).items()}
    for plate in trial.plates:
        if settings.force_cutoff_hz is not None:
            check_cutoff(settings.force_cutoff_hz, plate.rate_hz, "--force-cutoff")
            if settings.force_cutoff_hz * len(plate.force_p) < plate.rate_hz:
                raise TrialError(
                    f"the trial is too short to be low-passed at {settings.force_cutoff_hz:g} Hz",
                    todo="give a higher --force-cutoff, or none",
                )
        try:
            load = plate_load(plate, trial.rate_hz, trial.n_frames, settings)
        except GaitidError as error:
            refused[plate.number] = error.line().removeprefix(f"plate {plate.number}: ")
            continue
        if feet:
            empty = known_empty(load, feet, airborne, trial.rate_hz)
            load = with_empty_reading(load, empty, trial.rate_hz, settings)
        loads.append(load)
    lowest = min((float(load.centre_g @ up_g) for load in loads), default=0.0)
    return [replace(load, height_above_lowest=float(load.centre_g @ up_g) - lowest) for load in loads], refused
