"""A simulated foot of several segments with the markers of the Oxford Foot Model: hindfoot, forefoot and hallux.

The forefoot is the foot that carries the mass. The hindfoot turns against it about the heel marker, the hallux about
the head of the first metatarsal, by sines of the stride: legs, their markers and wrenches stay what they are. Axes of
segments are x forward, y left, z up, as the model's authors define them (Stebbins 2006); the markers lie such that the
hindfoot stands level in the static.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.simulate.body import SIDES, SIGN, Skeleton, Subject, foot_markers
from gaitid.simulate.jet import Array, Jet, apply, matmul, sin_cos, times_constant, turn

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
