"""Each rule of the judgement of a contact: what a sound contact shows, and what the rule makes of one change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gaitid.body.feet import FootTrack
from gaitid.dynamics.chain import Wrench
from gaitid.ground import judgement
from gaitid.ground.balance import Support, no_support
from gaitid.ground.evidence import Evidence
from gaitid.ground.judgement import Reason, judge
from gaitid.ground.plate_load import Carried, PlateLoad
from gaitid.ground.stance import BY_SPEED, Stance

N, FIRST, LAST = 120, 30, 89
UP = np.array([0.0, 0.0, 1.0])
WEIGHT = 700.0  # N
LENGTH = 0.18  # m, from heel to toe marker


def plate_over(x_m: float, y_m: float, cop_g: np.ndarray, vertical_N: np.ndarray, number: int = 1) -> PlateLoad:
    """A plate of so much forward and sideways about the origin that feels a force at `cop_g`; its z points down."""
    R_gp = np.diag([1.0, -1.0, -1.0])
    force = vertical_N[:, None] * UP
    wrench = Wrench(force, np.cross(cop_g, force), np.zeros(3))
    half = np.array([x_m, y_m]) / 2
    return PlateLoad(number, wrench, np.zeros(3), UP, R_gp, half, np.zeros(3), noise_N=0.1)


def along_the_foot(start: float = 0.15, end: float = 0.95, aside_m: float = 0.0) -> np.ndarray:
    """Pressure that runs along the foot during the contact, shares of its length from the heel; m."""
    share = np.interp(np.arange(N), [FIRST, LAST], [start, end])
    return np.stack([-LENGTH / 2 + share * LENGTH, np.full(N, aside_m), np.zeros(N)], axis=1)


def foot_at(x_m: float = 0.0, y_m: float = 0.0, height_m: float = 0.03) -> FootTrack:
    """A flat foot along x that comes from behind, stands, and goes on to the front."""
    frames = np.arange(N)
    moved = np.clip(frames - LAST, 0, None) * 0.02 - np.clip(FIRST - frames, 0, None) * 0.02
    heel = np.stack([x_m - LENGTH / 2 + moved, np.full(N, y_m), np.full(N, height_m)], axis=1)
    return FootTrack(heel, heel + [LENGTH, 0.0, 0.0])


def during(first: int = FIRST, last: int = LAST) -> np.ndarray:
    mask = np.zeros(N, dtype=bool)
    mask[first : last + 1] = True
    return mask


def pressed(
    cop_g: np.ndarray | None = None, *, size: tuple[float, float] = (0.6, 0.4), share: float = 1.0
) -> PlateLoad:
    return plate_over(*size, along_the_foot() if cop_g is None else cop_g, np.where(during(), share * WEIGHT, 0.0))


def contact(plate: PlateLoad | None = None, **changes: Any) -> Evidence:
    """A sound contact with one plate, and what is changed of it."""
    plate = plate or pressed()
    standing = during()
    frames = slice(changes.get("first", FIRST), LAST + 1)
    sound = Evidence(
        foot=foot_at(),
        stance=Stance(standing, ~during(FIRST - 5, LAST + 5), BY_SPEED, np.zeros(N, dtype=bool)),
        load=Carried(plate.wrench.during(frames), plate),
        plates=[plate],
        all_plates=[plate],
        first=FIRST,
        last=LAST,
        shared=np.zeros(LAST + 1 - FIRST, dtype=bool),
        near=10,
        recorded=(0, N),
        cut=("", ""),
        weight_N=WEIGHT,
        threshold_N=20.0,
        edge_frames="unknown",
        faults={},
        support=no_support(LAST + 1 - FIRST),
        lower_ground=lambda: np.zeros((0, 3)),
    )
    return replace(sound, **changes)


def foot_unseen(share: float) -> FootTrack:
    foot = foot_at()
    heel = foot.heel_g.copy()
    heel[FIRST : FIRST + round(share * (LAST + 1 - FIRST))] = np.nan
    return FootTrack(heel, foot.toe_g)


def pressure_astray(frames: int) -> PlateLoad:
    cop = along_the_foot()
    cop[FIRST + 20 : FIRST + 20 + frames, 1] = 0.3
    return pressed(cop)


def heel_up_and_pressure_behind() -> Evidence:
    """In the last third the heel is up, and the pressure still lies in the middle of the foot."""
    foot, up = foot_at(), during(LAST - 20)
    return contact(pressed(along_the_foot(0.15, 0.5)), foot=FootTrack(foot.heel_g + up[:, None] * 0.1 * UP, foot.toe_g))


def across_the_foot(start: float, end: float) -> PlateLoad:
    """Pressure that runs from 3.5 cm right of the foot's line to 3.5 cm left of it, and so along the foot."""
    cop = along_the_foot(start, end)
    cop[:, 1] = np.interp(np.arange(N), [FIRST, LAST], [-0.035, 0.035])
    return pressed(cop)


