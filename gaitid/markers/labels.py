"""Labels that jump, change places or stand still: found, named, and their frames taken as not seen, never corrected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gaitid.markers.elsewhere import find_elsewhere
from gaitid.markers.faults import BESIDE, LabelFault, without
from gaitid.markers.filled import find_kinked, still_seen
from gaitid.markers.templates import Template, exchanged_frames, find_exchanged_throughout, off_the_body
from gaitid.markers.tracks import tracks_of
from gaitid.markers.unmeasured import find_copied, find_drawn, find_frozen, find_held, find_repeated, find_same
from gaitid.notes import Notes, note
from gaitid.numerics.masks import spans
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

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
    checked = tracks_of(without(markers, faults))
    repeated = find_repeated(checked, rate_hz)
    coarse_m = tracks_of(without(checked, repeated)).coarse_along
    coarse = any(coarse_m)
    faults += (first := [*repeated, *find_same(checked), *(() if coarse else find_copied(checked))])
    checked = tracks_of(without(checked, first))
    kinked: Sequence[LabelFault] = () if coarse else find_kinked(checked, rate_hz)  # some of the kinks look like steps
    for find in (find_frozen, *(() if coarse else (find_held, find_drawn))):
        faults += (more := find(checked, rate_hz))
        checked = tracks_of(without(checked, more))
    moved, lost = find_elsewhere(checked, rate_hz, max(coarse_m)) if checked else ([], [])
    moved = [_by_template(fault, checked, templates) for fault in moved]
    faults += (moved := [fault for fault in moved if fault.frames or fault.kind in BESIDE])
    checked = tracks_of(without(checked, moved))
    faults += (left := still_seen(kinked, checked))
    return CheckedLabels(without(checked, left), tuple(faults), coarse_m, tuple(lost))


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
