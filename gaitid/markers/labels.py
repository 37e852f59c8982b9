"""Labels that jump, change places or stand still: found, named, and their frames taken as not seen, never corrected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise, product

import numpy as np

from gaitid.markers.elsewhere import MAJORITY, MOST_JUMPS, find_elsewhere
from gaitid.markers.faults import BESIDE, LabelFault, without
from gaitid.markers.filled import find_kinked, still_seen
from gaitid.markers.group_shifts import group_shift_faults
from gaitid.markers.jumps import jump_limit, shifts_between
from gaitid.markers.templates import Template, exchanged_frames, find_exchanged_throughout, off_the_body
from gaitid.markers.tracks import tracks_of
from gaitid.markers.unmeasured import find_copied, find_drawn, find_frozen, find_held, find_repeated, find_same
from gaitid.notes import Notes, note
from gaitid.numerics.masks import known_rows, spans
from gaitid.numerics.rotation import norm
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, IntArray, Mask

# s. Across a longer gap of two labels continuity does not tell which is which.
GAP_S = 0.15
# How much better continuity must be with two labels exchanged. Markers that were hidden together and kept their labels
# reach 2.1 across gaps of 0.2 s; exchanged ones are far above.
SWAP_RATIO = 3.0
# m. Finer steps are less than the noise of cameras: of moments of knee and hip, low-passed, steps of 0.5 mm cost 0.0013
# to 0.0065 N·m/kg in five walks, of 1 mm 0.0026 to 0.011, of 2 mm 0.006 to 0.024; noise of 0.3 mm 0.003 to 0.011.
COARSE_SAID_M = 0.00075


@frozen_dataclass(eq=False)
class CheckedLabels:
    """Markers without the frames that cannot be believed, and why.

    Attributes
    ----------
    markers : mapping of label to (frames, 3) array, m
        NaN in the frames that a fault names; otherwise unchanged.
    faults : tuple of LabelFault
    coarse_m : (float, float, float)
        Steps in which the coordinates along each axis come, where these are so coarse that they show; else 0.
    """

    markers: Mapping[str, Array]
    faults: tuple[LabelFault, ...]
    coarse_m: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def notes(self) -> Notes:
        """That the coordinates are coarse."""
        coarse = [axis for axis, step_m in zip("xyz", self.coarse_m, strict=True) if step_m >= COARSE_SAID_M]
        if not coarse:
            return ()
        axes = coarse if len(coarse) < 3 else ()
        return (note("markers_coarse", step_mm=1e3 * max(self.coarse_m), axes=axes),)


def check_labels(markers: Mapping[str, Array], rate_hz: float, templates: Sequence[Template] = ()) -> CheckedLabels:
    """Blank repeated frames first, then frozen markers, swaps, spikes and jumps: each step sees what is left.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        Laboratory axes; a frame with a NaN was not seen.
    rate_hz : float
    templates : sequence of Template
        Where a static shows the markers on their bodies. They decide which labels are exchanged throughout, and which
        part of a trial is right beside a jump or a swap; without them the longer part is.

    Returns
    -------
    CheckedLabels
    """
    whole = ((0, len(next(iter(markers.values()), ())) - 1),)
    faults = [
        LabelFault("reversed", e.labels, whole, e.better_m) for e in find_exchanged_throughout(markers, templates)
    ]
    checked = tracks_of(without(markers, faults))
    repeated = find_repeated(checked, rate_hz)
    coarse_m = tracks_of(without(checked, repeated)).coarse_along
    coarse = any(coarse_m)
    first = (*repeated, *find_same(checked), *(() if coarse else find_copied(checked)))
    suspicious = bool(first) or _suspicious(checked, rate_hz)
    faults += first
    checked = tracks_of(without(checked, first))
    kinked: Sequence[LabelFault] = () if coarse else find_kinked(checked, rate_hz)  # some of the kinks look like spikes
    for find in (find_frozen, find_held, find_drawn, group_shift_faults, find_swaps, find_elsewhere):
        if (coarse and find in (find_held, find_drawn, group_shift_faults)) or (
            not suspicious and find in (find_frozen, find_swaps)
        ):
            continue
        more = [_by_template(fault, checked, templates) for fault in find(checked, rate_hz)]
        more = [fault for fault in more if fault.frames or fault.kind in BESIDE]
        told = {at for fault in faults if fault.kind == "several_reset" for at in product(fault.labels, fault.at)}
        more = [fault for fault in more if fault.kind != "moved" or not {*product(fault.labels, fault.at)} <= told]
        checked = tracks_of(without(checked, more))
        faults += more
    faults += (left := still_seen(kinked, checked))
    checked = tracks_of(without(checked, left))
    return CheckedLabels(checked, tuple(faults), coarse_m)


def _by_template(fault: LabelFault, markers: Mapping[str, Array], templates: Sequence[Template]) -> LabelFault:
    """The fault in the frames in which the static shows it; none of them where the label is right throughout.

    Unchanged where the static does not tell.
    """
    wrong = None
    if fault.kind == "swap":
        wrong = exchanged_frames(markers, (fault.labels[0], fault.labels[1]), templates)
    elif fault.kind == "jump":
        (label,) = fault.labels
        wrong = off_the_body(markers, label, templates, fault.at, fault.size_m)
    if wrong is None:
        return fault
    return replace(fault, frames=tuple((first, stop - 1) for first, stop in spans(wrong)))


def _suspicious(markers: Mapping[str, Array], rate_hz: float) -> bool:
    """Whether anything may be found: a step too many, one too few, or a gap; all markers at once."""
    if not markers:
        return False
    tracks = tracks_of(markers)
    return not tracks.whole or bool((tracks.excess > jump_limit(tracks, rate_hz)).any() or tracks.still.any())


# --- for part of the trial ----------------------------------------------------------------------------------


def find_swaps(markers: Mapping[str, Array], rate_hz: float) -> list[LabelFault]:
    """Pairs of labels that change places, at once or across a gap of both, and where they are exchanged.

    They are taken as exchanged in every second part between the changes; after an odd number of them, in the parts
    that together are clearly shorter, and if neither is, throughout.
    """
    limit, faults = jump_limit(markers, rate_hz), list[LabelFault]()
    excess = tracks_of(markers).excess_at
    jumps = {label: excess(label) > limit for label in markers}
    few = {label: points for label, points in markers.items() if np.count_nonzero(jumps[label]) <= MOST_JUMPS}
    breaks = {label: _breaks(points, jumps[label], rate_hz) for label, points in few.items()}
    kept = {label: norm(shifts_between(markers[label], markers[label], *breaks[label])) for label in breaks}
    for a, b in combinations([label for label in breaks if len(kept[label])], 2):
        i, j = _at_the_same_time(breaks[a], breaks[b])
        # what the breaks leave unexplained with the labels as they are, and with the labels exchanged after them
        keep = kept[a][i] + kept[b][j]
        i, j, keep = i[keep > 2 * limit], j[keep > 2 * limit], keep[keep > 2 * limit]
        (before_a, after_a), (before_b, after_b) = breaks[a][:, i], breaks[b][:, j]
        swap = norm(shifts_between(markers[a], markers[b], before_a, after_b))
        swap += norm(shifts_between(markers[b], markers[a], before_b, after_a))
        better = keep > SWAP_RATIO * swap
        if better.any():
            changes = sorted({int(k) for k in np.maximum(after_a, after_b)[better]})
            seen = known_rows(markers[a]) | known_rows(markers[b])
            size = float(keep[better].max()) / 2
            faults.append(LabelFault("swap", (a, b), tuple(_exchanged_parts(seen, changes)), size))
    return faults


def _breaks(points: Array, jump: Mask, rate_hz: float) -> IntArray:
    """(2, breaks) frames before and after each step that no body makes and each short gap; in order, none overlap."""
    jumps = np.flatnonzero(jump)
    gaps = np.array([(first - 1, stop) for first, stop in spans(~known_rows(points))], dtype=int).reshape(-1, 2)
    inside = (gaps[:, 0] >= 0) & (gaps[:, 1] < len(points))
    gaps = gaps[inside & (gaps[:, 1] - gaps[:, 0] - 1 <= GAP_S * rate_hz)]
    breaks = np.concatenate([np.stack([jumps, jumps + 1], axis=1), gaps])
    return np.asarray(breaks[np.argsort(breaks[:, 0])].T)


def _at_the_same_time(one: IntArray, other: IntArray) -> tuple[IntArray, IntArray]:
    """The numbers of all breaks of one label and of another that overlap: no more pairs than there are breaks."""
    first, stop = np.searchsorted(other[1], one[0], side="right"), np.searchsorted(other[0], one[1], side="left")
    count = np.maximum(stop - first, 0)
    start = np.cumsum(count) - count
    return np.repeat(np.arange(len(count)), count), np.arange(count.sum()) + np.repeat(first - start, count)


def _exchanged_parts(seen: Mask, changes: Sequence[int]) -> list[tuple[int, int]]:
    parts = list(pairwise([0, *changes, len(seen)]))
    if len(changes) % 2 == 0:
        return [(a, b - 1) for a, b in parts[1::2]]
    counts = [sum(int(seen[a:b].sum()) for a, b in parts[k::2]) for k in (0, 1)]
    if max(counts) < MAJORITY * min(counts):
        return [(0, len(seen) - 1)]
    return [(a, b - 1) for a, b in parts[counts.index(min(counts)) :: 2]]
