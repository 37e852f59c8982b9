"""A trial's file on one page: markers in the middle frame from the side and from above, gaps, plates over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gaitid.analysis.wording import level_words
from gaitid.drawing import COLOURS, GRID, INK, MUTED, SIDES, picture_bytes, refuse_format, shared_style
from gaitid.errors import first_few, in_print
from gaitid.inspect.contents import Inspected
from gaitid.inspect.signals import MARKER
from gaitid.numerics.masks import all_columns
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask

_GAP = COLOURS[1]
_SIDES = {"": COLOURS[2], **{side: colour for side, (colour, _) in SIDES.items()}}
# Rows of the gaps that can be read, and m that a walk goes at least: then its way is drawn from left to right.
_ROWS, _WALKED_M = 44, 0.5
# Samples of a curve beyond which a screen shows no more.
_SAMPLES = 4000


@frozen_dataclass(eq=False)
class _View:
    """The markers on the body, and two horizontal directions: along the way that the body goes, and to its left.

    Attributes
    ----------
    labels : tuple of str
        Of the markers on the body, those of the model first.
    points : (frames, markers, 3) array, m
        Along, to the left, up.
    sides : mapping of label to side
        Of the markers that the model uses.
    frame : int
        The middle one, or near it one in which more markers were seen; from 0.
    axes_g : (3, 3) array
        Rows: along, left, up in laboratory axes.
    walks : bool
        Whether `along` is the way that the body goes; else a laboratory axis.
    """

    labels: tuple[str, ...]
    points: Array
    sides: Mapping[str, str]
    frame: int
    axes_g: Array
    walks: bool


def picture(seen: Inspected, suffix: str) -> bytes:
    """The picture as a file's content.

    Parameters
    ----------
    seen : Inspected
    suffix : str
        ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    WriteError
        Another suffix.
    """
    refuse_format("--picture", suffix)
    content, view = seen.content, _view(seen)
    with shared_style({"font.size": 8.0}):
        figure = Figure(figsize=(11.7, 8.3), layout="constrained")
        figure.suptitle(_title(content), color=INK, fontsize=10)
        grid = figure.add_gridspec(2, 2, height_ratios=(1.15, 1.0))
        _draw_body(figure.add_subplot(grid[0, 0]), seen, view, from_above=False)
        _draw_body(figure.add_subplot(grid[0, 1]), seen, view, from_above=True)
        _draw_gaps(figure.add_subplot(grid[1, 0]), content, view)
        _draw_forces(figure.add_subplot(grid[1, 1]), seen)
        return picture_bytes([figure], suffix, dpi=130)


def _title(content: Mapping[str, Any]) -> str:
    p, verdict = content["points"], content["verdict"]
    words = [
        content["file"],
        f"frames {p['first_frame']} to {p['last_frame']} at {p['rate_hz']:g} Hz",
        f"model {content['verdict_with']}: {level_words(verdict)}" if verdict else "no bundled model fits",
    ]
    return in_print("   ·   ".join(words))


# --- the body -----------------------------------------------------------------------------------------------


def _view(seen: Inspected) -> _View:
    trial, content = seen.trial, seen.content
    roles = content["chosen"]["markers"]
    sides = {label: role.split(".")[0] if "." in role else "" for role, label in roles.items()}
    kinds = [marker["kind"] for marker in content["points"]["markers"]]
    index = [i for i, kind in enumerate(kinds) if kind == MARKER and trial.labels[i]]
    index.sort(key=lambda i: trial.labels[i] not in sides)
    points_g = trial.points_g[:, index]
    up = seen.up_g
    along, walks = _along(points_g, up)
    axes_g = np.stack([along, np.cross(up, along), up])
    n_seen = _seen(points_g).sum(axis=1)
    near = np.abs(np.arange(trial.n_frames) - trial.n_frames // 2)
    frame = (
        int(np.lexsort((near, -n_seen))[0]) if n_seen.size and not n_seen[trial.n_frames // 2] else trial.n_frames // 2
    )
    return _View(tuple(trial.labels[i] for i in index), points_g @ axes_g.T, sides, frame, axes_g, walks)


def _seen(points: Array) -> Mask:
    """Of (..., 3) places, which are known."""
    return all_columns(np.isfinite(points))


def _along(points_g: Array, up: Array) -> tuple[Array, bool]:
    """The horizontal direction in which the markers go as a whole; of who stands, the laboratory axis most across."""
    with np.errstate(invalid="ignore"):
        level = points_g - (points_g @ up)[..., None] * up
    frames = np.flatnonzero(_seen(level).any(axis=1)) if level.shape[1] else np.array([], dtype=int)
    if len(frames) > 1:
        first, last = level[frames[0]], level[frames[-1]]
        both = _seen(first) & _seen(last)
        if both.any():
            way = (last - first)[both].mean(axis=0)
            length = float(np.linalg.norm(way))
            if length > _WALKED_M:
                return way / length, True
    axis = np.eye(3)[int(np.argmin(np.abs(up)))]
    axis = axis - (axis @ up) * up
    return axis / np.linalg.norm(axis), False


def _draw_body(axes: Axes, seen: Inspected, view: _View, *, from_above: bool) -> None:
    across = 1 if from_above else 2
    number = seen.trial.first_frame + view.frame
    for k, plate in enumerate(seen.trial.plates):
        if plate.outlined:
            corners = plate.corners_g[[0, 1, 2, 3, 0]] @ view.axes_g.T
            colour = COLOURS[k % len(COLOURS)]
            axes.fill(corners[:, 0], corners[:, across], facecolor=colour, alpha=0.18, edgecolor=colour, zorder=0)
            if not from_above:
                axes.plot(corners[:, 0], corners[:, across], color=colour, linewidth=2.0, alpha=0.6, zorder=0)
            middle = corners[:4].mean(axis=0)
            if from_above:
                axes.text(
                    middle[0],
                    middle[across],
                    str(plate.number),
                    color=colour,
                    ha="center",
                    va="center",
                    zorder=4,
                    fontsize=12,
                )
    if view.points.size:
        with np.errstate(invalid="ignore"):
            known = _seen(view.points)
            n = np.maximum(known.sum(axis=1), 1)
            mean = np.where(known[..., None], view.points, 0.0).sum(axis=1) / n[:, None]
        whole = known.sum(axis=1) > 0.8 * known.shape[1]
        path = np.where(whole[:, None], mean, np.nan)
        if from_above:
            axes.plot(path[:, 0], path[:, 1], color=MUTED, linewidth=0.8, zorder=1, label="the markers' mean over time")
    names: list[tuple[float, float, str]] = []
    for i, label in enumerate(view.labels):
        place = view.points[view.frame, i]
        if not np.isfinite(place).all():
            continue
        used = label in view.sides
        colour = _SIDES.get(view.sides.get(label, ""), MUTED) if used else MUTED
        axes.plot(place[0], place[across], "o", color=colour, markersize=4.5 if used else 2.5, zorder=3 if used else 2)
        if (used or not view.sides) and (not from_above or _ends(view, float(place[2]))):
            names.append((float(place[0]), float(place[across]), label))
    axes.set_aspect("equal", adjustable="box")
    _near_the_body(axes, view, across)
    _name(axes, names)
    what = "from above" if from_above else "from the side"
    along = "m along the way" if view.walks else f"m along {_axis(view.axes_g[0])}"
    axes.set_title(f"frame {number}, {what}", color=INK)
    axes.set(xlabel=along, ylabel="m to the left" if from_above else "m up")
    axes.grid(color=GRID, linewidth=0.5)
    if from_above:
        for words, colour in (("left", _SIDES["left"]), ("right", _SIDES["right"]), ("other markers", MUTED)):
            axes.plot([], [], "o", color=colour, markersize=4, label=words)
        axes.legend(fontsize=7, frameon=False, loc="upper right", ncols=2)


def _ends(view: _View, height: float) -> bool:
    """Whether a marker is one of a foot or of the pelvis, by its height among those of the model: from above the others
    lie over one another.
    """
    used = [i for i, label in enumerate(view.labels) if label in view.sides] or range(len(view.labels))
    heights = view.points[view.frame, list(used), 2]
    low, high = np.nanmin(heights), np.nanmax(heights)
    return not low + 0.3 * (high - low) < height < low + 0.85 * (high - low)


def _axis(direction: Array) -> str:
    i = int(np.argmax(np.abs(direction)))
    return ("-" if direction[i] < 0 else "+") + "xyz"[i]


def _near_the_body(axes: Axes, view: _View, across: int) -> None:
    """Limits around the body, wide enough for two steps: a walkway of ten metres would make it a dot."""
    place = view.points[view.frame] if view.points.size else np.zeros((0, 3))
    place = place[np.isfinite(place).all(axis=1)]
    if not len(place):
        return
    middle, reach = np.median(place, axis=0), 0.5 * float(np.ptp(place[:, 2])) + 0.15
    low = place[:, 2].min()
    if across == 1:
        axes.set_xlim(middle[0] - reach, middle[0] + reach)
        axes.set_ylim(middle[1] - 0.75 * reach, middle[1] + 0.75 * reach)
    else:
        axes.set_xlim(middle[0] - 1.1 * reach, middle[0] + 1.1 * reach)
        axes.set_ylim(min(low, 0.0) - 0.08, place[:, 2].max() + 0.12)


def _name(axes: Axes, names: Sequence[tuple[float, float, str]]) -> None:
    """Names beside the markers, those that are close to each other below one another."""
    taken: list[tuple[float, float]] = []
    (x_low, x_high), (y_low, y_high) = axes.get_xlim(), axes.get_ylim()
    high, wide = 0.026 * (y_high - y_low), 0.085 * (x_high - x_low)
    for x, y, label in sorted(names, key=lambda name: -name[1]):
        at = y
        while any(abs(x - other) < wide and abs(at - height) < high for other, height in taken):
            at -= 0.3 * high
        taken.append((x, at))
        axes.annotate(
            in_print(label),
            (x, y),
            xytext=(x + 0.012 * (x_high - x_low), at),
            color=INK,
            fontsize=6,
            va="center",
            annotation_clip=True,
            arrowprops={"arrowstyle": "-", "color": GRID, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 1},
        )


# --- over time ----------------------------------------------------------------------------------------------


def _draw_gaps(axes: Axes, content: Mapping[str, Any], view: _View) -> None:
    """A row for each marker on the body: dark where it was not seen; of many, those with gaps and the model's."""
    p = content["points"]
    of = {marker["label"]: marker for marker in reversed(p["markers"])}
    rows = list(dict.fromkeys(view.labels))
    left_out: list[str] = []
    if len(rows) > _ROWS:
        rows.sort(key=lambda label: (-of[label]["missing_frames"], label not in view.sides))
        rows, left_out = rows[:_ROWS], rows[_ROWS:]
        rows.sort(key=view.labels.index)
    first, last = p["first_frame"], p["last_frame"]
    for row, label in enumerate(rows):
        axes.broken_barh([(first, last - first + 1)], (row - 0.32, 0.64), facecolors=GRID)
        gaps = [(gap["first_frame"], gap["frames"]) for gap in of[label]["gaps"]]
        if gaps:
            axes.broken_barh(gaps, (row - 0.4, 0.8), facecolors=_GAP)
    axes.set_yticks(range(len(rows)), [in_print(label) for label in rows], fontsize=4.6 if len(rows) > 30 else 6)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(first, last + 1)
    axes.set_xlabel("frame")
    more = f"; without gaps: {first_few(left_out, 0).removeprefix(' and ')}" if left_out else ""
    title = "when each marker was seen (orange: not)" if rows else "no marker on the body"
    axes.set_title(title + more, color=INK)


