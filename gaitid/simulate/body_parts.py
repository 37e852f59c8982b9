"""Trunk, head and arms of a simulated walk, and the ground's load that the whole body's motion asks for.

The trunk bends and turns against the pelvis, arms swing against the legs; every angle is a sine of the stride, so that
velocities and accelerations are exact. Masses and centres of mass are Dempster's (Winter 2009, table 4.1): the trunk's
is half way from the middle of the hips to the middle of the shoulders. Markers are Plug-in Gait's, placed the opposite
way to how a model finds the joints from them: those of elbow, wrist and hand about their joints' centres, the acromion
above the shoulder by 17 % of the distance of both (Rab 2002).

With them the body is whole, and what both feet take together follows from its motion:  Σ F = Σ m_i (a_i − g). Euler
does not hold: feet press where they did, and the change of angular momentum asks for up to 0.5 m beside them. No wrench
of a leg is wrong by that, but `--estimate-loads` finds that something else carries this body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gaitid.errors import GaitidError
from gaitid.numerics.jet import Array, Jet, apply, matmul, sin_cos, times_constant, turn
from gaitid.simulate.body import MASS_FRACTION, SEGMENTS, SIDES, SIGN, Skeleton, Subject, foot_markers
from gaitid.simulate.loads import GRAVITY, FootLoad

#: Of the body's mass (Winter 2009, table 4.1).
UPPER_MASS_FRACTION: Mapping[str, float] = {
    "trunk": 0.497,
    "head": 0.081,
    "upper_arm": 0.028,
    "forearm": 0.016,
    "hand": 0.006,
}
#: Horizontal over vertical force that rubber holds on a dry floor.
FRICTION = 0.8
#: Centre of mass from the proximal end, as a fraction of the length.
UPPER_COM_FRACTION: Mapping[str, float] = {"upper_arm": 0.436, "forearm": 0.430, "hand": 0.506}
# m. From the lumbar joint to the middle of the shoulders, between them, and along the arm.
_SHOULDERS_UP, _SHOULDERS_BACK, _HALF_WIDTH = 0.40, 0.01, 0.18
_LENGTH = {"upper_arm": 0.29, "forearm": 0.26, "hand": 0.085}
# m, pelvis axes: the lumbar joint from the middle of the ASIS.
_LUMBAR_P = (-0.07, 0.0, 0.03)
# m, thorax axes, from the middle of the shoulders: z runs from the middle of T10 and STRN to that of C7 and CLAV, x to
# the front.
_THORAX_T = {
    "C7": (-0.07, 0.0, 0.05),
    "CLAV": (0.07, 0.0, 0.01),
    "T10": (-0.07, 0.0, -0.19),
    "STRN": (0.07, 0.0, -0.17),
}
_HEAD_T = (0.03, 0.0, 0.19)


def with_upper_body(skeleton: Skeleton, phase: Jet, lead: str) -> Skeleton:
    """The skeleton with trunk, head and arms.

    Parameters
    ----------
    skeleton : Skeleton
    phase : Jet (times,), rad
        Of the stride of the side that leads.
    lead : str
        That side.
    """
    sg = SIGN[lead]
    rotation, point = dict(skeleton.rotation), dict(skeleton.point)
    com, marker = dict(skeleton.com), dict(skeleton.marker)
    pelvis, origin = rotation["pelvis"], point["pelvis"]
    once, twice = sin_cos(phase)[0], sin_cos(phase * 2.0)[1]
    # leans forward by 4° on average, bends to the standing leg and turns against the pelvis
    thorax = matmul(
        matmul(matmul(pelvis, turn(1, twice * 0.02 - 0.05)), turn(0, once * (sg * 0.06))), turn(2, once * (sg * 0.14))
    )
    shoulders = origin + apply(pelvis, _LUMBAR_P) + apply(thorax, [-_SHOULDERS_BACK, 0.0, _SHOULDERS_UP])
    hips = (point["left_hip"] + point["right_hip"]) * 0.5
    head = shoulders + apply(thorax, _HEAD_T)
    rotation["thorax"] = thorax
    com |= {"trunk": (shoulders + hips) * 0.5, "head": head}
    marker |= {label: shoulders + apply(thorax, place) for label, place in _THORAX_T.items()}
    for side in SIDES:
        letter, s = side[0].upper(), SIGN[side]
        swing = once if side == lead else once * -1.0
        shoulder = shoulders + apply(thorax, [0.0, s * _HALF_WIDTH, 0.0])
        arm = matmul(thorax, matmul(turn(0, phase * 0.0 + s * 0.12), turn(1, swing * 0.30 + 0.05)))
        lower = matmul(arm, turn(1, swing * 0.12 - 0.35))
        marker[f"{letter}SHO"] = shoulder + apply(thorax, [0.0, 0.0, 0.17 * 2 * _HALF_WIDTH])
        start = shoulder
        for segment, R in (("upper_arm", arm), ("forearm", lower), ("hand", lower)):
            end = start + apply(R, [0.0, 0.0, -_LENGTH[segment]])
            com[f"{side}_{segment}"] = start + (end - start) * UPPER_COM_FRACTION[segment]
            rotation[f"{side}_{segment}"] = R
            point[f"{side}_{_JOINT_OF[segment]}"] = start
            start = end
            if segment == "upper_arm":
                marker[f"{letter}ELB"] = end
            elif segment == "forearm":
                for label, y in ((f"{letter}WRA", -s * 0.03), (f"{letter}WRB", s * 0.03)):
                    marker[label] = end + apply(R, [0.0, y, 0.0])
            else:
                marker[f"{letter}FIN"] = end
        for label, x in ((f"{letter}FHD", 0.08), (f"{letter}BHD", -0.08)):
            marker[label] = head + apply(thorax, [x, s * 0.07, 0.0])
    return Skeleton(rotation, point, com, marker)


_JOINT_OF = {"upper_arm": "shoulder", "forearm": "elbow", "hand": "wrist"}


def mass_fractions() -> dict[str, float]:
    """Of every segment of the whole body by its name in `Skeleton.com`; they sum to one."""
    middle = {name: UPPER_MASS_FRACTION[name] for name in ("trunk", "head")}
    arms = {f"{side}_{name}": UPPER_MASS_FRACTION[name] for side in SIDES for name in UPPER_COM_FRACTION}
    return middle | arms | {f"{side}_{name}": MASS_FRACTION[name] for side in SIDES for name in SEGMENTS}


def whole_com(skeleton: Skeleton) -> Jet:
    """The whole body's centre of mass (times, 3), m, laboratory axes."""
    parts = [skeleton.com[name] * share for name, share in mass_fractions().items()]
    return sum(parts[1:], parts[0])


