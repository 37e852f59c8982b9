"""For what a result is sure enough: each angle and moment, joint by joint and plane by plane, in words of a clinic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.analysis.result import Result
from gaitid.errors import GaitidError
from gaitid.records import NamedTuple
from gaitid.trial import Array, Mask

ACCEPTABLE, WITH_CARE, DO_NOT_USE = "acceptable", "with care", "do not use"
#: deg. Of the standard uncertainty, not of the 95 % half-width: McGinley, Baker, Wolfe & Morris 2009 (Gait Posture
#: 29:360-369) hold errors, told as standard deviations or standard errors of measurement, of 2° or less for
#: acceptable, of 2 to 5° for reasonable but to be considered in the interpretation, and larger ones for misleading.
ACCEPTABLE_DEG, WITH_CARE_DEG = 2.0, 5.0
#: What `--max-uncertainty` of `run` takes: by the end of a column the quantity, and its unit as people write it.
_ENDS = {"_deg": "angle_deg", "_moment_Nm_per_kg": "moment_Nm_per_kg", "_power_W_per_kg": "power_W_per_kg"}
_SHOWN = {"angle_deg": "°", "moment_Nm_per_kg": " N·m/kg", "power_W_per_kg": " W/kg"}
QUANTITIES = tuple(_SHOWN)
#: By the motion at the end of a column's name its plane, and the word that a clinician says.
_PLANES = {
    **dict.fromkeys(("flexion", "extension", "dorsiflexion", "plantarflexion", "anterior_tilt"), "sagittal"),
    **dict.fromkeys(("adduction", "abduction", "eversion", "inversion", "supination", "upward_obliquity"), "frontal"),
    "lateral_flexion": "frontal",
    **dict.fromkeys(("internal_rotation", "external_rotation"), "transverse"),
}
_WORDS = {
    "anterior_tilt": "tilt",
    "lateral_flexion": "lateral flexion",
    "upward_obliquity": "obliquity",
    "internal_rotation": "rotation",
    "external_rotation": "rotation",
}
#: Standard uncertainties on either side of a value within which its truth lies in 95 of 100 cases (normal errors).
COVERAGE_FACTOR = 1.959963984540054


class UsableFor(NamedTuple):
    """How sure one angle, moment or power of one side is.

    Attributes
    ----------
    side, joint : str
    motion : str
        As columns name it; empty of a power.
    plane : str
        ``sagittal``, ``frontal`` or ``transverse``; empty of a power.
    quantity : str
        One of `QUANTITIES`.
    standard_uncertainty : float
        Root mean square over the frames that count, in the unit of the quantity.
    level : str
        `ACCEPTABLE`, `WITH_CARE` or `DO_NOT_USE`; empty where nobody gave a limit for the quantity.
    """

    side: str
    joint: str
    motion: str
    plane: str
    quantity: str
    standard_uncertainty: float
    level: str

    @property
    def half_width(self) -> float:
        """Of the 95 % band."""
        return COVERAGE_FACTOR * self.standard_uncertainty

    def as_dict(self) -> dict[str, Any]:
        """For records."""
        kind, _, unit = self.quantity.partition("_")
        return {
            "side": self.side,
            "joint": self.joint,
            "plane": self.plane or None,
            "motion": self.motion or None,
            "kind": kind,
            "half_width": float(f"{self.half_width:.4g}"),
            "unit": unit,
            "coverage_percent": 95,
            "standard_uncertainty": float(f"{self.standard_uncertainty:.4g}"),
            "class": self.level or None,
        }


def usable_for(
    result: Result, names: Sequence[str], standard: Array, limits: Mapping[str, float]
) -> tuple[UsableFor, ...]:
    """How sure each angle, moment and power is, and for what that is enough.

    Parameters
    ----------
    result : Result
    names : sequence of str
        Of the columns.
    standard : (frames, columns) array
        Standard uncertainties; NaN where unknown. Angles count over all cycles of the side, or, where there is none,
        over all frames; moments and powers while the foot is on a plate, but not in the impact of its strike.
    limits : mapping of quantity to float
        The user's, of the standard uncertainty.
    """
    found = []
    frames = {side: _frames(result, side) for side in result.sides}
    for i, name in enumerate(names):
        side, _, column = name.partition("_")
        one = usable_column(column)
        if side not in frames or one is None:
            continue
        u = standard[:, i][frames[side][one.quantity != "angle_deg"]]
        u = u[np.isfinite(u)]
        if len(u):
            size = float(np.sqrt(np.mean(u**2)))
            level = level_of(size, one.quantity, limits)
            found.append(one._replace(side=side, standard_uncertainty=size, level=level))
    return tuple(found)


def _frames(result: Result, side: str) -> tuple[Mask, Mask]:
    """Of a side, which frames count for angles, and which for moments and powers."""
    n, rate_hz = result.trial.n_frames, result.trial.rate_hz
    cycles = [stride.cycle for stride in result.gait.strides if stride.cycle.side == side]
    in_cycles = np.full(n, not cycles)
    for cycle in cycles:
        in_cycles[int(cycle.strike.time_s * rate_hz) : int(np.ceil(cycle.next_strike.time_s * rate_hz)) + 1] = True
    contacts = [contact for contact in result.contacts if contact.side == side and contact.plates]
    loaded = np.full(n, not contacts)
    for contact in contacts:
        loaded[contact.first : contact.last + 1] = True
    loaded[result.impact_frames(side)] = False
    return in_cycles, loaded


def usable_column(column: str) -> UsableFor | None:
    """Joint, motion, plane and quantity of a column without its side, nothing known of its size; None of another."""
    end = next((end for end in _ENDS if column.endswith(end)), None)
    if end is None:
        return None
    joint, motion, quantity = column.removesuffix(end), "", _ENDS[end]
    if quantity != "power_W_per_kg":
        motions = (motion for motion in sorted(_PLANES, key=len, reverse=True) if joint.endswith(f"_{motion}"))
        if not (motion := next(motions, "")):
            return None
        joint = joint.removesuffix(f"_{motion}")
    plane = "transverse" if joint.startswith("forefoot") and motion == "adduction" else _PLANES.get(motion, "")
    return UsableFor("", joint, motion, plane, quantity, math.nan, "")


def level_of(standard_uncertainty: float, quantity: str, limits: Mapping[str, float]) -> str:
    """For what a standard uncertainty is small enough: by the user's limit, else of an angle by McGinley 2009."""
    if quantity in limits:
        return ACCEPTABLE if standard_uncertainty <= limits[quantity] else DO_NOT_USE
    if quantity != "angle_deg":
        return ""
    if standard_uncertainty > WITH_CARE_DEG:
        return DO_NOT_USE
    return ACCEPTABLE if standard_uncertainty <= ACCEPTABLE_DEG else WITH_CARE


