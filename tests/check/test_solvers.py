"""What `gaitid check --solvers` says: on trials that agree, and where a solver fails in a way that hides itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.check.checks import compare_solvers, solvers_agree
from gaitid.check.limits import SOLVER_TOLERANCE
from gaitid.dynamics.chain import Chain, Wrench
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.model.load import load_model
from gaitid.run import RunOptions, analyse_file, prepare

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "analysis"))


SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"


@pytest.fixture(scope="module")
def result() -> Result:
    return analyse(simulated_walk().trial, load_model("pig"), SubjectFile())


def test_every_solver_is_compared_on_every_joint(result: Result) -> None:
    compared = compare_solvers(result)
    where = {
        f"{side} {joint} {kind}"
        for side in ("left", "right")
        for joint in ("ankle", "knee", "hip")
        for kind in ("force", "moment")
    }
    assert {(one.solver, one.where) for one in compared} == {(s, w) for s in SOLVERS if s != "block" for w in where}
    assert all(one.values > 300 for one in compared)
    assert solvers_agree(compared).status == "pass"
    # double precision leaves some 1e-15 of the largest value: far below what is demanded
    assert max(one.relative for one in compared) < 1e-12 < SOLVER_TOLERANCE


def spoiled(by: float) -> Callable[[Chain, np.ndarray], list[Wrench]]:
    """The block solver with every wrench multiplied."""
    solve = SOLVERS["block"]
    return lambda chain, gravity_g: [Wrench(w.f_g * by, w.m_g * by, w.p_g) for w in solve(chain, gravity_g)]


@pytest.mark.parametrize("which", SOLVERS)
@pytest.mark.parametrize("by", [np.nan, 0.0, -1.0, 1 + 2e-9])
def test_a_solver_that_is_empty_or_zero_or_turned_round_fails(
    result: Result, which: str, by: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one too, against which the others are held."""
    monkeypatch.setitem(SOLVERS, which, spoiled(by))
    finding = solvers_agree(compare_solvers(result))
    assert finding.status == "fail"
    assert ("empty" in finding.text) == bool(np.isnan(by))
    if which != "block":
        assert which in finding.text


# --- the shared trials that need more than `--model pig`; those that do not are in `tests/dynamics` -----------------

recorded = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")


def assert_agree(result: Result) -> None:
    compared = compare_solvers(result)
    assert all(one.values > 100 for one in compared)
    assert max(one.relative for one in compared) <= SOLVER_TOLERANCE


@recorded
def test_on_a_walk_with_a_static_and_a_subject_s_file(tmp_path: Path) -> None:
    model, subject = tmp_path / "outer_toe.yaml", tmp_path / "subject.yaml"
    model.write_text('gaitid_model: 1\nextends: pig\nname: outer_toe\neach_side: {markers: {toe: "{S}LA_TOE"}}\n')
    sizes = "{0}_leg_length_mm: 700\n{0}_knee_width_mm: 80\n{0}_ankle_width_mm: 55\n"
    legs = "".join(sizes.format(side) for side in ("left", "right"))
    subject.write_text(f"mass_kg: 36\n{legs}inter_asis_distance_mm: 190\n")
    chosen = prepare(RunOptions(str(model), static=SHARED / "qualisys/static.c3d", subject=subject))
    assert_agree(analyse_file(SHARED / "qualisys/walk.c3d", chosen))
