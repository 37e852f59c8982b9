"""The truth of a simulated chain, as it lies beside its trial -> what is drawn of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.disk.regular import read_text_back
from gaitid.errors import GaitidError
from gaitid.numerics.rotation import cross
from gaitid.report.chain.drawn import Curve, Drawn, Panel, Stick, component_panels, moving, panels_of
from gaitid.report.text import number
from gaitid.results.tables import columns, read_table
from gaitid.trial import Array

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
    figures, told = _coordinate_figures(coordinates, [str(name) for name in record.get("coordinates", [])])
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
        told=tuple(told),
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
    told: list[str] = []
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
            told.append(f"Does not move: {', '.join(words[n] for n in held)}.")
    if not figures["torques"]:
        told.append("No drive and no friction acts.")
    if "kinetic_energy_J" in table:
        kinetic, potential = table["kinetic_energy_J"], table["potential_energy_J"]
        figures["energies"] = [energy_panel(kinetic, potential)]
    return figures, told


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
