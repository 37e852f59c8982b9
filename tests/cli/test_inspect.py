"""`gaitid inspect`: what is in a file, as JSON by the contract's keys and as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from slow import slow_but
from terminal import (
    assert_refused,
    assert_wrong_usage,
    edited_c3d,
    gaitid,
    recorded,
    set_parameter,
    table,
    without_markers,
)


def inspected(*args: object) -> dict[str, Any]:
    done = gaitid("inspect", *args, "--json")
    assert done.code == 0, done.err
    assert done.err == ""
    content = json.loads(done.out, parse_constant=lambda word: pytest.fail(f"{word} in the JSON"))
    assert isinstance(content, dict)
    return content


def hidden(c: Any, label: str, first: int, last: int) -> None:
    """Frames first to last (from 1) of a marker become unseen."""
    at = list(c["parameters"]["POINT"]["LABELS"]["value"]).index(label)
    c["data"]["points"][:3, at, first - 1 : last] = np.nan
    c["data"]["meta_points"]["residuals"][0, at, first - 1 : last] = -1


def test_what_a_simulated_walk_holds(walk: Path) -> None:
    content = inspected(walk)
    points = content["points"]
    assert (points["rate_hz"], points["frames"], points["first_frame"], points["units"]) == (100, 250, 1, "mm")
    assert len(points["labels"]) == 16
    assert points["gaps"] == {}
    assert content["vertical"]["up"] == "+Z"
    assert content["analog"]["rate_hz"] == 1000
    assert content["analog"]["labels"][:3] == ["Fx1", "Fy1", "Fz1"]
    assert [c["unit"] for c in content["analog"]["channels"]][:6] == ["N"] * 3 + ["Nmm"] * 3
    assert [p["type"] for p in content["plates"]] == [2, 2]
    for plate in content["plates"]:
        corners = np.array(plate["corners_m"])
        assert corners.shape == (4, 3)
        assert sorted(plate["size_m"]) == pytest.approx([0.4, 0.6], abs=1e-6)
        assert 600 < plate["peak_vertical_N"] < 1000
        np.testing.assert_allclose(plate["bias_N"], 0, atol=1e-6)
    assert content["subject"]["mass"]["value"] == pytest.approx(70)
    assert content["subject"]["mass"]["unit"] == "kg"
    assert content["subject"]["left.leg_length"] == {
        "value": pytest.approx(0.92),
        "unit": "m",
        "source": "trial, stored",
    }
    assert content["stored_outputs"] == []
    assert {e["name"] for e in content["events"]} == {"Foot Strike", "Foot Off"}
    for name in ("pig", "pig_vicon"):
        assert content["models"][name]["runs"]
        assert content["models"][name]["missing_measurements"] == []


def assert_contacts_as_run_writes(trial: Path, folder: Path) -> None:
    done = gaitid("run", trial, "--model", "pig", "-o", folder, "-q")
    assert done.code == 0, done.err
    header, rows = table((folder / f"{trial.stem}.contacts.csv").read_text())
    listed = inspected(trial)["contacts"]
    assert len(listed) == len(rows)
    for contact, row in zip(listed, rows, strict=True):
        cells = dict(zip(header, row, strict=True))
        assert contact["side"] == cells["side"]
        assert contact["plates"] == cells["plates"]
        assert (contact["first_frame"], contact["last_frame"]) == (int(cells["first_frame"]), int(cells["last_frame"]))
        assert contact["method"] == cells["method"]
        assert contact["confidence"] == float(cells["confidence"])
        assert contact["reason"] == cells["reason"]
        if cells["peak_vertical_N"]:
            assert contact["peak_vertical_N"] == pytest.approx(float(cells["peak_vertical_N"]), rel=1e-9)
        else:
            assert contact["peak_vertical_N"] is None


def test_contacts_are_those_of_run(walk: Path, tmp_path: Path) -> None:
    assert_contacts_as_run_writes(walk, tmp_path)


def test_gaps_with_their_frames(walk: Path, tmp_path: Path) -> None:
    def gaps(c: Any) -> None:
        c["header"]["points"]["first_frame"] = 100  # frame 101
        del c["parameters"]["EVENT"]
        hidden(c, "LTOE", 11, 20)
        hidden(c, "LTOE", 40, 40)
        hidden(c, "RKNE", 1, 250)

    trial = edited_c3d(walk, tmp_path / "walk.c3d", gaps)
    content = inspected(trial)
    assert content["points"]["gaps"]["LTOE"] == [
        {"first_frame": 111, "last_frame": 120, "frames": 10},
        {"first_frame": 140, "last_frame": 140, "frames": 1},
    ]
    marker = next(m for m in content["points"]["markers"] if m["label"] == "LTOE")
    assert marker.pop("gaps") == content["points"]["gaps"]["LTOE"]
    assert marker == {
        "label": "LTOE",
        "kind": "marker",
        "seen_frames": 239,
        "missing_frames": 11,
        "longest_gap_frames": 10,
    }
    assert content["models"]["pig"]["missing_markers"]["right"] == ["RKNE"]
    text = gaitid("inspect", trial).out
    assert "gaps in LTOE: 11 of 250 frames, longest 10: 111-120, 140-140" in text
    assert "never seen: RKNE" in text


def assert_verdict_of_run(trial: Path, folder: Path, *options: object) -> dict[str, Any]:
    done = gaitid("run", trial, "-o", folder, *options)
    assert done.code == 0, done.err
    verdict = inspected(trial, *options)["verdict"]
    assert verdict == json.loads((folder / f"{trial.stem}.run.json").read_text())["verdict"]
    assert isinstance(verdict, dict)
    return verdict


@pytest.mark.parametrize("given", [False, True], ids=["beside", "given"])
def test_a_static_that_says_otherwise_lowers_it_as_of_run(simulated: Path, tmp_path: Path, given: bool) -> None:
    static = tmp_path / "static.c3d"
    static.write_bytes((simulated / "static.c3d").read_bytes())
    off = edited_c3d(
        simulated / "walk.c3d", tmp_path / "walk.c3d", lambda c: set_parameter(c, "LStaticPlantFlex", np.radians(25.0))
    )
    verdict = assert_verdict_of_run(off, tmp_path / "out", *(("--static", static) if given else ()))
    assert (verdict["trial"], [reason["code"] for reason in verdict["reasons"]]) == ("usable", ["calibration_conflict"])


@recorded("sydney/walk03.c3d", "sydney/walk04.c3d", "children/HC002D/walk.c3d")
def test_the_verdict_on_recorded_trials_is_that_of_run(recorded_trial: Path, tmp_path: Path) -> None:
    verdict = assert_verdict_of_run(recorded_trial, tmp_path)
    assert verdict["trial"] == ("usable" if "sydney" in str(recorded_trial) else "good")


def test_names_of_people_only_when_asked(walk: Path, tmp_path: Path) -> None:
    person = "Ada Lovelace-Byron"
    trial = edited_c3d(walk, tmp_path / "x.c3d", lambda c: c.add_parameter("SUBJECTS", "NAMES", (person,)))
    for options in ((), ("--json",), ("-v",)):
        done = gaitid("inspect", trial, *options)
        assert person not in done.out + done.err
    assert inspected(trial, "--keep-names")["subject_names"] == [person]
    assert person in gaitid("inspect", trial, "--keep-names").out


def test_refusals(tmp_path: Path) -> None:
    assert_refused(gaitid("inspect", tmp_path / "none.c3d"), str(tmp_path / "none.c3d"), "no such file")
    assert_refused(gaitid("inspect", tmp_path / "none.c3d", "--json"), "no such file")
    (tmp_path / "empty.c3d").write_bytes(b"")
    assert_refused(gaitid("inspect", tmp_path / "empty.c3d"), "not a C3D file", "empty")
    assert_refused(gaitid("inspect", tmp_path), "a folder", "gaitid batch")
    assert_wrong_usage(gaitid("inspect"))


# --- what stands first, several trials, pictures ------------------------------------------------------------


@recorded("children/HC002D/walk.c3d")
def test_the_bodys_markers_lead(recorded_trial: Path) -> None:
    done = gaitid("inspect", recorded_trial)
    lines = done.out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("markers"))
    assert lines[at].split(": ")[1].startswith("SACR, RASI, LASI, LTHI")  # those of the model first
    block = " ".join(lines[at : next(i for i, line in enumerate(lines) if line.startswith("besides"))])
    assert not any(label in block for label in ("LFEO", "LHJC", "CentreOfMass", "LFOF0"))
    assert "100 axes of segments (25 segments: " in done.out
    assert "4 joint centres (LAJC, LHJC, RAJC, RHJC)" in done.out
    assert "2 centres of mass" in done.out
    assert "107 model outputs: 28 angles, " in done.out
    kinds = {m["label"]: m["kind"] for m in inspected(recorded_trial)["points"]["markers"]}
    assert len(kinds) == 179 and kinds["LFEO"] == "segment axes"  # all of them stand in the JSON


def test_a_line_for_each_of_several_trials(walk: Path, tmp_path: Path) -> None:
    static, absent = walk.parent / "static.c3d", tmp_path / "absent.c3d"
    done = gaitid("inspect", walk, static, absent)
    assert done.code == 1
    lines = done.out.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(f"{walk}: 2.50 s at 100 Hz; ")
    assert "2 plates, 2 known loads; model pig; " in lines[0]
    assert done.lines[-1] == "gaitid: 3 trials: 2 read, 1 refused"
    both = json.loads(gaitid("inspect", walk, static, "--json").out)["trials"]
    assert [content["file"] for content in both] == [str(walk), str(static)]
    assert gaitid("inspect", walk, static, "-v").out.count("\nplates ") == 2
    assert_wrong_usage(gaitid("inspect", walk, static, "--picture", tmp_path / "a.png"), "--picture is of one trial")


@pytest.mark.parametrize("suffix", slow_but([".png"], [".png", ".svg", ".pdf"]))
def test_a_picture(suffix: str, walk: Path, tmp_path: Path) -> None:
    file = tmp_path / f"walk{suffix}"
    first = gaitid("inspect", walk, "--picture", file)
    assert first.code == 0, first.err
    assert first.lines[-1] == f"gaitid: wrote {file}"
    drawn = file.read_bytes()
    assert drawn.startswith({".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix])
    assert gaitid("inspect", walk, "--picture", file, "-q").code == 0
    assert file.read_bytes() == drawn  # the same file, the same bytes


def test_pictures_of_awkward_trials(walk: Path, tmp_path: Path) -> None:
    """No markers of a model, no plate, a marker that was never seen, one frame."""

    def bare(c: Any) -> None:
        without_markers(c, lambda label: label in ("LASI", "LTOE"))
        hidden(c, "LTOE", 1, 250)
        del c["parameters"]["FORCE_PLATFORM"]

    trial = edited_c3d(walk, tmp_path / "bare.c3d", bare)
    assert gaitid("inspect", trial, "--picture", tmp_path / "bare.png").code == 0
    table = tmp_path / "points.csv"
    table.write_text("frame,time_s,A_x_mm,A_y_mm,A_z_mm\n1,0,1,2,3\n2,0.01,,,\n")
    done = gaitid("inspect", table, "--picture", tmp_path / "points.png")
    assert done.code == 0, done.err