def asked_loads(loads: Mapping[str, FootLoad], com: Jet, mass_kg: float) -> dict[str, FootLoad]:
    """Loads whose sum is what the whole body's motion asks for, shared by the feet as their vertical forces were.

    A foot alone on the ground takes all of it; pressure and free moment stay where they were.

    Raises
    ------
    GaitidError
        Both feet are in the air, where the motion must fall freely, and this one does not; or a horizontal force that
        no floor holds (a turn of a body that does not lean into it).
    """
    total_N = mass_kg * (com.d[2] + np.array([0.0, 0.0, GRAVITY]))
    vertical = {side: load.force_g[:, 2] for side, load in loads.items()}
    both: Array = np.sum(list(vertical.values()), axis=0)
    if not (both > 0).all():
        raise GaitidError(
            "cannot simulate: full_body asks for a foot on the ground at all times",
            found=f"none in {int((both <= 0).sum())} of {both.size} instants",
            todo="leave out --full-body, or take a scenario that walks",
        )
    sideways = float((np.linalg.norm(total_N[:, :2], axis=1) / total_N[:, 2]).max())
    if sideways > FRICTION:
        raise GaitidError(
            "cannot simulate: the motion of this full_body asks for more grip than a floor has",
            expected=f"horizontal over vertical force up to {FRICTION:g}",
            found=f"{sideways:.2f}",
            todo="leave out --full-body, or take another scenario",
        )
    share = {side: np.divide(force, both, out=np.zeros_like(both), where=both > 0) for side, force in vertical.items()}
    return {side: replace(load, force_g=share[side][:, None] * total_N) for side, load in loads.items()}


# m, foot axes (x up, y toward the outer edge, z toward the heel), from the heel marker or, of the forefoot, from TOE.
_HINDFOOT: Mapping[str, tuple[float, float, float]] = {
    "CPG": (0.015, 0.002, 0.045),
    "LCA": (0.004, 0.024, -0.036),
    "STL": (0.006, -0.026, -0.034),
}
_FOREFOOT: Mapping[str, tuple[float, float, float]] = {
    "P1M": (0.024, -0.022, 0.062),
    "D1M": (-0.014, -0.042, 0.006),
    "D5M": (-0.022, 0.046, 0.030),
}
# m. From the heel marker forward, and square to the hindfoot's plane outward, to the base of the fifth metatarsal: at
# the height of the heel marker, which the static's level axis then runs along.
_MT5_BASE = (0.112, 0.038)
_HALLUX_M, _TOP_M = 0.055, 0.040


