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


@pytest.mark.parametrize("rate_hz", [60.0, 100.0, 200.0, 300.0])
def test_one_sample_of_a_slow_plate_is_lost_alone(rate_hz: float) -> None:
    vertical = np.interp(np.arange(0, 1000, 1000 / rate_hz), np.arange(1000), stance())
    middle = len(vertical) // 2
    vertical[middle] -= 900.0
    assert without_glitches(plate(vertical, rate_hz))[1].tolist() == [middle]


@pytest.mark.parametrize(
    ("vertical", "rate_hz"),
    [
        (stance(), RATE),
        (np.where(stance() > 300, 600.0, 0.0), RATE),  # a step up and, much later, down
        (np.where(np.arange(1000) == 500, 90.0, 0.0), RATE),  # a knock
        (np.where(np.isin(np.arange(1000), [500, 501]), 900.0, 0.0), 100.0),  # two samples of a slow plate
    ],
    ids=["stance", "steps", "knock", "slow"],
)
def test_what_may_be_a_load_is_kept(vertical: np.ndarray, rate_hz: float) -> None:
    one = plate(vertical, rate_hz)
    kept, glitches = without_glitches(one)
    assert kept is one and not glitches.size


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


@pytest.mark.parametrize("channel", range(5))
def test_a_channel_that_dies_under_load_is_lost_until_the_foot_leaves(channel: int) -> None:
    one = pushing()
    values = np.concatenate([one.force_p[:, :2], one.moment_p], axis=1)
    values[650:, channel] = 0.0
    force = np.column_stack([values[:, :2], one.force_p[:, 2]])
    _, lost, (note,) = sound_samples(replace(one, force_p=force, moment_p=values[:, 2:]))
    assert 140 <= lost <= 150  # until the foot presses with less than a tenth
    assert "is constant for 1" in note.text and "from 0.650 s" in note.text
    values[620:650, channel] = np.linspace(values[619, channel], 0.0, 30)  # however it came there
    force = np.column_stack([values[:, :2], one.force_p[:, 2]])
    assert sound_samples(replace(one, force_p=force, moment_p=values[:, 2:]))[1] >= 140


def test_a_channel_that_runs_into_its_range_is_lost_there() -> None:
    one = pushing()
    force = one.force_p.copy()
    force[:, 0] = np.clip(force[:, 0], -80.0, 80.0)
    assert "Fx is constant for" in sound_samples(replace(one, force_p=force))[2][0].text


@pytest.mark.parametrize("bits", [6, 8, 10, 12, 14, 16])
def test_a_converter_of_few_bits_holds_no_channel_still(bits: int) -> None:
    one, half = pushing(), 2 ** (bits - 1)
    force, moment = (np.round(v / s * half) * s / half for v, s in ((one.force_p, 800.0), (one.moment_p, 25.0)))
    assert sound_samples(replace(one, force_p=force, moment_p=moment))[1:] == (0, ())


def test_a_push_that_is_flat_before_it_turns_steep_is_not_held() -> None:
    """A channel that is held comes to its plateau by some way, and goes on by some."""
    one, frames = pushing(), np.arange(1000)
    force = one.force_p.copy()
    force[:, 0] = np.round(np.maximum(frames - 500.0, 0.0) ** 2 * 0.01 + np.maximum(470.0 - frames, 0.0) * 0.001, 2)
    assert sound_samples(replace(one, force_p=force))[1:] == (0, ())


def test_who_stands_still_holds_no_channel_still() -> None:
    vertical = np.interp(np.arange(1000), [0, 300], [0.0, 600.0])
    assert sound_samples(plate(vertical))[1:] == (0, ())


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
