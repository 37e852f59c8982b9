"""Simulated trials as files, spoilt by errors drawn as a file of uncertainties states them: what a laboratory records.

A thing has one error in all files that it is in: a marker that was put 6 mm too high is so in the walk and in the
static of its session, plates that are 5 mm off are so in all trials of their laboratory, skin moves as in its person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from simulated_trials import state_of, walk_of

from gaitid.numerics.rotation import apply, apply_transposed, cross
from gaitid.simulate.c3d_file import walk_c3d
from gaitid.simulate.walk import Walk
from gaitid.trial import Array
from gaitid.uncertainty.sources import Sources

SIDES = {"L": "left", "R": "right"}
STATIC_FRAMES = 40
NOISE_M = 0.0003
#: Markers of Plug-in Gait by segment, without the side's letter; wands are put by their angle, not by their place.
_PIG = {"pelvis": ("ASI", "PSI"), "thigh": ("THI", "KNE"), "shank": ("TIB", "ANK"), "foot": ("HEE", "TOE")}
_WANDS = ("THI", "TIB")
#: Landmarks and clusters: of the left side by segment, from a joint's centre as the subject stands, m, x forward, y
#: left, z up; a marker of a cluster may lie anywhere.
_CLUSTERS = {
    "thigh": {
        "THIGH_1": ("hip", 0.08, 0.06, -0.16), "THIGH_2": ("hip", 0.02, 0.10, -0.22),
        "THIGH_3": ("hip", -0.05, 0.08, -0.18), "THIGH_4": ("hip", 0.04, 0.08, -0.30),
        "TROCHANTER": ("hip", -0.01, 0.08, -0.02), "KNEE_LAT": ("knee", 0.0, 0.055, 0.0),
        "KNEE_MED": ("knee", 0.0, -0.055, 0.0),
    },
    "shank": {
        "SHANK_1": ("knee", 0.05, 0.04, -0.12), "SHANK_2": ("knee", 0.01, 0.07, -0.20),
        "SHANK_3": ("knee", -0.05, 0.05, -0.14), "SHANK_4": ("knee", 0.03, 0.05, -0.27),
        "FIBULAR_HEAD": ("knee", -0.02, 0.055, -0.05), "TIBIAL_TUBEROSITY": ("knee", 0.055, 0.0, -0.07),
        "ANKLE_LAT": ("ankle", 0.0, 0.04, 0.0), "ANKLE_MED": ("ankle", 0.0, -0.04, 0.01),
    },
    "foot": {
        "HEEL": ("ankle", -0.06, 0.0, -0.05), "MT_1": ("ankle", 0.12, -0.035, -0.065),
        "MT_5": ("ankle", 0.10, 0.05, -0.07), "FOOT_1": ("ankle", 0.06, 0.01, -0.02),
    },
}  # fmt: skip
_STATIC_ONLY = ("KNEE_MED", "ANKLE_MED")


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


class Marker(NamedTuple):
    """A marker: its segment as the truth names it, whether its place on it matters, and whether the walk has it."""

    body: str
    kind: str
    placed: bool = True
    in_walk: bool = True


class Recorded(NamedTuple):
    """What cameras see of the skeleton without error: markers, and their tracks in the walk and in the static, m."""

    markers: Mapping[str, Marker]
    walk: Mapping[str, Array]
    static: Mapping[str, Array]


def recorded(walk: Walk, scenario: str, options: Mapping[str, float | bool], clusters: bool) -> Recorded:
    """Plug-in Gait's markers, or landmarks and clusters on the same bones."""
    truth, stands = state_of(scenario, **options), walk.gait.standing(STATIC_FRAMES)
    standing = walk.static_markers(STATIC_FRAMES)
    markers, moving = {}, {}
    for letter, side in SIDES.items():
        for kind, names in _PIG.items():
            body = kind if kind == "pelvis" else f"{side}_{kind}"
            for name in names if kind == "pelvis" or not clusters else ():
                markers[f"{letter}{name}"] = Marker(body, kind, name not in _WANDS)
                moving[f"{letter}{name}"] = truth.marker_g[f"{letter}{name}"]
        for kind, of_kind in _CLUSTERS.items() if clusters else ():
            body = f"{side}_{kind}"
            for name, (joint, *offset) in of_kind.items():
                label, mirror = f"{letter}_{name}", np.array([1.0, 1.0 if side == "left" else -1.0, 1.0])
                stood = stands.point[f"{side}_{joint}"].value + np.array(offset) * mirror
                local = apply_transposed(stands.rotation[body].value, stood - stands.point[f"{side}_{joint}"].value)
                tracking = name not in _STATIC_ONLY
                markers[label] = Marker(body, kind, not name.rpartition("_")[2].isdigit() or kind == "foot", tracking)
                standing = {**standing, label: stood}
                at = np.broadcast_to(local[0], truth.joint_g[f"{side}_{joint}"].shape)
                moving[label] = truth.joint_g[f"{side}_{joint}"] + apply(truth.rotation[body], at)
    return Recorded(markers, moving, {label: standing[label] for label in markers})


