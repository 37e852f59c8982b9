"""Labels that jump, change places or stand still: found, named, and their frames taken as not seen, never corrected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gaitid.markers.elsewhere import find_elsewhere
from gaitid.markers.faults import BESIDE, LabelFault, without
from gaitid.markers.filled import find_copied, find_drawn, find_frozen, find_repeated, find_same, find_without_range
from gaitid.markers.templates import (
    Template,
    exchanged_frames,
    find_exchanged_in_part,
    find_exchanged_throughout,
    off_the_body,
)
from gaitid.markers.tracks import Tracks, frames_at_once, tracks_of
from gaitid.notes import Notes, note
from gaitid.numerics.masks import spans
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

# Markers, fewer of which may all be at rest.
FEWEST_SEEN = 3
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
    lost : tuple of (int, float)
        The frames, from 0, behind camera frames that are missing, and how far all markers go on, as of one frame.
    """

    markers: Mapping[str, Array]
    faults: tuple[LabelFault, ...]
    coarse_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    lost: tuple[tuple[int, float], ...] = ()

    @property
    def notes(self) -> Notes:
        """That the coordinates are coarse."""
        coarse = [axis for axis, step_m in zip("xyz", self.coarse_m, strict=True) if step_m >= COARSE_SAID_M]
        if not coarse:
            return ()
        axes = coarse if len(coarse) < 3 else ()
        return (note("markers_coarse", step_mm=1e3 * max(self.coarse_m), axes=axes),)


def check_labels(markers: Mapping[str, Array], rate_hz: float, templates: Sequence[Template] = ()) -> CheckedLabels:
    """Markers without what cannot be believed: numbers that no camera measured, and labels that are elsewhere.

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
    for pair, wrong, better_m in find_exchanged_in_part(without(markers, faults), templates):
        frames = tuple((first, stop - 1) for first, stop in spans(wrong))
        faults.append(LabelFault("swap", pair, frames, better_m))
    tracks = tracks_of(without(markers, faults))
    coarse_m, drawn = _not_measured(tracks, rate_hz)
    faults += drawn
    tracks = tracks_of(without(tracks, drawn))
    moved, lost, kinked = find_elsewhere(tracks, rate_hz, max(coarse_m)) if tracks else ([], [], [])
    moved = [_by_template(fault, tracks, templates) for fault in moved]
    moved = [fault for fault in moved if fault.frames or fault.kind in BESIDE]
    if not any(coarse_m):
        named = {label for fault in moved if fault.kind != "moved" for label in fault.labels}
        cut = {fault.labels: fault for fault in kinked if fault.labels[0] not in named}
        moved = [*(fault for fault in moved if fault.labels not in cut), *cut.values()]
    return CheckedLabels(without(tracks, moved), (*faults, *moved), coarse_m, tuple(lost))


def _not_measured(tracks: Tracks, rate_hz: float) -> tuple[tuple[float, float, float], list[LabelFault]]:
    """Steps in which coordinates come, m, and numbers that no camera measured, some frames at a time."""
    repeated = find_repeated(tracks, rate_hz) if len(tracks) >= FEWEST_SEEN else []
    measured = tracks_of(without(tracks, repeated))
    coarse_m = measured.coarse_along
    faults = [*repeated, *find_same(measured)]
    faults += [] if any(coarse_m) else find_without_range(measured)
    measured = tracks_of(without(measured, faults))
    found: dict[tuple[str, tuple[str, ...]], LabelFault] = {}
    for block in frames_at_once(len(tracks.points)):
        some = tracks_of({label: points[block] for label, points in measured.items()})
        more = find_frozen(some, max(coarse_m))
        more += [] if any(coarse_m) else [*find_drawn(some), *find_copied(some)]
        for fault in (fault.later(block.start) for fault in more):
            same = found.get((fault.kind, fault.labels), fault)
            frames = (*same.frames, *fault.frames) if same is not fault else fault.frames
            found[fault.kind, fault.labels] = replace(fault, frames=frames, size_m=max(same.size_m, fault.size_m))
    return coarse_m, [*faults, *found.values()]


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
