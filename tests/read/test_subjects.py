"""Several subjects in one file, several copies of one label: which points are read, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from note_texts import texts
from test_c3d import make

from gaitid.errors import ReadError
from gaitid.model.settings import ReaderSettings
from gaitid.read.c3d.trial import read_c3d
from gaitid.read.subjects import share_a_beginning

NAMES = [f"M{i:02d}" for i in range(12)]


def two_people(path: Path, *, beside: int = 12, edit: Callable[[Any], None] | None = None) -> Path:
    """Anna has twelve markers, Ben `beside` of the same names, and a ball belongs to nobody."""
    labels = [f"Anna:{name}" for name in NAMES] + [f"Ben:{name}" for name in NAMES[:beside]] + ["ball"]
    return make(path, labels, edit=edit)


def test_two_people_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ReadError) as caught:
        read_c3d(two_people(tmp_path / "a.c3d"))
    line = caught.value.line()
    assert line.startswith("markers of several subjects in one file; expected one subject a trial; found Anna (12")
    assert "Ben (12 markers seen); choose one with --subject-prefix NAME" in line
    written = caught.value.line(keep_names=False)
    assert "found 2 subjects (gaitid inspect names them); choose one with --subject-prefix NAME" in written
    assert not any(name in written for name in ("Anna", "Ben"))


@pytest.mark.parametrize(("wanted", "column"), [("Anna", 0), ("Ben", 12), ("ben", 12), ("Ben:", 12)])
def test_the_one_that_is_asked_for_is_read(tmp_path: Path, wanted: str, column: int) -> None:
    path = two_people(tmp_path / "a.c3d")
    trial = read_c3d(path, settings=ReaderSettings(subject_prefix=wanted))
    assert trial.labels == (*NAMES, "ball")
    # test_c3d.make counts through the coordinates: x of a point is its place times the frames
    np.testing.assert_allclose(trial.points_g[:, 0, 0] * 1e3, column * 20 + np.arange(20), rtol=1e-6)
    assert trial.names == ("Anna", "Ben")
    assert any(
        "the file holds 2 subjects; the one that was asked for is read, with 12 markers" in w for w in texts(trial)
    )
    assert not any("Anna" in w or "Ben" in w for w in texts(trial)), "names are private"


@pytest.mark.parametrize(("wanted", "column"), [("Anna", 0), ("Ben_", 12), ("J_Doe", 24)])
def test_a_subject_before_an_underscore_is_read_when_asked_for(tmp_path: Path, wanted: str, column: int) -> None:
    labels = [f"{who}_{name}" for who in ("Anna", "Ben", "J_Doe") for name in NAMES] + ["L_ANK"]
    path = make(tmp_path / "a.c3d", labels)
    assert read_c3d(path).labels == tuple(labels)
    assert [share_a_beginning(some) for some in (labels[:12], labels[24:36], labels[:13], labels[:9])] == [
        True,
        True,
        False,
        False,
    ]
    assert not share_a_beginning([f"L_{name}" for name in NAMES])
    trial = read_c3d(path, settings=ReaderSettings(subject_prefix=wanted))
    assert {*NAMES, "L_ANK"} <= set(trial.labels)
    i = trial.labels.index("M00")
    np.testing.assert_allclose(trial.points_g[:, i, 0] * 1e3, column * 20 + np.arange(20), rtol=1e-6)


def test_one_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"no subject 'Carl' in the file; expected one of those in it; found Anna \(12"):
        read_c3d(two_people(tmp_path / "a.c3d"), settings=ReaderSettings(subject_prefix="Carl"))
    trial = read_c3d(make(tmp_path / "b.c3d", ["LASI"]), settings=ReaderSettings(subject_prefix="Carl"))
    assert trial.labels == ("LASI",) and "--subject-prefix chooses nothing" in texts(trial)[-1]


def test_a_person_among_things_is_taken(tmp_path: Path) -> None:
    trial = read_c3d(two_people(tmp_path / "a.c3d", beside=3))
    assert trial.labels == (*NAMES, "ball")
    assert any("only one with 10 visible markers or more; that one was read (12" in w for w in texts(trial))


def test_measurements_of_the_chosen_one(tmp_path: Path) -> None:
    def measured(c: Any) -> None:
        c.add_parameter("SUBJECTS", "NAMES", ["Anna", "Ben"])
        c.add_parameter("PROCESSING", "Bodymass", [60.0, 80.0])
        c.add_parameter("PROCESSING", "Ben:Height", [1800.0])
        c.add_parameter("PROCESSING", "Anna:Height", [1600.0])
        c.add_parameter("PROCESSING", "LLegLength", [850.0])

    path = two_people(tmp_path / "a.c3d", edit=measured)
    for name, mass, height in (("Anna", 60.0, 1600.0), ("Ben", 80.0, 1800.0)):
        trial = read_c3d(path, settings=ReaderSettings(subject_prefix=name))
        assert dict(trial.parameters) == {"Bodymass": mass, "Height": height}
        assert any("nothing says whose these measurements are; not used: LLegLength" in w for w in texts(trial))
    alone = two_people(tmp_path / "b.c3d", beside=3, edit=measured)
    assert read_c3d(alone).parameters["LLegLength"] == 850.0  # of the only person


def test_outputs_of_the_chosen_one(tmp_path: Path) -> None:
    def outputs(c: Any) -> None:
        c.add_parameter("POINT", "ANGLES", ["Anna:LKneeAngles", "Ben:LKneeAngles"])

    labels = [f"{who}:{name}" for who in ("Anna", "Ben") for name in (*NAMES, "LKneeAngles")]
    path = make(tmp_path / "a.c3d", labels, edit=outputs)
    for name, column in (("Anna", 12), ("Ben", 25)):
        stored = read_c3d(path, stored=True, settings=ReaderSettings(subject_prefix=name)).stored
        np.testing.assert_allclose(stored["LKneeAngles"][:, 0], column * 20 + np.arange(20), rtol=1e-6)


# --- copies ---------------------------------------------------------------------------------------------------


def copies(*points: np.ndarray) -> np.ndarray:
    return np.stack(points, axis=1)
