"""Gait events of the user's own file: read, refused, and used before all others."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import gaitid
from gaitid.errors import ReadError
from gaitid.read.event_file import with_events
from gaitid.read.event_names import unknown_notes
from gaitid.trial import Event, Trial

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d"


@pytest.fixture(scope="module")
def trial() -> Trial:
    return gaitid.read_trial(WALK)


def given(trial: Trial, tmp_path: Path, text: str) -> list[tuple[str, str, float]]:
    file = tmp_path / "mine.csv"
    file.write_text(text, encoding="utf-8")
    found = [event for event in with_events(trial, file).events if event.given]
    return [(event.side, event.name, event.time_s) for event in found]


@pytest.mark.parametrize(
    "text",
    [
        "side,event,time_s\nleft,foot strike,0.5\nright,toe off,1.25\n",
        "\ufeffside,event,time_s\r\nRight,TO,1.25\r\n\r\nL,HS,0.5\r\n",
        "event;frame;side\nInitial Contact;51;left\nFoot Off;126;right\n",
        "side;event;time_s\nleft;touch down;0,5\nright;final contact;1,25\n",
        "side\tevent\ttime_s\tframe\nleft\tFS\t\t51\nright\tToe-Off\t1.25\t126\n",
    ],
)
def test_every_usual_way_to_write_it_is_read(trial: Trial, tmp_path: Path, text: str) -> None:
    assert trial.first_frame == 1 and trial.rate_hz == 100.0
    assert given(trial, tmp_path, text) == [("left", "Foot Strike", 0.5), ("right", "Foot Off", 1.25)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", r"mine.csv: .*empty|columns: none"),
        ("side,event,time_s\n", "it holds no event; expected foot strikes and foot offs"),
        ("side,event\nleft,FS\n", r"columns: side, event; expected side, event, and time_s"),
        ("side,event,time_s,force\n", r"columns: side, event, time_s, force"),
        ("side,event,time_s\nleft,jump,0.5\n", r"row 2: event 'jump' is neither a foot strike nor a foot off"),
        ("side,event,time_s\nboth,FS,0.5\n", r"row 2: side 'both' is neither left nor right"),
        ("side,event,time_s\nleft,FS,soon\n", r"row 2: no number in time_s"),
        ("side,event,time_s\nleft,FS,nan\n", r"row 2: no number in time_s"),
        ("side,event,time_s\nleft,FS,0,5\n", r"row 2: 4 cells for 3 columns"),
        ("side,event,time_s\nleft,FS,0.5\nleft,HS,0.5\n", r"row 3: the left foot strike is given twice"),
        ("side,event,time_s\nleft,FS,9\n", r"outside the trial: left foot strike at 9 s; expected 0 to 2.99 s, frames"),
        ("side,event,time_s,frame\nleft,FS,0.5,99\n", r"row 2: 0.5 s is in frame 51, and the row says 99; expected"),
        ("side,event,frame\nleft,FS,0\n", r"outside the trial: left foot strike at -0.01 s"),
    ],
)  # fmt: skip
def test_what_is_no_event_is_refused_in_one_line(trial: Trial, tmp_path: Path, text: str, line: str) -> None:
    with pytest.raises(ReadError, match=line) as caught:
        given(trial, tmp_path, text)
    assert "\n" not in caught.value.line()


def test_events_of_a_c3d_keep_their_clock(trial: Trial) -> None:
    same = with_events(trial, WALK).events
    assert [(e.side, e.name, e.time_s) for e in same] == [(e.side, e.name, e.time_s) for e in trial.events]
    assert len(same) > 3


@pytest.mark.parametrize("label", ["1", "接地", "Yes", 'say "x"', "\U0001f463", "\u2028x"])
def test_a_label_whose_side_is_its_context_gets_a_meaning_without_a_side(
    trial: Trial, tmp_path: Path, label: str
) -> None:
    """With a side the other foot's events would become this one's."""
    strikes = [replace(e, name=label) for e in trial.events if e.name == "Foot Strike"]
    unknown = replace(trial, events=tuple(strikes))
    assert {e.side for e in strikes} == {"left", "right"}
    (note,) = unknown_notes(unknown.events)
    (line,) = re.findall("`(labels: .*)`", note.text)
    assert not label.isprintable() or label in line.replace('\\"', '"')
    file = tmp_path / "labels.yaml"
    file.write_text(line, encoding="utf-8")
    meant = with_events(unknown, file).events
    assert [(e.name, e.side, e.time_s) for e in meant] == [("Foot Strike", e.side, e.time_s) for e in strikes]
    file.write_text(line.replace(": strike", ": left strike"), encoding="utf-8")
    n = sum(e.side == "right" for e in strikes)
    with pytest.raises(ReadError, match=f"{n} with the other side"):
        with_events(unknown, file)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("labels: {A1: left hop}", r"l.yaml: labels that mean no event: A1: left hop; expected left strike, "),
        ("label: {A1: left strike}", r"l.yaml: not one key `labels`; .*found label$"),
        ("labels:", r"l.yaml: not one key `labels`"),
    ],
)
def test_a_file_of_labels_that_cannot_be_meant(trial: Trial, tmp_path: Path, text: str, line: str) -> None:
    file = tmp_path / "l.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ReadError) as refused:
        with_events(trial, file)
    assert re.match(line, refused.value.line())


def test_labels_that_the_trial_does_not_have_are_said(trial: Trial, tmp_path: Path) -> None:
    file = tmp_path / "l.yaml"
    file.write_text("labels: {HS_X: left strike}", encoding="utf-8")
    found = with_events(trial, file)
    assert [*found.events] == [*trial.events]
    assert [n.code for n in found.notes if n not in trial.notes] == ["input_unused"]


# --- what is done with them -------------------------------------------------------------------------------------


def write(path: Path, events: list[Event]) -> Path:
    rows = [f"{event.side},{event.name},{event.time_s:.6f}" for event in events]
    path.write_text("\n".join(["side,event,time_s", *rows]) + "\n", encoding="utf-8")
    return path


def test_cycles_begin_and_end_where_the_file_says(trial: Trial, tmp_path: Path) -> None:
    """20 ms is less than what is said: used without a word, and the other foot's events stay with the plates."""
    usual = gaitid.analyse(WALK, model="pig").record["events"]["used"]
    left = [
        Event("FS" if event["kind"] == "strike" else "FO", "left", event["time_s"] + 0.02)
        for event in usual
        if event["side"] == "left"
    ]
    found = gaitid.analyse(WALK, model="pig", events=write(tmp_path / "e.csv", left))
    used = found.record["events"]["used"]
    assert [e["time_s"] for e in used if e["side"] == "left"] == pytest.approx([e.time_s for e in left], abs=1e-6)
    assert {e["source"] for e in used if e["side"] == "left"} == {"given"}
    assert [e for e in used if e["side"] == "right"] == [e for e in usual if e["side"] == "right"]
    assert not [w for w in found.record["warnings"] if w["code"] == "events_against"]
    assert {"events"} == {i["role"] for i in found.record["inputs"] if i["path"].endswith("e.csv")}


