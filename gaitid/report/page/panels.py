"""What is drawn over the cycle, in the order and with the axes of clinical reports: declarations, no drawing."""

from __future__ import annotations

from collections.abc import Mapping

from gaitid.records import NamedTuple

STANDARD_GRAVITY = 9.81
JOINTS = ("pelvis", "hip", "knee", "ankle", "ground")
PLANES = ("sagittal", "frontal", "transverse")


class CyclePanel(NamedTuple):
    """One panel over the cycle.

    Attributes
    ----------
    column : str
        Of ``cycles.csv``.
    title, unit : str
    up, down : str
        What positive and negative mean, in one or two words.
    low, high : float
        What the axis shows at least, in `unit`.
    joint, plane : str
        ``ground`` is a joint here; powers have no plane.
    scale : float
        From the column's unit to `unit`.
    """

    column: str
    title: str
    unit: str
    up: str
    down: str
    low: float
    high: float
    joint: str
    plane: str = ""
    scale: float = 1.0

    @property
    def loaded(self) -> bool:
        """Whether the load on the foot is needed for it."""
        return not self.column.endswith("_deg")

    @property
    def of_joint_load(self) -> bool:
        """Whether it is a moment or a power: what the impact of a foot strike spoils."""
        return "_moment_" in self.column or "_power_" in self.column

    @property
    def decimals(self) -> int:
        """Of values in words."""
        return 2 if self.of_joint_load else 1 if self.unit == "°" else 0


class Group(NamedTuple):
    """Panels under one heading, in columns."""

    key: str
    title: str
    note: str
    panels: tuple[CyclePanel, ...]


def _angle(name: str, title: str, ends: tuple[str, str], limits: tuple[float, float], plane: str) -> CyclePanel:
    joint = "ankle" if name.startswith("foot") else name.split("_", 1)[0]
    return CyclePanel(f"{name}_deg", title, "°", *ends, *limits, joint, plane)


def _moment(name: str, title: str, ends: tuple[str, str], limits: tuple[float, float], plane: str) -> CyclePanel:
    return CyclePanel(f"{name}_moment_Nm_per_kg", title, "N·m/kg", *ends, *limits, name.split("_", 1)[0], plane)


def _power(joint: str, limits: tuple[float, float]) -> CyclePanel:
    title = f"{joint.capitalize()} power"
    return CyclePanel(f"{joint}_power_W_per_kg", title, "W/kg", "generated", "absorbed", *limits, joint)


def _ground(way: str, title: str, ends: tuple[str, str], limits: tuple[float, float], plane: str) -> CyclePanel:
    scale = 100 / STANDARD_GRAVITY
    return CyclePanel(f"ground_reaction_{way}_N_per_kg", title, "% body weight", *ends, *limits, "ground", plane, scale)


_S, _F, _T = PLANES
_ROTATES = ("internal", "external")

