"""`gaitid check`: passes what is sound, names what is not with a number, and sees every change against golden."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from terminal import assert_refused, assert_wrong_usage, edited_c3d, gaitid, recorded, set_parameter

from gaitid.analysis.figures import vertical_force
from gaitid.analysis.result import Result
from gaitid.check.checks import balance, check_result, compare_solvers, solvers_agree
from gaitid.check.findings import Finding, Report
from gaitid.check.limits import TOLERANCES
from gaitid.dynamics.chain import Chain
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.dynamics.wrench import Wrench
from gaitid.ground.contacts import LOADED
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


def test_the_help_has_every_check_and_the_limits_of_the_code(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gaitid.body.length_limits.LENGTH_SD_FAIL_M", 0.0423)
    words = " ".join(gaitid("check", "--help").out.split())
    assert all(f" {finding.name} " in words for finding in check_result(result) if finding.name != "note")
    assert all(f"{name} {limit:g}" in words for name, limit in TOLERANCES.items())
    assert "warning above 0.015 m, failure above 0.0423 m" in words
    assert gaitid("check", "--help").out.count("Example:  gaitid check trials") == 1


# --- the command --------------------------------------------------------------------------------------------


def test_a_sound_trial_passes(walk: Path) -> None:
    done = gaitid("check", walk, "--model", "pig")
    assert done.code == 0, done
    assert len(done.out.splitlines()) == 1
    assert done.out.startswith(f"PASS {walk}: solvers agree to ")
    for words in ("force balance", "moment balance", "loads known", "length varies", "body weights"):
        assert words in done.out


def test_a_model_that_was_chosen_is_the_one_of_the_golden_record(walk: Path, tmp_path: Path) -> None:
    assert gaitid("run", walk, "-o", tmp_path, "-q").code == 0
    done = gaitid("check", walk, "--against", tmp_path)
    assert done.code == 0, done
    assert "same numbers since" not in done.err


def test_one_line_a_trial_and_exit_code_of_the_worst(walk: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.c3d"
    bad.write_bytes(b"nonsense")
    done = gaitid("check", bad, walk, tmp_path / "none.c3d", "--model", "pig", "-q")
    assert done.code == 1
    first, second, third = done.out.splitlines()
    assert first.startswith(f"FAIL {bad}: analysis: not a C3D file")
    assert second.startswith(f"PASS {walk}: ")
    assert third == f"FAIL {tmp_path / 'none.c3d'}: analysis: no such file; check the path"
    assert done.err == ""


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


def test_what_was_assumed_is_no_warning_and_reads_as_run_says_it(walk: Path, tmp_path: Path) -> None:
    command = (walk, "--model", "lateral")
    ran, done = gaitid("-v", "run", *command, "-o", tmp_path), gaitid("check", *command, "--json")

    def said(err: str, head: str) -> list[str]:
        return [line for line in err.splitlines() if f"{walk}: {head}: " in line]

    for head in ("assumed", "note"):
        assert said(done.err, head) == said(ran.err, head) != []
    (trial,) = json.loads(done.out)["trials"]
    (assumed,) = said(done.err, "assumed")
    (check,) = [check for check in trial["checks"] if assumed.endswith(check["text"])]
    assert (check["name"], check["status"]) == ("note", "note")
    assert len(said(done.err, "warning")) == sum(check["status"] == "warn" for check in trial["checks"])


def test_a_static_is_not_failed_for_having_no_contact(simulated: Path) -> None:
    trial, subject = simulated / "static.c3d", simulated / "walk.subject.yaml"
    done = gaitid("check", trial, "--model", "pig", "--subject", subject)
    assert done.code == 0, done
    assert "the subject stands still: no stance is asked; the subject stands still: no wrench is asked" in done.out
    assert "solvers were not compared" in done.err
    assert "agree to" not in done.out
    done = gaitid("check", trial, "--model", "pig", "--subject", subject, "--require-forces")
    assert done.code == 1
    assert done.out.startswith("FAIL ")
    assert "force plate" in done.out


@pytest.mark.parametrize(
    ("factor", "code", "cause"),
    [
        (2.2046, 1, "a mass in pounds read as kilograms, it seems"),
        (1 / 2.2046, 1, "a mass in kilograms read as pounds, it seems"),
        (1.25, 0, "body mass or plate wrong"),
    ],
)
def test_mass_in_pounds(walk: Path, tmp_path: Path, factor: float, code: int, cause: str) -> None:
    trial = edited_c3d(walk, tmp_path / "walk.c3d", lambda c: set_parameter(c, "Bodymass", 70 * factor))
    done = gaitid("check", trial, "--model", "pig")
    assert done.code == code, done
    measured = re.search(r"mean vertical force ([0-9.]+) body weights", done.out + done.err)
    assert measured
    assert float(measured[1]) == pytest.approx(1 / factor, rel=0.05)
    assert cause in done.out + done.err


def test_a_trial_that_is_not_to_be_used_fails_with_the_reason_and_its_cure(walk: Path, tmp_path: Path) -> None:
    trial = edited_c3d(walk, tmp_path / "walk.c3d", lambda c: set_parameter(c, "Bodymass", 70 * 2.2046))
    done = gaitid("check", trial, "--model", "pig", "--json")
    (found,) = json.loads(done.out)["trials"]
    assert (done.code, found["verdict"]["trial"]) == (1, "do not use")
    (check,) = [c for c in found["checks"] if c["name"] == "verdict"]
    assert check["status"] == "fail" and "cure: give the mass in kg" in check["text"]


def swap(a: str, b: str, first: int, last: int) -> Callable[[Any], None]:
    def edit(c: Any) -> None:
        labels = list(c["parameters"]["POINT"]["LABELS"]["value"])
        pair = [labels.index(a), labels.index(b)]
        frames = slice(first, last)
        c["data"]["points"][:, pair, frames] = c["data"]["points"][:, pair[::-1], frames]

    return edit


@pytest.mark.parametrize("pair", [("LKNE", "RKNE"), ("LANK", "LTIB"), ("LHEE", "LTOE"), ("RHEE", "RANK")])
def test_swapped_markers(walk: Path, tmp_path: Path, pair: tuple[str, str]) -> None:
    trial = edited_c3d(walk, tmp_path / "walk.c3d", swap(*pair, 100, 112))
    done = gaitid("check", trial, "--model", "pig", "-q")
    assert done.code == 1, done
    assert "labels that cannot be believed" in done.out and pair[0] in done.out


def test_noise_alone_is_no_failure(tmp_path: Path) -> None:
    from gaitid.simulate.files import simulate

    simulate("walk", tmp_path, duration=2.5, marker_noise_mm=1.0, force_noise_N=3.0)
    done = gaitid("check", tmp_path / "walk.c3d", "--model", "pig", "--cutoff", "none", "-q")
    assert done.code == 0, done


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


def test_every_check_passes_on_a_sound_result(result: Result) -> None:
    assert failed(check_result(result)) == set()
    names = {f.name for f in check_result(result)}
    assert {"force balance", "moment balance", "loads", "coverage", "segment length", "mean force"} <= names


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


def test_balance_sees_a_moment_about_the_wrong_point(result: Result) -> None:
    leg = result.sides["right"]
    hip = leg.wrenches["hip"]
    moved = {**leg.wrenches, "hip": Wrench(hip.f_g, hip.m_g, hip.p_g + np.array([0.02, 0, 0]))}
    assert failed(balance(with_leg(result, "right", wrenches=moved))) == {"moment balance"}


def test_balance_sees_a_lost_mass_and_a_turned_gravity(result: Result) -> None:
    from dataclasses import replace

    bodies = dict(result.sides["left"].bodies)
    bodies["foot"] = replace(bodies["foot"], mass_kg=0.5 * bodies["foot"].mass_kg)
    assert "force balance" in failed(balance(with_leg(result, "left", bodies=bodies)))
    turned = replace(result, gravity_g=np.array([0.0, -9.81, 0.0]))
    assert "force balance" in failed(balance(turned))


def test_balance_is_quiet_about_rounding(result: Result) -> None:
    by_name = {f.name: f for f in balance(result)}
    for name, small in (("force balance", 0.01), ("moment balance", 0.05)):
        value = by_name[name].value
        assert value is not None
        assert value < small


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


def test_solvers_are_told_one_by_one(walk: Path) -> None:
    done = gaitid("check", walk, "--model", "pig", "--solvers")
    assert done.code == 0, done
    for name in ("dense", "recursive", "constrained"):
        (line,) = [text for text in done.out.splitlines() if f"solvers: {name} against block" in text]
        assert float(line.split("at most ")[1].split(" ")[0]) < 1e-9


def test_a_load_counted_for_both_feet_warns(result: Result) -> None:
    from dataclasses import replace

    assert "both feet" not in {f.name for f in vertical_force(result)}
    left, right = (result.sides[side].load for side in ("left", "right"))
    both = (left.state == LOADED) & (right.state == LOADED)
    assert both.any()
    doubled = np.where(both[:, None], 2 * left.wrench.f_g + right.wrench.f_g, left.wrench.f_g)
    load = replace(left, wrench=Wrench(doubled, left.wrench.m_g, left.wrench.p_g))
    (finding,) = [f for f in vertical_force(with_leg(result, "left", load=load)) if f.name == "both feet"]
    assert finding.status == "warn"
    assert finding.value is not None and 1.8 < finding.value < 3.5
    assert "at most 1.8 in walking" in finding.text


def test_the_line_of_a_pass_counts_warnings() -> None:
    findings = (Finding("a", "pass", "all well"), Finding("b", "warn", "hm"), Finding("c", "warn", "hm"))
    note = Finding("note", "note", "assumed", severity="assumption")
    assert Report(Path("w.c3d"), (*findings, note)).line() == "PASS w.c3d (2 warnings): all well"
    assert Report(Path("w.c3d"), findings[:2]).line() == "PASS w.c3d (1 warning): all well"
    assert Report(Path("w.c3d"), findings[:1]).line() == "PASS w.c3d: all well"


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


def test_half_of_each_tolerance_has_not_moved(walk: Path, golden: Path) -> None:
    for table, column, by, _ in NOTICED:
        path = golden / f"walk.{table}.csv"
        change(path, column, filled_row(path, column), lambda cell, by=by: f"{float(cell) + by / 4:.10g}")
    assert against(walk, golden).code == 0


def test_an_angle_that_wraps_has_not_moved(walk: Path, golden: Path) -> None:
    path = golden / "walk.joints.csv"
    column = "left_foot_progression_internal_rotation_deg"
    row = filled_row(path, column)
    change(path, column, row, lambda cell: f"{float(cell) - 360:.10g}")
    assert against(walk, golden).code == 0


def test_a_tolerance_can_be_given(walk: Path, golden: Path) -> None:
    path, column = golden / "walk.wrenches.csv", "left_hip_force_global_z_N"
    change(path, column, filled_row(path, column), lambda cell: f"{float(cell) + 0.05:.10g}")
    assert against(walk, golden).code == 1
    assert against(walk, golden, "--tolerance", "force_N=0.1").code == 0


@pytest.mark.parametrize("way", ["emptied", "filled"])
def test_a_cell_that_became_empty_or_filled_fails(walk: Path, golden: Path, way: str) -> None:
    path, column = golden / "walk.wrenches.csv", "left_hip_force_global_z_N"
    if way == "emptied":
        change(path, column, filled_row(path, column), lambda cell: "")
        words = "0 cells are newly empty and 1 newly filled"
    else:
        change(path, column, 0, lambda cell: "1.5")
        words = "1 cells are newly empty and 0 newly filled"
    done = against(walk, golden)
    assert done.code == 1
    assert words in done.out
    assert column in done.out


def test_columns_and_frames_that_differ(walk: Path, golden: Path) -> None:
    path = golden / "walk.joints.csv"
    text = path.read_text()
    path.write_text(text.replace("left_hip_flexion_deg", "left_hip_bend_deg"))
    done = against(walk, golden)
    assert done.code == 1
    assert "left_hip_bend_deg" in done.out
    path.write_text("\n".join(text.splitlines()[:-1]) + "\n")
    done = against(walk, golden)
    assert done.code == 1
    assert "frames 1 to 250 where golden has 1 to 249" in done.out


def test_golden_of_other_frames_of_expression(walk: Path, tmp_path: Path) -> None:
    options = ["--express-in", "jcs", "--express-in", "proximal"]
    assert gaitid("run", walk, "--model", "pig", "-o", tmp_path, "-q", *options).code == 0
    assert against(walk, tmp_path).code == 0


def test_no_golden_result_says_how_to_make_one(walk: Path, tmp_path: Path) -> None:
    done = against(walk, tmp_path)
    assert done.code == 1
    assert "walk.wrenches.csv" in done.out
    assert "gaitid run" in done.out


@pytest.mark.parametrize("text", ["", "frame,time_s\n1,x\n", "a,b\n1\n", "frame,time_s\n1,0\n"])
def test_golden_that_is_no_table(walk: Path, golden: Path, text: str) -> None:
    (golden / "walk.wrenches.csv").write_text(text)
    done = against(walk, golden)
    assert done.code == 1
    assert done.out.startswith("FAIL ")
    assert "internal error" not in done.err
    (golden / "walk.wrenches.csv").write_bytes(b"\xff\xfe\x00")
    assert against(walk, golden).code == 1


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


def test_a_record_that_is_absent_or_broken_is_no_obstacle(walk: Path, golden: Path) -> None:
    for text in ("{", "[]", '{"inputs": 3, "settings": null}'):
        (golden / "walk.run.json").write_text(text)
        done = against(walk, golden)
        assert done.code == 0
        assert "warning: the golden record cannot be read" in done.err
    (golden / "walk.run.json").unlink()
    done = against(walk, golden)
    assert done.code == 0
    assert "record" not in done.err


def test_golden_by_the_trials_folder(walk: Path, tmp_path: Path) -> None:
    trials = []
    for name in ("a", "b"):
        trials.append(tmp_path / name / "walk.c3d")
        trials[-1].parent.mkdir()
        trials[-1].write_bytes(walk.read_bytes())
    where = str(tmp_path / "golden" / "{parent}")
    assert gaitid("run", *trials, "--model", "pig", "-o", where, "-q").code == 0
    done = gaitid("check", *trials, "--model", "pig", "--against", where, "-q")
    assert done.code == 0, done
    assert len(done.out.splitlines()) == 2


def test_golden_of_what_was_assigned_by_hand(walk: Path, tmp_path: Path) -> None:
    given = ["--assign", "left=none@1-100"]
    assert gaitid("run", walk, "--model", "pig", "-o", tmp_path, "-q", *given).code == 0
    assert against(walk, tmp_path, *given).code == 0
    done = against(walk, tmp_path)
    assert done.code == 1
    assert "newly filled" in done.out


def test_a_bundled_trial_is_found_from_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `run` finds it."""
    monkeypatch.chdir(tmp_path)
    trial = "sample_data/walk/walk.c3d"
    assert gaitid("run", trial, "--model", "pig", "-q").code == 0
    assert against(Path(trial), tmp_path).code == 0


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


