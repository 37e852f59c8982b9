"""How far two curves lie apart, in the figures of the field; unknown values count for neither."""

from __future__ import annotations

import numpy as np

from gaitid.check.findings import quantity_of
from gaitid.check.limits import TOLERANCES
from gaitid.compare.align import Aligned, Both
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

#: What curves are told of first, in this order: the others are the wrenches in other axes.
SHOWN = (
    "angle_deg",
    "moment_Nm_per_kg",
    "moment_Nm",
    "power_W_per_kg",
    "force_N",
    "force_N_per_kg",
    "envelope_percent",
)


@frozen_dataclass(eq=False)
class Measured:
    """One curve of both sides. All figures are of rows in which both are known, NaN where there is none.

    Attributes
    ----------
    column, quantity : str
    n, only_a, only_b : int
        Rows in which both are known, or one alone.
    rms, bias : float
        Root mean square and mean of B − A.
    range_a, range_b : float
        Greatest less least value.
    r : float
        Pearson's; NaN where a curve is constant, or both are known in fewer than three rows.
    largest : float
        The difference B − A of the greatest size.
    at : int
        Its row; −1 where there is none.
    shown : bool
        Whether people look at it first: a joint's angle, moment or power, or the force of the ground; of chains
        without such moments the wrenches in laboratory axes.
    """

    column: str
    quantity: str
    n: int
    only_a: int
    only_b: int
    rms: float
    bias: float
    range_a: float
    range_b: float
    r: float
    largest: float
    at: int
    shown: bool = True

    @property
    def same(self) -> bool:
        """Whether the curves are equal within what `gaitid check --against` takes for no change."""
        return not abs(self.largest) > TOLERANCES[self.quantity]


def difference(both: Both, quantity: str) -> Array:
    """(rows,) B − A, angles the short way round; NaN where either is unknown."""
    return wrapped(both.b - both.a, quantity)


def wrapped(values: Array, quantity: str) -> Array:
    """Differences of angles between −180 and 180 deg; others as they are."""
    if quantity != "angle_deg":
        return values
    return np.where(np.abs(values) > 180.0, (values + 180.0) % 360.0 - 180.0, values)


def measure(column: str, both: Both, shown: bool = True) -> Measured:
    """The figures of one curve."""
    quantity = quantity_of(column)
    known_a, known_b = np.isfinite(both.a), np.isfinite(both.b)
    known = known_a & known_b
    n, only_a, only_b = (int(m.sum()) for m in (known, known_a & ~known_b, known_b & ~known_a))
    nan = float("nan")
    if not n:
        return Measured(column, quantity, 0, only_a, only_b, nan, nan, nan, nan, nan, nan, -1, shown)
    d = difference(both, quantity)
    at = int(np.nanargmax(np.abs(d)))
    a, b, d = both.a[known], both.b[known], d[known]
    spread = float(a.std() * b.std())
    r = float(((a - a.mean()) * (b - b.mean())).mean() / spread) if n > 2 and spread > 1e-18 else nan
    return Measured(
        column=column,
        quantity=quantity,
        n=n,
        only_a=only_a,
        only_b=only_b,
        rms=float(np.sqrt((d**2).mean())),
        bias=float(d.mean()),
        range_a=float(np.ptp(a)),
        range_b=float(np.ptp(b)),
        r=max(-1.0, min(1.0, r)) if np.isfinite(r) else nan,
        largest=float(wrapped(both.b - both.a, quantity)[at]),
        at=at,
        shown=shown,
    )


def measure_all(aligned: Aligned) -> tuple[Measured, ...]:
    """The figures of every curve that holds a quantity, those that people look at first."""
    columns = [column for column in aligned.curves if quantity_of(column)]
    per_kg = any(quantity_of(column) == "moment_Nm_per_kg" for column in columns)
    results = [measure(column, aligned.curves[column], _is_shown(column, per_kg)) for column in columns]
    return tuple(sorted(results, key=lambda m: (not m.shown, SHOWN.index(m.quantity) if m.shown else 0)))


def _is_shown(column: str, per_kg: bool) -> bool:
    """Whether people look at a curve first; `per_kg` where moments are there by what positive means."""
    quantity = quantity_of(column)
    if quantity in ("force_N", "moment_Nm"):
        return "_ground_force_" in column if per_kg else "_global_" in column or "_ground_force_" in column
    return quantity in SHOWN
