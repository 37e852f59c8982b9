"""What a load would be worth that the body's motion completes where a plate measures a part of the foot only.

On stances that plates measure whole, in single support, the force that the motion asks for takes the measured one's
place: F = m (a - g), with the acceleration from pelvis and legs (docs/whole_body.md). First at the measured centre
of pressure, which nobody would know better: what is wrong then is the least that any completed load has. Then at a
centre of pressure that goes evenly from heel to toe, as where nothing of the foot is measured, and a quarter of the way
to it, as where a quarter of the load is beside the plate at a place that nobody knows. The table of
docs/uncertainty_method.md. Needs ../shared/trials.

python benchmarks/partly_measured.py [--write]
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np
from pages import write_between
from sensitivity import PAGE, walks

from gaitid.analysis.result import Result
from gaitid.body.centre_of_mass import acceleration_of_body
from gaitid.dynamics.wrench import Wrench
from gaitid.ground.contacts import FootLoad
from gaitid.trial import Array, Mask
from gaitid.uncertainty.estimate import estimate
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.sources import read_sources

MOMENTS = ("hip_extension", "hip_abduction", "knee_extension", "ankle_plantarflexion")
OTHER = {"left": "right", "right": "left"}
#: Of the load: what is beside the plate.
BESIDE = (0.0, 0.25, 1.0)
#: Of the vertical force on a foot: less is no stance.
LEAST = 0.3


def single(result: Result, side: str) -> Mask:
    """(frames,) in which one foot stands alone on a plate that measures it whole."""
    own, other = (result.sides[s].load for s in (side, OTHER[side]))
    weight = result.subject.mass_kg * np.linalg.norm(result.gravity_g)
    stands = np.nan_to_num(own.wrench.f_g @ result.body.geometry.up_g) > LEAST * weight
    return np.asarray(stands & (other.state == 0) & np.isfinite(own.cop_g).all(axis=1))


def completed(result: Result, side: str, rows: Mask, beside: float) -> Result:
    """The result with the force that the motion asks for in these frames, a share of it at a place that is guessed."""
    body, load = result.body, result.sides[side].load
    asked = result.subject.mass_kg * (acceleration_of_body(body) - result.gravity_g)
    cop_g = load.cop_g.copy()
    if beside:
        heel, toe = (body.geometry.point(name, side) for name in (result.model.heel, result.model.toe))
        for stance in np.split(np.flatnonzero(rows), np.flatnonzero(np.diff(np.flatnonzero(rows)) > 1) + 1):
            part = np.linspace(0.2, 0.9, len(stance))[:, None]  # of single support: the foot is flat, then on the toes
            ways = (toe - heel)[stance]
            up_g = body.geometry.up_g
            at = heel[stance] + part * ways
            guessed = at + np.outer((load.cop_g[stance] - at) @ up_g, up_g)
            cop_g[stance] = (1 - beside) * load.cop_g[stance] + beside * guessed
    f_g = np.where(rows[:, None], asked, load.wrench.f_g)
    turning = load.free_moment[:, None] * result.body.geometry.up_g
    m_g = np.where(rows[:, None], np.cross(cop_g, f_g) + turning, load.wrench.m_g)
    changed = FootLoad(load.state, Wrench(f_g, m_g, load.wrench.p_g), cop_g, load.free_moment)
    sides = {**result.sides, side: replace(result.sides[side], load=changed)}
    return replace(result, sides=sides)


def table() -> list[str]:
    found: dict[tuple[str, float], list[Array]] = {}
    ranges: dict[str, list[float]] = {}
    stated: dict[str, list[float]] = {}
    forces: list[Array] = []
    for _, result in walks():
        known = estimate(result, read_sources("default"), features=False)
        own = Perturbed(result)
        for side in own.sides:
            rows = single(result, side)
            if rows.sum() < 10:
                continue
            for beside in BESIDE:
                other = completed(result, side, rows, beside)
                changed = Perturbed(other).unshifted
                for moment in MOMENTS:
                    i = own.names.index(f"{side}_{moment}_moment_Nm_per_kg")
                    found.setdefault((moment, beside), []).append((changed - own.unshifted)[rows, i])
                    if not beside:
                        ranges.setdefault(moment, []).append(float(np.ptp(own.unshifted[rows, i])))
                        stated.setdefault(moment, []).append(float(np.nanmedian(known.standard[rows, i])))
                if not beside:
                    weight = result.subject.mass_kg * np.linalg.norm(result.gravity_g)
                    apart = other.sides[side].load.wrench.f_g - result.sides[side].load.wrench.f_g
                    R = result.body.R_gp if result.body.R_gp.ndim == 2 else result.body.R_gp[0]
                    forces.append((apart[rows] @ R) / weight)
    force = np.concatenate(forces)
    rms = np.sqrt(np.nanmean(force**2, axis=0))
    lines = [
        f"{len(forces)} stances: the force asked for is off by {rms[0]:.3f} of body weight along the way of walking, "
        f"{rms[1]:.3f} across it and {rms[2]:.3f} upward (RMS of single support).",
        "",
        "| moment, N·m/kg | its range in single support | off by, 95 % of frames: pressure known | that of a quarter "
        "of the load guessed | all guessed, from heel to toe | 95 % of a measured load's band |",
        "|---|---|---|---|---|---|",
    ]
    for moment in MOMENTS:
        ends = [np.nanpercentile(np.abs(np.concatenate(found[moment, beside])), 95) for beside in BESIDE]
        cells = [np.median(ranges[moment]), *ends, 1.96 * np.median(stated[moment])]
        lines.append(f"| {moment.replace('_', ' ')} | {' | '.join(f'{cell:.2f}' for cell in cells)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the table into docs/uncertainty_method.md")
    given = parser.parse_args()
    lines = table()
    print("\n".join(lines))
    if given.write:
        write_between(PAGE, "partly measured", lines)


if __name__ == "__main__":
    main()
