"""Plates that a file holds more than once: each load that is that of another plate, or of others together.

Capture programs store one plate as an analog and as a digital device, or add a plate that is the sum of others. The
loads tell it, wherever such a plate has its axes and its origin: in laboratory axes and about one point, forces add
and moments add.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.errors import GaitidError
from gaitid.notes import Notes, note
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import cross, norm
from gaitid.read.plates import LOADED_N
from gaitid.read.plates.channel_units import LASTING_S
from gaitid.read.plates.surface import plate_axes
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, ForcePlate

# RMS of what is left of a load without the others, of the RMS of that load; both as they are, or less their means (a
# plate that nobody zeroed). Of 33 recordings of real plates it is 0.98 or more, whichever are added, and 0.56 where
# somebody stands still, his feet 0.13 m apart; of a copy that has 5 N of noise on each channel 0.06.
_SAME = 0.1
# m. So much lever makes a force of a moment about the line along which the load's mean force acts: two feet that stand
# still with half the weight each, 0.06 m apart, then differ by 0.29 of it.
_LEVER_M = 0.2
# Samples that are looked at, at most, of each plate, evenly spaced; and plates, as the sums of n are 2ⁿ.
_SAMPLES, _PLATES = 512, 12


@frozen_dataclass(eq=False)
class PlateSamples:
    """What some samples of one plate, evenly spaced, say of it.

    Attributes
    ----------
    plate : ForcePlate
    line_g : (3,) array, m
        A point on the line along which its mean force acts.
    area : float
        Of its surface, m²; infinite without edges.
    force_g : (n, 3) array, N
    moment_g : (n, 3) array, N·m
        About the laboratory's origin.
    loaded : bool
        Whether a force lasts that is surely a load.
    """

    plate: ForcePlate
    line_g: Array
    area: float
    force_g: Array
    moment_g: Array
    loaded: bool

    def about(self, point_g: Array) -> Array:
        """(n, 6) force and, as a force at the end of `_LEVER_M`, moment about a point, N."""
        moment = self.moment_g - cross(point_g, self.force_g)
        return np.concatenate([self.force_g, moment / _LEVER_M], axis=1)


def samples_of(plate: ForcePlate) -> PlateSamples | None:
    """What some samples of a plate say of it; None where its corners span no rectangle."""
    try:
        R_gp, centre_g, half = plate_axes(plate)
    except GaitidError:
        return None
    every = max(plate.n_samples // _SAMPLES, 1)
    force_g, moment_g = plate.force_p[::every] @ R_gp.T, plate.moment_p[::every] @ R_gp.T
    moment_g += cross(centre_g + R_gp @ plate.sensor_p, force_g)
    with np.errstate(invalid="ignore"):
        pressed = np.count_nonzero(norm(force_g) > LOADED_N)
    force, moment = force_g[known_rows(force_g)].sum(axis=0), moment_g[known_rows(moment_g)].sum(axis=0)
    # p = f × m / |f|² about the surface's centre: about a line through p along f the mean load has no other moment
    arm = cross(force, moment - cross(centre_g, force)) / max(float(force @ force), 1e-9)
    loaded = bool(pressed * every >= max(LASTING_S * plate.rate_hz, 1))
    return PlateSamples(plate, centre_g + arm, float(4 * half.prod()), force_g, moment_g, loaded)


def without_repeated(
    plates: Sequence[ForcePlate], samples: Mapping[int, PlateSamples | None] | None = None
) -> tuple[tuple[ForcePlate, ...], Notes]:
    """The plates, each load once, and a note on every one that is left out.

    Of two plates with one load the smaller stays, as the larger may span others that nobody stood on; else that with
    the lower number. Plates on which nobody stood all stay.

    Parameters
    ----------
    plates : sequence of ForcePlate
    samples : mapping of plate number to PlateSamples, optional
        `samples_of` each, where that is known.
    """
    if len(plates) < 2:
        return tuple(plates), ()
    if samples is None:
        samples = {plate.number: samples_of(plate) for plate in plates}
    loaded = [of for plate in plates if (of := samples[plate.number]) is not None and of.loaded]
    repeated: dict[int, list[PlateSamples]] = {}
    kept: list[PlateSamples] = []
    # a sum presses more than each of its parts, as plates only push
    for of in sorted(loaded, key=lambda of: float(np.nan_to_num(norm(of.force_g)).mean())):
        comparable = [other for other in kept if _at_the_same_times(of.plate, other.plate)][:_PLATES]
        parts = _parts(of, comparable)
        if len(parts) == 1 and _better(of, parts[0]):
            (other,) = parts
            repeated = {n: [of if part is other else part for part in parts] for n, parts in repeated.items()}
            repeated[other.plate.number] = [of]
            kept[kept.index(other)] = of
        elif parts:
            repeated[of.plate.number] = parts
        else:
            kept.append(of)
    notes = []
    for number, parts in sorted(repeated.items()):
        numbers = sorted(part.plate.number for part in parts)
        name = "plate_repeated/once" if len(parts) == 1 else "plate_repeated/sum"
        notes.append(note(name, plates=(number,), others=numbers))
    return tuple(plate for plate in plates if plate.number not in repeated), tuple(notes)


def repeated_plates(notes: Notes) -> dict[int, str]:
    """The plates that were left out, and why, by the notes of a trial."""
    left_out = [note for note in notes if note.code == "plate_repeated"]
    return {number: note.text.removeprefix(f"plate {number}: ") for note in left_out for number in note.plates}


def _at_the_same_times(a: ForcePlate, b: ForcePlate) -> bool:
    return (a.n_samples, a.rate_hz, a.start_s) == (b.n_samples, b.rate_hz, b.start_s)


def _better(a: PlateSamples, b: PlateSamples) -> bool:
    """Whether the first of two plates with one load is the one to use."""
    return (round(a.area, 3), a.plate.number) < (round(b.area, 3), b.plate.number)


def _parts(of: PlateSamples, others: Sequence[PlateSamples]) -> list[PlateSamples]:
    """The plates whose loads together are that of another one; none where no sum of them is."""
    if not others:
        return []
    loads = np.stack([each.about(of.line_g) for each in (of, *others)])
    known = np.isfinite(loads).all(axis=(0, 2))
    if not known.any():
        return []
    loads = loads[:, known]
    # every choice of the others
    chosen = (np.arange(1, 1 << len(others))[:, None] >> np.arange(len(others))) & 1
    signs = np.concatenate([-np.ones((len(chosen), 1)), chosen], axis=1)
    least, parts = _SAME, chosen[0] * 0
    for asked in (loads - loads.mean(axis=1, keepdims=True), loads):
        products = np.tensordot(asked, asked, axes=([1, 2], [1, 2]))
        # what each leaves of the load: |x − Σ xᵢ|² from the products of all with all
        left = np.einsum("si,ij,sj->s", signs, products, signs).clip(0.0)
        best = int(np.argmin(left))
        if products[0, 0] > 0 and left[best] <= least**2 * products[0, 0]:
            least, parts = float(np.sqrt(left[best] / products[0, 0])), chosen[best]
    return [other for other, is_part in zip(others, parts, strict=True) if is_part]
