"""Poses -> notes of frames in which the Cardan angles of a joint are near gimbal lock."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.body.poses import Body
from gaitid.notes import Notes, note
from gaitid.numerics.masks import blocks, joined, spans
from gaitid.numerics.rotation import dot
from gaitid.trial import Array, Mask

# deg. Nearer than this to each other, the first axis of a sequence and the last one tell two angles apart six times
# worse than where they are square: an error of the pose grows by 1 / sin 10°.
NEAR_DEG = 10.0
_NEAR = float(np.cos(np.radians(NEAR_DEG)))


def gimbal_notes(body: Body, sides: Sequence[str], first_frame: int) -> Notes:
    """A note for each side and joint whose angles are near gimbal lock, with the frames as the file numbers them."""
    notes = []
    for side in sides:
        for name, angle in body.model.angles.items():
            if all(formula.undetermined for formula in angle.columns.values()):
                continue
            proximal, distal = (
                body.R_gp if frame == "progression" else body.geometry.frame(frame, side).R_gs
                for frame in (angle.proximal, angle.distal)
            )
            proximal, distal = np.broadcast_arrays(proximal, distal)  # the way of a straight walk is one for all frames
            some = blocks(body.geometry.n_frames)
            near = joined([near_lock(proximal[frames], distal[frames], angle.sequence) for frames in some])
            if near.any():
                parts = [f"{a + first_frame}–{b - 1 + first_frame}" for a, b in spans(near)]
                notes.append(
                    note(
                        "gimbal_lock",
                        side,
                        joint=name,
                        frames=parts[:3],
                        more=len(parts) > 3,
                        axes=[angle.sequence[0], angle.sequence[2]],
                        deg=NEAR_DEG,
                    )
                )
    return tuple(notes)


def near_lock(proximal: Array, distal: Array, sequence: str) -> Mask:
    """Frames in which the first axis (of the proximal frame) and the last (of the distal one) nearly coincide."""
    first, last = proximal[..., "xyz".index(sequence[0])], distal[..., "xyz".index(sequence[2])]
    near: Mask = np.abs(dot(first, last)) > _NEAR
    return near
