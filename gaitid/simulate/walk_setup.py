"""From a scenario to a walk: when and where each foot stands, where the plates lie, how the body takes heel strikes.

A heel strike lasts so short that muscles do not answer it: what the ground gives then is taken by the inertia of foot,
shank, thigh and the rest of the body, and the joints give no moment for it. So the accelerations that go with a
transient are those that leave the moments about the joints' free axes as they would be without it, and that the rest of
the body, a point mass at the pelvis, has by its share. They are found from the exact wrenches themselves, which are
linear in them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gaitid.model.fields import Fields
from gaitid.numerics.jet import Array, Jet, constant, matmul, time_jet, turn, turn_matrix
from gaitid.simulate.body import LEG_ANGLES, MASS_FRACTION, SIDES, SIGN, Skeleton, Subject, hip_centre_p, pose
from gaitid.simulate.c3d_file import TOES_S, points_c3d, signed_bytes
from gaitid.simulate.loads import GRAVITY, IMPACT_S, FootLoad, Stance
from gaitid.simulate.motion import Gait, Yield
from gaitid.simulate.plates import Plate, felt
from gaitid.simulate.scenarios import SCENARIOS, Clock, Passage, Pivot, PlatePlace, Scenario, gait
from gaitid.simulate.settings import ChainSettings, WalkSettings, noisy_markers, parse_settings, with_gaps
from gaitid.simulate.truth import write_folder
from gaitid.simulate.walk import Walk, joint_wrenches

#: m. From where Davis' regression puts a hip: backward, outward and down, as regressions are off (Harrington 2007).
_HIP_OFF = np.array([-0.008, 0.006, -0.011])
#: m. Markers beside those of Plug-in Gait, on thigh and shank, from the distal joint's centre, in the segment's axes
#: (x forward, y outward, z up).
_THIGH_CLUSTER = {"THIB": np.array([-0.045, 0.080, 0.21]), "THID": np.array([0.020, 0.085, 0.12])}
_SHANK_CLUSTER = {"TIBF": np.array([0.055, 0.030, 0.24]), "TIBD": np.array([0.020, 0.050, 0.14])}
#: Arcs of the star, each there and back, before the circle.
_ARCS = 4
#: Share of the trial that the circle takes.
_CIRCLE = 0.3


@dataclass(frozen=True)
class FunctionalScenario:
    """What is recorded.

    Attributes
    ----------
    settings : ChainSettings
    name : str
    hip_deg : float
        The hip swings by so much each way in every plane.
    knee_deg : float
        The knee bends by so much.
    knee_markers_deg : float
        The knee's markers lie turned by so much about the thigh from its axis, the lateral one forward.
    """

    settings: ChainSettings
    name: str = "functional"
    hip_deg: float = 30.0
    knee_deg: float = 75.0
    knee_markers_deg: float = 8.0

    @property
    def subject(self) -> Subject:
        """Whose hips are not where Davis' regression puts them."""
        plain = Subject()
        hips = {side: hip_centre_p(plain, side) + _HIP_OFF * [1, SIGN[side], 1] for side in SIDES}
        return replace(plain, hips_p=hips)

    def trials(self) -> dict[str, dict[str, Array]]:
        """Markers of each trial, label to (frames, 3) array, m, by its name; ``static`` among them."""
        n = self.settings.times_s.size
        result = {"static": self._markers(Gait(self.subject, gait("walk")[0], "left", 0.0, 0.0).standing(n))}
        for side in SIDES:
            result[f"{side}_hip"] = self._markers(self._moved(n, side, *star_and_circle(n, np.radians(self.hip_deg))))
            bend = np.radians(self.knee_deg) * (1 - np.cos(2 * np.pi * 6 * np.arange(n) / n)) / 2
            result[f"{side}_knee"] = self._markers(self._moved(n, side, np.full(n, 0.6), np.zeros(n), bend))
        return result

    def truth(self) -> Mapping[str, Mapping[str, float]]:
        """Where each hip is, from the middle of the ASIS in the pelvis' axes, and how the knee's axis lies."""
        subject = self.subject
        truth: dict[str, Mapping[str, float]] = {}
        for side in SIDES:
            x, y, z = (1e3 * subject.hips_p[side] * [1, SIGN[side], 1]).tolist()
            truth[f"{side}_hip"] = {"forward_mm": x, "outward_mm": y, "up_mm": z}
            truth[f"{side}_knee"] = {"from_epicondylar_line_deg": self.knee_markers_deg}
        return truth

    def _moved(self, n: int, side: str, flexion: Array, adduction: Array, knee: Array | None = None) -> Skeleton:
        """The body with one leg moved; the pelvis gives way a little, as it does on one leg."""
        s = 2 * np.pi * np.arange(n) / n
        still = constant(np.zeros(n), 0)
        wanted = {
            "hip_flexion": flexion,
            "hip_adduction": adduction,
            "hip_internal_rotation": 0.1 * flexion,
            "knee_flexion": np.full(n, 0.05) if knee is None else knee,
        }
        legs: dict[str, dict[str, Jet]] = {other: dict.fromkeys(LEG_ANGLES, still) for other in SIDES}
        legs[side] |= {name: constant(values, 0) for name, values in wanted.items()}
        tilt = turn(1, constant(0.15 + 0.05 * np.sin(3 * s), 0))
        sway = matmul(turn(2, constant(0.05 * np.sin(s), 0)), turn(0, constant(0.06 * np.cos(2 * s), 0)))
        origin = np.stack([0.02 * np.sin(s), 0.02 * np.cos(s), 0.98 + 0.005 * np.sin(2 * s)], axis=1)
        return pose(self.subject, constant(origin, 0), matmul(sway, tilt), legs)

    def _markers(self, skeleton: Skeleton) -> dict[str, Array]:
        """The markers of Plug-in Gait, medial ones and two more on each thigh and shank."""
        markers = {label: jet.value for label, jet in skeleton.marker.items()}
        subject = self.subject
        for side in SIDES:
            letter, outward = side[0].upper(), np.array([1.0, SIGN[side], 1.0])
            thigh, shank = skeleton.rotation[f"{side}_thigh"].value, skeleton.rotation[f"{side}_shank"].value
            knee, ankle = (skeleton.point[f"{side}_{joint}"].value for joint in ("knee", "ankle"))
            half = 0.5 * (subject.legs[side].knee_width_m + subject.marker_diameter_m)
            turned = turn_matrix(2, -SIGN[side] * np.radians(self.knee_markers_deg))
            lateral = turned @ np.array([0.0, SIGN[side] * half, 0.0])
            markers |= {f"{letter}KNE": knee + thigh @ lateral, f"{letter}KNM": knee - thigh @ lateral}
            markers[f"{letter}MED"] = 2 * ankle - markers[f"{letter}ANK"]
            markers |= {f"{letter}{name}": knee + thigh @ (p * outward) for name, p in _THIGH_CLUSTER.items()}
            markers |= {f"{letter}{name}": ankle + shank @ (p * outward) for name, p in _SHANK_CLUSTER.items()}
        return markers


