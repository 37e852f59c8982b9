"""Panels in rows with their legend, as the bytes of a file. The same results give the same bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from gaitid.drawing import shared_style
from gaitid.norms import Norms
from gaitid.records import frozen_dataclass
from gaitid.report.lines import Line
from gaitid.report.page.panels import CyclePanel
from gaitid.report.pictures.axes import BAND_ALPHA, IMPACT, INK, MUTED, NORM, draw_panel, style_of
from gaitid.report.pictures.catalogue import Row
from gaitid.report.pictures.sizes import (
    DOTS_PER_INCH,
    MM_PER_INCH,
    SHEET_DOTS_PER_INCH,
    SHEET_MM,
    Layout,
    layout_for,
    sheet_layout,
)

_RC: dict[str, Any] = {
    "svg.fonttype": "none",  # text stays text
    "pdf.fonttype": 42,  # TrueType: journals take no Type 3
    "path.simplify": True,
    "path.simplify_threshold": 0.1,
}
_FONT = "'DejaVu Sans'"
# A letter of DejaVu Sans is 0.58 of its size wide on average; a handle of the legend with its gaps takes 34 points.
_LETTER, _HANDLE = 0.58, 34.0

Lines = Mapping[str, tuple[Line, ...]]


@frozen_dataclass()
class Block:
    """Rows of panels under a heading: all of a picture, or one side of it.

    Attributes
    ----------
    heading : str
        Empty for none.
    lines : callable
        The lines of a panel, by its column.
    """

    heading: str
    lines: Callable[[str], tuple[Line, ...]]


@frozen_dataclass()
class Picture:
    """What is drawn, and how large.

    Attributes
    ----------
    rows : sequence of Row
    blocks : sequence of Block
    width : float
        mm; a sheet has its own.
    x_label : str
    norms : Norms or None
    counted : str
        What the curves of a mean are: ``cycle``, ``subject``.
    thin : bool
        Whether every curve is drawn.
    head : sequence of str
        Lines above a sheet, the first large; none for a figure of a paper.
    foot : sequence of str
        Lines below a sheet.
    caption : str
        Kept in the file's metadata.
    """

    rows: Sequence[Row]
    blocks: Sequence[Block]
    width: float
    x_label: str
    norms: Norms | None = None
    counted: str = "cycle"
    thin: bool = False
    head: Sequence[str] = ()
    foot: Sequence[str] = ()
    caption: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_sheet(self) -> bool:
        return bool(self.head)


def picture_bytes(picture: Picture, format: str) -> bytes:
    """The picture as ``png``, ``svg`` or ``pdf``; in a PDF each block of a sheet has a page of its own."""
    buffer = io.BytesIO()
    with shared_style(_RC):
        if format == "pdf":
            _write_pdf(picture, buffer)
        else:
            figure = _figure(picture, picture.blocks)
            dots = SHEET_DOTS_PER_INCH if picture.is_sheet else DOTS_PER_INCH
            nothing = dict.fromkeys(("Creator", "Date", "Format", "Type")) if format == "svg" else {"Software": None}
            figure.savefig(
                buffer, format=format, dpi=dots, facecolor="white", metadata={**nothing, "Description": picture.caption}
            )
    content = buffer.getvalue()
    if format == "svg":  # a reader without this font takes the next
        content = content.replace(_FONT.encode(), f"{_FONT}, Arial, Helvetica, sans-serif".encode())
    return _same_names(content) if format == "pdf" else content


def _write_pdf(picture: Picture, buffer: io.BytesIO) -> None:
    pages = [[block] for block in picture.blocks] if picture.is_sheet else [picture.blocks]
    about = {"Creator": None, "Producer": None, "CreationDate": None, "Subject": picture.caption}
    with PdfPages(buffer, metadata=about) as pdf:
        for blocks in pages:
            pdf.savefig(_figure(picture, blocks), facecolor="white")


def _same_names(pdf: bytes) -> bytes:
    """Fonts' names without what differs from one process to the next: six letters, drawn from a hash."""
    return re.sub(rb"/[A-Z]{6}\+(?=DejaVu)", b"/GAITID+", pdf)


def _figure(picture: Picture, blocks: Sequence[Block]) -> Figure:
    found = [_of_block(picture, block) for block in blocks]
    handles = _handles(picture, [line for lines in found for of_panel in lines.values() for line in of_panel])
    look, rows, legend = _layout(picture, found, handles)
    height = look.top + look.bottom + legend * look.legend_line + look.rows_height(len(rows)) * len(blocks)
    height += look.heading * sum(bool(block.heading) for block in blocks) + look.block_gap * (len(blocks) - 1)
    height = max(height, SHEET_MM[1]) if picture.is_sheet else height
    figure = Figure(figsize=(look.width / MM_PER_INCH, height / MM_PER_INCH))
    _legend(figure, look, handles, legend)
    y = look.top + legend * look.legend_line
    for block, lines in zip(blocks, found, strict=True):
        if block.heading:
            _write(figure, look, y + 1.0, block.heading, fontsize=look.letters + 1.5, weight="bold")
            y += look.heading
        for i, row in enumerate(rows):
            y += look.row_gap
            for column, panel in enumerate(row):
                axes = _axes(figure, look, column, y)
                of_panel = lines[panel.column]
                draw_panel(axes, panel, of_panel, _band(picture, panel), look, picture.thin)
                _label_x(axes, picture, look, any(len(below) > column for below in rows[i + 1 :]))
            y += look.panel_height
        y += look.block_gap
    _head_and_foot(figure, picture, look)
    return figure


