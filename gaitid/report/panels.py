"""What is drawn over the cycle, in the order and with the axes of clinical reports; figures that can be asked for."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence

from gaitid.errors import GaitidError
from gaitid.gait import ENVELOPES
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.results.result import Result

SIDES = ("left", "right")
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
        """``ground`` is a joint here, the foot is the ankle's, and what is inside it is the ``foot``."""
        inside = self.part in ("hindfoot", "forefoot", "hallux", "arch", "distal")
        return "ankle" if self.part == "foot" else "foot" if inside else self.part

    @property
    def loaded(self) -> bool:
        """Whether the load on the foot is needed for it."""
        return not self.column.endswith(("_deg", *ENVELOPES))

    @property
    def of_joint_load(self) -> bool:
        """Whether it is a moment or a power: what the impact of a foot strike spoils."""
        return "_moment_" in self.column or "_power_" in self.column

    @property
    def decimals(self) -> int:
        """Of values in words."""
        return 2 if self.of_joint_load else 1 if self.unit in ("°", "mV") else 0


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
FOOT = Group(
    "foot",
    "Foot",
    "Hindfoot to the tibia, forefoot to the hindfoot and the tibia, hallux to the forefoot; arch in % of the foot.",
    (
        *_panels(
            "_deg",
            "°",
            ("hindfoot_tibia_dorsiflexion", "Hindfoot dorsiflexion", "dorsi", "plantar", -25, 25, _S),
            ("hindfoot_tibia_inversion", "Hindfoot inversion", "inversion", "eversion", -20, 20, _F),
            ("hindfoot_tibia_internal_rotation", "Hindfoot rotation", _IN, _OUT, -25, 25, _T),
            ("forefoot_hindfoot_dorsiflexion", "Forefoot dorsiflexion", "dorsi", "plantar", -20, 20, _S),
            ("forefoot_hindfoot_supination", "Forefoot supination", "supination", "pronation", -10, 20, _F),
            ("forefoot_hindfoot_adduction", "Forefoot adduction", "adduction", "abduction", -20, 20, _T),
            ("forefoot_tibia_dorsiflexion", "Forefoot to tibia", "dorsi", "plantar", -30, 30, _S),
            ("forefoot_tibia_supination", "Forefoot to tibia, supination", "supination", "pronation", -20, 20, _F),
            ("forefoot_tibia_adduction", "Forefoot to tibia, adduction", "adduction", "abduction", -20, 20, _T),
            ("hallux_forefoot_dorsiflexion", "Hallux dorsiflexion", "dorsi", "plantar", -10, 50, _S),
        ),
        *_panels("_index", "%", ("arch_height", "Arch height", "high", "low", 5, 30, "")),
        *_panels(
            "_power_W_per_kg", "W/kg", ("distal_foot", "Power below the foot", "generated", "absorbed", -2, 1, "")
        ),
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


def muscle_panels(greatest: Mapping[str, float]) -> tuple[CyclePanel, ...]:
    """Of envelopes of electromyography, by column with their greatest value: those of both legs in one panel."""
    in_volts, of_reference = ENVELOPES
    panels = []
    for column, most in greatest.items():
        volts = column.endswith(in_volts)
        unit, scale = ("%", 1.0) if not volts else ("mV", 1e3) if most >= 1e-3 else ("µV", 1e6)
        title = column.removesuffix(in_volts if volts else of_reference).replace("_", " ")
        panels.append(CyclePanel(column, title.capitalize(), unit, "", "", 0.0, scale * most, "muscle", "", scale))
    return tuple(panels)


MUSCLES = "Envelopes of electromyography: each leg's muscles over its own cycles."
GROUPS = (ANGLES, MOMENTS, POWERS, GROUND, TRUNK, FOOT)
PANELS: Mapping[str, CyclePanel] = {panel.column: panel for group in GROUPS for panel in group.panels}
"""By column."""
OF_JOINTS = (*ANGLES.panels, *MOMENTS.panels, *POWERS.panels)
"""Of ``joints.csv``, as far as the model gives it."""
AT_A_GLANCE = tuple(panel.column for panel in OF_JOINTS if panel.plane in (_S, ""))
"""What is told in words first: the sagittal plane, and power."""


def is_chain(result: Result) -> bool:
    """Whether nothing of gait is in it: an arm, a linkage, a pendulum."""
    names = {f"{side}_{panel.column}" for side in result.sides for panel in OF_JOINTS}
    return not result.on_ground and names.isdisjoint(result.columns)


# --- figures by name --------------------------------------------------------------------------------------------

#: Of chains that do not walk, in the order in which they are drawn, with their headings.
CHAIN_FIGURES = {
    "stick": "Stick figure",
    "coordinates": "Coordinates",
    "rates": "Rates",
    "torques": "Torques and forces along the coordinates",
    "energies": "Energies",
    "forces": "Joint forces, of the proximal on the distal body, laboratory axes",
    "moments": "Joint moments, of the proximal on the distal body about the joint, laboratory axes",
    "contributions": "What the joint moments answer",
    "force_contributions": "What the joint forces answer",
}

PICTURES = ("png", "svg", "pdf")
#: Everything on one sheet of A4.
SHEET = "sheet"
Row = tuple[CyclePanel, ...]

_ANGLE_ROWS = tuple(ANGLES.panels[i : i + 3] for i in range(0, 12, 3))
GRIDS: dict[str, tuple[Row, ...]] = {
    "kinematics": (*_ANGLE_ROWS, ANGLES.panels[12:]),
    "moments": tuple(MOMENTS.panels[i : i + 3] for i in range(0, 9, 3)),
    "powers": (POWERS.panels,),
    "ground": (GROUND.panels,),
    # of the moments those of the sagittal and of the frontal plane
    SHEET: (*_ANGLE_ROWS, MOMENTS.panels[::3], MOMENTS.panels[1::3], POWERS.panels, GROUND.panels),
}
"""Rows of panels by the figure's name."""
SINGLE = {re.sub("_(deg|(Nm|W|N)_per_kg)$", "", column): panel for column, panel in PANELS.items()}
"""Single panels by their column without its unit."""

_LEAST_MM, _MOST_MM = 40.0, 1000.0
# mm: a column, one and a half, two (Elsevier, "Artwork and media instructions: artwork sizing").
WIDTHS_MM = {"single": 90.0, "1.5": 140.0, "double": 190.0}


def rows_of(names: Sequence[str], of_chains: Sequence[str] = ()) -> list[Row]:
    """Rows of panels of one or several figures; panels that are asked for one after the other share a row.

    Parameters
    ----------
    names : sequence of str
    of_chains : sequence of str
        Names of other pictures, for the refusal.

    Raises
    ------
    GaitidError
        A name that is none.
    """
    rows: list[Row] = []
    beside = False
    for name in names:
        if name in SINGLE:
            before = rows.pop() if beside else ()
            rows.append((*before, SINGLE[name]))
        elif name in GRIDS:
            rows += GRIDS[name]
        else:
            near = difflib.get_close_matches(name, [*GRIDS, *SINGLE, *of_chains], 3)
            chains = f"; of a chain that does not walk {', '.join(of_chains)}" if of_chains else ""
            expected = ", ".join(near) if near else f"{', '.join(GRIDS)}, or a panel as hip_flexion{chains}"
            raise GaitidError(f"no figure {name!r}", expected=expected)
        beside = name in SINGLE
    return rows


def width_mm(asked: str | None) -> float:
    """The width that is asked for by name or in millimetres; two columns where nothing is asked for.

    Raises
    ------
    GaitidError
        Neither a name nor a number within 40 to 1000.
    """
    try:
        number = WIDTHS_MM["double"] if asked is None else WIDTHS_MM.get(asked) or float(asked)
    except ValueError:
        number = float("nan")
    if not _LEAST_MM <= number <= _MOST_MM:
        raise GaitidError(
            f"{asked}: no width of a picture",
            expected=f"single (90 mm), 1.5 (140 mm), double (190 mm), or {_LEAST_MM:g} to {_MOST_MM:g} (mm)",
        )
    return number


@frozen_dataclass()
class Request:
    """What is asked for.

    Attributes
    ----------
    figures : sequence of str
        Names of figures or panels; none for the sheet.
    width : str or None
        A journal's column by name, or mm; two columns by default.
    cycles : bool
        Whether every curve is drawn too.
    """

    figures: Sequence[str] = ()
    width: str | None = None
    cycles: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.figures) or (SHEET,)

    @property
    def rows(self) -> list[Row]:
        """Refused where a name is none."""
        return rows_of(self.names)

    def check(self) -> None:
        """Refused where a name is none, of gait or of a chain, or the width is none."""
        rows_of([name for name in self.names if name not in CHAIN_FIGURES], tuple(CHAIN_FIGURES))
        _ = self.width_mm

    @property
    def width_mm(self) -> float:
        """Refused where it is none."""
        return width_mm(self.width)

    def each(self) -> dict[str, Request]:
        """A picture of its own for each figure that is asked for, or for each there is, by name."""
        names = tuple(self.figures) or tuple(GRIDS)
        return {name: Request((name,), self.width, self.cycles) for name in names}
