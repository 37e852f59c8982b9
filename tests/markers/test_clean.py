"""Labels, gaps and filter together, as a trial meets them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.errors import TrialError
from gaitid.markers.clean import clean, clean_markers, model_markers
from gaitid.markers.filtering import SMOOTHED_BELOW_MM
from gaitid.markers.labels import CheckedLabels
from gaitid.model.load import load_model
from gaitid.model.specs import Settings
from gaitid.notes import texts
from gaitid.read import read_trial
from gaitid.trial import Trial

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "trials" / "wild" / "biobuddy_functional"


def noisy(sigma_mm: float = 0.5, seed: int = 0) -> Trial:
    trial = simulated_walk().trial
    noise = np.random.default_rng(seed).normal(0, sigma_mm * 1e-3, trial.points_g.shape)
    return replace(trial, points_g=trial.points_g + noise)


def cleaned(trial: Trial, **settings: object):  # type: ignore[no-untyped-def]
    raw = model_markers(trial, load_model("pig"))
    return clean(raw, Settings(**settings), trial.rate_hz, trial.first_frame, ("L", "R"))  # type: ignore[arg-type]


def test_clean_markers_come_back_as_they_are() -> None:
    trial = simulated_walk().trial
    result = cleaned(trial)
    assert result.settings.cutoff_hz is None
    assert result.notes == ()
    assert result.support is result.filtered
    assert result.quality["marker_filter"] == {"method": "none"}
    assert result.quality["marker_noise_mm"] < SMOOTHED_BELOW_MM
    for label, points in result.filtered.items():
        np.testing.assert_array_equal(points, trial.marker(label))


@pytest.mark.parametrize(
    ("chosen", "worst_m_s2"),
    [
        ({"marker_filter": "butterworth"}, 1.2),
        ({"marker_filter": "gcv_spline"}, 0.9),
        ({"marker_filter": "gcv_spline", "spline_mse_mm2": 0.25}, 0.9),
        ({"marker_filter": "savitzky_golay"}, 2.2),
    ],
)
def test_every_filter_brings_the_movement_back(chosen: dict[str, object], worst_m_s2: float) -> None:
    """RMS error of a shank marker's acceleration: unfiltered 0.5 mm of noise at 100 Hz makes 24 m/s²."""
    from gaitid.numerics.masks import mark_ends
    from gaitid.numerics.spline import spline_derivatives

    trial, true = noisy(), simulated_walk().trial
    result = cleaned(trial, **chosen)
    wanted = spline_derivatives(true.marker("LANK"), true.rate_hz)[1]
    found = spline_derivatives(result.filtered["LANK"], true.rate_hz)[1]
    off = mark_ends(found - wanted, result.settings.end_frames)
    # m/s²: docs/smoothing.md has 0.2 to 0.5 as the mean over markers at 0.3 mm; the ankle is the fastest but the foot
    assert np.sqrt(np.nanmean(off**2)) < worst_m_s2
    figures = result.quality["marker_filter"]
    assert figures["method"] == chosen["marker_filter"]
    assert all(3.0 < hz < 15.0 for hz in figures["effective_cutoff_hz"].values())
    assert any("noise" in w for w in texts(result.notes))
    assert any("plates are not" in w for w in texts(result.notes))


def test_an_open_gap_is_empty_and_bridged_only_for_support() -> None:
    trial = noisy()
    points = trial.points_g.copy()
    points[150:240, trial.labels.index("LTOE")] = np.nan
    result = cleaned(replace(trial, points_g=points))
    gone = np.isnan(result.filtered["LTOE"]).all(axis=1)
    np.testing.assert_array_equal(np.flatnonzero(gone), np.arange(150, 240))
    assert np.isfinite(result.support["LTOE"]).all()
    np.testing.assert_array_equal(np.isnan(result.seen["LTOE"]).all(axis=1), gone)


