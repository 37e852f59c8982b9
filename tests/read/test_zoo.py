"""Odd C3D files of the world: each is read as its twin in another encoding is, or refused in one line."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from gaitid.errors import ReadError
from gaitid.read.c3d.file import read_c3d_file
from gaitid.read.c3d.trial import read_c3d

ZOO = Path(__file__).parents[2].parent / "shared" / "trials" / "zoo"
FILES = sorted(ZOO.iterdir()) if ZOO.is_dir() else []
pytestmark = pytest.mark.skipif(not FILES, reason="the odd files of ../shared/trials/zoo are not on this machine")

# c3d.org's samples 1 and 2: one trial each, as PC (p), DEC (v) and SGI (s), integers (i) and reals (r).
TWINS = [
    ("Eb015pi", "Eb015si"),
    ("Eb015pi", "Eb015vi"),
    ("Eb015pr", "Eb015vr"),
    ("Eb015pr", "Eb015pi"),
    ("dec_int", "sgi_real"),
]


@pytest.mark.parametrize(("one", "other"), TWINS)
def test_twins_in_two_encodings_hold_one_trial(one: str, other: str) -> None:
    a, b = (read_c3d_file(ZOO / f"{name}.c3d") for name in (one, other))
    assert (a.rate_hz, a.first_frame, a.n_subframes) == (b.rate_hz, b.first_frame, b.n_subframes)
    assert a.parameters.keys() == b.parameters.keys()
    assert a.parameters["POINT"]["LABELS"] == b.parameters["POINT"]["LABELS"]
    np.testing.assert_array_equal(a.seen, b.seen)
    # mm: the same kind of number is the same to the last bit; reals were rounded to float32 when they were made of
    # integers (6e-8 of 2 m), and hold what integers of 1/12 mm round
    step = 1 / 24 + 1e-3 if one == "Eb015pr" and other == "Eb015pi" else 2e-4 if "real" in other else 0.0
    np.testing.assert_allclose(a.points[a.seen], b.points[b.seen], rtol=0, atol=step)
    every = range(a.analog.shape[0])
    np.testing.assert_array_equal(a.analog[every], b.analog[every])


def test_what_each_says_of_its_encoding() -> None:
    formats = {name: read_c3d(ZOO / f"{name}.c3d").origin["format"] for name in ("Eb015pi", "Eb015vr", "sgi_real")}
    assert formats == {
        "Eb015pi": "C3D, little-endian (Intel), integer",
        "Eb015vr": "C3D, DEC (VAX), real",
        "sgi_real": "C3D, big-endian (SGI/MIPS), real",
    }


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Empty.c3d", "not a C3D file; expected a header block with the key 0x50; found an empty file"),
        # the lengths of its labels' entry and of the next ones are false
        ("badParameterOffset.c3d", "damaged C3D parameter section"),
        # its data begin inside its parameters
        ("bad_parameter_section.c3d", "damaged C3D parameter section: it points into the data"),
    ],
)
def test_odd_files_are_refused_with_one_clear_line(name: str, message: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_c3d(ZOO / name)
    assert caught.value.line().startswith(message)
    assert caught.value.line().isprintable()


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_every_one_ends_soon(path: Path) -> None:
    start = time.perf_counter()
    try:
        trial = read_c3d(path, stored=True)
    except ReadError as error:
        assert error.line().isprintable()
    else:
        assert np.isfinite(trial.points_g).any()
        assert np.nanmax(np.abs(trial.points_g)) < 20  # m: a laboratory
    assert time.perf_counter() - start < 20  # s: a hang


@pytest.mark.parametrize(("name", "kinds"), [("TYPE-2.C3D", [2]), ("TYPE-3.c3d", [3, 3, 2, 2]), ("TYPE-4.C3D", [4])])
def test_plates_of_other_types_are_read(name: str, kinds: list[int]) -> None:
    trial = read_c3d(ZOO / name)
    assert ([p.kind for p in trial.plates], trial.refused_plates) == (kinds, {})


def test_labels_given_twice_are_read() -> None:
    """Copies of one marker are read once; points of one label at different places would all stay."""
    trial = read_c3d(ZOO / "duplicate_labels.c3d")
    assert len(set(trial.labels)) == len(trial.labels) == 22
    assert any("labels that occur several times" in note.text for note in trial.notes)
