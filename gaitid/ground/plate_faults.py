"""What is wrong with plates and clocks, by name and with an estimate: which loads are unknown, which only doubtful.

Four witnesses, each in a file of its own: the channels themselves (`plate_channels`), the line of the force, which
passes near the body's centre of mass (`line_of_force`), the body's momentum against the size of the force (`gains`)
and against its timing (`clocks`). What each was measured on stands in docs/balance.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.ground.balance import Balance
from gaitid.ground.clocks import clock_faults, far_apart
from gaitid.ground.contacts import LOADED, UNSUPPORTED, Contact, Loads
from gaitid.ground.fault import Borne, Fault, Stood
from gaitid.ground.gains import gain_faults, gains_along
from gaitid.ground.ground import Ground
from gaitid.ground.level_floor import level_faults
from gaitid.ground.line_of_force import direction_faults, lines_of
from gaitid.ground.pass_ends import parted
from gaitid.ground.plate_alignment import overlap_faults
from gaitid.ground.plate_channels import channel_faults, shared_torsion_faults, torsion_faults
from gaitid.ground.plate_load import PlateLoad
from gaitid.ground.push import horizontal_gain_faults, push_faults, pushes_of, running_gain_faults
from gaitid.ground.rates import rate_faults
from gaitid.ground.whole_steps import straight_way, whole_step_faults
from gaitid.notes import Notes, note
from gaitid.numerics.rotation import cross
from gaitid.numerics.statistics import mean_of_known
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, ForcePlate, IntArray, Trial, read_only

# Share of the mass within which the plates of the static and another weight are the same.
SAME_WEIGHT = 0.05


@frozen_dataclass(eq=False)
class Mover:
    """What is known of the body that the plates carry.

    Attributes
    ----------
    balance : Balance or None
        What its motion asks of the ground; None where something else carries it too.
    com_g : (frames, 3) array, m
        Its centre of mass.
    weight_N : float
        NaN where it is not known.
    weighed_by : str
        What the weight was estimated from: empty where a source says it.
    walked_N : float
        What the plates carry over whole steps of the trial (`gaitid.gait.body_mass`), where that is known; else NaN.
    """

    balance: Balance | None
    com_g: Array
    weight_N: float
    weighed_by: str = ""
    walked_N: float = float("nan")

    def __post_init__(self) -> None:
        object.__setattr__(self, "com_g", read_only(self.com_g))


@frozen_dataclass(eq=False)
class PlateFaults:
    """All that is wrong with the plates and clocks of a trial."""

    faults: tuple[Fault, ...]

    @property
    def withheld(self) -> Mapping[int, str]:
        """Plates of which nothing is known because of it, and why."""
        result: dict[int, str] = {}
        for fault in self.faults:
            for number in fault.plates if fault.withheld else ():
                result.setdefault(number, fault.note.text.removeprefix(f"plate {number}: "))
        return result

    @property
    def notes(self) -> Notes:
        return tuple(fault.note for fault in self.faults)

    def weighed_in_static(self, mass_kg: float, stored_kg: float) -> PlateFaults:
        """With what the static's plates say where plates and mass do not fit: whether it is the mass or the gain."""
        if not np.isfinite(mass_kg):
            return self
        return PlateFaults(tuple(_in_static(fault, mass_kg, stored_kg) for fault in self.faults))

    def without(self, ground: Ground) -> Ground:
        """The ground without the plates that are withheld, and without blame for events that forces are late for."""
        if not self.faults:
            return ground
        events_note = () if any(fault.with_events for fault in self.faults) else ground.events_note
        return replace(ground, withheld={**ground.withheld, **self.withheld}, events_note=events_note)


def _in_static(fault: Fault, mass_kg: float, stored_kg: float) -> Fault:
    if fault.note.code != "body_not_carried":
        return fault
    same, scaled = (abs(mass_kg / stored_kg / ratio - 1) < SAME_WEIGHT for ratio in (1.0, fault.ratio))
    says = note("body_not_carried/static", kg=mass_kg, given_kg=stored_kg, same=same, other=scaled and not same)
    return replace(fault, note=fault.note._replace(text=fault.note.text + says.text))


def faults_of_channels(trial: Trial, ground: Ground) -> list[Fault]:
    """Faults that the samples of plates show by themselves: nothing else asks for the samples."""
    raw, faults = {plate.number: plate for plate in trial.plates}, list[Fault]()
    for plate in ground.plates:
        if plate.number in ground.withheld:  # nobody uses it
            continue
        faults += channel_faults(plate, parted(raw[plate.number], ground.floor.passes, trial.rate_hz), ground)
        raw[plate.number].rest()
    return faults


