"""The pictures as bytes: inline SVG for the page, one PNG sheet. The same result gives the same bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from gaitid.drawing import shared_style
from gaitid.errors import GaitidError
from gaitid.report import panels
from gaitid.report.curves import COLOURS, GRID, INK, MUTED, PAPER, RC, Layout, draw_grid
from gaitid.report.panels import Panel
from gaitid.report.result import Result
from gaitid.report.stance import count_warnings, unknown_by_reason, vertical_axis
from gaitid.report.text import escape, plain

PAGE = Layout(width=12.0, panel_height=1.75, font=8.0, line=1.5)
PAGE_OF_FOUR = Layout(width=12.0, panel_height=1.75, font=8.0, line=1.5, columns=2)
SHEET = Layout(
    width=11.69,
    panel_height=0.99,
    font=6.5,
    line=1.1,
    top=0.95,
    left=0.6,
    right=0.25,
    column_gap=0.5,
    row_gap=0.215,
    strip_height=0.25,
    strip_gap=0.23,
)
SHEET_SIZE = (11.69, 8.27)
"""Inches: A4, landscape."""
SHEET_DPI = 200

# The colours of the page, by what they paint: CSS variables, so that a dark page recolours the curves.
_CSS_COLOURS = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    GRID: "var(--grid)",
    PAPER: "var(--page)",
    COLOURS["left"]: "var(--left)",
    COLOURS["right"]: "var(--right)",
}


def page_figures(result: Result) -> list[tuple[str, str, list[list[Panel]], Layout]]:
    """Key, heading, panels and layout of the figures on the page, in reading order: those that have columns."""
    pelvis = panels.PELVIS_AND_FOOT
    figures: list[tuple[str, str, list[Sequence[Panel]], Layout]] = [
        ("ground", "Ground reaction", [panels.ground_panels(vertical_axis(result))], PAGE),
        ("angles", "Joint angles", [panels.SAGITTAL_ANGLES, panels.FRONTAL_ANGLES, panels.TRANSVERSE_ANGLES], PAGE),
        (
            "moments",
            "Joint moments (internal)",
            [panels.SAGITTAL_MOMENTS, panels.FRONTAL_MOMENTS, panels.TRANSVERSE_MOMENTS],
            PAGE,
        ),
        ("powers", "Joint powers", [panels.POWERS], PAGE),
        ("pelvis", "Pelvis and foot progression", [pelvis[:2], pelvis[2:]], PAGE_OF_FOUR),
    ]
    drawn = [(key, heading, _with_columns(result, rows), layout) for key, heading, rows, layout in figures]
    return [figure for figure in drawn if figure[2]]


def _with_columns(result: Result, rows: Sequence[Sequence[Panel]]) -> list[list[Panel]]:
    """The panels that the result has columns of, without empty rows."""
    kept = [[panel for panel in row if result.has(panel)] for row in rows]
    return [row for row in kept if row]


def figure_svg(result: Result, rows: Sequence[Sequence[Panel]], layout: Layout, key: str, name: str) -> str:
    """An ``<svg>`` element to be put into a page; `key` makes its ids unique there, `name` is read aloud."""
    with shared_style(RC):
        buffer, nothing = io.StringIO(), dict.fromkeys(("Creator", "Date", "Format", "Type"))
        draw_grid(result, rows, layout).savefig(buffer, format="svg", metadata=nothing)
    described = "; ".join(f"{panel.title}, {panel.unit}" for row in rows for panel in row)
    description = f"Curves of the {' and '.join(result.sides)} side over time: {described}."
    return _inline(buffer.getvalue(), key, name, description)


def _inline(svg: str, key: str, name: str, description: str) -> str:
    """A stand-alone SVG document as an element of a page: small, no clashing ids, in the page's colours."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.DOTALL)
    width, height = _view_box(svg)
    svg = svg.replace("xlink:href=", "href=")
    used = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg))
    keep = {name for pair in used for name in pair if name}
    svg = re.sub(r' id="([^"]+)"', lambda m: f' id="{key}-{m[1]}"' if m[1] in keep else "", svg)
    svg = re.sub(r'(url\(#|href="#)', rf"\g<1>{key}-", svg)
    svg = re.sub(r' d="[^"]*"', lambda m: re.sub(r"-?\d+\.\d{3,}", _shorter, m[0]), svg)
    for colour, variable in _CSS_COLOURS.items():
        svg = svg.replace(colour, variable)
    body = svg[svg.index(">") + 1 :].replace("\n", " ")
    head = (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-labelledby="{key}-t {key}-d">'
        f'<title id="{key}-t">{escape(name)}</title><desc id="{key}-d">{escape(description)}</desc>'
    )
    return head + re.sub(r">\s+<", "><", body)


