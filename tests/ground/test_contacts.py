"""What plates may be believed: no load that is known may be wrong, whatever is wrong with plates, markers or events.

The simulator knows the load on each foot exactly. Here its plates are made anew, moved, turned or lost, and every frame
that the pipeline calls known is compared with the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.ground.judgement import Judgement
from gaitid.model.load import load_model
from gaitid.notes import texts
from gaitid.trial import Event, ForcePlate, Trial

# N. The edges of contacts are known to the plates' noise; a wrong foot, a lost part or a shared load is hundreds.
WRONG = 20.0


def plate(walk, times, number: int, low, high, share: float = 1.0) -> ForcePlate:  # type: ignore[no-untyped-def]
    """A plate over a rectangle of the floor, m, that feels `share` of each foot's load whose centre lies on it."""
    (x0, y0), (x1, y1) = low, high
    # x of the plate forward, y to the right, z down
    corners = np.array([[x1, y0, 0], [x0, y0, 0], [x0, y1, 0], [x1, y1, 0]], dtype=float)
    R = np.array([[1, 0, 0], [0, -1, 0], [0, 0, -1]], dtype=float)
    centre = corners.mean(axis=0)
    force, moment = np.zeros((len(times), 3)), np.zeros((len(times), 3))
    for load in walk.loads(times).values():
        with np.errstate(invalid="ignore"):
            on = (load.cop_g[:, 0] > x0) & (load.cop_g[:, 0] < x1) & (load.cop_g[:, 1] > y0) & (load.cop_g[:, 1] < y1)
        f = np.where(on[:, None], share * load.force_g, 0.0)
        arm = np.where(on[:, None], load.cop_g - centre, 0.0)
        force += f
        moment += np.cross(arm, f) + np.where(on[:, None], share * load.free_moment_g, 0.0)
    return ForcePlate(number, 2, corners, np.zeros(3), 1000.0, force @ R, moment @ R)


@pytest.fixture(scope="module")
def scene(simulated: Callable[..., object]):  # type: ignore[no-untyped-def]
    sim = simulated()
    times = sim.walk.settings.analog_times_s
    heel = {s: sim.truth.marker_g[f"{s[0].upper()}HEE"] for s in ("left", "right")}
    toe = {s: sim.truth.marker_g[f"{s[0].upper()}TOE"] for s in ("left", "right")}
    return sim, times, heel, toe


def run(trial: Trial, **settings: object) -> Result:
    return analyse(trial, load_model("pig", settings), SubjectFile())


def assert_nothing_wrong(result: Result, sim) -> None:  # type: ignore[no-untyped-def]
    for side, leg in result.sides.items():
        error = np.linalg.norm(leg.load.wrench.f_g - sim.truth.load[side].force_g, axis=1)
        worst = np.nanmax(error)
        assert worst < WRONG, (side, worst, int(np.nanargmax(error)))


def known(result: Result, side: str) -> list[tuple[int, ...]]:
    return [c.plates for c in result.contacts if c.side == side and c.plates]


def stance(sim, side: str) -> tuple[int, int]:  # type: ignore[no-untyped-def]
    """First and last frame of the side's stance on the simulator's own plates."""
    one = next(s for s in sim.walk.stances if s.side == side and s.plate)
    loaded = np.flatnonzero(sim.truth.load[side].stance == sim.walk.stances.index(one))
    return int(loaded[0]), int(loaded[-1])


def around(scene, side: str, back=0.1, front=0.15, out=0.2):  # type: ignore[no-untyped-def]
    """Corners of a rectangle around a foot in the middle of its stance."""
    sim, _, heel, toe = scene
    first, last = stance(sim, side)
    middle = (first + last) // 2
    points = np.array([heel[side][middle], toe[side][middle]])
    return points[:, :2].min(axis=0) - [back, out], points[:, :2].max(axis=0) + [front, out]


