"""Points added to files of every encoding: what was there stays, in the eyes of three readers."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import ezc3d
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
from c3d_writer import FRAMES, INTEL, LABELS, write

from gaitid.export.c3d import NewPoint, with_points
from gaitid.read.c3d.file import C3DFile, read_c3d_file, texts
from gaitid.read.c3d.frame_layout import first_number
from gaitid.read.c3d.trial import read_c3d

ZOO = Path(__file__).resolve().parents[2].parent / "shared" / "trials" / "zoo"
DEC, SGI = 85, 86
UNITS = {"ANGLE_UNITS": "deg"}


def new_points(n_frames: int, labels: tuple[str, ...] = ("LHipAngles", "LHipMoment")) -> list[NewPoint]:
    """Numbers that tell their place; the first frame of each is not known, of the second one component."""
    points = []
    for i, label in enumerate(labels):
        values = np.arange(n_frames)[:, None] * 7.25 + np.array([0.1, -20.0, 3e-3]) * (i + 1)
        values[0] = np.nan
        values[1, 1] = np.nan
        points.append(NewPoint(label, f"what {label} is", "ANGLES" if "Angle" in label else "MOMENTS", values))
    return points


def added(path: Path, points: list[NewPoint]) -> tuple[C3DFile, C3DFile, Path]:
    """Before, after, and where that lies."""
    written = with_points(path.read_bytes(), points, UNITS, keep_names=True)
    target = path.with_name(f"more_{path.name}")
    target.write_bytes(written.content)
    return read_c3d_file(path), read_c3d_file(target), target


def assert_same_data(before: C3DFile, after: C3DFile) -> None:
    """Own points and samples; of whole numbers as reals of four bytes."""
    n = before.points.shape[1]
    exact = before.header.floats
    np.testing.assert_allclose(after.points[:, :n], before.points, rtol=0 if exact else 1.2e-7)
    np.testing.assert_array_equal(after.seen[:, :n], before.seen)
    channels = range(before.analog.shape[0])
    np.testing.assert_array_equal(after.analog[channels], before.analog[channels])


def assert_new_points(after: C3DFile, points: list[NewPoint], dec: bool = False) -> None:
    for i, point in enumerate(points, start=after.points.shape[1] - len(points)):
        known = np.isfinite(point.values)
        seen = known.all(axis=1) if dec else known.any(axis=1)
        np.testing.assert_array_equal(after.seen[:, i], seen)
        np.testing.assert_array_equal(after.points[~seen, i], 0.0)
        np.testing.assert_array_equal(after.points[seen, i], point.values[seen].astype(np.float32))


@pytest.mark.parametrize("code", [INTEL, DEC, SGI])
@pytest.mark.parametrize("floats", [True, False])
def test_every_encoding(tmp_path: Path, code: int, floats: bool) -> None:
    path = tmp_path / "small.c3d"
    path.write_bytes(write(code, floats).data)
    points = new_points(FRAMES)
    before, after, target = added(path, points)
    assert_same_data(before, after)
    assert_new_points(after, points, dec=code == DEC)
    assert after.notes == before.notes
    assert texts(after.parameters, "POINT", "LABELS") == [*LABELS, "LHipAngles", "LHipMoment"]
    assert texts(after.parameters, "POINT", "ANGLES") == ["LHipAngles"]
    assert texts(after.parameters, "POINT", "MOMENTS") == ["LHipMoment"]
    assert texts(after.parameters, "POINT", "TYPE_GROUPS")[:4] == ["ANGLES", "ANGLE", "MOMENTS", "MOMENT"]
    assert texts(after.parameters, "POINT", "DESCRIPTIONS")[-1] == "what LHipMoment is"
    assert after.encoding == before.encoding.replace("integer", "real")
    assert_others_see_it(path, target, before, exact=floats)


def assert_others_see_it(path: Path, target: Path, before: C3DFile, exact: bool) -> None:
    """ezc3d and the pure-Python c3d read the same of what was there, and every other parameter."""
    n, rtol = before.points.shape[1], 0 if exact else 1.2e-7
    if "MIPS" not in before.encoding:  # ezc3d reads none of these
        assert_ezc3d_sees_it(path, target, n, rtol)
    c3d = pytest.importorskip("c3d", reason="the pure-Python reader is not installed")
    with warnings.catch_warnings(), path.open("rb") as first, target.open("rb") as second:
        warnings.simplefilter("ignore")
        try:
            was = c3d.Reader(first)
        except AssertionError:
            return  # it does not read what was there either
        rows = zip(was.read_frames(), c3d.Reader(second).read_frames(), strict=True)
        for (i, points, analog), (j, more, analog_after) in rows:
            assert i == j
            np.testing.assert_allclose(more[:n, :4], points[:, :4], rtol=rtol, atol=0)
            np.testing.assert_array_equal(analog_after, analog)


def assert_ezc3d_sees_it(path: Path, target: Path, n: int, rtol: float) -> None:
    one, other = ezc3d.c3d(str(path)), ezc3d.c3d(str(target))
    np.testing.assert_allclose(other["data"]["points"][:, :n], one["data"]["points"], rtol=rtol)
    np.testing.assert_array_equal(other["data"]["analogs"], one["data"]["analogs"])
    changed = {"USED", "LABELS", "DESCRIPTIONS", "DATA_START", "TYPE_GROUPS", "ANGLES", "MOMENTS", "LABELS2", "SCALE"}
    for group, parameters in one["parameters"].items():
        for name, entry in parameters.items():
            if name != "__METADATA__" and not (group == "POINT" and name in {*changed, "DESCRIPTIONS2"}):
                np.testing.assert_array_equal(
                    other["parameters"][group][name]["value"], entry["value"], f"{group}:{name}"
                )


def test_only_what_must_change_does(tmp_path: Path) -> None:
    """Bytes of the header, of the parameters behind POINT and of every frame's own numbers."""
    path = tmp_path / "small.c3d"
    path.write_bytes(write(INTEL, True).data)
    before, after, target = added(path, new_points(FRAMES))
    old, new = path.read_bytes(), target.read_bytes()
    assert {i // 2 + 1 for i in range(512) if old[i] != new[i]} <= {2, 9}  # points a frame; where the data begin
    tail = old[old.index(b"ANALOG") + 6 : old.index(b"\2ok\0\0") + 3]
    assert tail in new
    size, wider = before.header.frame_bytes, after.header.frame_bytes
    n = 16 * len(LABELS)
    for frame in range(FRAMES):
        a = old[before.header.data_start + frame * size :][:size]
        b = new[after.header.data_start + frame * wider :][:wider]
        assert b[:n] == a[:n]
        assert b[n + 32 :] == a[n:]


@pytest.mark.parametrize("before", [250, 255, 256, 300])
def test_more_than_255_labels_go_on_in_the_next_list(tmp_path: Path, before: int) -> None:
    path = tmp_path / "small.c3d"
    path.write_bytes(write(INTEL, True).data)
    first = [NewPoint(f"P{i}", "", "ANGLES", np.full((FRAMES, 3), float(i))) for i in range(before - len(LABELS))]
    _, _, target = added(path, first)
    points = new_points(FRAMES, tuple(f"Angle{i}" for i in range(20)))
    once, twice, _ = added(target, points)
    assert_same_data(once, twice)
    assert_new_points(twice, points)
    labels = texts(twice.parameters, "POINT", "LABELS")
    assert labels == [*LABELS, *(p.label for p in first), *(p.label for p in points)]
    assert len(twice.parameters["POINT"]["LABELS"]) == min(len(labels), 255)
    assert first_number(twice.parameters, "POINT", "USED") == before + 20


@pytest.mark.skipif(not ZOO.is_dir(), reason="the shared trials are not beside this checkout")
@pytest.mark.parametrize(
    "name", ["Eb015pi", "Eb015pr", "Eb015si", "Eb015vi", "Eb015vr", "TYPE-3", "dec_int", "sgi_real", "duplicate_labels"]
)
def test_files_of_many_makers(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.c3d"
    path.write_bytes((ZOO / f"{name}.c3d").read_bytes())
    before = read_c3d_file(path)
    points = new_points(len(before.points))
    before, after, target = added(path, points)
    assert_same_data(before, after)
    assert_new_points(after, points, dec="DEC" in before.encoding)
    assert_others_see_it(path, target, before, exact=before.header.floats)


# --- names of people -------------------------------------------------------------------------------------------------

#: Where makers write them; `Weber` is the same person's family name.
NAMED: dict[str, dict[str, Any]] = {
    "POINT": {"LABELS": ["Anna:LASI", "Anna:RASI", "wand"], "DESCRIPTIONS": ["Anna:left ASIS", "", ""]},
    "SUBJECTS": {
        "NAMES": ["Anna"],
        "LABEL_PREFIXES": ["Anna:"],
        "MARKER_SETS": ["PlugInGait"],
        "MODEL_PARAMS": ["Anna.mp"],
        "Anna:Bodymass": 61.5,
    },
    "SUBJECT": {"NAME": ["Weber"], "DATE_OF_BIRTH": ["6/14/35"]},
    "PATIENT": {"FIRSTNAME": ["Anna"], "REMARK": ["Frau Weber"]},
    "TRIAL": {"NOTES": ["Anna Weber, second walk"], "DESCRIPTION": ["Weber"]},
    "EVENT": {"SUBJECTS": ["Anna", "Anna", "Anna"]},
    "ANALYSIS": {"SUBJECTS": ["Anna"], "NAMES": ["Cadence"]},
    "PROCESSING": {"Bodymass": None, "Name": ["Anna Weber"], "DOB": ["6/14/35"], "Used": ["True"]},
    "MANUFACTURER": {"COMPANY": ["Weber Motion"], "OPERATOR_NAME": ["Weber"]},
}
PERSONAL = (b"Anna", b"ANNA", b"6/14/35", b"Frau")


def with_names(code: int = INTEL) -> bytes:
    content = write(code, True, NAMED).data
    assert all(name in content for name in PERSONAL if name != b"ANNA")
    return content


@pytest.mark.parametrize("code", [INTEL, SGI])
def test_names_of_people_are_left_out(tmp_path: Path, code: int) -> None:
    path = tmp_path / "small.c3d"
    path.write_bytes(with_points(with_names(code), new_points(FRAMES), UNITS).content)
    assert not [name for name in PERSONAL if name in path.read_bytes()]
    assert path.read_bytes().count(b"Weber") == 1, "a maker is no person"
    parameters = read_c3d_file(path).parameters
    labels = ["S1:LASI", "S1:RASI", "wand", "S1:LHipAngles", "S1:LHipMoment"]
    assert texts(parameters, "POINT", "LABELS") == labels
    assert texts(parameters, "POINT", "DESCRIPTIONS")[0] == "S1:left ASIS"
    assert texts(parameters, "POINT", "ANGLES") == ["S1:LHipAngles"]
    assert (texts(parameters, "SUBJECTS", "NAMES"), texts(parameters, "EVENT", "SUBJECTS")) == (["S1"], ["S1"] * 3)
    assert texts(parameters, "SUBJECTS", "LABEL_PREFIXES") == ["S1:"]
    assert texts(parameters, "SUBJECTS", "MARKER_SETS") == ["PlugInGait"]
    assert texts(parameters, "ANALYSIS", "NAMES") == ["Cadence"]
    assert texts(parameters, "PROCESSING", "Used") == ["True"]
    trial = read_c3d(path)
    assert (trial.names, trial.parameters["S1:Bodymass"]) == (("S1",), pytest.approx(61.5))
