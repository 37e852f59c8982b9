"""The whole job: two sources in, of which one may be what Plug-in Gait stored; how far they lie apart and why out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.stored_outputs import OWN_SUFFIX, choose_set, read_stored, stored_ground
from gaitid.body.subject import SubjectFile
from gaitid.compare.align import FRAMES, Aligned, align
from gaitid.compare.curves import OPENSIM, RESULT, STORED, Curves
from gaitid.compare.detectable import Detectable, beyond, detectable
from gaitid.compare.explain import Explanation, Share, explain, scales_of, shares
from gaitid.compare.measures import SHOWN, Measured, difference, measure_all
from gaitid.compare.mixed_loads import FootOnPlates, load_from
from gaitid.compare.mixture import Made, Mixtures
from gaitid.compare.sources import Reading, open_pair
from gaitid.errors import GaitidError
from gaitid.ground.contacts import AIR, LOADED, UNKNOWN, Contact, Loads
from gaitid.ground.plate_load import PlateLoad
from gaitid.inputs import found_trial
from gaitid.model.load import bundled_models, load_model
from gaitid.numerics.masks import known_rows, spans
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, IntArray, Mask, Trial

MODEL = "pig_vicon"
# N/kg. Plug-in Gait's force is met to 5e-7 (docs/accuracy.md); that of another plate, or of none, is not.
_SAME = 1e-3
_METHOD = "the ground reaction that is stored"


class Bridge(NamedTuple):
    """`pig_vicon` on a trial, and what is worth saying of it."""

    made: Made
    notes: tuple[str, ...]


def bridge(trial: Trial, outputs: Mapping[str, Array]) -> Bridge:
    """`pig_vicon` with the loads that Plug-in Gait put on the feet.

    Parameters
    ----------
    trial : Trial
        With the measurements that it stores.
    outputs : mapping of str to (frames, 3) array
        Those that it stores.

    Raises
    ------
    GaitidError
        The trial lacks markers or measurements.
    """
    model = load_model(bundled_models()[MODEL])
    result = analyse(trial, model, SubjectFile())
    mass_kg = result.subject.mass_kg
    sides = dict(result.sides)
    loads = dict(result.loads.by_side)
    contacts: list[Contact] = []
    unmatched = 0
    for side in loads:
        ground = stored_ground(outputs, side)
        ground = np.zeros((trial.n_frames, 3)) if ground is None else np.where(np.isfinite(ground), ground, 0.0)
        state, placements = _placements(ground, result.ground.plates, mass_kg)
        unmatched += int((state == UNKNOWN).sum())
        load = load_from(state, placements, result.ground.plates, result.settings.contact_threshold_N)
        loads[side] = load
        sides[side] = replace(sides[side], load=load, acting=load)
        contacts += [
            Contact(side, s.plates, s.first, s.last, float("nan"), _METHOD, 1.0, "", (s.first, s.last))
            for s in placements
        ]
    notes = (f"the stored ground reaction is no plate's in {unmatched} frames",) if unmatched else ()
    of_feet = Loads(loads, tuple(contacts))
    loaded = replace(result, loads=of_feet, sides=sides)
    return Bridge(Made(loaded, contacts_given=True), notes)


def _placements(ground: Array, plates: Sequence[PlateLoad], mass_kg: float) -> tuple[IntArray, list[FootOnPlates]]:
    """Of each frame what was known of a foot's load, and on which plates it was taken to stand.

    Parameters
    ----------
    ground : (frames, 3) array, N/kg
        0 where there is no load.
    plates : sequence of PlateLoad
    mass_kg : float
    """
    loaded = np.abs(ground).max(axis=1) > 0
    state: IntArray = np.where(loaded, UNKNOWN, AIR).astype(np.intp)
    placements: list[FootOnPlates] = []
    for chosen in _sets(plates):
        total = np.sum([plate.wrench.f_g for plate in chosen], axis=0) / mass_kg
        met: Mask = loaded & (state == UNKNOWN) & known_rows(total)
        met[met] = np.abs(total[met] - ground[met]).max(axis=1) < _SAME
        state[met] = LOADED
        numbers = tuple(plate.number for plate in chosen)
        placements += [FootOnPlates(numbers, start, stop - 1) for start, stop in spans(met)]
    return state, placements


def _sets(plates: Sequence[PlateLoad]) -> Iterator[tuple[PlateLoad, ...]]:
    """Single plates, then pairs."""
    for n in (1, 2):
        yield from combinations(plates, n)


@frozen_dataclass(eq=False)
class Comparison:
    """Two sets of curves, how far they lie apart, and why.

    Attributes
    ----------
    a, b : Curves
    aligned : Aligned
    measured : tuple of Measured
        Those that people look at first.
    scales : mapping of quantity to float
        The largest range of a curve: what differences of several quantities are divided by to be held together.
    explanation : Explanation or None
    why_not : str
        Why there is no explanation.
    sure : Detectable or None
        How large a difference must be to be more than its uncertainty; None where no result says how sure it is.
    """

    a: Curves
    b: Curves
    aligned: Aligned
    measured: tuple[Measured, ...]
    scales: Mapping[str, float]
    explanation: Explanation | None
    why_not: str
    sure: Detectable | None = None

    @property
    def shown(self) -> tuple[Measured, ...]:
        """Angles, moments, powers and the ground's force."""
        return tuple(m for m in self.measured if m.shown)

    @property
    def compared(self) -> tuple[Measured, ...]:
        """Of those, the curves that both sides know in some row."""
        return tuple(m for m in self.shown if m.n)

    @property
    def differing(self) -> tuple[Measured, ...]:
        """Of these, the curves that are not the same."""
        return tuple(m for m in self.compared if not m.same)

    @property
    def quantities(self) -> tuple[str, ...]:
        """Of the curves that are not the same."""
        there = {m.quantity for m in self.differing}
        return tuple(q for q in SHOWN if q in there)

    def beyond(self, m: Measured) -> tuple[float, float, int] | None:
        """Share of the rows of a curve that differ by more than their uncertainty, the largest difference over it, and
        its row; None where how sure the curve is is not known.
        """
        if self.sure is None or m.column not in self.sure.limits:
            return None
        result = beyond(self.sure.limits[m.column], difference(self.aligned.curves[m.column], m.quantity))
        return result if result[2] >= 0 else None

    def shares(self, quantity: str | None = None) -> Mapping[str, Share]:
        """Of each part over the curves of a quantity that are not the same, or over all of them together."""
        if self.explanation is None:
            return {}
        columns = [m.column for m in self.differing if quantity in (None, m.quantity)]
        scales = self.scales if quantity is None else {quantity: 1.0}
        return shares(self.explanation, columns, scales) if columns else {}

    def ranked(self, quantity: str | None = None) -> list[tuple[str, Share]]:
        """Parts by the size of what they change, the largest first; without the remainder."""
        results = [item for item in self.shares(quantity).items() if item[0] != "remainder"]
        return sorted(results, key=lambda item: -abs(item[1].share))


