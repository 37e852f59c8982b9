"""`gaitid run`: files, columns and record of the contract, written here from its text, not from the code."""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from terminal import assert_wrong_usage, edited_c3d, gaitid, table, without_markers

from gaitid import __version__
from gaitid.cli.summary import short_path
from gaitid.model.load import bundled_models

SIDES = ("left", "right")
JOINTS = ("ankle", "knee", "hip")
AXES = ("x", "y", "z")


def wrench_header(frames: tuple[str, ...]) -> list[str]:
    """Side, joint, force then moment, frame of expression, axis; at the end the load on each foot."""
    names = ["frame", "time_s"]
    for side in SIDES:
        for joint in JOINTS:
            for kind, unit in (("force", "N"), ("moment", "Nm")):
                for frame in frames:
                    for axis in AXES:
                        names.append(f"{side}_{joint}_{kind}_{frame}_{axis}_{unit}")
    for side in SIDES:
        names += [f"{side}_ground_force_{axis}_N" for axis in AXES]
        names += [f"{side}_ground_cop_{axis}_m" for axis in AXES]
        names.append(f"{side}_ground_free_moment_Nm")
    return names


def joint_header() -> list[str]:
    names = ["frame", "time_s"]
    for side in SIDES:
        names += [
            f"{side}_{name}"
            for name in (
                "foot_progression_internal_rotation_deg",
                "pelvis_anterior_tilt_deg",
                "pelvis_upward_obliquity_deg",
                "pelvis_internal_rotation_deg",
                "hip_flexion_deg",
                "hip_adduction_deg",
                "hip_internal_rotation_deg",
                "knee_flexion_deg",
                "knee_adduction_deg",
                "knee_internal_rotation_deg",
                "ankle_dorsiflexion_deg",
                "ankle_eversion_deg",
                "ankle_internal_rotation_deg",
                "hip_extension_moment_Nm_per_kg",
                "hip_abduction_moment_Nm_per_kg",
                "hip_external_rotation_moment_Nm_per_kg",
                "knee_extension_moment_Nm_per_kg",
                "knee_abduction_moment_Nm_per_kg",
                "knee_external_rotation_moment_Nm_per_kg",
                "ankle_plantarflexion_moment_Nm_per_kg",
                "ankle_eversion_moment_Nm_per_kg",
                "ankle_external_rotation_moment_Nm_per_kg",
                "hip_power_W_per_kg",
                "knee_power_W_per_kg",
                "ankle_power_W_per_kg",
            )
        ]
    return names


# --- tables -------------------------------------------------------------------------------------------------


def test_files_that_run_writes_without_write(walk: Path, tmp_path: Path) -> None:
    assert gaitid("run", walk, "--model", "pig", "-o", tmp_path / "new" / "folder").code == 0
    written = sorted(p.name for p in (tmp_path / "new" / "folder").iterdir())
    assert written == [
        "walk.contacts.csv",
        "walk.cycles.csv",
        "walk.features.csv",
        "walk.joints.csv",
        "walk.run.json",
        "walk.spatiotemporal.csv",
        "walk.stances.csv",
        "walk.wrenches.csv",
    ]


def test_columns_of_wrenches(results: Path) -> None:
    header, _ = table((results / "walk.wrenches.csv").read_text())
    assert header == wrench_header(("global", "distal"))


def test_columns_of_joints(results: Path) -> None:
    header, _ = table((results / "walk.joints.csv").read_text())
    assert header == joint_header()


def test_columns_of_contacts(results: Path) -> None:
    header, rows = table((results / "walk.contacts.csv").read_text())
    assert header == [
        "side",
        "plates",
        "first_frame",
        "last_frame",
        "peak_vertical_N",
        "method",
        "confidence",
        "reason",
    ]
    assert {"1", "2"} <= {row[1] for row in rows}
    for row in rows:
        assert row[0] in SIDES
        assert int(row[2]) <= int(row[3])
        assert (row[4] == "") == (row[1] == "")  # a load that is not known has no peak
        assert 0 <= float(row[6]) <= 1
        assert row[1] or row[7], "an unknown load says why"


def test_one_row_a_frame_and_time_from_zero(results: Path) -> None:
    for name in ("wrenches", "joints", "segments"):
        _, rows = table((results / f"walk.{name}.csv").read_text())
        assert [int(r[0]) for r in rows] == list(range(1, 251))
        np.testing.assert_allclose([float(r[1]) for r in rows], np.arange(250) / 100, rtol=0, atol=1e-9)


