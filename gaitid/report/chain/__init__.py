"""Results of chains that do not walk -> pages and pictures: an arm, a linkage, a pendulum, as run or as simulated.

What is drawn (`drawn`) comes from a result that `gaitid run` wrote (`from_run`) or from the truth of a simulated trial
(`from_truth`). It knows nothing of gait cycles, plates or norms.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.disk.regular import read_text_back
from gaitid.errors import GaitidError
from gaitid.numerics.rotation import cross
from gaitid.records import frozen_dataclass
from gaitid.report.panels import CHAIN_FIGURES
from gaitid.report.text import number
from gaitid.results.result import Result
from gaitid.results.tables import columns, read_table
from gaitid.trial import Array, IntArray

#: Curves in one panel: more cannot be told apart.
MOST_CURVES = 4
#: A coordinate that moves by less than this part of the one that moves most is held.
MOVES = 1e-3
# A motion that leaves a plane by less than this part of its width is drawn in that plane.
_PLANAR = 0.02
_MARGIN = 0.06


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
        Those of `CHAIN_FIGURES` that there is something of, but for ``stick``.
    remarks : tuple of str
        What is not drawn, and why.
    """

    name: str
    title: str
    facts: tuple[tuple[str, str], ...]
    time_s: Array
    up: int
    sticks: tuple[Stick, ...]
    figures: Mapping[str, tuple[Panel, ...]]
    remarks: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The figures that can be drawn."""
        return tuple(name for name in CHAIN_FIGURES if name in self.figures or (name == "stick" and self.sticks))


@frozen_dataclass()
class Chain:
    """A chain of a report.

    Attributes
    ----------
    drawn : Drawn
    result : Result or None
        None of the truth of a simulated trial.
    """

    drawn: Drawn
    result: Result | None = None


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


#: What the files of a simulated trial's truth end in.
SUFFIX = ".truth.json"
_TABLES = ("coordinates", "segments", "wrenches")
_SIDE = "right"
# Column, quantity and unit as they are drawn, factor, unit of what acts along it.
_KINDS = (("angle_rad", "angle", "°", 180 / np.pi, "Nm"), ("position_m", "position", "m", 1.0, "N"))
_LOADS = {"Nm": "torque (N·m)", "N": "force (N)"}


def truth_drawn(path: Path) -> Drawn:
    """What is drawn of ``NAME.truth.json`` and the tables beside it.

    Raises
    ------
    GaitidError
        One line that begins with the file at fault.
    """
    try:
        record = json.loads(read_text_back(path, "truth.json"))
    except (ValueError, RecursionError) as error:
        raise GaitidError(f"{path}: not JSON", expected="what gaitid simulate wrote", found=str(error)) from None
    record = record if isinstance(record, dict) else {}
    bodies = record.get("bodies")
    if not isinstance(bodies, list) or not bodies or not all(isinstance(b, Mapping) for b in bodies):
        raise GaitidError(
            f"{path}: not the truth of a mechanical system",
            expected="what gaitid simulate wrote of bodies, coordinates and settings",
            todo="simulate it again; of a walk, report what gaitid run makes of it",
        )
    stem = path.name.removesuffix(SUFFIX)
    tables = {kind: _numbers(path.with_name(f"{stem}.truth.{kind}.csv")) for kind in _TABLES}
    coordinates = tables["coordinates"]
    figures, text = _coordinate_figures(coordinates, [str(name) for name in record.get("coordinates", [])])
    joints = [str(body["joint"]) for body in bodies]
    for figure, quantity, unit in (("forces", "force", "N"), ("moments", "moment", "Nm")):
        vectors = {
            joint: _vector(path, tables["wrenches"], f"{_SIDE}_{joint}_{quantity}_global", unit) for joint in joints
        }
        figures[figure] = component_panels(vectors, f"{quantity} ({unit.replace('Nm', 'N·m')})")
    gravity = [float(g) for g in record.get("gravity_m_per_s2", (0.0, 0.0, -9.81))]
    return Drawn(
        name=stem,
        title=str(record.get("title") or ""),
        facts=tuple(_facts(record, coordinates["time_s"])),
        time_s=coordinates["time_s"],
        up=int(np.argmax(np.abs(gravity))) if any(gravity) else 2,
        sticks=tuple(_sticks(path, bodies, tables["segments"])),
        figures={name: tuple(panels) for name, panels in figures.items() if panels},
        remarks=tuple(text),
    )


def _numbers(path: Path) -> dict[str, Array]:
    table = read_table(path, ("frame", "time_s"))
    return dict(zip(table.header, columns(table, table.header), strict=True))


def _column(path: Path, table: Mapping[str, Array], name: str) -> Array:
    if name not in table:
        raise GaitidError(f"{path}: the tables beside it lack {name}", todo="simulate it again")
    return table[name]


def _vector(path: Path, table: Mapping[str, Array], name: str, unit: str) -> Array:
    return np.stack([_column(path, table, f"{name}_{axis}_{unit}") for axis in "xyz"], axis=1)


def _coordinate_figures(table: Mapping[str, Array], names: list[str]) -> tuple[dict[str, list[Panel]], list[str]]:
    figures: dict[str, list[Panel]] = {"coordinates": [], "rates": [], "torques": []}
    texts: list[str] = []
    for what, quantity, unit, factor, load in _KINDS:
        of_kind = {name: table[f"{name}_{what}"] for name in names if f"{name}_{what}" in table}
        moves, held = moving(of_kind)
        words = {name: name.replace("_", " ") for name in of_kind}
        figures["coordinates"] += panels_of(
            "", f"{quantity} ({unit})", [Curve(words[n], factor * of_kind[n]) for n in moves]
        )
        rates = [Curve(words[n], factor * table[f"{n}_{what}_per_s"]) for n in moves]
        figures["rates"] += panels_of("", f"rate ({unit}/s)", rates)
        for kind in ("drive", "friction"):
            shown = {n: table[f"{n}_{kind}_{load}"] for n in of_kind if f"{n}_{kind}_{load}" in table}
            acting = [Curve(words[n], values) for n, values in shown.items() if np.any(values != 0)]
            figures["torques"] += panels_of(kind, _LOADS[load], acting)
        if held:
            texts.append(f"Does not move: {', '.join(words[n] for n in held)}.")
    if not figures["torques"]:
        texts.append("No drive and no friction acts.")
    if "kinetic_energy_J" in table:
        kinetic, potential = table["kinetic_energy_J"], table["potential_energy_J"]
        figures["energies"] = [energy_panel(kinetic, potential)]
    return figures, texts


def energy_panel(kinetic: Array, potential: Array) -> Panel:
    """Kinetic energy, that of gravity, and both."""
    curves = (Curve("kinetic + potential", kinetic + potential), Curve("kinetic", kinetic))
    return Panel("", "energy (J)", (*curves, Curve("potential (0 at height 0)", potential)), whole=True)


def _sticks(path: Path, bodies: list[Mapping[str, Any]], table: Mapping[str, Array]) -> list[Stick]:
    starts = {str(b["name"]): _vector(path, table, f"{_SIDE}_{b['joint']}", "m") for b in bodies}
    sticks = []
    for body in bodies:
        name = str(body["name"])
        hanging = [starts[str(b["name"])] for b in bodies if b["parent"] == name]
        ends = list(hanging)
        if not ends:
            q = np.stack([_column(path, table, f"{_SIDE}_{name}_q{letter}") for letter in "wxyz"], axis=1)
            ends = [starts[name] + _turned(q, np.array(body["distal_m"], dtype=float))]
        rooted = body["parent"] not in starts
        sticks.append(Stick(name, starts[name], tuple(ends), rooted, not hanging))
    return sticks


def _turned(q: Array, v: Array) -> Array:
    """A vector turned by unit quaternions (frames, 4), w first."""
    w, axis = q[:, :1], q[:, 1:]
    return np.asarray(v + 2 * cross(axis, cross(axis, np.broadcast_to(v, axis.shape)) + w * v))


def _facts(record: Mapping[str, Any], time_s: Array) -> list[tuple[str, str]]:
    settings = record.get("settings") or {}
    facts = [
        ("Simulated", f"{len(time_s)} frames at {number(float(settings.get('rate_hz', np.nan)))} Hz"),
        ("Bodies", ", ".join(f"{b['name']} {number(float(b['mass_kg']))} kg" for b in record["bodies"])),
    ]
    integrator = record.get("integrator") or {}
    if integrator:
        words = f"{integrator.get('method')}, tolerances {number(float(integrator.get('rtol', np.nan)))}"
        facts.append(("Integrated by", words))
    drift = record.get("energy_drift_relative_at_most")
    if drift is not None:
        facts.append(("Energy drifts", f"by {number(float(drift))} of it at most"))
    error = record.get("tracking_error")
    if isinstance(error, Mapping):
        facts.append(("Tracking", f"within {number(float(error['at_most']))} rad or m"))
    return facts
