"""Texts of cures that name an option: by which row each is applied, or why by none."""

from __future__ import annotations

#: The texts that the message of each row prints.
APPLIED: dict[str, tuple[str, ...]] = {
    "labels that change places": ("or keep them with --set doubtful_labels=keep",),
    "feet that were never calibrated": ("give the static with --static",),
    "the static alone": ("give it to the trials of its session with --static",),
    "a table without forces": ("record on force plates, or give their file with --forces",),
    "labels with a name before them": (
        "`gaitid inspect` says what each model lacks; give a static with --static, or name labels with --markers",
        "all labels begin with one name and an underscore: take it off with --subject-prefix NAME",
    ),
    "plates that the file does not declare": (
        "describe the plates with --plates",
        "describe the plates with --plates FILE.yaml (",
    ),
    "a load that nobody claims": ("--assign",),
    "a load that no foot claims": ("name the foot, as --assign SIDE=PLATE, or keep others off the plates",),
    "events that are late": ("give them with --events, or see whether forces and markers are of one time",),
    "a motion file that names the other foot": ("look at the recording, and say which foot it was with --assign",),
    "a mass a fifth too high": ("weigh the subject (mass_kg in --subject), and calibrate the plates",),
    "a mass in pounds": ("give the mass in kg with --subject, and see that the forces are in N",),
    "noise that is left": ("give a --cutoff",),
    "two sources that differ": ("find out which one is right, and give that one with --subject",),
    "no mass, and no step that tells it": ("give mass_kg with --subject",),
    "legs that are too short": ("check the lengths that are named (--subject), the labels and the static",),
    "a joint that is measured twice": (
        "give one functional trial for each joint, or say which one this is for: --functional JOINT=",
    ),
    "a functional trial of another person": ("'s functional trial of this session, or leave out --functional",),
    "a hip and a knee that move alike": ("say it, as --functional",),
    "a functional knee without a static": ("give --static FILE",),
    "a joint space without a mass": ("give it with --subject",),
    "a label of two landmarks": ("correct the file of --markers",),
    "clusters alone in a marker set": ("name with --markers FILE what has no label",),
    "labels of no known set": (
        "name its landmarks with --markers FILE; `gaitid models markers TRIAL` writes a first draft",
    ),
    "several sets of outputs": ("choose with --outputs SUFFIX",),
    "a static that was found, of somebody heavier": ("name its static in a manifest or with --static",),
    "results of a part": ("give another -o",),
    "results that go through a link": ("give the folder itself with -o",),
    "a table of somebody else": ("rename it or give another folder with -o",),
    "results of another data set": ("batch the folder that holds both, with another -o",),
    "a hip that was not measured": ("give them, or choose a regression with --set",),
    "a knee's axis that was not measured": ("give functional trials with --functional",),
    "a hip that was measured in part": ("give all three with --subject",),
    "a centre of mass in space, in a table with none": (
        "give com_fraction, or choose a table with centres in space, as --set table=dumas_2018",
    ),
    "a leg that is too long": ("(--subject); else",),
    "a knee that is a metre wide": ("with --subject",),
    "leg lengths stored as 0": ("give these measurements with --subject FILE", "or --static FILE"),
    "a foot that stands on its toes": ("correct it with --subject",),
    "a walk for a static": (
        "give a static with --static, or cut this one to the part in which the subject stands still",
    ),
    "a static of somebody else": ("give the static of this person and session with --static",),
    "a limb without a way forward": ("leave out --plane",),
    "a log that is a folder": ("give another file with --log",),
    "a start that is no time": ("leave out --start",),
    "sessions by frames": ("leave out --align",),
    "frames of other lengths": ("compare with --align time",),
    "a result of arrays": ("export it --to mat, xlsx, parquet or long, which its tables are enough for",),
    "a C3D of a trial that is none": ("use --to trc",),
    "a foot that is put on another's plate": (
        "look whose foot is on it, and at the plate's corners, or leave out --assign",
    ),
    "a body that something else carries": (
        "give the mass with --subject, check the gains, or --set external_support=yes where something else carries",
    ),
    "a cut-off of plates beyond what they can hold": ("give a lower --force-cutoff, or none",),
    "a cut-off of plates that needs more samples": ("give a higher --force-cutoff, or none",),
    "a limb by itself in a table": ("say which axis points up, as --set vertical=z (one of",),
    "a motion file beside a TRC file": ("--forces",),
    "a page over its result": ("rename it, or give another place with -o",),
    "a cut-off beyond what frames can hold": ("give a lower --cutoff, or none",),
    "a cut-off that needs more frames": ("--cutoff, or none", "give a higher --cutoff"),
    "a marker that is rougher than the others": ("smooth it as the others were, or give --cutoff 6",),
    "forces of a file that holds them": ("leave out --forces",),
    "a motion file for a trial": ("give it with --forces, beside the trial of its markers",),
    "a file of events without any": ("leave out --events",),
    "a unit that nobody knows": ("say it with --set point_unit=mm, cm or m",),
    "a unit that is wrong": ("it seems: give --set point_unit=",),
    "two people": ("choose one with --subject-prefix NAME",),
    "forces that are given twice": ("leave out --forces, or those columns",),
    "rows without times": ("or give the rate with --set point_rate_hz=HZ",),
    "forces without plates": ("give them with --plates FILE.yaml",),
    "a table of forces for a trial": ("give the file of the markers, and that of the forces with --forces",),
    "forces that load nothing": ("write the forces in newtons, or give the corners with --plates",),
    "forces that lean": ("give the corners with --plates",),
    "a page of no known kind": ("rename it or give --format",),
    "a trial that is not like its session": ("run this trial by itself, with another --model",),
    "a static beside the trial": ("--static",),
    "an OpenSim model without its .osim": ("give its .osim with --static",),
    "forces that a table must have": ("leave out --require-forces",),
    "a folder that is a file": ("give another folder with -o",),
    "more events than a C3D file holds": ("give a shorter --duration, or --no-events",),
    "a walk's joint space": ("leave out --write",),
    "a full body that does not walk": ("leave out --full-body, or take another scenario",),
}
#: The texts that no row applies, by the reason.
NOT_APPLIED: dict[str, tuple[str, ...]] = {
    "the note's cure comes first: a static that was not foot-flat": (
        "say `static: {foot_flat: false}` with --subject",
    ),
    "the note's cure comes first: a body that something else carries": (
        "weigh the subject (mass_kg in --subject), and check the plates' gain",
    ),
    "the note's cure comes first: a foot that is put on another's plate": (
        "look whose foot is on the plate, or leave out --assign",
    ),
    "the note's cure comes first: feet that were never calibrated": ("give a static with --static",),
    "asks for another command: tests/analysis/test_osim_static.py": (
        "give it as --static of a trial with its markers",
        "give it as --static of each trial",
    ),
    "the cure of a foot that is put on another's plate, where that is nearer": (
        "look at the contact, or leave out --assign",
    ),
    "the same option as in a row above": (
        "in the file, or keep them with --set doubtful_labels=keep",
        "see whether a camera was moved or the origin set anew there, or keep them with --set doubtful_labels=keep",
        "their signs, and the vertical of the cameras, or --set external_support=yes where a cart is pushed or "
        "a rail is held",
        "check the zero and crosstalk of Fx and Fy, and the vertical, or --set external_support=yes where a cart is "
        "pushed or a rail is held",
        "keep it with --set doubtful_labels=keep",
        "or keep it with --set doubtful_labels=keep",
        "see whether a shoe or a plate slipped there, or labels were set anew, or keep them with "
        "--set doubtful_labels=keep",
        "export the trial again, or keep them with --set doubtful_labels=keep",
        "give --cutoff 6",
        "give one with --static",
    ),
    "tests/body/test_discontinuities.py": ("give --set doubtful_labels=unknown, or",),
    "asks for another recording or measurement": (
        "record the static again with the markers as they are in the trial, and give it with --static",
        "measure them again, and give what was wrong with --subject",
        "correct the plate in the file, or describe it with --plates",
    ),
    "tests/analysis/test_conflict.py": ("look which was measured with these markers: --static",),
    "needs a cluster that is lost: tests/batch/test_cluster.py resumes one": ("go on with --resume",),
    "needs a system that starts no more processes": ("give a smaller -j",),
    "needs a file system that does not tell capitals: tests/batch/test_previous.py": (
        "rename one of them, or give another folder with -o",
    ),
    "needs a file that the system does not delete, as on Windows": (
        "close it where it is open, and go on with --resume",
    ),
    "needs two processes: tests/cli/test_batch.py waits": ("wait for its end, give --wait, or another folder with -o",),
    "needs a full disk: tests/cli/test_batch.py resumes after one": ("give another folder with -o; --resume goes on",),
    "needs a full disk: tests/batch/test_batch_journal.py, tests/cli/test_batch.py": (
        "or mend that and go on with --resume",
    ),
    "needs another recording": (
        "leave medial markers on in functional trials, or wear a cluster, and name it with --markers",
    ),
    "test_a_sheet_that_is_too_large": ("use --to parquet or --to long",),
    "stands on a page: tests/norms/test_choose.py": ("--norms",),
    "no scenario that comes with gaitid causes it; the cure is that of one that runs": (
        "leave out --full-body, or take a scenario that walks",
    ),
}
