"""Events of C3D files: which are read, and what is said of the others."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from c3d_made import made
from note_texts import texts

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
from c3d_writer import Value

from gaitid.read.c3d.trial import read_c3d

TIMES = np.array([[0.0, 0.0, 0.0], [0.22, 0.24, 0.26]])
WHOLE: dict[str, Value | None] = {
    "USED": 3,
    "TIMES": TIMES,
    "LABELS": ["Foot Strike", "Foot Off", "Event"],
    "CONTEXTS": ["Left", "Right", "General"],
}
EVENTS = [("left", "Foot Strike", 0.02), ("right", "Foot Off", 0.04), ("general", "Event", 0.06)]


def events(path: Path, changes: dict[str, Value | None]) -> tuple[list[tuple[str, str, float]], list[str]]:
    trial = read_c3d(made(path, {"EVENT": WHOLE | changes}))
    found = [(event.side, event.name, round(event.time_s, 6)) for event in trial.events]
    return found, [warning for warning in texts(trial) if "EVENT" in warning]


@pytest.mark.parametrize("n", [1, 2])
def test_events_go_on_in_a_second_parameter(tmp_path: Path, n: int) -> None:
    parts: dict[str, Value | None] = {"TIMES": TIMES[:, :n], "TIMES2": TIMES[:, n:]}
    for name in ("LABELS", "CONTEXTS"):
        texts = list(WHOLE[name])  # type: ignore[arg-type]
        parts |= {name: texts[:n], f"{name}2": texts[n:]}
    found, warnings = events(tmp_path / "a.c3d", parts)
    assert found == EVENTS
    assert warnings == []


@pytest.mark.parametrize(
    ("changes", "kept", "warning"),
    [
        (
            {"CONTEXTS": None},
            [("general", *event[1:]) for event in EVENTS],
            "3 times, 3 labels and 0 contexts of 3 events",
        ),
        ({"CONTEXTS": ["Left"]}, [EVENTS[0], ("general", *EVENTS[1][1:]), EVENTS[2]], "3 labels and 1 contexts"),
        ({"LABELS": None}, [], "3 times, 0 labels and 3 contexts of 3 events"),
        ({"LABELS": None, "USED": None}, [], "3 times, 0 labels and 3 contexts of 3 events"),
        ({"TIMES": TIMES[:, :2]}, EVENTS[:2], "2 times, 3 labels and 3 contexts of 3 events"),
        ({"TIMES": None}, [], "0 times, 3 labels and 3 contexts of 3 events"),
        ({"USED": 5}, EVENTS, "3 times, 3 labels and 3 contexts of 5 events"),
        ({"USED": 2}, EVENTS[:2], "EVENT:USED says 2 events; 1 more with a label are not read"),
        ({"USED": 0}, [], "EVENT:USED says 0 events; 3 more with a label are not read"),
    ],
)
def test_no_event_is_lost_silently(
    tmp_path: Path, changes: dict[str, Value | None], kept: list[tuple[str, str, float]], warning: str
) -> None:
    found, warnings = events(tmp_path / "a.c3d", changes)
    assert found == kept
    assert [warning in each for each in warnings] == [True]
