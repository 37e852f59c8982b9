"""The figures of docs/balance.md: what the four witnesses say of recordings with nothing wrong, by laboratory.

    python benchmarks/balance.py [PATTERN]

For each trial: given over asked force of every stance; by how many ms the forces are late, how well they fit then, the
ratio of their variation; what the line of the force leaves, and its steady parts; the lever of the free moment; by how
much the plates of one trial differ. Then the extremes, and those with each laboratory left out. Simulated walks stand
apart from recordings.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from attack_trials import SimulatedCase, simulated_case  # noqa: E402
from gaitid.ground.plate_faults import borne_alone, stood_alone  # noqa: E402
from shared_trials import SHARED  # noqa: E402

from gaitid.analysis.pipeline import analyse  # noqa: E402
from gaitid.analysis.result import Result  # noqa: E402
from gaitid.body.centre_of_mass import acceleration_of_body, centre_of_body  # noqa: E402
from gaitid.body.subject import SubjectFile  # noqa: E402
from gaitid.ground import clocks, gains, line_of_force  # noqa: E402
from gaitid.ground.balance import Balance  # noqa: E402
from gaitid.numerics.statistics import quantile  # noqa: E402
from gaitid.run import RunOptions, prepare, settle  # noqa: E402
from gaitid.simulate.scenarios import SCENARIOS  # noqa: E402

SIMULATED = "simulated"
#: Laboratory, trial, and beside it the static and the forces.
TRIALS = (
    *(("McGill", f"children/{child}/walk.c3d", "", "") for child in ("HC002D", "HC030A", "HC031A", "HC036A")),
    ("McGill", "children/HC030A/turn.c3d", "", ""),
    *(("Sydney", f"sydney/walk0{i}.c3d", "", "") for i in (3, 4, 5)),
    ("BTKData", "nexus_flatfoot/walk.c3d", "", ""),
    ("pyCGM", "stairs/Movement_trial.c3d", "", ""),
    ("Qualisys", "qualisys/walk.c3d", "static.c3d", ""),
    ("CGM2", "wild/cgm24/walk.c3d", "", ""),
    ("paf", "wild/isb_bone_names/walk.c3d", "static.c3d", ""),
    ("OpenSim", "wild/gait2392/walk.trc", "static.trc", "walk_grf.mot"),
    ("OpenCap", "wild/opencap/walk.trc", "static.trc", "walk_grf.mot"),
    ("Padua", "wild/padua_clusters/walk.c3d", "", ""),
    ("RBDS", "wild/rbds_running/run.c3d", "static.c3d", ""),
    ("BMC", "wild/rajagopal/run.trc", "static.trc", "run_grf.mot"),
    ("La Trobe", "wild/latrobe/sprint.trc", "static.trc", "sprint_grf.mot"),
)
FIGURES = (
    "given / asked",
    "plates apart",
    "late ms",
    "alike",
    "variation",
    "line left",
    "sideways",
    "along",
    "torsion mm",
)


def results(pattern: str) -> Iterator[tuple[str, str, Result]]:
    """Laboratory, name and result of each trial."""
    for laboratory, name, static, forces in TRIALS:
        path = SHARED / name
        if pattern in name and path.exists():
            beside = {"static": static and path.parent / static, "forces": forces and path.parent / forces}
            settled = settle(prepare(RunOptions(**{k: v or None for k, v in beside.items()})), path)
            assert settled.model is not None and settled.read is not None
            yield laboratory, name, analyse(settled.read[2], settled.model, settled.subject, settled.static)
    for scenario in SCENARIOS:
        if pattern in f"simulated {scenario}":
            case = simulated_case(SimulatedCase(scenario))
            yield SIMULATED, f"simulated {scenario}.c3d", analyse(case.trial, case.model, SubjectFile())


def figures_of(result: Result) -> dict[str, list[float]]:
    """The figures of one trial, each by stance or plate."""
    up_g = -result.gravity_g / np.linalg.norm(result.gravity_g)
    gravity = float(np.linalg.norm(result.gravity_g))
    acceleration = acceleration_of_body(result.body)
    balance = Balance(acceleration + gravity * up_g, up_g, gravity, result.trial.rate_hz)
    stood = stood_alone(result.ground, result.loads)
    found: dict[str, list[float]] = {name: [] for name in FIGURES}
    weight_N = result.subject.mass_kg * gravity
    if weight_N > 0:
        ratios = gains._ratios(borne_alone(result.ground, result.loads), balance, weight_N)
        found["given / asked"] = [value for values in ratios.values() for value in values]
        if len(ratios) > 1:
            found["plates apart"].append(float(np.ptp([np.median(values) for values in ratios.values()])))
        fit = clocks.fit_in_time(clocks._known_total(result.loads, balance) / weight_N, balance)
        if fit is not None:
            found["late ms"].append(fit.late_s * 1e3)
            found["alike"].append(fit.alike)
            found["variation"].append(fit.ratio)
    com_g = centre_of_body(result.body)
    for one in stood:
        line = line_of_force.line_of(one, com_g)
        if line is not None:
            found["line left"].append(float(np.hypot(*np.sqrt(line.left(np.eye(2))))))
            if line.own_side:
                found["sideways"].append(line.steady_across)
            found["along"].append(line.steady_along)
        plate, frames = one.plate, one.frames
        free = plate.free_moment[frames]
        loaded = plate.vertical[frames] > 0.3 * np.fmax.reduce(plate.vertical[frames])
        found["torsion mm"].append(1e3 * float(quantile(np.abs(free / plate.vertical[frames])[loaded], 0.95)))
    return found


def extremes(values: list[float]) -> str:
    return f"{min(values):.3g} … {max(values):.3g}" if values else "-"


def main() -> None:
    by_laboratory: dict[str, dict[str, list[float]]] = {}
    print("| trial | " + " | ".join(FIGURES) + " |")
    print("|---" * (len(FIGURES) + 1) + "|")
    for laboratory, name, result in results(sys.argv[1] if len(sys.argv) > 1 else ""):
        found = figures_of(result)
        print(f"| {name.rpartition('.')[0]} | " + " | ".join(extremes(found[f]) for f in FIGURES) + " |", flush=True)
        of_laboratory = by_laboratory.setdefault(laboratory, {f: [] for f in FIGURES})
        for figure in FIGURES:
            of_laboratory[figure] += found[figure]
    recorded = {name: found for name, found in by_laboratory.items() if name != SIMULATED}
    for out in ("", *recorded):
        rest = {f: [v for name, found in recorded.items() if name != out for v in found[f]] for f in FIGURES}
        print(f"| {'without ' + out if out else 'all'} | " + " | ".join(extremes(rest[f]) for f in FIGURES) + " |")


if __name__ == "__main__":
    main()
