"""Numbers of bodies: none of the prior's own bodies is accused, and each mistake is named, whatever the stature."""

from __future__ import annotations

import numpy as np
import pytest

from gaitid.body import anthropometry
from gaitid.body.anthropometry import find_mistakes, people

SIDED = ("leg_length", "knee_width", "ankle_width", "asis_trocanter_distance", "thigh", "shank")
MIDDLE = ("height", "mass", "inter_asis_distance", "asis", "hips")
STATURES = (1.05, 1.35, 1.75, 2.05)


def body(stature: float) -> dict[str, float]:
    """What the mean person of a stature measures."""
    names = [*MIDDLE, *(f"{side}.{bare}" for bare in SIDED for side in ("left", "right"))]
    rows = {name: people().dimensions[name.rpartition(".")[2]] for name in names}
    return {name: row.expected * stature**row.grows for name, row in rows.items()}


def changed(numbers: dict[str, float], **factors: float) -> dict[str, float]:
    """Numbers multiplied, by their names with ``_of_`` between side and name."""
    by = {name.replace("_of_", "."): factor for name, factor in factors.items()}
    return {name: value * by.get(name, 1.0) for name, value in numbers.items()}


@pytest.mark.parametrize("stature", STATURES)
def test_the_mean_body_has_no_mistakes(stature: float) -> None:
    assert find_mistakes(body(stature)) == []


@pytest.mark.parametrize("stature", STATURES)
@pytest.mark.parametrize(
    ("factors", "names", "kinds"),
    [
        ({"mass": 2.2046}, {"mass"}, {"lb", "wrong"}),
        ({"height": 1 / 2.54}, {"height"}, {"inch", "wrong"}),
        ({"left_of_leg_length": 0.9}, {"left.leg_length"}, {"wrong"}),
        ({"left_of_knee_width": 0.5}, {"left.knee_width"}, {"twice"}),
        (
            {"left_of_knee_width": 0.6694, "left_of_ankle_width": 1.494},
            {"left.knee_width", "left.ankle_width"},
            {"exchanged"},
        ),
        ({"left_of_thigh": 0.75, "left_of_shank": 1.25}, {"left.thigh", "left.shank"}, {"wrong"}),
    ],
)
def test_a_mistake_is_named_at_any_stature(
    stature: float, factors: dict[str, float], names: set[str], kinds: set[str]
) -> None:
    found = find_mistakes(changed(body(stature), **factors))
    assert len(found) == 1
    assert set(found[0].mistake.names) == names and found[0].mistake.kind in kinds
    assert not found[0].impossible or found[0].score > anthropometry.NOBODY


def test_another_persons_measurements_are_held_against_the_lengths_of_the_trial() -> None:
    own, other = body(1.75), body(1.5)
    mixed = {name: (own if name.rpartition(".")[2] in anthropometry.OF_TRIAL else other)[name] for name in own}
    (found,) = find_mistakes(mixed)
    assert found.mistake.kind == "person" and np.exp(found.size) == pytest.approx(1.5 / 1.75, abs=0.02)
