"""The only place where units become SI."""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import repr as short

from gaitid.errors import ReadError

LENGTH_M = {
    **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetre", "millimetres"), 1e-3),
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), 1.0),
    **dict.fromkeys(("in", "inches"), 0.0254),
    **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre", "centimetres"), 1e-2),
    "dm": 1e-1,
}
FORCE_N = {"n": 1.0, "nt": 1.0, "newton": 1.0, "newtons": 1.0, "kn": 1e3}
MOMENT_NM = {
    **dict.fromkeys(("nm", "n.m", "n*m", "n·m", "n-m", "newton-meters", "ntm"), 1.0),
    **dict.fromkeys(("nmm", "ntmm", "mm.n", "n.mm", "n*mm", "n·mm", "n-mm"), 1e-3),
    **dict.fromkeys(("ncm", "n.cm"), 1e-2),
}
VOLTAGE_V = {"v": 1.0, "volt": 1.0, "volts": 1.0, "mv": 1e-3, "uv": 1e-6, "µv": 1e-6, "μv": 1e-6}


def factor(unit: str, table: Mapping[str, float], what: str) -> float:
    """What to multiply a value in `unit` by to have SI.

    Raises
    ------
    ReadError
        A unit that the table does not know; nothing is guessed.
    """
    try:
        return table[plain(unit)]
    except KeyError:
        raise ReadError(
            f"{what}: unit not known",
            expected=" or ".join(sorted(table)),
            found=short(unit),
            todo="correct the unit in the file",
        ) from None


def plain(unit: str) -> str:
    """A unit as the tables spell it."""
    return unit.strip().strip("\x00").lower()