@pytest.mark.parametrize("sigma_mm", [1.3, 2.0, 3.0])
def test_much_noise_on_all_markers_is_noise_and_no_jump(sigma_mm: float) -> None:
    """At 3 mm steps of white noise reach 33 mm, and jumps begin at 20 mm in a quiet trial."""
    result = cleaned(noisy(sigma_mm))
    assert {note.code for note in result.notes} == {"marker_filter", "markers_rough", "filters_differ"}
    assert not result.quality["label_faults"] and not result.quality["gaps"]
    (note,) = (note for note in result.notes if note.code == "markers_rough")
    assert f"{result.quality['marker_noise_mm']:.2g} mm (cameras usually give less than 1 mm)" in note.text
    assert "markers_rough" not in {note.code for note in cleaned(noisy(0.6)).notes}


@pytest.mark.parametrize("sigma_mm", [10.0, 20.0, 40.0])
def test_markers_that_jump_in_every_frame_lose_none_and_are_not_to_be_used(sigma_mm: float) -> None:
    """20 mm of noise blanked the recording: LASI jumps by 154 mm, not believed in 400 of 400 frames."""
    result = analyse(noisy(sigma_mm), load_model("pig"), SubjectFile())
    assert not result.markers.quality["label_faults"] and not result.markers.quality["gaps"]
    assert result.verdict.reasons[0].code == "markers_lost" and result.verdict.trial == "do not use"
    as_it_is = analyse(simulated_walk().trial, load_model("pig"), SubjectFile())
    for side in ("left", "right"):
        (now, before) = (np.isfinite(of.sides[side].wrenches["knee"].m_g).mean() for of in (result, as_it_is))
        assert now > (0.6 if sigma_mm < 40 else 0.4) * before


@pytest.mark.parametrize("others_mm", [0.0, 0.3, 1.0])
def test_one_marker_that_jumps_in_every_frame_loses_none(others_mm: float) -> None:
    trial = noisy(others_mm)
    points, at = trial.points_g.copy(), trial.labels.index("LKNE")
    points[:, at] += 0.03 * np.random.default_rng(2).normal(size=points[:, at].shape)
    result = cleaned(replace(trial, points_g=points))
    assert not result.quality["label_faults"] and np.isfinite(result.filtered["LKNE"]).all()
    (note,) = (note for note in result.notes if note.code == "markers_lost")
    assert note.text.startswith("LKNE has up to 2")
    assert ("low-passed at 7 Hz, others not" in note.text) == (not others_mm)
    assert list(result.quality["rough_markers_mm"]) == ["LKNE"]
    # among smoothed markers it alone is low-passed
    off = np.linalg.norm(result.filtered["LKNE"] - simulated_walk().trial.marker("LKNE"), axis=1)
    assert off[20:-20].max() < 0.06
    if not others_mm:
        assert all(np.array_equal(points, trial.marker(x)) for x, points in result.filtered.items() if x != "LKNE")


@pytest.mark.parametrize("step_mm", [2.0, 5.0, 10.0])
def test_coarse_coordinates_are_said_and_no_fault_of_labels(step_mm: float) -> None:
    """Rounded to 10 mm a walk used to have 260 faults of labels: frozen, jumping, off their tracks."""
    trial = simulated_walk().trial
    step = step_mm * 1e-3
    result = cleaned(replace(trial, points_g=np.round(trial.points_g / step) * step))
    (note,) = (note for note in result.notes if note.code == "markers_coarse")
    assert note.severity == "doubt" and f"in steps of {step_mm:g} mm" in note.text
    assert not result.quality["label_faults"]
    for fine_mm in (0.1, 0.5):
        fine = cleaned(replace(trial, points_g=np.round(trial.points_g / fine_mm * 1e3) * fine_mm * 1e-3))
        assert "markers_coarse" not in {note.code for note in fine.notes}
    steps = ((1e-3 * one_mm,) * 3 for one_mm in (0.2, 0.5, 1.0))
    assert [bool(CheckedLabels({}, (), coarse).notes) for coarse in steps] == [False, False, True]


def test_two_labels_that_change_places_are_not_believed_there() -> None:
    trial = simulated_walk().trial
    points = trial.points_g.copy()
    a, b = trial.labels.index("LHEE"), trial.labels.index("LANK")
    points[200:230, [a, b]] = points[200:230, [b, a]]
    result = cleaned(replace(trial, points_g=points))
    (fault,) = result.quality["label_faults"]
    assert fault["kind"] == "swap" and set(fault["labels"]) == {"LHEE", "LANK"} and fault["frames"] == [[201, 230]]
    assert np.isnan(result.seen["LHEE"][200:230]).all() or any(g["marker"] == "LHEE" for g in result.quality["gaps"])


