"""A trial that shows a leg otherwise than the others of its session is named; what trials differ by anyway is not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gaitid.batch.job import DONE, Outcome
from gaitid.batch.session import AXIS_DEG, LENGTH_MM, Leg, differing, session_lines
from gaitid.batch.types import Planned

# of the left leg in three recorded walks of one session: deg, mm
WALKS = {"walk03": (12.2, 385.4, 368.7), "walk04": (14.2, 384.8, 368.4), "walk05": (13.2, 385.2, 368.2)}


def record(axis: float, thigh: float, shank: float, **subject: float) -> dict[str, Any]:
    knee = {"axis_turned_deg": axis, "axis_turned_error_deg": 5.5, "axis_turned_repeats_deg": 0.6}
    lengths = {name: {"length": {"mean_mm": mm, "sd_mm": 5.0}} for name, mm in (("thigh", thigh), ("shank", shank))}
    measured = {name: {"value": value, "unit": "m", "source": "trial, stored"} for name, value in subject.items()}
    return {
        "model": {"name": "pig"},
        "subject": measured,
        "inputs": [],
        "quality": {"calibration": {"pelvis": {"fit": None}, "left": {"knee_axis": knee, **lengths}}},
    }


def lines(folder: Path, records: dict[str, dict[str, Any]]) -> Sequence[str]:
    planned, outcomes = [], {}
    for name, content in records.items():
        (folder / f"{name}.run.json").write_text(json.dumps(content))
        trial = folder / f"{name}.c3d"
        planned.append(Planned(trial, folder, "anna", None, 0, (), ""))
        outcomes[str(trial)] = Outcome(str(trial), DONE, outputs=(f"{name}.run.json",), run_time_s=0.0)
    return list(session_lines(planned, outcomes))


def test_walks_of_one_session_agree(tmp_path: Path) -> None:
    """But their thigh's axes are turned in all of them: by 13.2° on the mean, which is more than twice its error."""
    (line,) = lines(tmp_path, {name: record(*values) for name, values in WALKS.items()})
    assert line.startswith("anna: by 3 trials together the left thigh's axes seem turned inward by 13° ± 5°")
    straight = {name: record(values[0] - 6.0, *values[1:]) for name, values in WALKS.items()}
    assert lines(tmp_path, straight) == []


@pytest.mark.parametrize(
    ("off", "said"),
    [
        ((0.0, -10.0, 9.0), "the left thigh is shorter by 10 mm and shank is longer by 9 mm against"),  # knee 10 mm up
        (
            (13.0, 0.0, -4.0),
            "the left shank is shorter by 4 mm, and the left thigh's axes are turned inward by 14° against",
        ),  # thigh wand 20 mm forward
    ],
)
def test_a_marker_that_lies_elsewhere_in_one_trial_is_named(
    tmp_path: Path, off: tuple[float, float, float], said: str
) -> None:
    records = {name: record(*values) for name, values in WALKS.items()}
    records["walk04"] = record(*np.add(WALKS["walk04"], off))
    (line,) = (line for line in lines(tmp_path, records) if "together" not in line)
    assert line.startswith(f"anna, walk04: {said} walk03, walk05") and line.endswith("lies elsewhere in it")


def test_draws_of_sound_sessions_name_hardly_any() -> None:
    """Five trials of a session, 400 times: fewer than one leg in a hundred sessions."""
    rng, errors = np.random.default_rng(1), np.array([AXIS_DEG, LENGTH_MM, LENGTH_MM])
    named = 0
    for _ in range(400):
        legs = [Leg(str(i), rng.normal(size=3) * errors, errors) for i in range(5)]
        named += bool([*differing(legs)])
    assert named < 4
    unknown = np.array([0.0, np.nan, np.nan])
    assert [*differing([Leg("a", unknown, errors), Leg("b", unknown, errors)])] == []
