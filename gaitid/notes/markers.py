"""Messages on markers, gaps and filters."""

from __future__ import annotations

from gaitid.notes.message import DO_NOT_USE, GOOD, USABLE, Message

_LABELS = "correct the labels there"
_WAY = "{axis:?about the axis {axis}}{turned:?; their middle }{way:?{way} mm}"

_UPRIGHT = "say it with {option}; where the laboratory itself is tilted, turn it upright"
MARKERS = {
    "passes": Message(
        "info",
        "the recording holds several walks, and each is analysed by itself",
        GOOD,
        words=(
            "the recording holds {n} passes, in frames {frames:, 6}: nothing is filled, filtered or counted from one "
            "to the next"
        ),
    ),
    "label_fault": Message(
        "error",
        "a label jumps, changes places or stands still; its frames count as not seen",
        USABLE,
        _LABELS,
        words=(
            "{what}: taken as not seen in {where}",
            "correct {labels: and } in {where}, or keep them with --set doubtful_labels=keep",
        ),
    ),
    "labels_exchanged": Message(
        "error",
        "two labels seem to be exchanged throughout; what needs them is empty",
        USABLE,
        "correct the labels",
        words=(
            "{what}: they are not used{others:?, nor {others: and }: which side is wrong cannot be told}",
            (
                "rename {labels: and }{others:? or {others: and }} in the file, or keep them with --set "
                "doubtful_labels=keep"
            ),
        ),
    ),
    "marker_spike": Message(
        "info",
        "a marker is off its track in one or a few frames; they count as not seen",
        GOOD,
        words=(
            "{what}: taken as not seen in {where}",
            "correct {marker} in {where}, or keep it with --set doubtful_labels=keep",
        ),
    ),
    "marker_moved": Message(
        "doubt",
        "a marker makes a step that its neighbours do not make, and stays there",
        USABLE,
        "correct the marker there",
        words=("{what} between {step}{where:?: taken as not seen in {where}}", "correct {marker} in {step}"),
    ),
    "labels_read": Message(
        "info",
        "labels of no known marker set were read word by word",
        GOOD,
        words="labels were read word by word: {read:, 60}; where one is wrong, name it with --markers FILE",
    ),
    "labels_ambiguous": Message(
        "doubt",
        "labels may mean several things, or lie where what they name cannot be; they are not used",
        GOOD,
        words={
            "same": (
                "{labels: and } may each be {name}, and none is used: say which in a file of --markers, "
                "`landmarks_each_side: {{{name}: ...}}`"
            ),
            "joint": (
                "which of {labels: and } is {outer} and which {name} is told neither by their names nor by their "
                "places: say it in a file of --markers, `landmarks_each_side: {{{outer}: ..., {name}: ...}}`"
            ),
            "foot": (
                "which of {labels:, 12} are heel, mt1 and mt5 is told neither by their names nor by their places: say "
                "it in a file of --markers, `landmarks_each_side: {{heel: ..., mt1: ..., mt5: ...}}`"
            ),
            "height": (
                "{label} reads as {name}, and lies at {percent:.0f} % of the way from the feet to the pelvis: not used"
            ),
            "unproven": (
                "{label} reads as {name}, and nothing tells where it is worn, as no marker of the pelvis or of a foot "
                "was read: name it in a file of --markers"
            ),
            "distance": (
                "{label} reads as {name}, and its distance to others of its segment varies by {mm:.0f} mm: not used"
            ),
        },
    ),
    "markers_coarse": Message(
        "doubt",
        "the coordinates of the markers come in coarse steps: accelerations are rough",
        USABLE,
        "export the trial again with all its digits",
        words=(
            "the coordinates of the markers come in steps of {step_mm:.2g} mm{axes:? along {axes: and }}: "
            "accelerations are rough, and smaller faults of labels are not told"
        ),
    ),
    "markers_jump": Message(
        "doubt",
        "all markers, or several, jump by one length, or several turn together; those frames count as not seen",
        USABLE,
        "see whether a camera was moved or the origin set anew there",
        words={
            "all": (
                (
                    "{what} (" + _WAY + " along x, y, z){step:? between {step}, and stay there}: taken as not seen in "
                    "{where}{step:?, and before or after it they are off the plates by as much}"
                ),
                (
                    "see whether a camera was moved or the origin set anew there, or keep them with --set "
                    "doubtful_labels=keep"
                ),
            ),
            "several": (
                (
                    "{what} (" + _WAY + " along x, y, z){step:? between {step}, and stay there}: taken as not seen in "
                    "{where}{step:?, and before or after it they sit elsewhere on the body, by as much}"
                ),
                (
                    "see whether a shoe or a plate slipped there, or labels were set anew, or keep them with --set "
                    "doubtful_labels=keep"
                ),
            ),
        },
    ),
    "frames_lost": Message(
        "doubt",
        "single camera frames are missing: accelerations there, and times after them, are wrong",
        USABLE,
        "export the trial again from the system that recorded it",
        words=(
            "a camera frame is missing between frames {frames:, 4}: all markers go on by {times:.1f} times what they "
            "do before and after; the accelerations there are wrong, and all times after it against those of the "
            "forces"
        ),
    ),
    "frames_repeated": Message(
        "doubt",
        "camera frames repeat the one before in all markers; they count as not seen",
        USABLE,
        "export the trial again from the system that recorded it",
        words=(
            "the camera's {where} {n:repeats|repeat} the one before in all markers: taken as not seen",
            "export the trial again, or keep them with --set doubtful_labels=keep",
        ),
    ),
    "labels_unused": Message(
        "error",
        "labels lie where what they name cannot be, and are not used",
        USABLE,
        "correct the labels",
        words={
            "inside": (
                "{labels: and } are exchanged: the first lies {mm:.0f} mm inside the other; neither is used; correct "
                "the labels"
            ),
            "apart": (
                "{labels: and } lie {mm:.0f} mm apart: one of them is on another part of the body; neither is used; "
                "correct the labels"
            ),
            "behind": (
                "{labels: and } are exchanged: the first lies behind the other; neither is used; correct the labels"
            ),
            "static": (
                "{labels: and } are exchanged in the static or in the trial, by the distances between the leg's "
                "markers; neither is used; correct the labels"
            ),
            "crossed": (
                "{labels: and } are exchanged: the left one lies {mm:.0f} mm to the right of the other; neither is "
                "used; correct the labels"
            ),
        },
    ),
    "static_exchanged": Message(
        "doubt",
        "two labels of a leg are exchanged in the static, and were taken the other way round",
        USABLE,
        "correct the labels of the static",
        words="{labels: and } are exchanged in the static, by the distances between the leg's markers in the trial: "
        "taken the other way round",
    ),
    "gap_filled": Message(
        "info",
        "gaps of markers were filled",
        GOOD,
        words="{n:a gap of a marker was|{n} gaps of markers were} filled: {gaps:; }{more:?; and {more} more}",
    ),
    "gap_open": Message(
        "doubt",
        "gaps of markers stay open, and what needs them is empty",
        GOOD,
        "fill the gaps where the markers were recorded",
        words=(
            "{n:a gap of a marker was|{n} gaps of markers were} left open: what needs them is empty there: {gaps:; }"
            "{more:?; and {more} more}"
        ),
    ),
    "pose_unsure": Message(
        "doubt",
        "a segment is told by fewer of its markers, which move otherwise than all of them",
        USABLE,
        "fill the gaps of that marker where it was recorded",
        words=(
            "{segment}: {marker} is not seen in {frames:, 4}, and the other markers move otherwise: where all are "
            "seen, the {joint}'s moment changes by {worth:.2g} N·m/kg (root mean square) without this one; moments in "
            "and beside these frames are as unsure"
        ),
    ),
    "marker_filter": Message(
        "assumption",
        "the markers carry noise, and a filter was chosen for them",
        GOOD,
        "choose the filter with --cutoff",
        words={
            "spline": "the markers carry {noise_mm:.2g} mm of noise; a smoothing spline took it off",
            "low_pass": (
                "the markers carry {noise_mm:.2g} mm of noise; they were low-passed at {cutoff_hz:g} Hz{faster:?, as "
                "fast as they move} (choose with --cutoff)"
            ),
        },
    ),
    "markers_rough": Message(
        "doubt",
        "the markers carry noise and are not filtered, or more of it than cameras leave",
        USABLE,
        "give a --cutoff",
        words={
            "slow_cameras": (
                "the markers carry {noise_mm:.2g} mm of noise and are not filtered: no low-pass at {cutoff_hz:g} Hz, "
                "for half the rate is {half_hz:g} Hz; accelerations are rough"
            ),
            "few_frames": (
                "the markers carry {noise_mm:.2g} mm of noise and are not filtered: no low-pass at {cutoff_hz:g} Hz, "
                "for {n_frames} frames are too few; accelerations are rough"
            ),
            "filtered": (
                (
                    "the markers carry {noise_mm:.2g} mm of noise, where cameras leave less than {most_mm:g} mm: "
                    "also filtered, moments and powers are rough"
                ),
                "calibrate the cameras anew and record it again; without that, use means over several strides",
            ),
            "unfiltered": (
                "the markers carry {noise_mm:.2g} mm of noise and are not filtered: accelerations are rough"
            ),
            "some": (
                (
                    "{markers:, } {markers:carries|carry up to} {most_mm:.2g} mm of noise, where most markers carry "
                    "{noise_mm:.1g} mm{alone_hz:?, and {markers:is|are} low-passed at {alone_hz:g} Hz, others not}: "
                    "what it moves is rough"
                ),
                "look at its trajectory; leave it out if the model can do without",
            ),
            "some_unfiltered": (
                (
                    "{markers:, } {markers:carries|carry up to} {most_mm:.2g} mm of noise, where most markers carry "
                    "{noise_mm:.1g} mm: what it moves is rough"
                ),
                "smooth it as the others were, or give --cutoff 6",
            ),
        },
    ),
    "markers_lost": Message(
        "error",
        "markers jump in one frame after the other, farther than any noise of cameras",
        DO_NOT_USE,
        "calibrate the cameras anew and record it again",
        words={
            "all": (
                "the markers carry {noise_mm:.2g} mm of noise, where cameras leave less than {most_mm:g} mm: they are "
                "not where they are said to be in any frame"
            ),
            "some": (
                (
                    "{markers:, } {markers:carries|carry up to} {most_mm:.2g} mm of noise, where most markers carry "
                    "{noise_mm:.1g} mm{alone_hz:?, and {markers:is|are} low-passed at {alone_hz:g} Hz, others not}: "
                    "what it moves is not known"
                ),
                "label it anew, or leave it out if the model can do without",
            ),
        },
    ),
    "markers_smoothed": Message(
        "doubt",
        "the markers were smoothed before they were stored, until they are slower than the force on the feet",
        USABLE,
        "export the trial again with a low-pass at 6 Hz or higher, or as it was recorded",
        words=(
            "the markers were smoothed until they are slower than the force on the feet: their accelerations hold "
            "{percent:.1f} % of their power of 1 to 3.5 Hz at 4.5 to 6.5 Hz, the force {of_force:.1f} %; peaks of "
            "angles, moments and powers are cut off"
        ),
    ),
    "filter_misled": Message(
        "doubt",
        "cross-validation took noise for movement",
        USABLE,
        "give a --cutoff",
        words=(
            "cross-validation chose {cutoff_hz:.0f} Hz: it takes noise that neighbouring frames share for movement; "
            "give --cutoff, or the noise with --set spline_mse_mm2=..."
        ),
    ),
    "filter_strong": Message(
        "doubt",
        "the filter takes away movement, not only noise",
        USABLE,
        "give a higher --cutoff",
        words=(
            "the low-pass at {cutoff_hz:g} Hz moves half of the markers by {moved_mm:.0f} mm and more at times: this "
            "movement is faster than it lets through; give a higher --cutoff"
        ),
    ),
    "filter_inexact": Message(
        "info",
        "the filter cannot have exactly the cut-off that was asked for",
        GOOD,
        words="the filter's windows come no nearer to {wanted_hz:g} Hz than {nearest_hz:.3g} Hz",
    ),
    "filters_differ": Message(
        "info",
        "markers and plates are filtered differently; where that matters, `impact` says the frames",
        GOOD,
        "read knee and hip later in stance, or give --set joint_loads=matched",
        words=(
            "the markers are low-passed at {markers_hz:.3g} Hz, the plates {unfiltered:are not|at {plates_hz:g} Hz}: "
            "knee and hip moments at an impact are not to be trusted (docs/impacts.md)"
        ),
    ),
    "impact": Message(
        "info",
        "the force of foot strikes is faster than the markers; no peak of a joint comes from their frames",
        GOOD,
        "read knee and hip later in stance, or give --set joint_loads=matched",
        words=(
            "the force of {n:a foot strike is|{n} foot strikes is} faster than the markers, which hold {hz:.2g} Hz: "
            "in frames {frames:, 6} knee and hip moments and powers are of the impact, and no peak is taken from them "
            "(docs/impacts.md)"
        ),
    ),
    "vertical_assumed": Message(
        "assumption",
        "plates lie on a slope, the laboratory is tilted, or the body's shape alone shows what points up",
        GOOD,
        "level the axes of the laboratory",
        words={
            "plates": (
                "the plates' surfaces lie up to {deg:.1f}° from level: gravity is taken along the axis {axis}; "
                + _UPRIGHT,
                _UPRIGHT,
            ),
            "posture": ("neither plates nor feet show what points up: {axis} does, by {by}", "say it with {option}"),
        },
    ),
}
