"""Messages on markers, gaps and filters."""

from __future__ import annotations

from gaitid.notes.message import DO_NOT_USE, GOOD, USABLE, Message

_LABELS = "correct the labels there"
_WAY = (
    "{what} ({axis:?about the axis {axis}}{turned:?; their middle }{way:?{way} mm} along x, y, z)"
    "{step:? between {step}, and stay there}; not used in {where}"
)

MARKERS = {
    "passes": Message(
        "info",
        "the recording holds several walks, and each is analysed by itself",
        GOOD,
        words=("the recording has {n} passes, in frames {frames:, 6}; each is filled, filtered and counted separately"),
    ),
    "label_fault": Message(
        "error",
        "a label jumps, changes places or stands still; its frames count as not seen",
        USABLE,
        _LABELS,
        words=(
            "{what}; not used in {where}",
            "correct {labels: and } in {where}, or keep with --set doubtful_labels=keep",
        ),
    ),
    "labels_exchanged": Message(
        "error",
        "two labels seem to be exchanged throughout; what needs them is empty",
        USABLE,
        "correct the labels",
        words=(
            "{what}; not used{others:?, nor {others: and }, as the wrong side is not known}",
            ("rename {labels: and }{others:? or {others: and }} in the file, or keep with --set doubtful_labels=keep"),
        ),
    ),
    "marker_spike": Message(
        "info",
        "a marker is off its track in one or a few frames; they count as not seen",
        GOOD,
        words=("{what}; not used in {where}", "correct {marker} in {where}, or keep with --set doubtful_labels=keep"),
    ),
    "marker_moved": Message(
        "doubt",
        "a marker makes a step that its neighbours do not make, and stays there",
        USABLE,
        "correct the marker there",
        words=("{what}, between {step}{where:?; not used in {where}}", "correct {marker} in {step}"),
    ),
    "labels_read": Message(
        "info",
        "labels of no known marker set were read word by word",
        GOOD,
        words="labels were read word by word: {read:, 60}. Correct a wrong one with --markers FILE",
    ),
    "labels_ambiguous": Message(
        "doubt",
        "labels may mean several things, or lie where what they name cannot be; they are not used",
        GOOD,
        words={
            "same": (
                "{labels: and } may each be {name}; none is used. Name one in a --markers file, "
                "`landmarks_each_side: {{{name}: ...}}`"
            ),
            "joint": (
                "neither names nor places tell which of {labels: and } is {outer} and which is {name}. Say "
                "it in a --markers file, `landmarks_each_side: {{{outer}: ..., {name}: ...}}`"
            ),
            "foot": (
                "neither names nor places tell which of {labels:, 12} are heel, mt1 and mt5. Say it in a "
                "--markers file, `landmarks_each_side: {{heel: ..., mt1: ..., mt5: ...}}`"
            ),
            "height": (
                "{label} was read as {name}, but lies {percent:.0f} % of the way up from the feet to the "
                "pelvis; not used"
            ),
            "unproven": (
                "{label} was read as {name}, but no marker of the pelvis or a foot shows where it is worn. "
                "Name it in a --markers file"
            ),
            "distance": (
                "{label} was read as {name}, but its distance to others of its segment varies by {mm:.0f} mm; not used"
            ),
        },
    ),
    "markers_coarse": Message(
        "doubt",
        "the coordinates of the markers come in coarse steps: accelerations are rough",
        USABLE,
        "export the trial again with all its digits",
        words=(
            "marker coordinates come in steps of {step_mm:.2g} mm{axes:? along {axes: and }}; "
            "accelerations are rough, and small label faults cannot be seen"
        ),
    ),
    "markers_jump": Message(
        "doubt",
        "all markers, or several, jump by one length, or several turn together; those frames count as not seen",
        USABLE,
        "check whether a camera or the origin was moved there",
        words={
            "all": (
                _WAY + "{step:?. Before or after it they do not fit the plates}",
                ("check whether a camera or the origin was moved there, or keep with --set doubtful_labels=keep"),
            ),
            "several": (
                _WAY + "{step:?. Before or after it they lie elsewhere on the body}",
                "check whether a shoe or marker plate slipped there, or keep with --set doubtful_labels=keep",
            ),
        },
    ),
    "frames_lost": Message(
        "doubt",
        "single camera frames are missing: accelerations there, and times after them, are wrong",
        USABLE,
        "export the trial again from the recording software",
        words=(
            "a camera frame is missing between frames {frames:, 4}: all markers move {times:.1f} times "
            "as far there. Accelerations are wrong there, and later frames do not match the forces in "
            "time"
        ),
    ),
    "frames_repeated": Message(
        "doubt",
        "camera frames repeat the one before in all markers; they count as not seen",
        USABLE,
        "export the trial again from the recording software",
        words=(
            "camera {where} {n:repeats|repeat} the frame before in all markers; not used",
            "export the trial again, or keep with --set doubtful_labels=keep",
        ),
    ),
    "labels_unused": Message(
        "error",
        "labels lie where what they name cannot be, and are not used",
        USABLE,
        "correct the labels",
        words={
            "inside": (
                "{labels: and } are exchanged: the first lies {mm:.0f} mm inside the other. Neither is used; "
                "correct the labels"
            ),
            "apart": (
                "{labels: and } are {mm:.0f} mm apart, so one is on another part of the body. Neither is "
                "used; correct the labels"
            ),
            "behind": (
                "{labels: and } are exchanged: the first lies behind the other. Neither is used; correct the labels"
            ),
            "static": (
                "{labels: and } are exchanged in the static or in the trial, as distances between the leg's "
                "markers show. Neither is used; correct the labels"
            ),
            "crossed": (
                "{labels: and } are exchanged: the left one lies {mm:.0f} mm to the right of the other. "
                "Neither is used; correct the labels"
            ),
        },
    ),
    "static_exchanged": Message(
        "doubt",
        "two labels of a leg are exchanged in the static, and were taken the other way round",
        USABLE,
        "correct the labels of the static",
        words=(
            "{labels: and } are exchanged in the static, as distances between the leg's markers in the "
            "trial show; they were swapped back"
        ),
    ),
    "gap_filled": Message(
        "info",
        "gaps of markers were filled",
        GOOD,
        words="{n:1 marker gap was|{n} marker gaps were} filled: {gaps:; }{more:?; and {more} more}",
    ),
    "gap_open": Message(
        "doubt",
        "gaps of markers stay open, and what needs them is empty",
        GOOD,
        "fill the gaps in the recording software",
        words=(
            "{n:1 marker gap was|{n} marker gaps were} not filled; values that need the "
            "{n:marker|markers} are empty there: {gaps:; }{more:?; and {more} more}"
        ),
    ),
    "pose_unsure": Message(
        "doubt",
        "a segment has fewer markers for a time, and these move otherwise than all of them",
        USABLE,
        "fill that marker's gaps in the recording software",
        words=(
            "{segment}: {marker} is not seen in {frames:, 4}, and the other markers move differently. "
            "Without it the {joint}'s moment changes by {worth:.2g} N·m/kg (root mean square), so "
            "moments near these frames are that uncertain"
        ),
    ),
    "marker_filter": Message(
        "assumption",
        "the markers carry noise, and a filter was chosen for them",
        GOOD,
        "choose the filter with --cutoff",
        words={
            "spline": "marker noise is {noise_mm:.2g} mm; a smoothing spline removed it",
            "low_pass": (
                "marker noise is {noise_mm:.2g} mm; low-pass at {cutoff_hz:g} Hz{faster:?, as fast as they "
                "move} (choose with --cutoff)"
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
                "marker noise is {noise_mm:.2g} mm and is not filtered: {cutoff_hz:g} Hz is not below half "
                "the camera rate, {half_hz:g} Hz. Accelerations are rough"
            ),
            "few_frames": (
                "marker noise is {noise_mm:.2g} mm and is not filtered: {n_frames} frames are too few for "
                "{cutoff_hz:g} Hz. Accelerations are rough"
            ),
            "filtered": (
                (
                    "marker noise is {noise_mm:.2g} mm (cameras usually give less than {most_mm:g} mm); moments "
                    "and powers are rough even after filtering"
                ),
                "use means over several strides; another time calibrate the cameras",
            ),
            "unfiltered": ("marker noise is {noise_mm:.2g} mm and is not filtered; accelerations are rough"),
            "some": (
                (
                    "{markers:, } {markers:has|have} up to {most_mm:.2g} mm of noise, most markers {noise_mm:.1g} mm"
                    "{alone_hz:?; {markers:it is|they are} low-passed at {alone_hz:g} Hz, others not}; "
                    "what depends on {markers:it|them} is rough"
                ),
                "check its trajectory, or leave it out if the model can do without it",
            ),
            "some_unfiltered": (
                (
                    "{markers:, } {markers:has|have} up to {most_mm:.2g} mm of noise, most markers "
                    "{noise_mm:.1g} mm; what depends on {markers:it|them} is rough"
                ),
                "smooth it as the others were, or give --cutoff 6",
            ),
        },
    ),
    "markers_lost": Message(
        "error",
        "markers jump in one frame after the other, farther than any noise of cameras",
        DO_NOT_USE,
        "use the ground reaction alone; another time calibrate the cameras",
        words={
            "all": (
                "marker noise is {noise_mm:.2g} mm (cameras usually give less than {most_mm:g} mm): they are not "
                "where the file says in any frame"
            ),
            "some": (
                (
                    "{markers:, } {markers:has|have} up to {most_mm:.2g} mm of noise, most markers {noise_mm:.1g} mm"
                    "{alone_hz:?; {markers:it is|they are} low-passed at {alone_hz:g} Hz, others not}; "
                    "what depends on {markers:it|them} is not known"
                ),
                "correct its label, or leave it out if the model can do without it",
            ),
        },
    ),
    "markers_smoothed": Message(
        "doubt",
        "the markers were smoothed before they were stored, until they are slower than the force on the feet",
        USABLE,
        "export the trial again with a low-pass at 6 Hz or higher, or as it was recorded",
        words=(
            "the markers were smoothed too much, so peaks of angles, moments and powers are cut off: at 4.5 to 6.5 Hz "
            "their accelerations have {percent:.1f} % of the power at 1 to 3.5 Hz, the force {of_force:.1f} %"
        ),
    ),
    "filter_misled": Message(
        "doubt",
        "cross-validation took noise for movement",
        USABLE,
        "give a --cutoff",
        words=(
            "cross-validation chose {cutoff_hz:.0f} Hz, because noise that neighbouring frames share "
            "looks like movement. Give --cutoff, or the noise with --set spline_mse_mm2=..."
        ),
    ),
    "filter_strong": Message(
        "doubt",
        "the filter takes away movement, not only noise",
        USABLE,
        "give a higher --cutoff",
        words=(
            "the low-pass at {cutoff_hz:g} Hz moves half of the markers by {moved_mm:.0f} mm or more at "
            "times, so it removes movement; give a higher --cutoff"
        ),
    ),
    "filter_inexact": Message(
        "info",
        "the filter cannot have exactly the cut-off that was asked for",
        GOOD,
        words="the filter's windows allow {nearest_hz:.3g} Hz as the nearest to {wanted_hz:g} Hz",
    ),
    "filters_differ": Message(
        "info",
        "markers and plates are filtered differently; where that matters, `impact` says the frames",
        GOOD,
        "read knee and hip later in stance, or give --set joint_loads=matched",
        words=(
            "markers are low-passed at {markers_hz:.3g} Hz, plates {unfiltered:are not|at {plates_hz:g} "
            "Hz}; knee and hip moments at an impact are not reliable (docs/smoothing.md)"
        ),
    ),
    "impact": Message(
        "info",
        "the force of foot strikes is faster than the markers; no peak of a joint comes from their frames",
        GOOD,
        "read knee and hip later in stance, or give --set joint_loads=matched",
        words=(
            "{n:a foot strike is|{n} foot strikes are} faster than the markers' {hz:.2g} Hz; knee and "
            "hip moments and powers in frames {frames:, 6} show the impact, and no peaks are taken there "
            "(docs/smoothing.md)"
        ),
    ),
    "vertical_assumed": Message(
        "assumption",
        "plates lie on a slope, the laboratory is tilted, or the body's shape alone shows what points up",
        GOOD,
        "level the axes of the laboratory",
        words={
            "plates": (
                (
                    "the plates lie up to {deg:.1f}° from level; gravity is taken along the axis {axis}. If the "
                    "laboratory itself is tilted, give {option}"
                ),
                "give {option}; where the laboratory itself is tilted, turn it upright",
            ),
            "posture": (
                "neither plates nor feet show which way is up; {axis} was taken, from {by}",
                "say it with {option}",
            ),
        },
    ),
}
