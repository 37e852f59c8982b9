"""`gaitid capacity` as a function: one trial in, its files out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gaitid.capacity.capacity import Capacity, find_capacity
from gaitid.capacity.limits import Limits
from gaitid.capacity.tables import capacity_csv, capacity_record
from gaitid.disk.atomic import write_all
from gaitid.drawing import load_matplotlib
from gaitid.errors import GaitidError, TrialError
from gaitid.inputs import found_trial, input_record
from gaitid.run import Setup, analyse_file
from gaitid.trial import Mask, Trial
from gaitid.write.record import record_text


@dataclass(frozen=True)
class CapacityOptions:
    """What `gaitid capacity` is asked for.

    Attributes
    ----------
    endpoint : str
    sides : tuple of str
        Empty: all that the model has.
    frames : (int, int) or None
        First and last, as the file numbers them; None: the whole trial.
    sagittal : bool
    plane : str
        Two laboratory axes; empty: all three, or the sagittal plane.
    in_motion : bool
        With the trial's joint velocities, instead of from rest.
    picture : int or None
        The frame to draw, as the file numbers it.
    animation : bool
    """

    endpoint: str = "foot"
    sides: tuple[str, ...] = ()
    frames: tuple[int, int] | None = None
    sagittal: bool = False
    picture: int | None = None
    animation: bool = False
    plane: str = ""
    in_motion: bool = False


def capacity_file(
    path: Path, folder: Path, setup: Setup, limits: Limits, options: CapacityOptions
) -> tuple[Capacity, list[Path]]:
    """Analyse one trial and write what its postures could accelerate.

    Raises
    ------
    GaitidError
        What the trial, the limits or the folder refuses; nothing is written then.
    """
    # postures only: which loads the trial was under does not matter
    setup = replace(setup, options=replace(setup.options, postures_only=True))
    result = analyse_file(path, setup)
    sides = options.sides or tuple(result.sides)
    for side in sides:
        if side not in result.sides:
            wrong = f"--side {side}: {result.model.name} has no such side"
            raise GaitidError(wrong, expected=" or ".join(result.sides))
    chosen = _chosen(result.trial, options.frames)
    of_posture = options.sagittal, options.plane, options.in_motion
    capacity = find_capacity(result, limits, options.endpoint, chosen, sides, *of_posture)
    picture = _pictured(capacity, options.picture)
    inputs = [input_record("trial", path, found_trial(path)), *setup.inputs, input_record("limits", limits.path)]
    contents: dict[str, str | bytes] = {f"{path.stem}.capacity.csv": capacity_csv(capacity)}
    if picture is not None or options.animation:
        # Not at the top: matplotlib takes a second to import.
        load_matplotlib("a picture")
        from gaitid.capacity.picture import frame_png, frames_gif, known_frames

        if picture is not None:
            contents[f"{path.stem}.capacity.png"] = frame_png(capacity, picture)
        if options.animation:
            frames = known_frames(capacity)
            if not frames:
                raise TrialError("--animation: no frame's posture is known")
            contents[f"{path.stem}.capacity.gif"] = frames_gif(capacity, frames)
    record = capacity_record(capacity, setup.options.command, inputs, picture)
    contents[f"{path.stem}.capacity.json"] = record_text(record)
    return capacity, write_all(folder, contents)


def _chosen(trial: Trial, frames: tuple[int, int] | None) -> Mask:
    numbers = trial.first_frame + np.arange(trial.n_frames)
    if frames is None:
        return np.ones(trial.n_frames, dtype=bool)
    if not (numbers[0] <= frames[0] <= frames[1] <= numbers[-1]):
        asked = f"--frames {frames[0]}-{frames[1]}"
        raise TrialError(f"{asked}: not in the trial", expected=f"{numbers[0]} to {numbers[-1]}")
    return np.asarray((numbers >= frames[0]) & (numbers <= frames[1]))


def _pictured(capacity: Capacity, frame: int | None) -> int | None:
    """Index of the frame to draw."""
    if frame is None:
        return None
    trial = capacity.result.trial
    i = frame - trial.first_frame
    if not (0 <= i < trial.n_frames and capacity.chosen[i]):
        chosen = np.flatnonzero(capacity.chosen) + trial.first_frame
        raise TrialError(f"--picture {frame}: not among the frames", expected=f"{chosen[0]} to {chosen[-1]}")
    if not any(np.isfinite(leg.gravity[i]).all() for leg in capacity.sides.values()):
        raise TrialError(f"--picture {frame}: the posture is not known in that frame")
    return i
