"""Events in the header of C3D files that have no group EVENT: every encoding, label and nonsense."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from c3d_made import Changes
from note_texts import texts

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
from c3d_writer import DEC, FRAMES, INTEL, RATE_HZ, SGI, real_of, word_of, write

from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Trial

ZOO = Path(__file__).parents[2].parent / "shared" / "trials" / "zoo"
in_zoo = pytest.mark.skipif(not ZOO.is_dir(), reason=f"the real files of {ZOO} are not on this machine")

NO_GROUP: Changes = {"EVENT": {"USED": None, "CONTEXTS": None, "LABELS": None, "TIMES": None}}
FOUR_CHARACTERS = 12345
Stored = Sequence[tuple[str, float]]
SOME = [("RHS", 0.0625), ("LTO", 0.03125), ("STRT", 0.0)]


def trial(
    path: Path,
    events: Stored,
    *,
    count: int | None = None,
    key: int = FOUR_CHARACTERS,
    flag: int = 1,
    code: int = INTEL,
    floats: bool = True,
    changes: Changes = NO_GROUP,
) -> Trial:
    """The small trial with these events in its header: words 150 and 151, 153 to 188, 189 to 197, 199 to 234."""
    data, real, word = bytearray(write(code, floats, changes).data), real_of(code), word_of(code)
    data[298:302] = word(key) + word(len(events) if count is None else count)
    for i, (label, time) in enumerate(events):
        data[304 + 4 * i : 308 + 4 * i] = real(time)
        data[376 + i] = flag
        data[396 + 4 * i : 400 + 4 * i] = label.ljust(4).encode("latin-1")
    path.write_bytes(bytes(data))
    return read_c3d(path)


def warned(trial: Trial) -> list[str]:
    return [warning for warning in texts(trial) if not warning.startswith("plate 1: ORIGIN")]


def found(trial: Trial) -> list[tuple[str, str, float]]:
    return [(event.side, event.name, event.time_s) for event in trial.events]


@pytest.mark.parametrize("flag", [0, 1])
@pytest.mark.parametrize(("code", "floats"), [(code, floats) for code in (INTEL, DEC, SGI) for floats in (True, False)])
def test_every_encoding_gives_the_same_events(tmp_path: Path, code: int, floats: bool, flag: int) -> None:
    read = trial(tmp_path / "a.c3d", SOME, code=code, floats=floats, flag=flag)
    # the trial begins with frame 21: its header counts from there all the same
    assert found(read) == [("general", "STRT", 0.0), ("left", "Foot Off", 0.03125), ("right", "Foot Strike", 0.0625)]
    assert warned(read) == []


@pytest.mark.parametrize(
    ("label", "side", "name"),
    [
        *(
            (f"{letter}{kind}", side, name)
            for letter, side in (("L", "left"), ("R", "right"))
            for kind, name in (
                ("HS", "Foot Strike"),
                ("FS", "Foot Strike"),
                ("IC", "Foot Strike"),
                ("TO", "Foot Off"),
                ("FO", "Foot Off"),
            )
        ),
        ("RHS2", "right", "Foot Strike"),
        ("lto", "left", "Foot Off"),
        ("RMS", "general", "RMS"),
        ("RHSX", "general", "RHSX"),
        ("HS", "general", "HS"),
        ("XTO", "general", "XTO"),
    ],
)
def test_labels_that_say_a_side_and_a_kind(tmp_path: Path, label: str, side: str, name: str) -> None:
    assert found(trial(tmp_path / "a.c3d", [(label, 0.0625)])) == [(side, name, 0.0625)]


@pytest.mark.parametrize("code", [INTEL, DEC, SGI])
def test_a_header_full_of_anything_never_stops_a_file_from_being_read(tmp_path: Path, code: int) -> None:
    rng = np.random.default_rng(7)
    whole = write(code, True, NO_GROUP).data
    for _ in range(200):
        data = bytearray(whole)
        data[298:468] = rng.bytes(170)
        data[298:302] = word_of(code)(FOUR_CHARACTERS) + word_of(code)(int(rng.integers(-5, 24)))
        (tmp_path / "a.c3d").write_bytes(bytes(data))
        read = read_c3d(tmp_path / "a.c3d")
        assert len(warned(read)) <= 1
        assert all(0 <= event.time_s <= FRAMES / RATE_HZ and event.name.isprintable() for event in read.events)


# --- real files ----------------------------------------------------------------------------------------------------


@in_zoo
@pytest.mark.parametrize("name", ["Eb015pi", "Eb015pr", "Eb015si", "Eb015vi", "Eb015vr"])
def test_twins_in_five_encodings(name: str) -> None:
    read = read_c3d(ZOO / f"{name}.c3d")
    steps = [("Foot Strike", 2.72), ("Foot Strike", 5.40), ("Foot Off", 7.32)]
    assert found(read) == [("right", kind, float(np.float32(time))) for kind, time in steps]
