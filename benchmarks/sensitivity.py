"""What `--uncertainty` says of real walks beside what others published: tables of docs/uncertainty_method.md.

Needs the recordings of ../shared/trials. One ingredient is shifted at a time, as in the published studies.

python benchmarks/sensitivity.py [--write]
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from common import SHARED, head, parser_of, show

from gaitid.analysis.result import Result
from gaitid.run import RunOptions, analyse_file, prepare
from gaitid.trial import Array
from gaitid.uncertainty.estimate import Estimate, estimate
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.shift import Shift
from gaitid.uncertainty.sources import read_sources

WALKS = (
    *(f"sydney/walk0{i}.c3d" for i in (3, 4, 5)),
    *(f"children/{name}/walk.c3d" for name in ("HC002D", "HC030A", "HC031A", "HC036A")),
    "nexus_flatfoot/walk.c3d",
)


def walks() -> Iterator[Result]:
    prepared = prepare(RunOptions(model="pig"))
    return (analyse_file(SHARED / file, prepared) for file in WALKS)


def stances(result: Result) -> Iterator[tuple[str, slice]]:
    """Frames of the known contacts."""
    for contact in result.contacts:
        if contact.plates and contact.last - contact.first > 0.3 * result.trial.rate_hz:
            yield contact.side, slice(contact.first, contact.last + 1)


def effect(found: Perturbed, shift: Shift, joint: str) -> list[float]:
    """By how much a shift changes a moment in each stance, at most, over the largest size of that moment there, %."""
    moved = next(found.columns([shift]))
    effects = []
    for side, frames in stances(found.result):
        i = found.names.index(f"{side}_{joint}_moment_Nm_per_kg")
        own, change = found.unshifted[frames, i], (moved - found.unshifted)[frames, i]
        if np.isfinite(own).mean() > 0.8:
            effects.append(100 * float(np.nanmax(np.abs(change)) / np.nanmax(np.abs(own))))
    return effects


def peak_change(found: Perturbed, shift: Shift, joint: str) -> list[float]:
    """Change of a moment's peak to either side, %: of the range between its greatest and smallest value."""
    moved = next(found.columns([shift]))
    changes = []
    for side, frames in stances(found.result):
        i = found.names.index(f"{side}_{joint}_moment_Nm_per_kg")
        keep = ~found.result.impact_frames(side)[frames]
        own, new = found.unshifted[frames, i][keep], moved[frames, i][keep]
        if np.isfinite(own).mean() > 0.8:
            at = int(np.nanargmax(np.abs(own)))
            changes.append(100 * float((new[at] - own[at]) / own[at]))
    return changes


def table() -> list[str]:
    sources = read_sources("default")
    computations: list[Perturbed] = []
    estimates: list[tuple[Perturbed, Estimate]] = []
    for result in walks():
        computations.append(Perturbed(result))
        estimates.append((computations[-1], estimate(result, sources, features=False)))

    def over_all(function: object, shift: object, joint: str) -> str:
        values: list[float] = []
        for found in computations:
            values += function(found, shift(found), joint)  # type: ignore[operator]
        q = np.percentile(values, [25, 50, 75])
        return f"{q[1]:.0f} ({q[0]:.0f} to {q[2]:.0f})"

    def forward(found: Perturbed, metres: float) -> Shift:
        way = found.result.body.R_gp
        ahead = way[:, 0] if way.ndim == 2 else np.nanmean(way, axis=0)[:, 0]
        return Shift(load={"cop": metres * ahead})

    def hip(found: Perturbed, offset: Array) -> Shift:
        model = found.result.model
        shift = {model.place("point", "hip", side): offset for side in found.sides}
        return Shift(centres=shift)

    def outward(found: Perturbed, metres: float) -> Shift:
        model = found.result.model
        sign = {"left": 1.0, "right": -1.0}
        return Shift(
            centres={model.place("point", "hip", s): np.array([0.0, sign[s] * metres, 0.0]) for s in found.sides}
        )

    lines = head("shifted", "quantity", "here, median (quartiles) of the stances", "published")
    for joint in ("ankle_plantarflexion", "knee_extension", "hip_extension"):
        here = over_all(effect, lambda found: forward(found, 0.010), joint)
        of = f"largest change of the {joint.replace('_', ' ')} moment, % of its largest size"
        lines.append(f"| centre of pressure 10 mm forward | {of} | {here} | 14 (McCaw & DeVita 1995) |")
    here = over_all(peak_change, lambda found: hip(found, np.array([0.030, 0.0, 0.0])), "hip_extension")
    lines.append(f"| hip centre 30 mm forward | largest hip flexion–extension moment, % | {here} | −22 (Stagni 2000) |")
    here = over_all(peak_change, lambda found: outward(found, 0.030), "hip_abduction")
    lines.append(
        f"| hip centre 30 mm outward | largest hip abduction moment, % | {here} | −15 (Stagni 2000, sideways) |"
    )
    u_deg, u_Nm = [], []
    for computation, found in estimates:
        mass = computation.result.subject.mass_kg
        for i, name in enumerate(found.names):
            known = found.standard[:, i][np.isfinite(found.standard[:, i])]
            if name.endswith("_deg") and "pelvis" not in name and "progression" not in name and known.size:
                u_deg.append(2 * 1.645 * float(np.median(known)))
            if name.endswith("_moment_Nm_per_kg"):
                for side, frames in stances(computation.result):
                    if name.startswith(side):
                        u_Nm.append(2 * 1.645 * mass * float(np.nanmedian(found.standard[frames, i])))
    q_deg, q_Nm = np.percentile(u_deg, [10, 90]), np.percentile(u_Nm, [10, 90])
    lines.append(
        f"| all sources together | 5 to 95 % bounds of joint angles, width | {q_deg[0]:.1f} to {q_deg[1]:.1f}° | "
        "2.7 to 6.4° (Myers 2015, musculoskeletal model, marker movement, landmarks, masses) |"
    )
    lines.append(
        "| all sources together | 5 to 95 % bounds of joint moments in stance, width | "
        f"{q_Nm[0]:.1f} to {q_Nm[1]:.1f} N·m | 2.7 to 8.1 N·m (Myers 2015) |"
    )
    return lines


def main() -> None:
    given = parser_of(__doc__, "uncertainty_method").parse_args()
    show(table(), given.write, "uncertainty_method", "sensitivity")


if __name__ == "__main__":
    main()
