"""Inertia tensors: about another point, in other axes, and whether a rigid body can have one."""

from __future__ import annotations

import numpy as np

from gaitid.numerics.rotation import dot
from gaitid.trial import Array

# Of the largest principal moment: far above what turning and moving a tensor in double precision costs (1e-15), far
# below what a body's shape is known to.
_ROUNDING = 1e-6


def about_point(inertia: Array, mass: float | Array, r: Array) -> Array:
    """Inertia about a point at `r` from the centre of mass, of a body whose `inertia` is about the centre of mass.

    I_p = I_c + m (rᵀr 1 − r rᵀ): Steiner's theorem for the whole tensor (Lynch & Park 2017, Modern Robotics,
    section 8.2.1).

    Parameters
    ----------
    inertia : (…, 3, 3) array, kg·m²
    mass : float or (…) array, kg
    r : (…, 3) array, m
        In the tensor's axes.
    """
    return inertia + _of_point(mass, r)


def about_centre(inertia: Array, mass: float | Array, r: Array) -> Array:
    """The way back: about the centre of mass, of a body whose `inertia` is about a point at `r` from there."""
    return inertia - _of_point(mass, r)


def _of_point(mass: float | Array, r: Array) -> Array:
    """m (rᵀr 1 − r rᵀ)."""
    r = np.asarray(r, dtype=float)
    square = dot(r, r)[..., None, None] * np.eye(3)
    return np.asarray(np.asarray(mass)[..., None, None] * (square - r[..., :, None] * r[..., None, :]))


def turned(inertia_s: Array, R_gs: Array) -> Array:
    """The tensor in axes of g, of one in axes of s: I_g = R_gs I_s R_gsᵀ (the same section), (…, 3, 3)."""
    return np.asarray(R_gs @ inertia_s @ np.swapaxes(R_gs, -1, -2))


def inertia_fault(tensor: Array, name: str) -> str | None:
    """Why no rigid body has this inertia tensor about its centre of mass, or None.

    Σ m x², Σ m y² and Σ m z² along the principal axes are not negative, so neither is a principal moment, nor is one
    larger than the sum of the other two (Lynch & Park 2017, section 8.2.1). Point masses and thin rods, with moments
    of zero, pass.

    Parameters
    ----------
    tensor : (3, 3) array, kg·m²
    name : str
        What the caller's file calls it, for the message.

    Returns
    -------
    str or None
        One line: the name, what was expected and what was found.
    """
    I = np.asarray(tensor, dtype=float)  # noqa: E741 - the field's letter
    if I.shape != (3, 3) or not np.isfinite(I).all():
        instead = "a value that is not finite" if I.shape == (3, 3) else f"an array of shape {I.shape}"
        return f"{name}: not an inertia tensor; expected 3 × 3 finite numbers, kg·m²; found {instead}"
    allowed = _ROUNDING * np.abs(I).max()
    if np.abs(I - I.T).max() > allowed:
        i, j = np.unravel_index(np.argmax(np.abs(I - I.T)), (3, 3))
        return (
            f"{name}: the inertia is not symmetric; expected I_{'xyz'[i]}{'xyz'[j]} = I_{'xyz'[j]}{'xyz'[i]}; "
            f"found {I[i, j]:g} and {I[j, i]:g} kg·m²"
        )
    moments = np.linalg.eigvalsh(I)  # ascending
    values = f"found {', '.join(f'{x:.6g}' for x in moments)} kg·m²"
    if moments[0] < -allowed:
        return f"{name}: the inertia is indefinite; expected no principal moment below 0; {values}"
    if moments[2] - moments[1] - moments[0] > allowed:
        return (
            f"{name}: the inertia breaks the triangle inequality; "
            f"expected no principal moment above the sum of the other two; {values}"
        )
    return None
