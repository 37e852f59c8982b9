"""The conventions of a result, in words, for its record."""

from __future__ import annotations

import numpy as np

from gaitid.gait.impact import CUTOFF_HZ
from gaitid.model import specs
from gaitid.model.shapes import CarriedFrame, RigidFrame, StoredFrame, TurnedFrame
from gaitid.trial import Array


def axis_name(v: Array) -> str:
    """The laboratory axis nearest to a vector, as ``+Z``."""
    i = int(np.argmax(np.abs(v)))
    return f"{'-' if v[i] < 0 else '+'}{'XYZ'[i]}"


def _frame_words(model: specs.Model, name: str) -> str:
    """A frame's axes as its model defines them, in words."""
    frame = model.each_side.frames.get(name) or model.middle.frames[name]
    if isinstance(frame, TurnedFrame):
        turns = " then ".join(f"about {axis} by {formula.text}" for axis, formula in frame.by)
        return f"{_frame_words(model, frame.frame)}; turned {turns} (rad)"
    if isinstance(frame, CarriedFrame):
        return f"carried by {frame.by} as the static shows it: {_frame_words(model, frame.frame)}"
    if isinstance(frame, RigidFrame):
        return (
            f"moves as one rigid body with {', '.join(frame.points)} (least squares); in the static "
            f"{_frame_words(model, frame.reference)}"
        )
    if isinstance(frame, StoredFrame):
        return f"as the file stores it ({frame.origin.removesuffix('_origin')})"
    return f"{frame.keep} {frame.keep_vector.words}, {frame.toward} near {frame.toward_vector.words}"


def _base_words(model: specs.Model) -> str:
    """What the wrench that is left over at the base means."""
    base, body = model.base, model.base.body
    joints = " and ".join(b.joint for b in model.chain if b.on == base.segment)
    if body is not None:
        return (
            f"wrench that is exerted on the {base.segment} at {body.joint} from the part of the body that the model "
            f"leaves out, moment about {body.joint}'s centre"
        )
    return (
        f"wrench that keeps the {base.segment} in balance against the segments that hang from it ({joints} of "
        f"{' and '.join(side.name for side in model.sides)}), moment about {base.origin}; the model gives the "
        f"{base.segment} no mass: its own weight and inertia are left out"
    )


# What components in axes that are not square are.
_JCS_WORDS = {"projection": "projections on", "dual_basis": "components (by the dual basis) that add up along"}


def _axes_words(axes: str, components: str) -> str:
    if axes == "jcs":
        return (
            f"{_JCS_WORDS[components]} the axes of the joint's angles (Grood & Suntay 1983; not square to each other)"
        )
    return f"in axes of {axes}"


def conventions(model: specs.Model, up_g: Array, up_words: str, R_gp: Array, progression_words: str) -> dict[str, str]:
    """What every column means that its name does not say.

    Parameters
    ----------
    model : Model
    up_g : (3,) array
    up_words : str
        How the vertical was found.
    R_gp : (3, 3) or (frames, 3, 3) array
        Progression frame.
    progression_words : str
    """
    progression = "not used by this model"
    if model.progression is not None:
        letters = model.progression.letters
        ahead = R_gp[..., "xyz".index(letters[0])].reshape(-1, 3)
        ways = [f"({', '.join(f'{c:.4g}' for c in way)})" for way in ahead[[0, -1] if len(ahead) > 1 else [0]]]
        forward = f"forward = {ways[0]}" + (f" in the first frame, {ways[-1]} in the last" if len(ways) > 1 else "")
        progression = f"{forward}, {progression_words}; axes forward, left, up: {', '.join(letters)}"
    joints = {} if model.pose is None or model.pose.scaled is None else {"joints": model.pose.scaled.joint_words}
    ground = "reaction on the foot; free moment about the plate's outward normal through the centre of pressure"
    return joints | {
        "wrench": "force and moment that the proximal segment exerts on the distal one (internal), moment about "
        "the joint centre; for the ankle: F + ground reaction + m g = m a",
        "ground": ground if model.touches_ground else "acts on no segment of this model",
        "base": _base_words(model),
        "global": "the trial's own laboratory axes",
        "proximal": "axes of the joint's proximal segment",
        "distal": "axes of the joint's distal segment",
        "jcs": f"{_JCS_WORDS[model.settings.jcs_components]} the axes of the joint coordinate system (first axis "
        "of the sequence in the angle's proximal frame, last one in its distal frame, floating axis between them), "
        "which are not orthogonal; "
        + "; ".join(
            f"{b.joint}: {(a := model.angles[b.joint]).sequence}, {a.sequence[0]} of {a.proximal}, "
            f"{a.sequence[2]} of {a.distal}"
            for b in model.chain
        ),
        "vertical": f"{axis_name(up_g)}, found from {up_words}",
        "progression": progression,
        "segment axes": "; ".join(
            f"{segment}: {_frame_words(model, frame)}"
            for segment, frame in (
                *((body.segment, body.frame) for body in model.chain),
                (model.base.segment, model.base.frame),
            )
        ),
        "angles": "Cardan angles, distal in proximal, "
        + "; ".join(
            f"{name}: {angle.sequence}, {angle.distal} in {angle.proximal}, "
            + ", ".join(f"{column} = {formula.text}" for column, formula in angle.columns.items())
            for name, angle in model.angles.items()
        ),
        "moments": "internal, divided by body mass; "
        + "; ".join(
            f"{name}: {_axes_words(moment.axes, model.settings.jcs_components)}, "
            + ", ".join(f"{column} = {formula.text}" for column, formula in moment.columns.items())
            for name, moment in model.moments.items()
        ),
        "power": "moment times (angular velocity of the distal minus the proximal segment), divided by body mass; "
        "positive generates",
        "features": "rows of cycles.csv; joints' peaks outside impacts, integrals of moments and powers through them "
        f"under matched loads; loading rates from the plates' samples, low-passed at {CUTOFF_HZ:g} Hz for these alone",
        "frames": "numbered as the file numbers its first frame; time_s is 0 there",
        "unknown": "an empty cell or null is not known; 0 is a measured or certain zero",
    }
