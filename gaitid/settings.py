"""The options of an analysis, each once: `gaitid run`, `gaitid.analyse` and the commands of records are views of this
table. What ``--set`` takes stands in `gaitid.model.settings` and `gaitid.read.settings`.
"""

from __future__ import annotations

from gaitid.dynamics import SOLVER_NAMES
from gaitid.records import NamedTuple
from gaitid.write import DEFAULT_FRAMES, DEFAULT_UNCERTAINTY, FRAMES_OF_EXPRESSION, WRITE

#: What an option takes: a file; a word; several words, or files; nothing; a frequency in Hz, or a word in its place;
#: ``KEY=VALUE``, ``SEGMENT=FILE`` and ``SIDE=PLATES`` several times; a file or nothing.
FILE, WORD, WORDS, FILES, FLAG, HERTZ = "file", "word", "words", "files", "flag", "hertz"
PAIRS, LOADS, SIDES, MAYBE_FILE = "pairs", "loads", "sides", "maybe_file"
#: Kinds of options that may be repeated.
SEVERAL = (WORDS, FILES, PAIRS, LOADS, SIDES)


class Option(NamedTuple):
    """One option of an analysis.

    Attributes
    ----------
    name : str
        The keyword of `gaitid.analyse`.
    flag : str
        On the command line.
    kind : str
        What it takes: one of the constants above.
    help : str
        On the command line.
    python : tuple of (str, str)
        For the docstring of the keyword: its type, and what it means.
    default : object
        Of the keyword.
    metavar : str
    among : tuple of str
        The words that it may be; of a frequency those in place of a number.
    complete : str
        What a shell completes it with (`gaitid.cli.complete`).
    of_one_trial : bool
        It belongs to one trial.
    """

    name: str
    flag: str
    kind: str
    help: str
    python: tuple[str, str]
    default: object = None
    metavar: str = ""
    among: tuple[str, ...] = ()
    complete: str = ""
    of_one_trial: bool = False


