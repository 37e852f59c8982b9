"""What one frame of a C3D file holds: scale, rates, samples a frame, as header and parameters say it twice."""

from __future__ import annotations

import math

import numpy as np

from gaitid.errors import ReadError
from gaitid.notes import Notes, note
from gaitid.read.c3d.sections import Header, Parameters, damaged

# The header and whole numbers in parameters have 16 bits: counts wrap there, or stay at the largest.
WRAPS = 1 << 16
# Cameras and analog converters run between these, Hz; anything else is damage.
_RATES_HZ = (1.0, 1e5)
# One scale in two places is the same to within this: scales are 32-bit reals.
_SAME_SCALE = 1e-5
TODO = "open and save the file again in the program that made it"


def scale_of(header: Header, parameters: Parameters) -> tuple[float, Notes]:
    """The scale of points. Its sign says whether data are reals, and header and parameters must say the same."""
    stored = first_number(parameters, "POINT", "SCALE", -1.0 if header.floats else math.nan)
    scales = {"POINT:SCALE": stored, "the header": header.scale}
    usable = {place: scale for place, scale in scales.items() if 0 < scale < math.inf}
    opposite = stored > 0 if header.floats else stored < 0
    if opposite or (header.n_points and not (stored < 0 if header.floats else usable)):
        raise ReadError(
            "damaged C3D file: header and parameters disagree about the number format",
            expected="a negative POINT:SCALE (reals)" if header.floats else "a positive POINT:SCALE (integers)",
            found=f"{stored:g}",
            todo=TODO,
        )
    if header.n_points == 0 or header.floats:
        return 1.0, ()
    if len(usable) == 2 and abs(header.scale / stored - 1) > _SAME_SCALE:
        raise disagreement("scale of the points", header.scale, "POINT:SCALE", stored)
    place, scale = next(iter(usable.items()))
    return scale, (note("file_repaired/scale", place=place, scale=scale),) if len(usable) == 1 else ()


def subframes_of(header: Header, parameters: Parameters, rate_hz: float, fills: bool) -> tuple[int, Notes]:
    """Analog samples a frame of one channel."""
    used = count_of(parameters, "ANALOG", "USED", 0.0)
    if header.n_analog == 0:
        if used > 0 and first_number(parameters, "ANALOG", "RATE") > 0:
            if not fills:
                raise disagreement("analog samples a frame", 0, "ANALOG:USED", used)
            return 0, (note("file_repaired/no_channels", used=used),)
        return 0, ()
    ratio, group = "ANALOG:RATE / POINT:RATE", parameters.get("ANALOG", {})
    # which of the numbers that the header has too ANALOG does not give
    no_rate = "RATE" not in group or first_number(parameters, "ANALOG", "RATE") == 0
    lacking = ["USED"] * ("USED" not in group) + ["RATE"] * no_rate
    n_subframes = header.n_subframes if no_rate else round(rate_of("ANALOG", parameters) / rate_hz)
    if n_subframes == 0 and no_rate and used > 0 and header.n_analog % used == 0:
        n_subframes = round(header.n_analog / used)
    if lacking and (n_subframes == 0 or header.n_analog % n_subframes):
        raise damaged(f"lacks ANALOG:{lacking[0]}, which the analog data need")
    if "USED" in lacking:
        used = header.n_analog // n_subframes
    if used * n_subframes != header.n_analog:
        raise disagreement("analog samples a frame", header.n_analog, f"ANALOG:USED × {ratio}", used * n_subframes)
    if header.n_subframes not in (0, n_subframes):
        raise disagreement("analog samples a frame of one channel", header.n_subframes, ratio, n_subframes)
    notes: Notes = ()
    if "GEN_SCALE" not in group:
        notes = (note("reading_assumed/gen_scale"),)
    if not lacking:
        return n_subframes, notes
    stated = note(
        "reading_assumed/analog_layout",
        missing=[f"ANALOG:{name}" for name in lacking],
        channels=int(used),
        samples=n_subframes,
        rate_hz=n_subframes * rate_hz,
    )
    return n_subframes, (*notes, stated)


def rate_of(group: str, parameters: Parameters, default: float = math.nan) -> float:
    """A group's rate, Hz; where it is missing or 0 the default."""
    rate = first_number(parameters, group, "RATE", default)
    rate = default if rate == 0 else rate
    if not _RATES_HZ[0] <= rate <= _RATES_HZ[1]:
        raise ReadError(
            f"no usable rate in {group}:RATE",
            expected=f"{_RATES_HZ[0]:g} to {_RATES_HZ[1]:g} Hz",
            found=f"{rate:g}" if math.isfinite(rate) else "none",
            todo="export the trial again",
        )
    return rate


def first_number(parameters: Parameters, group: str, name: str, default: float = math.nan) -> float:
    """The first number of a parameter; NaN for text."""
    value = parameters.get(group, {}).get(name)
    if value is None:
        return default
    return float(value.flat[0]) if isinstance(value, np.ndarray) and value.size else math.nan


def count_of(parameters: Parameters, group: str, name: str, default: float) -> float:
    """A count, which signed words of two bytes hold up to 65535."""
    value = first_number(parameters, group, name, default)
    if not math.isfinite(value) or value % 1:
        raise damaged(f"gives {group}:{name} no whole number")
    return value + WRAPS if -WRAPS // 2 <= value < 0 else value


def disagreement(what: str, header: float, name: str, stored: float) -> ReadError:
    return ReadError(
        f"damaged C3D file: header and parameters disagree about the {what}",
        expected=f"{header:g} as in the header",
        found=f"{stored:g} in {name}",
        todo=TODO,
    )
