"""A hypothesis that won, in words: what is wrong, by how much, what it does to joint moments, what else it may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gaitid.faults.evidence import Evidence, State
from gaitid.faults.hypotheses import CHANNELS
from gaitid.faults.judge import Finding, Fitted
from gaitid.ground.plate_channels import Fault
from gaitid.notes import note, phrase
from gaitid.numerics.masks import quantile
from gaitid.numerics.rotation import cross, norm
from gaitid.trial import Array, ForcePlate

# N·m/kg at any joint. From the first on a fault is worth a doubt: a tenth of what a hip or a knee takes in walking.
# From the second on what is computed is another walk's, and a load of one plate, or a clock, is not believed.
DOUBTED, NOT_BELIEVED = 0.05, 0.4
# m. Of the ankle above the floor, and behind the pressure under the ball of an adult's foot (Winter 2009, figure 5.2: a
# tenth of body weight times height at push-off). Of the greatest force: less loads no joint. m/s² and kg, where only
# pressure tells.
ANKLE_M, BEHIND_M, LOADED, GRAVITY, USUAL_KG = 0.08, 0.12, 0.2, 9.81, 70.0
#: Evenly from the lowest up to the highest.
JOINTS = ("ankle", "knee", "hip")
# Within this share of a known ratio of units it is named.
OF_UNIT = 0.08
# N of a pound's weight, pounds of a kilogram, N of a kilogram's weight.
POUND_N, POUNDS, KILOGRAM_N = 4.4482, 2.2046, 9.80665
_WIRING = ("sign", "exchanged")
_PLACES = ("turned", "mirrored", "moved", "askew", "plates_exchanged")


def unit_of_ratio(ratio: float, of_mass: bool = True) -> list[str]:
    """The mistakes of units, of the mass or only of forces, that make plates carry so many times what they should."""
    units = {
        "plate/force_in_lb": 1 / POUND_N,
        "plate/force_as_lb": POUND_N,
        "plate/mass_in_lb": 1 / POUNDS,
        "plate/mass_as_lb": POUNDS,
        "plate/force_in_kg": 1 / KILOGRAM_N,
    }
    near = (name for name, factor in units.items() if abs(ratio / factor - 1) < OF_UNIT)
    return [phrase(name) for name in near if of_mass or "/mass" not in name]


def fault_of(finding: Finding, before: State, evidence: Evidence, raw: Mapping[int, ForcePlate]) -> Fault | None:
    """The fault that a finding is, with its note; None of one that changes next to nothing.

    Parameters
    ----------
    finding : Finding
    before : State
        What it was found in.
    evidence : Evidence
    raw : mapping of int to ForcePlate
        The plates as the file has them, by number.
    """
    best = finding.best
    cause, used = best.hypothesis.cause, evidence.used
    numbers = tuple(evidence.plates[k].number for k in best.hypothesis.plates)
    every = tuple(evidence.plates[k].number for k in used)
    of_all = not numbers or numbers == every
    changed = effect(evidence, before, best.state)
    others = [_what(rival, evidence, raw) for rival in _different(finding)]
    values: dict[str, Any] = {"what": _what(best, evidence, raw), "others": others, "changed": changed}
    ratio = float(np.exp(best.size[0])) if cause in ("gain", "gain_vertical") else np.nan
    if of_all and cause in ("gain", "gain_vertical"):
        units = unit_of_ratio(ratio)
        kind = "body_not_carried/units" if units else "body_not_carried/mass"
        said = note(kind, several=len(every) > 1, ratio=ratio, units=units, less=ratio < 1, error=best.error[0])
        # a gain of the one plate, or as well the mass: nothing that it carries is believed
        return Fault(said, len(every) == 1 and changed > NOT_BELIEVED, common=every, ratio=ratio)
    if cause == "rate":
        return Fault(note("rate_doubtful/accelerations", **values), common=every)
    if cause in ("late", "drift"):
        near = changed < DOUBTED
        one = numbers and not of_all
        apart = "clocks_apart/plate" if one else "clocks_apart/drift" if cause == "drift" else "clocks_apart/all"
        name = "clocks_near" if near else apart
        said = note(name, plates=numbers if one else (), **values)
        return Fault(said, changed > NOT_BELIEVED, common=every)
    if cause in ("tilt", "yaw", "other_axes"):
        return Fault(note("laboratory_askew", **values), common=every)
    if changed < DOUBTED:
        return None
    # of a body that stumbles the trunk, where nobody measured it, may push as a gain would
    trunk = cause in ("gain_horizontal", "gain_channel") and not evidence.whole
    withheld = changed > NOT_BELIEVED and not trunk
    code = "plate_gain" if cause.startswith("gain") else "plate_doubtful"
    if withheld and cause in _WIRING:
        code = "plate_channel"
    elif withheld and cause in _PLACES:
        code = "plate_misplaced"
    group = "wired" if cause in _WIRING else "placed" if cause in _PLACES else "scaled"
    units = unit_of_ratio(ratio, of_mass=False) if np.isfinite(ratio) else []
    said = note(f"plate_doubtful/{group}", plates=numbers, units=units, **values)
    return Fault(said._replace(code=code), withheld)


def _different(finding: Finding) -> list[Fitted]:
    """Rivals that are of another cause, or of other plates, than the best and those before."""
    seen = {(finding.best.hypothesis.cause, finding.best.hypothesis.channels)}
    result = list[Fitted]()
    for rival in finding.rivals:
        key = rival.hypothesis.cause, rival.hypothesis.channels
        if key not in seen and len(result) < 2:
            seen.add(key)
            result.append(rival)
    return result


def _what(fitted: Fitted, evidence: Evidence, raw: Mapping[int, ForcePlate]) -> str:
    """What is wrong, in words."""
    hypothesis, size, error = fitted.hypothesis, fitted.size, fitted.error
    plates = [evidence.plates[k] for k in hypothesis.plates]
    names, sense = raw[plates[0].number].force_names if plates else (CHANNELS[:3], np.ones(3))
    named = dict(zip(CHANNELS, (*names, *CHANNELS[3:]), strict=True))
    values: dict[str, Any] = {
        "plates": tuple(plate.number for plate in plates),
        "channels": [named[name] for name in hypothesis.channels],
        "deg": hypothesis.degrees,
    }
    cause = hypothesis.cause
    if cause.startswith("gain"):
        times = float(np.exp(size[0]))
        values |= {"times": times, "error": times * error[0], "every": len(hypothesis.channels) == len(CHANNELS)}
        values |= {"several": len(hypothesis.channels) > 1}
        cause = "gain"
    elif cause == "exchanged":
        of_force = hypothesis.channels[0] == "Fx"
        turned = _turned(hypothesis.channels, hypothesis.wiring, sense if of_force else np.ones(3))
        values |= {"turned": [named[name] for name in turned]}
    elif cause == "moved":
        way_g = -(evidence.filed.R_gp[hypothesis.plates[0]][:, :2] @ size)
        values |= {"way": [f"{v * 100:+.1f}" for v in way_g], "error": 100 * float(norm(error))}
    elif cause == "crosstalk":
        values |= {"x": sense[0] * sense[2] * size[0], "y": sense[1] * sense[2] * size[1], "names": names}
        values |= {"x_name": names[0], "y_name": names[1], "z_name": names[2], "error": float(error.max())}
    elif cause == "zero":
        values |= {"N": [f"{v:+.0f}" for v in size], "error": float(error.max())}
        values |= {"unit": "N·m" if hypothesis.channels == ("Mz",) else "N"}
    elif cause in ("late", "drift"):
        values |= {"ms": abs(size[0]) * 1e3, "late": size[0] > 0, "error": error[0] * 1e3}
        values |= {"middle_ms": abs(size[-1]) * 1e3, "middle_late": size[-1] > 0}
    elif cause == "rate":
        values |= {"times": float(np.exp(abs(size[0]))), "high": size[0] > 0}
    elif cause in ("askew", "tilt", "yaw"):
        values |= {"deg": float(np.degrees(norm(size))), "error": float(np.degrees(norm(error)))}
    return phrase(f"hypothesis/{cause}", **values)


def _turned(channels: tuple[str, ...], wiring: tuple[float, float], sense: Array) -> list[str]:
    """Which of two exchanged channels have the wrong sign too, as the file counts them."""
    turned = [wiring[0] * sense[0] * sense[1] < 0, wiring[1] * sense[0] * sense[1] < 0]
    return [name for name, of in zip(channels, turned, strict=True) if of]


def effect(evidence: Evidence, before: State, after: State) -> float:
    """By how much any joint's moment changes when a fault is undone, N·m/kg."""
    return float(max(effects(evidence, before, after).values()))


