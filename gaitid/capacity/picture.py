"""A posture with what its torques could do to the endpoint: one PNG, or a GIF of many frames."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gaitid.capacity.capacity import Capacity
from gaitid.capacity.ellipsoids import (
    Ellipsoid,
    Polytope,
    acceleration_map,
    acceleration_polytope,
    gravity_bias,
    image_of_ball,
)
from gaitid.capacity.leg_dynamics import LegDynamics
from gaitid.drawing import INK, MUTED, SIDES, picture_bytes, plain, shared_style
from gaitid.errors import in_print
from gaitid.records import NamedTuple
from gaitid.trial import Array

# The farthest acceleration is drawn as long as this share of the leg.
REACH = 0.5
MARGIN_M = 0.08
# Inches for each metre of the body, and the least width of a panel.
INCHES_PER_M, MIN_WIDTH_M = 3.6, 0.55
PNG_DPI, GIF_DPI = 150, 80
GIF_FRAMES_PER_S = 12.5


class Panel(NamedTuple):
    """One leg in one view.

    Attributes
    ----------
    side, heading : str
    view_g : (2, 3) array
        Laboratory directions to the right and up.
    """

    side: str
    heading: str
    view_g: Array


class Drawn(NamedTuple):
    """What one panel shows of one frame: places from the leg's fixed end, m, and accelerations, m/s².

    Attributes
    ----------
    line : (points, 2) array
    at : (2,) array
        The endpoint.
    corners, around : (points, 2) arrays
        Of polytope and ellipsoid, closed.
    gravity : (2,) array
    """

    line: Array
    at: Array
    corners: Array
    around: Array
    gravity: Array


class Extent(NamedTuple):
    """Limits of each panel, m, and the m/s² that are drawn as 1 m."""

    low: Sequence[Array]
    high: Sequence[Array]
    scale: float


def outline(polytope: Polytope) -> Array:
    """Corners of a plane polytope in turn around its middle, closed: (corners + 1, 2)."""
    from_middle = polytope.vertices - polytope.vertices.mean(axis=0)
    order = np.argsort(np.arctan2(from_middle[:, 1], from_middle[:, 0]))
    return polytope.vertices[[*order, order[0]]]


def ellipse(ellipsoid: Ellipsoid) -> Array:
    """Points along a plane ellipsoid, closed: (121, 2)."""
    angle = np.linspace(0, 2 * np.pi, 121)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.asarray(ellipsoid.centre + (circle * ellipsoid.semi_axes) @ ellipsoid.directions.T)


def frame_png(capacity: Capacity, frame: int) -> bytes:
    """One frame as a PNG."""
    panels = list(_panels(capacity))
    return _png(capacity, panels, frame, _extent(capacity, panels, [frame]), PNG_DPI)


def frames_gif(capacity: Capacity, frames: Sequence[int]) -> bytes:
    """Several frames as an animated GIF of at most `GIF_FRAMES_PER_S`, in the time that they took."""
    from PIL import Image

    step = max(1, round(capacity.result.trial.rate_hz / GIF_FRAMES_PER_S))
    shown, panels = list(frames)[::step], list(_panels(capacity))
    extent = _extent(capacity, panels, shown)
    images = [
        Image.open(io.BytesIO(_png(capacity, panels, frame, extent, GIF_DPI))).convert("RGB").quantize(64)
        for frame in shown
    ]
    out = io.BytesIO()
    duration_ms = 1000 * step / capacity.result.trial.rate_hz
    images[0].save(out, "GIF", save_all=True, append_images=images[1:], duration=duration_ms, loop=0)
    return out.getvalue()


def known_frames(capacity: Capacity) -> list[int]:
    """Frames that were asked for in which a leg's capacity is known."""
    known = [np.isfinite(leg.gravity).all(axis=1) for leg in capacity.sides.values()]
    return [int(i) for i in np.flatnonzero(capacity.chosen & np.any(known, axis=0))]


def _panels(capacity: Capacity) -> Iterator[Panel]:
    for side in capacity.sides:
        ways = capacity.ways_g[side]
        if "up" not in capacity.axes and len(capacity.axes) == 2:
            yield Panel(side, " and ".join(capacity.axes), capacity.axes_g)
            continue
        if not np.isfinite(ways["forward"]).all():  # an arm goes nowhere
            for plane in ("xz", "yz"):
                yield Panel(side, " and ".join(plane), np.eye(3)[["xyz".index(letter) for letter in plane]])
            continue
        yield Panel(side, "from the side", np.stack([ways["forward"], ways["up"]]))
        if len(capacity.axes) == 3:
            # one laboratory direction for both legs: from behind, the right is on the right
            to_right = ways["lateral" if side == "right" else "medial"]
            yield Panel(side, "from behind", np.stack([to_right, ways["up"]]))


def _drawn(capacity: Capacity, panel: Panel, frame: int) -> Drawn | None:
    """The images of the torques under the view's two directions; None where the posture is not known."""
    leg = capacity.sides[panel.side]
    dynamics = leg.dynamics
    if dynamics is None or not np.isfinite(leg.gravity[frame]).all():
        return None
    polytope, ellipsoid, gravity = _shadows(dynamics, frame, panel.view_g)
    start_g = dynamics.lines_g[frame, 0]
    return Drawn(
        (dynamics.lines_g[frame] - start_g) @ panel.view_g.T,
        panel.view_g @ (dynamics.endpoint_g[frame] - start_g),
        outline(polytope),
        ellipse(ellipsoid),
        gravity,
    )


