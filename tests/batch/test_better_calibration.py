"""A stored calibration and a static that say otherwise: `batch` takes the better, and says why."""

from __future__ import annotations

import csv
import json
import shutil
import struct
from pathlib import Path

import ezc3d
import numpy as np
import pytest
from click.testing import CliRunner

from gaitid.cli.batch import batch_command
from gaitid.cli.run import run_command
from gaitid.export.source import export_result
from gaitid.read.c3d.trial import read_c3d
from gaitid.simulate.files import simulate

#: rad, by which a spoilt plantar flexion is off: so is the foot.
OFF = np.radians(6.0)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated walk and its static, as recorded, and in `outputs` with the angles by the static stored in both."""
    folder = tmp_path_factory.mktemp("made")
    simulate("walk", folder, duration=1.5)
    for name in ("walk", "static"):
        run(folder / f"{name}.c3d", "--static", folder / "static.c3d", out=folder / "results")
        export_result(folder / "results" / f"{name}.run.json", "c3d", folder / "outputs")
    assert "LAnkleAngles" in read_c3d(folder / "outputs" / "walk.c3d", stored=True).stored
    return folder


def run(*words: object, out: Path) -> None:
    assert run_command.main([*map(str, words), "--model", "pig", "-o", str(out), "-q"], standalone_mode=False) == 0


def spoilt(file: Path) -> bytes:
    """A C3D file whose stored plantar flexion of the left foot is stale."""
    content = bytearray(file.read_bytes())
    value = read_c3d(file).parameters["LStaticPlantFlex"]
    at = content.index(struct.pack("<f", value), content.index(b"LStaticPlantFlex"))
    content[at : at + 4] = struct.pack("<f", value + OFF)
    return bytes(content)


def batch(folder: Path, *words: str, data: Path | None = None) -> dict[str, str]:
    """The row of the only trial of a folder ``data``; results go to ``out`` beside it."""
    given = [str(data or folder / "data"), "-o", str(folder / "out"), "--model", "pig", "-j", "1", *words]
    done = CliRunner().invoke(batch_command, given)
    assert done.exit_code == 0, done.output
    with (folder / "out" / "batch.csv").open() as file:
        (row,) = csv.DictReader(file)
    return row


def put(folder: Path, walk: bytes | Path, static: bytes | Path) -> tuple[Path, Path]:
    (folder / "data").mkdir()
    paths = folder / "data" / "walk.c3d", folder / "data" / "static.c3d"
    for path, content in zip(paths, (walk, static), strict=True):
        path.write_bytes(content if isinstance(content, bytes) else content.read_bytes())
    return paths


def assert_as_run(folder: Path, *words: object) -> list[str]:
    """That `batch` wrote what `run` writes, byte for byte; the texts of its notes on the calibration."""
    run(folder / "data" / "walk.c3d", *words, out=folder / "run")
    for file in (folder / "run").iterdir():
        assert file.read_bytes() == (folder / "out" / file.name).read_bytes(), file.name
    warnings = json.loads((folder / "out" / "walk.run.json").read_text())["warnings"]
    return [note["text"] for note in warnings if note["code"] in ("calibration_conflict", "file_beside")]


@pytest.mark.parametrize("where", ["walk", "static"])
def test_outputs_show_that_the_stored_values_are_stale(made: Path, tmp_path: Path, where: str) -> None:
    """The foot is 6° off, in one of seven angles of a leg, the other leg right: with the outputs it is not."""
    outputs = {name: made / ("outputs" if name == where else "") / f"{name}.c3d" for name in ("walk", "static")}
    _, static = put(tmp_path, spoilt(outputs["walk"]), outputs["static"])
    row = batch(tmp_path)
    assert row["static"].startswith(f"{static}: against the angles stored in {where}.c3d the stored calibration")
    assert "the static 0.0°" in row["static"] and "they differ by up to 6." in row["static"]
    (note,) = assert_as_run(tmp_path, "--static", static)
    assert (
        "the static is used" in note
        and f"against the angles stored in {where}.c3d the stored" in note
        and "by up to 6." in note
    )
    clean, found = (tmp_path / name for name in ("clean", "out"))
    run(made / "walk.c3d", out=clean)  # what is stored there is true
    joints = [np.genfromtxt(f / "walk.joints.csv", delimiter=",", names=True) for f in (clean, found)]
    for column in ("left_ankle_dorsiflexion_deg", "right_knee_flexion_deg"):
        np.testing.assert_allclose(joints[0][column], joints[1][column], atol=0.02)
    assert batch(tmp_path, "--resume")["static"] == row["static"]
    assert batch(tmp_path, "--resume")["run_time_s"] == ""


def test_outputs_show_that_the_stored_values_are_right(made: Path, tmp_path: Path) -> None:
    """A static whose heel marker was put on elsewhere turns the foot; what the walk stores made its outputs."""
    moved = ezc3d.c3d(str(made / "static.c3d"))
    moved["data"]["points"][2, moved["parameters"]["POINT"]["LABELS"]["value"].index("LHEE")] += 12.0
    del moved["data"]["meta_points"]
    moved.write(str(tmp_path / "moved.c3d"))
    put(tmp_path, made / "outputs" / "walk.c3d", tmp_path / "moved.c3d")
    (tmp_path / "data" / "subject.yaml").write_text("static: {foot_flat: false}\n")
    row = batch(tmp_path)
    assert row["static"].startswith("none: against the angles stored in walk.c3d the stored calibration is 0.0°")
    assert f"{tmp_path / 'data' / 'static.c3d'} is not used" in row["static"]


def test_without_outputs_the_static_wins_if_it_fits(made: Path, tmp_path: Path) -> None:
    _, static = put(tmp_path, spoilt(made / "walk.c3d"), made / "static.c3d")
    row = batch(tmp_path)
    assert row["static"].startswith(f"{static}: no file stores angles") and "by up to 6." in row["static"]
    assert_as_run(tmp_path, "--static", static)


def test_a_static_that_does_not_fit_is_not_taken(made: Path, tmp_path: Path) -> None:
    other = ezc3d.c3d(str(made / "static.c3d"))
    other["data"]["points"][:3] *= 1.15
    del other["data"]["meta_points"]
    other.write(str(tmp_path / "other.c3d"))
    put(tmp_path, made / "walk.c3d", tmp_path / "other.c3d")
    assert batch(tmp_path)["static"].startswith("none: the static cannot be used: the static is another person's")
    assert_as_run(tmp_path)


def test_of_recorded_sessions_what_made_the_outputs_is_taken(shared_trials: Path, tmp_path: Path) -> None:
    """sydney's static says otherwise, that of stairs was not foot-flat; the walk of a child was spoilt."""
    data = tmp_path / "data"
    for name, files in {"sydney": ("walk03", "static"), "stairs": ("Movement_trial", "Static_trial")}.items():
        (data / name).mkdir(parents=True)
        for file in files:
            shutil.copy(shared_trials / name / f"{file}.c3d", data / name)
    (data / "child").mkdir()
    shutil.copy(shared_trials / "children/HC030A/static.c3d", data / "child")
    (data / "child" / "walk.c3d").write_bytes(spoilt(shared_trials / "children/HC030A/walk.c3d"))
    assert CliRunner().invoke(batch_command, [str(data), "-o", str(tmp_path / "out"), "-j", "1"]).exit_code == 0
    with (tmp_path / "out" / "batch.csv").open() as file:
        found = {row["subject"]: row["static"].partition(":")[0] for row in csv.DictReader(file)}
    assert found == {"sydney": "none", "stairs": "none", "child": str(data / "child" / "static.c3d")}
