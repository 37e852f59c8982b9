"""Errors of plates and clocks after what a trial shows of them, and of estimated loads, as shifts of loads on feet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from gaitid.analysis.pipeline import pipeline_of
from gaitid.faults.laboratory import day_of
from gaitid.faults.plate_errors import PlateErrors, Sizes, plate_errors
from gaitid.numerics.rotation import cross
from gaitid.trial import Array
from gaitid.uncertainty.shift import Error, OfLoads, Shift

if TYPE_CHECKING:
    from gaitid.uncertainty.perturbed import Perturbed

#: `Sources.sizes`.
EverySize = Mapping[str, Mapping[str, float]]


def errors_of_plates(every: EverySize, perturbed: Perturbed) -> PlateErrors:
    """Those of plates and clocks after what the trial and its laboratory show; `Sources.sizes` before."""
    result, (frames, laboratory_s) = perturbed.result, every["timing"].values()
    of = every["force_plates"]
    delay_s = float(np.hypot(frames / result.trial.rate_hz, laboratory_s))
    usual = Sizes(of["gain_percent"], of["cop_mm"], of["crosstalk_percent"], of["turn_deg"], delay_s)
    day = day_of(pipeline_of(result).laboratory, result.trial)
    return plate_errors(result.laboratory[0], day, result.ground, usual)


def on_plates(perturbed: Perturbed) -> bool:
    """Whether anything stands on plates."""
    return perturbed.result.model.touches_ground and bool(perturbed.result.ground.plates)


def of_plates(every: EverySize, perturbed: Perturbed) -> Iterator[Error]:
    """Of each plate its own; those of several share a shift, as what stands on different plates is never compared."""
    if not on_plates(perturbed):
        return
    sizes, result = every["force_plates"], perturbed.result
    of, up_g = errors_of_plates(every, perturbed), result.ground.floor.up_g
    places = {plate.number: plate.centre_g for plate in result.ground.plates}
    middle_g = np.mean([*places.values()], axis=0)
    f_g = np.stack([np.nan_to_num(result.sides[side].load.wrench.f_g) for side in perturbed.sides])
    push = (f_g @ up_g)[..., None]

    def felt(each: Mapping[int, Array]) -> Array:
        """(sides, frames, n) of the plate that a foot stands on, or the mean of several."""
        of_sides = np.zeros((*f_g.shape[:2], len(next(iter(each.values())))))
        for contact in result.contacts:
            if contact.side in perturbed.sides and contact.plates:
                mean = np.mean([each[number] for number in contact.plates], axis=0)
                of_sides[perturbed.sides.index(contact.side), contact.loaded] = mean
        return of_sides

    turned = felt({k: of.turn_rad * cross(up_g, place - middle_g) for k, place in places.items()})
    horizontal = felt({k: np.array([plate.horizontal]) for k, plate in of.plates.items()})
    shifts: list[tuple[str, OfLoads]] = [
        ("gain", {"gain": felt({k: np.array([plate.gain]) for k, plate in of.plates.items()})}),
        ("gain of horizontal forces", {"force": horizontal * (f_g - push * up_g)}),
        ("turned about the vertical", {"turn": np.array(of.turn_rad), "cop": turned}),
        ("free moment", {"free_moment": np.array(sizes["free_moment_Nm"])}),
    ]
    for j in range(3):
        shifts.append((f"force, {'xyz'[j]}", {"force": sizes["force_N"] * np.eye(3)[j]}))
    for j in range(2):
        shifts.append(("centre of pressure", {"cop": felt({k: plate.cop_g[j] for k, plate in of.plates.items()})}))
        crosstalk = felt({k: plate.crosstalk_g[j] for k, plate in of.plates.items()})
        shifts.append(("vertical force in a horizontal one", {"force": crosstalk * push}))
    for words, load in shifts:
        if any(np.any(size) for size in load.values()):
            yield Error("force_plates", words, Shift(load=load))


def of_clocks(every: EverySize, perturbed: Perturbed) -> Iterator[Error]:
    """Early and late apart, as an impact is no straight line of a delay.

    At 0 and √3 standard deviations to either side, with weights of 2/3 and 1/6, the mean square of what a normal error
    changes is right to the fifth order (Julier & Uhlmann 2004, Proc IEEE 92:401-422, eq. 12).
    """
    delay_s = errors_of_plates(every, perturbed).delay_s
    if delay_s and on_plates(perturbed):
        for words, sign in (("later", 1), ("earlier", -1)):
            key = "late", sign * float(np.sqrt(3.0)) * delay_s
            yield Error("timing", f"forces {words} than markers", Shift(load={key: np.array(1 / np.sqrt(6.0))}))


def of_estimated(every: EverySize, perturbed: Perturbed) -> Iterator[Error]:
    """Of loads from the body's motion, by the modes of what each stance may be off by (`Filled.errors`): each is one
    error of all its frames.

    Those of several stances share a shift: what is off in one is not what is off in another, but no frame of a side
    feels both.
    """
    times, estimate = every["estimated_loads"]["times"], perturbed.estimate
    if not times or estimate is None or estimate.loads is None:
        return
    together: list[Array] = []
    for one in estimate.loads.stances:
        side, frames = one.stance.side, one.stance.frames
        here = estimate.frames(side)[frames][:, None]
        for k, error in enumerate(one.errors()):
            if k == len(together):
                together.append(np.zeros((len(perturbed.sides), perturbed.result.trial.n_frames, 6)))
            both = np.concatenate([error.f_g, error.m_g], axis=1)
            together[k][perturbed.sides.index(side), frames] += np.where(here, times * both, 0.0)
    for k, each in enumerate(together, start=1):
        yield Error("estimated_loads", f"mode {k} of estimated loads", Shift(load={"estimated": each}))
