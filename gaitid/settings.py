"""The options of an analysis, each once: `RunOptions` is the table, and `gaitid run`, `gaitid.analyse`, manifests of
batches and the commands of records are views of it. What ``--set`` takes stands in `gaitid.model.settings`.
"""
# No `from __future__ import annotations`: what stands of an option is read from its annotation.

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from gaitid.dynamics import SOLVER_NAMES
from gaitid.model import AUTO
from gaitid.model.settings import READER, ReaderSettings
from gaitid.records import NamedTuple, annotated, frozen_dataclass
from gaitid.write import DEFAULT_FRAMES, DEFAULT_UNCERTAINTY, FRAMES_OF_EXPRESSION, UNCERTAINTY, WRITE

if TYPE_CHECKING:
    from gaitid.ground.by_hand import ByHand

#: What an option takes: a file; a word; several words, or files; nothing; a frequency in Hz, or a word in its place;
#: ``KEY=VALUE``, ``SEGMENT=FILE``, ``SIDE=PLATES`` and ``QUANTITY=VALUE`` several times; a file or nothing.
FILE, WORD, WORDS, FILES, FLAG, HERTZ = "file", "word", "words", "files", "flag", "hertz"
PAIRS, LOADS, SIDES, LIMITS, MAYBE_FILE = "pairs", "loads", "sides", "limits", "maybe_file"
#: Kinds of options that may be repeated.
SEVERAL = (WORDS, FILES, PAIRS, LOADS, SIDES, LIMITS)
# Defaults of keywords whose value has another form than the option's.
_OF_KEYWORDS = {PAIRS: None, LOADS: None, LIMITS: None, MAYBE_FILE: False}


class Option(NamedTuple):
    """What stands of an option of an analysis beside its name, type and default.

    Attributes
    ----------
    kind : str
        What it takes: one of the constants above.
    help : str
        On the command line.
    python : tuple of (str, str)
        For the docstring of the keyword of `gaitid.analyse`: its type, and what it means.
    flag : str
        On the command line, where it is not the name.
    metavar : str
    among : tuple of str
        The words that it may be; of a frequency those in place of a number.
    of_one_trial : bool
        It belongs to one trial.
    column : str
        Of a manifest, where each trial may have its own.
    name : str
        The field's, which is the keyword too.
    default : object
        Of the keyword.
    """

    kind: str
    help: str
    python: tuple[str, str]
    flag: str = ""
    metavar: str = ""
    among: tuple[str, ...] = ()
    of_one_trial: bool = False
    column: str = ""
    name: str = ""
    default: object = None


