"""Force plates from C3D parameters and analog channels: the reaction on the subject, in plate axes, SI units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from reprlib import repr as short
from typing import Any

import numpy as np

from gaitid.errors import ReadError
from gaitid.read.units import FORCE_N, LENGTH_M, MOMENT_NM, factor
from gaitid.trial import Array, ForcePlate

# A sample counts as loaded, for finding the sense of the channels, above this vertical force, N: more than a knock or
# a bias, less than a small child.
LOADED_N = 100.0
# Corners of a rectangle close it, |c1 − c2 + c3 − c4| = 0, m: surveys miss by millimetres, a wrong corner by more.
CLOSES_M = 0.010
# Surfaces that share more than this of the smaller one, at the same height to within `_LEVEL_M`, are no two plates.
_OVERLAP = 0.2
_LEVEL_M = 0.05
# Farther from the surface than this, m, no plate has its sensor.
_ORIGIN_M = 1.0

Parameters = Mapping[str, Mapping[str, Any]]


def plates_from_channels(
    parameters: Parameters, analog: Array, rate_hz: float
) -> tuple[tuple[ForcePlate, ...], dict[int, str], list[str]]:
    """Every plate that can be read, why the others cannot, and what was assumed.

    Parameters
    ----------
    parameters : mapping
        ezc3d's parameters.
    analog : (channels, samples) array
        Scaled analog data.
    rate_hz : float
        Of the analog samples.

    Returns
    -------
    plates : tuple of ForcePlate
    refused : dict of plate number to reason
    warnings : list of str
    """
    group = {k: v["value"] for k, v in parameters.get("FORCE_PLATFORM", {}).items() if k != "__METADATA__"}
    warnings: list[str] = []
    used = _used(group, warnings)
    plates: list[ForcePlate] = []
    channels: dict[int, Sequence[int]] = {}
    refused: dict[int, str] = {}
    for index in range(used):
        number = index + 1
        try:
            wired = _channels(index, group, analog.shape[0])
            plates.append(_plate(index, group, parameters, analog, wired, rate_hz, warnings))
            channels[number] = wired
        except ReadError as error:
            refused[number] = error.line()
    for one, other, why in _conflicts(plates, channels):
        # Nothing says which of the two is right.
        refused.setdefault(one, f"plates {one} and {other} {why}")
        refused.setdefault(other, f"plates {one} and {other} {why}")
    warnings += [f"plate {number} is not used: {reason}" for number, reason in sorted(refused.items())]
    return tuple(p for p in plates if p.number not in refused), refused, warnings


def _used(group: Mapping[str, Any], warnings: list[str]) -> int:
    """How many plates the file describes: ``USED``, but no more than ``TYPE`` has entries."""
    used = group.get("USED", np.zeros(1))
    if np.size(used) == 0:
        return 0
    if not isinstance(used, np.ndarray) or not np.isfinite(used.flat[0]) or used.flat[0] < 0:
        warnings.append(f"FORCE_PLATFORM:USED is no number of plates ({short(used)}); no plate is read")
        return 0
    count, described = int(used.flat[0]), int(np.size(group.get("TYPE", ())))
    if count > described:
        warnings.append(
            f"FORCE_PLATFORM:USED says {count} plates, TYPE describes {described}; only these are looked at"
        )
    return min(count, described)


def _channels(index: int, group: Mapping[str, Any], n_channels: int) -> Sequence[int]:
    """The plate's six analog channels, from 0, of a plate type that can be read."""
    number = index + 1
    kind = _column(group, "TYPE", index, number)[0]
    if kind != 2:
        raise ReadError(f"plate type {kind:g} cannot be read yet", expected="type 2 (six channels in N and N·mm)")
    wired = _column(group, "CHANNEL", index, number)[:6]
    if wired.size < 6 or wired.min() < 1 or wired.max() > n_channels or (wired != np.rint(wired)).any():
        raise ReadError(
            "channel out of range",
            expected=f"six channels between 1 and {n_channels}",
            found=", ".join(f"{c:g}" for c in wired),
        )
    if len(set(wired.tolist())) < 6:
        raise ReadError(
            "a channel is given twice",
            expected="six different channels",
            found=", ".join(f"{c:g}" for c in wired),
        )
    return [int(c) - 1 for c in wired]


