"""Realistic mistakes of plates, clocks, subjects and laboratories: what is done, and which causes would name it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from attack_markers import camera_rate_wrong, markers_tilted, markers_turned, measured_times
from attack_plates import (
    Spoil,
    all_plates,
    biased,
    clipped,
    corner,
    corners_in_order,
    crosstalk,
    each_plate,
    exchanged,
    late,
    late_forces,
    late_without_events,
    plates_exchanged,
    raised,
    rate_wrong,
    scaled,
    shifted,
    stretched,
    turned,
    with_plates,
)
from attack_signals import free_moment_as_Mz
from attack_trials import Case, Spoilt

Make = Callable[[Case, np.random.Generator], Iterator[Spoilt]]
FX, FY, FZ, MX, MY, MZ = range(6)
NAMES = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")


@dataclass(frozen=True, eq=False)
class Mistake:
    """One mistake.

    Attributes
    ----------
    group, name : str
    make : callable
        The spoilt trials of a case.
    causes : frozenset of str
        Any of these (`accusations.CAUSES`) names it.
    gross : bool
        A sign, an exchange, a factor of 2, a quarter of a turn, 50 ms.
    one : bool
        It is of the plates that the words of the spoilt trial name; else of all, or of none.
    """

    group: str
    name: str
    make: Make
    causes: frozenset[str]
    gross: bool = False
    one: bool = False

    def on(self, case: Case) -> Iterator[Spoilt]:
        """The spoilt trials, the same ones each time."""
        return self.make(case, np.random.default_rng(zlib.crc32(f"{case.name}: {self.name}".encode())))


def _of_plates(
    group: str, name: str, spoil: Spoil, causes: str, common: str = "", gross: bool = False
) -> Iterator[Mistake]:
    """One plate, then all; `common` are causes that name it as well where all plates have it."""
    of_one, of_all = frozenset(causes.split("/")), frozenset([*causes.split("/"), *filter(None, common.split("/"))])
    yield Mistake(group, f"{name}, one plate", partial(each_plate, spoil), of_one, gross, one=True)
    yield Mistake(group, f"{name}, all plates", partial(all_plates, spoil), of_all, gross)


def _one(group: str, name: str, make: Make, causes: str, gross: bool = False) -> Mistake:
    return Mistake(group, name, make, frozenset(causes.split("/")), gross, one=True)


def _all(group: str, name: str, make: Make, causes: str, gross: bool = False) -> Mistake:
    return Mistake(group, name, make, frozenset(causes.split("/")), gross)


def _part(make: Make, all_of_them: bool) -> Make:
    """The spoilt trials in which all plates are wrong, or those in which one is."""

    def some(case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
        yield from (one for one in make(case, draw) if one.words.startswith("all plates") == all_of_them)

    return some


def _all_turned(degrees: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """All plates declared turned, each about its centre."""
    turns = {}
    for plate in case.trial.plates:
        alone = Case(case.name, case.laboratory, case.trial, case.model, case.subject, case.static)
        alone.__dict__.update(result=case.result, plates_used=[plate.number])
        spoilt = next(iter(turned(degrees, alone, draw))).trial
        turns[plate.number] = next(p for p in spoilt.plates if p.number == plate.number)
    yield Spoilt("all plates", with_plates(case.trial, lambda plate: turns[plate.number]))


def _rate(factor: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    yield from rate_wrong(factor, bool(case.trial.events), case, draw)


def _channels() -> Iterator[Mistake]:
    for channel in range(6):
        causes = "sign/torsion" if channel == MZ else "sign"
        yield from _of_plates("signs", f"sign of {NAMES[channel]}", scaled(-1.0, channel), causes, gross=True)
    yield from _of_plates("signs", "sign of all channels", scaled(-1.0), "sign", gross=True)
    for a, b in ((FX, FY), (MX, MY)):
        name = f"{NAMES[a]} and {NAMES[b]} exchanged"
        yield from _of_plates("exchanges", name, exchanged(a, b), "exchange", gross=True)
    yield _one("exchanges", "cables of two plates exchanged", plates_exchanged, "plates_exchanged", gross=True)
    for factor in (0.5, 0.8, 0.9, 1.1, 2.0, 4.4482, 1 / 4.4482):
        gross = not 0.5 < factor < 2.0
        yield from _of_plates("gains", f"gain {factor:.3g}", scaled(factor), "gain", "mass", gross)
    for factor in (0.7, 1.4):
        yield from _of_plates("gains", f"gain {factor:g} of Fx and Fy", scaled(factor, FX, FY), "horizontal_gain")
    for factor in (0.8, 0.9, 1.1):
        yield from _of_plates("gains", f"gain {factor:g} of Mx and My", scaled(factor, MX, MY), "moment_gain")
    yield _one("gains", "gain 0.8 of My, one plate", partial(each_plate, scaled(0.8, MY)), "moment_gain")
    for channel in range(6):
        spoil = partial(each_plate, scaled(0.0, channel))
        yield _one("transducers", f"{NAMES[channel]} dead, one plate", spoil, "dead", gross=True)
    for share, words in ((0.0, "dead"), (0.5, "at half its gain")):
        causes = "dead/gain/moment_gain/moved"  # each of them is what one of four under the corners does
        yield _one("transducers", f"one of four {words}", partial(each_plate, corner(share)), causes)
    for share in (0.9, 0.7):
        yield _one("transducers", f"Fz clipped at {share:.0%}", partial(each_plate, clipped(share)), "clipped")
    for channel in (FZ, FX):
        for newtons in (10.0, 50.0, 200.0):
            yield _one("zeros", f"bias of {newtons:g} N in {NAMES[channel]}", partial(biased, newtons, channel), "zero")
    yield _one("zeros", "bias of 20 N·m in My", partial(biased, 20.0, MY), "zero")
    for into in (FX, FY):
        name = f"5 % of Fz read in {NAMES[into]}"
        yield from _of_plates("zeros", name, crosstalk(0.05, FZ, into), "crosstalk/tilt", "tilt")
    yield _one("transducers", "free moment stored as Mz", partial(each_plate, free_moment_as_Mz), "torsion")


def _places() -> Iterator[Mistake]:
    for degrees in (180.0, 90.0, 30.0, 5.0):
        name, gross = f"plate turned by {degrees:g}°", degrees >= 90
        yield _one("places", f"{name}, one plate", partial(turned, degrees), "turned", gross)
        yield _all("places", f"{name}, all plates", partial(_all_turned, degrees), "turned/yaw", gross)
    mirrored = partial(corners_in_order, (1, 0, 3, 2))
    yield _one("places", "corners of one plate mirrored", mirrored, "turned/sign", gross=True)
    for cm in (2, 3, 4, 6, 10):
        make = partial(shifted, cm * 1e-2)
        yield _one("places", f"shifted by {cm} cm, one plate", _part(make, False), "moved")
        yield _all("places", f"shifted by {cm} cm, all plates", _part(make, True), "moved")
    for cm in (3, 10):
        yield _all("places", f"plates {cm} cm too high", partial(raised, cm * 1e-2), "raised")
    for degrees in (2.0, 3.0, 5.0):
        yield _all("places", f"laboratory tilted by {degrees:g}°", partial(markers_tilted, degrees), "tilt")
    for degrees in (3.0, 5.0, 90.0):
        make = partial(markers_turned, degrees)
        yield _all("places", f"laboratory turned by {degrees:g}°", make, "yaw/turned", degrees == 90.0)


def _clocks() -> Iterator[Mistake]:
    for ms in (10, 20, 50, 100):
        for sign, way in ((1, "late"), (-1, "early")):
            name, gross = f"forces {ms} ms {way}", ms >= 50
            yield _all("clocks", f"{name}, with events", partial(late_forces, sign * ms * 1e-3), "late", gross)
            make = partial(late_without_events, sign * ms * 1e-3)
            yield _all("clocks", f"{name}, without events", make, "late", gross)
    for percent in (1, 2):
        make = partial(all_plates, stretched(1 + percent * 1e-2))
        yield _all("clocks", f"clock of the plates {percent} % fast", make, "drift")
    for ms in (20, 50):
        yield _one("clocks", f"one plate {ms} ms late", partial(each_plate, late(ms * 1e-3)), "late", ms >= 50)
    for factor in (2.0, 1.25, 0.8, 0.5):
        gross = factor in (0.5, 2.0)
        yield _all("clocks", f"declared rate × {factor:g}", partial(_rate, factor), "rate", gross)
        make = partial(camera_rate_wrong, factor)
        yield _all("clocks", f"declared rate of the cameras × {factor:g}", make, "rate/drift", gross)


def _subjects() -> Iterator[Mistake]:
    for factor in (0.9, 1.1, 2.2046):
        make = partial(measured_times, factor, ["mass"])
        yield _all("subjects", f"mass × {factor:.2g}", make, "mass/gain", factor > 2)


MISTAKES: tuple[Mistake, ...] = (*_channels(), *_places(), *_clocks(), *_subjects())