def _view_box(svg: str) -> tuple[str, str]:
    match = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    if match is None:  # pragma: no cover - matplotlib always writes it
        raise ValueError("SVG without a viewBox")
    return match[1], match[2]


def _shorter(match: re.Match[str]) -> str:
    """A hundredth of a point is finer than any screen."""
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".")


def sheet_png(result: Result) -> bytes:
    """One landscape A4 sheet: hip, knee and ankle side by side, the ground reaction below them."""
    rows = _with_columns(
        result,
        [
            panels.SAGITTAL_ANGLES,
            panels.SAGITTAL_MOMENTS,
            panels.FRONTAL_MOMENTS,
            panels.POWERS,
            panels.ground_panels(vertical_axis(result)),
        ],
    )
    if not rows:
        raise GaitidError(f"{result.path}: nothing that a png sheet draws", todo="write an .html page")
    with shared_style(RC):
        figure = draw_grid(result, rows, SHEET)
        _fit_sheet(figure)
        _sheet_texts(figure, result)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=SHEET_DPI, facecolor="white", metadata={"Software": None})
    return buffer.getvalue()


def _fit_sheet(figure: Figure) -> None:
    """Make the figure as tall as the sheet, and leave the rest at the foot for the notes."""
    height = float(figure.get_size_inches()[1])
    for axes in figure.axes:
        x, y, w, h = axes.get_position().bounds
        axes.set_position((x, 1 - (1 - y) * height / SHEET_SIZE[1], w, h * height / SHEET_SIZE[1]))
    figure.set_size_inches(*SHEET_SIZE)


def _sheet_texts(figure: Figure, result: Result) -> None:
    left = SHEET.left / SHEET_SIZE[0]

    def write(from_top: float, text: str, **style: Any) -> None:
        figure.text(left, 1 - from_top / SHEET_SIZE[1], text, va="top", **style)

    write(0.22, shorten(plain(result.stem), 90), fontsize=13, weight="bold", color=INK)
    write(0.5, sheet_facts(result), fontsize=SHEET.font + 0.5, color=MUTED)
    unknown = [
        f"{side.capitalize()}, frames {shorten(frames, 50)}: {plain(reason)}"
        for side, frames, reason in unknown_by_reason(result)
    ]
    _notes(figure, 0, "Load unknown", unknown)
    warnings = [plain(text) for texts in result.warnings().values() for text in texts]
    _notes(figure, 1, count_warnings(result).capitalize(), warnings)


def _notes(figure: Figure, half: int, heading: str, notes: Sequence[str]) -> None:
    """A heading and up to three lines at the foot of the left or right half of the sheet."""
    if not notes:
        return
    shown = notes if len(notes) <= 3 else [*notes[:2], f"… and {len(notes) - 2} more: see the .run.json"]
    x = (SHEET.left + half * (SHEET_SIZE[0] - SHEET.left) / 2) / SHEET_SIZE[0]
    for i, line in enumerate([heading, *shown]):
        figure.text(
            x,
            1 - (7.64 + 0.13 * i) / SHEET_SIZE[1],
            shorten(line, 108),
            va="top",
            fontsize=SHEET.font,
            color=INK,
            weight="normal" if i else "bold",
        )


def shorten(text: str, most: int) -> str:
    """The text cut to so many characters, with an ellipsis where something was left out."""
    return text if len(text) <= most else text[: most - 1] + "…"


def sheet_facts(result: Result) -> str:
    """Model, version, frames and what the signs mean, in one line."""
    model = result.section("model")
    name = model.get("name") if isinstance(model, Mapping) else model
    facts = [
        f"model {plain(name)}",
        f"gaitid {plain(result.section('gaitid'))}",
        f"frames {result.frame[0]}–{result.frame[-1]}",
        count_warnings(result),
        "moments are internal, per kg of body mass",
    ]
    digest = result.trial_sha256()
    if digest:
        facts.append(f"trial sha256 {plain(digest)[:12]}")
    return shorten(" · ".join(facts), 190)
