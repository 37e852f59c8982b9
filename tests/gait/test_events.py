"""Strikes and offs from plates and files, what is different between sources, and one list of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from gait_walks import RATE, SOFT, UP, assert_same, first_after, floor_under, foot_load, known_walk, names

from gaitid.body.feet import FootTrack
from gaitid.gait.event_clock import Steps
from gaitid.gait.events import find_events, force_events
from gaitid.gait.marker_events import KINDS, GaitEvent
from gaitid.gait.spatiotemporal import against_notes, clock_notes, feet_notes
from gaitid.ground.belt import Floor
from gaitid.ground.contacts import FootLoad
from gaitid.trial import Array, Event

SIDES = {"left": None, "right": None}

FLOOR = Floor(UP, RATE, np.zeros(3))


@pytest.fixture
def walk(simulated: Callable[..., object]):  # type: ignore[no-untyped-def]
    return simulated().walk


# --- plates --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "kinds"),
    [
        (lambda f: f.__setitem__(slice(0, 30), np.nan), ["off"]),
        (lambda f: f.__setitem__(slice(60, 90), np.nan), ["strike"]),
        (lambda f: f.__setitem__(slice(0, 100), 500.0), []),
        (lambda f: f.__setitem__(slice(45, 48), 15.0), ["strike", "off"]),
        (lambda f: f.__setitem__(slice(45, 47), 0.0), ["strike", "off"]),
        (lambda f: f.__setitem__(slice(45, 51), 0.0), ["strike", "off", "strike", "off"]),
        (lambda f: f.__setitem__(slice(5, 8), 300.0), ["strike", "off"]),
    ],
    ids=["unknown before", "unknown after", "cut by both ends", "never below half", "flutter", "left", "knock"],
)
def test_only_crossings_that_are_known_and_real(edit: Callable[[Array], None], kinds: list[str]) -> None:
    force = np.zeros(100)
    force[30:70] = 500.0
    edit(force)
    assert [e.kind for e in force_events("left", force, RATE, 20.0)] == kinds


# --- file ----------------------------------------------------------------------------------------------------


# --- together ------------------------------------------------------------------------------------------------


def test_force_goes_before_the_file_and_the_file_before_the_markers(walk) -> None:  # type: ignore[no-untyped-def]
    known = known_walk(walk)
    vertical = known.loads["left"].wrench.f_g[:, 2].copy()
    stances = [s for s in walk.stances if s.side == "left"]
    one = stances[2]  # the only one on a plate: all else of the left foot is unknown
    unknown = np.abs(walk.settings.times_s - (one.on_s + one.off_s) / 2) > 0.45
    vertical[unknown] = np.nan
    strike, off = (first_after(known, "right", kind, 1.0) for kind in KINDS)
    file = [Event("Foot Strike", "right", strike.time_s), Event("Foot Off", "right", off.time_s + 0.15)]
    found = find_events(
        file, {"left": foot_load(vertical)}, known.feet, known.pelvis, floor_under(known.feet, UP, RATE)
    )
    for side, kind, time, source in (
        ("left", "strike", one.on_s, "force"),
        ("left", "off", one.off_s, "force"),
        ("right", "strike", strike.time_s, "file"),
    ):
        (event,) = [e for e in found.used if (e.side, e.kind) == (side, kind) and abs(e.time_s - time) < SOFT]
        assert event.source == source
    assert [e.source for e in found.used].count("kinematics") == len(found.used) - 3
    assert names(list(found.used)) == names(known.events)
    ((dropped, reason),) = found.dropped
    assert (dropped.source, dropped.kind) == ("file", "off")
    assert reason == "the markers show it 0.17 s away"


def test_events_that_the_plates_or_the_markers_contradict_are_dropped(walk) -> None:  # type: ignore[no-untyped-def]
    known = known_walk(walk)
    off = first_after(known, "left", "off", 1.0)
    swing = (off.time_s + first_after(known, "left", "strike", off.time_s).time_s) / 2
    file = [Event("Foot Strike", "left", swing)]
    with_plates = find_events(file, known.loads, known.feet, known.pelvis, floor_under(known.feet, UP, RATE))
    assert with_plates.dropped[0][1] == "the plates know the load and show no such event"
    without = find_events(file, {}, known.feet, known.pelvis, floor_under(known.feet, UP, RATE))
    assert len(without.dropped) == 1
    assert names(list(without.used)) == names(known.events)


def test_two_events_too_near_keep_the_better_one() -> None:
    force = np.zeros(300)
    force[100:160] = 500.0
    unknown = force.copy()
    unknown[:50] = unknown[220:] = np.nan
    points = np.full((300, 3), np.nan)
    file = [Event("Foot Strike", "left", 2.4), Event("Foot Off", "left", 2.43)]
    found = find_events(file, {"left": foot_load(unknown)}, {"left": FootTrack(points, points)}, points, FLOOR)
    assert [(e.kind, e.source) for e in found.used] == [("strike", "force"), ("off", "force"), ("strike", "file")]
    assert "less than 0.06 s between strike and off" in found.dropped[0][1]


NAMES = {"strike": "Foot Strike", "off": "Foot Off"}


@pytest.mark.parametrize("loads", [True, False])
def test_no_event_is_used_of_a_file_whose_sides_or_units_are_wrong(walk, loads: bool) -> None:  # type: ignore[no-untyped-def]
    known = known_walk(walk)
    true = [Event(NAMES[e.kind], e.side, e.time_s) for e in known.events]
    wrong = {
        "left and right exchanged": [
            Event(e.name, {"left": "right", "right": "left"}[e.side], e.time_s) for e in true if 0.3 < e.time_s < 3.7
        ],
        "as frames plates or markers confirm": [Event(e.name, e.side, e.time_s * RATE) for e in true],
        "as milliseconds plates or markers confirm": [Event(e.name, e.side, e.time_s * 1e3) for e in true],
    }
    for words, file in {"": true, **wrong}.items():
        ground = floor_under(known.feet, UP, RATE)
        found = find_events(file, known.loads if loads else {}, known.feet, known.pelvis, ground)
        notes = [note for note in clock_notes(found) if note.code == "events_off"]
        assert len(notes) == bool(words)
        assert not words or words in notes[0].text
        assert ("file" in {e.source for e in found.used}) == (not words and not loads)
        assert names(list(found.used)) == names(known.events)


@pytest.mark.parametrize("first", [30, 119, 180])
def test_events_of_an_even_walk_from_which_the_trial_was_cut_are_left_out(walk, first: int) -> None:  # type: ignore[no-untyped-def]
    """More than a stride of them lies outside, so that moved by a stride they fit as well: none is used by chance."""
    known = known_walk(walk)
    part = slice(first, first + 161)
    feet = {side: FootTrack(foot.heel_g[part], foot.toe_g[part]) for side, foot in known.feet.items()}
    loads = {side: foot_load(load.wrench.f_g[part, 2]) for side, load in known.loads.items()}
    file = [Event(NAMES[e.kind], e.side, e.time_s) for e in known.events]
    for known_loads in (loads, {}):
        found = find_events(file, known_loads, feet, known.pelvis[part], floor_under(feet, UP, RATE))
        assert not {e.source for e in found.used} & {"file"}
        (note,) = clock_notes(found)
        assert note.code == "events_off" and "lie outside the trial" in note.text


@pytest.mark.parametrize(("late_s", "told"), [(0.03, False), (0.08, True), (-0.08, True)])
def test_an_event_that_a_hand_put_beside_the_markers_is_used_and_told(walk, late_s: float, told: bool) -> None:  # type: ignore[no-untyped-def]
    known = known_walk(walk)
    names_ = {"strike": "Foot Strike", "off": "Foot Off"}
    strike = first_after(known, "right", "strike", 1.0)
    ground = floor_under(known.feet, UP, RATE)
    markers = find_events([], {}, known.feet, known.pelvis, ground).used
    file = [Event(names_[e.kind], e.side, e.time_s) for e in markers]
    at = min(range(len(file)), key=lambda k: abs(file[k].time_s - strike.time_s) + (file[k].side != "right"))
    file[at] = Event(file[at].name, file[at].side, file[at].time_s + late_s)
    found = find_events(file, {}, known.feet, known.pelvis, ground)
    assert [e.time_s for e in found.used if e.time_s == file[at].time_s and e.source == "file"]
    texts = [note.text for note in against_notes(found, RATE, 1)]
    way = "before" if late_s > 0 else "after"
    assert len(texts) == told
    assert not told or (
        "events of the file were used, though others disagree: strike" in texts[0] and f"0.08 s {way}" in texts[0]
    )


def test_the_markers_events_are_moved_to_those_of_the_plates(walk) -> None:  # type: ignore[no-untyped-def]
    """Only one stance of each foot on a plate: the strikes of the markers lie a stride from those of the plates."""
    known, loads = known_walk(walk), over_two_plates(walk)
    found = find_events((), loads, known.feet, known.pelvis, floor_under(known.feet, UP, RATE))
    assert {e.source for e in found.used} == {"force", "kinematics"}
    for side in SIDES:
        for kind in KINDS:
            at = [e.time_s for e in found.used if (e.side, e.kind) == (side, kind)]
            np.testing.assert_allclose(np.diff(at), 1.1, atol=0.002)  # s: a fifth of a frame
    late = found.by_method["kinematics"][0].time_s - found.used[0].time_s
    assert late == pytest.approx(-found.shift_s[found.used[0].kind])


def over_two_plates(walk) -> dict[str, FootLoad]:  # type: ignore[no-untyped-def]
    """The loads of a walk where only one stance of each foot is on a plate."""
    loads = {}
    for side, load in known_walk(walk).loads.items():
        on = next(s for s in walk.stances if s.side == side and s.plate is not None)
        near = np.abs(walk.settings.times_s - (on.on_s + on.off_s) / 2) < 0.45
        loads[side] = foot_load(np.where(near, load.wrench.f_g[:, 2], np.nan))
    return loads


def test_markers_take_the_clock_of_the_file_where_no_plate_is(walk) -> None:  # type: ignore[no-untyped-def]
    known = known_walk(walk)
    file = [Event(NAMES[e.kind], e.side, e.time_s) for e in known.events if e.time_s < 2]
    found = find_events(file, {}, known.feet, known.pelvis, floor_under(known.feet, UP, RATE))
    assert {e.source for e in found.used} == {"file", "kinematics"}
    assert_same(list(found.used), known.events, atol=0.002)


@pytest.mark.parametrize("late_s", [60.0, 2.85, -1.37, 0.3])
def test_events_of_the_trial_with_another_zero_of_time_are_moved(walk, late_s: float) -> None:  # type: ignore[no-untyped-def]
    """By any other shift a stride's events lie outside the trial."""
    known = known_walk(walk)
    file = [Event(NAMES[e.kind], e.side, e.time_s + late_s) for e in known.events]
    found = find_events(file, {}, known.feet, known.pelvis, floor_under(known.feet, UP, RATE))
    assert {e.source for e in found.used} == {"file"}
    assert_same(list(found.used), known.events, atol=SOFT)  # the markers themselves are off by so much
    assert found.zero.lag_s == pytest.approx(-late_s, abs=SOFT)
    (note,) = clock_notes(found)
    assert note.code == "events_off" and "were moved" in note.text and "14 of the 14" in note.text


