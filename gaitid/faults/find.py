"""All that is wrong with plates, clocks and the laboratory, in the order in which it is looked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from gaitid.faults.detectable import Detectable, detectable
from gaitid.faults.evidence import Evidence
from gaitid.faults.gathering import Mover, gather
from gaitid.faults.judge import Court, Finding, Judgement, judge
from gaitid.faults.laboratory import Day, Share, corners_of, day_of, effects_on, known_faults, share_of_trial
from gaitid.faults.words import fault_of
from gaitid.ground.clocks import far_apart, lasts_otherwise, zeros_apart
from gaitid.ground.contacts import Loads
from gaitid.ground.ground import Ground
from gaitid.ground.plate_channels import Fault, channel_faults
from gaitid.ground.plate_load import STEP, PlateLoad, parted
from gaitid.notes import Notes, note, phrase
from gaitid.records import frozen_dataclass
from gaitid.trial import ForcePlate, Trial

# Share of the mass within which the plates of the static and another weight are the same.
SAME_WEIGHT = 0.05
# m. By more than this no plate lies on another one: in 20 recordings with plates side by side they do by 0.0 at most.
ON_ANOTHER = 0.02
# Squares of residuals in terms of those of sound recordings, from which on nothing fits.
UNEXPLAINED = 6.0


@frozen_dataclass(eq=False)
class PlateFaults:
    """All that is wrong with the plates and clocks of a trial, and what it could not have shown.

    Attributes
    ----------
    faults : tuple of Fault
    not_seen : tuple of Detectable
    laboratory : Share or None
        What it tells of its laboratory.
    held_against : str
        The day of the laboratory that the trial was judged by; empty where none is known.
    """

    faults: tuple[Fault, ...]
    not_seen: tuple[Detectable, ...] = ()
    laboratory: Share | None = None
    held_against: str = ""

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

    def weighed_in_static(self, weigh: Callable[[], float], stored_kg: float) -> PlateFaults:
        """With what the static's plates say where plates and mass do not fit: whether it is the mass or the gain."""
        if all(fault.note.code != "body_not_carried" for fault in self.faults) or not np.isfinite(mass_kg := weigh()):
            return self
        return replace(self, faults=tuple(_in_static(fault, mass_kg, stored_kg) for fault in self.faults))

    def without(self, ground: Ground) -> Ground:
        """The ground without the plates that are withheld, and without blame for events that forces are late for."""
        if not self.faults:
            return ground
        late = any(fault.note.code == "clocks_apart" for fault in self.faults)
        return replace(
            ground, withheld={**ground.withheld, **self.withheld}, events_note=() if late else ground.events_note
        )


def _in_static(fault: Fault, mass_kg: float, stored_kg: float) -> Fault:
    if fault.note.code != "body_not_carried":
        return fault
    same, scaled = (abs(mass_kg / stored_kg / ratio - 1) < SAME_WEIGHT for ratio in (1.0, fault.ratio))
    says = note("body_not_carried/static", kg=mass_kg, given_kg=stored_kg, same=same, other=scaled and not same)
    return replace(fault, note=fault.note._replace(text=fault.note.text + says.text))


def _by_laboratory(fault: Fault, words: str, day: Day | None) -> Fault:
    """With how it goes with what is known of the laboratory."""
    if day is None:
        return fault
    return replace(fault, note=fault.note._replace(text=fault.note.text + phrase(words, day=day.name)))


def faults_of_channels(trial: Trial, ground: Ground) -> list[Fault]:
    """Faults that the samples of plates show by themselves: nothing else asks for the samples."""
    raw, faults = {plate.number: plate for plate in trial.plates}, list[Fault]()
    for plate in ground.plates:
        if plate.number in ground.withheld:  # nobody uses it
            continue
        faults += channel_faults(plate, parted(raw[plate.number], ground.floor.passes, trial.rate_hz), ground)
        raw[plate.number].rest()
    return faults