def _plate(
    index: int,
    group: Mapping[str, Any],
    parameters: Parameters,
    analog: Array,
    channels: Sequence[int],
    rate_hz: float,
    warnings: list[str],
) -> ForcePlate:
    number = index + 1
    length = factor(_unit_of_points(parameters), LENGTH_M, "POINT:UNITS")
    corners = group.get("CORNERS")
    if not isinstance(corners, np.ndarray) or corners.ndim != 3 or corners.shape[:2] != (3, 4):
        raise ReadError("no corners", expected="FORCE_PLATFORM:CORNERS of 3 × 4 × plates")
    corners_g = _column(group, "CORNERS", index, number).T * length
    area = np.linalg.norm(np.cross(corners_g[2] - corners_g[0], corners_g[3] - corners_g[1])) / 2
    # Plates are between a hand's and a room's size; anything else is a unit or a blank.
    if not 1e-3 < area < 50:
        raise ReadError("corners do not bound a plate", expected="0.001 to 50 m²", found=f"{area:.3g} m²")
    if (gap := closing_error(corners_g)) > CLOSES_M:
        raise ReadError(
            "corners are not those of a flat rectangle",
            expected=f"c1 − c2 + c3 − c4 within {CLOSES_M * 1e3:g} mm of 0",
            found=f"{gap * 1e3:.3g} mm",
        )
    origin = _column(group, "ORIGIN", index, number)[:3] * length
    if origin.size < 3 or np.linalg.norm(origin) > _ORIGIN_M:
        raise ReadError(
            "ORIGIN is not the place of a sensor",
            expected=f"three lengths of at most {_ORIGIN_M:g} m together",
            found=", ".join(f"{v:.3g}" for v in origin) + " m",
        )
    units = [_unit_of_channel(parameters, c) for c in channels]
    factors = np.array(
        [factor(u, FORCE_N, f"plate {number} force channel") for u in units[:3]]
        + [factor(u, MOMENT_NM, f"plate {number} moment channel") for u in units[3:]]
    )
    samples = analog[channels].T * factors
    if not np.isfinite(samples).all():
        raise ReadError("its channels hold values that are not numbers", todo="export the trial again")
    # z of the plate points down, so a reaction on the subject has f_z < 0: a plate cannot pull.
    loaded = np.abs(samples[:, 2]) > LOADED_N
    if loaded.any() and samples[loaded, 2].mean() > 0:
        samples = -samples
        warnings.append(
            f"plate {number}: its channels hold the action on the plate (positive downward); "
            "they were turned into the reaction on the subject"
        )
    return ForcePlate(
        number=number,
        kind=2,
        corners_g=corners_g,
        sensor_p=sensor_vector(origin, number, warnings),
        rate_hz=rate_hz,
        force_p=samples[:, :3],
        moment_p=samples[:, 3:],
    )


def _conflicts(plates: Sequence[ForcePlate], channels: Mapping[int, Sequence[int]]) -> list[tuple[int, int, str]]:
    """Pairs of plates that cannot both be right, and why: one load would be counted twice."""
    found = []
    for i, a in enumerate(plates):
        for b in plates[i + 1 :]:
            shared = sorted(set(channels[a.number]) & set(channels[b.number]))
            if shared:
                found.append((a.number, b.number, f"share channels: {', '.join(str(c + 1) for c in shared)}"))
            elif share := overlap(a.corners_g, b.corners_g):
                found.append((a.number, b.number, f"lie on each other: {share:.0%} of the smaller surface"))
    return found


