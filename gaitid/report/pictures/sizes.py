"""Sizes on paper: journals' widths, letters, lines; millimetres, letters and lines in points."""

from __future__ import annotations

from dataclasses import replace

from gaitid.errors import GaitidError
from gaitid.records import frozen_dataclass

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


def width_mm(asked: str | None) -> float:
    """The width that is asked for by name or in millimetres; two columns where nothing is asked for.

    Raises
    ------
    GaitidError
        Neither a name nor a number within 40 to 1000.
    """
    if asked is None:
        return WIDTHS_MM["double"]
    if asked in WIDTHS_MM:
        return WIDTHS_MM[asked]
    try:
        number = float(asked)
    except ValueError:
        number = float("nan")
    if not _LEAST_MM <= number <= _MOST_MM:
        raise GaitidError(
            f"{asked}: no width of a picture",
            expected=f"single (90 mm), 1.5 (140 mm), double (190 mm), or {_LEAST_MM:g} to {_MOST_MM:g} (mm)",
        )
    return number


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

    def rows_height(self, rows: int) -> float:
        """Of so many rows of panels with their titles."""
        return rows * (self.panel_height + self.row_gap)


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