def _draw_forces(axes: Axes, seen: Inspected) -> None:
    """The vertical force of each plate at the camera's instants, and the contacts of each foot with it."""
    trial, content = seen.trial, seen.content
    frames = np.arange(trial.n_frames) + trial.first_frame
    step = max(1, len(frames) // _SAMPLES)
    top = 0.0
    for load in seen.ground.plates:
        colour = COLOURS[(load.number - 1) % len(COLOURS)]
        axes.plot(frames[::step], load.vertical[::step], color=colour, linewidth=1.2, linestyle="-")
        if np.isfinite(load.vertical).any():
            peak = int(np.nanargmax(load.vertical))
            axes.annotate(
                f"plate {load.number}",
                (frames[peak], load.vertical[peak]),
                xytext=(4, 3),
                textcoords="offset points",
                color=colour,
                fontsize=7,
            )
            top = max(top, float(load.vertical[peak]))
    for contact in content["contacts"] if top else ():
        height = top * (1.10 if contact["side"] == "left" else 1.17)
        known = bool(contact["plates"])
        axes.plot(
            [contact["first_frame"], contact["last_frame"]],
            [height, height],
            color=_SIDES.get(contact["side"], MUTED),
            linewidth=3.0 if known else 1.2,
            linestyle="-" if known else ":",
        )
    for side, height in (("left", 1.10), ("right", 1.17)):
        if top and any(contact["side"] == side for contact in content["contacts"]):
            axes.text(frames[0], top * height, f"{side} ", color=_SIDES[side], fontsize=6, ha="right", va="center")
    axes.set_xlim(frames[0], frames[-1] + 1)
    axes.set(xlabel="frame", ylabel="N, upward")
    axes.grid(color=GRID, linewidth=0.5)
    axes.axhline(0.0, color=MUTED, linewidth=0.6, zorder=0)
    if seen.ground.plates:
        axes.set_title("vertical force of each plate; above: contacts (dotted: load unknown)", color=INK)
    else:
        axes.set_title("no usable force plate", color=INK)
        axes.set_yticks([])