def pressed_aside() -> PlateLoad:
    """A narrow plate, whose edge the sole reaches over by 2 mm, and pressure that lies 12 mm from it."""
    return pressed(along_the_foot(aside_m=0.03), size=(0.6, 0.085))


def over_a_step() -> Evidence:
    """The toe hangs over the front edge, and a lower plate lies under it."""
    upper = replace(pressed(size=(0.3, 0.4)), height_above_lowest=0.2)
    lower = replace(pressed(size=(2.0, 2.0)), number=2, centre_g=np.array([0.0, 0.0, -0.2]))
    return contact(upper, foot=foot_at(0.09), all_plates=[upper, lower])


def over_a_drop(*, beyond_m: float = 0.1, depth_m: float = 0.2, lost: float = 0.0) -> Evidence:
    """The toe hangs 3 cm over the front edge where no plate is; a marker of a foot stands lower and farther on."""
    plate = pressed(along_the_foot() + [0.09, 0.0, 0.0], size=(0.3, 0.4))
    return replace(
        supported(foot_at(0.09), plate, lost=lost), lower_ground=lambda: np.array([[0.15 + beyond_m, 0.1, -depth_m]])
    )


def supported(foot: FootTrack | None = None, plate: PlateLoad | None = None, *, lost: float = 0.0) -> Evidence:
    """A contact of which the body's motion tells: in single support it lacks so much of body weight."""
    lacking = np.full(LAST + 1 - FIRST, np.nan)
    lacking[12:-12] = lost
    support = Support(lost, lacking, np.full(LAST + 1 - FIRST, np.nan))
    return contact(plate, foot=foot or foot_at(), support=support)


UNKNOWN = 0.0
CASES: list[tuple[str, Callable[[], Evidence], float, str]] = [
    ("too_heavy", lambda: contact(weight_N=WEIGHT / 20), UNKNOWN, "20 body weights; check the mass, and the unit"),
    ("plate_misplaced", lambda: contact(faults={1: "its corners seem turned"}), UNKNOWN, "its corners seem turned"),
    ("both_feet", lambda: contact(shared=np.ones(LAST + 1 - FIRST, dtype=bool)), UNKNOWN, "both feet stand on it"),
    ("markers_missing", lambda: contact(foot=foot_unseen(1.0)), UNKNOWN, "markers are missing"),
    ("markers_missing", lambda: contact(foot=foot_unseen(0.3)), 0.8, "missing in part"),
    ("height_above_surface", lambda: contact(foot=foot_at(height_m=0.3)), UNKNOWN, "30 cm above its surface"),
    ("height_above_surface", lambda: contact(foot=foot_at(height_m=0.10)), 0.8, "10 cm above its surface (1 to 6"),
    ("height_above_surface", lambda: contact(foot=foot_at(height_m=-0.01)), 0.8, "1 cm below its surface (1 to 6"),
    ("height_above_surface", lambda: contact(foot=foot_at(height_m=-0.1)), UNKNOWN, "10 cm below its surface"),
    ("over_an_edge", lambda: contact(foot=foot_at(y_m=0.25)), UNKNOWN, "the heel is 5.0 cm beside it"),
    ("over_an_edge", lambda: contact(foot=foot_at(y_m=0.17)), UNKNOWN, "the sole may reach 1.5 cm over its edge"),
    ("over_an_edge", lambda: contact(foot=foot_at(-0.23)), 0.7, "heel marker lies 2.0 cm over the edge"),
    ("over_an_edge", lambda: supported(foot_at(y_m=0.25)), 0.7, "but the plates carry all that"),
    ("over_an_edge", lambda: supported(foot_at(y_m=0.25), lost=0.14), UNKNOWN, "up to 0.14 of body weight less"),
    ("over_an_edge", lambda: supported(foot_at(-0.23), lost=0.14), UNKNOWN, "2.0 cm over the edge, and it gives"),
    ("over_an_edge", over_a_step, 0.7, "toe marker lies 3.0 cm over the edge of a step"),
    ("over_an_edge", over_a_drop, 0.7, "toe marker lies 3.0 cm over the edge of a step"),
    (
        "timing",
        lambda: contact(stance=contact().stance, first=FIRST + 15, shared=np.zeros(45, bool)),
        UNKNOWN,
        "15 frames before the plate was loaded",
    ),
    ("timing", lambda: contact(last=LAST - 15, shared=np.zeros(45, bool)), UNKNOWN, "15 frames after the plate"),
    ("pressure_under_the_foot", heel_up_and_pressure_behind, UNKNOWN, "10 cm from where the foot presses"),
    ("pressure_under_the_foot", lambda: contact(pressure_astray(1)), 0.8, "in 1 frame the pressure is not under"),
    ("pressure_under_the_foot", lambda: contact(pressure_astray(5)), 0.8, "in 5 frames the pressure is not under"),
    ("pressure_under_the_foot", lambda: contact(pressure_astray(40)), UNKNOWN, "its pressure lies"),
    ("pressure_at_an_edge", lambda: contact(pressed_aside()), 0.9, "presses at that edge"),
    ("pressure_runs_sideways", lambda: contact(across_the_foot(0.5, 0.7)), UNKNOWN, "whether Mx and My are exchanged"),
    ("edges_unknown", lambda: contact(replace(pressed(), outlined=False)), 0.8, "nothing says where"),
    ("contact_cut", lambda: contact(cut=("", "samples")), 0.9, "its end is not known: the plate has no samples after"),
    (
        "contact_cut",
        lambda: contact(cut=("hand", "")),
        0.9,
        "what is given by hand begins within the load: name all of its frames",
    ),
    ("contact_cut", lambda: contact(cut=("trial", ""), first=0), 0.9, "the trial begins within the contact"),
    (
        "contact_cut",
        lambda: contact(cut=("", "trial")),
        0.9,
        f"ends {N - 1 - LAST} frames before the trial ends: whether the foot stands on is not seen",
    ),
    ("never_empty", lambda: contact(replace(pressed(), bias_g=np.full(3, np.nan))), 0.95, "nothing tells what"),
]  # fmt: skip: one case a line can be read