@pytest.mark.parametrize("late_s", [-0.05, 0.0, 0.05])
@pytest.mark.parametrize("given", [False, True])
def test_events_of_one_foot_that_are_late_by_the_markers_are_said(walk, late_s: float, given: bool) -> None:  # type: ignore[no-untyped-def]
    """A step of 0.550 s becomes 0.600, the other foot's 0.500: no walk has its events so."""
    known = known_walk(walk)
    file = [Event(NAMES[e.kind], e.side, e.time_s + late_s * (e.side == "left"), given) for e in known.events]
    found = find_events(file, {}, known.feet, known.pelvis, floor_under(known.feet, UP, RATE))
    texts = [note.text for note in feet_notes(found)]
    order = ("left", "right") if late_s > 0 else ("right", "left")
    assert len(texts) == bool(late_s)
    assert not late_s or "the {} foot's are 0.05 s later than the {} foot's".format(*order) in texts[0]


def stances_s(events: tuple[GaitEvent, ...]) -> list[float]:
    """From each strike of a foot to its off, in order of the strikes."""
    steps = Steps(events)
    ends = [(e, [t for t in steps.times(e.side, "off") if t > e.time_s]) for e in events if e.kind == "strike"]
    return [offs[0] - strike.time_s for strike, offs in ends if offs]


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("late_s", [0.0, -0.04])
@pytest.mark.parametrize("kind", KINDS)
def test_a_stance_has_one_clock_where_a_source_knows_one_kind_only(walk, kind: str, late_s: float, given: bool) -> None:  # type: ignore[no-untyped-def]
    """It lasts as long as by the markers, which alone know both its ends."""
    known = known_walk(walk)
    ground = floor_under(known.feet, UP, RATE)
    file = [Event(NAMES[e.kind], e.side, e.time_s + late_s, given) for e in known.events if e.kind == kind]
    found = find_events(file, {}, known.feet, known.pelvis, ground)
    assert {e.source for e in found.used if e.kind == kind} == {"given" if given else "file"}
    by_markers = find_events([], {}, known.feet, known.pelvis, ground).used
    assert len(stances_s(by_markers)) == 6
    np.testing.assert_allclose(stances_s(found.used), stances_s(by_markers), atol=0.001)
    (note,) = clock_notes(found)
    moved_s = found.used[0].time_s - by_markers[0].time_s
    assert note.code == "events_moved" and f"moved by {1e3 * moved_s:+.0f} ms" in note.text