def star_and_circle(n: int, reach_rad: float) -> tuple[Array, Array]:
    """(n,) flexion and adduction, rad: arcs through the middle in several planes, then once around (star-arc)."""
    at = np.arange(n) / n
    arc = np.minimum(at / (1 - _CIRCLE), 1.0) * _ARCS
    way = np.minimum(np.floor(arc), _ARCS - 1) * np.pi / _ARCS
    swing = reach_rad * np.sin(2 * np.pi * arc)
    around = 2 * np.pi * np.clip((at - 1 + _CIRCLE) / _CIRCLE, 0.0, 1.0)
    circling = at >= 1 - _CIRCLE
    flexion = np.where(circling, reach_rad * np.sin(around), swing * np.cos(way))
    # out from the middle and back into it
    reach = reach_rad * np.sin(around / 2) ** 0.5
    adduction = np.where(circling, reach * np.cos(around), swing * np.sin(way))
    return np.where(circling, reach * np.sin(around), flexion), adduction


def parse_functional(top: Fields, name: str, overrides: Mapping[str, Any]) -> FunctionalScenario:
    """What a file of kind ``functional`` says; `overrides` are settings that win over the file's."""
    top.text("title", "")
    degrees = {
        key: top.number(key, default, 0.0, most)
        for key, default, most in (("hip_deg", 30.0, 60.0), ("knee_deg", 75.0, 130.0), ("knee_markers_deg", 8.0, 45.0))
    }
    settings = parse_settings(top.mapping("settings", {}), ChainSettings, overrides)
    top.done()
    top.faults.raise_if_any()
    return FunctionalScenario(settings(), name, **degrees)