def skin(sources: Sources, walk: Walk, markers: Mapping[str, Marker], random: np.random.Generator) -> dict[str, Array]:
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
    for label, marker in markers.items():
        tissue = sources.soft_tissue[marker.kind]
        if marker.body not in together:
            together[marker.body] = tissue.together_m * waves()
        found[label] = together[marker.body] + tissue.each_m * waves()
    return found


def spoilt_plates(
    walk: Walk, sources: Sources, random: np.random.Generator
) -> tuple[Walk, dict[int, tuple[Array, Array]]]:
    """The walk with plates that say they lie elsewhere, and what their channels record: all plates alike."""
    of, timing = sources.sizes["force_plates"], sources.sizes["timing"]
    gain, free_moment = (of[key] * random.standard_normal() for key in ("gain_percent", "free_moment_Nm"))
    force_g = of["force_N"] * random.standard_normal(3)
    cop_g = np.append(of["cop_mm"] * random.standard_normal(2), 0.0)
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
        f, m = f + extra, m + cross(lever, extra)
        m[:, 2] += np.where(loaded, np.sign(f[:, 2]) * free_moment, 0.0)
        at = np.arange(len(f)) - late_s * walk.settings.analog_rate_hz
        late = [np.stack([np.interp(at, np.arange(len(f)), v[:, k]) for k in range(3)], axis=1) for v in (f, m)]
        channels[plate.number] = (late[0], late[1])
        centre = plate.corners_g.mean(axis=0)
        corners = centre + (plate.corners_g - centre) @ turn.T + cop_g
        plates.append(replace(plate, corners_g=corners))
    return replace(walk, plates=tuple(plates)), channels


class Session(NamedTuple):
    """What is recorded in a session.

    Attributes
    ----------
    options : mapping
        Of the simulation.
    scenario : str
    trials : int
    clusters : bool
        Landmarks and clusters in place of Plug-in Gait's markers.
    """

    options: Mapping[str, float | bool]
    scenario: str = "walk"
    trials: int = 1
    clusters: bool = False


def write_session(folder: Path, sources: Sources, drawn: Drawn, session: Session) -> tuple[list[Path], Path]:
    """Walks and the static of one session, as C3D: their paths.

    Parameters
    ----------
    folder : Path
    sources : Sources
    drawn : Drawn
    session : Session
    """
    folder.mkdir(parents=True, exist_ok=True)
    walk, truth = walk_of(session.scenario, **session.options), state_of(session.scenario, **session.options)
    seen = recorded(walk, session.scenario, session.options, session.clusters)
    off = {
        label: np.zeros(3)
        if drawn.placing is None or not marker.placed
        else sources.placement_m * drawn.placing.standard_normal(3)
        for label, marker in seen.markers.items()
    }
    stands = walk.gait.standing(STATIC_FRAMES)
    standing = {}
    for label, marker in seen.markers.items():
        local = np.broadcast_to(off[label], seen.static[label].shape)
        standing[label] = seen.static[label] + apply(stands.rotation[marker.body].value, local)
    static = folder / "static.c3d"
    static.write_bytes(walk_c3d(walk, standing, None))
    of_plates, channels = walk, walk.plate_channels(walk.settings.analog_times_s)
    if drawn.plates is not None:
        of_plates, channels = spoilt_plates(walk, sources, drawn.plates)
    moved = {} if drawn.skin is None else skin(sources, walk, seen.markers, drawn.skin)
    walks = []
    for i in range(session.trials):
        markers = {}
        for label, marker in seen.markers.items():
            track = seen.walk[label]
            local = moved.get(label, np.zeros(track.shape)) + off[label]
            track = track + apply(truth.rotation[marker.body], local)
            if drawn.noise is not None:
                track = track + NOISE_M * drawn.noise.standard_normal(track.shape)
            if marker.in_walk:
                markers[label] = track
        path = folder / f"walk{i + 1:02d}.c3d"
        path.write_bytes(walk_c3d(of_plates, markers, channels))
        walks.append(path)
    return walks, static
