"""What Plug-in Gait stored of a trial -> the result of `pig_vicon`, with the feet that Plug-in Gait took as loaded.

Its arithmetic is known (docs/method.md): `pig_vicon` computes the same from the markers, the channels and the
measurements that the trial stores. Which foot Plug-in Gait put on which plate follows from the ground reaction that it
stored: here the plates are those whose force it is. So its moments can be explained also where it took a foot that
flies for loaded, or a loaded one for flying.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.stored_outputs import stored_ground
from gaitid.body.subject import SubjectFile
from gaitid.compare.mixed_loads import Stood, load_from
from gaitid.compare.mixture import Made
from gaitid.ground.contacts import AIR, LOADED, UNKNOWN, Contact, Loads
from gaitid.ground.plate_load import PlateLoad
from gaitid.model.load import bundled_models, load_model
from gaitid.numerics.masks import known_rows, spans
from gaitid.records import NamedTuple
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
        state, stood = _stood(ground, result.ground.plates, mass_kg)
        unmatched += int((state == UNKNOWN).sum())
        load = load_from(state, stood, result.ground.plates, result.settings.contact_threshold_N)
        loads[side] = load
        sides[side] = replace(sides[side], load=load, acting=load)
        contacts += [
            Contact(side, s.plates, s.first, s.last, float("nan"), _METHOD, 1.0, "", (s.first, s.last)) for s in stood
        ]
    notes = (f"the stored ground reaction is no plate's in {unmatched} frames",) if unmatched else ()
    of_feet = Loads(loads, tuple(contacts))
    loaded = replace(result, loads=of_feet, sides=sides)
    return Bridge(Made(loaded, contacts_given=True), notes)


def _stood(ground: Array, plates: Sequence[PlateLoad], mass_kg: float) -> tuple[IntArray, list[Stood]]:
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
    stood: list[Stood] = []
    for chosen in _sets(plates):
        total = np.sum([plate.wrench.f_g for plate in chosen], axis=0) / mass_kg
        met: Mask = loaded & (state == UNKNOWN) & known_rows(total)
        met[met] = np.abs(total[met] - ground[met]).max(axis=1) < _SAME
        state[met] = LOADED
        numbers = tuple(plate.number for plate in chosen)
        stood += [Stood(numbers, start, stop - 1) for start, stop in spans(met)]
    return state, stood


def _sets(plates: Sequence[PlateLoad]) -> Iterator[tuple[PlateLoad, ...]]:
    """Single plates, then pairs."""
    for n in (1, 2):
        yield from combinations(plates, n)
