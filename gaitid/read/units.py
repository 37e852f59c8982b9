"""The only place where units become SI."""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import repr as short

from gaitid.errors import ReadError

# Pounds, feet and inches: NIST Special Publication 811 (2008), appendix B.8.
_LBF_N, _INCH_M, _FOOT_M = 4.4482216152605, 0.0254, 0.3048
LENGTH_M = {
    **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetre", "millimetres"), 1e-3),
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), 1.0),
    **dict.fromkeys(("in", "inch", "inches"), _INCH_M),
    **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre", "centimetres"), 1e-2),
    **dict.fromkeys(("ft", "foot", "feet"), _FOOT_M),
    "dm": 1e-1,
}
FORCE_N = {
    **dict.fromkeys(("n", "nt", "newton", "newtons"), 1.0),
    **dict.fromkeys(("lbf", "lb", "lbs", "pound", "pounds"), _LBF_N),
    "kn": 1e3,
}
MOMENT_NM = {
    **dict.fromkeys(("nm", "n.m", "n*m", "n·m", "n-m", "newton-meters", "ntm"), 1.0),
    **dict.fromkeys(("nmm", "ntmm", "mm.n", "n.mm", "n*mm", "n·mm", "n-mm"), 1e-3),
    **dict.fromkeys(("ncm", "n.cm"), 1e-2),
    **dict.fromkeys(("in-lb", "in-lbs", "in-lbf", "in.lb", "lb-in", "lb.in", "lbf-in", "lbf.in"), _LBF_N * _INCH_M),
    **dict.fromkeys(("ft-lb", "ft-lbs", "ft-lbf", "ft.lb", "lb-ft", "lb.ft", "lbf-ft", "lbf.ft"), _LBF_N * _FOOT_M),
}
VOLTAGE_V = {"v": 1.0, "volt": 1.0, "volts": 1.0, "mv": 1e-3, "uv": 1e-6, "µv": 1e-6, "μv": 1e-6}


def factor(unit: str, table: Mapping[str, float], what: str, todo: str = "correct the unit in the file") -> float:
    """What to multiply a value in `unit` by to have SI.

    Raises
    ------
    ReadError
        A unit that the table does not know; nothing is guessed.
    """
    try:
        return table[plain(unit)]
    except KeyError:
        shortest = {si: min((u for u in table if table[u] == si), key=len) for si in table.values()}
        raise ReadError(
            f"{what}: unit not known", expected=" or ".join(shortest.values()), found=short(unit), todo=todo
        ) from None


def plain(unit: str) -> str:
    """A unit as the tables spell it."""
    return unit.strip().strip("\x00").lower()