@pytest.mark.parametrize(("code", "late_s"), [("events_moved", 0.0), ("events_off", 60.0)])
def test_events_of_the_user_are_the_cure_of_a_clock_that_differs(
    trial: Trial, tmp_path: Path, code: str, late_s: float
) -> None:
    late = replace(trial, events=tuple(replace(e, time_s=e.time_s + late_s) for e in trial.events))
    cured = with_events(late, write(tmp_path / "e.csv", [*trial.events]))
    codes = [{w["code"] for w in gaitid.analyse(of, model="pig").record["warnings"]} for of in (late, cured)]
    assert code in codes[0] and not codes[1] & {"events_moved", "events_off"}


def test_the_record_makes_it_again(trial: Trial, tmp_path: Path) -> None:
    file = write(tmp_path / "e.csv", [e for e in trial.events if e.side == "left"])
    first = gaitid.analyse(WALK, model="pig", events=file)
    first.write(tmp_path)
    command = json.loads((tmp_path / "walk.run.json").read_text(encoding="utf-8"))["command"]
    assert command[command.index("--events") + 1] == str(file)
    assert gaitid.load(tmp_path / "walk.run.json").record["events"] == json.loads(json.dumps(first.record["events"]))


def test_a_trial_in_memory_has_its_own(trial: Trial, tmp_path: Path) -> None:
    with pytest.raises(gaitid.GaitidError, match="forces, plates, events and corrections belong to a file"):
        gaitid.analyse(trial, model="pig", events=tmp_path / "e.csv")