# --- words ------------------------------------------------------------------------------------------------------------


def usable_words(found: Iterable[UsableFor]) -> list[str]:
    """A line for each joint, of what somebody gave limits for, or McGinley did: both sides in one where they agree.

    As ``knee: flexion ± 8.1° (95 %), with care; rotation ± 13° (95 %): do not use for rotation``.
    """
    by_joint: dict[str, dict[tuple[str, str], dict[str, UsableFor]]] = {}
    for one in found:
        if one.level:
            by_joint.setdefault(one.joint, {}).setdefault((one.motion, one.quantity), {})[one.side] = one
    return [
        f"{_joint_words(joint)}: {'; '.join(text for of in motions.values() for text in _of_motion(of))}"
        for joint, motions in by_joint.items()
    ]


def class_words(found: Iterable[UsableFor]) -> list[str]:
    """A line for what is not to be used and one for what to use with care, joint by joint; acceptable where all are."""
    by_motion: dict[tuple[str, str, str], list[UsableFor]] = {}
    for one in found:
        if one.level:
            by_motion.setdefault((one.joint, one.motion, one.quantity), []).append(one)
    lines = []
    for level in (DO_NOT_USE, WITH_CARE):
        of_joint: dict[str, list[str]] = {}
        for (joint, *_), both in by_motion.items():
            of_joint.setdefault(_joint_words(joint), []).extend(
                f"{side}{sized.replace(' ± ', ' ')}" for side, sized, of_level in _by_level(both) if of_level == level
            )
        named = [f"{joint} {', '.join(sizes)}" for joint, sizes in of_joint.items() if sizes]
        if named:
            lines.append(f"{level} (± 95 %): {'; '.join(named)}")
    return lines or (["all angles are acceptable (95 % uncertainty)"] if by_motion else [])


