"""Channels that are named as those of force plates, in files that do not say which channels a plate has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

# Fx1, FX1, Force.Fx1, ForceX1, Fx_1, Fx; F1X; plate1_Fx_N, FP1 Fx, #1.Fx
_WHAT, _AXIS = "(?P<what>F|FORCE|M|MOMENT)[ _.]?", "(?P<axis>[XYZ])"
_NUMBER = r"(?P<number>\d{1,2})"
_ENDS_IN_NUMBER = rf"(?:.*[^A-Z])?{_WHAT}{_AXIS}(?:[ _.#-]*{_NUMBER})?"
_NUMBER_WITHIN = rf"(?:.*[^A-Z])?{_WHAT}{_NUMBER}[ _.]?{_AXIS}"
_NUMBER_FIRST = rf".*?{_NUMBER}[ _.:-]*{_WHAT}{_AXIS}"
_UNIT = r"(?:[ _]*[\[(]?N(?:\.?M{1,2})?[\])]?)?"
_PATTERNS = (_NUMBER_FIRST, _NUMBER_WITHIN, _ENDS_IN_NUMBER)
#: The six of a plate, as its number follows them.
SIX = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")


def plates_by_name(labels: Sequence[str]) -> Mapping[int, tuple[int, ...]]:
    """The channels of each plate whose six are named: Fx, Fy, Fz, Mx, My, Mz, as places in `labels`, from 0.

    A plate's number stands in the names of its channels (``Fx1``, ``F1X``, ``Force.Fx1``, ``plate1_Fx_N``); where none
    does, the first of each name are those of plate 1, the second those of plate 2. A plate of whose six one is named
    twice is not told.
    """
    named: dict[tuple[int, str], list[int]] = {}
    without: dict[str, int] = {}
    for place, label in enumerate(labels):
        found = next((m for p in _PATTERNS if (m := re.fullmatch(p + _UNIT, label.strip().upper()))), None)
        if found is None:
            continue
        component = found["what"][0] + found["axis"].lower()
        if found["number"]:
            number = int(found["number"])
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