#: All options that change a result, in the order in which a record's command has them.
OPTIONS = {
    option.name: option
    for option in (
        Option(
            "model",
            "--model",
            WORD,
            "A bundled model's name (`gaitid models`), a YAML file, or auto: the one that fits.",
            (
                "str or Model",
                "Name of a bundled model, path of a YAML file, what `load_model` gave, or ``auto``: the one that fits.",
            ),
            "auto",
            complete="models",
        ),
        Option(
            "markers",
            "--markers",
            FILE,
            "YAML marker set: which label each landmark has (`gaitid models markers TRIAL`).",
            ("path, optional", "YAML marker set: which label each landmark has."),
            complete="marker_sets",
        ),
        Option(
            "static",
            "--static",
            FILE,
            "Calibration trial; wins over stored calibration.",
            ("path or Trial, optional", "Calibration trial; wins over a calibration that the trial stores."),
            complete="trials",
        ),
        Option(
            "subject",
            "--subject",
            FILE,
            "YAML with the subject's measurements (`gaitid calibrate`).",
            (
                "path or mapping, optional",
                'Subject file, or what stands in one: ``{"mass_kg": 45.8, "left_leg_length_mm": 830}``. Wins over '
                "`static`.",
            ),
            complete="yaml_files",
        ),
        Option(
            "forces",
            "--forces",
            FILE,
            "Forces beside a CSV or TRC trial, or a C3D without plates (.csv, .mot, .sto).",
            ("path, optional", "Forces beside a CSV or TRC trial."),
            complete="forces",
            of_one_trial=True,
        ),
        Option(
            "plates",
            "--plates",
            FILE,
            "YAML with corners of plates, for CSV, TRC, MOT, and a C3D that does not declare them "
            "(`gaitid inspect --plates-template` prints one).",
            (
                "path, optional",
                "YAML with the corners of the plates of a CSV or TRC trial, or of those that a C3D does not declare.",
            ),
            complete="yaml_files",
        ),
        Option(
            "subject_prefix",
            "--subject-prefix",
            WORD,
            "Of a file with several subjects: the one whose labels begin with NAME and a colon, or an underscore.",
            ("str, optional", "Of a file with several subjects, the one whose labels begin so."),
            metavar="NAME",
        ),
        Option(
            "events",
            "--events",
            FILE,
            "Foot strikes and offs in place of those that the trial stores: CSV (side, event, time_s or frame), or a "
            "C3D; or what the labels of its events mean: YAML, `labels: {HS_L: left strike}` (docs/events.md).",
            (
                "path, optional",
                "Foot strikes and offs in place of those that the trial stores, or YAML with what the labels of its "
                "events mean (docs/events.md).",
            ),
            complete="events",
        ),
        Option(
            "functional",
            "--functional",
            FILES,
            "Trial in which a hip or knee moves: its centre or axis by that motion. JOINT (right_hip, left_knee, …) "
            "where the motion does not tell it; may be repeated.",
            (
                "path or sequence of path, optional",
                "Trials in which a hip or knee moves: its centre or axis by that motion, as ``hip.c3d`` or "
                "``right_hip=hip.c3d``.",
            ),
            (),
            "[JOINT=]FILE",
            complete="trials",
        ),
        Option(
            "express_in",
            "--express-in",
            WORDS,
            f"Frame of expression; may be repeated.  [default: {', '.join(DEFAULT_FRAMES)}]",
            (
                "str or sequence of str",
                f"Frames of expression of the wrenches: {', '.join(f'``{frame}``' for frame in FRAMES_OF_EXPRESSION)}.",
            ),
            DEFAULT_FRAMES,
            among=FRAMES_OF_EXPRESSION,
        ),
        Option(
            "cutoff",
            "--cutoff",
            HERTZ,
            "Effective cut-off of the marker low-pass; else the model's: auto, with pig_vicon none.",
            (
                "float or str, optional",
                "Effective cut-off of the markers, Hz, or ``none`` or ``auto``; else the model's.",
            ),
            metavar="HZ|none|auto",
            among=("none", "auto"),
        ),
        Option(
            "force_cutoff",
            "--force-cutoff",
            HERTZ,
            "Effective cut-off of the plate low-pass; else the model's: none in all that come with gaitid.",
            ("float or str, optional", "Effective cut-off of the plates, Hz, or ``none``; else the model's."),
            metavar="HZ|none",
            among=("none",),
        ),
        Option(
            "solver",
            "--solver",
            WORD,
            "How the equations are solved; all agree to rounding (docs/dynamics.md).",
            ("str", f"How the equations are solved: {', '.join(f'``{name}``' for name in SOLVER_NAMES)}."),
            SOLVER_NAMES[0],
            among=SOLVER_NAMES,
        ),
        Option(
            "contributions",
            "--contributions",
            FLAG,
            "Also write what gravity, inertia and ground reaction contribute to each wrench.",
            ("bool", "Also what gravity, inertia and ground reaction contribute to each wrench."),
            False,
        ),
        Option(
            "observer",
            "--observer",
            WORD,
            "With --contributions: the inertia as seen from this segment, and its fictitious wrenches (D'Alembert, "
            "Euler, centrifugal, Coriolis).",
            ("str, optional", "Segment that inertia is seen from; with its fictitious wrenches."),
            metavar="SEGMENT",
        ),
        Option(
            "loads",
            "--load",
            LOADS,
            "A measured load on a segment, as left_shank=cuff.csv (docs/loads.md); may be repeated.",
            (
                "mapping of str to path or sequence of paths, optional",
                'Measured loads on segments: ``{"left_shank": "cuff.csv"}`` (docs/loads.md).',
            ),
            metavar="SEGMENT=FILE",
            of_one_trial=True,
        ),
        Option(
            "assign",
            "--assign",
            SIDES,
            "Which foot was on which plates, as left=1+2@234-296 (frames as the file numbers them); may be repeated; "
            "wins over the evidence. PLATES may be none.",
            ("str or sequence of str", 'Which foot was on which plates: ``"left=1+2@234-296"``.'),
            (),
            "SIDE=PLATES[@FIRST-LAST]",
            complete="sides",
        ),
        Option(
            "require_forces",
            "--require-forces",
            FLAG,
            "Refuse a trial in which no foot's load is known.",
            ("bool", "Refuse a trial in which no foot's load is known."),
            False,
        ),
        Option(
            "write",
            "--write",
            WORDS,
            "Also write the segments' motion, the wrench left over at the base (pelvis), M, V, G, F and J of the "
            "equation of motion in joint space (docs/joint_space.md), joints' power in six degrees of freedom, or the "
            "whole body's centre of mass (docs/whole_body.md).",
            (
                "str or sequence of str",
                f"Tables that `Analysis.write` writes besides: {', '.join(f'``{table}``' for table in WRITE)}.",
            ),
            (),
            among=WRITE,
        ),
        Option(
            "uncertainty",
            "--uncertainty",
            MAYBE_FILE,
            "Also write how sure each number is: standard uncertainty and 95 % band (docs/uncertainty.md). FILE: YAML "
            "with your own magnitudes of errors; without it published ones.",
            (
                "bool or path",
                "Also how sure each number is (`Analysis.uncertainty`): True for published magnitudes of errors, or a "
                "YAML file with your own.",
            ),
            False,
            "[FILE]",
            among=(DEFAULT_UNCERTAINTY,),
        ),
        Option(
            "settings",
            "--set",
            PAIRS,
            "Change one setting of the model, or say the file's unit of length (point_unit=mm) or which laboratory "
            "axis points up (vertical=z); may be repeated.",
            (
                "mapping, optional",
                'Settings of model and reader, as of ``--set``: ``{"gravity_m_per_s2": 9.80665, "point_unit": "mm"}``.',
            ),
            metavar="KEY=VALUE",
            complete="settings",
        ),
        Option(
            "keep_names",
            "--keep-names",
            FLAG,
            "Write the names of people that the trial stores into what is written; else they are left out.",
            ("bool", "Write names of people that the trial stores into the record, too."),
            False,
        ),
    )
}
#: The files that options name, but those of `FILES` and `LOADS`; each is an input of the record under its name.
INPUT_FILES = tuple(option.name for option in OPTIONS.values() if option.kind == FILE)
