"""Plates against the whole body's motion, and against pelvis and legs: figures of docs/balance.md.

    python benchmarks/whole_body.py [PATTERN]

For each trial that holds markers of the trunk, by either centre of mass: how the force given differs from the force
asked, mean over `WINDOW` of `gaitid.ground.balance`, in body weights, along the way of walking, across it and upward:
standard deviation (a wrong mass and a steady part apart); by how many ms the force is late, how alike both are then,
the ratio of their variation; the ratio of the forces in single support, and by how much plates of a trial differ in
it; what whole steps leave along the way. Recordings, then simulated walks with trunk, head and arms, of which the
whole body's motion is exactly what the plates carry.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from attack_trials import SimulatedCase, simulated_case  # noqa: E402
from balance import SIMULATED, results  # noqa: E402
from gaitid.ground.plate_faults import borne_alone  # noqa: E402

from gaitid.analysis.pipeline import analyse  # noqa: E402
from gaitid.analysis.result import Result  # noqa: E402
from gaitid.body.centre_of_mass import acceleration_of_body, centre_of_body  # noqa: E402
from gaitid.body.subject import SubjectFile  # noqa: E402
from gaitid.errors import GaitidError  # noqa: E402
from gaitid.ground import clocks, gains, whole_steps  # noqa: E402
from gaitid.ground.balance import Balance, means_over_window  # noqa: E402
from gaitid.simulate.scenarios import SCENARIOS  # noqa: E402
from gaitid.trial import Array  # noqa: E402

COLUMNS = ("along", "across", "up", "late ms", "alike", "variation", "given / asked", "plates apart", "whole steps")
NOISE = {"marker_noise_mm": 0.5, "force_noise_N": 1.0, "seed": 3}
# N. Less than this on both feet together is no support by plates.
LOADED = 100.0


def trials(pattern: str) -> Iterator[tuple[str, str, Result]]:
    """Laboratory, name and result of each trial with a trunk."""
    for laboratory, name, result in results(pattern):
        if laboratory != SIMULATED and result.whole_body is not None and result.whole_body.known:
            yield laboratory, name, result
    for scenario in SCENARIOS:
        for words, noise in (("", {}), (" noisy", NOISE)):
            if pattern not in f"simulated {scenario}":
                continue
            try:
                case = simulated_case(SimulatedCase(scenario, words, {"full_body": True, **noise}))
            except GaitidError:
                continue  # with both feet in the air
            yield SIMULATED, f"simulated {scenario}{words}", analyse(case.trial, case.model, SubjectFile())


def figures(result: Result, acc_g: Array, com_g: Array) -> list[str]:
    """The columns of one trial by one centre of mass."""
    gravity = float(np.linalg.norm(result.gravity_g))
    up_g, weight_N = -result.gravity_g / gravity, result.subject.mass_kg * gravity
    balance = Balance(acc_g + gravity * up_g, up_g, gravity, result.trial.rate_hz)
    total = np.asarray(sum(load.wrench.f_g for load in result.loads.by_side.values()))
    loaded = np.isfinite(total).all(axis=1) & (np.linalg.norm(np.nan_to_num(total), axis=1) > LOADED)
    ahead = result.body.R_gp[..., :, 0].reshape(-1, 3)[0]
    axes = (ahead, np.cross(up_g, ahead), up_g)
    lacks = [means_over_window(balance.lacks(total, axis, weight_N), loaded, balance.rate_hz) for axis in axes]
    cells = [f"{float(np.nanstd(means)):.4f}" if np.isfinite(means).any() else "-" for means in lacks]
    fit = clocks.fit_in_time(clocks._known_total(result.loads, balance) / weight_N, balance)
    cells += ["-"] * 3 if fit is None else [f"{fit.late_s * 1e3:.1f}", f"{fit.alike:.3f}", f"{fit.ratio:.2f}"]
    ratios = gains._ratios(borne_alone(result.ground, result.loads), balance, weight_N)
    cells.append(extremes([value for values in ratios.values() for value in values]))
    medians = [float(np.median(values)) for values in ratios.values()]
    cells.append(f"{np.ptp(medians):.3f}" if len(medians) > 1 else "-")
    strikes = np.sort([contact.first for contact in result.loads.contacts])
    step = int(np.median(np.diff(strikes))) if len(strikes) > 1 else 0
    windows = np.zeros((0, 1))
    if step >= whole_steps.SHORTEST * balance.rate_hz:
        windows = whole_steps._windows(result.ground, result.loads, com_g @ ahead, ahead, (balance, weight_N, step))
    return [*cells, f"{windows[:, 0].mean():.3f} ± {windows[:, 0].std():.3f}" if len(windows) > 5 else "-"]


def extremes(values: Sequence[float]) -> str:
    return f"{min(values):.3f} … {max(values):.3f}" if values else "-"


def main() -> None:
    print("| trial | centre of mass of | " + " | ".join(COLUMNS) + " |")
    print("|---" * (len(COLUMNS) + 2) + "|")
    for _, name, result in trials(sys.argv[1] if len(sys.argv) > 1 else ""):
        whole = result.whole_body
        assert whole is not None
        legs = acceleration_of_body(result.body)
        named = name.rpartition(".")[0] or name
        for what, acc_g, com_g in (
            ("pelvis and legs", legs, centre_of_body(result.body)),
            (f"whole body{'' if whole.complete else ' (no arms)'}", whole.acc_g, whole.com_g),
        ):
            print(f"| {named} | {what} | " + " | ".join(figures(result, acc_g, com_g)) + " |", flush=True)


if __name__ == "__main__":
    main()