def reasons(rule: str, evidence: Evidence) -> list[Reason]:
    return list(getattr(judgement, rule)(evidence))


@pytest.mark.parametrize("height_m", [0.03, 0.08])
def test_nothing_speaks_against_a_sound_contact(height_m: float) -> None:
    """With bare feet, and on thick soles."""
    sound = judge(contact(foot=foot_at(height_m=height_m)))
    assert (sound.known, sound.confidence, sound.reason) == (True, 0.99, "")
    assert not sound.misplaced.any() and not sound.at_edge.any()


@pytest.mark.parametrize(("rule", "made", "weight", "words"), CASES, ids=[f"{c[0]}: {c[3]}" for c in CASES])
def test_a_rule_and_its_reason(rule: str, made: Callable[[], Evidence], weight: float, words: str) -> None:
    assert not reasons(rule, contact())
    (reason,) = reasons(rule, made())
    assert reason.weight == weight
    assert words in reason.text


def test_the_first_reason_that_makes_a_load_unknown_is_the_one_that_is_said() -> None:
    judged = judge(contact(faults={1: "its corners seem turned"}, foot=foot_at(height_m=0.3)))
    assert (judged.known, judged.confidence, judged.reason) == (False, 0.0, "plate 1: its corners seem turned")


def test_doubts_multiply_and_stand_in_the_order_of_the_rules() -> None:
    judged = judge(contact(replace(pressed(), outlined=False, bias_g=np.full(3, np.nan)), cut=("samples", "")))
    assert judged.known
    assert judged.confidence == round(0.99 * 0.8 * 0.9 * 0.95, 2)
    doubts = ("nothing says where", "no samples before it", "nothing tells what")
    assert [judged.reason.index(words) for words in doubts] == sorted(judged.reason.index(words) for words in doubts)


def test_frames_that_the_motion_shows_to_be_measured_are_known_at_an_edge() -> None:
    """The heel lies 5 cm beyond the back edge: known where the foot alone carries the body, and where it then presses
    no nearer to that edge.
    """
    heel_beyond = foot_at(-0.26)
    pressure = along_the_foot(0.45, 0.95)
    pressure[:, 0] -= 0.26
    pressure[: FIRST + 12, 0] = -0.29  # 1 cm from the edge, before the foot stands alone
    judged = judge(supported(heel_beyond, pressed(pressure)))
    assert judged.known and judged.beyond
    assert judged.at_edge[:12].all() and not judged.at_edge[13:].any()
    unwitnessed = judge(contact(pressed(pressure), foot=heel_beyond))
    assert not unwitnessed.known


def test_a_plate_whose_noise_moves_the_pressure_tells_nothing_of_a_light_load() -> None:
    """Of 70 N, that press 12 cm beside the foot."""
    lightly = along_the_foot()
    lightly[FIRST, 1] = 0.12
    vertical = np.where(during(), WEIGHT, 0.0)
    vertical[FIRST] = 0.1 * WEIGHT
    plate = plate_over(0.6, 0.4, lightly, vertical)
    assert judge(contact(plate)).misplaced.any()
    assert not judge(contact(replace(plate, moment_noise_Nm=3.0))).misplaced.any()
    assert judge(contact(replace(plate, moment_noise_Nm=2.0))).misplaced.any()


def test_pressure_is_held_against_the_length_of_the_foot() -> None:
    """A toe marker at two thirds of the way to the ball, and pressure that runs to the toes."""
    to_the_toes = along_the_foot(0.15, 1.2)
    short = replace(foot_at(), toe_g=foot_at().heel_g + [LENGTH / 1.5, 0.0, 0.0])
    assert judge(contact(pressed(to_the_toes))).confidence == 0.99
    assert judge(contact(pressed(to_the_toes), foot=replace(short, ball_over_toe=1.5))).confidence == 0.99
    assert judge(contact(pressed(to_the_toes), foot=short)).misplaced[-5:].all()