def write_functional(scenario: FunctionalScenario, folder: Path) -> tuple[Path, ...]:
    """Write every trial of a scenario, and the truth, into a folder (made where absent), all of them or none."""
    settings, noise = scenario.settings, np.random.default_rng(int(scenario.settings.seed))
    trials = {name: noisy_markers(markers, settings, noise) for name, markers in scenario.trials().items()}
    trials = {name: markers if name == "static" else with_gaps(markers, settings) for name, markers in trials.items()}
    files = {f"{name}.c3d": signed_bytes(points_c3d(markers, settings.rate_hz)) for name, markers in trials.items()}
    truth = json.dumps(scenario.truth(), indent=2) + "\n"
    return write_folder(folder, {**files, f"{scenario.name}.truth.json": truth})


#: What gives way: angles of the leg and the pelvis along the three axes of the laboratory.
FREE_ANGLES = ("hip_flexion", "hip_adduction", "knee_flexion", "ankle_dorsiflexion")


class _Accelerating(Yield):
    """The same with accelerations instead of changes of rates, and nothing else."""

    def course(self, times_s: ArrayLike, order: int) -> Jet:
        return Jet(np.stack([np.full(np.shape(times_s), float(k == 2)) for k in range(order + 1)]))


def _yield(gait: Gait, stance: Stance, load: FootLoad, peak_N: float) -> Yield:
    """How the body gives way to the transient of `with_impact` of one stance.

    `gait` does not give way yet; `load` is that of the stance's foot at the instant of the transient's peak, (1,),
    without the transient.
    """
    centre_s = stance.on_s + 0.5 * IMPACT_S
    struck = replace(load, force_g=load.force_g + np.array([0.0, 0.0, 1.0]))
    rest_kg = gait.subject.mass_kg * (1.0 - sum(MASS_FRACTION.values()))

    def needed(load: FootLoad, which: int = -1) -> Array:
        """Moments about the free axes and force on the rest of the body, with one more coordinate giving way."""
        unit = np.zeros(3 + len(FREE_ANGLES))
        if which >= 0:
            unit[which] = 1.0
        angles = dict(zip(FREE_ANGLES, unit[3:].tolist(), strict=True))
        given = _Accelerating(stance.side, centre_s, angles, unit[:3])
        skeleton = replace(gait, yields=(given,)).walking(np.array([centre_s]))
        wrench = joint_wrenches(gait.subject, skeleton, dict.fromkeys(("left", "right"), load))
        side = stance.side
        about = [float(wrench[side, joint][1][0] @ axis) for joint, axis in _axes(skeleton, side)]
        return np.concatenate([wrench[side, "hip"][0][0] + rest_kg * unit[:3], about])

    now = needed(load)
    response = np.stack([needed(load, k) - now for k in range(len(now))], axis=1)
    per_N = np.linalg.solve(response, now - needed(struck))
    # the transient is peak · 3/2 of a cubic B-spline on quarters of its duration
    change: Array = np.asarray(per_N * (peak_N * 1.5 * IMPACT_S / 4.0), dtype=np.float64)
    return Yield(stance.side, centre_s, dict(zip(FREE_ANGLES, change[3:].tolist(), strict=True)), change[:3])


def _axes(skeleton: Skeleton, side: str) -> list[tuple[str, Array]]:
    """The axes about which each of `FREE_ANGLES` turns, laboratory axes."""
    pelvis, thigh, shank = (skeleton.rotation[n].value[0] for n in ("pelvis", f"{side}_thigh", f"{side}_shank"))
    return [("hip", pelvis[:, 1]), ("hip", thigh[:, 0]), ("knee", thigh[:, 1]), ("ankle", shank[:, 1])]


#: What a sensor's origin looks like in a Nexus file: 40 mm under the surface, a little off its centre.
_SENSORS_P = (np.array([0.0007, -0.0005, 0.0400]), np.array([-0.0012, 0.0008, 0.0410]))
#: Instants at which a stance is asked for its plates.
_LOOKS = 61