def _of_motion(sides: Mapping[str, UsableFor]) -> Iterator[str]:
    for side, sized, level in _by_level(list(sides.values())):
        named = sized.partition(" ± ")[0]
        yield f"{side}{sized} (95 %)" + (f": do not use for {named}" if level == DO_NOT_USE else f", {level}")


def _by_level(sides: Sequence[UsableFor]) -> Iterator[tuple[str, str, str]]:
    """Side, motion with its size, and class: of both sides together, by the larger one, where they are of one class."""
    alike = len({one.level for one in sides}) == 1
    for group in [sides] if alike else [[one] for one in sides]:
        largest = max(group, key=lambda one: one.standard_uncertainty)
        side = "" if alike and len(sides) > 1 else f"{largest.side} "
        yield side, f"{motion_words(largest)} ± {size_words(largest)}", largest.level


def _joint_words(joint: str) -> str:
    return joint.replace("_", " ")


def motion_words(one: UsableFor) -> str:
    """``rotation``, ``extension moment``, ``power``."""
    kind = one.quantity.partition("_")[0]
    return " ".join(filter(None, (_WORDS.get(one.motion, one.motion), "" if kind == "angle" else kind)))


def size_words(one: UsableFor) -> str:
    """Half of the 95 % band with its unit, in two figures: more is known of no uncertainty."""
    size = one.half_width
    digits = f"{size:.{max(0, 1 - math.floor(math.log10(size)))}f}" if size > 0 else "0"
    return f"{digits}{_SHOWN[one.quantity]}"


# --- limits, and records ----------------------------------------------------------------------------------------------


def read_limits(words: Sequence[str]) -> dict[str, float]:
    """The largest standard uncertainties of each ``QUANTITY=VALUE`` of ``--max-uncertainty``.

    Raises
    ------
    GaitidError
        Not of that form, or a quantity with two values.
    """
    limits: dict[str, float] = {}
    for text in words:
        name, _, given = text.partition("=")
        try:
            value = float(given)
        except ValueError:
            value = -1.0
        if name not in QUANTITIES or not 0 <= value < math.inf:
            expected = f"{', '.join(QUANTITIES[:-1])} or {QUANTITIES[-1]}, = and a number of at least 0"
            raise GaitidError(f"--max-uncertainty {text}", expected=expected)
        if limits.setdefault(name, value) != value:
            raise GaitidError(f"--max-uncertainty {name} is given twice, as {limits[name]:g} and {value:g}")
    return limits


def from_records(entries: Iterable[Mapping[str, Any]], limits: Mapping[str, float]) -> tuple[UsableFor, ...]:
    """What records hold (`UsableFor.as_dict`), by these limits; of several trials the root mean square.

    Parameters
    ----------
    entries : iterable of mapping
        ``verdict.usable_for`` of one record or several; entries that are damaged are left out.
    limits : mapping of quantity to float
        Without one of a quantity the class of the records stands where they agree.
    """
    sizes: dict[tuple[str, str, str, str, str], list[float]] = {}
    levels: dict[tuple[str, str, str, str, str], set[str]] = {}
    for entry in entries:
        side, joint, motion, plane, kind, unit, level = (
            str(entry.get(key) or "") for key in ("side", "joint", "motion", "plane", "kind", "unit", "class")
        )
        size, quantity = entry.get("standard_uncertainty"), f"{kind}_{unit}"
        if side in ("left", "right") and quantity in QUANTITIES and isinstance(size, int | float):
            key = side, joint, motion, plane, quantity
            sizes.setdefault(key, []).append(float(size))
            levels.setdefault(key, set()).add(level)
    found = []
    for key, several in sizes.items():
        size, quantity = float(np.sqrt(np.mean(np.square(several)))), key[-1]
        kept = next(iter(levels[key])) if len(levels[key]) == 1 and quantity not in limits else None
        found.append(UsableFor(*key, size, level_of(size, quantity, limits) if kept is None else kept))
    return tuple(found)