def compare(
    a: Path,
    b: Path,
    reading: Reading = Reading(),  # noqa: B008
    way: str | None = None,
    same: str | None = None,
    sessions: Path | None = None,
) -> Comparison:
    """Compare two results, or a result with what another program computed.

    Parameters
    ----------
    a, b : Path
        A ``run.json``, its folder or stem; a folder of several, a session; a C3D with stored outputs; OpenSim's
        ``.sto`` or ``.mot``. One of them a result.
    reading : Reading
    way : {"frames", "time", "cycle"}, optional
        What curves are drawn over; by default what fits.
    same : {"session", "subject", "nothing"}, optional
        What results of different recordings have in common; by default what their records show.
    sessions : Path, optional
        What `gaitid repeatability` wrote: the smallest detectable changes are taken from it.

    Raises
    ------
    GaitidError
        One line.
    """
    pair = open_pair(a, b, reading)
    return compare_curves(*pair, way=way, start_s=reading.start_s, same=same, sessions=sessions)


def compare_curves(
    a: Curves,
    b: Curves,
    way: str | None = None,
    start_s: float | None = None,
    same: str | None = None,
    sessions: Path | None = None,
) -> Comparison:
    """Compare two sets of curves; as `compare`."""
    aligned = align(a, b, way, start_s)
    measured = measure_all(aligned)
    if not any(m.n for m in measured):
        raise GaitidError(f"nothing can be compared: in no row is a curve known in {a.name} and in {b.name}")
    explanation, why_not = None, ""
    try:
        explanation, why_not = _explained(a, b, aligned)
    except GaitidError as error:
        why_not = error.line()
    sure = detectable(aligned, same, sessions)
    return Comparison(a, b, aligned, measured, scales_of(measured), explanation, why_not, sure)


def _explained(a: Curves, b: Curves, aligned: Aligned) -> tuple[Explanation | None, str]:
    """Why they differ, or why that is not told."""
    if OPENSIM in (a.kind, b.kind):
        return None, "OpenSim's files hold no ingredients that could be exchanged"
    if aligned.way != FRAMES:
        return None, "reasons are told of one recording compared frame by frame, not of means or of other instants"
    if STORED in (a.kind, b.kind):
        return _towards_stored(a, b, aligned)
    if not aligned.same_recording:
        return None, "they are of different recordings"
    first, second = _made(a), _made(b)
    return explain(Mixtures(first, second), aligned.curves, _rows(first, aligned), b.name, False), ""


def _towards_stored(a: Curves, b: Curves, aligned: Aligned) -> tuple[Explanation | None, str]:
    """A result's way to what Plug-in Gait stored: by `pig_vicon`, which has its arithmetic."""
    result, stored = (a, b) if a.kind == RESULT else (b, a)
    if stored.set_name == OWN_SUFFIX:
        return None, "these outputs were written by gaitid: compare with the result itself"
    if stored.set_name:
        return None, f"only Plug-in Gait's arithmetic is known, not that of the outputs {stored.set_name}"
    first = _made(result)
    assert stored.trial is not None
    trial = read_stored(found_trial(stored.trial))
    outcome = bridge(trial, choose_set(trial, "" if stored.set_name == "" else None)[1])
    towards = f"{MODEL} (the arithmetic of Plug-in Gait, with the measurements that {stored.name} stores)"
    mixtures = Mixtures(first, outcome.made)
    explanation = explain(mixtures, aligned.curves, _rows(first, aligned), towards, result is b)
    notes = (*explanation.notes, *outcome.notes)
    return Explanation(explanation.towards, explanation.parts, explanation.difference, explanation.remainder, notes), ""


def _made(curves: Curves) -> Made:
    make: Callable[[], Made] | None = curves.make
    if make is None:
        raise GaitidError(f"{curves.name}: nothing tells what it was made from")
    return make()


def _rows(made: Made, aligned: Aligned) -> Array:
    """Of each row the frame of the recording, from 0."""
    return np.asarray(aligned.x - made.result.trial.first_frame)