@frozen_dataclass()
class RunOptions:
    """How the trials of one command are analysed; the options that change a result, in the order in which a record's
    command has them, and behind them what no user gives.
    """

    model: Annotated[
        str,
        Option(
            WORD,
            "Bundled model, YAML file, or auto, which takes the one that fits; `gaitid models` lists them.",
            (
                "str or Model",
                "Name of a bundled model, path of a YAML file, what `load_model` gave, or ``auto``: the one that fits.",
            ),
        ),
    ] = AUTO
    markers: Annotated[
        Path | None,
        Option(
            FILE,
            "YAML marker set with the label of each landmark; `gaitid models markers TRIAL` writes one.",
            ("path, optional", "YAML marker set: which label each landmark has."),
        ),
    ] = None
    static: Annotated[
        Path | None,
        Option(
            FILE,
            "Static trial, or scaled OpenSim model (.osim); wins over stored calibration.",
            (
                "path or Trial, optional",
                "Calibration trial, or a scaled OpenSim model (.osim); wins over a calibration that the trial stores.",
            ),
            column="static",
        ),
    ] = None
    subject: Annotated[
        Path | None,
        Option(
            FILE,
            "The subject's measurements (YAML, or Nexus .mp); `gaitid calibrate` writes them.",
            (
                "path or mapping, optional",
                'Subject file, or what stands in one: ``{"mass_kg": 45.8, "left_leg_length_mm": 830}``. Wins over '
                "`static`.",
            ),
            column="subject_file",
        ),
    ] = None
    forces: Annotated[
        Path | None,
        Option(
            FILE,
            "Forces of a trial without its own: .csv, .mot, .sto, .forces, .anc, .tsv.",
            ("path, optional", "Forces beside a CSV or TRC trial."),
            of_one_trial=True,
            column="forces",
        ),
    ] = None
    plates: Annotated[
        Path | None,
        Option(
            FILE,
            "YAML with corners of plates: for CSV, TRC, MOT, and a C3D that does not declare them "
            "(`gaitid inspect --plates-template` prints one).",
            (
                "path, optional",
                "YAML with the corners of the plates of a CSV or TRC trial, or of those that a C3D does not declare.",
            ),
            column="plates",
        ),
    ] = None
    laboratory: Annotated[
        Path | None,
        Option(
            FILE,
            "YAML with what is known of plates and clocks of the laboratory; `gaitid batch` writes it; else "
            "laboratory.yaml beside the trial, or in the folder above.",
            (
                "path, optional",
                "YAML with what is known of the plates and clocks of the laboratory, as ``gaitid batch`` writes it; "
                "else ``laboratory.yaml`` beside the trial, or in the folder above.",
            ),
            column="laboratory",
        ),
    ] = None
    corrections: Annotated[
        Path | None,
        Option(
            FILE,
            "Corrections of the trial by hand, with reasons (docs/corrections.md); else "
            "TRIAL.corrections.yaml beside it; none: no corrections.",
            (
                "path or ``none``, optional",
                "Corrections of the trial by hand, with reasons (docs/corrections.md); else "
                "``walk.corrections.yaml`` beside ``walk.c3d``; ``none``: no corrections.",
            ),
            metavar="FILE|none",
            among=("none",),
            column="corrections",
        ),
    ] = None
    subject_prefix: Annotated[
        str | None,
        Option(
            WORD,
            "Subject to read from a file with several: its labels begin with NAME and a colon or underscore.",
            ("str, optional", "Of a file with several subjects, the one whose labels begin so."),
            metavar="NAME",
        ),
    ] = None
    events: Annotated[
        Path | None,
        Option(
            FILE,
            "Foot strikes and offs in place of the trial's (CSV or C3D): in CSV side, event, and time_s or frame; or "
            " what the labels of its events mean: YAML, `labels: {HS_L: left strike}` (docs/events.md).",
            (
                "path, optional",
                "Foot strikes and offs in place of those that the trial stores, or YAML with what the labels of its "
                "events mean (docs/events.md).",
            ),
            column="events",
        ),
    ] = None
    functional: Annotated[
        tuple[str, ...],
        Option(
            FILES,
            "Trial in which a hip or knee moves, for its centre or axis; may be repeated. JOINT (right_hip, …) where "
            "the motion does not show it.",
            (
                "path or sequence of path, optional",
                "Trials in which a hip or knee moves: its centre or axis by that motion, as ``hip.c3d`` or "
                "``right_hip=hip.c3d``.",
            ),
            metavar="[JOINT=]FILE",
        ),
    ] = ()
    express_in: Annotated[
        tuple[str, ...],
        Option(
            WORDS,
            f"Frame of the wrenches ({', '.join(FRAMES_OF_EXPRESSION)}); may be repeated.  "
            f"[default: {', '.join(DEFAULT_FRAMES)}]",
            (
                "str or sequence of str",
                f"Frames of expression of the wrenches: {', '.join(f'``{frame}``' for frame in FRAMES_OF_EXPRESSION)}.",
            ),
            metavar="FRAME",
            among=FRAMES_OF_EXPRESSION,
        ),
    ] = DEFAULT_FRAMES
    cutoff: Annotated[
        float | str | None,
        Option(
            HERTZ,
            "Effective cut-off of the marker low-pass; else the model's: auto, with pig_vicon none.",
            (
                "float or str, optional",
                "Effective cut-off of the markers, Hz, or ``none`` or ``auto``; else the model's.",
            ),
            metavar="HZ|none|auto",
            among=("none", "auto"),
            column="cutoff",
        ),
    ] = None
    force_cutoff: Annotated[
        float | str | None,
        Option(
            HERTZ,
            "Effective cut-off of the plate low-pass; else the model's: none in all that come with gaitid.",
            ("float or str, optional", "Effective cut-off of the plates, Hz, or ``none``; else the model's."),
            metavar="HZ|none",
            among=("none",),
            column="force_cutoff",
        ),
    ] = None
    solver: Annotated[
        str,
        Option(
            WORD,
            f"How the equations are solved ({', '.join(SOLVER_NAMES)}); all agree to rounding (docs/dynamics.md).",
            ("str", f"How the equations are solved: {', '.join(f'``{name}``' for name in SOLVER_NAMES)}."),
            metavar="NAME",
            among=SOLVER_NAMES,
        ),
    ] = SOLVER_NAMES[0]
    contributions: Annotated[
        bool,
        Option(
            FLAG,
            "Also split each wrench into gravity, inertia and ground reaction.",
            ("bool", "Also what gravity, inertia and ground reaction contribute to each wrench."),
        ),
    ] = False
    observer: Annotated[
        str | None,
        Option(
            WORD,
            "With --contributions also the inertia as seen from this segment, with its fictitious wrenches: "
            "D'Alembert, Euler, centrifugal, Coriolis.",
            ("str, optional", "Segment that inertia is seen from; with its fictitious wrenches."),
            metavar="SEGMENT",
        ),
    ] = None
    loads: Annotated[
        tuple[tuple[str, Path], ...],
        Option(
            LOADS,
            "A measured load on a segment, as left_shank=cuff.csv (docs/loads.md); may be repeated.",
            (
                "mapping of str to path or sequence of paths, optional",
                'Measured loads on segments: ``{"left_shank": "cuff.csv"}`` (docs/loads.md).',
            ),
            flag="--load",
            metavar="SEGMENT=FILE",
            of_one_trial=True,
            column="load",
        ),
    ] = ()
    assign: Annotated[
        "tuple[ByHand, ...]",
        Option(
            SIDES,
            "Which foot was on which plates, as left=1+2@234-296; frames as the file numbers them; may be repeated; "
            "wins over the evidence. PLATES may be none.",
            ("str or sequence of str", 'Which foot was on which plates: ``"left=1+2@234-296"``.'),
            metavar="SIDE=PLATES[@FIRST-LAST]",
            column="assign",
        ),
    ] = ()
    emg_reference: Annotated[
        Path | None,
        Option(
            FILE,
            "Trial whose greatest envelope of each muscle is 100 %, as of a greatest voluntary contraction; the trial "
            "itself for its own maximum (docs/emg.md).",
            ("path, optional", "Trial whose greatest envelope of each muscle is 100 % (docs/emg.md)."),
            column="emg_reference",
        ),
    ] = None
    require_forces: Annotated[
        bool,
        Option(
            FLAG,
            "Refuse a trial in which no foot's load is known.",
            ("bool", "Refuse a trial in which no foot's load is known."),
        ),
    ] = False
    estimate_loads: Annotated[
        bool,
        Option(
            FLAG,
            "Estimate loads that no plate measured from the body's motion, marked as estimated (docs/contacts.md).",
            ("bool", "Estimate loads that no plate measured from the body's motion, marked (docs/contacts.md)."),
        ),
    ] = False
    estimated_too: Annotated[
        bool, Option(FLAG, "Features of estimated loads, too.", ("bool", "Features of estimated loads, too."))
    ] = False
    write: Annotated[
        tuple[str, ...],
        Option(
            WORDS,
            f"Write also {', '.join((*WRITE, UNCERTAINTY))}; what each holds is in docs/signs.md; may be repeated.",
            (
                "str or sequence of str",
                f"Tables that `Analysis.write` writes besides: {', '.join(f'``{table}``' for table in WRITE)}.",
            ),
            metavar="WHAT",
            among=(*WRITE, UNCERTAINTY),
        ),
    ] = ()
    uncertainty: Annotated[
        str | None,
        Option(
            MAYBE_FILE,
            "Also write standard uncertainties and 95 % bands (docs/uncertainty.md). FILE: YAML "
            "with your own magnitudes of errors; without it published ones.",
            (
                "bool or path",
                "Also how sure each number is (`Analysis.uncertainty`): True for published magnitudes of errors, or a "
                "YAML file with your own.",
            ),
            metavar="[FILE]",
            among=(DEFAULT_UNCERTAINTY,),
        ),
    ] = None
    repeatability: Annotated[
        Path | None,
        Option(
            FILE,
            "Table that `gaitid repeatability` made of the laboratory's sessions: gives the error of marker placement "
            "(docs/repeatability.md). Implies --uncertainty.",
            (
                "path, optional",
                "Table that ``gaitid repeatability`` made of the laboratory's sessions. Implies `uncertainty`.",
            ),
        ),
    ] = None
    max_uncertainty: Annotated[
        "Mapping[str, float]",
        Option(
            LIMITS,
            "The largest standard uncertainty that is good enough, over the cycle: angle_deg, moment_Nm_per_kg or "
            "power_W_per_kg; may be repeated. Without it the limits of angles are 2 and 5 degrees (McGinley 2009). "
            "Implies --uncertainty.",
            (
                "mapping of str to float, optional",
                'The largest standard uncertainties that are good enough: ``{"angle_deg": 3}``. Implies `uncertainty`.',
            ),
            metavar="QUANTITY=VALUE",
        ),
    ] = field(default_factory=dict)
    settings: Annotated[
        Mapping[str, Any],
        Option(
            PAIRS,
            "Change one setting of model or reader, as point_unit=mm or vertical=z; may be repeated. The former is the "
            "file's unit of length, the latter the laboratory axis that points up.",
            (
                "mapping, optional",
                'Settings of model and reader, as of ``--set``: ``{"gravity_m_per_s2": 9.80665, "point_unit": "mm"}``.',
            ),
            flag="--set",
            metavar="KEY=VALUE",
            column="set",
        ),
    ] = field(default_factory=dict)
    keep_names: Annotated[
        bool,
        Option(
            FLAG,
            "Write names of people that the trial stores; else they are left out.",
            ("bool", "Write names of people that the trial stores into the record, too."),
        ),
    ] = False

    command: tuple[str, ...] = ()
    postures_only: bool = False  # no load is asked for: of what needs no wrenches
    bands_by_percent: bool = False  # of a batch, whose tables of bands by frame would be 4 MB a trial
    beside: Path | None = None  # a static that `batch` found and does not use; `run` looks beside the trial

    def __post_init__(self) -> None:
        _ = self.reader  # what it does not take is refused at once

    @property
    def input_files(self) -> Mapping[str, Path]:
        """The files that are named, but those of `FILES` and `LOADS`, by the option; each is an input of the record."""
        named = ((name, getattr(self, name)) for name in _OF_FILES)
        return {name: file for name, file in named if file is not None and str(file) not in OPTIONS[name].among}

    @cached_property
    def reader(self) -> ReaderSettings:
        """How files are read."""
        of_reader = {key: value for key, value in self.settings.items() if key in READER}
        return ReaderSettings(**of_reader, subject_prefix=self.subject_prefix)

    @property
    def overrides(self) -> dict[str, Any]:
        """Settings and choices that replace the model's."""
        cutoffs = {"cutoff_hz": self.cutoff, "force_cutoff_hz": self.force_cutoff}
        of_model = {key: value for key, value in self.settings.items() if key not in READER}
        return of_model | {key: value for key, value in cutoffs.items() if value is not None}


def _option(name: str, option: Option) -> Option:
    default = _OF_KEYWORDS[option.kind] if option.kind in _OF_KEYWORDS else getattr(RunOptions, name)
    return option._replace(name=name, flag=option.flag or f"--{name.replace('_', '-')}", default=default)


#: What stands of each option, in their order.
OPTIONS: Mapping[str, Option] = {name: _option(name, of) for name, of in annotated(RunOptions).items()}
_OF_FILES = tuple(name for name, option in OPTIONS.items() if option.kind == FILE)
