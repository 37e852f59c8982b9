"""A moment that no person exerts is empty with all that follows from its cause, which is named; others stay."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.analysis.contributions import contributed
from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.discontinuities import moment_limit
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.notes import Note
from gaitid.numerics.rotation import norm
from gaitid.run import RunOptions, prepare, with_chosen_model
from gaitid.trial import Trial

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("GAITID_TRIALS", ROOT.parent / "shared" / "trials"))
CODES = {"pose_jumps", "moment_impossible"}


def run(trial: Trial, **settings: Any) -> Result:
    return analyse(trial, load_model("pig", settings), SubjectFile())


def said(result: Result) -> list[Note]:
    return [note for note in result.notes if note.code == "moment_impossible"]


def largest_share(result: Result) -> float:
    shares = [
        np.nanmax(norm(wrench.m_g)) / result.subject.mass_kg / moment_limit(joint)
        for leg in result.sides.values()
        for joint, wrench in leg.wrenches.items()
    ]
    return float(max(shares))


def test_a_load_of_impossible_size_is_named_and_what_it_makes_is_empty() -> None:
    """A body of 70 kg entered as 7: its ankles would exert 13.6 N·m/kg."""
    walk = simulated_walk("walk").trial
    sound = run(walk)
    result = run(replace(walk, parameters={**walk.parameters, "Bodymass": 7.0}))
    assert largest_share(result) <= 1 < 10 * largest_share(sound)
    assert [note.side for note in said(result)] == ["left", "right"]
    for plate, note in zip((1, 2), said(result), strict=True):
        leg, true = result.sides[note.side], sound.sides[note.side]
        assert leg.emptied is not None
        found = re.search(
            r"ankle: its moment is ([\d.]+) N·m/kg in frame (\d+), .*: plate (\d) gives ([\d.]+) body", note.text
        )
        assert found, note.text
        moment, frame, named, weights = (float(part) for part in found.groups())
        at = int(frame) - walk.first_frame
        assert named == plate and at == int(np.nanargmax(norm(true.wrenches["ankle"].m_g)))
        assert moment == pytest.approx(float(norm(true.wrenches["ankle"].m_g)[at]) / 7, rel=0.02)
        assert weights == pytest.approx(float(norm(true.load.wrench.f_g)[at]) / 7 / 9.81, abs=0.05)
        # the contact, and seven frames beside those beyond the limit; the load stays as it was measured
        (contact,) = (contact for contact in result.contacts if contact.plates == (plate,))
        assert leg.emptied[contact.loaded].all() and leg.emptied[at - 7 : at + 8].all()
        assert contact.last - contact.first < leg.emptied.sum() < contact.last - contact.first + 20
        for joint in ("ankle", "knee", "hip"):
            assert not np.isfinite(leg.wrenches[joint].m_g[leg.emptied]).any()
            assert not np.isfinite(leg.powers[joint][leg.emptied]).any()
            assert leg.coverage[joint]["no body does what was there"] == leg.emptied.sum()
            parts = contributed(result)[note.side][joint].values()
            assert not np.isfinite(sum(part.m_g for part in parts)[leg.emptied]).any()
        assert np.array_equal(leg.load.wrench.f_g, true.load.wrench.f_g, equal_nan=True)
        assert np.array_equal(leg.angles["knee"]["flexion"], true.angles["knee"]["flexion"])
        assert not np.isfinite(result.base_wrench.m_g[leg.emptied]).any()
    assert result.verdict.sides == {"left": "do not use", "right": "do not use"}
    emptied = [reason for reason in result.verdict.reasons if reason.code == "stance_emptied"]
    assert emptied and "100% of frames 142-205" in emptied[0].text


def test_a_movement_that_nobody_makes_is_named_by_its_markers() -> None:
    """All markers jump by half a metre in the right stance: no joint turns, the angles stay, and no moment is left."""
    walk = simulated_walk("walk").trial
    sound, points = run(walk, doubtful_labels="keep"), walk.points_g.copy()
    points[200:] += [0.0, 0.0, 0.5]
    jumped = replace(walk, points_g=points)
    result = run(jumped, doubtful_labels="keep")
    assert largest_share(result) <= 1
    assert said(result) and all("m/s² there, where" in note.text and "500 mm" in note.text for note in said(result))
    for note in said(result):
        emptied = result.sides[note.side].emptied
        assert emptied is not None and emptied[193:207].all()
        assert "--set doubtful_labels=unknown" in note.cure
    for side, leg in result.sides.items():
        for name, angle in leg.angles["knee"].items():
            np.testing.assert_allclose(angle, sound.sides[side].angles["knee"][name], atol=1e-6)


def test_noise_that_nobody_filters_is_named_and_its_cure_works() -> None:
    walk = simulated_walk("walk").trial
    noise = 3e-3 * np.random.default_rng(1).normal(size=walk.points_g.shape)
    noisy = replace(walk, points_g=walk.points_g + noise)
    rough = run(noisy, cutoff_hz="none")
    assert said(rough) and all("mm of noise, unfiltered" in note.text for note in said(rough))
    assert {note.cure for note in said(rough)} == {"give --cutoff 6"} and largest_share(rough) <= 1
    assert not said(run(noisy, cutoff_hz=6.0))


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
@pytest.mark.parametrize(
    ("file", "static", "forces", "mass_kg"),
    [
        ("wild/latrobe/sprint.trc", "static.trc", "sprint_grf.mot", 68.1),
        ("wild/rajagopal/run.trc", "static.trc", "run_grf.mot", 70.0),
        ("wild/opencap/drop_jump.trc", "static.trc", "drop_jump_grf.mot", 70.0),
        ("labs/drop_jump/jump.c3d", "static.c3d", "", 70.0),
        ("wild/cmu/punch.c3d", "", "", 70.0),
        ("children/HC030A/turn.c3d", "", "", float("nan")),
        ("sample_noisy", "", "", float("nan")),
    ],
)
def test_recorded_sprints_landings_and_turns_are_not_emptied(
    file: str, static: str, forces: str, mass_kg: float
) -> None:
    path = ROOT / "sample_data" / "walk_noisy" / "walk.c3d" if file == "sample_noisy" else SHARED / file
    given = {name: path.parent / of for name, of in (("static", static), ("forces", forces)) if of}
    settled = with_chosen_model(prepare(RunOptions(**given)), path)  # type: ignore[arg-type]
    assert settled.model is not None and settled.read is not None
    subject = SubjectFile({"mass": mass_kg}) if np.isfinite(mass_kg) else SubjectFile()
    result = analyse(settled.read[2], settled.model, subject, settled.static)
    assert not [note for note in result.notes if note.code in CODES]
    assert all(leg.emptied is None for leg in result.sides.values())
