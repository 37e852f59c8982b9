"""How a trial is computed: the settings of a model, each with its default, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from gaitid.records import NamedTuple

if TYPE_CHECKING:  # a shell asks which settings there are, without numpy
    from gaitid.model.fields import Fields

#: What a setting that is a word may be; the other settings are numbers, yes or no, or what `Settings` says of them.
WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "marker_filter": ("butterworth", "gcv_spline", "savitzky_golay"),
        "joint_loads": ("as_measured", "matched"),
        "plate_sampling": ("local_quadratic", "centred_mean"),
        "acceleration": ("quintic_spline",),
        "angular_velocity": ("quaternion_spline", "single_entries"),
        "segment_length": ("trial_mean", "current"),
        "jcs_components": ("projection", "dual_basis"),
        "remove_bias": ("auto", "always", "never"),
        "edge_frames": ("unknown", "known"),
        "pelvis_sequence": ("as_written", "tilt_first", "rotation_first"),
        "doubtful_labels": ("unknown", "keep"),
    }
)


class Settings(NamedTuple):
    """How a trial is computed. Each can be given with ``--set KEY=VALUE``.

    Attributes
    ----------
    gravity_m_per_s2 : float
    cutoff_hz : float, None or "auto"
        Effective −3 dB frequency of both passes of the low-pass on markers; None: no filter; ``auto``: none where
        the markers carry next to no noise (they were smoothed before), else by `raw_cutoff_hz`.
    marker_filter : str
        ``butterworth``, ``gcv_spline`` (Woltring's; with `cutoff_hz` ``auto`` cross-validation chooses, or
        `spline_mse_mm2`) or ``savitzky_golay``.
    spline_mse_mm2 : float or None
        Variance of the noise of a marker's axis, for ``gcv_spline``.
    raw_cutoff_hz : float
        What ``auto`` takes for a walk; in proportion for what moves faster (docs/smoothing.md).
    force_cutoff_hz : float or None
        The same of the plates, besides what `plate_sampling` does.
    joint_loads : str
        ``as_measured``, or ``matched``: wrenches of joints are computed with the loads low-passed as the markers are,
        after contacts were found; what is written of the ground stays as measured (docs/impacts.md).
    plate_sampling : str
        ``local_quadratic`` or ``centred_mean``: how a plate is read at a camera's instant.
    acceleration : str
        ``quintic_spline``.
    angular_velocity : str
        ``quaternion_spline`` or ``single_entries`` (Plug-in Gait's).
    segment_length : str
        ``trial_mean`` or ``current`` for the moments of inertia.
    jcs_components : str
        Of a vector in a joint coordinate system, whose axes are not square: its projections on the axes, or with
        ``dual_basis`` what the axes are to be multiplied by so that their sum is the vector.
    end_frames : int
        Frames left empty at each end of a gap-free span.
    contact_threshold_N, contact_edge_N : float
        A contact is found above the first and reaches out to the second.
    remove_bias : str
        ``auto``: what an empty plate reads is taken off where it exceeds `bias_limit_N`; ``always``; ``never``.
    bias_limit_N : float
    doubtful_labels : str
        ``unknown``: frames in which a marker is off, jumps, changes places or repeats itself count as not seen, and
        labels that are exchanged throughout are not used; ``keep``: all of them are used.
    gap_sure_s, gap_spline_s, gap_rigid_s, gap_error_mm : float
        How long a gap may be to be filled, and how sure its fill must be (`gaitid.markers.gaps.GapLimits`).
    edge_frames : str
        ``unknown`` or ``known``: frames in which a foot presses near an edge that it reaches over.
    external_support : bool
        Crutches, a handrail, a harness or a carried load act on the body: its motion says nothing of what the feet were
        given.
    pelvis_sequence : str
        ``as_written`` in the model's angles; ``tilt_first`` (tilt, obliquity, rotation); ``rotation_first`` (rotation,
        obliquity, tilt: Baker 2001, Gait Posture 13:1-6).
    """

    gravity_m_per_s2: float = 9.81
    cutoff_hz: float | str | None = "auto"
    marker_filter: str = "butterworth"
    spline_mse_mm2: float | None = None
    raw_cutoff_hz: float = 7.0
    force_cutoff_hz: float | None = None
    joint_loads: str = "as_measured"
    plate_sampling: str = "local_quadratic"
    acceleration: str = "quintic_spline"
    angular_velocity: str = "quaternion_spline"
    segment_length: str = "trial_mean"
    jcs_components: str = "projection"
    end_frames: int = 4
    contact_threshold_N: float = 20.0
    contact_edge_N: float = 0.1
    remove_bias: str = "auto"
    bias_limit_N: float = 3.0
    edge_frames: str = "unknown"
    external_support: bool = False
    pelvis_sequence: str = "as_written"
    doubtful_labels: str = "unknown"
    gap_sure_s: float = 0.05
    gap_spline_s: float = 0.2
    gap_rigid_s: float = 0.5
    gap_error_mm: float = 5.0


def parse_settings(fields: Fields) -> Settings:
    """The `settings` section, or pairs given with ``--set``; what is absent keeps the class's default."""
    d = Settings()
    settings = Settings(
        gravity_m_per_s2=fields.number("gravity_m_per_s2", d.gravity_m_per_s2, 0, 100),
        cutoff_hz="auto" if fields.raw("cutoff_hz", "auto") == "auto" else _cutoff(fields, "cutoff_hz"),
        marker_filter=_word(fields, "marker_filter"),
        spline_mse_mm2=_cutoff(fields, "spline_mse_mm2", 1e-10),
        raw_cutoff_hz=fields.number("raw_cutoff_hz", d.raw_cutoff_hz, 0.01, 100000.0),
        force_cutoff_hz=_cutoff(fields, "force_cutoff_hz"),
        joint_loads=_word(fields, "joint_loads"),
        plate_sampling=_word(fields, "plate_sampling"),
        acceleration=_word(fields, "acceleration"),
        angular_velocity=_word(fields, "angular_velocity"),
        segment_length=_word(fields, "segment_length"),
        jcs_components=_word(fields, "jcs_components"),
        end_frames=fields.integer("end_frames", d.end_frames, 2, 1000),
        contact_threshold_N=fields.number("contact_threshold_N", d.contact_threshold_N, 1, 1000),
        contact_edge_N=fields.number("contact_edge_N", d.contact_edge_N, 0.1, 1000),
        remove_bias=_word(fields, "remove_bias"),
        bias_limit_N=fields.number("bias_limit_N", d.bias_limit_N, 0.0, 1000),
        edge_frames=_word(fields, "edge_frames"),
        external_support=fields.flag("external_support", d.external_support),
        pelvis_sequence=_word(fields, "pelvis_sequence"),
        doubtful_labels=_word(fields, "doubtful_labels"),
        gap_sure_s=fields.number("gap_sure_s", d.gap_sure_s, 0.0, 2.0),
        gap_spline_s=fields.number("gap_spline_s", d.gap_spline_s, 0.0, 2.0),
        gap_rigid_s=fields.number("gap_rigid_s", d.gap_rigid_s, 0.0, 2.0),
        gap_error_mm=fields.number("gap_error_mm", d.gap_error_mm, 0.0, 100.0),
    )
    if settings.contact_edge_N > settings.contact_threshold_N:
        fields.faults.add(f"{fields.at('contact_edge_N')}: must not be above contact_threshold_N")
    fields.done()
    return settings


def _word(fields: Fields, key: str) -> str:
    """One of `WORDS`."""
    return fields.text(key, str(getattr(Settings(), key)), WORDS[key])


def _cutoff(fields: Fields, key: str, low: float = 0.01) -> float | None:
    value = fields.raw(key, None)
    if value is None or value == "none":
        return None
    return fields.number(key, low=low, high=100000.0)
