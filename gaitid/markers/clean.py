"""Markers as recorded -> markers to compute with: labels checked, gaps filled, noise filtered, all of it recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gaitid.errors import TrialError
from gaitid.markers.cuts import find_lost_frames, lost_frame_notes, refuse_cuts
from gaitid.markers.exchanged import find_exchanged, numbered_clusters
from gaitid.markers.faults import BESIDE, KEEP, LabelFault, beside_steps, fault_words, without
from gaitid.markers.filtering import (
    SMOOTHED_BELOW_MM,
    bandwidth,
    filter_notes,
    reach,
    residual_analysis,
    resolved,
    strong_filter_notes,
    through_filter,
)
from gaitid.markers.gaps import Gap, GapLimits, bridge, fill_gaps
from gaitid.markers.labels import check_labels
from gaitid.markers.passes import blocks_of, find_passes, pass_notes
from gaitid.markers.templates import Template
from gaitid.markers.together import together_faults
from gaitid.markers.tracks import Tracks, one_by_one, tracks_of
from gaitid.model import specs
from gaitid.notes import Notes, note, phrase
from gaitid.numerics.masks import known_rows
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Trial, seen_as

# So many gaps are named in a warning; the record has all.
MAX_NAMED = 6


@frozen_dataclass(eq=False)
class Markers:
    """Markers to compute with, and what was done to them.

    Attributes
    ----------
    seen : mapping of label to (frames, 3) array, m
        Labels checked and gaps filled, not filtered; NaN where unknown.
    filtered : mapping of label to (frames, 3) array, m
        The same, filtered.
    support : mapping of label to (frames, 3) array, m
        The same with the gaps that stay open bridged, so that derivatives beside them have support; where a frame of
        `filtered` is unknown, what follows from this one must be thrown away. `filtered` itself where no gap is open.
    first_frame : int
        Number of the trial's first frame, for words.
    settings : Settings
        Cut-off and frames at the ends as decided.
    quality : mapping
        For the record.
    notes : Notes
    passes : tuple of slice
        The frames of each walk (`gaitid.markers.passes`).
    rate_hz : float
    gaps : tuple of Gap
        Frames count from the trial's first.
    """

    seen: Mapping[str, Array]
    filtered: Mapping[str, Array]
    support: Mapping[str, Array]
    first_frame: int
    settings: specs.Settings
    quality: Mapping[str, Any]
    notes: Notes
    passes: tuple[slice, ...]
    rate_hz: float
    gaps: tuple[Gap, ...]

    @property
    def doubted(self) -> Mapping[str, str]:
        """Labels that are not believed in a tenth of the trial or more, and what is wrong with them, in words."""
        doubted: dict[str, str] = {}
        for fault in self.quality["label_faults"]:
            lost = sum(last - first + 1 for first, last in fault["frames"])
            n_frames = len(next(iter(self.seen.values())))
            what = fault_words(fault["kind"], fault["labels"], fault["size_mm"] * 1e-3, also=fault["or_labels"])
            if 10 * lost >= n_frames:
                text = phrase("fault/believed_in_part", what=what, lost=lost, n_frames=n_frames)
                doubted |= dict.fromkeys((*fault["labels"], *fault["or_labels"]), text)
        return doubted


def model_markers(trial: Trial, model: specs.Model) -> dict[str, Array]:
    """Positions, (frames, 3), m, by label, of the markers that the model knows and the trial saw.

    Of several labels that a marker may carry the first that was seen: the others are other markers.
    """
    return _first_seen(trial, model, model.roles)


def calibration_markers(trial: Trial, model: specs.Model) -> dict[str, Array]:
    """Positions, (frames, 3), m, by label, of the markers that only measure the subject and the trial saw."""
    return _first_seen(trial, model, model.calibration_roles)


def _first_seen(trial: Trial, model: specs.Model, roles: Sequence[tuple[str, str]]) -> dict[str, Array]:
    labels = (next(filter(trial.has, model.labels(role, side)), "") for side, role in roles)
    return {label: trial.marker(label) for label in labels if label}


def clean_markers(trial: Trial, model: specs.Model, templates: Sequence[Template] = ()) -> Markers:
    """The model's markers of a trial: labels checked, gaps filled, noise filtered.

    Parameters
    ----------
    trial : Trial
    model : Model
    templates : sequence of Template
        Where a static shows the markers on their bodies, by the trial's labels.

    Raises
    ------
    TrialError
        The cut-off is not below half the rate, frames are missing, or left and right are exchanged.
    """
    letters = [side.letter for side in model.sides]
    loaded = model.touches_ground and bool(trial.plates)
    raw = model_markers(trial, model)
    how = (model.settings, trial.rate_hz, trial.first_frame, letters, loaded, templates, trial.passes)
    computed = [fault for fault in _computed(trial) if fault.labels[0] in raw]
    if not computed or model.settings.doubtful_labels != "unknown":
        return clean(raw, *how)
    seen = without(raw, computed)
    cleaned = clean(seen, *how)
    records = [_fault_record(fault, trial.first_frame) for fault in computed]
    quality = {**cleaned.quality, "label_faults": [*records, *cleaned.quality["label_faults"]]}
    notes = (*(fault.note(trial.first_frame) for fault in computed), *cleaned.notes)
    return replace(cleaned, quality=quality, notes=notes)


def _computed(trial: Trial) -> list[LabelFault]:
    """Markers that the file says were computed for some frames: gaps that were filled before."""
    runs: dict[str, list[tuple[int, int]]] = {}
    for label, first, last in trial.computed:
        runs.setdefault(label, []).append((first, last))
    return [LabelFault("computed", (label,), tuple(frames), 0.0) for label, frames in runs.items()]


def clean(  # noqa: PLR0913 - what a trial and a model say of it
    raw: Mapping[str, Array],
    settings: specs.Settings,
    rate_hz: float,
    first_frame: int,
    letters: Sequence[str],
    loaded: bool = True,
    templates: Sequence[Template] = (),
    passes: tuple[slice, ...] = (),
) -> Markers:
    """Check labels, fill gaps, filter.

    Parameters
    ----------
    raw : mapping of label to (frames, 3) array, m
        Laboratory axes; NaN where a marker was not seen.
    settings : Settings
    rate_hz : float
    first_frame : int
        Number of the trial's first frame, for words.
    letters : sequence of str
        With which the labels of the two sides begin.
    loaded : bool
        Whether loads of plates will meet these markers.
    templates : sequence of Template
    passes : tuple of slice
        The frames of each walk; found where they are not given.

    Raises
    ------
    TrialError
        The cut-off is not below half the rate, frames are missing, or left and right are exchanged.
    """
    tracks = tracks_of(raw)  # what several checks need of them is computed once
    limits = GapLimits(settings.gap_sure_s, settings.gap_spline_s, settings.gap_rigid_s, settings.gap_error_mm * 1e-3)
    passes = passes or find_passes(tracks, rate_hz, max(limits.sure_s, limits.spline_s))
    blocks = blocks_of(passes, len(tracks.points))
    checked = [
        _checked_and_filled(of, settings, rate_hz, first_frame + block.start, letters, templates, limits)
        for block, of in zip(blocks, _parts(tracks, blocks), strict=True)
    ]
    faults = [fault.later(block.start) for block, part in zip(blocks, checked, strict=True) for fault in part.faults]
    gaps = [gap.later(block.start) for block, part in zip(blocks, checked, strict=True) for gap in part.gaps]
    seen = _joined([part.seen for part in checked], blocks, tracks)
    open_gaps = [gap for gap in gaps if not gap.method]
    support = _joined([part.support for part in checked], blocks, tracks) if open_gaps else seen
    settings, of_noise, noise_notes = resolved(tracks, seen, settings, rate_hz)
    smooth, figures, settings = through_filter(support, settings, rate_hz, of_noise.get("rough_markers_mm", {}))
    unfiltered: dict[str, Array] = {label: np.ascontiguousarray(points) for label, points in seen.items()}
    through = unfiltered if smooth is seen.points else one_by_one(support, smooth)
    faults = beside_steps(faults, reach(figures, rate_hz), len(tracks.points))
    filtered = without(_without_gaps(through, unfiltered, open_gaps), (f for f in faults if f.kind in BESIDE))
    quality = {
        **of_noise,
        "marker_filter": figures,
        "marker_bandwidth_hz": bandwidth(smooth, figures, rate_hz),
        "gaps": [_gap_record(gap, first_frame) for gap in gaps],
        "label_faults": [_fault_record(fault, first_frame) for fault in faults],
        **_missing(tracks),
        **(residual_analysis(seen, rate_hz) if of_noise["marker_noise_mm"] > SMOOTHED_BELOW_MM else {}),
    }
    notes = (
        *pass_notes(passes, first_frame),
        *dict.fromkeys(note for part in checked for note in part.notes),
        *(fault.note(first_frame) for fault in faults),
        *_gap_notes(gaps, first_frame),
        *noise_notes,
        *filter_notes(settings, figures, loaded),
        *strong_filter_notes(seen.points, smooth, settings),
    )
    return Markers(unfiltered, filtered, through, first_frame, settings, quality, notes, passes, rate_hz, tuple(gaps))


class _Checked(NamedTuple):
    """The markers of one pass: without faults of their labels, and with their gaps filled."""

    seen: Tracks
    support: Tracks
    faults: list[LabelFault]
    gaps: tuple[Gap, ...]
    notes: Notes


def _checked_and_filled(
    tracks: Tracks,
    settings: specs.Settings,
    rate_hz: float,
    first_frame: int,
    letters: Sequence[str],
    templates: Sequence[Template],
    limits: GapLimits,
) -> _Checked:
    """Check labels and fill gaps of one pass, whose first frame has this number; frames of the answer count from it."""
    checked, faults = tracks, list[LabelFault]()
    notes: Notes = ()
    if settings.doubtful_labels == "unknown":
        together = together_faults(tracks, rate_hz, first_frame)
        checked = tracks_of(without(tracks, together))
        if together:
            tracks.forget()
        refuse_cuts(checked, rate_hz, first_frame)
        lost = find_lost_frames(checked, rate_hz)
        result = check_labels(checked, rate_hz, templates)
        checked, faults = tracks_of(result.markers), [*together, *result.faults]
        notes = (*result.notes, *lost_frame_notes(lost, first_frame))
        if len(letters) == 2:
            settled = {label for fault in faults if fault.kind == "reversed" for label in fault.labels}
            others = {label: points for label, points in checked.items() if label not in settled}
            clusters = numbered_clusters(template.places for template in templates)
            exchanged = find_exchanged(others, (letters[0], letters[1]), clusters)
            _refuse_crossed(exchanged)
            checked = tracks_of(without(checked, exchanged))
            faults += exchanged
        for one in (tracks, checked):
            one.forget()
    filled = fill_gaps(checked, rate_hz, limits)
    seen = tracks_of(filled.markers)
    is_open = any(not gap.method for gap in filled.gaps)
    return _Checked(seen, tracks_of(bridge(filled.unsure, rate_hz)) if is_open else seen, faults, filled.gaps, notes)


def _parts(tracks: Tracks, blocks: Sequence[slice]) -> list[Tracks]:
    """The markers of each block; of one, the same."""
    if len(blocks) == 1:
        return [tracks]
    return [tracks_of({label: points[block] for label, points in tracks.items()}) for block in blocks]


def _joined(parts: Sequence[Tracks], blocks: Sequence[slice], like: Tracks) -> Tracks:
    """The markers of all blocks, NaN between them; of one, the same."""
    if len(parts) == 1:
        return parts[0]
    result = {label: np.full_like(points, np.nan) for label, points in like.items()}
    for part, block in zip(parts, blocks, strict=True):
        for label, points in part.items():
            result[label][block] = points
    return tracks_of(result)


def _without_gaps(
    through: Mapping[str, Array], seen: Mapping[str, Array], open_gaps: Sequence[Gap]
) -> Mapping[str, Array]:
    """Markers without what bridges their open gaps; those given where nothing does."""
    empty: dict[str, Array] = {}
    for label in dict.fromkeys(gap.label for gap in open_gaps):
        is_open = ~known_rows(seen[label])
        if (is_open & known_rows(through[label])).any():
            empty[label] = np.where(is_open[:, None], np.nan, through[label])
    return {**through, **empty} if empty else through


def _refuse_crossed(exchanged: Sequence[LabelFault]) -> None:
    """Refuse a trial in which several labels lie on the other side: the sides are exchanged, not the labels."""
    crossed = [" and ".join(fault.labels) for fault in exchanged if not fault.also]
    if len(crossed) > 1:
        raise TrialError(
            f"left and right are exchanged: {', '.join(crossed)} are each nearer to the markers of the other side",
            expected="labels of the left side on the subject's left",
            todo=f"correct the labels, or keep them with {KEEP}",
        )


# --- gaps and labels ----------------------------------------------------------------------------------------


def _gap_notes(gaps: Sequence[Gap], first_frame: int) -> Notes:
    notes = []
    for code, these in (("gap_filled", [g for g in gaps if g.method]), ("gap_open", [g for g in gaps if not g.method])):
        # of a pose, which is seen as a whole or not at all, one of the points that stand for it
        these = [gap for gap in these if seen_as(gap.label) == gap.label or gap.label.endswith("#origin")]
        if these:
            named = [gap.words(first_frame) for gap in these[:MAX_NAMED]]
            notes.append(note(code, n=len(these), gaps=named, more=max(len(these) - MAX_NAMED, 0)))
    return tuple(notes)


def _gap_record(gap: Gap, first_frame: int) -> dict[str, Any]:
    return {
        "marker": gap.label,
        "first_frame": gap.first + first_frame,
        "last_frame": gap.last + first_frame,
        "filled_by": gap.method,
        "partners": list(gap.partners),
        "error_mm": gap.error_m * 1e3,
        "left_open_because": gap.reason,
    }


def _fault_record(fault: LabelFault, first_frame: int) -> dict[str, Any]:
    return {
        "kind": fault.kind,
        "labels": list(fault.labels),
        "or_labels": list(fault.also),
        "frames": [[a + first_frame, b + first_frame] for a, b in fault.frames],
        "size_mm": fault.size_m * 1e3,
        **({"step_mm": list(fault.step_mm)} if fault.step_mm else {}),
        **({"turn_deg": fault.turn_deg, "turn_axis": list(fault.turn_axis)} if fault.turn_axis else {}),
    }


def _missing(raw: Tracks) -> dict[str, Any]:
    counts = {} if raw.whole else dict(zip(raw, (~raw.known).sum(axis=0).tolist(), strict=True))
    return {"marker_frames_missing": {label: n for label, n in sorted(counts.items()) if n}}
