"""The laboratory's axes turned to OpenSim's: X forward, Y up, Z to the right; and its text files."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.analysis.conventions import axis_name
from gaitid.analysis.result import Result
from gaitid.numerics.masks import known_rows, spans
from gaitid.records import NamedTuple
from gaitid.trial import Array

# An axis lies along one of the laboratory's within this (the cosine; 0.1°).
_ALONG = 1 - 1.5e-6


class Axes(NamedTuple):
    """OpenSim's axes: rows of `R_og` are X, Y, Z in laboratory axes, so ``R_og @ v_g`` is a vector in them."""

    R_og: Array
    words: str

    def turned(self, vectors: Array) -> Array:
        """(frames, 3) of laboratory vectors."""
        return np.asarray(vectors @ self.R_og.T)


def axes_of(result: Result) -> Axes:
    """Of a trial: up as gravity was found, forward the laboratory axis nearest to the direction of walking.

    Where nobody walks, or the model knows no direction, forward is the first horizontal axis of the laboratory.
    """
    return facing(result, _forward(result))


def facing(result: Result, ahead_g: Array) -> Axes:
    """As `axes_of` has them, for a direction: (3,), zeros where it is not known."""
    up = -result.gravity_g / np.linalg.norm(result.gravity_g)
    flat = np.eye(3) - np.outer(up, up)
    ahead = flat @ ahead_g
    candidates = [sign * flat @ axis for axis in np.eye(3) for sign in (1.0, -1.0)]
    candidates = [c / np.linalg.norm(c) for c in candidates if np.linalg.norm(c) > 0.5]
    forward = max(candidates, key=lambda c: float(c @ ahead)) if np.linalg.norm(ahead) > 0 else candidates[0]
    R = np.array([forward, up, np.cross(forward, up)])
    if (np.abs(R).max(axis=1) > _ALONG).all():
        R = np.rint(R)  # along the laboratory's own axes: numbers keep their digits
    words = ", ".join(f"{name} = {axis_name(row)} ({way})" for name, row, way in zip("XYZ", R, _WAYS, strict=True))
    return Axes(R + 0.0, f"OpenSim's axes in those of the laboratory: {words}")


_WAYS = ("forward", "up", "right")


def _forward(result: Result) -> Array:
    """The direction of walking over the whole trial; zeros where it is not known."""
    model = result.model
    if model.progression is None:
        return np.zeros(3)
    ahead = result.body.R_gp[..., "xyz".index(model.progression.letters[0])].reshape(-1, 3)
    ahead = ahead[np.isfinite(ahead).all(axis=1)]
    return np.asarray(ahead.mean(axis=0)) if len(ahead) else np.zeros(3)


class Stretch(NamedTuple):
    """The longest run of consecutive frames in which all of a table is known, and which frames these are, in words."""

    rows: slice
    words: str


def known_stretch(values: Array, first_frame: int) -> Stretch:
    """Of a (frames, columns) table: OpenSim has no empty cell, and its `Storage` ends a file at the first ``nan``.

    (OpenSim 4.6: the row's values from there on become 0, and all rows behind it are lost, without a word.)
    """
    start, end = max(spans(known_rows(values)), key=lambda run: run[1] - run[0], default=(0, 0))
    if not end:
        return Stretch(slice(0, 0), "")
    words = f"frames {start + first_frame} to {end - 1 + first_frame}"
    if end - start < len(values):
        words += f" of {first_frame} to {len(values) - 1 + first_frame}: the longest stretch in which all is known"
    return Stretch(slice(start, end), words)


def storage(name: str, about: Sequence[str], columns: Sequence[str], values: Array, in_degrees: bool) -> str:
    """A motion or storage file (``.mot``, ``.sto``): header, names, one row a frame.

    Parameters
    ----------
    name : str
        Its first line.
    about : sequence of str
        Lines of words, between the counts and the end of the header.
    columns : sequence of str
        ``time`` first.
    values : (frames, columns) array
        Without NaN.
    in_degrees : bool
    """
    counts = ["version=1", f"nRows={len(values)}", f"nColumns={len(columns)}"]
    head = [name, *counts, f"inDegrees={'yes' if in_degrees else 'no'}", *about, "endheader", "\t".join(columns)]
    rows = ["\t".join(f"{v:.10g}" for v in row) for row in (values + 0.0).tolist()]
    return "\n".join([*head, *rows]) + "\n"
