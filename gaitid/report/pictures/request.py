"""What picture is asked for, checked before a result is read: the figures by name, which panels each has, in rows; and
sizes on paper, in millimetres, letters and lines in points."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import replace

from gaitid.errors import GaitidError
from gaitid.records import frozen_dataclass
from gaitid.report.chain.drawn import FIGURES as CHAIN_FIGURES
from gaitid.report.panels import ANGLES, GROUND, MOMENTS, PANELS, POWERS, CyclePanel

FORMATS = ("png", "svg", "pdf")
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

# Elsevier, "Artwork and media instructions: artwork sizing" (Gait & Posture, Journal of Biomechanics, Clinical
# Biomechanics): a column 90 mm, one and a half 140 mm, two 190 mm; letters 7 points, none below 6; bitmaps of lines and
# tints 500 dots an inch (1772 pixels a column, 3740 two).
WIDTHS_MM = {"single": 90.0, "1.5": 140.0, "double": 190.0}
DOTS_PER_INCH = 500
SHEET_DOTS_PER_INCH = 200
SHEET_MM = (210.0, 297.0)
"""A4, upright."""
MM_PER_INCH = 25.4
_LEAST_MM, _MOST_MM = 40.0, 1000.0
# mm. A narrower panel has no room for its title.
_LEAST_PANEL_MM = 30.0
_LOWEST_MM, _HIGHEST_MM, _HIGHEST_ON_SHEET_MM = 20.0, 60.0, 36.0


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
    beside = False
    for name in names:
        if name in SINGLE:
            before = rows.pop() if beside else ()
            rows.append((*before, SINGLE[name]))
        elif name in GRIDS:
            rows += GRIDS[name]
        else:
            near = difflib.get_close_matches(name, [*figure_names(), *of_chains], 3)
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


@frozen_dataclass()
class Layout:
    """Of one picture: mm, and points for letters and lines.

    Attributes
    ----------
    width : float
    columns : int
    panel_height : float
    top, bottom : float
        Beside what legend and heading need.
    """

    width: float
    columns: int
    panel_height: float
    top: float = 1.5
    bottom: float = 8.5
    left: float = 12.0
    right: float = 2.5
    column_gap: float = 12.0
    row_gap: float = 6.0
    heading: float = 2.5
    block_gap: float = 9.0
    legend_line: float = 3.6
    letters: float = 7.0
    line: float = 1.1

    @property
    def panel_width(self) -> float:
        gaps = self.column_gap * (self.columns - 1)
        return (self.width - self.left - self.right - gaps) / self.columns


def layout_for(width: float, widest_row: int) -> Layout:
    """As many columns as the widest row has, or fewer where panels would be too narrow."""
    columns = widest_row
    while columns > 1 and Layout(width, columns, 0.0).panel_width < _LEAST_PANEL_MM:
        columns -= 1
    panel = Layout(width, columns, 0.0).panel_width
    return Layout(width, columns, min(max(0.6 * panel, _LOWEST_MM), _HIGHEST_MM))


def sheet_layout(rows: int, legend_lines: int, heading: bool) -> Layout:
    """Of a sheet of A4: rows as high as there is room for, up to what looks well."""
    layout = Layout(SHEET_MM[0], 3, 0.0, top=27.0, bottom=25.0, left=18.0, right=8.0, row_gap=5.6)
    room = SHEET_MM[1] - layout.top - layout.bottom - legend_lines * layout.legend_line - rows * layout.row_gap
    room -= layout.heading if heading else 0.0
    return replace(layout, panel_height=min(room / rows, _HIGHEST_ON_SHEET_MM))
