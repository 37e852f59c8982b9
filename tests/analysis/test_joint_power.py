"""Powers of six degrees of freedom: all of them together are the change of a leg's mechanical energy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gaitid
from gaitid.analysis.joint_power import joint_powers, velocity_at
from gaitid.analysis.result import Result
from gaitid.numerics.rotation import apply, apply_transposed, dot

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d"


@pytest.fixture(scope="module")
def analysis() -> gaitid.Analysis:
    return gaitid.analyse(WALK, model="pig", settings={"segment_length": "trial_mean"})


def test_powers_are_the_change_of_energy(analysis: gaitid.Analysis) -> None:
    """dE/dt of a leg = powers of its joints + power at the hip as the thigh has it + powers of ground and weight.

    From the definitions of each, in every frame: Ė = m a · v − m g · v + ω · I α, with no derivative of a curve.
    """
    result: Result = analysis.result
    mass = result.subject.mass_kg
    for side, leg in result.sides.items():
        powers = joint_powers(result)[side]
        change = np.zeros(result.trial.n_frames)
        for segment, motion in leg.motions.items():
            link = next(of for of, spec in zip(leg.chain.links, result.model.chain) if spec.segment == segment)
            change += link.mass * dot(motion.acc_g - result.gravity_g, motion.vel_g)
            spin = apply_transposed(motion.R_gs, motion.omega_g)
            turned = apply(link.inertia_s, apply_transposed(motion.R_gs, motion.alpha_g))
            change += dot(spin, turned)
        ground, hip = leg.acting.wrench.at(leg.motions["foot"].com_g), leg.wrenches["hip"]
        given = dot(ground.f_g, leg.motions["foot"].vel_g) + dot(ground.m_g, leg.motions["foot"].omega_g)
        given += dot(hip.f_g, velocity_at(leg.motions["thigh"], leg.joints_g["hip"]))
        given += dot(hip.m_g, leg.motions["thigh"].omega_g)
        given += mass * sum(sum(powers[joint]) for joint in ("knee", "ankle"))
        known = np.isfinite(given) & np.isfinite(change)
        assert known.sum() > 100
        assert given[known] == pytest.approx(change[known], abs=1e-8 * np.abs(change[known]).max())


def test_the_table_has_them_side_by_side(analysis: gaitid.Analysis) -> None:
    table = analysis.joint_power
    for side in ("left", "right"):
        for joint in ("hip", "knee", "ankle"):
            parts = [table[f"{side}_{joint}_{kind}_power_W_per_kg"] for kind in ("rotational", "translational")]
            total = table[f"{side}_{joint}_six_degree_of_freedom_power_W_per_kg"]
            np.testing.assert_allclose(parts[0] + parts[1], total)
            np.testing.assert_array_equal(parts[0], analysis.powers[f"{side}_{joint}_power_W_per_kg"])


# --- components in axes that are not square -------------------------------------------------------------------------


def test_components_of_the_dual_basis_add_up_and_projections_do_not() -> None:
    found = {
        how: gaitid.analyse(WALK, model="pig", express_in=("global", "jcs"), settings={"jcs_components": how})
        for how in ("projection", "dual_basis")
    }
    axes = found["projection"].result.sides["left"].axes["hip"]["jcs"]
    in_global = found["projection"].wrenches[[f"left_hip_moment_global_{a}_Nm" for a in "xyz"]].to_numpy()
    sums = {}
    for how, analysis in found.items():
        parts = analysis.wrenches[[f"left_hip_moment_jcs_{a}_Nm" for a in "xyz"]].to_numpy()
        sums[how] = np.einsum("fij,fj->fi", axes, parts)
        words = {"projection": "projections on the axes", "dual_basis": "components (by the dual basis) that add up"}
        assert analysis.record["conventions"]["jcs"].startswith(words[how])
        assert analysis.record["settings"]["jcs_components"] == how
    known = np.isfinite(in_global).all(axis=1)
    assert sums["dual_basis"][known] == pytest.approx(in_global[known], abs=1e-6)
    assert np.abs(sums["projection"] - in_global)[known].max() > 0.1