def simulate_walk(
    settings: WalkSettings | None = None, scenario: str | Scenario = "walk", who: Subject | None = None
) -> Walk:
    """Set up a walk.

    Parameters
    ----------
    settings : WalkSettings, optional
        The default ones where it is left out.
    scenario : str or Scenario, optional
        One of `SCENARIOS` by its name, or another; by default two clean stances on two plates in the middle,
        all other steps on bare floor.
    who : Subject, optional
        Who walks; the default one where it is left out.

    Returns
    -------
    Walk
    """
    chosen = WalkSettings() if settings is None else settings
    what = SCENARIOS[scenario] if isinstance(scenario, str) else scenario
    pattern = what.pattern
    subject, lead = Subject() if who is None else who, "left"
    if chosen.segments and subject.toes_s is None:
        subject = replace(subject, toes_s=TOES_S)
    if chosen.mirror:
        subject, lead = subject.mirrored(), "right"
    # Centre the steps of interest in the trial.
    span = (0.5 * (what.steps - 1) + pattern.stance_fraction) * pattern.stride_s
    strike = 0.5 * chosen.duration - 0.5 * (what.clock.when(0.0) + what.clock.when(span))
    gait = Gait(subject, pattern, lead, strike, float(np.radians(chosen.turn_deg)), what.clock)
    gait = replace(gait, passage=_passage(what, gait))
    stances = _stances(gait, chosen)
    sensors_p = _sensors(len(what.plates), int(chosen.plate_seed))
    plates = tuple(_plate(place, gait, SIGN[lead], i + 1, sensors_p[i]) for i, place in enumerate(what.plates))
    visits = tuple(_visit(plates[visit.plate - 1], gait, visit.strike_s) for visit in what.visits)
    walk = Walk(chosen, gait, stances, plates, what, visits)
    walk = replace(walk, stances=tuple(_on_plates(walk, stance) for stance in stances))
    return _giving_way(walk) if chosen.impact_bw and chosen.impact_absorbed else walk


def _giving_way(walk: Walk) -> Walk:
    """The walk whose body gives way to its heel strikes."""
    soft = replace(walk, settings=replace(walk.settings, impact_bw=0.0))
    peak_N = walk.settings.impact_bw * walk.settings.impact_absorbed * walk.subject.mass_kg * GRAVITY
    yields = []
    for stance in walk.stances:
        load = soft.loads(np.array([stance.on_s + 0.5 * IMPACT_S]))[stance.side]
        if load.stance[0] >= 0:
            yields.append(_yield(walk.gait, stance, load, peak_N))
    return replace(walk, gait=replace(walk.gait, yields=tuple(yields)))


def _passage(what: Scenario, gait: Gait) -> Passage:
    """Pivots about the feet that stand, while the other foot is in the air."""
    pattern, hand = gait.pattern, SIGN[gait.lead]
    pivots = []
    for step, angle_deg in what.pivots_deg:
        strike_s = 0.5 * step * pattern.stride_s
        alone = (strike_s + (pattern.stance_fraction - 0.5) * pattern.stride_s, strike_s + 0.5 * pattern.stride_s)
        toe = gait.heading.T @ _footprints(gait, [step])[0][1]
        start, end = (what.clock.when(t) for t in alone)
        pivots.append(Pivot(start, end, hand * float(np.radians(angle_deg)), (float(toe[0]), float(toe[1]))))
    belt = pattern.speed_m_per_s if what.belt else 0.0
    return Passage(belt, tuple(pivots), float(np.radians(what.slope_deg)))


def _side(gait: Gait, step: int) -> str:
    other = "right" if gait.lead == "left" else "left"
    return other if step % 2 else gait.lead


def _on_s(gait: Gait, step: int) -> float:
    """Pattern time at which a step's load begins."""
    return gait.strike_s + 0.5 * step * gait.pattern.stride_s


def _footprints(gait: Gait, steps: Sequence[int]) -> list[tuple[Array, Array]]:
    """Under the HEE and TOE markers while each step's foot is flat, on the resting walkway, laboratory axes, m."""
    resting = replace(gait, clock=Clock(), passage=Passage())
    flat_s = [_on_s(gait, step) + gait.pattern.flat_fraction * gait.pattern.stride_s for step in steps]
    marker = resting.walking(np.array(flat_s), order=0).marker
    on_floor = np.array([1.0, 1.0, 0.0])
    result = []
    for i, step in enumerate(steps):
        letter = _side(gait, step)[0].upper()
        heel, toe = (marker[f"{letter}{label}"].value[i] * on_floor for label in ("HEE", "TOE"))
        result.append((heel, toe))
    return result


