"""Every hypothesis undoes its fault: done to sound evidence by a rule of its own here, the sound state comes back."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from made_evidence import RATE, read_again, walked

from gaitid.faults.evidence import Evidence, State, level_axes
from gaitid.faults.hypotheses import CHANNELS, Hypothesis, hypotheses
from gaitid.numerics.rotation import about_axis, turned
from gaitid.trial import Array

SOUND = walked()
EVERY = hypotheses(SOUND, weighed=True)
#: Of each cause that has parameters: what they are here. s, m, N, rad, shares, logarithms of factors.
SIZES = {"late": 0.03, "drift": 0.01, "moved": 0.05, "zero": 40.0, "askew": 0.2, "tilt": 0.02, "yaw": 0.02}


def drifts_by(size: Array, frames: Array) -> Array:
    """Frames by which forces are late: by a drift about the middle of what is known, and half way through."""
    middle = float(SOUND.windows_s.mean()) * RATE
    return np.asarray((size[0] * (frames - middle) + size[1] * RATE) / (1 + size[0]))


def free_moment(felt: Array) -> Array:
    """About the centre of pressure."""
    push = np.where(felt[:, 2] == 0, np.inf, felt[:, 2])
    x, y = -felt[:, 4] / push, felt[:, 3] / push
    return np.asarray(felt[:, 5] - (x * felt[:, 1] - y * felt[:, 0]))


def spoilt(h: Hypothesis, size: Array) -> Evidence:
    """What would have been recorded with the fault."""
    filed, plates = SOUND.filed, list(h.plates)
    of = np.array([name in h.channels for name in CHANNELS])
    samples, R_gp, centre_g, asked = list(SOUND.samples), filed.R_gp.copy(), filed.centre_g.copy(), filed.asked
    for k in plates or range(2):
        felt = samples[k]
        read, frames = felt.copy(), np.arange(len(felt))
        if h.cause == "sign" or h.cause.startswith("gain"):
            read[:, of] *= np.exp(size[0]) if len(size) else -1.0
        elif h.cause == "exchanged":
            i, j = np.flatnonzero(of)
            # what stands in one channel is what the other felt, times a sign
            read[:, i], read[:, j] = h.wiring[0] * felt[:, j], h.wiring[1] * felt[:, i]
        elif h.cause == "crosstalk":
            read[:, :2] += size * felt[:, 2:3]
        elif h.cause == "torsion":
            read[:, 5] = free_moment(felt)
        elif h.cause == "zero":
            read[:, of] += size * (np.abs(felt[:, 2]) > 0.05 * np.abs(felt[:, 2]).max())[:, None]
        elif h.cause in ("late", "drift"):
            late = size[0] * RATE if h.cause == "late" else drifts_by(size, frames)
            read = np.stack([np.interp(frames - late, frames, one) for one in felt.T], axis=1)
        elif h.cause in ("turned", "askew"):
            R_gp[k] = R_gp[k] @ about_axis("z", -np.radians(h.degrees) if h.degrees else size[0])
        elif h.cause == "mirrored":
            R_gp[k] = h.act(SOUND, filed, size).R_gp[k]
        elif h.cause == "moved":
            centre_g[k] += filed.R_gp[plates[0]][:, :2] @ size
        samples[k] = read
    if h.cause == "plates_exchanged":
        R_gp[plates], centre_g[plates] = R_gp[plates[::-1]], centre_g[plates[::-1]]
    elif h.cause == "rate":
        asked = SOUND.up_g + (asked - SOUND.up_g) * np.exp(2 * size[0])
    elif h.cause == "tilt":
        way = size @ level_axes(SOUND.up_g)
        R_gp = turned(np.swapaxes(R_gp, 1, 2), way / np.linalg.norm(way), np.linalg.norm(way)).swapaxes(1, 2)
        asked = asked + np.cross(way, SOUND.up_g)
    elif h.cause in ("yaw", "other_axes"):
        middle, angle = centre_g.mean(axis=0), size[0] if len(size) else np.radians(h.degrees)
        R_gp = turned(np.swapaxes(R_gp, 1, 2), SOUND.up_g, angle).swapaxes(1, 2)
        centre_g = middle + turned(centre_g - middle, SOUND.up_g, angle)
        centre_g += np.array([0.4, -0.7, 0.0]) * (h.cause == "other_axes")
    other = read_again(SOUND, tuple(samples))
    return replace(other, filed=other.filed._replace(R_gp=R_gp, centre_g=centre_g, asked=asked))


def apart(one: State, other: State) -> float:
    """The greatest difference, N and N·m; of axes, places and what is asked for, times 700 N."""
    scales = (1.0, 1.0, 700.0, 700.0, 700.0)
    return max(float(np.abs(a - b).max()) * scale for a, b, scale in zip(one, other, scales, strict=True))


@pytest.mark.parametrize("cause", sorted({h.cause for h in EVERY}))
def test_undoing_a_fault_restores_what_was_felt(cause: str) -> None:
    # a delay is read between samples; turns are of first order: 700 · 0.02² / 2 and as much of two axes
    # the product of two means over a window is not the mean of the products
    within = {"late": 12.0, "drift": 6.0, "tilt": 0.6, "yaw": 0.6, "torsion": 1.0}.get(cause, 1e-6)
    n = len(SOUND.windows_s)
    rows = np.arange(len(SOUND.plate_of))
    if cause in ("late", "drift"):  # what came after the end of the recording is not known
        rows = np.r_[0 : n - 2, n : 2 * n - 2]
    elif cause == "zero":  # a window in which a load begins or ends holds a part of it
        push = np.abs(SOUND.filed.f_p[:, 2])
        rows = np.flatnonzero((push == 0) | (push > 0.7 * push.max()))
    sound = SOUND.filed._replace(f_p=SOUND.filed.f_p[rows], m_p=SOUND.filed.m_p[rows])
    for h in (h for h in EVERY if h.cause == cause):
        size = np.array([SIZES.get(cause, 0.1), -0.5 * SIZES.get(cause, 0.1)])[: len(h.spread)]
        wrong = spoilt(h, size)
        found = h.act(wrong, wrong.filed, size)
        assert apart(wrong.filed, SOUND.filed) > 10 * within, h
        assert apart(found._replace(f_p=found.f_p[rows], m_p=found.m_p[rows]), sound) < within, h


def test_a_plate_that_was_seen_empty_has_no_wrong_zero() -> None:
    first, second = SOUND.plates
    seen = replace(SOUND, plates=(SimpleNamespace(number=first.number, shows_zero=True), second))  # type: ignore[arg-type]
    of_zero = {h.plates for h in hypotheses(seen, weighed=True) if h.cause == "zero"}
    assert of_zero == {(1,)}
