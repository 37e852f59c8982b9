"""`gaitid inspect`: what is in a file, as JSON by the contract's keys and as text."""

from __future__ import annotations

import json
import re
import tracemalloc
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

from gaitid.analysis.recorded import Bound
from gaitid.errors import TrialError
from gaitid.inspect import contents, models, words
from gaitid.model.load import bundled_models, load_model
from gaitid.model.needs import Reference
from gaitid.model.specs import Model
from gaitid.read.plates.plates_file import TEMPLATE
from gaitid.trial import Trial


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


@pytest.mark.parametrize("unit", ["furlong", "league"])
def test_a_file_of_which_the_user_has_to_say_something_is_inspected(walk: Path, tmp_path: Path, unit: str) -> None:
    def other_unit(c: Any) -> None:
        c["parameters"]["POINT"]["UNITS"]["value"] = [unit]

    trial = edited_c3d(walk, tmp_path / "walk.c3d", other_unit)
    done = gaitid("inspect", trial)
    assert done.code == 0 and "POINT:UNITS: unit not known" in done.err and "the file's lengths are in mm" in done.out
    assert gaitid("run", trial, "-o", tmp_path).code == 1


def test_keys_of_the_contract(walk: Path) -> None:
    content = inspected(walk)
    assert {"file", "points", "analog", "plates", "contacts", "events", "subject", "stored_outputs", "models"} <= set(
        content
    )
    assert {"rate", "frames", "first_frame", "units", "labels", "gaps"} <= set(content["points"])
    for plate in content["plates"]:
        assert {"type", "corners", "peak_vertical_N", "bias"} <= set(plate)
    assert content["file"] == str(walk)


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


def test_events_have_frame_numbers(walk: Path) -> None:
    content = inspected(walk)
    for event in content["events"]:
        assert event["frame"] == round(event["time_s"] * 100) + 1
    # a contact begins within five frames of the strike: the simulated force rises slowly to 20 N
    strikes = {(e["side"], e["frame"]) for e in content["events"] if e["name"] == "Foot Strike"}
    for contact in content["contacts"]:
        if contact["plates"]:
            assert any(s == contact["side"] and abs(f - contact["first_frame"]) <= 5 for s, f in strikes)


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


@recorded(
    "children/HC002D/walk.c3d",
    "children/HC030A/turn.c3d",
    "nexus_flatfoot/walk.c3d",
    "sydney/walk03.c3d",
    "stairs/Movement_trial.c3d",
)
def test_contacts_of_recorded_trials_are_those_of_run(recorded_trial: Path, tmp_path: Path) -> None:
    assert_contacts_as_run_writes(recorded_trial, tmp_path)


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


def test_static_says_what_is_missing_and_run_agrees(simulated: Path, tmp_path: Path) -> None:
    trial = simulated / "static.c3d"
    model = inspected(trial)["models"]["pig"]
    assert not model["runs"]
    assert "left_static_plantar_flexion_rad" in model["missing_measurements"]
    done = gaitid("run", trial, "--model", "pig", "-o", tmp_path)
    assert_refused(done, *model["missing_measurements"])


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


def test_plates_that_are_refused_say_why(walk: Path, tmp_path: Path) -> None:
    def volts(c: Any) -> None:
        units = list(c["parameters"]["ANALOG"]["UNITS"]["value"])
        c["parameters"]["ANALOG"]["UNITS"]["value"] = units[:6] + ["furlong"] * 6

    trial = edited_c3d(walk, tmp_path / "walk.c3d", volts)
    one, two = inspected(trial)["plates"]
    assert one["used"]
    assert not two["used"]
    assert "furlong" in two["reason"]
    assert set(one) == set(two), "every key is always there"
    assert "2  not used: " in gaitid("inspect", trial).out


def test_bias_of_a_plate_that_was_not_zeroed(walk: Path, tmp_path: Path) -> None:
    def offset(c: Any) -> None:
        c["data"]["analogs"][0, 2] -= 12.0  # Fz of plate 1, down is positive

    one, two = inspected(edited_c3d(walk, tmp_path / "walk.c3d", offset))["plates"]
    assert one["bias_N"] == pytest.approx([0, 0, 12], abs=1e-3)
    assert two["bias_N"] == pytest.approx([0, 0, 0], abs=1e-3)


def test_feet_that_are_not_there(walk: Path, tmp_path: Path) -> None:
    trial = edited_c3d(walk, tmp_path / "x.c3d", lambda c: without_markers(c, lambda n: n[1:] not in ("TOE",)))
    content = inspected(trial)
    assert content["contacts"] == []
    assert "LTOE" in content["contacts_note"]
    assert content["models"]["pig"]["missing_markers"]["left"] == ["LTOE"]


def test_names_of_people_only_when_asked(walk: Path, tmp_path: Path) -> None:
    person = "Ada Lovelace-Byron"
    trial = edited_c3d(walk, tmp_path / "x.c3d", lambda c: c.add_parameter("SUBJECTS", "NAMES", (person,)))
    for options in ((), ("--json",), ("-v",)):
        done = gaitid("inspect", trial, *options)
        assert person not in done.out + done.err
    assert inspected(trial, "--keep-names")["subject_names"] == [person]
    assert person in gaitid("inspect", trial, "--keep-names").out


