"""What is drawn of a chain: bodies as sticks over time, and figures of curves against time, each by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.records import frozen_dataclass
from gaitid.trial import Array, IntArray

#: Curves in one panel: more cannot be told apart.
MOST_CURVES = 4
#: A coordinate that moves by less than this part of the one that moves most is held.
MOVES = 1e-3
# A motion that leaves a plane by less than this part of its width is drawn in that plane.
_PLANAR = 0.02
_MARGIN = 0.06
#: The figures, in the order in which they are drawn, with their headings.
FIGURES = {
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


@frozen_dataclass(eq=False)
class Stick:
    """One body over time, laboratory axes, m; NaN where unknown.

    Attributes
    ----------
    name : str
    start_g : (frames, 3) array
        Its joint.
    ends_g : tuple of (frames, 3) arrays
        The joints of what hangs from it, or its far end.
    rooted : bool
        Whether it hangs from the ground.
    free : bool
        Whether nothing hangs from it.
    """

    name: str
    start_g: Array
    ends_g: tuple[Array, ...]
    rooted: bool
    free: bool


@frozen_dataclass(eq=False)
class Curve:
    """One line of a panel, (frames,), NaN where unknown."""

    label: str
    values: Array


@frozen_dataclass(eq=False)
class Panel:
    """Curves on shared axes.

    Attributes
    ----------
    title : str
        Empty where the figure's heading says it.
    label : str
        Of the vertical axis: the quantity and its unit.
    curves : tuple of Curve
    axes : bool
        Whether the curves are the components along x, y and z.
    whole : bool
        Whether the first curve is the sum of the others.
    """

    title: str
    label: str
    curves: tuple[Curve, ...]
    axes: bool = False
    whole: bool = False


@frozen_dataclass(eq=False)
class Drawn:
    """Everything of one chain.

    Attributes
    ----------
    name, title : str
    facts : tuple of (str, str)
        Terms and what they are, for the head.
    time_s : (frames,) array
    up : int
        The laboratory axis that points up or down.
    sticks : tuple of Stick
        Empty where no place is known.
    figures : mapping of name to panels
        Those of `FIGURES` that there is something of, but for ``stick``.
    told : tuple of str
        What is not drawn, and why.
    """

    name: str
    title: str
    facts: tuple[tuple[str, str], ...]
    time_s: Array
    up: int
    sticks: tuple[Stick, ...]
    figures: Mapping[str, tuple[Panel, ...]]
    told: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The figures that can be drawn."""
        return tuple(name for name in FIGURES if name in self.figures or (name == "stick" and self.sticks))


def panels_of(title: str, label: str, curves: Sequence[Curve]) -> list[Panel]:
    """Panels of a few curves each, of one quantity; nothing where there is no curve with a value."""
    seen = [curve for curve in curves if np.isfinite(curve.values).any()]
    count = -(-len(seen) // MOST_CURVES)
    each = -(-len(seen) // count) if count else 1
    return [Panel(title, label, tuple(seen[i : i + each])) for i in range(0, len(seen), each)]


def moving(values: Mapping[str, Array]) -> tuple[list[str], list[str]]:
    """The names of what moves, and of what is held: coordinates of one unit, (frames,) each."""
    known = {name: column[np.isfinite(column)] for name, column in values.items()}
    ranges = {name: float(np.ptp(column)) if column.size else 0.0 for name, column in known.items()}
    most = max(ranges.values(), default=0.0)
    moves = [name for name, size in ranges.items() if size > MOVES * most]
    return moves, [name for name in values if name not in moves]


def component_panels(vectors: Mapping[str, Array], label: str) -> list[Panel]:
    """A panel for each joint with the components of a vector (frames, 3)."""
    return [
        Panel(joint, label, tuple(Curve(axis, vector[:, i]) for i, axis in enumerate("xyz")), axes=True)
        for joint, vector in vectors.items()
        if np.isfinite(vector).any()
    ]


def parts_panels(
    wholes: Mapping[str, Array], parts: Mapping[str, Mapping[str, Array]], quantity: str, unit: str
) -> list[Panel]:
    """A panel for each joint: the component that the contributions change most, and what it is made of.

    Parameters
    ----------
    wholes : mapping of joint to (frames, 3) array
    parts : mapping of joint to mapping of contribution to (frames, 3) array
    quantity, unit : str
    """
    panels = []
    for joint, of_joint in parts.items():
        if not of_joint or not any(np.isfinite(values).any() for values in of_joint.values()):
            continue
        sizes = np.nanmax(np.abs(np.stack(list(of_joint.values()))), axis=(0, 1))
        axis = int(np.argmax(sizes))
        shown = [(name, values[:, axis]) for name, values in of_joint.items()]
        least = MOVES * float(sizes[axis])
        kept = [Curve(name, values) for name, values in shown if float(np.nanmax(np.abs(values))) > least]
        title = f"{joint}: {quantity} {'about' if quantity == 'moment' else 'along'} {'xyz'[axis]}"
        panels.append(Panel(title, f"{quantity} ({unit})", (Curve("whole", wholes[joint][:, axis]), *kept), whole=True))
    return panels


# --- on paper ---------------------------------------------------------------------------------------------------------


@frozen_dataclass(eq=False)
class View:
    """Two laboratory axes to look at: across and upward on the paper.

    Attributes
    ----------
    axes : (int, int)
    low, high : (2,) arrays, m
        What is seen of them, with a margin.
    """

    axes: tuple[int, int]
    low: Array
    high: Array

    @property
    def labels(self) -> tuple[str, str]:
        """Of the axes, with their unit."""
        return (f"{'xyz'[self.axes[0]]} (m)", f"{'xyz'[self.axes[1]]} (m)")


def points_of(sticks: Sequence[Stick]) -> Array:
    """(points, frames, 3) every point that is drawn, m."""
    return np.stack([p for stick in sticks for p in (stick.start_g, *stick.ends_g)])


def views_of(drawn: Drawn) -> tuple[View, ...]:
    """The plane of the motion where it has one, else the two planes in which most is seen; the upright is drawn up."""
    points = points_of(drawn.sticks).reshape(-1, 3)
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        return ()
    low, high = points.min(axis=0), points.max(axis=0)
    extent = high - low
    pairs = [(0, 1), (0, 2), (1, 2)]
    pairs.sort(key=lambda pair: -float(extent[list(pair)].min()))
    flat = float(extent.min()) < _PLANAR * float(extent.max())
    views = []
    for pair in pairs[: 1 if flat else 2]:
        axes = pair if drawn.up != pair[0] else pair[::-1]
        index = list(axes)
        half = extent[index] / 2 + max(_MARGIN * float(extent[index].max()), 1e-3)
        middle = (low[index] + high[index]) / 2
        half = np.maximum(half, 0.2 * float(half.max()))  # a chain that lies in a line still has a picture
        views.append(View((int(axes[0]), int(axes[1])), middle - half, middle + half))
    return tuple(views)


def known_frames(drawn: Drawn) -> IntArray:
    """Frames in which every stick is known."""
    return np.flatnonzero(np.isfinite(points_of(drawn.sticks)).all(axis=(0, 2)))


def chosen_frames(drawn: Drawn, count: int) -> list[int]:
    """So many frames, evenly in time, of those that are known."""
    known = known_frames(drawn)
    if not len(known):
        return []
    wanted = np.linspace(known[0], known[-1], min(count, len(known)))
    return sorted({int(known[np.argmin(np.abs(known - w))]) for w in wanted})
