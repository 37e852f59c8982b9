"""Panels of curves as small SVG elements: axes, bands, lines with gaps, marks. Text only, no drawing library."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from gaitid.records import frozen_dataclass
from gaitid.report.stance import runs
from gaitid.report.text import UNKNOWN, escape
from gaitid.trial import Array, Mask

WIDTH, HEIGHT = 340, 206
LEFT, RIGHT, TOP, BOTTOM = 38, 12, 13, 26
#: Where the axes of a panel lie, for a page's script.
SHAPE = {"left": LEFT, "right": WIDTH - RIGHT, "top": TOP, "bottom": HEIGHT - BOTTOM}
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_SECOND_POINT = re.compile(r"(?<=\.\d) \.")


@frozen_dataclass()
class Scale:
    """The axes of one panel: x from `x_low` to `x_high`, y from `low` to `high` with `ticks`."""

    low: float
    high: float
    ticks: tuple[float, ...]
    x_low: float = 0.0
    x_high: float = 100.0

    def x(self, value: float | Array) -> Array:
        """Across, in the panel's units."""
        part = (np.asarray(value) - self.x_low) / (self.x_high - self.x_low)
        return np.asarray(LEFT + part * (WIDTH - LEFT - RIGHT))

    def y(self, value: float | Array) -> Array:
        """Down, in the panel's units; what lies far outside the axes stays near them."""
        part = np.minimum(np.maximum((self.high - np.asarray(value)) / (self.high - self.low), -0.5), 1.5)
        return np.asarray(TOP + part * (HEIGHT - TOP - BOTTOM))


def middle(percents: Array) -> float | None:
    """Where the mean of percents of the cycle lies across a panel; None where none is known."""
    seen = percents[np.isfinite(percents)]
    return float(Scale(0, 1, ()).x(seen.mean())) if len(seen) else None


def scale_for(low: float, high: float, values: Array) -> Scale:
    """Axes that show `low` to `high`, and all finite values beside a small margin, with four to six round ticks."""
    seen = values[np.isfinite(values)]
    if len(seen):
        margin = 0.04 * max(high - low, float(np.ptp(seen)))
        low = min(low, float(seen.min()) - margin) if seen.min() < low else low
        high = max(high, float(seen.max()) + margin) if seen.max() > high else high
    step = round_step((high - low) / 5)
    ticks = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step
    return Scale(low, high, tuple(float(t) for t in np.round(ticks, 10)))


def round_step(raw: float, steps: Sequence[float] = _STEPS) -> float:
    """The first round step that is not less."""
    power = 10.0 ** np.floor(np.log10(raw))
    return float(next(step for step in steps if step * power >= raw * 0.999) * power)


def line(scale: Scale, x: Array, y: Array) -> str:
    """The path of a line; nothing where a value is unknown, a dot where one stands alone."""
    return lines(scale, x, y[None])[0]


def lines(scale: Scale, x: Array, rows: Array) -> list[str]:
    """The path of each of several lines, (lines, points), as `line` has it."""
    points = _tenths(scale, x, rows)
    starts, steps = points.tolist(), (points[:, 1:] - points[:, :-1]).reshape(len(points), -1).tolist()
    return [
        "".join(
            _path(start[first], step[2 * first : 2 * last]) if last > first else _path(start[first], [0, 0]) + "h.1"
            for first, last in runs(known)
        )
        for known, start, step in zip(np.isfinite(rows), starts, steps, strict=True)
    ]


def band(scale: Scale, x: Array, low: Array, high: Array) -> str:
    """The path of the area between two lines."""
    pieces = []
    upper, lower = _tenths(scale, x, high), _tenths(scale, x, low)
    for first, last in runs(np.isfinite(low) & np.isfinite(high)):
        if last > first:
            span = slice(first, last + 1)
            outline = np.concatenate([upper[span], lower[span][::-1]])
            pieces.append(_path(outline[0].tolist(), (outline[1:] - outline[:-1]).ravel().tolist()) + "Z")
    return "".join(pieces)


def _tenths(scale: Scale, x: Array, y: Array) -> NDArray[np.int64]:
    """(…, points, 2) tenths of the panel's units; what is unknown is 0, and not to be drawn."""
    both = np.empty((*y.shape, 2))
    both[..., 0], both[..., 1] = scale.x(x), scale.y(np.where(np.isfinite(y), y, scale.high))
    return np.asarray(np.rint(10 * both), dtype=np.int64)


def _path(start: Sequence[int], steps: Sequence[int]) -> str:
    """Lines from a point on, each relative to the one before: half as long as in absolute places."""
    x, y = start
    joined = " ".join(map(_short, steps))
    # a minus sign or, behind a number with a point (which ends in a tenth), a point begins the next number
    joined = _SECOND_POINT.sub(".", joined.replace(" -", "-"))
    return f"M{x / 10:g} {y / 10:g}l{joined}"


@cache
def _short(tenths: int) -> str:
    """Tenths as text, as short as can be: there are only as many as a panel is wide."""
    text = f"{tenths / 10:g}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def wider(mask: Mask) -> Mask:
    """The mask and one more to either side: so that pieces of one line meet."""
    more = mask.copy()
    more[1:] |= mask[:-1]
    more[:-1] |= mask[1:]
    return more


def element(content: str, label: str) -> str:
    """The picture of a panel, with what it is for those who do not see it."""
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{content}</svg>'


def clipped(content: str, identity: str) -> str:
    """Content of which nothing is seen beside the axes; the identity is unique on the page."""
    return (
        f'<clipPath id="{identity}"><path d="M{LEFT} {TOP - 4}H{WIDTH - RIGHT}V{HEIGHT - BOTTOM}H{LEFT}Z"/></clipPath>'
        f'<g clip-path="url(#{identity})">{content}</g>'
    )


def axes(scale: Scale, up: str = "", down: str = "", x_ticks: Sequence[float] = range(0, 101, 20)) -> str:
    """Grid, ticks, zero, and what the ends of the y axis mean."""
    left, right, top, bottom = SHAPE.values()
    decimals, x_decimals = _decimals(scale.ticks), _decimals(x_ticks)
    grid, labels = [], []
    for tick in scale.ticks:
        y = f"{float(scale.y(tick)):.1f}"
        if tick != 0:
            grid.append(f"M{left} {y}H{right}")
        labels.append(f'<text x="{left - 5}" y="{y}" class="ty">{_tick(tick, decimals)}</text>')
    for tick in x_ticks:
        x = f"{float(scale.x(tick)):.1f}"
        labels.append(f'<text x="{x}" y="{bottom + 14}" class="tx">{_tick(tick, x_decimals)}</text>')
    zero = f'<path class="zero" d="M{left} {float(scale.y(0.0)):.1f}H{right}"/>' if scale.low < 0 < scale.high else ""
    ends = f'<text x="{left + 4}" y="{top + 9}" class="end">{escape(up)} ↑</text>' if up else ""
    ends += f'<text x="{left + 4}" y="{bottom - 4}" class="end">{escape(down)} ↓</text>' if down else ""
    frame = f'<path class="axis" d="M{left} {top}V{bottom}H{right}"/>'
    return f'<path class="grid" d="{"".join(grid)}"/>{zero}{frame}{"".join(labels)}{ends}'


def _decimals(ticks: Sequence[float]) -> int:
    return next((d for d in range(4) if all(abs(t - round(t, d)) < 1e-9 for t in ticks)), 4)


def _tick(value: float, decimals: int) -> str:
    return f"{value + 0.0:.{decimals}f}".replace("-", "−") if np.isfinite(value) else UNKNOWN