def find_faults(
    trial: Trial, ground: Ground, loads: Loads, mover: Mover, of_channels: Sequence[Fault], days: Sequence[Day] = ()
) -> PlateFaults:
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
    days : sequence of Day
        What is known of the laboratory; the last with the same plates counts.
    """
    if not ground.plates:
        return PlateFaults(())
    raw: Mapping[int, ForcePlate] = {plate.number: plate for plate in trial.plates}
    faults, not_seen = list(of_channels), tuple[Detectable, ...]()
    laboratory, corners = None, corners_of(trial.plates)
    day = day_of(days, trial)
    if days and day is None:
        faults.append(Fault(note("file_beside/laboratory")))
    broken = {number for fault in faults if fault.withheld for number in fault.plates}
    sound = replace(ground, plates=tuple(plate for plate in ground.plates if plate.number not in broken))
    faults += lasts_otherwise(trial, ground, loads)
    apart = list[Fault]()
    if not broken and not any(contact.plates for contact in loads.contacts):
        apart = zeros_apart(trial, ground, mover.weight_N) or far_apart(trial, ground)
    if sound.plates and not any(fault.note.code == "rate_doubtful" for fault in faults):
        evidence = gather(sound, loads, mover)
        court = Court(evidence, effects_on(evidence, day))
        said = judge(court)
        # of forces under other feet only exchanged plates say as much as another time
        if any(finding.best.hypothesis.cause == "plates_exchanged" for finding in said.findings):
            apart = []
        elif apart:
            said = Judgement((), np.nan, np.nan)
        before = evidence.filed
        for known in known_faults(evidence, day):
            if (fault := fault_of(Finding(known, ()), before, evidence, raw)) is not None:
                faults.append(_by_laboratory(fault, "laboratory/known", day))
        for finding in said.findings:
            if (fault := fault_of(finding, before, evidence, raw)) is not None:
                faults.append(_by_laboratory(fault, "laboratory/beyond", day))
                faults += _perhaps_shared(fault, evidence, loads)
            before = finding.best.state
        not_seen = detectable(court, before) if court.n else ()
        if not apart and not any(fault.withheld for fault in faults):
            laboratory = share_of_trial(court, said, corners)
        if said.left > UNEXPLAINED:
            numbers = tuple(evidence.plates[k].number for k in evidence.used)
            faults.append(Fault(note("plate_doubtful/nothing_fits", plates=numbers, times=np.sqrt(said.left))))
    faults += apart
    faults += overlap_faults(ground.plates, {number for contact in loads.contacts for number in contact.plates})
    return PlateFaults(tuple(faults), not_seen, laboratory, day.name if day is not None else "")


def _perhaps_shared(fault: Fault, evidence: Evidence, loads: Loads) -> Iterator[Fault]:
    """Plates that tell nothing, where those that do all have a fault: one of all plates is as common as one of one."""
    judged = {evidence.plates[k].number for k in evidence.used}
    if fault.withheld and fault.note.plates and judged <= {*fault.note.plates}:
        for number in sorted({number for contact in loads.contacts for number in contact.plates} - judged):
            said = note("plate_doubtful/shared", plates=(number,), others=fault.note.plates)
            yield Fault(said._replace(code=fault.note.code), withheld=True)


def overlap_faults(plates: Sequence[PlateLoad], stood_on: Collection[int]) -> Iterator[Fault]:
    """Pairs of plates of one floor that lie on each other, of which a foot stood on one: one lies elsewhere.

    Parameters
    ----------
    plates : sequence of PlateLoad
    stood_on : collection of int
        Numbers of those that carry a known contact.
    """
    for a, b in combinations([plate for plate in plates if plate.outlined], 2):
        level = abs((b.centre_g - a.centre_g) @ a.normal_g) < STEP
        if not level or not {a.number, b.number} & set(stood_on):
            continue
        depth = min(_depth(a, b), _depth(b, a))
        if depth > ON_ANOTHER:
            yield Fault(note("plate_doubtful/overlap", plates=(a.number, b.number), cm=depth * 100))


def _depth(a: PlateLoad, b: PlateLoad) -> float:
    """By how much two surfaces overlap along the sides of the first, m; negative where they are apart."""
    reach = a.half + np.abs(a.R_gp.T @ b.R_gp)[:2, :2] @ b.half
    return float((reach - np.abs((b.centre_g - a.centre_g) @ a.R_gp)[:2]).min())
