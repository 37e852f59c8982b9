"""What ``--set`` takes, each setting once: how a trial is computed (`Settings`), and how its file is read
(`ReaderSettings`). All else is a view of these two.
"""
# No `from __future__ import annotations`: what stands of a setting is read from its annotation.

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

from gaitid.errors import GaitidError, ReadError
from gaitid.records import NamedTuple, annotated, frozen_dataclass

if TYPE_CHECKING:  # a shell asks which settings there are, without numpy
    from gaitid.model.fields import Fields


class Setting(NamedTuple):
    """What stands of a setting beside its name, type and default.

    Attributes
    ----------
    acts : str
        The ingredient of a result that it belongs to (`gaitid.compare.mixture`); of the reader's what it is, in a
        word.
    help : str
        In one line, with its unit.
    among : tuple of str
        The words that it may be; of a number those that may stand in its place (``none`` is None).
    low, high : float
        Of a number.
    """

    acts: str
    help: str = ""
    among: tuple[str, ...] = ()
    low: float = -1e300
    high: float = 1e300


class Settings(NamedTuple):
    """How a trial is computed. Each can be given with ``--set KEY=VALUE``; what it means stands beside it."""

    gravity_m_per_s2: Annotated[float, Setting("vertical", "0 to 100", low=0, high=100)] = 9.81
    cutoff_hz: Annotated[
        float | str | None,
        Setting(
            "marker_filter",
            "effective -3 dB frequency of both passes on markers, Hz, none or auto",
            ("auto", "none"),
            0.01,
            100000.0,
        ),
    ] = "auto"
    marker_filter: Annotated[
        str,
        Setting(
            "marker_filter",
            "butterworth, gcv_spline or savitzky_golay",
            ("butterworth", "gcv_spline", "savitzky_golay"),
        ),
    ] = "butterworth"
    spline_mse_mm2: Annotated[
        float | None,
        Setting(
            "marker_filter",
            "variance of the noise, mm2, for gcv_spline; none: by cross-validation",
            ("none",),
            1e-10,
            100000.0,
        ),
    ] = None
    raw_cutoff_hz: Annotated[
        float,
        Setting(
            "marker_filter",
            "what auto takes for a walk that nobody smoothed, Hz; in proportion for what is faster",
            low=0.01,
            high=100000.0,
        ),
    ] = 7.0
    force_cutoff_hz: Annotated[
        float | None, Setting("force_sampling", "the same on plates, Hz or none", ("none",), 0.01, 100000.0)
    ] = None
    # matched: contacts and what is written of the ground stay as measured (docs/smoothing.md)
    joint_loads: Annotated[
        str,
        Setting(
            "force_sampling",
            "as_measured, or matched: through the markers' own low-pass, for moments at an impact",
            ("as_measured", "matched"),
        ),
    ] = "as_measured"
    plate_sampling: Annotated[
        str, Setting("force_sampling", "local_quadratic or centred_mean", ("local_quadratic", "centred_mean"))
    ] = "local_quadratic"
    acceleration: Annotated[str, Setting("derivative", "quintic_spline", ("quintic_spline",))] = "quintic_spline"
    angular_velocity: Annotated[
        str, Setting("derivative", "quaternion_spline or single_entries", ("quaternion_spline", "single_entries"))
    ] = "quaternion_spline"
    segment_length: Annotated[
        str, Setting("segment_parameters", "trial_mean or current", ("trial_mean", "current"))
    ] = "trial_mean"
    # the axes of a joint coordinate system are not square to each other: the components of the dual basis are what the
    # axes are to be multiplied by so that their sum is the vector
    jcs_components: Annotated[
        str,
        Setting(
            "frame_of_expression",
            "projection or dual_basis: of wrenches and moments in a joint's own axes",
            ("projection", "dual_basis"),
        ),
    ] = "projection"
    end_frames: Annotated[
        int, Setting("derivative", "frames left empty at each end of a gap-free span", low=2, high=1000)
    ] = 4
    contact_threshold_N: Annotated[float, Setting("contacts", "a contact is found above this", low=1, high=1000)] = 20.0
    contact_edge_N: Annotated[float, Setting("contacts", "and reaches out to this", low=0.1, high=1000)] = 0.1
    remove_bias: Annotated[
        str, Setting("force_sampling", "auto, always or never: what an empty plate reads", ("auto", "always", "never"))
    ] = "auto"
    bias_limit_N: Annotated[
        float, Setting("force_sampling", "auto takes it off beyond this (or this at 0.3 m)", low=0.0, high=1000)
    ] = 3.0
    edge_frames: Annotated[
        str,
        Setting(
            "contacts",
            "unknown or known: frames in which a foot presses near an edge that it reaches over",
            ("unknown", "known"),
        ),
    ] = "unknown"
    external_support: Annotated[
        bool, Setting("contacts", "yes or no: crutches, a handrail, a harness or a carried load act on the body")
    ] = False
    pelvis_sequence: Annotated[
        str,
        Setting(
            "frame_of_expression",
            "as_written, tilt_first or rotation_first (Baker 2001): order of the angles of the pelvis",
            ("as_written", "tilt_first", "rotation_first"),
        ),
    ] = "as_written"
    doubtful_labels: Annotated[
        str,
        Setting(
            "marker_filter",
            "unknown or keep: frames in which a marker is off, jumps, changes places or repeats itself",
            ("unknown", "keep"),
        ),
    ] = "unknown"
    gap_sure_s: Annotated[
        float,
        Setting("marker_filter", "a gap up to this is filled even where its error is not known, s", low=0.0, high=2.0),
    ] = 0.05
    gap_spline_s: Annotated[
        float, Setting("marker_filter", "longest gap filled from the marker itself, s", low=0.0, high=2.0)
    ] = 0.2
    gap_rigid_s: Annotated[
        float, Setting("marker_filter", "longest gap filled from other markers, s", low=0.0, high=2.0)
    ] = 0.5
    gap_error_mm: Annotated[
        float, Setting("marker_filter", "largest error (95 %) of a fill, mm", low=0.0, high=100.0)
    ] = 5.0


