"""Messages on markers, gaps and filters."""

from __future__ import annotations

from gaitid.notes.message import GOOD, USABLE, Message

_LABELS = "correct the labels there"

MARKERS = {
    "passes": Message("info", "the recording holds several walks, and each is analysed by itself", GOOD),
    "label_fault": Message(
        "error", "a label jumps, changes places or stands still; its frames count as not seen", USABLE, _LABELS
    ),
    "labels_exchanged": Message(
        "error", "two labels seem to be exchanged throughout; what needs them is empty", USABLE, "correct the labels"
    ),
    "marker_spike": Message("info", "a marker is off its track in one or a few frames; they count as not seen", GOOD),
    "marker_moved": Message(
        "doubt",
        "a marker makes a step that its neighbours do not make, and stays there",
        USABLE,
        "correct the marker there",
    ),
    "markers_coarse": Message(
        "doubt",
        "the coordinates of the markers come in coarse steps: accelerations are rough",
        USABLE,
        "export the trial again with all its digits",
    ),
    "markers_jump": Message(
        "doubt",
        "all markers, or several, jump by one length, or several turn together; those frames count as not seen",
        USABLE,
        "see whether a camera was moved or the origin set anew there",
    ),
    "frames_lost": Message(
        "doubt",
        "single camera frames are missing: accelerations there, and times after them, are wrong",
        USABLE,
        "export the trial again from the system that recorded it",
    ),
    "frames_repeated": Message(
        "doubt",
        "camera frames repeat the one before in all markers; they count as not seen",
        USABLE,
        "export the trial again from the system that recorded it",
    ),
    "labels_unused": Message(
        "error", "labels lie where what they name cannot be, and are not used", USABLE, "correct the labels"
    ),
    "gap_filled": Message("info", "gaps of markers were filled", GOOD),
    "gap_open": Message(
        "doubt",
        "gaps of markers stay open, and what needs them is empty",
        GOOD,
        "fill the gaps where the markers were recorded",
    ),
    "pose_unsure": Message(
        "doubt",
        "a segment is told by fewer of its markers, which move otherwise than all of them",
        USABLE,
        "fill the gaps of that marker where it was recorded",
    ),
    "marker_filter": Message(
        "assumption",
        "the markers carry noise, and a filter was chosen for them",
        GOOD,
        "choose the filter with --cutoff",
    ),
    "markers_rough": Message(
        "doubt",
        "the markers carry noise and are not filtered, or more of it than cameras leave",
        USABLE,
        "give a --cutoff",
    ),
    "filter_misled": Message("doubt", "cross-validation took noise for movement", USABLE, "give a --cutoff"),
    "filter_strong": Message(
        "doubt", "the filter takes away movement, not only noise", USABLE, "give a higher --cutoff"
    ),
    "filter_inexact": Message("info", "the filter cannot have exactly the cut-off that was asked for", GOOD),
    "filters_differ": Message(
        "info",
        "markers and plates are filtered differently; where that matters, `impact` says the frames",
        GOOD,
        "read knee and hip later in stance, or give --set joint_loads=matched",
    ),
    "impact": Message(
        "info",
        "the force of foot strikes is faster than the markers; no peak of a joint comes from their frames",
        GOOD,
        "read knee and hip later in stance, or give --set joint_loads=matched",
    ),
    "vertical_assumed": Message(
        "assumption",
        "plates lie on a slope, or the laboratory is tilted; an axis was taken as up",
        GOOD,
        "level the axes of the laboratory",
    ),
}
