"""Joint space of a result (`--write joint_space`): its terms against sums over the segments themselves."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gaitid.analysis.joint_space import JointSpace, joint_space
from gaitid.analysis.result import Result
from gaitid.inputs import load_files_beside
from gaitid.run import RunOptions, analyse_file, prepare
from gaitid.simulate.files import simulate

Array = NDArray[np.float64]
SCENARIOS = Path(__file__).parents[1] / "simulate" / "scenarios"
INNER = slice(25, -25)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("chains")
    for name in ("whole_body", "loaded"):
        simulate(SCENARIOS / f"{name}.yaml", made, duration=0.6)
    return made


@cache
def analysed(folder: Path, name: str) -> tuple[Result, JointSpace]:
    trial = folder / f"{name}.csv"
    model = str(folder / f"{name}.model.yaml")
    options = RunOptions(model=model, settings={"cutoff_hz": "none"}, loads=tuple(load_files_beside(trial)))
    result = analyse_file(trial, prepare(options))
    return result, joint_space(result)


def axes_of(result: Result, found: JointSpace) -> dict[str, Array]:
    """Each coordinate's axis over time, laboratory axes, from the segments' own orientations."""
    model, leg = result.model, result.sides["right"]
    axes = {}
    for spec, above in zip(model.chain, model.proximal, strict=True):
        parent = result.base if above is None else leg.motions[model.chain[above].segment]
        P, D = parent.R_gs, leg.motions[spec.segment].R_gs
        i, _, k = ("xyz".index(letter) for letter in model.angles[spec.joint].sequence)
        first, third = P[:, :, i], D[:, :, k]
        second = np.cross(third, first)  # square to both: up to its sense, which the rotations settle
        second /= np.linalg.norm(second, axis=1)[:, None]
        joint = f"right_{spec.joint}"
        names = [name for name in found.coordinates if name.startswith(f"{joint}_turn")]
        axes |= {names[0]: first, names[1]: second, names[2]: third}
        for n, letter in enumerate("xyz"):
            axes[f"{joint}_slide_{letter}"] = P[:, :, n]
    return axes


@pytest.mark.parametrize("name", ["whole_body", "loaded"])
def test_terms_are_sums_over_the_segments(folder: Path, name: str) -> None:
    result, found = analysed(folder, name)
    leg = result.sides["right"]
    kinetic, weight = np.zeros(result.trial.n_frames), np.zeros(result.trial.n_frames)
    for body in result.model.chain:
        m, p = leg.motions[body.segment], leg.bodies[body.segment]
        spin = np.einsum("tji,tj->ti", m.R_gs, m.omega_g)
        kinetic += p.mass_kg * (m.vel_g**2).sum(axis=1) / 2 + np.einsum("ti,ij,tj->t", spin, p.inertia_s, spin) / 2
        weight -= p.mass_kg * m.vel_g @ result.gravity_g
    by_M = np.einsum("ti,tij,tj->t", found.qd, found.M, found.qd) / 2
    # J and W: joints of markers with ten digits give way by 1e-9 m
    np.testing.assert_allclose(by_M[INNER], kinetic[INNER], rtol=1e-6)
    np.testing.assert_allclose(np.sum(found.G * found.qd, axis=1)[INNER], weight[INNER], rtol=0, atol=1e-5)
    for segment, J in found.ends.items():
        m = leg.motions[segment.removeprefix("right_")]
        moved = np.einsum("trn,tn->tr", J, found.qd)
        np.testing.assert_allclose(moved[INNER, :3], m.vel_g[INNER], rtol=0, atol=1e-5)  # m/s
        np.testing.assert_allclose(moved[INNER, 3:], m.omega_g[INNER], rtol=0, atol=1e-8)  # rad/s
    # W: what V does is half the change of M (Craig 2005, section 6.8): by differences of M at 200 Hz
    rate = np.gradient(found.M, 1 / result.trial.rate_hz, axis=0, edge_order=2)
    half = np.einsum("ti,tij,tj->t", found.qd, rate, found.qd) / 2
    power = np.sum(found.V * found.qd, axis=1)
    assert np.abs(power[INNER]).max() > 0.1
    np.testing.assert_allclose(power[INNER], half[INNER], rtol=0, atol=0.01 * np.abs(power[INNER]).max())


@pytest.mark.parametrize("name", ["whole_body", "loaded"])
def test_the_torque_that_they_sum_to_is_the_wrench_along_each_axis(folder: Path, name: str) -> None:
    result, found = analysed(folder, name)
    leg, axes = result.sides["right"], axes_of(result, found)
    assert any("slide" in coordinate for coordinate in found.coordinates)
    for i, coordinate in enumerate(found.coordinates):
        joint = coordinate.removeprefix("right_").rsplit("_", 2)[0]
        wrench, axis = leg.wrenches[joint], axes[coordinate]
        along = np.sum(axis * (wrench.m_g if found.turns[i] else wrench.f_g), axis=1)
        mine = found.tau[:, i]
        if (
            "_turn_" in coordinate
            and np.abs(mine[INNER] + along[INNER]).max() < np.abs(mine[INNER] - along[INNER]).max()
        ):
            along = -along  # the second axis, whose sense the cross product leaves open
        # N·m and N: wrenches up to 100, of poses that give way by 1e-9 m and their second derivatives
        np.testing.assert_allclose(mine[INNER], along[INNER], rtol=0, atol=2e-3, err_msg=coordinate)
