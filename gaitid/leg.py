"""One leg: bodies and their motion -> joint wrenches, and these in the axes and words that people use."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.contacts import FootLoad
from gaitid.dynamics.newton_euler import SOLVERS, Link
from gaitid.dynamics.wrench import Wrench
from gaitid.frames import Geometry
from gaitid.kinematics import Motion, clinical_angles, clinical_moments, joint_axes
from gaitid.model import specs
from gaitid.result import BodyParameters, SideResult
from gaitid.rotation import apply_transposed, dot
from gaitid.signals import known_rows
from gaitid.trial import Array


def compute_leg(
    geometry: Geometry,
    model: specs.Model,
    settings: specs.Settings,
    side: specs.Side,
    motions: Mapping[str, Motion],
    lengths: Mapping[str, Array],
    base: Motion,
    R_gp: Array,
    load: FootLoad,
    mass: float,
    gravity_g: Array,
    solver: str,
) -> SideResult:
    """Wrenches, angles, moments and powers of one leg.

    Parameters
    ----------
    geometry : Geometry
    model : Model
    settings : Settings
        As resolved.
    side : Side
    motions : mapping of segment to Motion
    lengths : mapping of segment to (frames,) array, m
    base : Motion
        Of the segment that the leg hangs from.
    R_gp : (3, 3) array
        Progression frame.
    load : FootLoad
    mass : float, kg
        Of the body.
    gravity_g : (3,) array, m/s²
    solver : str
        One of `SOLVERS`.
    """
    joints: dict[str, Array] = {}
    bodies: dict[str, BodyParameters] = {}
    links: list[Link] = []
    for body in model.chain:
        row = model.table.rows[body.row]
        motion, length = motions[body.segment], lengths[body.segment]
        joint = geometry.point(body.centre, side.name)
        body_mass = row.mass_fraction * mass
        mean_length = float(length[np.isfinite(length)].mean()) if np.isfinite(length).any() else np.nan
        used = length if settings.segment_length == "current" else np.full(geometry.n_frames, mean_length)
        # Principal moments about the centre of mass: m (ρ L)².
        moments = body_mass * (np.multiply.outer(used, row.gyration_fractions)) ** 2
        inertia = moments[:, :, None] * np.eye(3)
        joints[body.joint] = joint
        bodies[body.segment] = _body_parameters(motion, joint, body_mass, inertia, mean_length, row.source)
        links.append(
            Link(
                body_mass,
                inertia,
                motion.R_gs,
                motion.com_g,
                motion.acc_g,
                motion.omega_g,
                motion.alpha_g,
                joint,
                load.wrench if body.ground else None,
            )
        )
    wrenches = dict(zip(joints, SOLVERS[solver](links, gravity_g), strict=True))
    proximal = _proximal_motions(model, motions, base)
    axes: dict[str, dict[str, Array]] = {}
    powers: dict[str, Array] = {}
    for body in model.chain:
        above, below = proximal[body.joint], motions[body.segment]
        angle = model.angles[body.joint]
        axes[body.joint] = {
            "proximal": above.R_gs,
            "distal": below.R_gs,
            "jcs": joint_axes(
                geometry.frame(angle.proximal, side.name).R_gs,
                geometry.frame(angle.distal, side.name).R_gs,
                angle.sequence,
            ),
        }
        powers[body.joint] = dot(wrenches[body.joint].m_g, below.omega_g - above.omega_g) / mass
    angles = {
        name: clinical_angles(
            _angle_frame(geometry, spec.proximal, side.name, R_gp),
            _angle_frame(geometry, spec.distal, side.name, R_gp),
            spec,
            side.sign,
        )
        for name, spec in model.angles.items()
    }
    moments = {
        name: clinical_moments(wrenches[name].m_g / mass, geometry.frame(spec.axes, side.name).R_gs, spec, side.sign)
        for name, spec in model.moments.items()
    }
    return SideResult(
        load, motions, joints, wrenches, axes, angles, moments, powers, bodies,
        {joint: _coverage(wrench, load, geometry, joints[joint]) for joint, wrench in wrenches.items()},
    )  # fmt: skip


def _proximal_motions(model: specs.Model, motions: Mapping[str, Motion], base: Motion) -> dict[str, Motion]:
    above = [*(motions[body.segment] for body in model.chain[1:]), base]
    return {body.joint: motion for body, motion in zip(model.chain, above, strict=True)}


def _angle_frame(geometry: Geometry, name: str, side: str, R_gp: Array) -> Array:
    return R_gp if name == "progression" else geometry.frame(name, side).R_gs


def _body_parameters(
    motion: Motion, joint_g: Array, mass: float, inertia: Array, length: float, source: str
) -> BodyParameters:
    local = apply_transposed(motion.R_gs, motion.com_g - joint_g)
    known = known_rows(local)
    centre = local[known].mean(axis=0) if known.any() else np.full(3, np.nan)
    seen = known_rows(inertia)
    return BodyParameters(
        mass, centre, inertia[seen].mean(axis=0) if seen.any() else np.full((3, 3), np.nan), length, source
    )


def _coverage(wrench: Wrench, load: FootLoad, geometry: Geometry, joint_g: Array) -> dict[str, int]:
    """How many frames of a joint are filled, and why the others are empty."""
    filled = known_rows(wrench.m_g)
    unknown_load = ~known_rows(load.wrench.f_g)
    unseen = ~known_rows(joint_g)
    rest = ~filled
    counts = {"filled": int(filled.sum())}
    for words, mask in (("marker missing", unseen), ("load unknown", unknown_load)):
        counts[words] = int((rest & mask).sum())
        rest &= ~mask
    counts["end of a gap-free span, or marker missing farther up or down the leg"] = int(rest.sum())
    return counts


def absent_leg(model: specs.Model, n_frames: int) -> SideResult:
    """A side without markers: every column is there, every cell empty."""
    v, R = np.full((n_frames, 3), np.nan), np.full((n_frames, 3, 3), np.nan)
    motion = Motion(R, np.full((n_frames, 4), np.nan), v, v, v, v)
    joints = {body.joint: v for body in model.chain}
    load = FootLoad(np.full(n_frames, np.nan), Wrench(v, v, np.zeros(3)), v, v[:, 0])
    return SideResult(
        load=load,
        motions={body.segment: motion for body in model.chain},
        joints_g=joints,
        wrenches={joint: Wrench(v, v, v) for joint in joints},
        axes={joint: {"proximal": R, "distal": R, "jcs": R} for joint in joints},
        angles={n: dict.fromkeys(a.columns, v[:, 0]) for n, a in model.angles.items()},
        moments={n: dict.fromkeys(m.columns, v[:, 0]) for n, m in model.moments.items()},
        powers=dict.fromkeys(joints, v[:, 0]),
        bodies={},
        coverage={joint: {"filled": 0, "no markers of this side": n_frames} for joint in joints},
    )