ANGLES = Group(
    "angles",
    "Joint angles",
    "",
    (
        _angle("pelvis_anterior_tilt", "Pelvic tilt", ("anterior", "posterior"), (0, 30), _S),
        _angle("pelvis_upward_obliquity", "Pelvic obliquity", ("up", "down"), (-15, 15), _F),
        _angle("pelvis_internal_rotation", "Pelvic rotation", _ROTATES, (-20, 20), _T),
        _angle("hip_flexion", "Hip flexion", ("flexion", "extension"), (-20, 50), _S),
        _angle("hip_adduction", "Hip adduction", ("adduction", "abduction"), (-20, 20), _F),
        _angle("hip_internal_rotation", "Hip rotation", _ROTATES, (-30, 30), _T),
        _angle("knee_flexion", "Knee flexion", ("flexion", "extension"), (-10, 75), _S),
        _angle("knee_adduction", "Knee adduction", ("varus", "valgus"), (-20, 20), _F),
        _angle("knee_internal_rotation", "Knee rotation", _ROTATES, (-30, 30), _T),
        _angle("ankle_dorsiflexion", "Ankle dorsiflexion", ("dorsi", "plantar"), (-30, 30), _S),
        _angle("ankle_eversion", "Ankle eversion", ("eversion", "inversion"), (-20, 20), _F),
        _angle("foot_progression_internal_rotation", "Foot progression", _ROTATES, (-30, 30), _T),
        _angle("ankle_internal_rotation", "Ankle rotation", _ROTATES, (-30, 30), _T),
    ),
)
TRUNK = Group(
    "trunk",
    "Trunk",
    "The thorax to the laboratory, and to the pelvis (spine).",
    (
        _angle("thorax_anterior_tilt", "Thorax tilt", ("forward", "backward"), (-15, 15), _S),
        _angle("thorax_upward_obliquity", "Thorax obliquity", ("up", "down"), (-15, 15), _F),
        _angle("thorax_internal_rotation", "Thorax rotation", _ROTATES, (-20, 20), _T),
        _angle("spine_flexion", "Spine flexion", ("flexion", "extension"), (-30, 10), _S),
        _angle("spine_lateral_flexion", "Spine lateral flexion", ("to own side", "away"), (-15, 15), _F),
        _angle("spine_external_rotation", "Spine rotation", ("external", "internal"), (-20, 20), _T),
    ),
)
MOMENTS = Group(
    "moments",
    "Joint moments",
    "Internal: what the proximal segment exerts on the distal one, per kilogram of body mass.",
    (
        _moment("hip_extension", "Hip extension moment", ("extension", "flexion"), (-1, 1.5), _S),
        _moment("hip_abduction", "Hip abduction moment", ("abduction", "adduction"), (-0.5, 1.2), _F),
        _moment("hip_external_rotation", "Hip rotation moment", ("external", "internal"), (-0.3, 0.3), _T),
        _moment("knee_extension", "Knee extension moment", ("extension", "flexion"), (-0.8, 1.2), _S),
        _moment("knee_abduction", "Knee abduction moment", ("abduction", "adduction"), (-0.4, 0.8), _F),
        _moment("knee_external_rotation", "Knee rotation moment", ("external", "internal"), (-0.3, 0.3), _T),
        _moment("ankle_plantarflexion", "Ankle plantarflexion moment", ("plantar", "dorsi"), (-0.4, 1.8), _S),
        _moment("ankle_eversion", "Ankle eversion moment", ("eversion", "inversion"), (-0.3, 0.3), _F),
        _moment("ankle_external_rotation", "Ankle rotation moment", ("external", "internal"), (-0.3, 0.3), _T),
    ),
)
POWERS = Group(
    "powers",
    "Joint powers",
    "Per kilogram of body mass; positive is generated.",
    (_power("hip", (-1.5, 2)), _power("knee", (-2, 1.5)), _power("ankle", (-1.5, 4))),
)
GROUND = Group(
    "ground",
    "Ground reaction",
    "On the foot, in % of body weight (body mass times 9.81 m/s²).",
    (
        _ground("forward", "Forward force", ("propels", "brakes"), (-25, 25), _S),
        _ground("lateral", "Lateral force", ("to own side", "to midline"), (-10, 10), _F),
        _ground("upward", "Vertical force", ("up", ""), (0, 120), _T),
    ),
)
GROUPS = (ANGLES, MOMENTS, POWERS, GROUND, TRUNK)
PANELS: Mapping[str, CyclePanel] = {panel.column: panel for group in GROUPS for panel in group.panels}
"""By column."""

AT_A_GLANCE = (
    "pelvis_anterior_tilt_deg",
    "hip_flexion_deg",
    "knee_flexion_deg",
    "ankle_dorsiflexion_deg",
    "hip_extension_moment_Nm_per_kg",
    "knee_extension_moment_Nm_per_kg",
    "ankle_plantarflexion_moment_Nm_per_kg",
    "hip_power_W_per_kg",
    "knee_power_W_per_kg",
    "ankle_power_W_per_kg",
)
"""What is told in words first: the sagittal plane, and power."""
