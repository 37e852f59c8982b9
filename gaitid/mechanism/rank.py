"""Which constraints depend on one another: the rank of Φq, and a smallest set that explains its loss.

A left null vector w of Φq, wᵀ Φq = 0, weighs constraints whose rows say the same, and whose loads therefore cannot be
told apart (Wojtyra 2005, Multibody Syst Dyn 14:23-46).
"""

from __future__ import annotations

import numpy as np

from gaitid.mechanism.mechanism import Mechanism
from gaitid.trial import Array

# Rows of unit length are dependent below this smallest singular value. At a singular position Newton's iterations stop
# within the square root of the rounding (1.5e-8) of it, and the singular value is of that size.
DEPENDENT = 1e-7


def comparable(mechanism: Mechanism, J: Array) -> Array:
    """Φq with metres measured in the mechanism's own length and every row of unit length: (…, rows, coordinates)."""
    scaled = J * mechanism.coordinate_sizes
    norm = np.sqrt((scaled**2).sum(axis=-1, keepdims=True))
    return np.asarray(scaled / np.where(norm > 0, norm, 1.0))


def smallest_singular_value(mechanism: Mechanism, J: Array) -> Array:
    """The smallest singular value of the comparable Φq, (…): 0 where rows depend on others or outnumber the columns."""
    if J.shape[-2] > J.shape[-1]:
        return np.zeros(J.shape[:-2])
    return np.asarray(np.linalg.svd(comparable(mechanism, J), compute_uv=False)[..., -1])


def dependent_constraints(mechanism: Mechanism, J: Array, tolerance: float = DEPENDENT) -> list[str]:
    """A smallest set of constraints whose rows depend on one another; empty where all are independent.

    Smallest: without any one of them the others are independent.

    Parameters
    ----------
    mechanism : Mechanism
    J : (rows, coordinates) array
        Its Φq.
    tolerance : float
        On the smallest singular value of the comparable rows.
    """
    scaled = comparable(mechanism, J)

    def dependent(names: list[str]) -> bool:
        if not names:
            return False
        some = np.concatenate([scaled[mechanism.rows[name]] for name in names])
        if len(some) > some.shape[1]:
            return True
        return bool(np.linalg.svd(some, compute_uv=False)[-1] <= tolerance)

    names = [c.name for c in mechanism.constraints]
    if not dependent(names):
        return []
    for name in list(names):
        others = [n for n in names if n != name]
        if dependent(others):
            names = others
    return names