def test_the_log_has_what_keeps_the_whole_command_from_working(walk: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    assert_refused(gaitid("check", walk, "--model", "no_such_model", "--log", log), "no_such_model")
    (refused,) = [entry for entry in logged(log) if entry[0] == "refused"]
    assert refused[1] is None
    assert "no_such_model" in refused[2]


def test_a_log_that_cannot_be_written_stops_all_work(walk: Path, tmp_path: Path) -> None:
    assert_refused(gaitid("check", walk, "--model", "pig", "--log", tmp_path), "--log", "cannot write the log")
    before = walk.read_bytes()
    assert_refused(gaitid("check", walk, "--model", "pig", "--log", walk), "holds something that is no log")
    assert walk.read_bytes() == before


def test_the_log_has_no_names_of_people(walk: Path, tmp_path: Path) -> None:
    def name_it(c: Any) -> None:
        c["parameters"]["POINT"]["LABELS"]["value"] = [
            f"Anna_Muster:{label}" for label in c["parameters"]["POINT"]["LABELS"]["value"] if label
        ]
        c.add_parameter("SUBJECTS", "NAMES", ["Anna_Muster"])
        c.add_parameter("SUBJECTS", "USED", [1])

    def lose_the_knees(c: Any) -> None:
        name_it(c)
        labels = c["parameters"]["POINT"]["LABELS"]["value"]
        c["parameters"]["POINT"]["LABELS"]["value"] = [label.replace("KNE", "KNX") for label in labels]

    log = tmp_path / "log.jsonl"
    trials = [edited_c3d(walk, tmp_path / "a.c3d", name_it), edited_c3d(walk, tmp_path / "b.c3d", lose_the_knees)]
    done = gaitid("check", *trials, "--model", "pig", "--log", log)
    assert done.code == 1
    assert done.out.startswith("PASS ")
    assert "LKNE" in log.read_text()
    assert "Anna" not in log.read_text()
