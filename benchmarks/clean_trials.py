"""Trials with sound plates and clocks, of which nobody is to accuse one: recorded, and simulated at random.

What is drawn is what differs between laboratories and people: size, mass, cadence, how far somebody turns, where the
walk goes, noise of markers and plates, soft tissue.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent)]

from attack_trials import (  # noqa: E402
    RECORDED,
    SIMULATED,
    Case,
    Recorded,
    case_of_walk,
    recorded_case,
    replace_fields,
    simulated_case,
)
from shared_trials import SHARED  # noqa: E402

from gaitid.simulate.body import Subject  # noqa: E402
from gaitid.simulate.scenarios import SCENARIOS, Scenario, Series  # noqa: E402
from gaitid.simulate.settings import WalkSettings  # noqa: E402
from gaitid.simulate.walk_setup import simulate_walk  # noqa: E402
from gaitid.trial import Array  # noqa: E402
from gaitid.uncertainty.sources import read_sources  # noqa: E402

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
#: Recorded trials that are accused with reason: they are listed, and not counted.
FAULTY = {
    "pig_old/walk": "moments are stored in N·mm, in a file that says N·m",
    "padua_clusters/walk": "the free moment of plate 1 is the force times 96 mm: five times what a foot can",
}
#: Walks and turns: a scenario for each, in turn; most are plain, as in laboratories.
WALKS = ("walk", "walk", "walk", "over_edge", "walk", "across_plates", "walk", "split_belt", "walk", "run")
TURNS = ("turn",)


def clean_trials(n: int, pattern: str = "") -> list[tuple[str, Callable[[], Case]]]:
    """Names of all trials that fit and how each is made: recorded, those of `attacks.py`, n walks and n / 4 turns."""
    made: list[tuple[str, Callable[[], Case]]] = [
        (one.name, partial(recorded_case, one)) for one in (*RECORDED, *MORE) if (SHARED / one.file).exists()
    ]
    made += [(one.name, partial(simulated_case, one)) for one in SIMULATED]
    for kind, scenarios, count in (("walk", WALKS, n), ("turn", TURNS, n // 4)):
        made += [(f"drawn {kind} {i}", partial(drawn_case, scenarios[i % len(scenarios)], i)) for i in range(count)]
    return [(name, make) for name, make in made if re.search(pattern, name)]


def drawn_case(name: str, seed: int) -> Case:
    """A simulated trial of somebody drawn at random, in a laboratory drawn at random."""
    draw = np.random.default_rng((seed, len(name)))
    size, mass = draw.uniform(0.65, 1.12), draw.uniform(0.85, 1.25)
    # of one size the same motion is as fast as a pendulum; where the load is computed from it, it may be slower. Trunk
    # and arms have one size only, and do not lean into a turn
    full_body = name in ("walk", "over_edge") and size > 0.9 and draw.random() < 0.7
    slower = draw.uniform(0.9, 1.3) if full_body else draw.uniform(0.97, 1.03)
    scenario = _scaled(SCENARIOS[name], size, np.sqrt(size) * slower)
    sharper = draw.uniform(0.3, 1.25)
    scenario = replace(scenario, pivots_deg=tuple((step, sharper * deg) for step, deg in scenario.pivots_deg))
    settings = WalkSettings(
        seed=seed + 1,
        rate_hz=float(draw.choice([100.0, 120.0, 200.0])),
        analog_rate_hz=float(draw.choice([600.0, 1200.0, 3000.0])),
        marker_noise_mm=draw.uniform(0.2, 1.0),
        force_noise_N=draw.uniform(0.3, 3.0),
        turn_deg=draw.uniform(0.0, 360.0),
        mirror=bool(draw.integers(2)),
        no_events=bool(draw.integers(2)),
        full_body=full_body,
    )
    who = _sized(size, mass)
    walk = simulate_walk(settings, scenario, who)
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