def effects(evidence: Evidence, before: State, after: State) -> dict[str, Array]:
    """By how much the moment of each joint changes when a fault is undone, N·m/kg: the greatest, but for 5 % of times.

    The ankle is taken to lie over the pressure or behind it, the hip where the body's centre of mass is, the knee half
    way; the weight of the body is the one that its loads are held against.

    Parameters
    ----------
    evidence : Evidence
    before : State
    after : State
        Or several that are stacked, of which each has its change.
    """
    n, up_g = len(evidence.windows_s), evidence.up_g
    mass_kg = evidence.weight_N / GRAVITY if np.isfinite(evidence.weight_N) else USUAL_KG
    blocks: list[tuple[int, slice, Array, Array | None]] = [
        (k, slice(k * n, (k + 1) * n), evidence.axes[:, 0], evidence.com_g) for k in range(len(evidence.plates))
    ]
    blocks += [(int(evidence.plate_of[p.rows.start]), p.rows, p.forward_g, None) for p in evidence.pressing]
    changes: dict[str, Array] = dict.fromkeys(JOINTS, np.zeros(after.f_p.shape[:-2]))
    for k, rows, forward_g, com_g in blocks:
        (f_0, m_0, c_0), (f_1, m_1, c_1) = (_of_plate(state, k, rows) for state in (before, after))
        push = np.abs(f_0 @ up_g)
        loaded = push > LOADED * push.max(initial=0.0)
        if not loaded.any():
            continue
        over = c_0 + cross(up_g, m_0) / np.where(loaded, f_0 @ up_g, np.nan)[:, None] + ANKLE_M * up_g
        for ankle in (over, over - BEHIND_M * forward_g):
            hip = ankle if com_g is None else com_g
            for joint, share in zip(JOINTS, np.linspace(0.0, 1.0, len(JOINTS)), strict=True):
                arm = ankle + share * (hip - ankle) - c_0
                moved = m_1 + cross(c_1 - c_0 - arm, f_1) - m_0 + cross(arm, f_0)
                change = quantile(np.moveaxis(norm(moved)[..., loaded], -1, 0), 0.95) / mass_kg
                changes[joint] = np.maximum(changes[joint], change)
    return changes


def _of_plate(state: State, k: int, rows: slice) -> tuple[Array, Array, Array]:
    """Force and moment about the centre of a plate, laboratory axes, and that."""
    R_pg = np.swapaxes(state.R_gp[..., k, :, :], -1, -2)
    return state.f_p[..., rows, :] @ R_pg, state.m_p[..., rows, :] @ R_pg, state.centre_g[..., k, None, :]