def _of_block(picture: Picture, block: Block) -> Lines:
    return {panel.column: block.lines(panel.column) for row in picture.rows for panel in row}


def _layout(picture: Picture, found: Sequence[Lines], handles: Sequence[Any]) -> tuple[Layout, list[Row], int]:
    """Sizes, the rows as they are set, and lines of the legend."""
    if picture.is_sheet:
        rows = list(picture.rows)
        legend = _legend_lines(handles, Layout(SHEET_MM[0], 3, 0.0, left=18.0, right=8.0))
        return sheet_layout(len(rows), legend, heading=bool(picture.blocks[0].heading)), rows, legend
    look = layout_for(picture.width, max(len(row) for row in picture.rows))
    rows = list(picture.rows)
    if any(len(row) > look.columns for row in rows):  # narrow: one panel after the other
        panels = [panel for row in rows for panel in row]
        rows = [tuple(panels[i : i + look.columns]) for i in range(0, len(panels), look.columns)]
    return look, rows, _legend_lines(handles, look)


def _band(picture: Picture, panel: CyclePanel) -> Any:
    return picture.norms.bands.get(panel.column) if picture.norms is not None else None


def _axes(figure: Figure, look: Layout, column: int, from_top: float) -> Any:
    width, height = (float(inches) * MM_PER_INCH for inches in figure.get_size_inches())
    left = look.left + column * (look.panel_width + look.column_gap)
    box = (left / width, 1 - (from_top + look.panel_height) / height, look.panel_width / width)
    return figure.add_axes((*box, look.panel_height / height), facecolor="none")


def _label_x(axes: Any, picture: Picture, look: Layout, more_below: bool) -> None:
    if more_below:
        axes.tick_params(labelbottom=False)
    else:
        axes.set_xlabel(picture.x_label, fontsize=look.letters, color=INK, labelpad=1.5)


def _handles(picture: Picture, lines: Sequence[Line]) -> list[Any]:
    """Of the legend: each line with how many curves it is of, the band, the norm, the impact."""
    handles: list[Any] = []
    shared = len(picture.blocks) == 1
    for style, label in sorted({(line.style, line.label) for line in lines}):
        these = [line for line in lines if (line.style, line.label) == (style, label)]
        colour, dashes = style_of(these[0], shared)
        counted = _counted([len(line.whole) for line in these if len(line.whole)], picture.counted)
        handles.append(Line2D([], [], color=colour, linestyle=dashes, linewidth=1.1, label=f"{label}{counted}"))
    if any(len(line.whole) > 1 for line in lines):
        colour = style_of(lines[0], shared)[0]
        handles.append(Patch(facecolor=colour, alpha=2 * BAND_ALPHA, linewidth=0, label="± SD"))
    if picture.norms is not None and any(_band(picture, panel) for row in picture.rows for panel in row):
        handles.append(Patch(facecolor=NORM, linewidth=0, label=f"norm ± SD: {picture.norms.legend}"))
    if any(line.impact.any() or line.partial_impact.any() for line in lines):
        handles.append(Line2D([], [], color=INK, linewidth=0.9, label="impact of the strike", **IMPACT))
    if any(line.off_percent > 0 for line in lines):
        handles.append(Line2D([], [], color=INK, linewidth=0.5, marker="|", linestyle="", label="foot off"))
    return handles


def _counted(numbers: Sequence[int], noun: str) -> str:
    if not numbers:
        return ""
    low, high = min(numbers), max(numbers)
    return f" ({low if low == high else f'{low}–{high}'} {noun}{'' if high == 1 else 's'})"


def _legend_columns(handles: Sequence[Any], look: Layout) -> int:
    room = (look.width - look.left - look.right + 6.0) * 72 / MM_PER_INCH
    longest = max((len(str(handle.get_label())) for handle in handles), default=1)
    return max(1, min(len(handles), int(room / (longest * _LETTER * look.letters + _HANDLE))))


def _legend_lines(handles: Sequence[Any], look: Layout) -> int:
    return -(-len(handles) // _legend_columns(handles, look)) if handles else 0


def _legend(figure: Figure, look: Layout, handles: Sequence[Any], lines: int) -> None:
    width, height = (float(inches) * MM_PER_INCH for inches in figure.get_size_inches())
    if handles:
        figure.legend(
            handles=list(handles),
            loc="upper left",
            bbox_to_anchor=((look.left - 8.0) / width, 1 - look.top / height),
            ncols=-(-len(handles) // lines),
            fontsize=look.letters,
            frameon=False,
            labelcolor=INK,
            handlelength=2.6,
            handletextpad=0.5,
            columnspacing=1.2,
            labelspacing=0.35,
            borderpad=0,
            borderaxespad=0,
        )


def _write(figure: Figure, look: Layout, from_top: float, text: str, **style: Any) -> None:
    width, height = (float(inches) * MM_PER_INCH for inches in figure.get_size_inches())
    style = {"fontsize": look.letters, "color": INK, **style}
    figure.text((look.left - 8.0) / width, 1 - from_top / height, text, va="top", **style)


def _head_and_foot(figure: Figure, picture: Picture, look: Layout) -> None:
    for i, text in enumerate(picture.head):
        _write(figure, look, 8.0 + (7.0 if i else 0.0) + 3.4 * max(i - 1, 0), text, **_head_style(i))
    height = float(figure.get_size_inches()[1]) * MM_PER_INCH
    for i, text in enumerate(picture.foot):
        _write(figure, look, height - 15.0 + 3.2 * i, text, color=MUTED)


def _head_style(i: int) -> dict[str, Any]:
    return {"fontsize": 13, "weight": "bold"} if i == 0 else {"color": MUTED}