def closing_error(corners_g: Array) -> float:
    """|c1 − c2 + c3 − c4|, m: 0 where the corners are those of a flat rectangle (or parallelogram)."""
    return float(np.linalg.norm(corners_g[0] - corners_g[1] + corners_g[2] - corners_g[3]))


def overlap(a: Array, b: Array) -> float:
    """Share of the smaller of two surfaces, (4, 3) corners each, that the other covers; 0 where that is little.

    0 also where `b` is not level with `a`: a step lies above the floor.
    """
    x, y = a[0] - a[1], a[0] - a[3]
    x = x / np.linalg.norm(x)
    z = np.cross(x, y) / np.linalg.norm(np.cross(x, y))
    axes = np.stack([x, np.cross(z, x), z], axis=1)
    a_2, b_3 = ((a - a[0]) @ axes)[:, :2], (b - a[0]) @ axes
    if np.abs(b_3[:, 2]).max() > _LEVEL_M:
        return 0.0
    piece, clip = _counter_clockwise(b_3[:, :2]), _counter_clockwise(a_2)
    smaller = min(_area(piece), _area(clip))
    # Sutherland and Hodgman (1974): cut one polygon along each edge of the other
    for start, end in zip(clip, np.roll(clip, -1, axis=0), strict=True):
        edge = end - start
        inside = edge[0] * (piece[:, 1] - start[1]) - edge[1] * (piece[:, 0] - start[0])
        kept: list[Array] = []
        for i in range(len(piece)):
            j = (i + 1) % len(piece)
            if inside[i] >= 0:
                kept.append(piece[i])
            if (inside[i] >= 0) != (inside[j] >= 0):
                kept.append(piece[i] + (piece[j] - piece[i]) * inside[i] / (inside[i] - inside[j]))
        if len(kept) < 3:
            return 0.0
        piece = np.array(kept)
    share = abs(_area(piece)) / smaller
    return share if share > _OVERLAP else 0.0


def _area(polygon: Array) -> float:
    x, y = polygon[:, 0], polygon[:, 1]
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def _counter_clockwise(polygon: Array) -> Array:
    return polygon if _area(polygon) > 0 else polygon[::-1]


def sensor_vector(origin: Array, number: int, warnings: list[str]) -> Array:
    """From the surface's centre to the sensor, in plate axes with z down, whichever way it was stored.

    Nexus stores that vector itself (z > 0), the C3D convention the opposite one (z < 0). A sensor lies below
    the surface, so the whole vector is turned where its z is negative.
    """
    if origin[2] < 0:
        warnings.append(f"plate {number}: ORIGIN points from the sensor to the surface (z < 0); it was turned")
        return -origin
    return origin


def _column(group: Mapping[str, Any], name: str, index: int, number: int) -> Array:
    """What the parameter says of one plate: finite numbers."""
    given = group.get(name, np.empty(0))
    if not isinstance(given, np.ndarray):
        raise ReadError(f"FORCE_PLATFORM:{name} is text", expected="numbers", todo="export the trial again")
    value = given.astype(float)
    if value.size == 0 or index >= value.shape[-1]:
        raise ReadError(f"FORCE_PLATFORM:{name} says nothing of plate {number}")
    column = np.atleast_1d(value[..., index])
    if not np.isfinite(column).all():
        raise ReadError(f"FORCE_PLATFORM:{name} is not finite", expected="numbers", todo="export the trial again")
    return column


def _unit_of_points(parameters: Parameters) -> str:
    value = parameters.get("POINT", {}).get("UNITS", {}).get("value", [""])
    return str(value[0]) if len(value) else ""


def _unit_of_channel(parameters: Parameters, channel: int) -> str:
    """``ANALOG:UNITS``, which goes on in UNITS2, … beyond 255 channels."""
    group = parameters.get("ANALOG", {})
    units: list[str] = []
    for name in ("UNITS", *(f"UNITS{k}" for k in range(2, 10))):
        units += [str(u) for u in group.get(name, {}).get("value", [])]
    return units[channel] if channel < len(units) else ""
