"""Which columns are drawn, and what positive means in each: declarations, no drawing."""

from __future__ import annotations

from collections.abc import Sequence

from gaitid.records import frozen_dataclass

SIDES = ("left", "right")
AXES = ("x", "y", "z")


@frozen_dataclass()
class Panel:
    """One pair of curves.

    Attributes
    ----------
    column : str
        Name of the column, with ``{side}`` for the side.
    title : str
        What is drawn and what positive means.
    unit : str
        As printed beside the axis.
    least_span : float
        The axis never shows less than this (in `unit`): noise about zero is not to look like a curve.
    """

    column: str
    title: str
    unit: str
    least_span: float

    def columns(self, sides: Sequence[str] = SIDES) -> tuple[str, ...]:
        """The names for these sides."""
        return tuple(self.column.format(side=side) for side in sides)


def _angle(name: str, title: str) -> Panel:
    return Panel(f"{{side}}_{name}_deg", title, "deg", 10.0)


def _moment(name: str, title: str) -> Panel:
    return Panel(f"{{side}}_{name}_moment_Nm_per_kg", title, "N·m/kg", 0.2)


def _power(joint: str) -> Panel:
    title = f"{joint.capitalize()} power, generation (+) / absorption (−)"
    return Panel(f"{{side}}_{joint}_power_W_per_kg", title, "W/kg", 0.5)


PELVIS_AND_FOOT = (
    _angle("pelvis_anterior_tilt", "Pelvis anterior (+) / posterior (−) tilt"),
    _angle("pelvis_upward_obliquity", "Pelvis obliquity, own side up (+) / down (−)"),
    _angle("pelvis_internal_rotation", "Pelvis internal (+) / external (−) rotation"),
    _angle("foot_progression_internal_rotation", "Foot progression, internal (+) / external (−)"),
)

SAGITTAL_ANGLES = (
    _angle("hip_flexion", "Hip flexion (+) / extension (−)"),
    _angle("knee_flexion", "Knee flexion (+) / extension (−)"),
    _angle("ankle_dorsiflexion", "Ankle dorsiflexion (+) / plantarflexion (−)"),
)
FRONTAL_ANGLES = (
    _angle("hip_adduction", "Hip adduction (+) / abduction (−)"),
    _angle("knee_adduction", "Knee adduction (+) / abduction (−)"),
    _angle("ankle_eversion", "Ankle eversion (+) / inversion (−)"),
)
TRANSVERSE_ANGLES = (
    _angle("hip_internal_rotation", "Hip internal (+) / external (−) rotation"),
    _angle("knee_internal_rotation", "Knee internal (+) / external (−) rotation"),
    _angle("ankle_internal_rotation", "Ankle internal (+) / external (−) rotation"),
)

SAGITTAL_MOMENTS = (
    _moment("hip_extension", "Hip extension (+) / flexion (−) moment"),
    _moment("knee_extension", "Knee extension (+) / flexion (−) moment"),
    _moment("ankle_plantarflexion", "Ankle plantarflexion (+) / dorsiflexion (−) moment"),
)
FRONTAL_MOMENTS = (
    _moment("hip_abduction", "Hip abduction (+) / adduction (−) moment"),
    _moment("knee_abduction", "Knee abduction (+) / adduction (−) moment"),
    _moment("ankle_eversion", "Ankle eversion (+) / inversion (−) moment"),
)
TRANSVERSE_MOMENTS = (
    _moment("hip_external_rotation", "Hip external (+) / internal (−) rotation moment"),
    _moment("knee_external_rotation", "Knee external (+) / internal (−) rotation moment"),
    _moment("ankle_external_rotation", "Ankle external (+) / internal (−) rotation moment"),
)

POWERS = tuple(_power(joint) for joint in ("hip", "knee", "ankle"))

JOINT_PANELS = (
    *PELVIS_AND_FOOT,
    *SAGITTAL_ANGLES,
    *FRONTAL_ANGLES,
    *TRANSVERSE_ANGLES,
    *SAGITTAL_MOMENTS,
    *FRONTAL_MOMENTS,
    *TRANSVERSE_MOMENTS,
    *POWERS,
)
"""What is drawn of ``joints.csv``, as far as the model gives it."""


def ground_column(side: str, axis: str) -> str:
    """The column of ``wrenches.csv`` with one component of the load on a foot."""
    return f"{side}_ground_force_{axis}_N"


def ground_panels(vertical: str | None) -> tuple[Panel, ...]:
    """The ground reaction along the laboratory's axes; `vertical` names that one where known."""
    return tuple(
        Panel(
            f"{{side}}_ground_force_{axis}_N",
            f"Ground reaction on the foot, laboratory {axis}" + (" (vertical)" if axis == vertical else ""),
            "N",
            50.0,
        )
        for axis in AXES
    )