def with_segmented_foot(skeleton: Skeleton, subject: Subject, phase: Jet, lead: str) -> Skeleton:
    """The skeleton with hindfoot, forefoot and hallux of both feet.

    Parameters
    ----------
    skeleton : Skeleton
    subject : Subject
    phase : Jet (times,), rad
        Of the stride of the side that leads.
    lead : str
        That side.
    """
    rotation, marker = dict(skeleton.rotation), dict(skeleton.marker)
    once, twice = sin_cos(phase)[0], sin_cos(phase * 2.0)[0]
    for side in SIDES:
        sg, letter = SIGN[side], side[0].upper()
        foot, ankle = rotation[f"{side}_foot"], skeleton.point[f"{side}_ankle"]
        swing = once if side == lead else once * -1.0
        places, hind, fore = _at_rest(subject, side)
        # in foot axes: about y the arch, about x to the side, about z along the foot
        bend = matmul(turn(1, swing * 0.09), matmul(turn(0, twice * (0.06 * sg)), turn(2, swing * (0.05 * sg))))
        hindfoot = matmul(foot, bend)
        heel = marker[f"{letter}HEE"]
        marker |= {f"{letter}{n}": heel + apply(hindfoot, places[n] - places["HEE"]) for n in (*_HINDFOOT, "PCA")}
        marker |= {f"{letter}{n}": ankle + apply(foot, places[n]) for n in (*_FOREFOOT, "P5M")}
        rotation[f"{side}_hindfoot"] = times_constant(hindfoot, hind)
        rotation[f"{side}_forefoot"] = forefoot = times_constant(foot, fore)
        rotation[f"{side}_hallux"] = hallux = matmul(forefoot, turn(1, swing * -0.25 + swing * twice * -0.08))
        marker[f"{letter}HLX"] = marker[f"{letter}D1M"] + apply(hallux, [_HALLUX_M, 0.0, 0.0])
    return Skeleton(rotation, skeleton.point, skeleton.com, marker)


def arch_columns(subject: Subject, n: int) -> dict[str, dict[str, Array]]:
    """Height of the first metatarsal's base over the plane of first and fifth head and fifth base, mm, and in % of the
    foot's length.
    """
    columns = {}
    for side in SIDES:
        at, _, _ = _at_rest(subject, side)
        normal = _unit(np.cross(at["D5M"] - at["D1M"], at["P5M"] - at["D1M"]))
        height_m = abs((at["P1M"] - at["D1M"]) @ normal)
        columns[side] = {
            f"{side}_arch_height_mm": np.full(n, 1e3 * height_m),
            f"{side}_arch_height_index": np.full(n, 100 * height_m / subject.length_m(side, "foot")),
        }
    return columns


def _at_rest(subject: Subject, side: str) -> tuple[dict[str, Array], Array, Array]:
    """Markers from the ankle, m, and the axes of hindfoot and forefoot, (3, 3), in foot axes, of a foot at rest."""
    sg, letter = SIGN[side], side[0].upper()
    own = foot_markers(subject, side)
    at = {"HEE": own[f"{letter}HEE"], "TOE": own[f"{letter}TOE"]}
    out = np.array([1.0, sg, 1.0])
    at |= {name: at["HEE"] + out * place for name, place in _HINDFOOT.items()}
    at |= {name: at["TOE"] + out * place for name, place in _FOREFOOT.items()}
    # the middle of the calcaneus, its top and the heel lie in one plane with the foot's long axis
    forward = np.array([0.0, 0.0, -1.0])
    middle = 0.5 * (at["LCA"] + at["STL"]) - at["HEE"]
    at["PCA"] = at["HEE"] + _TOP_M * _unit(middle - (middle @ forward) * forward)
    across = _unit(np.cross(at["PCA"] - at["HEE"], forward))  # to the left
    ahead, outward = _MT5_BASE
    at["P5M"] = at["HEE"] + ahead * forward + outward * sg * across
    hind = np.column_stack([forward, across, np.cross(forward, across)])
    # forefoot: from the bases to TOE, both dropped on the plane of the heads and the base of the fifth
    left = sg * (at["D5M"] - at["D1M"])
    normal = _unit(np.cross(at["P5M"] - at["D1M"], left))
    toe, base = (at[name] - ((at[name] - at["D1M"]) @ normal) * normal for name in ("TOE", "P1M"))
    length = float(np.linalg.norm(at["P5M"] - base))
    back = base + (0.5 - subject.marker_diameter_m / (4 * length)) * (at["P5M"] - base)
    x = _unit(toe - back)
    z = _unit(np.cross(x, left))
    return at, hind, np.column_stack([x, np.cross(z, x), z])


def _unit(v: Array) -> Array:
    return np.asarray(v / np.linalg.norm(v))
