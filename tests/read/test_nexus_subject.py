"""Subject files of Vicon Nexus (.mp): their numbers, and which of them is a trial's."""

from __future__ import annotations

from pathlib import Path

import pytest
from c3d_made import made
from plain_layout import small_trial, write_plain

from gaitid.errors import ReadError
from gaitid.model.nexus_subject import mp_beside, read_mp
from gaitid.model.settings import ReaderSettings
from gaitid.read import read_trial

MP = """$Bodymass = 66.2
$Height=1890\x20
 $LLegLength = 1040
RLegLength = 1,0405e3
$LThighRotation = -2.84621
{*a comment: Zoë*}
$%LFEP = {1, 2, 3}
$Words = tall
pelvis_LASI_x = -3.2e-005
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_numbers_by_their_names(tmp_path: Path, encoding: str, end: str) -> None:
    (tmp_path / "a.mp").write_bytes(MP.replace("\n", end).encode(encoding))
    stored = read_mp(tmp_path / "a.mp")
    assert dict(stored) == {
        "Bodymass": 66.2,
        "Height": 1890.0,
        "LLegLength": 1040.0,
        "RLegLength": 1040.5,
        "LThighRotation": -2.84621,
        "pelvis_LASI_x": -3.2e-5,
    }
    assert stored["bodyMASS"] == 66.2


@pytest.mark.parametrize(
    ("text", "found"), [("", "an empty file"), ("<Parameters/>", "other lines"), ("a: 1\n", "other")]
)
def test_a_file_without_numbers_is_refused(tmp_path: Path, text: str, found: str) -> None:
    (tmp_path / "a.mp").write_text(text)
    with pytest.raises(ReadError, match=f"no parameter of a subject; expected lines as .* found {found}"):
        read_mp(tmp_path / "a.mp")
    with pytest.raises(ReadError, match="no such file"):
        read_mp(tmp_path / "b.mp")


def test_which_file_is_the_trial_s(tmp_path: Path) -> None:
    """The one named as its subject, else the only one; of several none."""
    trial, files = tmp_path / "walk.c3d", [tmp_path / f"{name}.mp" for name in ("Anna", "Bert")]
    assert mp_beside(trial, ["Anna"]) == []
    (tmp_path / "folder.mp").mkdir()
    files[0].write_text(MP)
    assert mp_beside(trial, []) == mp_beside(trial, ["Carl"]) == files[:1]
    files[1].write_text(MP)
    assert mp_beside(trial, []) == mp_beside(trial, ["Carl"]) == mp_beside(trial, ["Bert", "Anna"]) == files
    assert mp_beside(trial, ["bert"]) == files[1:]
    assert mp_beside(tmp_path / "absent" / "walk.c3d", []) == []


def test_subjects_names_and_the_user_choose(tmp_path: Path) -> None:
    trial = made(tmp_path / "walk.c3d", {"SUBJECTS": {"NAMES": ["Nobody"]}})
    for stem in ("Nobody", "Bert"):
        (tmp_path / f"{stem}.mp").write_text(MP)
    assert read_trial(trial).measured_in == tmp_path / "Nobody.mp"
    assert any("(.mp), with its name, is in the same folder" in note.text for note in read_trial(trial).notes)
    asked = read_trial(trial, settings=ReaderSettings(subject_prefix="Bert"))
    assert asked.measured_in == tmp_path / "Bert.mp"


def test_a_file_that_nobody_gave_refuses_nothing(tmp_path: Path) -> None:
    trial = write_plain(small_trial(), tmp_path)
    (tmp_path / "Anna.mp").write_text("")
    read = read_trial(trial.trial, forces=trial.forces, plates=trial.plates)
    assert read.measured_in is None
    assert any(
        "(.mp) in the same folder was not used, because it cannot be read: no parameter" in n.text for n in read.notes
    )
