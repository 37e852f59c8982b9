"""The figures by name: which panels each has, in rows."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from gaitid.errors import GaitidError
from gaitid.report.page.panels import ANGLES, GROUND, GROUPS, MOMENTS, PANELS, POWERS, CyclePanel

#: Everything on one sheet of A4.
SHEET = "sheet"
_UNITS = ("_deg", "_Nm_per_kg", "_W_per_kg", "_N_per_kg")

Row = tuple[CyclePanel, ...]


def panel_name(panel: CyclePanel) -> str:
    """By which a panel is asked for: its column without the unit."""
    return next(panel.column.removesuffix(unit) for unit in _UNITS if panel.column.endswith(unit))


def _row(*columns: str) -> Row:
    return tuple(PANELS[column] for column in columns)


_ANGLE_ROWS = tuple(ANGLES.panels[i : i + 3] for i in range(0, 12, 3))
GRIDS: dict[str, tuple[Row, ...]] = {
    "kinematics": (*_ANGLE_ROWS, ANGLES.panels[12:]),
    "moments": tuple(MOMENTS.panels[i : i + 3] for i in range(0, 9, 3)),
    "powers": (POWERS.panels,),
    "ground": (GROUND.panels,),
    SHEET: (
        *_ANGLE_ROWS,
        _row(*(f"{name}_moment_Nm_per_kg" for name in ("hip_extension", "knee_extension", "ankle_plantarflexion"))),
        _row(*(f"{name}_moment_Nm_per_kg" for name in ("hip_abduction", "knee_abduction", "ankle_eversion"))),
        POWERS.panels,
        GROUND.panels,
    ),
}
"""Rows of panels by the figure's name."""

SINGLE: dict[str, CyclePanel] = {panel_name(panel): panel for group in GROUPS for panel in group.panels}


def figure_names() -> tuple[str, ...]:
    """What can be asked for: whole figures, then single panels."""
    return (*GRIDS, *SINGLE)


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
    single: list[CyclePanel] = []
    for name in names:
        if name in SINGLE:
            single.append(SINGLE[name])
            continue
        if name not in GRIDS:
            near = difflib.get_close_matches(name, [*figure_names(), *of_chains], 3)
            chains = f"; of a chain that does not walk {', '.join(of_chains)}" if of_chains else ""
            expected = ", ".join(near) if near else f"{', '.join(GRIDS)}, or a panel as hip_flexion{chains}"
            raise GaitidError(f"no figure {name!r}", expected=expected)
        rows += [tuple(single)] if single else []
        rows += GRIDS[name]
        single = []
    return [*rows, tuple(single)] if single else rows