def _stances(gait: Gait, settings: WalkSettings) -> tuple[Stance, ...]:
    last = settings.times_s[-1]
    half = 0.5 * gait.pattern.stride_s
    steps = (gait.pattern_s(settings.times_s[[0, -1]]) - gait.strike_s) / half
    within: dict[int, tuple[float, float, tuple[float, float]]] = {}
    for step in range(int(np.floor(steps.min())) - 3, int(np.ceil(steps.max())) + 2):
        begin = _on_s(gait, step)
        course = (begin, begin + gait.pattern.stance_fraction * gait.pattern.stride_s)
        ends = [gait.strike_s + gait.clock.when(t - gait.strike_s) for t in course]
        on, off = course if gait.clock.plain else sorted(ends)
        if off > 0.0 and on < last:
            within[step] = (on, off, course)
    prints = _footprints(gait, [*within])
    stances = [
        Stance(_side(gait, step), *times, *under, gait.heading[:, 0])
        for (step, times), under in zip(within.items(), prints, strict=True)
    ]
    return tuple(sorted(stances, key=lambda stance: stance.on_s))


def _sensors(n: int, seed: int) -> list[Array]:
    """The origins of the sensors of n plates, plate axes, m."""
    if not seed:
        return [_SENSORS_P[i % len(_SENSORS_P)] for i in range(n)]
    draw = np.random.default_rng(seed)
    return list(draw.uniform([-0.005, -0.005, 0.020], [0.005, 0.005, 0.070], (n, 3)))


def _plate(place: PlatePlace, gait: Gait, hand: float, number: int, sensor_p: Array) -> Plate:
    """A plate in its place; its centre lies on full millimetres of the walkway."""
    heading = gait.heading
    heel = np.zeros(3)
    if place.step is not None:
        flat = gait.clock.when((0.5 * place.step + gait.pattern.flat_fraction) * gait.pattern.stride_s)
        carried, start = Passage(pivots=gait.passage.pivots).at(time_jet([flat], 0))
        heel = carried.value[0] @ (heading.T @ _footprints(gait, [place.step])[0][0]) + start.value[0]
    centre = heel + np.array([place.ahead_m, 0.0, 0.0])
    if place.aside_m is not None:
        centre[1] = hand * place.aside_m
    turned = turn_matrix(2, gait.yaw_rad + hand * float(np.radians(place.turned_deg)))
    # z points down: x × y
    x, y = turned @ np.array([0.5 * place.x_length_m, 0.0, 0.0]), turned @ np.array([0.0, -0.5 * place.y_length_m, 0.0])
    centre_g = heading @ np.round(centre, 3)
    corners_g = np.stack([centre_g + x + y, centre_g - x + y, centre_g - x - y, centre_g + x - y])
    if gait.passage.slope_rad:
        corners_g = corners_g @ (heading @ gait.passage.slope @ heading.T).T
    return Plate(number, corners_g, sensor_p)


def _visit(plate: Plate, gait: Gait, strike_s: float) -> Stance:
    """A right foot in the middle of a plate, against the walking direction."""
    way = -gait.heading[:, 0]
    heel = plate.centre_g - 0.12 * way
    on = gait.strike_s + strike_s
    off = on + gait.pattern.stance_fraction * gait.pattern.stride_s
    return Stance("right", on, off, (on, off), heel, heel + 0.19 * way, way)


def _on_plates(walk: Walk, stance: Stance) -> Stance:
    """The stance with the plates that feel it."""
    times = np.linspace(stance.on_s, stance.off_s, _LOOKS)[1:-1]
    load = walk.loads(times)[stance.side]
    shares = {plate.number: felt(plate, load)[1] for plate in walk.plates}
    total = sum(shares.values(), np.zeros(times.size))
    touched = tuple(number for number, share in shares.items() if share.any())
    return replace(stance, plates=touched, all_on_plates=bool(touched) and bool((total > 1.0 - 1e-9).all()))
