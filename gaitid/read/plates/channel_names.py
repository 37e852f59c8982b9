"""Channels that are named as those of force plates, in files that do not say which channels a plate has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

# Fx1, FX1, Force.Fx1, ForceX1, Fx_1, Fx_FP1, Fx; F1X; plate1_Fx_N, FP1 Fx, #1.Fx; LFx, Left_Fx, Fx_L
_WHAT, _AXIS = "(?P<what>F|FORCE|M|MOMENT)[ _.]?", "(?P<axis>[XYZ])"
_NUMBER = r"(?P<number>\d{1,2})"
_ENDS_IN_NUMBER = rf"(?:.*[^A-Z])?{_WHAT}{_AXIS}(?:[ _.#-]*(?:(?:FP|PLATE)[ _.#-]*)?{_NUMBER})?"
_NUMBER_WITHIN = rf"(?:.*[^A-Z])?{_WHAT}{_NUMBER}[ _.]?{_AXIS}"
_NUMBER_FIRST = rf".*?{_NUMBER}[ _.:-]*{_WHAT}{_AXIS}"
_UNIT = r"(?:[ _]*[\[(]?N(?:\.?M{1,2})?[\])]?)?"
_SIDE = "(?P<side>L|LEFT|R|RIGHT)"
_SIDE_FIRST = rf"(?:.*[^A-Z])?{_SIDE}[ _.-]*{_WHAT}{_AXIS}"
_SIDE_LAST = rf"(?:.*[^A-Z])?{_WHAT}{_AXIS}[ _.-]*{_SIDE}"
_PATTERNS = (_NUMBER_FIRST, _NUMBER_WITHIN, _SIDE_FIRST, _SIDE_LAST, _ENDS_IN_NUMBER)
#: The six of a plate, as its number follows them.
SIX = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")


def plates_by_name(labels: Sequence[str]) -> Mapping[int, tuple[int, ...]]:
    """The channels of each plate whose six are named: Fx, Fy, Fz, Mx, My, Mz, as places in `labels`, from 0.

    A plate's number stands in the names of its channels (``Fx1``, ``F1X``, ``Force.Fx1``, ``plate1_Fx_N``). Where a
    side stands in them instead (``LFx``, ``Fx_R``), the plate of the side that is named first is plate 1, the other
    plate 2; where neither does, the first of each name are those of plate 1, the second those of plate 2. A plate of
    whose six one is named twice is not told.
    """
    sides: dict[str, int] = {}
    named: dict[tuple[int, str], list[int]] = {}
    without: dict[str, int] = {}
    for place, label in enumerate(labels):
        found = next((m for p in _PATTERNS if (m := re.fullmatch(p + _UNIT, label.strip().upper()))), None)
        if found is None:
            continue
        component = found["what"][0] + found["axis"].lower()
        parts = found.groupdict()
        if parts.get("number"):
            number = int(parts["number"])
        elif parts.get("side"):
            number = sides.setdefault(parts["side"][0], len(sides) + 1)
        else:
            number = without[component] = without.get(component, 0) + 1
        named.setdefault((number, component), []).append(place)
    numbers = sorted({number for number, _ in named})
    of_plates = {number: [named.get((number, component), []) for component in SIX] for number in numbers}
    return {
        number: tuple(places[0] for places in six)
        for number, six in of_plates.items()
        if all(len(places) == 1 for places in six)
    }
