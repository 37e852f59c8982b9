"""Evidence whose truth is known: a point mass that two plates carry in turn, their force always through it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from gaitid.faults.evidence import EVERY, WINDOW, Evidence, Pressing, State, Step, window_means
from gaitid.faults.gathering import LONGEST
from gaitid.numerics.rotation import cross
from gaitid.trial import Array

RATE, G, WEIGHT, HEIGHT = 100.0, 9.81, 700.0, 0.95
STEP_S, BOTH_S = 0.6, 0.12  # of a step, and of both feet on the ground
#: Of the motion: speed, m/s; amplitudes, m, and frequencies, Hz, forward, to the left, up.
SPEED, SWINGS, HZ = 0.4, np.array([0.010, 0.010, 0.018]), np.array([1.9, 0.95, 1.9])
PHASES = np.array([0.0, 0.7, 1.3])
AS_RECORDED = np.eye(3)
BESIDE_S = 0.2


def motion(time_s: Array) -> tuple[Array, Array]:
    """Place of the mass, m, and force on it, N; (frames, 3) forward, to the left, up."""
    turn = 2 * np.pi * HZ * time_s[:, None] + PHASES
    place = SWINGS * np.sin(turn) + np.array([0.0, 0.0, HEIGHT])
    place[:, 0] += SPEED * time_s
    acceleration = -SWINGS * (2 * np.pi * HZ) ** 2 * np.sin(turn)
    return place, WEIGHT / G * (acceleration + np.array([0.0, 0.0, G]))


def carried_by_second(time_s: Array) -> Array:
    """Share of the force on the second plate: from one to the other at every step."""
    at = time_s % (2 * STEP_S)
    comes = np.clip((at - STEP_S + BOTH_S) / BOTH_S, 0.0, 1.0) - np.clip((at - 2 * STEP_S + BOTH_S) / BOTH_S, 0.0, 1.0)
    return np.asarray(comes**2 * (3 - 2 * comes))


def walked(
    seconds: float = 2.8,
    whole: bool = True,
    R_gl: Array = AS_RECORDED,
    beside_s: float = BESIDE_S,
    one_plate: bool = False,
) -> Evidence:
    """The evidence of that walk, and of samples before and after it, in a laboratory that is turned by R_gl."""
    beside = round(beside_s * RATE)
    time = np.arange(round(seconds * RATE) + 2 * beside) / RATE
    com, force = motion(time)
    pressed = com - force * (com[:, 2:] / force[:, 2:])
    share = carried_by_second(time) * (not one_plate)
    R_lp = np.stack([np.diag([1.0, -1.0, -1.0]), np.diag([-1.0, 1.0, -1.0])])
    centres = np.array([[0.2, 0.1, 0.0], [0.9, -0.15, 0.0]])
    samples = []
    for part, R, centre in zip((1 - share, share), R_lp, centres, strict=True):
        of_plate = force * part[:, None]
        samples.append(np.concatenate([of_plate @ R, cross(pressed - centre, of_plate) @ R], axis=1))

    half, every = round(WINDOW * RATE / 2), round(EVERY * RATE)
    middles = np.arange(half + beside, len(time) - half - beside, every)
    parts = np.array_split(middles, -(-len(middles) * every // round(LONGEST * RATE)))
    ends = np.cumsum([0, *map(len, parts)]).tolist()
    asked = force / WEIGHT
    before, here, after = asked[middles - half], asked[middles], asked[middles + half]

    steps, pressing, plate_of = [], [], [np.repeat([0, 1], len(middles))]
    for k in range(int((seconds - BOTH_S) / STEP_S)):
        first, last = round(k * STEP_S * RATE), round(((k + 1) * STEP_S - BOTH_S) * RATE)
        at, side = np.arange(max(first, beside), last, every), "right" if k % 2 else "left"
        plate = 0 if one_plate else k % 2
        steps.append(Step(side, (1 + plate,), first, last, True))
        heel = np.stack([np.full(len(at), pressed[first, 0] - 0.04), pressed[at, 1], np.zeros(len(at))], axis=1)
        start = sum(map(len, plate_of))
        pressing.append(
            Pressing(
                side,
                slice(start, start + len(at)),
                time[at],
                heel @ R_gl.T,
                pressed[at] @ R_gl.T,
                np.tile(R_gl[:, 0], (len(at), 1)),
                np.tile(R_gl[:, 1], (len(at), 1)),
                0.24,
                np.linspace(0.0, 1.0, len(at)),
            )
        )
        plate_of.append(np.full(len(at), plate))

    floor = np.random.default_rng(1).uniform([-0.5, -0.3, 0.0], [2.0, 0.3, 0.0], (12, 3))
    nothing = np.zeros((0, 3))
    evidence = Evidence(
        plates=cast(Any, tuple(SimpleNamespace(number=number, shows_zero=False) for number in (1, 2))),
        steps=tuple(steps),
        up_g=R_gl[:, 2],
        weight_N=WEIGHT,
        whole=whole,
        flies=False,
        windows_s=time[middles],
        runs=tuple(map(slice, ends[:-1], ends[1:])),
        com_g=com[middles] @ R_gl.T,
        height_m=HEIGHT,
        axes=np.tile(R_gl.T, (len(middles), 1, 1)),
        asked_rate=(after - before) @ R_gl.T * RATE / (2 * half),
        asked_bend=(before + after - 2 * here) @ R_gl.T * (RATE / half) ** 2,
        pressing=tuple(pressing),
        plate_of=np.concatenate(plate_of),
        filed=State(
            nothing, nothing, R_gl @ R_lp, centres @ R_gl.T, window_means(asked, middles.astype(float), half) @ R_gl.T
        ),
        floor_g=floor @ R_gl.T,
        of_marker=np.arange(len(floor)) % 4,
        samples=tuple(samples),
        rate_hz=RATE,
    )
    return read_again(evidence)


def with_noise(evidence: Evidence) -> Evidence:
    """1 N on each force, 0.1 N·m on each moment."""
    rng = np.random.default_rng(4)
    sd = np.array([1.0, 1.0, 1.0, 0.1, 0.1, 0.1])
    return read_again(evidence, tuple(samples + sd * rng.normal(size=samples.shape) for samples in evidence.samples))


def read_again(evidence: Evidence, samples: tuple[Array, ...] | None = None) -> Evidence:
    """With other samples of its plates, read as they are filed."""
    other = replace(evidence, samples=samples or evidence.samples)
    f_p, m_p = other.read(np.zeros(len(other.plate_of)))
    return replace(other, filed=other.filed._replace(f_p=f_p, m_p=m_p))
