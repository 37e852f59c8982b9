"""What is worth saying of a trial: each note with a code, which says how serious it is, so that notes can be ranked.

A function that has something to say returns its notes beside its value; none appends to a list that it was handed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gaitid.records import NamedTuple

# A file's name of these alone is typed as it is, in every shell.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")

#: The most serious first. ``error``: something is wrong, and what it spoils is left empty; ``doubt``: numbers are
#: written that may be wrong; ``assumption``: nothing said it, so it was assumed; ``info``: what was done.
SEVERITIES = ("error", "doubt", "assumption", "info")

#: Every code, how serious it is, and what it means (docs/notes.md).
CODES = {
    # reading
    "values_lost": ("error", "numbers in the file that nothing can have measured; what needs them is empty"),
    "file_repaired": ("doubt", "the file contradicts itself, and one of its statements was followed"),
    "file_incomplete": ("doubt", "a part of the file cannot be read, and was left out"),
    "input_unused": ("doubt", "something that a given file describes fits nothing, and was not used"),
    "reading_assumed": ("assumption", "the file does not say something that reading it needs"),
    "reading_info": ("info", "something in the file was not taken as it stands, or is not needed"),
    "load_assumed": ("assumption", "the file of a load on a segment does not say all of it"),
    "forces_partial": ("info", "the forces do not cover the whole trial; beside them they are unknown"),
    # markers
    "passes": ("info", "the recording holds several walks, and each is analysed by itself"),
    "label_fault": ("error", "a label jumps, changes places or stands still; its frames count as not seen"),
    "labels_exchanged": ("error", "two labels seem to be exchanged throughout; what needs them is empty"),
    "marker_spike": ("info", "a marker is off its track in one or a few frames; they count as not seen"),
    "marker_moved": ("doubt", "a marker makes a step that its neighbours do not make, and stays there"),
    "markers_coarse": ("doubt", "the coordinates of the markers come in coarse steps: accelerations are rough"),
    "markers_jump": (
        "doubt",
        "all markers, or several, jump by one length, or several turn together; those frames count as not seen",
    ),
    "frames_lost": ("doubt", "single camera frames are missing: accelerations there, and times after them, are wrong"),
    "frames_repeated": ("doubt", "camera frames repeat the one before in all markers; they count as not seen"),
    "labels_unused": ("error", "labels lie where what they name cannot be, and are not used"),
    "gap_filled": ("info", "gaps of markers were filled"),
    "gap_open": ("doubt", "gaps of markers stay open, and what needs them is empty"),
    "pose_unsure": ("doubt", "a segment is told by fewer of its markers, which move otherwise than all of them"),
    "marker_filter": ("assumption", "the markers carry noise, and a filter was chosen for them"),
    "markers_rough": ("doubt", "the markers carry noise and are not filtered, or more of it than cameras leave"),
    "filter_misled": ("doubt", "cross-validation took noise for movement"),
    "filter_strong": ("doubt", "the filter takes away movement, not only noise"),
    "filter_inexact": ("info", "the filter cannot have exactly the cut-off that was asked for"),
    "filters_differ": (
        "info",
        "markers and plates are filtered differently; where that matters, `impact` says the frames",
    ),
    "impact": (
        "info",
        "the force of foot strikes is faster than the markers; no peak of a joint comes from their frames",
    ),
    "vertical_assumed": ("assumption", "plates lie on a slope, or the laboratory is tilted; an axis was taken as up"),
    # the subject and the body
    "leg_absent": ("error", "a leg lacks markers or measurements that the model needs, and is left out"),
    "gimbal_lock": (
        "info",
        "the first and the last axis of a joint's angles nearly coincide: two of them are not told apart",
    ),
    "segment_absent": ("error", "the markers do not give a segment, and what needs it is empty"),
    "measurement_assumed": ("assumption", "a measurement, or how the static was taken, was estimated or assumed"),
    "heel_absent": ("assumption", "a foot has no heel marker, and another one stands for it on the plates"),
    "measurement_ignored": ("doubt", "a stored measurement cannot be, and was left aside"),
    "measurements_differ": ("doubt", "two sources give a measurement differently"),
    "other_person": ("doubt", "static and trial seem to be of different people"),
    "static_marker_rare": ("assumption", "a marker is seen in less than a tenth of the static, and is none of it"),
    "static_differs": ("doubt", "markers of a segment lie otherwise than in the static"),
    "calibration_conflict": ("doubt", "a static and the calibration that the trial stores give two results"),
    "calibration_doubtful": ("doubt", "a measurement, a length or an angle is one that hardly any body has"),
    "knee_axis_turned": (
        "info",
        "a knee's adduction follows its flexion, as where its flexion axis is turned a little",
    ),
    "calibration_impossible": ("error", "lengths or calibration of a joint are those of no body; the joint is empty"),
    "pose_jumps": ("error", "a joint turns faster than any person's; the segments that jump are empty beside it"),
    "uncalibrated": (
        "error",
        "the foot was never calibrated; the ankle's angles and what is told in the foot's axes are empty",
    ),
    "functional_doubtful": ("doubt", "a functional trial moves a joint little, or fits it badly"),
    "functional_partly": ("assumption", "a joint has no functional trial though another has; a regression stands in"),
    "foot_flat_doubtful": ("doubt", "the static was taken as foot-flat, and does not look it"),
    "mass_estimated": ("assumption", "nobody says the body's mass; it was estimated from the plates"),
    "mass_unknown": ("error", "the body's mass is not known"),
    "length_varies": (
        "doubt",
        "the length of a segment, or how well its markers fit it, varies by more than skin makes it",
    ),
    "chain_from_trial": (
        "assumption",
        "no static shows where markers lie on their segments; the trial's means stand for it",
    ),
    "chain_undetermined": (
        "error",
        "the markers seen do not determine coordinates of the fitted chain, which are empty",
    ),
    "chain_unsettled": ("doubt", "the fit of the chain of segments did not settle in some frames"),
    "chain_far": ("doubt", "markers lie far from their places on the fitted chain"),
    "chain_at_limit": ("doubt", "a coordinate of the fitted chain lies at its limit in many frames"),
    "length_jump": ("doubt", "the length of a segment jumps"),
    # plates and contacts
    "plate_refused": ("error", "a force plate is not used"),
    "plate_repeated": ("info", "a plate holds the load of another one, or of others together, and is left out"),
    "plates_undeclared": ("doubt", "channels look like those of force plates that the file does not declare"),
    "plate_doubtful": ("doubt", "what the file says of a plate does not fit the loads on it, or was not applied"),
    "plate_bias_removed": ("info", "what an empty plate read was taken off"),
    "plate_bias": ("doubt", "what a plate reads while it is empty was not taken off"),
    "plate_misplaced": ("error", "a plate's corners, or where its force acts, do not fit the feet; nothing is known"),
    "plate_channel": ("error", "a channel of a plate cannot be: clipped, dead, exchanged, of another sign or unit"),
    "force_filter_strong": ("doubt", "the low-pass of the plates changes the load, not only noise"),
    "plate_gain": ("doubt", "plates do not weigh the body alike"),
    "body_not_carried": ("doubt", "the plates do not carry what the body's mass and motion ask for"),
    "clocks_apart": ("doubt", "forces and markers are apart in time"),
    "clocks_near": ("info", "forces and markers are a few milliseconds apart"),
    "rate_doubtful": ("doubt", "a rate that the file declares cannot be"),
    "load_unclaimed": ("doubt", "a plate carries a load that no foot claims"),
    "events_off": ("doubt", "the file's events do not fit plates or markers; they are not used, or were moved"),
    "events_moved": ("info", "sources show events a constant time apart, which was taken off"),
    "events_unknown": ("doubt", "the file has events whose labels are not understood; they are not used"),
    "events_against": ("doubt", "plates or markers speak against an event of the file or of --events; it was used"),
    "no_cycles": ("info", "the feet step, and no foot has a gait cycle; why"),
    "assignment_differs": ("doubt", "another program left another answer to which foot was on a plate"),
    "assignment_against": ("doubt", "the evidence speaks against what --assign says; what it says was done"),
    "assignment_far": ("doubt", "a foot that --assign puts on a plate is far from its pressure; it was done"),
    "no_known_load": ("doubt", "no foot's load is known from plates"),
    "treadmill": ("info", "the ground moves under the feet"),
    "belts_differ": ("assumption", "the belts under both feet move at different speeds; how lengths are measured then"),
    "belt_unsteady": (
        "assumption",
        "the belt changes its speed; its travel follows from the standing feet, or is unknown",
    ),
    # the result
    "moment_impossible": (
        "error",
        "a joint's moment is one that no person exerts; the leg's moments are empty beside it",
    ),
    "model_limits": ("doubt", "what the model cannot give, or gives with a known error"),
    "trial_short": ("doubt", "the trial is shorter than any stance"),
    "gravity_unusual": ("doubt", "gravity is set to what it is nowhere on Earth"),
    "weight_doubtful": ("doubt", "what the plates carry does not quite fit the body's mass"),
    "weight_wrong": ("doubt", "what the plates carry cannot be the body's weight: mass or plates are wrong"),
    "wrenches_partial": ("error", "wrenches are empty in many frames in which the load is known"),
    "no_known_wrench": ("error", "no wrench of a joint is known in any frame"),
    "file_beside": ("info", "a file beside the trial looks as if it belonged to it, and was not given"),
    "model_hidden": ("info", "a file in the current folder was taken for a bundled model"),
    "alias_unused": ("doubt", "a marker that a model or a marker set names is used by nothing: perhaps it is misspelt"),
}

#: So begins the note ``other_person``, for which `gaitid batch` refuses a static that it found by itself.
OTHER_PERSON = "the static may be another person's"


class Note(NamedTuple):
    """One thing worth saying.

    Attributes
    ----------
    code : str
        One of `CODES`.
    text : str
        For a person, in one line.
    side : str
        The only leg that it concerns; empty where it concerns the trial.
    cure : str
        Which marker, option, static or plate would make it good; empty where that of the code holds.
    plates : tuple of int
        The plates that it is about; empty where it is about none, or about all of them together.
    """

    code: str
    text: str
    side: str = ""
    cure: str = ""
    plates: tuple[int, ...] = ()

    @property
    def severity(self) -> str:
        """One of `SEVERITIES`."""
        return CODES[self.code][0]

    def as_dict(self) -> dict[str, str | list[int]]:
        """For records: ``severity``, ``code`` and ``text``, and ``plates`` where it is about some."""
        plates = {"plates": [*self.plates]} if self.plates else {}
        return {"severity": self.severity, "code": self.code, "text": self.text, **plates}


Notes = tuple[Note, ...]


def ranked(notes: Iterable[Note]) -> Notes:
    """Each note once, the most serious first; those of one severity in the order in which they came."""
    return tuple(sorted(dict.fromkeys(notes), key=lambda note: SEVERITIES.index(note.severity)))


def texts(notes: Iterable[Note]) -> list[str]:
    """What each note says."""
    return [note.text for note in notes]


def as_option(option: str, path: Path | str) -> str:
    """An option with its file as it has to be typed where the trial was named so."""
    text = str(path)
    if not text or not set(text) <= _PLAIN:
        import shlex  # compiles a pattern: a millisecond

        text = shlex.quote(text)
    return f"{option} {text}"
