"""`gaitid capacity` as a function: one trial in, its files out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.capacity.capacity import WAYS, Capacity, LegCapacity, find_capacity
from gaitid.capacity.ellipsoids import Ellipsoid, acceleration_map, acceleration_polytope
from gaitid.capacity.leg_dynamics import standing_segment
from gaitid.capacity.limits import Limits
from gaitid.disk.atomic import write_all
from gaitid.drawing import load_matplotlib
from gaitid.errors import GaitidError, TrialError
from gaitid.inputs import found_trial, input_record
from gaitid.run import Setup, analyse_file
from gaitid.trial import Array, Mask, Trial
from gaitid.version import __version__
from gaitid.write.record import plain, record_text
from gaitid.write.table import csv_text

# m/s for 1 rad/s. A point that moves by less does not move, and any force is held there.
_STILL = 1e-9


def capacity_csv(capacity: Capacity) -> str:
    """One row for each frame that was asked for, the columns of each side in turn."""
    trial = capacity.result.trial
    names = ["frame", "time_s"]
    columns = [np.column_stack([trial.first_frame + np.arange(trial.n_frames), trial.time_s])]
    for side, leg in capacity.sides.items():
        for name, values in leg_columns(capacity, leg).items():
            names.append(f"{side}_{name}")
            columns.append(values[:, None])
    return csv_text(names, np.concatenate(columns, axis=1)[capacity.chosen])


def leg_columns(capacity: Capacity, leg: LegCapacity) -> dict[str, Array]:
    """The columns of one side, each (frames,), under their names without the side."""
    axes, point = capacity.axes, capacity.endpoint
    m = len(axes)
    size = f"{'volume' if m == 3 else 'area'}_m{m}_per_s{2 * m}"
    ellipsoid = leg.manipulability
    table = {f"{point}_gravity_{axis}_m_per_s2": leg.gravity[:, i] for i, axis in enumerate(axes)}
    if capacity.in_motion:
        table |= {f"{point}_motion_{axis}_m_per_s2": leg.motion[:, i] for i, axis in enumerate(axes)}
    table |= {f"{point}_max_{way}_m_per_s2": leg.largest[way] for way in WAYS}
    table[f"{point}_polytope_{size}"] = leg.volume
    table[f"{point}_polytope_rank"] = leg.rank
    if m == 3:
        table[f"{point}_polytope_area_m2_per_s4"] = np.where(leg.rank == 2, leg.extent, np.nan)
    table[f"{point}_ellipsoid_{size}"] = ellipsoid.volume
    table |= {f"{point}_ellipsoid_centre_{axis}_m_per_s2": ellipsoid.centre[:, i] for i, axis in enumerate(axes)}
    table |= _semi_axes(f"{point}_ellipsoid", "m_per_s2", ellipsoid, axes)
    table[f"{point}_kappa_per_kg{m}_m{m}"] = leg.kappa
    for k in range(len(leg.freedoms)):
        table[f"inertia_axis{k + 1}_kg_m2"] = leg.inertia.semi_axes[:, k]
        table |= {f"inertia_axis{k + 1}_{f.name}": leg.inertia.directions[:, i, k] for i, f in enumerate(leg.freedoms)}
    speeds = leg.velocity.semi_axes
    table |= _semi_axes(f"{point}_velocity", "m_per_s", leg.velocity, axes)
    for k in range(m):  # the same axes; what moves fastest holds least
        held = speeds[:, k] > _STILL
        table[f"{point}_force_axis{k + 1}_N"] = np.where(held, 1 / np.maximum(speeds[:, k], _STILL), np.nan)
    table[f"{point}_velocity_measure_m{m}"] = speeds.prod(axis=1)
    table |= _semi_axes(f"{point}_dynamic_velocity", "m_per_s", leg.dynamic_velocity, axes)
    table |= {f"{point}_dynamic_force_centre_{a}_N": leg.dynamic_force.centre[:, i] for i, a in enumerate(axes)}
    return table | _semi_axes(f"{point}_dynamic_force", "N", leg.dynamic_force, axes)


def _semi_axes(name: str, unit: str, ellipsoid: Ellipsoid, axes: Sequence[str]) -> dict[str, Array]:
    """Lengths of semi-axes, each with the components of its direction."""
    table: dict[str, Array] = {}
    for k in range(len(axes)):
        table[f"{name}_axis{k + 1}_{unit}"] = ellipsoid.semi_axes[:, k]
        table |= {f"{name}_axis{k + 1}_{axis}": ellipsoid.directions[:, i, k] for i, axis in enumerate(axes)}
    return table


def capacity_record(
    capacity: Capacity, command: Sequence[str], inputs: Sequence[Mapping[str, str]], pictured: int | None
) -> dict[str, Any]:
    """What is needed to trust the table, or to make it again.

    Parameters
    ----------
    capacity : Capacity
    command : sequence of str
    inputs : sequence of mappings
        ``role``, ``path`` as given, ``sha256``.
    pictured : int or None
        Index of the frame whose polytope's corners are listed.
    """
    result, limits = capacity.result, capacity.limits
    trial, model = result.trial, result.model
    mass = result.subject.numbers.get("mass", float("nan"))
    stands = standing_segment(model, capacity.endpoint)
    fixed = model.base.segment if stands is None else model.chain[stands].segment
    chosen = np.flatnonzero(capacity.chosen) + trial.first_frame
    content: dict[str, Any] = {
        "gaitid": __version__,
        "command": list(command),
        "inputs": [dict(i) for i in inputs],
        "trial": {"stem": trial.path.stem, "camera_rate_hz": trial.rate_hz, "first_frame": trial.first_frame},
        "frames": [int(chosen[0]), int(chosen[-1])] if len(chosen) else [],
        "model": {"name": model.name, "table": {"name": model.table.name, "source": model.table.source}},
        "gravity_m_per_s2": result.settings.gravity_m_per_s2,
        "body_mass_kg": mass,
        "endpoint": capacity.endpoint,
        "stands_still": fixed,
        "load_kg": limits.load_kg if stands is not None else 0.0,
        "limits": {
            "name": limits.name,
            "title": limits.title,
            "sources": list(limits.sources),
            "torques_Nm": {
                f.name: dict(zip(("lowest", "highest"), f.torques(mass))) for f in limits.freedoms if not f.slides
            },
            "forces_N": {
                f.name: dict(zip(("lowest", "highest"), f.torques(mass))) for f in limits.freedoms if f.slides
            },
        },
        "axes": {side: [f.name for f in leg.dynamics.freedoms] for side, leg in capacity.sides.items() if leg.dynamics},
        "directions_g": capacity.ways_g,
        "conventions": _conventions(capacity, fixed),
        "warnings": list(dict.fromkeys([*(note.text for note in result.notes), *capacity.warnings])),
    }
    if pictured is not None:
        content["pictured"] = {
            "frame": pictured + trial.first_frame,
            "vertices_m_per_s2": {side: _corners(capacity, leg, pictured) for side, leg in capacity.sides.items()},
        }
    return plain(content)  # type: ignore[no-any-return]


def _corners(capacity: Capacity, leg: LegCapacity, frame: int) -> Array | None:
    dynamics = leg.dynamics
    if dynamics is None or not np.isfinite(leg.gravity[frame]).all():
        return None
    A = acceleration_map(capacity.axes_g @ dynamics.J[frame], dynamics.M[frame])
    return acceleration_polytope(A, dynamics.low, dynamics.high, leg.gravity[frame] + leg.motion[frame]).vertices


def _conventions(capacity: Capacity, fixed: str) -> dict[str, str]:
    point = capacity.endpoint
    return {
        "posture": f"every frame {'with the joint velocities of the trial, ' if capacity.in_motion else 'from rest '}"
        f"{'' if capacity.in_motion else '(all joint velocities 0) '}with the {fixed} standing still; the torques that "
        "the subject produced there do not enter",
        "axes": "each clinical angle turns about one axis of its joint coordinate system through the joint's centre; "
        "an axis that the limits do not list is fixed",
        "torques": "internal, positive the way that the axis is named; the opposite way is its lowest value",
        "gravity": f"acceleration of the {point} without any torque",
        "max": f"largest component of the {point}'s acceleration in that direction, gravity included; forward is that "
        "of the walk, lateral away from the middle of the body",
        "polytope": "all accelerations within the torques' limits, gravity included; rank 3 is a body, 2 a flat one",
        "ellipsoid": "accelerations of all torques inside the ellipsoid inscribed in the box of limits (half ranges as "
        "semi-axes, around the middles of the ranges); axes longest first, components of unit vectors",
        "kappa": "√det(J (MᵀM)⁻¹ Jᵀ), without limits (Yoshikawa 1985)",
        "inertia": "generalised inertia ellipsoid: torque for 1 rad/s² along each eigenvector of M, largest first; "
        "components along the joints' axes",
        "velocity": "velocities for joint velocities with ‖q̇‖ ≤ 1 rad/s; measure √det(J Jᵀ) (Yoshikawa 1985)",
        "force": "forces held by torques with ‖τ‖ ≤ 1 N·m, along the axes of velocity; empty where any force is",
        "dynamic_velocity": "velocities with a kinetic energy of at most 1 J (mobility J M⁻¹ Jᵀ, Hogan 1985)",
        "dynamic_force": "forces at what holds the point, of the torques that the ellipsoid is of, gravity included: "
        "(J M⁻¹ Jᵀ)⁻¹ times its acceleration (Khatib 1987); empty where any force is held",
        "slides": "along an axis of the segment that the joint hangs from; forces in N",
        "components": "sagittal plane of the walk: forward and up"
        if "up" in capacity.axes
        else f"laboratory axes {', '.join(capacity.axes)}",
        "unknown": "an empty cell or null is not known",
    }


@dataclass(frozen=True)
class CapacityOptions:
    """What `gaitid capacity` is asked for.

    Attributes
    ----------
    endpoint : str
    sides : tuple of str
        Empty: all that the model has.
    frames : (int, int) or None
        First and last, as the file numbers them; None: the whole trial.
    sagittal : bool
    plane : str
        Two laboratory axes; empty: all three, or the sagittal plane.
    in_motion : bool
        With the trial's joint velocities, instead of from rest.
    picture : int or None
        The frame to draw, as the file numbers it.
    animation : bool
    """

    endpoint: str = "foot"
    sides: tuple[str, ...] = ()
    frames: tuple[int, int] | None = None
    sagittal: bool = False
    picture: int | None = None
    animation: bool = False
    plane: str = ""
    in_motion: bool = False


def capacity_file(
    path: Path, folder: Path, setup: Setup, limits: Limits, options: CapacityOptions
) -> tuple[Capacity, list[Path]]:
    """Analyse one trial and write what its postures could accelerate.

    Raises
    ------
    GaitidError
        What the trial, the limits or the folder refuses; nothing is written then.
    """
    # postures only: which loads the trial was under does not matter
    setup = replace(setup, options=replace(setup.options, postures_only=True))
    result = analyse_file(path, setup)
    sides = options.sides or tuple(result.sides)
    for side in sides:
        if side not in result.sides:
            wrong = f"--side {side}: {result.model.name} has no such side"
            raise GaitidError(wrong, expected=" or ".join(result.sides))
    chosen = _chosen(result.trial, options.frames)
    of_posture = options.sagittal, options.plane, options.in_motion
    capacity = find_capacity(result, limits, options.endpoint, chosen, sides, *of_posture)
    picture = _pictured(capacity, options.picture)
    inputs = [input_record("trial", path, found_trial(path)), *setup.inputs, input_record("limits", limits.path)]
    contents: dict[str, str | bytes] = {f"{path.stem}.capacity.csv": capacity_csv(capacity)}
    if picture is not None or options.animation:
        # Not at the top: matplotlib takes a second to import.
        load_matplotlib("a picture")
        from gaitid.capacity.picture import frame_png, frames_gif, known_frames

        if picture is not None:
            contents[f"{path.stem}.capacity.png"] = frame_png(capacity, picture)
        if options.animation:
            frames = known_frames(capacity)
            if not frames:
                raise TrialError("--animation: no frame's posture is known")
            contents[f"{path.stem}.capacity.gif"] = frames_gif(capacity, frames)
    record = capacity_record(capacity, setup.options.command, inputs, picture)
    contents[f"{path.stem}.capacity.json"] = record_text(record)
    return capacity, write_all(folder, contents)


def _chosen(trial: Trial, frames: tuple[int, int] | None) -> Mask:
    numbers = trial.first_frame + np.arange(trial.n_frames)
    if frames is None:
        return np.ones(trial.n_frames, dtype=bool)
    if not (numbers[0] <= frames[0] <= frames[1] <= numbers[-1]):
        asked = f"--frames {frames[0]}-{frames[1]}"
        raise TrialError(f"{asked}: not in the trial", expected=f"{numbers[0]} to {numbers[-1]}")
    return np.asarray((numbers >= frames[0]) & (numbers <= frames[1]))


def _pictured(capacity: Capacity, frame: int | None) -> int | None:
    """Index of the frame to draw."""
    if frame is None:
        return None
    trial = capacity.result.trial
    i = frame - trial.first_frame
    if not (0 <= i < trial.n_frames and capacity.chosen[i]):
        chosen = np.flatnonzero(capacity.chosen) + trial.first_frame
        raise TrialError(f"--picture {frame}: not among the frames", expected=f"{chosen[0]} to {chosen[-1]}")
    if not any(np.isfinite(leg.gravity[i]).all() for leg in capacity.sides.values()):
        raise TrialError(f"--picture {frame}: the posture is not known in that frame")
    return i
