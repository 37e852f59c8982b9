"""Bad input: one line on stderr that names file and fault, exit code 1, nothing written, no traceback."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from terminal import assert_refused, assert_wrong_usage, edited_c3d, gaitid, table


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


def _forget_the_mass(c: Any) -> None:
    del c["parameters"]["PROCESSING"]["Bodymass"]


def test_cutoff_above_half_the_rate(refused: Callable[..., None], walk: Path) -> None:
    refused(walk, "cut-off 60 Hz", "below half", options=("--cutoff", "60"))
    refused(walk, "cut-off 600 Hz", "below half", options=("--force-cutoff", "600"))


# --- the model, the subject, the options --------------------------------------------------------------------


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


def test_wrong_usage_of_options(walk: Path) -> None:
    for pair in ("gravity", "cutoff_hz=", "=6"):  # an empty value is no choice of the default, nor of none
        assert_wrong_usage(gaitid("run", walk, "--model", "pig", "--set", pair), "KEY=VALUE")
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


def test_nothing_half_written(walk: Path, tmp_path: Path) -> None:
    (tmp_path / "walk.joints.csv").mkdir()  # in the way of one of the files
    (tmp_path / "walk.joints.csv" / "keep").write_text("me")
    done = gaitid("run", walk, "--model", "pig", "-o", tmp_path, "-q")
    assert_refused(done, "cannot write")
    assert not list(tmp_path.glob(".*")), "what was written aside is gone"


# --- odd files of the world ---------------------------------------------------------------------------------


# --- marker sets, and YAML as people write it ---------------------------------------------------------------
