"""Force plates from C3D parameters and analog channels: the reaction on the subject, in plate axes, SI units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gaitid.errors import ReadError
from gaitid.read.units import FORCE_N, LENGTH_M, MOMENT_NM, factor
from gaitid.trial import Array, ForcePlate

# A sample counts as loaded, for finding the sense of the channels, above this vertical force, N: more than a knock or
# a bias, less than a small child.
LOADED_N = 100.0

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
    used = int(np.ravel(group.get("USED", [0]))[0]) if np.size(group.get("USED", [0])) else 0
    plates: list[ForcePlate] = []
    refused: dict[int, str] = {}
    warnings: list[str] = []
    for index in range(used):
        try:
            plates.append(_plate(index, group, parameters, analog, rate_hz, warnings))
        except ReadError as error:
            refused[index + 1] = error.line()
    warnings += [f"plate {number} is not used: {reason}" for number, reason in refused.items()]
    return tuple(plates), refused, warnings


def _plate(
    index: int,
    group: Mapping[str, Any],
    parameters: Parameters,
    analog: Array,
    rate_hz: float,
    warnings: list[str],
) -> ForcePlate:
    number = index + 1
    kind = int(_column(group, "TYPE", index, number)[0])
    if kind != 2:
        raise ReadError(f"plate type {kind} cannot be read yet", expected="type 2 (six channels in N and N·mm)")
    channels = _column(group, "CHANNEL", index, number).astype(int)[:6] - 1
    if channels.size < 6 or channels.min() < 0 or channels.max() >= analog.shape[0]:
        raise ReadError(
            "channel out of range",
            expected=f"six channels between 1 and {analog.shape[0]}",
            found=", ".join(str(c + 1) for c in channels),
        )
    length = factor(_unit_of_points(parameters), LENGTH_M, "POINT:UNITS")
    corners = np.asarray(group.get("CORNERS"), dtype=float)
    if corners.ndim != 3 or corners.shape[:2] != (3, 4) or index >= corners.shape[2]:
        raise ReadError("no corners", expected="FORCE_PLATFORM:CORNERS of 3 × 4 × plates")
    corners_g = corners[:, :, index].T * length
    area = np.linalg.norm(np.cross(corners_g[2] - corners_g[0], corners_g[3] - corners_g[1])) / 2
    # Plates are between a hand's and a room's size; anything else is a unit or a blank.
    if not 1e-3 < area < 50:
        raise ReadError("corners do not bound a plate", expected="0.001 to 50 m²", found=f"{area:.3g} m²")
    units = [_unit_of_channel(parameters, int(c)) for c in channels]
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
        kind=kind,
        corners_g=corners_g,
        sensor_p=sensor_vector(_column(group, "ORIGIN", index, number)[:3] * length, number, warnings),
        rate_hz=rate_hz,
        force_p=samples[:, :3],
        moment_p=samples[:, 3:],
    )


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
    value = np.asarray(group.get(name, []), dtype=float)
    if value.size == 0 or index >= value.shape[-1]:
        raise ReadError(f"FORCE_PLATFORM:{name} says nothing of plate {number}")
    return np.atleast_1d(value[..., index])


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