def test_text_is_for_a_terminal(walk: Path) -> None:
    done = gaitid("inspect", walk)
    assert done.code == 0
    assert done.err == ""
    topics = [line[:10].strip() for line in done.out.splitlines()[1:] if line[:10].strip()]
    assert topics == [
        "verdict",
        "frames",
        "vertical",
        "markers",
        "analog",
        "plates",
        "contacts",
        "events",
        "subject",
        "stored",
        "fit",
        "models",
    ]
    assert "250 at 100 Hz, numbered 1 to 250 (2.50 s)" in done.out
    assert "pig: `run` takes this trial as it stands" in done.out
    assert "pig_vicon: `run` takes this trial as it stands" in gaitid("inspect", "-v", walk).out
    assert "nan" not in done.out


def test_only_the_model_that_is_taken_is_tried_as_a_whole(walk: Path) -> None:
    """It is the dear part; with --verbose each is, and the answers are the same."""
    quick, thorough = (
        inspected(walk)["models"],
        json.loads(gaitid("inspect", walk, "--json", "--verbose").out)["models"],
    )
    assert {name for name, model in quick.items() if model["analysed"]} == {"pig"}
    assert {name for name, model in thorough.items() if model["analysed"]} == {n for n, m in quick.items() if m["runs"]}
    for name, model in quick.items():
        same = set(model) - {"analysed", "warnings"}
        assert {key: model[key] for key in same} == {key: thorough[name][key] for key in same}
        assert set(model["warnings"]) <= set(thorough[name]["warnings"])
    assert quick["lateral"]["runs"] and len(thorough["lateral"]["warnings"]) > len(quick["lateral"]["warnings"])


def test_csv_with_forces_beside_it(simulated: Path, walk: Path) -> None:
    content = inspected(
        simulated / "walk.csv", "--forces", simulated / "walk.forces.csv", "--plates", simulated / "walk.plates.yaml"
    )
    peaks = [p["peak_vertical_N"] for p in inspected(walk)["plates"]]
    assert [p["peak_vertical_N"] for p in content["plates"]] == pytest.approx(peaks, rel=1e-4)
    assert "mass_kg" in content["models"]["pig"]["missing_measurements"]


@recorded("children/HC036A/walk.c3d")
def test_stored_outputs_of_a_recorded_trial(recorded_trial: Path) -> None:
    content = inspected(recorded_trial)
    assert "LKneeMoment" in content["stored_outputs"]
    assert not {"LKneeMoment", "LKneeAngles"} & set(content["points"]["labels"])
    assert content["subject"]["mass"]["value"] == pytest.approx(33.0, abs=0.1)


@recorded("qualisys/walk.c3d")
def test_what_a_trial_of_another_maker_lacks(recorded_trial: Path) -> None:
    model = inspected(recorded_trial)["models"]["pig"]
    assert {"mass_kg", "left_leg_length_mm", "right_knee_width_mm"} <= set(model["missing_measurements"])


def test_refusals(tmp_path: Path) -> None:
    assert_refused(gaitid("inspect", tmp_path / "none.c3d"), str(tmp_path / "none.c3d"), "no such file")
    assert_refused(gaitid("inspect", tmp_path / "none.c3d", "--json"), "no such file")
    (tmp_path / "empty.c3d").write_bytes(b"")
    assert_refused(gaitid("inspect", tmp_path / "empty.c3d"), "not a C3D file", "empty")
    assert_refused(gaitid("inspect", tmp_path), "a folder", "gaitid batch")
    assert_wrong_usage(gaitid("inspect"))


def test_every_kind_of_doubtful_label_has_its_words() -> None:
    kinds = {"swap": "change places", "exchanged": "seem to be exchanged throughout"}
    for kind, text in kinds.items():
        fault = {"kind": kind, "labels": ["LANK"], "or_labels": [], "frames": [[1, 9]], "size_mm": 34.0}
        assert text in words._doubt_line(fault)