def test_bytes_utf8_lf_and_never_nan(results: Path) -> None:
    for path in results.iterdir():
        data = path.read_bytes()
        text = data.decode("utf-8")
        assert b"\r" not in data
        assert not data.startswith(b"\xef\xbb\xbf")
        assert text.endswith("\n")
        if path.suffix == ".csv":
            cells = [c for line in text.splitlines()[1:] for c in line.split(",")]
            assert not {"nan", "inf", "-inf", "None", "-0"} & {c.lower() for c in cells}
        else:
            json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} in the record"))


def test_unknown_load_is_empty_and_swing_is_zero(results: Path) -> None:
    header, rows = table((results / "walk.wrenches.csv").read_text())
    _, contacts = table((results / "walk.contacts.csv").read_text())
    by_frame = {int(r[0]): dict(zip(header, r, strict=True)) for r in rows}
    unknown = next(c for c in contacts if not c[1])
    for frame in range(int(unknown[2]), int(unknown[3]) + 1):
        assert by_frame[frame][f"{unknown[0]}_ground_force_z_N"] == ""
        assert by_frame[frame][f"{unknown[0]}_ankle_moment_global_y_Nm"] == ""
    known = next(c for c in contacts if c[1] == "1")
    air = by_frame[int(known[2]) - 5]
    assert air[f"{known[0]}_ground_force_z_N"] == "0"
    assert air[f"{known[0]}_ground_free_moment_Nm"] == "0"
    assert air[f"{known[0]}_ground_cop_x_m"] == ""
    assert air[f"{known[0]}_hip_moment_global_y_Nm"] != ""
    middle = by_frame[(int(known[2]) + int(known[3])) // 2]
    assert float(middle[f"{known[0]}_ground_force_z_N"]) > 400
    assert middle[f"{known[0]}_ground_cop_x_m"] != ""


def test_frames_are_numbered_as_the_file_does(walk: Path, results: Path, tmp_path: Path) -> None:
    def later(c: Any) -> None:
        c["header"]["points"]["first_frame"] = 151  # ezc3d counts from 0: frame 152

    # without events, which are absolute in time and would have to move too
    def no_events(c: Any) -> None:
        later(c)
        del c["parameters"]["EVENT"]

    moved = edited_c3d(walk, tmp_path / "walk.c3d", no_events)
    assert gaitid("run", moved, "--model", "pig", "-o", tmp_path / "o").code == 0
    for name in ("wrenches", "joints"):
        _, rows = table((tmp_path / "o" / f"walk.{name}.csv").read_text())
        assert [int(r[0]) for r in rows] == list(range(152, 402))
        assert float(rows[0][1]) == 0
    _, contacts = table((tmp_path / "o" / "walk.contacts.csv").read_text())
    _, before = table((results / "walk.contacts.csv").read_text())
    first = {row[1]: int(row[2]) for row in before if row[1]}
    for row in contacts:
        if row[1]:
            assert abs(int(row[2]) - 151 - first[row[1]]) <= 1
    content = json.loads((tmp_path / "o" / "walk.run.json").read_text())
    assert content["contacts"][0]["first_frame"] == int(contacts[0][2])


@pytest.mark.parametrize(
    "frames", [("global",), ("jcs",), ("distal", "proximal"), ("global", "proximal", "distal", "jcs")]
)
def test_express_in(walk: Path, tmp_path: Path, frames: tuple[str, ...]) -> None:
    options = [o for frame in frames for o in ("--express-in", frame)]
    assert gaitid("run", walk, "--model", "pig", "-o", tmp_path, *options).code == 0
    header, rows = table((tmp_path / "walk.wrenches.csv").read_text())
    assert header == wrench_header(frames)
    values = {n: np.array([float(r[i]) if r[i] else np.nan for r in rows]) for i, n in enumerate(header)}
    if "global" in frames and "distal" in frames:  # a turn keeps the length of a vector
        for name in ("knee_moment", "hip_moment"):
            lengths = [
                np.sqrt(sum(values[f"left_{name}_{frame}_{axis}_Nm"] ** 2 for axis in AXES))
                for frame in ("global", "distal", "proximal")
            ]
            np.testing.assert_allclose(lengths[1], lengths[0], rtol=1e-7, atol=1e-7)
            np.testing.assert_allclose(lengths[2], lengths[0], rtol=1e-7, atol=1e-7)


# --- where it goes ------------------------------------------------------------------------------------------


def test_wrenches_on_stdout(walk: Path, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = gaitid("run", walk, "--model", "pig", "-o", "-")
    assert done.code == 0
    assert done.out == (results / "walk.wrenches.csv").read_text()
    assert all(line.startswith("gaitid: ") for line in done.lines)
    assert list(tmp_path.iterdir()) == []


def test_quiet_says_nothing(walk: Path, tmp_path: Path) -> None:
    done = gaitid("run", walk, "--model", "pig", "-o", tmp_path, "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_parent_folder_in_the_output(walk: Path, tmp_path: Path) -> None:
    trials = []
    for name in ("a", "b"):
        trials.append(tmp_path / name / "walk.c3d")
        trials[-1].parent.mkdir()
        trials[-1].write_bytes(walk.read_bytes())
    clash = gaitid("run", *trials, "--model", "pig", "-o", tmp_path / "clash")
    assert_wrong_usage(clash, "{parent}", "walk")
    assert not (tmp_path / "clash").exists(), "refused before any work"
    assert gaitid("run", *trials, "--model", "pig", "-o", str(tmp_path / "out" / "{parent}")).code == 0
    assert (tmp_path / "out" / "a" / "walk.wrenches.csv").is_file()
    assert (tmp_path / "out" / "b" / "walk.wrenches.csv").is_file()


def test_a_bad_trial_does_not_stop_the_others(walk: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.c3d"
    bad.write_bytes(b"nonsense" * 1000)
    done = gaitid("run", bad, walk, "--model", "pig", "-o", tmp_path / "o", "-q")
    assert done.code == 1
    assert f"gaitid: {bad}: " in done.lines[0]
    assert (tmp_path / "o" / "walk.wrenches.csv").is_file()
    assert not list((tmp_path / "o").glob("bad*"))


# --- the record ---------------------------------------------------------------------------------------------


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_record(simulated: Path, walk: Path, tmp_path: Path) -> None:
    static, subject = simulated / "static.c3d", simulated / "walk.subject.yaml"
    done = gaitid("run", walk, "--model", "pig", "-o", tmp_path, "--static", static, "--subject", subject)
    assert done.code == 0
    content = json.loads((tmp_path / "walk.run.json").read_text())
    assert {
        "gaitid",
        "versions",
        "command",
        "inputs",
        "model",
        "settings",
        "subject",
        "segments",
        "conventions",
        "contacts",
        "coverage",
        "quality",
        "warnings",
        "verdict",
    } <= set(content)
    assert content["gaitid"] == __version__
    assert content["versions"]["numpy"] == np.__version__
    assert content["command"][:2] == ["gaitid", "run"]
    by_role = {i["role"]: i for i in content["inputs"]}
    for role, path in (("trial", walk), ("static", static), ("subject", subject)):
        assert by_role[role]["sha256"] == sha256(path)
        assert by_role[role]["path"] == str(path)
    assert by_role["model"]["path"] == "pig.yaml (bundled)"
    assert by_role["model"]["sha256"] == sha256(bundled_models()["pig"])
    assert content["model"]["files"] == [i["path"] for i in content["inputs"] if i["role"] in ("model", "table")]
    assert all(name.endswith(" (bundled)") for name in content["model"]["files"])
    for value in content["subject"].values():
        assert set(value) >= {"value", "unit", "source"}
    assert content["subject"]["mass"]["value"] == pytest.approx(70)
    for side in SIDES:
        for segment in ("thigh", "shank", "foot"):
            body = content["segments"][f"{side}_{segment}"]
            assert body["mass_kg"] > 0
            assert len(body["com_m"]) == 3
            inertia = np.array(body["inertia_kg_m2"])
            assert inertia.shape == (3, 3)
            principal = np.linalg.eigvalsh(inertia)
            # a table may take a segment for a slender rod: no moment about its length
            assert principal[0] >= 0
            assert principal[1] > 0
            assert principal[2] <= principal[0] + principal[1] + 1e-12
        for joint in JOINTS:
            counts = content["coverage"][side][joint]
            assert counts["filled"] + counts["empty"] == 250
            assert sum(counts["reasons"].values()) == counts["empty"]


def test_set_reaches_the_numbers_and_the_record(walk: Path, tmp_path: Path) -> None:
    heights = {}
    for g in (9.81, 0.0):
        folder = tmp_path / f"{g:g}"
        done = gaitid("run", walk, "--model", "pig", "-o", folder, "--set", f"gravity_m_per_s2={g}")
        assert done.code == 0, done.err
        content = json.loads((folder / "walk.run.json").read_text())
        assert content["settings"]["gravity_m_per_s2"] == g
        header, rows = table((folder / "walk.wrenches.csv").read_text())
        at = header.index("left_hip_force_global_z_N")
        heights[g] = np.array([float(r[at]) for r in rows if r[at]])
    # F = m (a − g) − GRF: without gravity the joint carries the weight of the leg less
    content = json.loads((tmp_path / "0" / "walk.run.json").read_text())
    leg = sum(content["segments"][f"left_{s}"]["mass_kg"] for s in ("thigh", "shank", "foot"))
    np.testing.assert_allclose(heights[9.81] - heights[0.0], leg * 9.81, rtol=1e-6)


def test_same_bytes_twice(walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        assert gaitid("run", walk, "--model", "pig", "--write", "segments").code == 0
        texts.append({p.name: p.read_bytes() for p in folder.iterdir()})
    assert len(texts[0]) == 9
    assert texts[0] == texts[1]


def test_a_side_without_markers_is_empty_with_a_warning(walk: Path, tmp_path: Path) -> None:
    leg = {"RTHI", "RKNE", "RTIB", "RANK", "RHEE", "RTOE"}
    trial = edited_c3d(walk, tmp_path / "walk.c3d", lambda c: without_markers(c, lambda label: label not in leg))
    done = gaitid("-v", "run", trial, "--model", "pig", "-o", tmp_path / "o")
    assert done.code == 0, done.err
    assert "RKNE" in done.err
    header, rows = table((tmp_path / "o" / "walk.wrenches.csv").read_text())
    assert header == wrench_header(("global", "distal"))
    right = [i for i, n in enumerate(header) if n.startswith("right_")]
    left = header.index("left_hip_moment_global_y_Nm")
    assert all(row[i] == "" for row in rows for i in right)
    assert any(row[left] for row in rows)
    header, rows = table((tmp_path / "o" / "walk.joints.csv").read_text())
    assert header == joint_header()
    assert any(row[header.index("left_knee_flexion_deg")] for row in rows)


# --- the process --------------------------------------------------------------------------------------------


def test_the_real_process(walk: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gaitid", "run", str(walk), "--model", "pig", "-o", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert (tmp_path / "walk.wrenches.csv").is_file()
    missing = subprocess.run([*command[:4], "no.c3d", *command[5:]], capture_output=True, text=True, check=False)
    assert missing.returncode == 1
    assert missing.stderr.startswith("gaitid: no.c3d: ")


@pytest.mark.parametrize("name", ["run", "batch", "capacity", "check", "inspect", "simulate", "report", "models"])
def test_help_has_an_example_and_loads_no_numpy(name: str) -> None:
    code = (
        "import sys; sys.argv = ['gaitid', sys.argv[1], '-h']\n"
        "from gaitid.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    code = end.code\n"
        "print('numpy' in sys.modules, 'yaml' in sys.modules, code, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, name], capture_output=True, text=True, check=False)
    assert done.stderr.split() == ["False", "False", "0"], done.stderr
    assert f"Example:  gaitid {name}" in done.stdout


# --- the verdict --------------------------------------------------------------------------------------------


def test_the_verdict_is_said_first_with_its_reasons_and_cures_and_is_the_same_everywhere(
    walk: Path, tmp_path: Path
) -> None:
    done = gaitid("run", walk, "--model", "pig", "--assign", "right=none", "-o", tmp_path)
    assert done.code == 0
    record = json.loads((tmp_path / "walk.run.json").read_text(encoding="utf-8"))
    verdict = record["verdict"]
    assert [verdict[key] for key in ("trial", "left", "right")] == ["usable", "good", "usable"]
    assert verdict["reasons"][0]["code"] == "no_whole_stance"
    assert all(reason["cure"] for reason in verdict["reasons"])
    first, second, *_ = done.lines
    assert first == f"gaitid: {short_path(walk)}: verdict: usable (left good, right usable)"
    assert second.startswith(f"gaitid: {short_path(walk)}: warning: right: no whole stance on the plates")
    assert second.endswith("; cure: --assign right=2")
    rows = list(csv.DictReader((tmp_path / "walk.spatiotemporal.csv").read_text(encoding="utf-8").splitlines()))
    assert rows
    assert {tuple(row[name] for name in ("subject", "session", "trial", "verdict")) for row in rows} == {
        ("", "", "walk", "usable")
    }
    quiet = gaitid("run", walk, "--model", "pig", "--assign", "right=none", "-o", tmp_path, "--quiet")
    assert quiet.err == ""
