"""A `Result` -> the text of its files. The list of tables and the columns of each stand here, and nowhere else.

It knows nothing of how a number came about, and writes no file itself (`gaitid.disk`).
"""

#: Of a record's keys and what they hold; raised where a reader of the last one would be misled (docs/record.md).
SCHEMA = 2
#: Frames of expression of joint wrenches, and those that are written where none is asked for.
FRAMES_OF_EXPRESSION = ("global", "proximal", "distal", "jcs")
DEFAULT_FRAMES = ("global", "distal")
#: All tables that a run may write, and the columns that name a row of each.
TABLES = {
    "wrenches": ("frame",),
    "joints": ("frame",),
    "contacts": ("side", "plates", "first_frame", "last_frame"),
    "cycles": ("side", "cycle", "percent"),
    "spatiotemporal": ("side", "cycle"),
    "features": ("side", "cycle", "feature"),
    "stances": ("side", "contact", "percent"),
    "segments": ("frame",),
    "base": ("frame",),
    "joint_space": ("frame",),
    "joint_power": ("frame",),
    "com": ("frame",),
    "emg": ("frame",),
    "stability": ("frame",),
}
#: Those that are written only when asked for (``--write``).
WRITE = ("segments", "base", "joint_space", "joint_power", "com", "emg", "stability")
#: The end of the columns of `wrenches` that mark a side's estimated loads, of a run with ``--estimate-loads``.
ESTIMATED = "_ground_estimated"
#: Two more, which `--uncertainty` asks for: of a run by frame, of a batch by percent of the cycle; and what it adds to
#: the table of features.
UNCERTAINTY, UNCERTAINTY_CYCLES = "uncertainty", "uncertainty_cycles"
BANDS = (UNCERTAINTY, UNCERTAINTY_CYCLES)
#: The bundled file of magnitudes (configs/uncertainty) that is taken where none is named.
DEFAULT_UNCERTAINTY = "default"
UNCERTAINTY_COLUMNS = ("standard_uncertainty", "low_95", "high_95")
#: Those that a batch also writes across all its trials.
ACROSS_TRIALS = ("spatiotemporal", "features", "cycles")
#: Events of a cycle whose source the table of strides names.
SOURCES = ("strike", "off", "next_strike", "opposite_off", "opposite_strike")
#: Columns of these that hold words; a cycle is a number or ``mean``, ``sd``, ``n``.
TEXT_COLUMNS = (*("side", "cycle", "feature", "unit"), *(f"{event}_source" for event in SOURCES))
#: Which trial a row is of, at the end of the tables that are read beside those of other trials. Who the subject is, and
#: of which session, nobody says to `run`: these two are empty there, and filled in the tables across trials.
TRIAL_COLUMNS = ("subject", "session", "trial", "verdict")
#: Of the table of contacts, also in records and in the truth of simulated trials.
CONTACT_COLUMNS = ("side", "plates", "first_frame", "last_frame", "peak_vertical_N", "method", "confidence", "reason")
#: Before the curves in those of cycles and of stances, and all of the table of features.
CYCLE_COLUMNS = (
    "side",
    "cycle",
    "percent",
    "first_frame",
    "last_frame",
    "foot_off_percent",
    "opposite_off_percent",
    "opposite_strike_percent",
)
STANCE_COLUMNS = ("side", "contact", "percent", "first_frame", "last_frame", "plates")
#: Of the table of strides, before its figures (`gaitid.gait.FIGURES`) and behind them.
STRIDE_COLUMNS = ("side", "cycle", "first_frame", "last_frame")
STRIDE_END_COLUMNS = (*(f"{name}_source" for name in SOURCES), *TRIAL_COLUMNS)
FEATURE_COLUMNS = ("side", "cycle", "feature", "value", "unit", "percent", "frame")
