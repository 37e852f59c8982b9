"""The conventions of a result, in words, for its record."""

from __future__ import annotations

import numpy as np

from gaitid.model.specs import Model
from gaitid.trial import Array


def _axis(v: Array) -> str:
    i = int(np.argmax(np.abs(v)))
    return f"{'-' if v[i] < 0 else '+'}{'XYZ'[i]}"


def conventions(model: Model, up_g: Array, up_words: str, R_gp: Array, progression_words: str) -> dict[str, str]:
    """What every column means that its name does not say.

    Parameters
    ----------
    model : Model
    up_g : (3,) array
    up_words : str
        How the vertical was found.
    R_gp : (3, 3) array
        Progression frame.
    progression_words : str
    """
    return {
        "wrench": "force and moment that the proximal segment exerts on the distal one (internal), moment about "
        "the joint centre; for the ankle: F + ground reaction + m g = m a",
        "ground": "reaction on the foot; free moment about the plate's outward normal through the centre of pressure",
        "global": "the trial's own laboratory axes",
        "proximal": "axes of the joint's proximal segment",
        "distal": "axes of the joint's distal segment",
        "jcs": "projections on the axes of the joint coordinate system (first axis of the proximal segment, last "
        "axis of the distal one, floating axis between them), which are not orthogonal; the letter is the axis of "
        "the sequence " + ", ".join(f"{j} {model.angles[j].sequence}" for j in model.moments),
        "vertical": f"{_axis(up_g)}, found from {up_words}",
        "progression": f"x = ({', '.join(f'{c:.4g}' for c in R_gp[:, 0])}), {progression_words}",
        "segment axes": "thigh and shank: z to the proximal joint, y to the left, x forward; foot: z from the toe "
        "toward the heel, y to the left, x up; pelvis: x forward, y to the left, z up",
        "angles": "Cardan angles, distal in proximal, "
        + "; ".join(
            f"{name}: {angle.sequence}, {angle.distal} in {angle.proximal}, "
            + ", ".join(f"{column} = {formula.text}" for column, formula in angle.columns.items())
            for name, angle in model.angles.items()
        ),
        "moments": "internal, divided by body mass; "
        + "; ".join(
            f"{name}: in axes of {moment.axes}, "
            + ", ".join(f"{column} = {formula.text}" for column, formula in moment.columns.items())
            for name, moment in model.moments.items()
        ),
        "power": "moment times (angular velocity of the distal minus the proximal segment), divided by body mass; "
        "positive generates",
        "frames": "numbered as the file numbers its first frame; time_s is 0 there",
        "unknown": "an empty cell or null is not known; 0 is a measured or certain zero",
    }
