"""Units become SI here, and nowhere else; the unit of lengths where a file says none, or one that no body has."""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import repr as short

import numpy as np

from gaitid.errors import ReadError, UndecidedError
from gaitid.model.settings import POINT_UNITS
from gaitid.notes import Notes, note, phrase
from gaitid.numerics.masks import median
from gaitid.trial import Array, Mask

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


# m. The markers of a person, without the outermost twentieths, lie so far apart: from a child's legs to arms held out.
# Of 70 recordings of 20 laboratories 0.97 to 1.83 m. Less than a factor of 10: no second unit can fit.
_BODY_M = (0.5, 2.3)
# m. Nothing that carries three markers is so small, and no walkway so long: the unit is not the one that the file says.
_NOTHING_M = (0.01, 100.0)
# m. Nor is it where they lie so far apart, and as a body does in another unit. A person's in inches or centimetres that
# are millimetres lie 9.7 m and more apart, by the recordings above; larger scenes keep the unit that they say.
_LARGE_M = 5.0
# So many of the markers at each end of an axis may be something else than the body.
_OUTSIDE = 0.05
# So many frames are looked at.
_LOOKED_AT = 25
_TODO = "say it with --set point_unit=mm, cm or m"


def body_size(points: Array) -> float:
    """How far apart the markers lie, in the unit of `points`; NaN where too few are seen.

    Parameters
    ----------
    points : (frames, markers, 3) array
        NaN where a marker was not seen.

    Returns
    -------
    float
        The diagonal of the box that holds all but the outermost twentieths along each axis, the median of some frames.
    """
    known: Mask = np.asarray(np.isfinite(points).all(axis=2))
    seen = np.flatnonzero(known.sum(axis=1) >= 3)
    if not seen.size:
        return float("nan")
    frames = seen[:: max(seen.size // _LOOKED_AT, 1)]
    known = known[frames]
    ordered = np.sort(np.where(known[..., None], points[frames], np.inf), axis=1)  # what is not seen comes last
    last = known.sum(axis=1) - 1
    out = np.rint(_OUTSIDE * last).astype(int)
    row = np.arange(len(frames))
    box = ordered[row, last - out] - ordered[row, out]
    return float(median(np.sqrt(np.square(box).sum(axis=1))))


def length_unit(declared: str, chosen: str | None, points: Array, what: str) -> tuple[str, Notes]:
    """The unit in which a file's lengths are.

    Parameters
    ----------
    declared : str
        By the file.
    chosen : str or None
        By the user, who is right.
    points : (frames, markers, 3) array
        Of markers in that unit, NaN where not seen.
    what : str
        Where the file declares it.

    Returns
    -------
    unit : str
        One that `LENGTH_M` knows.
    notes : Notes
        Where it is not the one that is declared.

    Raises
    ------
    ReadError
        Nothing is declared, and the size of what was seen does not tell, or another unit, which is not known
        (`UndecidedError`); or by the user's nothing is of such a size, and by another one a body is.
    """
    known = plain(declared) in LENGTH_M
    says = phrase("read/says", what=what, unit=short(declared.strip()) if declared.strip() else "")
    size = body_size(points)
    if chosen is not None:
        metres = size * LENGTH_M[chosen]
        if not _NOTHING_M[0] <= metres <= _NOTHING_M[1] and (fits := _other_unit(size, chosen)):
            raise ReadError(
                f"--set point_unit={chosen}: the markers then lie {metres:.3g} m apart",
                expected=f"{_BODY_M[0]:g} to {_BODY_M[1]:g} m of a person",
                found=says,
                todo=f"the numbers are in {fits}, it seems: give --set point_unit={fits}",
            )
        differs = not known or LENGTH_M[plain(declared)] != LENGTH_M[chosen]
        return chosen, (note("reading_info/unit_asked_for", says=says, unit=chosen),) if differs else ()
    if known and not _is_doubtful(size * LENGTH_M[plain(declared)]):
        return declared, ()
    like = next((unit for unit in POINT_UNITS if _BODY_M[0] <= size * LENGTH_M[unit] <= _BODY_M[1]), "")
    if like and (known or _is_cut(declared)):
        name = "file_repaired/unit_by_size" if known else "reading_assumed/unit_by_size"
        return like, (note(name, says=says, size=size, unit=like, size_m=size * LENGTH_M[like]),)
    if known:
        return declared, ()
    tried = " or ".join(POINT_UNITS)
    expected = f"a unit, or markers {_BODY_M[0]:g} to {_BODY_M[1]:g} m apart in {tried}"
    error = UndecidedError(f"{what}: unit not known", expected=expected, found=short(declared), todo=_TODO)
    error.instead = {"point_unit": like or POINT_UNITS[0]}
    raise error


def refuse_other_unit(points_g: Array, given: str, said: str, cure: str) -> None:
    """ReadError where markers of a table lie as far apart as nothing that carries markers, by the unit that it names.

    Parameters
    ----------
    points_g : (frames, markers, 3) array, m
    given : str
        The unit.
    said : str
        Where the table names it, for the message.
    cure : str
        How it is corrected there, without the unit that fits.
    """
    size = body_size(points_g)
    if not _is_doubtful(size):
        return
    fits = _other_unit(size / LENGTH_M[plain(given)], given)
    if not fits and _NOTHING_M[0] <= size <= _NOTHING_M[1]:
        return
    raise ReadError(
        f"by the unit {said}, the markers lie {size:.3g} m apart",
        expected=f"{_BODY_M[0]:g} to {_BODY_M[1]:g} m of a person",
        todo=f"the numbers are in {fits}, it seems: {cure}{fits}" if fits else "check the unit that the table names",
    )


def _other_unit(size: float, given: str) -> str:
    """By which unit markers so far apart are a person's, where by the given one nothing is as large; or none."""
    if not _is_doubtful(size * LENGTH_M[plain(given)]):
        return ""
    return next((unit for unit in POINT_UNITS if _BODY_M[0] <= size * LENGTH_M[unit] <= _BODY_M[1]), "")


def _is_doubtful(metres: float) -> bool:
    """Whether neither a body nor most else that carries markers is of that size; not where it is not known."""
    return metres < _NOTHING_M[0] or metres > _LARGE_M


def _is_cut(declared: str) -> bool:
    """Whether it is nothing, or the beginning of a unit's name."""
    return any(name.startswith(plain(declared)) for name in LENGTH_M)
