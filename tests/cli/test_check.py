"""`gaitid check`: passes what is sound, names what is not with a number, and sees every change against golden."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from terminal import assert_refused, assert_wrong_usage, edited_c3d, gaitid, recorded, set_parameter

from gaitid.analysis.figures import vertical_force
from gaitid.analysis.result import Result
from gaitid.check.checks import balance, compare_solvers, solvers_agree
from gaitid.dynamics.chain import Chain, Wrench
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.run import RunOptions, analyse_file, prepare


@pytest.fixture(scope="module")
def result(walk: Path) -> Result:
    return analyse_file(walk, prepare(RunOptions("pig")))


def with_leg(result: Result, side: str, **changes: Any) -> Result:
    """The result with some of one leg replaced."""
    from dataclasses import replace

    return replace(result, sides={**result.sides, side: replace(result.sides[side], **changes)})


def failed(findings: list[Any]) -> set[str]:
    return {f.name for f in findings if f.status == "fail"}


# --- the command --------------------------------------------------------------------------------------------


def test_a_sound_trial_passes(walk: Path) -> None:
    done = gaitid("check", walk, "--model", "pig")
    assert done.code == 0, done
    assert len(done.out.splitlines()) == 1
    assert done.out.startswith(f"PASS {walk}: solvers agree to ")
    for words in ("force balance", "moment balance", "loads known", "length varies", "body weights"):
        assert words in done.out


def test_json(walk: Path, tmp_path: Path) -> None:
    done = gaitid("check", walk, tmp_path / "none.c3d", "--model", "pig", "--json")
    assert done.code == 1
    content = json.loads(done.out)
    assert content["passed"] is False
    sound, absent = content["trials"]
    assert sound["passed"] is True
    names = [c["name"] for c in sound["checks"]]
    assert {"solvers", "force balance", "moment balance", "loads", "coverage", "segment length"} <= set(names)
    balance_check = next(c for c in sound["checks"] if c["name"] == "force balance")
    assert balance_check["status"] == "pass"
    assert 0 <= balance_check["value"] < balance_check["limit"]
    assert balance_check["unit"] == "N"
    assert [c["name"] for c in absent["checks"]] == ["analysis"]


def test_a_walk_in_which_no_wrench_is_known_fails(walk: Path) -> None:
    done = gaitid("check", walk, "--model", "lateral")
    assert done.code == 1, done
    assert "coverage: no wrench is known in any frame" in done.out
    assert "warning: sagittal angles from lateral markers" in done.err


def test_a_trial_that_is_not_to_be_used_fails_with_the_reason_and_its_cure(walk: Path, tmp_path: Path) -> None:
    trial = edited_c3d(walk, tmp_path / "walk.c3d", lambda c: set_parameter(c, "Bodymass", 70 * 2.2046))
    done = gaitid("check", trial, "--model", "pig", "--json")
    (found,) = json.loads(done.out)["trials"]
    assert (done.code, found["verdict"]["trial"]) == (1, "do not use")
    (check,) = [c for c in found["checks"] if c["name"] == "verdict"]
    assert check["status"] == "fail" and "cure: give the mass in kg" in check["text"]


@recorded(
    "children/HC002D/walk.c3d",
    "children/HC030A/walk.c3d",
    "children/HC030A/turn.c3d",
    "children/HC031A/walk.c3d",
    "children/HC036A/walk.c3d",
    "nexus_flatfoot/walk.c3d",
    "sydney/walk03.c3d",
    "sydney/walk04.c3d",
    "sydney/walk05.c3d",
)
@pytest.mark.parametrize("model", ["pig", "pig_vicon"])
def test_recorded_walks_pass(recorded_trial: Path, model: str) -> None:
    done = gaitid("check", recorded_trial, "--model", model, "--require-forces", "-q")
    assert done.code == 0, done.out


def test_refusals(walk: Path) -> None:
    assert_refused(gaitid("check", walk, "--model", "pgi"), "pgi")
    assert_refused(gaitid("check", walk, "--model", "pig", "--set", "gravity=1"), "gravity")
    assert_wrong_usage(gaitid("check", "--model", "pig"))
    assert_wrong_usage(gaitid("check", walk, "--model", "pig", "--tolerance", "force=1"), "force_N")
    alone = gaitid("check", walk, "--model", "pig", "--tolerance", "force_N=1")
    assert_wrong_usage(alone, "--tolerance belongs to --against; give --against DIR, or leave it out")
    for option in ("--tolerance", "--max-uncertainty"):
        twice = gaitid("check", walk, "--against", "x", option, "force_N=1", option, "force_N=20")
        assert_wrong_usage(twice, f"'{option}': force_N is given twice, as 1 and 20; give it once")
    elsewhere = walk.parent / "other" / walk.name
    assert_wrong_usage(gaitid("check", walk, elsewhere, "--model", "pig", "--against", "golden"), "{parent}")


# --- the checks see what they are for -----------------------------------------------------------------------


@pytest.mark.parametrize("joint", ["ankle", "knee", "hip"])
def test_balance_sees_a_force_and_a_moment_that_are_wrong(result: Result, joint: str) -> None:
    leg = result.sides["left"]
    wrench = leg.wrenches[joint]
    push, turn = np.array([3.0, 0, 0]), np.array([0, 8.0, 0])
    wrong_force = {**leg.wrenches, joint: Wrench(wrench.f_g + push, wrench.m_g, wrench.p_g)}
    assert "force balance" in failed(balance(with_leg(result, "left", wrenches=wrong_force)))
    wrong_moment = {**leg.wrenches, joint: Wrench(wrench.f_g, wrench.m_g + turn, wrench.p_g)}
    assert failed(balance(with_leg(result, "left", wrenches=wrong_moment))) == {"moment balance"}
    flipped = {**leg.wrenches, joint: Wrench(-wrench.f_g, -wrench.m_g, wrench.p_g)}
    assert failed(balance(with_leg(result, "left", wrenches=flipped))) == {"force balance", "moment balance"}


def test_balance_sees_a_lost_mass_and_a_turned_gravity(result: Result) -> None:
    from dataclasses import replace

    bodies = dict(result.sides["left"].bodies)
    bodies["foot"] = replace(bodies["foot"], mass_kg=0.5 * bodies["foot"].mass_kg)
    assert "force balance" in failed(balance(with_leg(result, "left", bodies=bodies)))
    turned = replace(result, gravity_g=np.array([0.0, -9.81, 0.0]))
    assert "force balance" in failed(balance(turned))


def test_solvers_that_disagree(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    """One knee moment that is wrong by 1e-8, or empty, is found and named."""
    assert solvers_agree(compare_solvers(result)).status == "pass"
    dense = SOLVERS["dense"]

    def wrong(by: float) -> Callable[..., list[Wrench]]:
        def solve(chain: Chain, gravity_g: np.ndarray) -> list[Wrench]:
            ankle, knee, hip = dense(chain, gravity_g)
            return [ankle, Wrench(knee.f_g, knee.m_g * by, knee.p_g), hip]

        return solve

    monkeypatch.setitem(SOLVERS, "dense", wrong(1 + 1e-8))
    finding = solvers_agree(compare_solvers(result))
    assert finding.status == "fail"
    assert finding.value == pytest.approx(1e-8, rel=0.01)
    assert "dense against block" in finding.text
    assert "knee moment" in finding.text
    monkeypatch.setitem(SOLVERS, "dense", wrong(np.nan))
    finding = solvers_agree(compare_solvers(result))
    assert finding.status == "fail"
    assert "empty" in finding.text


def test_mean_force_over_a_step_is_body_weight(result: Result) -> None:
    means = [f for f in vertical_force(result) if f.name == "mean force"]
    assert len(means) == 1
    assert means[0].value == pytest.approx(1.0, abs=0.05)


# --- golden results -----------------------------------------------------------------------------------------


@pytest.fixture
def golden(results: Path, tmp_path: Path) -> Path:
    """A copy of what `run` wrote of the simulated walk, to spoil."""
    folder = tmp_path / "golden"
    folder.mkdir()
    for path in results.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def against(walk: Path, golden: Path, *options: object) -> Any:
    return gaitid("check", walk, "--model", "pig", "--against", golden, *options)


def change(path: Path, column: str, row: int, edit: Callable[[str], str]) -> None:
    lines = path.read_text().splitlines()
    at = lines[0].split(",").index(column)
    cells = lines[1 + row].split(",")
    cells[at] = edit(cells[at])
    lines[1 + row] = ",".join(cells)
    path.write_text("\n".join(lines) + "\n")


def filled_row(path: Path, column: str) -> int:
    lines = path.read_text().splitlines()
    at = lines[0].split(",").index(column)
    return next(i for i, line in enumerate(lines[1:]) if line.split(",")[at] and i > 100)


def test_nothing_moved(walk: Path, golden: Path) -> None:
    done = against(walk, golden)
    assert done.code == 0, done
    tables = "wrenches, joints, contacts, cycles, spatiotemporal, features, stances, segments"
    assert f"{tables} as golden (to the last digit)" in done.out


#: Table and column, twice the tolerance, and the unit in words.
NOTICED = [
    ("segments", "left_foot_acc_x_m_per_s2", 0.002, "m/s²"),
    ("segments", "left_foot_omega_x_rad_per_s", 2e-4, "rad/s"),
    ("segments", "left_foot_alpha_x_rad_per_s2", 0.02, "rad/s²"),
    ("segments", "left_foot_qw", 2e-5, ""),
    ("wrenches", "left_hip_force_global_z_N", 0.02, "N"),
    ("wrenches", "left_hip_moment_distal_y_Nm", 0.002, "N·m"),
    ("wrenches", "left_ground_cop_x_m", 2e-5, "m"),
    ("joints", "left_knee_flexion_deg", 0.002, "deg"),
    ("joints", "left_knee_extension_moment_Nm_per_kg", 2e-5, "N·m/kg"),
    ("joints", "left_ankle_power_W_per_kg", 2e-4, "W/kg"),
]


@pytest.mark.parametrize(("table", "column", "by", "unit"), NOTICED)
def test_each_quantity_has_its_tolerance(
    walk: Path, golden: Path, table: str, column: str, by: float, unit: str
) -> None:
    path = golden / f"walk.{table}.csv"
    row = filled_row(path, column)
    change(path, column, row, lambda cell: f"{float(cell) + by:.10g}")
    done = against(walk, golden)
    assert done.code == 1
    assert f"golden: {column} (frame {row + 1}) moved by {f'{by:.3g} {unit}'.strip()}\n" in done.out
    assert "no difference of version, settings, model or input is recorded" in done.out


def test_a_changed_setting_is_named(walk: Path, golden: Path) -> None:
    done = against(walk, golden, "--set", "gravity_m_per_s2=9.79")
    assert done.code == 1
    cause, _, moved = done.out.partition("; golden: ")
    assert cause == f"FAIL {walk}: golden record: since settings.gravity_m_per_s2 9.81 -> 9.79"
    assert moved.count("moved by") > 3 and "golden" not in moved


def test_what_the_record_knows_is_named(walk: Path, golden: Path, tmp_path: Path) -> None:
    record = golden / "walk.run.json"
    content = json.loads(record.read_text())
    content["gaitid"] = "0.0.1"
    next(i for i in content["inputs"] if i["role"] == "model")["sha256"] = "0" * 64
    record.write_text(json.dumps(content))
    done = against(walk, golden)
    assert done.code == 0, "the same numbers"
    assert "same numbers since gaitid 0.0.1 -> " in done.err
    assert ", model pig.yaml (bundled) changed\n" in done.err
    other = edited_c3d(walk, tmp_path / "walk.c3d", lambda c: set_parameter(c, "Bodymass", 71.0))
    done = against(other, golden)
    assert done.code == 1
    assert "trial walk.c3d changed" in done.out
    assert "subject.mass 70 kg -> 71 kg" in done.out


# --- the log ------------------------------------------------------------------------------------------------


def logged(path: Path) -> list[tuple[str, str | None, str]]:
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [(e["event"], e["trial"], e["message"]) for e in entries]


def test_the_log_has_every_trial(walk: Path, tmp_path: Path) -> None:
    log, none = tmp_path / "log.jsonl", tmp_path / "none.c3d"
    done = gaitid("check", walk, none, "--model", "pig", "--log", log, "-q")
    assert done.code == 1
    start, begun, clock, passed, again, failed_, end = logged(log)
    assert (start[0], begun[:2], again[:2], end) == (
        "start",
        ("begin", str(walk)),
        ("begin", str(none)),
        ("end", None, "1 error"),
    )
    assert clock[1] == str(walk) and "differ by a constant time" in clock[2]
    assert passed == ("passed", str(walk), "")
    assert failed_ == ("failed", str(none), "analysis: no such file; check the path")
