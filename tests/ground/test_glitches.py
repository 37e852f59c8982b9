"""Samples that no load can have, and those that only look so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.ground.glitches import sound_samples, without_glitches
from gaitid.model.load import load_model
from gaitid.trial import ForcePlate

RATE = 1000.0
CORNERS = np.array([[0.4, 0.2, 0], [0.0, 0.2, 0], [0.0, -0.2, 0], [0.4, -0.2, 0]])


def plate(vertical: np.ndarray, rate_hz: float = RATE) -> ForcePlate:
    """Plate axes, z down: a load is negative."""
    force = np.zeros((len(vertical), 3))
    force[:, 2] = -vertical
    return ForcePlate(1, 2, CORNERS, np.zeros(3), rate_hz, force, np.zeros_like(force))


def stance() -> np.ndarray:
    """A load that comes within 5 ms and goes within 20 ms, 0.6 s, N."""
    time = np.arange(1000)
    return np.interp(time, [200, 205, 780, 800], [0.0, 600.0, 600.0, 0.0])


def test_a_sample_that_leaps_and_leaps_back_is_lost_alone() -> None:
    vertical = stance()
    vertical[500] += 1000.0
    cleaned, glitches = without_glitches(plate(vertical))
    assert glitches.tolist() == [500]
    assert np.isnan(cleaned.force_p[500]).all() and np.isnan(cleaned.moment_p[500]).all()
    assert np.isfinite(np.delete(cleaned.force_p, 500, axis=0)).all()


def test_a_reading_lost_for_30_samples_is_no_load_of_zero() -> None:
    vertical = stance()
    vertical[400:430] = 0.0
    assert without_glitches(plate(vertical))[1].tolist() == list(range(400, 430))


def test_a_walk_with_such_a_sample_loses_the_frames_beside_it_only(simulated: Callable[..., object]) -> None:
    sim = simulated()
    trial = sim.trial  # type: ignore[attr-defined]
    model = load_model("pig")
    whole = analyse(trial, model, SubjectFile())
    first = next(c for c in whole.contacts if c.plates == (1,))
    frame = (first.first + first.last) // 2
    force = trial.plates[0].force_p.copy()
    force[frame * 10, 2] -= 1500.0
    spoilt = replace(trial, plates=(replace(trial.plates[0], force_p=force), *trial.plates[1:]))
    result = analyse(spoilt, model, SubjectFile())
    note = next(n for n in result.notes if n.code == "values_lost")
    assert f"plate 1: a sample jumps and returns from {frame / 100:.3f} s" in note.text
    before, after = (r.loads.by_side[first.side].wrench.f_g for r in (whole, result))
    lost = np.flatnonzero(np.isfinite(before[:, 2]) & ~np.isfinite(after[:, 2]))
    assert 1 <= len(lost) <= 3 and abs(lost - frame).max() <= 2
    assert np.nanmax(np.abs(after - before)) < 1e-9


def test_a_hum_on_an_empty_plate_is_named(simulated: Callable[..., object]) -> None:
    sim = simulated()
    trial = sim.trial  # type: ignore[attr-defined]
    force = trial.plates[0].force_p.copy()
    force[:, 2] += 20.0 * np.sin(2 * np.pi * 7.0 * np.arange(len(force)) / RATE)  # N
    spoilt = replace(trial, plates=(replace(trial.plates[0], force_p=force), *trial.plates[1:]))
    model = load_model("pig")
    notes = [n.text for n in analyse(spoilt, model, SubjectFile()).notes if n.code == "plate_bias"]
    assert any(text.startswith("plate 1 varies by 1") for text in notes)  # 20 N times 0.707, the median of a sine
    assert not any(n.code == "plate_bias" for n in analyse(trial, model, SubjectFile()).notes)


def pushing(cycles_hz: float = 2.37) -> ForcePlate:
    """A stance whose horizontal forces and moments swing."""
    one, swing = plate(stance()), np.sin(2 * np.pi * cycles_hz * np.arange(1000) / RATE)
    force, moment = one.force_p.copy(), 20.0 * np.outer(swing, np.ones(3)) * (stance() > 0)[:, None]
    force[:, :2] = 100.0 * swing[:, None] * (stance() > 0)[:, None]
    force[:, 2] *= 1 + 0.2 * swing
    return replace(one, force_p=force, moment_p=moment)


@pytest.mark.parametrize("channel", range(5))
def test_a_channel_that_holds_still_under_load_is_lost_meanwhile(channel: int) -> None:
    one = pushing()
    values = np.concatenate([one.force_p[:, :2], one.moment_p], axis=1)
    values[400:460, channel] = values[400, channel]
    force = np.column_stack([values[:, :2], one.force_p[:, 2]])
    sound, lost, (note,) = sound_samples(replace(one, force_p=force, moment_p=values[:, 2:]))
    assert lost == 60 and np.flatnonzero(np.isnan(sound.force_p[:, 0])).tolist() == list(range(400, 460))
    assert f"{('Fx', 'Fy', 'Mx', 'My', 'Mz')[channel]} is constant for 60 ms from 0.400 s" in note.text


def test_a_walk_with_a_channel_that_holds_still_loses_those_frames_only(simulated: Callable[..., object]) -> None:
    trial = simulated().trial  # type: ignore[attr-defined]
    model = load_model("pig")
    whole = analyse(trial, model, SubjectFile())
    first = next(c for c in whole.contacts if c.plates == (1,))
    frame = (first.first + first.last) // 2
    force = trial.plates[0].force_p.copy()
    force[frame * 10 : frame * 10 + 100, 0] = force[frame * 10, 0]
    spoilt = replace(trial, plates=(replace(trial.plates[0], force_p=force), *trial.plates[1:]))
    result = analyse(spoilt, model, SubjectFile())
    assert [n.plates for n in result.notes if n.code == "values_lost"] == [(1,)]
    before, after = (r.loads.by_side[first.side].wrench.f_g for r in (whole, result))
    lost = np.flatnonzero(np.isfinite(before[:, 2]) & ~np.isfinite(after[:, 2]))
    assert lost.min() >= frame - 2 and lost.max() <= frame + 12 and len(lost) >= 9
    assert np.nanmax(np.abs(after - before)) < 1e-9
