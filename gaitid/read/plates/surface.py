"""The surface of a force plate, its axes and its sensor; and plates that a file holds more than once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from gaitid.errors import GaitidError
from gaitid.notes import Notes, note
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import cross, norm, unit
from gaitid.read.plates import LOADED_N
from gaitid.read.plates.channel_units import LASTING_S
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, ForcePlate, frozen

#: Corners of a rectangle close it, |c1 − c2 + c3 − c4| = 0, m: surveys miss by millimetres; up to the second number
#: the axes and the centre, means of all four, are off by 5 mm and 2° at most; a wrong corner misses by more.
CLOSES_M, NEARLY_CLOSES_M = 0.010, 0.020
# Surfaces that share more than this of the smaller one, at the same height to within `_LEVEL_M`, are no two plates.
_OVERLAP = 0.2
_LEVEL_M = 0.05


def closing_error(corners_g: Array) -> float:
    """|c1 − c2 + c3 − c4|, m: 0 where the corners are those of a flat rectangle (or parallelogram)."""
    return float(np.linalg.norm(corners_g[0] - corners_g[1] + corners_g[2] - corners_g[3]))


def plate_axes(plate: ForcePlate) -> tuple[Array, Array, Array]:
    """Axes (3, 3), centre (3,) and half size (2,) of a plate from its own corners.

    x runs along c1 + c4 − c2 − c3, y along c1 + c2 − c3 − c4, z = x × y into the plate (C3D corner order).

    Raises
    ------
    GaitidError
        Corners that span no rectangle.
    """
    if plate.R_gp is not None and plate.centre_g is not None and not plate.outlined:
        return plate.R_gp, plate.centre_g, np.full(2, np.inf)
    axes = _axes_of_corners(plate.corners_g.tobytes())
    if axes is None:
        raise GaitidError(
            f"plate {plate.number}: its corners are not those of a rectangle",
            expected="corners 1 to 4 in order around the plate",
        )
    return axes


@lru_cache(maxsize=64)
def _axes_of_corners(corners: bytes) -> tuple[Array, Array, Array] | None:
    """`plate_axes` of a plate with these corners; None where they span no rectangle. Asked for several times a run."""
    corners_g = np.frombuffer(corners).reshape(4, 3)
    c1, c2, c3, c4 = corners_g
    x, y = c1 + c4 - c2 - c3, c1 + c2 - c3 - c4
    length_x, length_y = np.linalg.norm(x), np.linalg.norm(y)
    if not (length_x > 0 and length_y > 0) or abs(x @ y) > 0.1 * length_x * length_y:
        return None
    z = unit(cross(x, y))
    # exactly orthogonal, whatever the rounding of the corners: z kept, x nearly so
    x = unit(x)
    y = unit(cross(z, x))
    R_gp = np.column_stack([cross(y, z), y, z])
    return frozen(R_gp), frozen(corners_g.mean(axis=0)), frozen(np.array([length_x, length_y]) / 4)


def overlap(a: Array, b: Array) -> float:
    """Share of the smaller of two surfaces, (4, 3) corners each, that the other covers; 0 where that is little.

    0 also where `b` is not level with `a`: a step lies above the floor.
    """
    x, y = a[0] - a[1], a[0] - a[3]
    x, z = unit(x), unit(cross(x, y))
    axes = np.stack([x, cross(z, x), z], axis=1)
    a_2, b_3 = ((a - a[0]) @ axes)[:, :2], (b - a[0]) @ axes
    if np.abs(b_3[:, 2]).max() > _LEVEL_M:
        return 0.0
    b_2 = b_3[:, :2]
    if (b_2.min(axis=0) >= a_2.max(axis=0)).any() or (b_2.max(axis=0) <= a_2.min(axis=0)).any():
        return 0.0  # side by side, as most plates are
    piece, clip = _counter_clockwise(b_2), _counter_clockwise(a_2)
    smaller = min(_area(piece), _area(clip))
    # Sutherland and Hodgman (1974): cut one polygon along each edge of the other
    for start, end in zip(clip, np.roll(clip, -1, axis=0), strict=True):
        edge = end - start
        inside = edge[0] * (piece[:, 1] - start[1]) - edge[1] * (piece[:, 0] - start[0])
        kept: list[Array] = []
        for i in range(len(piece)):
            j = (i + 1) % len(piece)
            if inside[i] >= 0:
                kept.append(piece[i])
            if (inside[i] >= 0) != (inside[j] >= 0):
                kept.append(piece[i] + (piece[j] - piece[i]) * inside[i] / (inside[i] - inside[j]))
        if len(kept) < 3:
            return 0.0
        piece = np.array(kept)
    share = abs(_area(piece)) / smaller
    return share if share > _OVERLAP else 0.0


def _area(polygon: Array) -> float:
    x, y = polygon[:, 0], polygon[:, 1]
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def _counter_clockwise(polygon: Array) -> Array:
    return polygon if _area(polygon) > 0 else polygon[::-1]


def sensor_vector(origin: Array) -> tuple[Array, Notes]:
    """From the surface's centre to the sensor, in plate axes with z down, whichever way it was stored.

    Nexus stores that vector itself (z > 0), the C3D convention the opposite one (z < 0). A sensor lies below
    the surface, so the whole vector is turned where its z is negative.
    """
    if origin[2] < 0:
        return -origin, (note("reading_info/origin_turned"),)
    return origin, ()


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
