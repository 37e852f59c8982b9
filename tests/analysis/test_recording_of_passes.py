"""A recording of several walks gives the numbers of each walk by itself, and none across them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.numerics.rotation import about_axis
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Array, Trial

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
PIG = load_model("pig")

needs_trials = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")


def joined(trials: list[Trial], gap: int) -> Trial:
    """Trials of one subject over the same plates in one recording, so many frames without anybody between."""
    first = trials[0]
    nobody = np.full((gap, len(first.labels), 3), np.nan)
    order = [[trial.labels.index(label) for label in first.labels] for trial in trials]
    points = [part for trial, at in zip(trials, order, strict=True) for part in (nobody, trial.points_g[:, at])]
    plates = []
    for i, plate in enumerate(first.plates):
        k = round(plate.rate_hz / first.rate_hz)
        forces, moments = (
            np.concatenate([part for trial in trials for part in (np.zeros((gap * k, 3)), _samples(trial, i, name, k))])
            for name in ("force_p", "moment_p")
        )
        plates.append(replace(plate, force_p=forces[gap * k :], moment_p=moments[gap * k :]))
    return replace(first, points_g=np.concatenate(points[1:]), plates=tuple(plates), events=(), assignments=())


def _samples(trial: Trial, plate: int, name: str, k: int) -> Array:
    result, samples = np.zeros((trial.n_frames * k, 3)), getattr(trial.plates[plate], name)
    result[: len(samples)] = samples[: len(result)]
    return result


def turned(trial: Trial, degrees: float) -> Trial:
    """The same recording without plates in a laboratory that is turned about the vertical."""
    R = about_axis("z", np.radians(degrees))
    return replace(trial, points_g=trial.points_g @ R.T, plates=())


def analysed(trial: Trial) -> Result:
    return analyse(trial, PIG, SubjectFile())


@cache
def alone() -> Result:
    return analysed(simulated_walk().trial)


def in_words(result: Result, what: str) -> dict[tuple[str, str, str], Array]:
    return {
        (side, joint, column): values
        for side, of in result.sides.items()
        for joint, columns in getattr(of, what).items()
        for column, values in columns.items()
    }


@pytest.mark.parametrize("gap", [0, 60])
@pytest.mark.parametrize("degrees", [0.0, 90.0, 180.0])
def test_each_pass_has_the_angles_and_the_direction_of_its_walk(gap: int, degrees: float) -> None:
    walk = simulated_walk().trial
    result = analysed(joined([turned(walk, 0.0), turned(walk, degrees)], gap))
    second = walk.n_frames + gap
    directions = [result.gait.events.heading.angle_deg(found) for found in result.markers.passes]
    assert (directions[1] - directions[0] - degrees + 180) % 360 - 180 == pytest.approx(0.0, abs=0.5)  # deg
    for name, values in in_words(alone(), "angles").items():
        both = in_words(result, "angles")[name]
        np.testing.assert_allclose(both[: walk.n_frames], values, atol=1e-6)  # deg: rounding
        # a join leaves its first frame empty, and the displacement of the walk has one frame less
        np.testing.assert_allclose(both[second + 1 :], values[1:], atol=0.1)


@needs_trials
@pytest.mark.parametrize("gap", [0, 3])
def test_six_recorded_walks_in_one_file_equal_the_six(gap: int) -> None:
    """Moments, N·m/kg, but for segment lengths, which are means over the trial; angles, deg, but for the direction of
    walking, which has one frame less after a join.
    """
    walks = [read_c3d(SHARED / "sydney" / f"walk0{number}.c3d") for number in (3, 4, 5, 3, 4, 5)]
    result = analysed(joined(walks, gap))
    assert len(result.markers.passes) == 6
    at = 0
    for walk in walks:
        one, frames = analysed(replace(walk, events=())), slice(at, at + walk.n_frames)
        for what, atol in (("angles", 0.05), ("moments", 3e-4)):
            for name, values in in_words(one, what).items():
                both = in_words(result, what)[name][frames]
                known = np.isfinite(both)
                # how fast a foot swings, by which its stances are found, is that of the trial: one frame
                assert np.count_nonzero(known & np.isnan(values)) <= 1
                known &= np.isfinite(values)
                np.testing.assert_allclose(both[known], values[known], atol=atol)
                # what is lost lies at the ends: s
                lost = np.flatnonzero(np.isfinite(values) & ~known)
                assert np.all((lost < 0.15 * walk.rate_hz) | (lost > walk.n_frames - 0.15 * walk.rate_hz))
        at += walk.n_frames + gap


# --- plates -----------------------------------------------------------------------------------------------------

ON_PLATE_2 = 230  # frame in which the right foot of the simulated walk stands on plate 2, and the left one flies
PEAK = 1.346  # N·m/kg, plantarflexion moment of its ankles


def part(trial: Trial, first: int, stop: int) -> Trial:
    """Some frames of a trial, and the samples of its plates in them."""
    plates = []
    for plate in trial.plates:
        samples = slice(*(round(frame * plate.rate_hz / trial.rate_hz) for frame in (first, stop)))
        plates.append(replace(plate, force_p=plate.force_p[samples], moment_p=plate.moment_p[samples]))
    return replace(trial, points_g=trial.points_g[first:stop], plates=tuple(plates), events=())


def accused(result: Result) -> list[str]:
    """What is wrong; by how much it changes moments is a quantile over all frames, however many walks they hold."""
    return [
        note.text.partition("; joint moments")[0]
        for note in result.notes
        if note.code in ("plate_channel", "plate_doubtful", "clocks_apart")
    ]


@pytest.mark.parametrize("gap", [0, 10, 60])
@pytest.mark.parametrize("cut", ["ends", "begins"])
def test_a_pass_that_ends_or_begins_while_a_foot_is_on_a_plate_spoils_no_plate(gap: int, cut: str) -> None:
    walk, one = simulated_walk().trial, in_words(alone(), "moments")
    if cut == "ends":
        recording, whole, kept = joined([part(walk, 0, ON_PLATE_2), walk], gap), ON_PLATE_2 + gap, slice(0, ON_PLATE_2)
    else:
        recording, whole, kept = joined([walk, part(walk, ON_PLATE_2, 400)], gap), 0, slice(ON_PLATE_2, 400)
    result = analysed(recording)
    assert not accused(result) and result.verdict.trial == "good"
    moments = in_words(result, "moments")
    for side in ("left", "right"):
        ankle = moments[side, "ankle", "plantarflexion"][whole : whole + 400]
        assert np.nanmax(ankle) == pytest.approx(PEAK, abs=0.02)
    # the part of the stance that is recorded has its moments too, but for what filters reach at its end
    at, inner = (0, slice(200, 220)) if cut == "ends" else (400 + gap, slice(240, 255))
    here = slice(at + inner.start - kept.start, at + inner.stop - kept.start)
    right = moments["right", "ankle", "plantarflexion"][here]
    np.testing.assert_allclose(right, one["right", "ankle", "plantarflexion"][inner], atol=0.02)
    (reason,) = {
        c.reason for c in result.loads.contacts if c.plates and c.first <= here.start and c.last >= here.stop - 1
    }
    assert f"the pass {cut} within the contact" in reason