def test_a_cutoff_above_half_the_rate_is_refused() -> None:
    with pytest.raises(TrialError, match="too high"):
        cleaned(noisy(), cutoff_hz=50.0)


@pytest.mark.parametrize(
    ("every", "frames", "why"), [(8, None, "half the camera rate, 6.25 Hz"), (0.1, 60, "60 frames are too few")]
)
def test_where_the_usual_low_pass_does_not_fit_there_is_none(every: float, frames: int | None, why: str) -> None:
    trial = noisy()
    thinned = replace(trial, points_g=trial.points_g[:: max(int(every), 1)][:frames], rate_hz=trial.rate_hz / every)
    result = cleaned(thinned)
    assert result.settings.cutoff_hz is None and result.quality["marker_filter"] == {"method": "none"}
    (said,) = [note for note in result.notes if note.code == "markers_rough"]
    assert why in said.text and "7 Hz" in said.text and "is not filtered" in said.text
    with pytest.raises(TrialError, match="too high|too short"):
        cleaned(thinned, cutoff_hz=7.0)
    fits = replace(trial, points_g=trial.points_g[::6], rate_hz=trial.rate_hz / 6)  # 16.7 Hz
    assert cleaned(fits).settings.cutoff_hz == 7.0


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
@pytest.mark.parametrize("name", ["static", "hip_right", "knee_right"])
def test_recordings_thinned_to_12_Hz_are_taken(name: str) -> None:
    trial = read_trial(SHARED / f"{name}.c3d")
    result = clean_markers(trial, load_model("pig"))
    assert trial.rate_hz == 12.0 and len(result.filtered) > 10
    assert result.settings.cutoff_hz is None
    with pytest.raises(TrialError, match="the cut-off 6 Hz is too high; expected below half the rate, 6 Hz"):
        clean_markers(trial, load_model("pig", {"cutoff_hz": 6.0}))


@pytest.mark.parametrize(("scenario", "cutoff_hz"), [("walk", 7.0), ("turn", 7.0), ("stop", 7.0), ("run", 12.0)])
@pytest.mark.parametrize("sigma_mm", [0.1, 0.3, 1.0])
def test_the_default_cutoff_follows_the_movement(scenario: str, cutoff_hz: float, sigma_mm: float) -> None:
    trial = simulated_walk(scenario).trial
    noise = np.random.default_rng(4).normal(0, sigma_mm * 1e-3, trial.points_g.shape)
    result = cleaned(replace(trial, points_g=trial.points_g + noise))
    assert result.settings.cutoff_hz == cutoff_hz
    assert any(f"low-passed at {cutoff_hz:g} Hz" in text for text in texts(result.notes))
    assert any("as fast as they move" in text for text in texts(result.notes)) == (scenario == "run")


def test_a_low_rate_keeps_the_cutoff_of_a_walk() -> None:
    trial = simulated_walk("run", rate_hz=25.0).trial
    noise = np.random.default_rng(4).normal(0, 1e-3, trial.points_g.shape)
    assert cleaned(replace(trial, points_g=trial.points_g + noise)).settings.cutoff_hz == 7.0


def test_what_the_file_says_was_computed_is_a_gap_again_and_can_be_kept() -> None:
    walk, model = simulated_walk().trial, load_model("pig")
    trial = replace(walk, computed=(("LKNE", 100, 107), ("LKNE", 150, 219), ("C7", 3, 9)))
    found = clean_markers(trial, model)
    assert np.isfinite(found.seen["LKNE"][100:108]).all()  # filled, as any gap of so many frames
    assert np.isnan(found.seen["LKNE"][150:220]).all()
    said = next(note for note in found.notes if note.code == "reading_info")
    assert "LKNE was computed, not measured (its residual is 0); not used in frames" in said.text
    assert {note.code for note in found.notes} >= {"gap_filled", "gap_open"}
    assert found.quality["label_faults"][0]["kind"] == "computed"
    kept = clean_markers(trial, model._replace(settings=model.settings._replace(doubtful_labels="keep")))
    assert kept.notes == clean_markers(walk, model).notes
