"""Do the solvers agree on a user's own trial?

They share the description of the chain and little else, so a term that is wrong in one of them is seen here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.analysis.result import Result
from gaitid.check.findings import FAIL, PASS, WARN, Finding
from gaitid.check.limits import SOLVER_TOLERANCE
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.records import NamedTuple
from gaitid.trial import Array


class Agreement(NamedTuple):
    """How far a solver is from the first (`block`) on one force or moment.

    Attributes
    ----------
    solver, where : str
    relative : float
        Largest difference, relative to the largest value; infinite where only one of the two leaves a frame empty.
    values : int
        So many components are known to one of the two.
    """

    solver: str
    where: str
    relative: float
    values: int


def compare_solvers(result: Result) -> list[Agreement]:
    """Every solver against the first on every chain of a result, joint by joint."""
    chains = {side: (leg.chain, list(leg.wrenches)) for side, leg in result.sides.items()}
    if result.base_chain is not None and result.model.base.body is not None:
        names = [f"{side} {joint}" for side, leg in result.sides.items() for joint in leg.wrenches]
        chains["whole body"] = (result.base_chain, [*names, result.model.base.body.joint])
    differences = []
    first, *others = SOLVERS
    for where, (chain, joints) in chains.items():
        if chain is None:
            continue
        reference = SOLVERS[first](chain, result.gravity_g)
        for name in others:
            for joint, mine, other in zip(joints, reference, SOLVERS[name](chain, result.gravity_g), strict=True):
                differences += [
                    Agreement(name, f"{where} {joint} {kind}", *_difference(a, b))
                    for kind, a, b in (("force", mine.f_g, other.f_g), ("moment", mine.m_g, other.m_g))
                ]
    return differences


def _difference(a: Array, b: Array) -> tuple[float, int]:
    """Largest difference relative to the largest value, infinite where one is empty; and how many values it is of."""
    known, other = np.isfinite(a), np.isfinite(b)
    values = int((known | other).sum())
    if not np.array_equal(known, other):
        return np.inf, values
    scale = float(np.abs(a[known]).max()) if known.any() else 0.0
    largest = float(np.abs(a - b)[known].max()) if known.any() else 0.0
    return largest / (scale or 1.0), values  # of 1 N or 1 N·m where the first finds nothing at all


def solvers_agree(compared: Sequence[Agreement]) -> Finding:
    """The largest difference of any solver from the block matrix."""
    with_values = [entry for entry in compared if entry.values]
    if not with_values:
        return Finding("solvers", WARN, "the solvers were not compared: no wrench is known")
    worst = max(with_values, key=lambda entry: entry.relative)
    if worst.relative <= SOLVER_TOLERANCE:
        text, status = f"solvers agree to {worst.relative:.1g}", PASS
    elif np.isinf(worst.relative):
        text, status = f"{worst.solver} leaves other frames empty than block ({worst.where})", FAIL
    else:
        text = f"{worst.relative:.2g} ({worst.solver} against block, {worst.where}), at most {SOLVER_TOLERANCE:g}"
        status = FAIL
    return Finding("solvers", status, text, worst.relative, SOLVER_TOLERANCE, "1", detail=solvers_in_words(with_values))


def solvers_in_words(compared: Sequence[Agreement]) -> tuple[str, ...]:
    """For each solver, how far and where it is farthest from the block matrix."""
    lines = []
    for name in dict.fromkeys(entry.solver for entry in compared):
        of_solver = [entry for entry in compared if entry.solver == name]
        worst = max(of_solver, key=lambda entry: entry.relative)
        lines.append(
            f"{name} against block: at most {worst.relative:.1e} of the largest value ({worst.where}), "
            f"{sum(entry.values for entry in of_solver)} values; limit {SOLVER_TOLERANCE:g}"
        )
    return tuple(lines)