@pytest.mark.parametrize("missing", [None, "RHEE", "RTOE"])
def test_both_feet_on_one_plate_are_never_mixed(scene, missing: str | None) -> None:  # type: ignore[no-untyped-def]
    """Also where a gap hides the other foot as it lands."""
    sim, times, *_ = scene
    (low, _), (_, high) = around(scene, "left"), around(scene, "right")
    low = np.minimum(low, around(scene, "right")[0])
    high = np.maximum(high, around(scene, "left")[1])
    points = sim.trial.points_g.copy()
    if missing:
        points[193:206, sim.trial.labels.index(missing)] = np.nan
    trial = replace(sim.trial, points_g=points, plates=(plate(sim.walk, times, 1, low, high),))
    result = run(trial)
    assert_nothing_wrong(result, sim)
    assert any("both feet" in c.reason for c in result.contacts)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda c: np.roll(c, 2, axis=0), "corner"),  # turned by 180°
        (lambda c: c + [-0.12, 0, 0], ""),
        (lambda c: c + [0.12, 0, 0], ""),
        (lambda c: c + [0, 0.12, 0], ""),
        (lambda c: c + [0, 0, 0.1], "below its surface"),
    ],
    ids=["turned", "back", "forward", "sideways", "up"],
)
def test_a_plate_surveyed_wrongly_is_not_believed(scene, change, reason: str) -> None:  # type: ignore[no-untyped-def]
    sim, times, *_ = scene
    one = plate(sim.walk, times, 1, *around(scene, "left", back=0.4, front=0.4, out=0.4))
    result = run(replace(sim.trial, plates=(replace(one, corners_g=change(one.corners_g)),)))
    assert known(result, "left") == []
    assert any(reason in c.reason and c.reason.startswith("plate 1") for c in result.contacts)


@pytest.mark.parametrize("removed", [True, False])
def test_a_plate_with_a_bias_loads_no_airborne_foot(scene, removed: bool) -> None:  # type: ignore[no-untyped-def]
    sim, *_ = scene
    plates = tuple(replace(p, force_p=p.force_p + [3.0, -2.0, -11.0]) for p in sim.trial.plates)
    result = run(replace(sim.trial, plates=plates), remove_bias="auto" if removed else "never")
    assert known(result, "left") == [(1,)]
    first, last = stance(sim, "left")
    np.testing.assert_array_equal(result.sides["left"].load.wrench.f_g[last + 8 : last + 20], 0.0)
    contact = next(c for c in result.contacts if c.plates and c.side == "left")
    if removed:
        assert contact.reason == ""
        leg, truth = result.sides["left"], sim.truth.load["left"].force_g
        known_too = np.isfinite(leg.load.wrench.f_g).all(axis=1)
        # N; nothing of the constant is left in the load
        np.testing.assert_allclose(leg.load.wrench.f_g[known_too], truth[known_too], atol=1.0)
        assert any("reads 11.6 N while it is empty" in w and "subtracted" in w for w in texts(result.notes))
    else:
        assert any("reads 11.6 N while it is empty" in w for w in texts(result.notes))
    assert first - 2 <= contact.first and contact.last <= last + 4


def test_a_contact_of_which_no_frame_is_known_is_unknown(scene, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """Whatever was judged of the whole, doubts of its frames may leave none: then no plate is named."""
    sim, times, *_ = scene

    def doubted_throughout(contact):  # type: ignore[no-untyped-def]
        every = np.ones(contact.last - contact.first + 1, dtype=bool)
        return Judgement(True, 0.6, "it presses at that edge", every, every)

    monkeypatch.setattr("gaitid.ground.contacts.judge", doubted_throughout)
    result = run(replace(sim.trial, plates=(plate(sim.walk, times, 1, *around(scene, "left")),)))
    assert known(result, "left") == []
    assert any(c.reason == "plate 1: its load is known in no frame: it presses at that edge" for c in result.contacts)


@pytest.mark.parametrize("shift_s", [-0.09, -0.05, 0.05, 0.09])
def test_events_that_disagree_with_the_plates_are_left_aside(scene, shift_s: float) -> None:  # type: ignore[no-untyped-def]
    sim, *_ = scene
    events = []
    for one in sim.walk.stances:
        k = sim.walk.stances.index(one)
        loaded = np.flatnonzero(sim.truth.load[one.side].stance == k)
        if loaded.size:
            events += [
                Event("Foot Strike", one.side, loaded[0] / 100 + shift_s),
                Event("Foot Off", one.side, loaded[-1] / 100 + shift_s),
            ]
    result = run(replace(sim.trial, events=tuple(events)))
    assert any("events in the file" in w and "the plates were used" in w for w in texts(result.notes))
    assert_nothing_wrong(result, sim)