#: Units of length that a file may be in.
POINT_UNITS = ("mm", "cm", "m")
#: Laboratory axes that may point up.
VERTICALS = ("x", "-x", "y", "-y", "z", "-z")


@frozen_dataclass()
class ReaderSettings:
    """How a trial's file is to be read, where the file does not say it, or says it wrongly.

    Attributes
    ----------
    point_unit : str or None
        Of lengths in a C3D or TRC file, one of `POINT_UNITS`, whatever the file says, and of those columns of a plain
        CSV file that name none; None: as the file says.
    point_rate_hz : float or None
        Of the rows of a plain CSV file without a column of times; None: as the file says.
    force_start_s : float or None
        When the forces begin, after the first frame of the markers, where the times in two files do not say it.
    vertical : str or None
        The laboratory axis that points up, one of `VERTICALS`; None: as model, plates, posture or file say.
    mirror : str or None
        The laboratory axis whose sign is turned, of markers, plates and forces, where the file's axes are left-handed;
        `vertical` is one of the axes that follow.
    subject_prefix : str or None
        Of a file with several subjects, whose markers and measurements are read, as its labels begin. An option of
        its own, not of ``--set``.
    """

    point_unit: Annotated[str | None, Setting("unit", among=POINT_UNITS)] = None
    point_rate_hz: Annotated[float | None, Setting("rate", "Hz", low=1.0, high=1e6)] = None
    force_start_s: Annotated[float | None, Setting("time", "s", low=-1e6, high=1e6)] = None
    vertical: Annotated[str | None, Setting("axis", among=VERTICALS)] = None
    mirror: Annotated[str | None, Setting("axis", among=("x", "y", "z"))] = None
    subject_prefix: str | None = None

    def __post_init__(self) -> None:
        for name, of in READER.items():
            value = getattr(self, name)
            if of.among and value not in (None, *of.among):
                wrong, expected = f"no such {of.acts}", f"one of {', '.join(of.among)}"
            elif (
                not of.among and value is not None and not (type(value) in (int, float) and of.low <= value <= of.high)
            ):
                wrong, expected = f"no {of.acts}", f"{of.low:,.0f} to {of.high:,.0f} {of.help}"
            else:
                continue
            raise ReadError(f"--set {name}={value}: {wrong}", expected=expected)


#: What stands of each setting, in their order: those of a model, and the reader's.
SETTINGS: Mapping[str, Setting] = MappingProxyType(annotated(Settings))
READER: Mapping[str, Setting] = MappingProxyType(annotated(ReaderSettings))


def settings_from(pairs: Iterable[str]) -> dict[str, Any]:
    """``KEY=VALUE`` of ``--set``, values as YAML would read them.

    Raises
    ------
    GaitidError
        One that is not of that form, whose value is not YAML, or that is given twice with different values.
    """
    result: dict[str, Any] = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        if not value.strip() or not key:
            raise GaitidError(f"--set {pair}: expected KEY=VALUE, for example gravity_m_per_s2=9.80665")
        from gaitid.model.yaml_file import parse_yaml

        name, parsed = key.strip(), parse_yaml(value, f"--set {key}")
        if name in result and result[name] != parsed:
            wrong = f"--set {name}: given twice, as {result[name]} and {parsed}"
            raise GaitidError(wrong, todo="give it once")
        result[name] = parsed
    return result


def parse_settings(fields: "Fields") -> Settings:
    """The `settings` section, or pairs given with ``--set``; what is absent keeps the class's default."""
    defaults = Settings()
    settings = Settings(*(_parsed(fields, name, of, getattr(defaults, name)) for name, of in SETTINGS.items()))
    if settings.contact_edge_N > settings.contact_threshold_N:
        fields.faults.add(f"{fields.at('contact_edge_N')}: must not be above contact_threshold_N")
    fields.done()
    return settings


def _parsed(fields: "Fields", name: str, setting: Setting, default: Any) -> Any:
    """The value of one setting, of the type of its default."""
    if isinstance(default, bool):
        return fields.flag(name, default)
    if isinstance(default, int):
        return fields.integer(name, default, int(setting.low), int(setting.high))
    if "none" in setting.among:
        value = fields.raw(name, default)
        if value is None or value == "none":
            return None
        return value if value in setting.among else fields.number(name, low=setting.low, high=setting.high)
    if setting.among:
        return fields.text(name, default, setting.among)
    return fields.number(name, default, setting.low, setting.high)
