"""The only place where units become SI."""

from __future__ import annotations

from gaitid.errors import ReadError

LENGTH_M = {"mm": 1e-3, "millimeters": 1e-3, "millimetres": 1e-3, "cm": 1e-2, "dm": 1e-1, "m": 1.0,
            "meters": 1.0, "metres": 1.0, "in": 0.0254, "inches": 0.0254}  # fmt: skip
FORCE_N = {"n": 1.0, "nt": 1.0, "newton": 1.0, "newtons": 1.0, "kn": 1e3}
MOMENT_NM = {"nm": 1.0, "n.m": 1.0, "n*m": 1.0, "n·m": 1.0, "n-m": 1.0, "newton-meters": 1.0, "ntm": 1.0,
             "nmm": 1e-3, "ntmm": 1e-3, "mm.n": 1e-3, "n.mm": 1e-3, "n*mm": 1e-3, "n·mm": 1e-3, "n-mm": 1e-3,
             "ncm": 1e-2, "n.cm": 1e-2}  # fmt: skip


def factor(unit: str, table: dict[str, float], what: str) -> float:
    """What to multiply a value in `unit` by to have SI.

    Raises
    ------
    ReadError
        A unit that the table does not know; nothing is guessed.
    """
    try:
        return table[unit.strip().strip("\x00").lower()]
    except KeyError:
        raise ReadError(
            f"{what}: unit not known",
            expected=" or ".join(sorted(table)),
            found=repr(unit),
            todo="correct the unit in the file",
        ) from None
