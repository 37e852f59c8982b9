"""Simulated trials as files, spoilt by errors drawn as a file of uncertainties states them: what a laboratory records.

A thing has one error in all files that it is in: a marker that was put 6 mm too high is so in the walk and in the
static of its session, plates that are 5 mm off are so in all trials of their laboratory, skin moves as in its person.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from simulated_trials import state_of, walk_of  # noqa: E402 - the tests' walks

from gaitid.numerics.rotation import apply, cross  # noqa: E402
from gaitid.simulate.c3d_file import walk_c3d  # noqa: E402
from gaitid.simulate.walk import Walk  # noqa: E402
from gaitid.trial import Array  # noqa: E402
from gaitid.uncertainty.sources import Sources  # noqa: E402

#: Which segment each marker is on, without the side's letter; wands are put by their angle, not by their place.
SEGMENT = {"ASI": "pelvis", "PSI": "pelvis", "THI": "thigh", "KNE": "thigh", "TIB": "shank", "ANK": "shank",
           "HEE": "foot", "TOE": "foot"}  # fmt: skip
WANDS = ("THI", "TIB")
SIDES = {"L": "left", "R": "right"}
STATIC_FRAMES = 40
NOISE_M = 0.0003


class Drawn(NamedTuple):
    """Generators of random numbers, one for each thing that has errors; None where it has none.

    Attributes
    ----------
    placing : Generator or None
        Of markers, in a session.
    skin : Generator or None
        Soft tissue, of a person: it moves alike in every stride.
    noise : Generator or None
        Of coordinates, in a trial.
    plates : Generator or None
        Of a laboratory.
    """

    placing: np.random.Generator | None = None
    skin: np.random.Generator | None = None
    noise: np.random.Generator | None = None
    plates: np.random.Generator | None = None


def segment_of(label: str) -> str:
    """The segment under a marker, as the truth names it."""
    kind = SEGMENT[label[1:]]
    return kind if kind == "pelvis" else f"{SIDES[label[0]]}_{kind}"


def placed(sources: Sources, labels: tuple[str, ...], random: np.random.Generator | None) -> dict[str, Array]:
    """By marker how far it was put off, m, in the axes of its segment; wands stay."""
    if random is None:
        return {}
    return {label: sources.placement_m * random.standard_normal(3) for label in labels if label[1:] not in WANDS}


def skin(sources: Sources, walk: Walk, labels: tuple[str, ...], random: np.random.Generator) -> dict[str, Array]:
    """(frames, 3) of each marker in the axes of its segment: waves of the stride, of all its markers and of each."""
    time, stride_hz = walk.settings.times_s, 1 / walk.gait.pattern.stride_s

    def waves() -> Array:
        total = np.zeros((len(time), 3))
        for k, share in enumerate(sources.harmonics, start=1):
            a, b = random.standard_normal((2, 3)) * np.sqrt(share)
            phase = 2 * np.pi * k * stride_hz * time[:, None]
            total += a * np.cos(phase) + b * np.sin(phase)
        return total

    together: dict[str, Array] = {}
    found = {}
    for label in labels:
        body, tissue = segment_of(label), sources.soft_tissue[SEGMENT[label[1:]]]
        if body not in together:
            together[body] = tissue.together_m * waves()
        found[label] = together[body] + tissue.each_m * waves()
    return found


def spoilt_walk(
    walk: Walk, sources: Sources, random: np.random.Generator
) -> tuple[Walk, dict[int, tuple[Array, Array]]]:
    """The walk with plates that say they lie elsewhere, and what their channels record: all plates alike."""
    of, timing = sources.sizes["force_plates"], sources.sizes["timing"]
    gain, free_moment = (of[key] * random.standard_normal() for key in ("gain_percent", "free_moment_Nm"))
    force_g, cop_g = of["force_N"] * random.standard_normal(3), np.append(of["cop_mm"] * random.standard_normal(2), 0.0)
    angle = of["turn_deg"] * random.standard_normal()
    late_s = np.hypot(timing["frames"] / walk.settings.rate_hz, timing["laboratory_ms"]) * random.standard_normal()
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
    time_s = walk.settings.analog_times_s
    plates, channels = [], {}
    for plate in walk.plates:
        f, m = (np.array(of_plate) for of_plate in walk.plate_channels(time_s)[plate.number])
        loaded = np.abs(f[:, 2]) > 20.0
        f, m = f * (1 + gain), m * (1 + gain)
        about_centre = m + cross(np.broadcast_to(plate.sensor_p, f.shape), f)
        with np.errstate(all="ignore"):
            cop = np.stack([-about_centre[:, 1] / f[:, 2], about_centre[:, 0] / f[:, 2], 0 * f[:, 2]], axis=1)
        lever = np.where(loaded[:, None], cop, 0.0) - plate.sensor_p
        extra = np.where(loaded[:, None], force_g @ plate.rotation, 0.0)
        m = m + cross(lever, extra)
        f = f + extra
        m[:, 2] += np.where(loaded, np.sign(f[:, 2]) * free_moment, 0.0)
        at = np.arange(len(f)) - late_s * walk.settings.analog_rate_hz
        late = [np.stack([np.interp(at, np.arange(len(f)), v[:, k]) for k in range(3)], axis=1) for v in (f, m)]
        channels[plate.number] = (late[0], late[1])
        centre = plate.corners_g.mean(axis=0)
        corners = centre + (plate.corners_g - centre) @ turn.T + cop_g
        plates.append(replace(plate, corners_g=corners))
    return replace(walk, plates=tuple(plates)), channels


def write_session(
    folder: Path,
    sources: Sources,
    drawn: Drawn,
    options: Mapping[str, float | bool],
    trials: int = 1,
    scenario: str = "walk",
) -> tuple[list[Path], Path]:
    """Walks and the static of one session, as C3D.

    Parameters
    ----------
    folder : Path
    sources : Sources
    drawn : Drawn
    options : mapping
        Of the simulation.
    trials : int
        Walks, of which each has its own skin.
    scenario : str

    Returns
    -------
    walks : list of Path
    static : Path
    """
    folder.mkdir(parents=True, exist_ok=True)
    walk, truth = walk_of(scenario, **options), state_of(scenario, **options)
    labels = tuple(label for label in truth.marker_g if label[1:] in SEGMENT)
    off = placed(sources, labels, drawn.placing)
    stands = walk.gait.standing(STATIC_FRAMES)
    standing = {
        label: walk.static_markers(STATIC_FRAMES)[label]
        + apply(
            stands.rotation[segment_of(label)].value, np.broadcast_to(off.get(label, np.zeros(3)), (STATIC_FRAMES, 3))
        )
        for label in labels
    }
    static = folder / "static.c3d"
    static.write_bytes(walk_c3d(walk, standing, None))
    recorded, channels = walk, walk.plate_channels(walk.settings.analog_times_s)
    if drawn.plates is not None:
        recorded, channels = spoilt_walk(walk, sources, drawn.plates)
    walks = []
    moved = {} if drawn.skin is None else skin(sources, walk, labels, drawn.skin)
    for i in range(trials):
        markers = {}
        for label in labels:
            local = moved.get(label, 0.0) + np.broadcast_to(off.get(label, np.zeros(3)), truth.marker_g[label].shape)
            markers[label] = truth.marker_g[label] + apply(truth.rotation[segment_of(label)], local)
            if drawn.noise is not None:
                markers[label] = markers[label] + NOISE_M * drawn.noise.standard_normal(markers[label].shape)
        path = folder / f"walk{i + 1:02d}.c3d"
        path.write_bytes(walk_c3d(recorded, markers, channels))
        walks.append(path)
    return walks, static
