"""Trials with sound plates and clocks, of which nobody is to accuse one: recorded, and drawn at random.

Drawn are recorded trials of somebody of another size, weight and direction, with noise of markers and plates besides:
lengths s times, times √s times, forces m times as large obey the same mechanics (Froude). And simulated walks, with
soft tissue. Not drawn are simulated turns and runs, and `full_body`: their loads do not obey it. In single support the
horizontal force is 0.16 to 0.37 body weights (root mean square) from what pelvis and legs ask for in simulated turns,
0.02 to 0.06 in recorded ones; runs give 0.2 body weights more than asked vertically, recorded ones up to 0.1; and the
line of force passes the centre of mass by 0.22 to 0.27 times its height with `full_body`, by 0.07 to 0.14 in recorded
walks. Plain simulated walks do (0.10 body weights, 0.09 of the height).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from attack_plates import about
from attack_trials import (
    RECORDED,
    SIMULATED,
    Case,
    Recorded,
    case_of_walk,
    recorded_case,
    replace_fields,
    simulated_case,
)
from common import SHARED

from gaitid.simulate.body import Subject
from gaitid.simulate.scenarios import SCENARIOS, Scenario, Series
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.walk_setup import simulate_walk
from gaitid.trial import Array, ForcePlate, Trial
from gaitid.uncertainty.sources import read_sources

#: Recorded trials that `attacks.py` does not spoil, as benchmarks/any_lab.py runs them.
MORE = (
    Recorded("labs/turn/turn.c3d", "McGill", "static.c3d"),
    Recorded("labs/turn/straight.c3d", "McGill", "static.c3d"),
    Recorded("labs/drop_jump/jump.c3d", "LASEM", "static.c3d"),
    Recorded("labs/unipd/walk.c3d", "Padua (MOtoNMS)", "static.c3d"),
    Recorded("labs/sample_26/Capture0002.c3d", "C-Motion", "Capture0008_Standing.c3d"),
    Recorded("labs/motion_analysis/walk1.trc", "BMClab", forces="walk1.forces", overrides={"mirror": "z"}),
    Recorded("labs/nexus_mp/VER4C3D.c3d", "Nexus", subject="42798.mp"),
    Recorded("labs/osim_calibration/walk.trc", "OpenSim", "subject01.osim", "walk_grf.mot"),
    Recorded("wild/opencap/drop_jump.trc", "OpenCap", "static.trc", "drop_jump_grf.mot"),
    Recorded("wild/codamotion/walk.c3d", "Codamotion"),
    Recorded("wild/pig_old/walk.c3d", "Vicon"),
    Recorded("wild/visual3d_hybrid/walk.c3d", "C-Motion", "static.c3d"),
    Recorded("cases/belt_slows_down/walk.c3d", "cases"),
)
#: Trials that are accused with reason: they are listed, not counted, and no mistake is done to them.
FAULTY = {
    "pig_old/walk": "moments are stored in N·mm, in a file that says N·m",
    "padua_clusters/walk": "the free moment of plate 1 is the force times 96 mm: five times what a foot can",
    "motion_analysis/walk1": "plate 5 gives a free moment of 17 N·m while 76 N press: 22 cm times the force",
    "isb_bone_names/walk": "in single support the plates carry 0.82 of the stored weight, and 0.84 to 0.98 at most",
    "simulated turn": "the loads of the simulation do not turn the body",
    "simulated run": "the loads of the simulation are 0.2 body weights more than the motion asks for",
}
#: Scenarios of simulated walks, in turn; most are plain, as in laboratories.
WALKS = ("walk", "walk", "over_edge", "walk", "across_plates", "walk", "split_belt")
TURNS = ("HC030A/turn", "turn/turn")
#: Ends of the names of stored measurements that are lengths, and of those that are masses.
LENGTHS = ("length", "width", "height", "distance", "shoulderoffset", "diameter", "thickness")
MASSES = ("mass", "weight")


def clean_trials(n: int, pattern: str = "") -> list[tuple[str, Callable[[], Case]]]:
    """Names of all trials that fit and how each is made: recorded, those of `attacks.py`, and drawn ones.

    n are drawn, half of them simulated, and n / 4 turns besides.
    """
    recorded = {one.name: one for one in (*RECORDED, *MORE) if (SHARED / one.file).exists()}
    made: list[tuple[str, Callable[[], Case]]] = [(name, partial(recorded_case, one)) for name, one in recorded.items()]
    made += [(one.name, partial(simulated_case, one)) for one in SIMULATED]
    made += [
        (f"drawn {WALKS[i % len(WALKS)]} {i}", partial(drawn_case, WALKS[i % len(WALKS)], i)) for i in range(n // 2)
    ]
    straight = [name for name in recorded if name not in (*TURNS, *FAULTY) and not recorded[name].slow]
    for names, count in ((straight, n - n // 2), ([name for name in TURNS if name in recorded], n // 4)):
        for i in range(count if names else 0):
            name = names[i % len(names)]
            made.append((f"{name}, drawn {i}", partial(varied_case, recorded[name], i)))
    return [(name, make) for name, make in made if re.search(pattern, name)]


def varied_case(recorded: Recorded, seed: int) -> Case:
    """A recorded trial as somebody of another size and weight would have done it, in another direction."""
    case, draw = recorded_case(recorded), np.random.default_rng((seed, 1))
    name = f"{case.name}, drawn {seed}"
    if not case.plates_used or (case.static is not None and case.static.scaled is not None):
        return replace(case, name=name)
    size, heavier = draw.uniform(0.85, 1.18), draw.uniform(0.85, 1.2)
    times, mass, R = np.sqrt(size), heavier * size**3, about(case.result.body.geometry.up_g, draw.uniform(0, 360))
    noise_m, noise_N = draw.uniform(0.1e-3, 0.5e-3), draw.uniform(0.2, 2.0)
    lever = np.array([1, 1, 1, 0.1, 0.1, 0.1])

    def measured(values: Mapping[str, float]) -> dict[str, float]:
        """Measurements of that person."""
        grown = ((LENGTHS, size), (MASSES, mass))
        return {k: v * next((by for ends, by in grown if k.lower().endswith(ends)), 1.0) for k, v in values.items()}

    def felt(plate: ForcePlate) -> ForcePlate:
        samples = np.concatenate([mass * plate.force_p, mass * size * plate.moment_p], axis=1)
        samples = samples + noise_N * lever * draw.standard_normal(samples.shape)
        return replace(
            plate,
            corners_g=size * plate.corners_g @ R.T,
            sensor_p=size * plate.sensor_p,
            rate_hz=plate.rate_hz / times,
            force_p=samples[:, :3],
            moment_p=samples[:, 3:],
            start_s=times * plate.start_s,
            R_gp=None if plate.R_gp is None else R @ plate.R_gp,
            centre_g=None if plate.centre_g is None else size * R @ plate.centre_g,
        )

    def taken(trial: Trial, turn: Array) -> Trial:
        points = size * trial.points_g @ turn.T
        points = points + noise_m * draw.standard_normal(points.shape)
        return replace_fields(
            trial,
            points_g=points,
            rate_hz=trial.rate_hz / times,
            parameters=measured(trial.parameters),
            plates=tuple(map(felt, trial.plates)),
            events=tuple(replace(event, time_s=times * event.time_s) for event in trial.events),
        )

    return replace(
        case,
        name=name,
        trial=taken(case.trial, R),
        subject=replace(case.subject, values=measured(case.subject.values)),
        static=None if case.static is None else replace_fields(taken(case.static, np.eye(3)), plates=()),
    )


def drawn_case(name: str, seed: int) -> Case:
    """A simulated trial of somebody drawn at random, in a laboratory drawn at random."""
    draw = np.random.default_rng((seed, len(name)))
    size, mass = draw.uniform(0.65, 1.12), draw.uniform(0.85, 1.25)
    # of another size the same motion is as fast as a pendulum
    scenario = _scaled(SCENARIOS[name], size, np.sqrt(size) * draw.uniform(0.97, 1.03))
    settings = WalkSettings(
        seed=seed + 1,
        rate_hz=float(draw.choice([100.0, 120.0, 200.0])),
        analog_rate_hz=float(draw.choice([600.0, 1200.0, 3000.0])),
        marker_noise_mm=draw.uniform(0.2, 0.8),
        force_noise_N=draw.uniform(0.3, 3.0),
        turn_deg=draw.uniform(0.0, 360.0),
        mirror=bool(draw.integers(2)),
        no_events=bool(draw.integers(2)),
    )
    walk = simulate_walk(settings, scenario, _sized(size, mass))
    case = case_of_walk(f"drawn {name} {seed}", walk)
    points = case.trial.points_g + _soft_tissue(case, walk.gait.pattern.stride_s, draw)
    return replace(case, trial=replace_fields(case.trial, points_g=points))


def _scaled(scenario: Scenario, size: float, times: float) -> Scenario:
    """A walk of somebody of another size, whose stride lasts `times` as long."""
    pattern, load = scenario.pattern, scenario.load

    def longer(series: Series) -> Series:
        amplitudes = (tuple(size * a for a in of) for of in (series.cosine, series.sine))
        cosine, sine = amplitudes
        return replace(series, mean=size * series.mean, cosine=cosine, sine=sine, planted=size * series.planted)

    lengths = ("forward", "lead", "up")
    pelvis = {key: longer(series) if key in lengths else series for key, series in pattern.pelvis.items()}
    speed = pattern.speed_m_per_s * size / times
    of_plate = ("ahead_m", "aside_m", "x_length_m", "y_length_m")  # sides too: plates that touch shall still touch
    places = tuple(
        replace(place, **{key: size * old for key in of_plate if (old := getattr(place, key)) is not None})
        for place in scenario.plates
    )
    return replace(
        scenario,
        pattern=replace(pattern, stride_s=times * pattern.stride_s, speed_m_per_s=speed, pelvis=pelvis),
        load=replace(load, **{key: tuple(size * v for v in getattr(load, key)) for key in ("along", "lateral")}),
        plates=places,
    )


def _sized(size: float, mass: float) -> Subject:
    """Somebody `size` times as tall, and `mass` times as heavy as that size has it."""
    who = Subject()
    lengths = ("height_m", "inter_asis_distance_m", "pelvis_depth_m", "psis_distance_m")
    of_leg = [key for key in vars(who.legs["left"]) if key.endswith("_m")]
    legs = {side: replace(leg, **{key: size * getattr(leg, key) for key in of_leg}) for side, leg in who.legs.items()}
    return replace(
        who, mass_kg=who.mass_kg * mass * size**2.5, legs=legs, **{key: size * getattr(who, key) for key in lengths}
    )


def _soft_tissue(case: Case, stride_s: float, draw: np.random.Generator) -> Array:
    """(frames, markers, 3) m, how markers move against bones in waves of the stride (configs/uncertainty/default)."""
    sources = read_sources("default")
    kinds = {"THI": "thigh", "KNE": "thigh", "TIB": "shank", "ANK": "shank", "HEE": "foot", "TOE": "foot"}
    phases = 2 * np.pi * case.trial.time_s[:, None] / stride_s
    amount = draw.uniform(0.0, 1.0)

    def waves() -> Array:
        total = np.zeros((case.trial.n_frames, 3))
        for k, share in enumerate(sources.harmonics, start=1):
            a, b = draw.standard_normal((2, 3)) * np.sqrt(share)
            total += a * np.cos(k * phases) + b * np.sin(k * phases)
        return total

    moves, together = np.zeros_like(case.trial.points_g), dict[str, Array]()
    for i, label in enumerate(case.trial.labels):
        kind = kinds.get(label[1:], "pelvis")
        tissue = sources.soft_tissue[kind]
        segment = f"{label[0]} {kind}" if label[1:] in kinds else kind
        if segment not in together:
            together[segment] = tissue.together_m * waves()
        moves[:, i] = amount * (together[segment] + tissue.each_m * waves())
    return moves
