"""What is drawn over the cycle, in the order and with the axes of clinical reports: declarations, no drawing."""

from __future__ import annotations

from collections.abc import Mapping

from gaitid.records import NamedTuple

SIDES = ("left", "right")
AXES = ("x", "y", "z")
STANDARD_GRAVITY = 9.81


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
    part, plane : str
        Of the body, or ``ground``; powers have no plane.
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
    part: str
    plane: str = ""
    scale: float = 1.0

    @property
    def joint(self) -> str:
        """``ground`` is a joint here, and the foot is the ankle's."""
        return "ankle" if self.part == "foot" else self.part

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


def _panels(
    end: str, unit: str, *rows: tuple[str, str, str, str, float, float, str], scale: float = 1.0
) -> tuple[CyclePanel, ...]:
    """Of rows with name, title, up, down, low, high and plane; the columns are the names with `end`."""
    return tuple(
        CyclePanel(name + end, title, unit, up, down, low, high, name.split("_")[0], plane, scale)
        for name, title, up, down, low, high, plane in rows
    )


_S, _F, _T = "sagittal", "frontal", "transverse"
_IN, _OUT = "internal", "external"

ANGLES = Group(
    "angles",
    "Joint angles",
    "",
    _panels(
        "_deg",
        "°",
        ("pelvis_anterior_tilt", "Pelvic tilt", "anterior", "posterior", 0, 30, _S),
        ("pelvis_upward_obliquity", "Pelvic obliquity", "up", "down", -15, 15, _F),
        ("pelvis_internal_rotation", "Pelvic rotation", _IN, _OUT, -20, 20, _T),
        ("hip_flexion", "Hip flexion", "flexion", "extension", -20, 50, _S),
        ("hip_adduction", "Hip adduction", "adduction", "abduction", -20, 20, _F),
        ("hip_internal_rotation", "Hip rotation", _IN, _OUT, -30, 30, _T),
        ("knee_flexion", "Knee flexion", "flexion", "extension", -10, 75, _S),
        ("knee_adduction", "Knee adduction", "varus", "valgus", -20, 20, _F),
        ("knee_internal_rotation", "Knee rotation", _IN, _OUT, -30, 30, _T),
        ("ankle_dorsiflexion", "Ankle dorsiflexion", "dorsi", "plantar", -30, 30, _S),
        ("ankle_eversion", "Ankle eversion", "eversion", "inversion", -20, 20, _F),
        ("foot_progression_internal_rotation", "Foot progression", _IN, _OUT, -30, 30, _T),
        ("ankle_internal_rotation", "Ankle rotation", _IN, _OUT, -30, 30, _T),
    ),
)
TRUNK = Group(
    "trunk",
    "Trunk",
    "The thorax to the laboratory, and to the pelvis (spine).",
    _panels(
        "_deg",
        "°",
        ("thorax_anterior_tilt", "Thorax tilt", "forward", "backward", -15, 15, _S),
        ("thorax_upward_obliquity", "Thorax obliquity", "up", "down", -15, 15, _F),
        ("thorax_internal_rotation", "Thorax rotation", _IN, _OUT, -20, 20, _T),
        ("spine_flexion", "Spine flexion", "flexion", "extension", -30, 10, _S),
        ("spine_lateral_flexion", "Spine lateral flexion", "to own side", "away", -15, 15, _F),
        ("spine_external_rotation", "Spine rotation", _OUT, _IN, -20, 20, _T),
    ),
)
MOMENTS = Group(
    "moments",
    "Joint moments",
    "Internal: what the proximal segment exerts on the distal one, per kilogram of body mass.",
    _panels(
        "_moment_Nm_per_kg",
        "N·m/kg",
        ("hip_extension", "Hip extension moment", "extension", "flexion", -1, 1.5, _S),
        ("hip_abduction", "Hip abduction moment", "abduction", "adduction", -0.5, 1.2, _F),
        ("hip_external_rotation", "Hip rotation moment", _OUT, _IN, -0.3, 0.3, _T),
        ("knee_extension", "Knee extension moment", "extension", "flexion", -0.8, 1.2, _S),
        ("knee_abduction", "Knee abduction moment", "abduction", "adduction", -0.4, 0.8, _F),
        ("knee_external_rotation", "Knee rotation moment", _OUT, _IN, -0.3, 0.3, _T),
        ("ankle_plantarflexion", "Ankle plantarflexion moment", "plantar", "dorsi", -0.4, 1.8, _S),
        ("ankle_eversion", "Ankle eversion moment", "eversion", "inversion", -0.3, 0.3, _F),
        ("ankle_external_rotation", "Ankle rotation moment", _OUT, _IN, -0.3, 0.3, _T),
    ),
)
POWERS = Group(
    "powers",
    "Joint powers",
    "Per kilogram of body mass; positive is generated.",
    _panels(
        "_power_W_per_kg",
        "W/kg",
        ("hip", "Hip power", "generated", "absorbed", -1.5, 2, ""),
        ("knee", "Knee power", "generated", "absorbed", -2, 1.5, ""),
        ("ankle", "Ankle power", "generated", "absorbed", -1.5, 4, ""),
    ),
)
GROUND = Group(
    "ground",
    "Ground reaction",
    "On the foot, in % of body weight (body mass times 9.81 m/s²).",
    _panels(
        "_N_per_kg",
        "% body weight",
        ("ground_reaction_forward", "Forward force", "propels", "brakes", -25, 25, _S),
        ("ground_reaction_lateral", "Lateral force", "to own side", "to midline", -10, 10, _F),
        ("ground_reaction_upward", "Vertical force", "up", "", 0, 120, _T),
        scale=100 / STANDARD_GRAVITY,
    ),
)
GROUPS = (ANGLES, MOMENTS, POWERS, GROUND, TRUNK)
PANELS: Mapping[str, CyclePanel] = {panel.column: panel for group in GROUPS for panel in group.panels}
"""By column."""
OF_JOINTS = (*ANGLES.panels, *MOMENTS.panels, *POWERS.panels)
"""What is read of ``joints.csv``, as far as the model gives it."""
AT_A_GLANCE = tuple(panel.column for panel in OF_JOINTS if panel.plane in (_S, ""))
"""What is told in words first: the sagittal plane, and power."""


def ground_column(side: str, axis: str) -> str:
    """The column of ``wrenches.csv`` with one component of the load on a foot."""
    return f"{side}_ground_force_{axis}_N"