def _shadows(dynamics: LegDynamics, frame: int, view_g: Array) -> tuple[Polytope, Ellipsoid, Array]:
    J, M, low, high = view_g @ dynamics.J[frame], dynamics.M[frame], dynamics.low, dynamics.high
    A, gravity = acceleration_map(J, M), gravity_bias(J, M, dynamics.G[frame])
    bias = gravity + gravity_bias(J, M, dynamics.V[frame]) + view_g @ dynamics.drift_g[frame]
    ellipsoid = image_of_ball(A * ((high - low) / 2), bias + A @ ((high + low) / 2))
    return acceleration_polytope(A, low, high, bias), ellipsoid, gravity


def _extent(capacity: Capacity, panels: Sequence[Panel], frames: Sequence[int]) -> Extent:
    """One scale for all panels and frames, and limits that hold everything."""
    shown = [[drawn for frame in frames if (drawn := _drawn(capacity, panel, frame))] for panel in panels]
    everything = [drawn for panel_shown in shown for drawn in panel_shown]
    farthest = max(float(np.linalg.norm(drawn.corners, axis=1).max()) for drawn in everything)
    length = max(float(np.linalg.norm(np.diff(drawn.line, axis=0), axis=1).sum()) for drawn in everything)
    scale = farthest / (REACH * length) if farthest > 0 else 1.0
    low, high = [], []
    for panel_shown in shown:
        points = [p for d in panel_shown for p in (d.line, d.at + d.corners / scale, d.at + d.around / scale)]
        places = np.concatenate([np.zeros((1, 2)), *points])
        middle, half = (places.max(axis=0) + places.min(axis=0)) / 2, np.ptp(places, axis=0) / 2 + MARGIN_M
        half[0] = max(half[0], MIN_WIDTH_M / 2)
        low.append(middle - half)
        high.append(middle + half)
    bottom, top = min(p[1] for p in low), max(p[1] for p in high)
    for lower, upper in zip(low, high, strict=True):
        lower[1], upper[1] = bottom, top
    return Extent(low, high, scale)


def _png(capacity: Capacity, panels: Sequence[Panel], frame: int, extent: Extent, dpi: int) -> bytes:
    with shared_style():
        return picture_bytes([_figure(capacity, panels, frame, extent)], ".png", dpi)


def _figure(capacity: Capacity, panels: Sequence[Panel], frame: int, extent: Extent) -> Figure:
    trial = capacity.result.trial
    widths = [high[0] - low[0] for low, high in zip(extent.low, extent.high, strict=True)]
    height = extent.high[0][1] - extent.low[0][1]
    size = (INCHES_PER_M * sum(widths) + 0.7 * len(panels), INCHES_PER_M * height + 1.2)
    figure = Figure(figsize=(max(size[0], 6.5), size[1]), layout="constrained")
    all_axes = figure.subplots(1, len(panels), squeeze=False, sharey=True, width_ratios=widths)[0]
    title = f"{in_print(trial.path.stem)}, frame {trial.first_frame + frame}: accelerations of the {capacity.endpoint}"
    figure.suptitle(title, color=INK, fontsize=10)
    for axes, panel, low, high in zip(all_axes, panels, extent.low, extent.high, strict=True):
        colour = SIDES[panel.side][0] if panel.side in SIDES else INK
        limb = f"{panel.side} leg\n" if capacity.result.model.touches_ground else ""
        axes.set_title(f"{limb}{panel.heading}", color=colour, fontsize=9)
        drawn = _drawn(capacity, panel, frame)
        if drawn is None:
            axes.text(0.5, 0.5, "posture\nnot known", transform=axes.transAxes, ha="center", color=MUTED, fontsize=8)
        else:
            _draw(axes, drawn, extent.scale, colour)
        axes.set_xlim(low[0], high[0])
        axes.set_ylim(low[1], high[1])
        axes.set_aspect("equal")
        plain(axes)
        axes.set_xlabel("m", fontsize=8, color=MUTED)
    figure.legend(handles=_legend(extent.scale), loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    return figure


def _draw(axes: Axes, drawn: Drawn, scale: float, colour: str) -> None:
    corners, around = drawn.at + drawn.corners / scale, drawn.at + drawn.around / scale
    by_gravity = np.stack([drawn.at, drawn.at + drawn.gravity / scale])
    axes.fill(corners[:, 0], corners[:, 1], facecolor=colour, alpha=0.18, zorder=1)
    axes.plot(corners[:, 0], corners[:, 1], color=colour, linewidth=1.2, zorder=2)
    axes.plot(around[:, 0], around[:, 1], color=colour, linewidth=1, linestyle="--", zorder=2)
    axes.plot(drawn.line[:, 0], drawn.line[:, 1], "-o", color=MUTED, linewidth=2.5, markersize=4, zorder=3)
    axes.plot(by_gravity[:, 0], by_gravity[:, 1], color=INK, linewidth=1, zorder=4)
    axes.plot(*by_gravity[1], "x", color=INK, markersize=4, zorder=5)
    axes.plot(*drawn.at, "o", color=INK, markersize=4, zorder=5)


def _legend(scale: float) -> list[Line2D]:
    lines: Mapping[str, Mapping[str, Any]] = {
        f"endpoint; from here 1 m is {scale:.0f} m/s²": {"color": INK, "marker": "o", "linewidth": 0},
        "gravity without torques": {"color": INK, "marker": "x", "linewidth": 1},
        "polytope: torques within the limits": {"color": MUTED, "linewidth": 1.2},
        "ellipsoid inside the limits": {"color": MUTED, "linewidth": 1, "linestyle": "--"},
    }
    return [Line2D([], [], label=label, markersize=4, **style) for label, style in lines.items()]
