"""Bad input: one line on stderr that names file and fault, exit code 1, nothing written, no traceback."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from terminal import (
    SHARED,
    assert_refused,
    assert_wrong_usage,
    edited_c3d,
    gaitid,
    set_parameter,
    table,
    without_markers,
)


@pytest.fixture
def refused(tmp_path: Path) -> Callable[..., None]:
    """Run with a folder of its own; it must be refused and leave nothing."""

    def run(trial: object, *words: str, model: object = "pig", options: tuple[object, ...] = ()) -> None:
        folder = tmp_path / "never"
        done = gaitid("run", trial, "--model", model, "-o", folder, *options)
        assert_refused(done, *words)
        assert not folder.exists() or not list(folder.iterdir())

    return run


# --- the trial ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["none.c3d", "none.csv"])
def test_no_such_file(refused: Callable[..., None], tmp_path: Path, name: str) -> None:
    refused(tmp_path / name, f"gaitid: {tmp_path / name}: ", "no such file")


@pytest.mark.parametrize("name", ["folder.c3d", "folder.csv"])
def test_folder_for_a_file(refused: Callable[..., None], tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    refused(tmp_path / name, "not a file")


def test_a_folder_of_trials_is_for_batch(refused: Callable[..., None], tmp_path: Path) -> None:
    (tmp_path / "session").mkdir()
    refused(
        tmp_path / "session", f"{tmp_path / 'session'}: a folder; expected a file (.c3d, .csv, .trc or .tsv)", "batch"
    )


@pytest.mark.parametrize("content", [b"", b"\x02\x51" + bytes(4000), b"frame,LASI_x_mm\n1,2\n" * 100, bytes(1024)])
def test_not_a_c3d(refused: Callable[..., None], tmp_path: Path, content: bytes) -> None:
    (tmp_path / "fake.c3d").write_bytes(content)
    refused(tmp_path / "fake.c3d", "C3D")


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.99])
def test_truncated(refused: Callable[..., None], walk: Path, tmp_path: Path, share: float) -> None:
    data = walk.read_bytes()
    (tmp_path / "cut.c3d").write_bytes(data[: int(len(data) * share)])
    refused(tmp_path / "cut.c3d", "cut.c3d: ")


def test_a_name_without_its_suffix(refused: Callable[..., None], walk: Path, tmp_path: Path) -> None:
    refused(tmp_path / "none", f"gaitid: {tmp_path / 'none'}: no such file; check the path")
    refused(walk.with_suffix(""), f"no such file (did you mean '{walk.name}'?)")


def test_wrong_suffix(refused: Callable[..., None], walk: Path, tmp_path: Path) -> None:
    (tmp_path / "walk.xlsx").write_bytes(walk.read_bytes())
    refused(tmp_path / "walk.xlsx", ".xlsx", ".c3d")


def test_no_frames(refused: Callable[..., None], walk: Path, tmp_path: Path) -> None:
    data = bytearray(walk.read_bytes())
    data[6:10] = (1).to_bytes(2, "little") + (0).to_bytes(2, "little")  # words 4 and 5: first and last frame
    start = (int.from_bytes(data[16:18], "little") - 1) * 512
    (tmp_path / "x.c3d").write_bytes(data[:start])
    refused(tmp_path / "x.c3d", "header and parameters disagree about the frames")
    # with the data behind it the parameters are right, and say so
    (tmp_path / "walk.c3d").write_bytes(data)
    done = gaitid("run", tmp_path / "walk.c3d", "--model", "pig", "-o", tmp_path / "o")
    assert done.code == 0
    assert "header and parameters disagree about the frames" in done.err


def test_markers_of_the_model_missing_are_named_with_the_nearest(
    refused: Callable[..., None], walk: Path, tmp_path: Path
) -> None:
    def rename(c: Any) -> None:
        labels = c["parameters"]["POINT"]["LABELS"]["value"]
        c["parameters"]["POINT"]["LABELS"]["value"] = ["X" + label for label in labels]

    refused(edited_c3d(walk, tmp_path / "x.c3d", rename), "LKNE", "did you mean 'XLKNE'", "16 markers")


def test_duplicate_label(refused: Callable[..., None], walk: Path, tmp_path: Path) -> None:
    def double(c: Any) -> None:
        labels = list(c["parameters"]["POINT"]["LABELS"]["value"])
        labels[labels.index("LTIB")] = "LKNE"
        c["parameters"]["POINT"]["LABELS"]["value"] = labels

    refused(edited_c3d(walk, tmp_path / "x.c3d", double), "LKNE", "2 points")


def test_no_plates_when_forces_are_required(refused: Callable[..., None], simulated: Path) -> None:
    options = ("--require-forces", "--subject", simulated / "walk.subject.yaml")
    refused(simulated / "static.c3d", "force plate", options=options)


def test_no_body_mass_and_no_plates(refused: Callable[..., None], simulated: Path, tmp_path: Path) -> None:
    """Angles are written, what needs the mass stays empty, and only `--require-forces` makes that an error."""
    trial = edited_c3d(simulated / "static.c3d", tmp_path / "x.c3d", _forget_the_mass)
    subject = tmp_path / "x.yaml"
    subject.write_text((simulated / "walk.subject.yaml").read_text().replace("mass_kg: 70\n", ""))
    done = gaitid("run", trial, "--model", "pig", "--subject", subject, "-o", tmp_path, "--contributions")
    assert done.code == 0, done.err
    assert "body mass is not known" in done.err and "mass_kg with --subject" in done.err
    names, rows = table((tmp_path / "x.joints.csv").read_text())
    filled = {name for i, name in enumerate(names) if any(row[i] for row in rows)}
    assert {"left_knee_flexion_deg", "right_hip_flexion_deg"} <= filled
    assert not any("moment" in name or "power" in name for name in filled)
    names, rows = table((tmp_path / "x.wrenches.csv").read_text())
    assert not {name for i, name in enumerate(names[2:], 2) if any(row[i] for row in rows)}
    record = json.loads((tmp_path / "x.run.json").read_text())
    assert "mass" not in record["subject"]
    assert ("mass_unknown", "error") in [(w["code"], w["severity"]) for w in record["warnings"]]
    refused(trial, "plate", options=("--subject", subject, "--require-forces"))


def test_no_body_mass_on_plates(walk: Path, tmp_path: Path) -> None:
    """The plates of a walk tell it; what they carry unknown mass for is an error only where forces are required."""
    done = gaitid("run", edited_c3d(walk, tmp_path / "x.c3d", _forget_the_mass), "--model", "pig", "-o", tmp_path)
    assert done.code == 0, done.err
    record = json.loads((tmp_path / "x.run.json").read_text())
    mass = record["subject"]["mass"]
    assert mass["value"] == pytest.approx(70, rel=0.015)
    assert mass["source"] == f"plates, 1 whole step of the trial: {mass['value']:.1f} kg, spread 0.00 kg"
    assert ("mass_estimated", "assumption") in [(w["code"], w["severity"]) for w in record["warnings"]]


def _forget_the_mass(c: Any) -> None:
    del c["parameters"]["PROCESSING"]["Bodymass"]


def test_body_mass_in_grams_in_the_trial(refused: Callable[..., None], walk: Path, tmp_path: Path) -> None:
    trial = edited_c3d(walk, tmp_path / "x.c3d", lambda c: set_parameter(c, "Bodymass", 70000.0))
    refused(trial, "mass", "7e+04")


def unseen(label: str) -> Callable[[Any], None]:
    def hide(c: Any) -> None:
        at = list(c["parameters"]["POINT"]["LABELS"]["value"]).index(label)
        c["data"]["points"][:3, at] = np.nan
        c["data"]["meta_points"]["residuals"][0, at] = -1

    return hide


def test_a_marker_that_is_never_seen_is_refused_by_name(
    refused: Callable[..., None], walk: Path, tmp_path: Path
) -> None:
    refused(edited_c3d(walk, tmp_path / "x.c3d", unseen("LASI")), "LASI", "never seen")


@pytest.mark.parametrize("label", ["LKNE", "RTOE"])
def test_a_marker_of_one_leg_that_is_never_seen_leaves_that_leg_out_by_name(
    walk: Path, tmp_path: Path, label: str
) -> None:
    done = gaitid("run", edited_c3d(walk, tmp_path / "x.c3d", unseen(label)), "--model", "pig", "-o", tmp_path)
    assert done.code == 0
    leg = "left" if label[0] == "L" else "right"
    assert f"warning: {leg} leg: markers of the model pig are missing or never seen: {label}; its columns" in done.err
    verdict = json.loads((tmp_path / "x.run.json").read_text())["verdict"]
    assert verdict.pop(leg) == "do not use"
    assert (verdict["trial"], *(verdict.get(side) for side in ("left", "right") if side != leg)) == ("good", "good")


def test_every_marker_unseen(refused: Callable[..., None], walk: Path, tmp_path: Path) -> None:
    def hide(c: Any) -> None:
        c["data"]["points"][:3] = np.nan
        c["data"]["meta_points"]["residuals"][:] = -1

    refused(edited_c3d(walk, tmp_path / "x.c3d", hide), "missing", "no marker seen in any frame")


def test_unit_that_nobody_knows(refused: Callable[..., None], walk: Path, tmp_path: Path) -> None:
    def parsec(c: Any) -> None:
        c["parameters"]["POINT"]["UNITS"]["value"] = ["parsec"]

    refused(edited_c3d(walk, tmp_path / "x.c3d", parsec), "POINT:UNITS", "parsec")


def test_cutoff_above_half_the_rate(refused: Callable[..., None], walk: Path) -> None:
    refused(walk, "cut-off 60 Hz", "below half", options=("--cutoff", "60"))
    refused(walk, "cut-off 600 Hz", "below half", options=("--force-cutoff", "600"))


def test_no_leg_but_a_pelvis(refused: Callable[..., None], walk: Path, tmp_path: Path) -> None:
    keep = {"LASI", "RASI", "LPSI", "RPSI"}
    trial = edited_c3d(walk, tmp_path / "x.c3d", lambda c: without_markers(c, keep.__contains__))
    refused(trial, "LKNE", "RKNE")


# --- the model, the subject, the options --------------------------------------------------------------------


def test_model_that_is_not_there(refused: Callable[..., None], walk: Path) -> None:
    refused(walk, "pgi", "did you mean 'pig'", model="pgi")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("extends: pig\ngaitid_model: 1\nname: mine\nsettings: {gravty: 9.8}\n", "settings.gravty: unknown key"),
        ("extends: pig\ngaitid_model: 1\nname: mine\ncolour: red\n", "colour: unknown key"),
        ("a: [1\n", "line"),
        ("just text\n", "not a gaitid model"),
        ("", "not a gaitid model"),
        ("extends: mine.yaml\ngaitid_model: 1\n", "extends itself"),
        ("gaitid_model: 1\nname: a\nname: b\n", "twice"),
    ],
)
def test_model_that_breaks_the_schema(
    refused: Callable[..., None], walk: Path, tmp_path: Path, text: str, word: str
) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    refused(walk, "mine.yaml", word, model=tmp_path / "mine.yaml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mass_kg: 70000\n", ("line 1: mass_kg", "70000", "400", "grams")),
        ("left_leg_length_mm: 0.92\n", ("left_leg_length_mm", "0.92")),
        ("mass: 70\n", ("mass", "did you mean 'mass_kg'")),
        ("mass_kg: heavy\n", ("mass_kg", "heavy")),
        ("mass_kg: .nan\n", ("mass_kg", "number")),
        ("- 70\n", ("subject.yaml",)),
    ],
)
def test_subject_file_that_cannot_be(
    refused: Callable[..., None], walk: Path, tmp_path: Path, text: str, words: tuple[str, ...]
) -> None:
    (tmp_path / "subject.yaml").write_text(text)
    begin = f"gaitid: {tmp_path / 'subject.yaml'}: "
    refused(walk, begin, *words, options=("--subject", tmp_path / "subject.yaml"))


@pytest.mark.parametrize("option", ["--static", "--subject", "--plates"])
def test_option_that_names_no_file(refused: Callable[..., None], walk: Path, option: str) -> None:
    refused(walk, "none.c3d", "no such file", options=(option, "none.c3d"))


@pytest.mark.parametrize("option", ["--forces", "--plates"])
def test_an_option_that_names_no_regular_file(refused: Callable[..., None], walk: Path, option: str) -> None:
    refused(walk, f"gaitid: {os.devnull}: not a file", "expected a regular file", options=(option, os.devnull))
    refused(walk, "gaitid: none.csv: no such file", options=(option, "none.csv"))


@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize(
    ("option", "source", "name"),
    [
        ("--forces", "walk.forces.csv", "walk.contacts.csv"),
        ("--plates", "walk.plates.yaml", "walk.joints.csv"),
        ("--static", "walk.csv", "walk.segments.csv"),
        ("--subject", "walk.subject.yaml", "walk.run.json"),
    ],
)
def test_no_input_is_overwritten(
    simulated: Path, tmp_path: Path, option: str, source: str, name: str, link: bool
) -> None:
    """By its own name, or where a link of another name was given; segments.csv would be taken away only."""
    for file in ("walk.csv", "walk.forces.csv", "walk.plates.yaml"):
        shutil.copy(simulated / file, tmp_path)
    shutil.copy(simulated / source, tmp_path / name)
    given = tmp_path / name
    if link:
        given = tmp_path / f"link{Path(source).suffix}"
        given.symlink_to(name)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    files = {"--forces": tmp_path / "walk.forces.csv", "--plates": tmp_path / "walk.plates.yaml", option: given}
    words = [word for pair in files.items() for word in pair]
    done = gaitid("run", tmp_path / "walk.csv", "--model", "pig", *words, "-o", tmp_path)
    assert_refused(done, f"{tmp_path / name} is an input and would be overwritten")
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_no_result_is_overwritten_by_its_report(results: Path) -> None:
    before = {p.name: p.read_bytes() for p in results.iterdir()}
    for name in ("walk.run.json", "walk.joints.csv"):
        done = gaitid("report", results / "walk.run.json", "--format", "html", "-o", results / name)
        assert_refused(done, f"{results / name} is an input and would be overwritten")
    assert {p.name: p.read_bytes() for p in results.iterdir()} == before


def test_a_setting_that_is_given_twice_differently(walk: Path, tmp_path: Path) -> None:
    """The last one counted in silence."""
    twice = ("--set", "hip_centre=hara", "--set", "hip_centre=bell")
    done = gaitid("run", walk, "-o", tmp_path / "never", *twice)
    assert done.code == 2
    assert done.err.startswith("gaitid: --set hip_centre: given twice, as hara and bell; give it once")
    assert not (tmp_path / "never").exists()


def test_setting_that_nobody_knows(refused: Callable[..., None], walk: Path) -> None:
    refused(walk, "gravity", "no such setting", options=("--set", "gravity=9.8"))
    begin = "gaitid: --set gravity_m_per_s2=-1: expected a number"
    refused(walk, begin, options=("--set", "gravity_m_per_s2=-1"))
    both = ("--set", "end_frames=abc", "--set", "gravity_m_per_s2=-1")
    refused(walk, begin, "; --set end_frames=abc: expected a number", options=both)


def test_a_setting_that_the_model_itself_has_wrong(refused: Callable[..., None], walk: Path, tmp_path: Path) -> None:
    model = tmp_path / "mine.yaml"
    model.write_text("gaitid_model: 1\nname: mine\nextends: pig\nsettings: {end_frames: abc}\n")
    words = (f"gaitid: {model}: line 4: settings.end_frames: expected a number",)
    refused(walk, *words, model=model)
    refused(walk, *words, model=model, options=("--set", "gravity_m_per_s2=9.8"))


def test_wrong_usage_of_options(walk: Path) -> None:
    assert_wrong_usage(gaitid("run", walk, "--model", "pig", "--set", "gravity"), "KEY=VALUE")
    assert_wrong_usage(gaitid("run", walk, "--model", "pig", "--cutoff", "-6"), "-6")
    for hz in ("nan", "inf", "0", "1e-9", "1e9"):
        wanted = "'--cutoff': expected a frequency from 0.01 to 100000 Hz, none or auto; found"
        assert_wrong_usage(gaitid("run", walk, "--model", "pig", "--cutoff", hz), wanted)
    for seconds in ("nan", "inf", "-5"):
        assert_wrong_usage(gaitid("batch", walk, "-o", "o", "--time-limit", seconds), "--time-limit")
        assert_wrong_usage(gaitid("simulate", "walk", "-o", "o", "--time-limit", seconds), "--time-limit")
    for command in (("run", ""), ("run", walk, "--static", ""), ("compare", walk, ""), ("report", "", "-o", "r.html")):
        assert_wrong_usage(gaitid(*command), "expected a path, found nothing")
    assert_wrong_usage(gaitid("run", walk, "--model", "pig", "--express-in", "lab"), "lab")
    assert_wrong_usage(gaitid("run", walk, "--model", "pig", "--nonsense"), "--nonsense")
    assert_wrong_usage(gaitid("run", walk, walk, "--model", "pig", "--forces", "f.csv"), "--forces")


def test_output_that_cannot_be_a_folder(walk: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    for target in (tmp_path / "taken", tmp_path / "taken" / "below"):
        done = gaitid("run", walk, "--model", "pig", "-o", target)
        assert done.code == 1
        assert done.lines[-1].startswith(f"gaitid: {walk}: cannot write to ")
        assert "Traceback" not in done.err
    assert (tmp_path / "taken").read_text() == "a file"


def test_such_an_output_is_refused_before_the_work(walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setattr("gaitid.run.analyse_file", lambda *_: pytest.fail("analysed"))
    done = gaitid("run", walk, "--model", "pig", "-o", tmp_path / "taken")
    assert done.code == 1 and "cannot write to" in done.lines[-1]


def test_nothing_half_written(walk: Path, tmp_path: Path) -> None:
    (tmp_path / "walk.joints.csv").mkdir()  # in the way of one of the files
    (tmp_path / "walk.joints.csv" / "keep").write_text("me")
    done = gaitid("run", walk, "--model", "pig", "-o", tmp_path, "-q")
    assert_refused(done, "cannot write")
    assert not list(tmp_path.glob(".*")), "what was written aside is gone"


# --- odd files of the world ---------------------------------------------------------------------------------

ZOO = sorted((SHARED / "zoo").iterdir()) if SHARED.is_dir() else []


@pytest.mark.skipif(not ZOO, reason="recorded trials (../shared/trials) are not here")
@pytest.mark.parametrize("command", ["run", "inspect", "check"])
@pytest.mark.parametrize("path", ZOO, ids=[p.name for p in ZOO])
def test_odd_files_end_soon_and_in_words(path: Path, command: str, tmp_path: Path) -> None:
    options = [] if command == "inspect" else ["--model", "pig"]
    options += ["-o", str(tmp_path / "o")] if command == "run" else []
    start = time.perf_counter()
    done = gaitid(command, path, *options)
    assert time.perf_counter() - start < 60  # s: a hang
    assert done.code in (0, 1)
    assert "Traceback" not in done.out + done.err
    assert "internal error" not in done.out + done.err
    assert all(line.startswith("gaitid: ") for line in done.lines)
    if done.code == 1 and command != "check":
        assert len(done.lines) == 1
        assert done.out == ""


# --- marker sets, and YAML as people write it ---------------------------------------------------------------


@pytest.mark.parametrize("option", ["--markers", "--subject", "--model"])
@pytest.mark.parametrize(
    ("text", "word"),
    [("heel: {S}HEE\n", 'quote it: "{S}HEE"'), ("a:\n\theel: b\n", "indent with blanks, not with a tab")],
)
def test_yaml_with_a_forgotten_quote_or_a_tab(
    refused: Callable[..., None], walk: Path, tmp_path: Path, option: str, text: str, word: str
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    refused(walk, "mine.yaml: line", word, options=(option, path))


def test_a_marker_set_that_is_none(refused: Callable[..., None], walk: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    refused(walk, "no marker set", options=("--markers", path))
    path.write_text("a: 1\n")
    refused(walk, "mine.yaml: not a gaitid marker set", options=("--markers", path))
    path.write_text("gaitid_markers: 1\nname: x\nlandmarks_each_side: {heel: LHEE}\n")
    refused(walk, "landmarks_each_side.heel", "write {S}", options=("--markers", path))
    path.write_text("gaitid_markers: 1\nname: x\nletters: {left: L, right: L}\n")
    refused(walk, "letters: left and right must differ", options=("--markers", path))


def test_a_landmark_that_no_model_knows_is_a_warning_of_the_run(walk: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("gaitid_markers: 1\nname: x\nlandmarks_each_side: {hel: '{S}HEE'}\n")
    done = gaitid("run", walk, "--model", "pig", "--markers", path, "-o", tmp_path / "out")
    assert done.code == 0
    assert "landmarks_each_side.hel: no model uses it (did you mean 'heel'?)" in done.err
    record = json.loads(next((tmp_path / "out").rglob("*.run.json")).read_text())
    assert [w["severity"] for w in record["warnings"] if w["code"] == "alias_unused"] == ["doubt"]


def test_a_subject_file_needs_a_name(walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert_wrong_usage(gaitid("calibrate", walk.with_name("static.c3d"), "-o", "-"), "give its name")
    assert not (tmp_path / "-").exists()