def test_a_model_that_lacks_markers_is_bound_once(walk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it lacks is told of the labels that it was refused for; `opensim` is refused before, without an `.osim`."""
    bind = models.bind_trial

    def once(trial: Trial, model: Model, *more: Any) -> Bound:
        assert model.name == "opensim"
        return bind(trial, model, *more)

    monkeypatch.setattr(models, "bind_trial", once)
    lacking = [of for of in inspected(walk)["models"].values() if of["lacks"]]
    assert len(lacking) > 5 and all(of["reason"] for of in lacking)


def test_a_long_recording_of_something_else_takes_no_memory_for_feet() -> None:
    trial = Trial(Path("x.c3d"), 100.0, 1, ("apple",), np.zeros((100_000, 1, 3)))
    models = {name: load_model(file) for name, file in bundled_models().items()}
    refused = {n: contents.Candidate(Bound(m, None, Reference(m)), TrialError("")) for n, m in models.items()}
    tracemalloc.start()
    assert contents._model_for_feet(trial, refused, [])[0] == ""
    assert contents._vertical(trial, models["pig"])[0] is None
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.6 * 13 * trial.points_g.nbytes  # bytes: a model's feet and pelvis of nothing were 13 such arrays


def test_inspect_knows_nothing_from_a_plate_that_does_not_fit(walk: Path, tmp_path: Path) -> None:
    """As `run`: of a plate whose corners are moved by 10 cm no load is taken."""

    def moved(c: Any) -> None:
        c["parameters"]["FORCE_PLATFORM"]["CORNERS"]["value"][0, :, 0] += 100.0

    content = inspected(edited_c3d(walk, tmp_path / "x.c3d", moved))
    assert not any("1" in c["plates"] for c in content["contacts"])
    assert any("2" in c["plates"] for c in content["contacts"])


def test_points_that_share_a_label_keep_their_own_gaps(walk: Path, tmp_path: Path) -> None:
    def same_label_twice(c: Any) -> None:
        hidden(c, "LTHI", 11, 20)
        hidden(c, "RTHI", 15, 17)
        labels = list(c["parameters"]["POINT"]["LABELS"]["value"])
        labels[labels.index("LTHI")] = labels[labels.index("RTHI")] = "EXTRA"
        c["parameters"]["POINT"]["LABELS"]["value"] = labels

    trial = edited_c3d(walk, tmp_path / "t.c3d", same_label_twice)
    points = inspected(trial)["points"]
    own = [m["gaps"] for m in points["markers"] if m["label"] == "EXTRA"]
    assert [[(g["first_frame"], g["last_frame"]) for g in gaps] for gaps in own] == [[(15, 17)], [(11, 20)]]
    numbers = [i + 1 for i, m in enumerate(points["markers"]) if m["label"] == "EXTRA"]
    assert [points["gaps"][f"EXTRA (point {n})"] for n in numbers] == own
    text = gaitid("inspect", trial).out
    assert "gaps in EXTRA: 10 of" in text and "longest 10: 11-20\n" in text and "longest 3: 15-17\n" in text


def test_what_steers_a_terminal_is_shown_as_an_escape(walk: Path, tmp_path: Path) -> None:
    def odd_labels(c: Any) -> None:
        labels = list(c["parameters"]["ANALOG"]["LABELS"]["value"])
        labels[0] = "red\x1b[31m\nline"
        c["parameters"]["ANALOG"]["LABELS"]["value"] = labels

    out = gaitid("inspect", edited_c3d(walk, tmp_path / "t.c3d", odd_labels)).out
    assert "red\\x1b[31m line" in out
    assert "\x1b" not in out


def test_a_name_before_an_analog_label_is_left_out(walk: Path, tmp_path: Path) -> None:
    def with_person(c: Any) -> None:
        c["parameters"]["POINT"]["LABELS"]["value"] = [
            f"Jane Doe:{x}" for x in c["parameters"]["POINT"]["LABELS"]["value"]
        ]
        c["parameters"]["ANALOG"]["LABELS"]["value"] = [
            f"Jane Doe:{x}" for x in c["parameters"]["ANALOG"]["LABELS"]["value"]
        ]

    done = gaitid("inspect", edited_c3d(walk, tmp_path / "t.c3d", with_person), "--json")
    assert json.loads(done.out)["analog"]["labels"] == inspected(walk)["analog"]["labels"]
    assert "Jane" not in done.out


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


def test_a_model_of_the_users_own(walk: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("gaitid_model: 1\nextends: pig\nname: mine\ntitle: with longer ends\nsettings: {end_frames: 8}\n")
    done = gaitid("inspect", walk, "--model", mine)
    assert f"(with {mine})" in done.out.splitlines()[1]
    assert f"{mine} (with longer ends): `run` takes this trial as it stands" in done.out
    lacking = tmp_path / "lacking.yaml"
    lacking.write_text("gaitid_model: 1\nextends: sagittal2d\nname: flat\n")
    done = gaitid("inspect", walk, "--model", lacking)
    assert re.search(rf"{re.escape(str(lacking))} \(.+\): it lacks RANKLE, RHIP, RKNEE", done.out)
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("gaitid_model: 1\nextends: pig\nname: mine\nsettings: {end_frame: 8}\n")
    assert_refused(gaitid("inspect", walk, "--model", wrong), "end_frame")


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


def test_pictures_that_are_refused(walk: Path, tmp_path: Path) -> None:
    done = gaitid("inspect", walk, "--picture", tmp_path / "walk.gif")
    assert done.code == 1 and "no picture format '.gif'" in done.err
    done = gaitid("inspect", walk, "--picture", tmp_path / "absent" / "x" / "walk.png")
    assert done.code == 0  # the folder is made
    trial = tmp_path / "walk.png"
    trial.write_bytes(walk.read_bytes())
    assert gaitid("inspect", walk, "--picture", walk).code == 1
    assert walk.read_bytes() == trial.read_bytes()


def test_a_plates_file_to_fill_in() -> None:
    done = gaitid("inspect", "--plates-template")
    assert (done.code, done.err, done.out) == (0, "", TEMPLATE)