def find_faults(trial: Trial, ground: Ground, loads: Loads, mover: Mover, of_channels: Sequence[Fault]) -> PlateFaults:
    """Faults of plates and clocks.

    Parameters
    ----------
    trial : Trial
    ground : Ground
    loads : Loads
        As judged with the plates as filed.
    mover : Mover
    of_channels : sequence of Fault
        Those of the channels (`faults_of_channels`).
    """
    if not ground.plates:
        return PlateFaults(())
    stood = stood_alone(ground, loads)
    raw: Mapping[int, ForcePlate] = {plate.number: plate for plate in trial.plates}
    faults = [*of_channels, *level_faults(ground, trial.rate_hz)]
    broken = {number for fault in faults if fault.withheld for number in fault.plates}
    sound = [one for one in stood if one.plate.number not in broken]
    lines = lines_of(sound, mover.com_g)
    walks = mover.balance is not None and mover.balance.tells and not mover.balance.flies
    if mover.balance is not None:  # what carries the body besides has a line of force of its own
        faults += direction_faults(lines, raw)
        named = {number for fault in faults if fault.withheld for number in fault.plates}
        pushes = list(pushes_of(ground, loads, mover.com_g, mover.balance))
        faults += push_faults(pushes, raw, named)
        known = {number for fault in faults for number in fault.plates}
        if walks:
            by_momentum = partial(gains_along, ground, loads, mover.balance)
            faults += horizontal_gain_faults(pushes, known, by_momentum)
        elif mover.balance.flies:
            faults += running_gain_faults(pushes, known)
    turned = {number for fault in faults for number in fault.plates}
    alone = [one for one in sound if one.plate.number not in turned]
    along_g = straight_way(ground, loads) if mover.balance is not None else None
    faults += torsion_faults(alone, walks and along_g is not None)
    faults += shared_torsion_faults(ground, loads, turned | {one.plate.number for one in alone})
    broken |= {number for fault in faults if fault.withheld for number in fault.plates}
    if mover.balance is not None and mover.balance.tells and mover.weight_N > 0:
        sound = [one for one in sound if one.plate.number not in broken]
        borne = [one for one in borne_alone(ground, loads) if not broken & set(one.plates)]
        gains = gain_faults(borne, loads, mover.balance, (mover.weight_N, mover.walked_N, mover.weighed_by))
        faults += gains
        broken |= {number for fault in gains if fault.withheld for number in fault.plates}
        body = mover.balance, mover.weight_N
        faults += clock_faults(trial, ground, loads, sound, body)
        if not any(fault.note.code == "rate_doubtful" for fault in faults):
            faults += rate_faults(ground, loads, mover.balance)
        # it makes all accelerations too large or too small
        if any(fault.note.code == "rate_doubtful" for fault in faults):
            faults = [fault for fault in faults if fault.note.code != "body_not_carried"]
        if not broken:
            of_steps = whole_step_faults(ground, loads, lines, mover.com_g, body, along_g)
            faults += [fault for fault in of_steps if not turned & set(fault.plates)]
    if not broken and not any(contact.plates for contact in loads.contacts):
        faults += far_apart(trial, ground)
    faults += overlap_faults(ground.plates, {number for contact in loads.contacts for number in contact.plates})
    return PlateFaults(tuple(faults))


def stood_alone(ground: Ground, loads: Loads) -> list[Stood]:
    """Known contacts of one foot with one plate, and the frames in which the other foot surely flies.

    Of a foot that reaches over an edge, or that is there only because the user says so, a plate may carry a part.
    """
    plates: Mapping[int, PlateLoad] = {plate.number: plate for plate in ground.plates}
    result = []
    for contact in loads.contacts:
        alone = _alone(ground, loads, contact) if len(contact.plates) == 1 else None
        if alone is None:
            continue
        foot = ground.feet[contact.side].during(slice(contact.first, contact.last + 1))
        toes_g = mean_of_known(foot.toe_g - foot.heel_g)
        frames = np.arange(contact.first, contact.last + 1)
        crosses = _crosses(ground, contact, foot, toes_g)
        result.append(Stood(contact.side, plates[contact.plates[0]], frames, alone, toes_g, crosses))
    return result


def borne_alone(ground: Ground, loads: Loads) -> list[Borne]:
    """What known contacts carry while the other foot surely flies, also those on several plates."""
    plates: Mapping[int, PlateLoad] = {plate.number: plate for plate in ground.plates}
    result = []
    for contact in loads.contacts:
        alone = _alone(ground, loads, contact)
        if alone is not None:
            force_g = np.add.reduce([plates[number].wrench.f_g[alone] for number in contact.plates])
            result.append(Borne(contact.plates, alone, force_g))
    return result


def _alone(ground: Ground, loads: Loads, contact: Contact) -> IntArray | None:
    """Frames of a whole and known contact in which the other foot surely flies; None of one that is not."""
    if not contact.plates or contact.beyond or contact.confidence <= UNSUPPORTED or len(ground.stances) < 2:
        return None
    here = slice(contact.first, contact.last + 1)
    alone = loads.by_side[contact.side].state[here] == LOADED
    for side, stance in ground.stances.items():
        if side != contact.side:
            alone &= stance.airborne[here]
    return np.asarray(alone.nonzero()[0] + contact.first)


def _crosses(ground: Ground, contact: Contact, foot: FootTrack, toes_g: Array) -> bool:
    """Whether a foot stands to the right of the other foot though it is the left one, or the other way round."""
    n, here_g = len(foot.heel_g), mean_of_known(foot.heel_g)
    begin, stop = ground.recorded(contact.first)
    around = slice(max(contact.first - n, begin), min(contact.last + n + 1, stop))
    for other, stance in ground.stances.items():
        if other == contact.side:
            continue
        there_g = mean_of_known(ground.feet[other].heel_g[around][stance.standing[around]])
        offset = float((here_g - there_g) @ cross(ground.floor.up_g, toes_g))
        if np.isfinite(offset):
            return offset < 0 if contact.side == "left" else offset > 0
    return False
