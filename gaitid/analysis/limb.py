"""One limb: bodies and their motion -> joint wrenches, and these in the axes and words that people use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.analysis.result import BodyParameters, SideResult
from gaitid.body.frames import Geometry
from gaitid.body.kinematics import Motion, clinical_angles, clinical_moments, joint_axes
from gaitid.dynamics.chain import Chain, Link
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.dynamics.wrench import Wrench
from gaitid.ground.contacts import FootLoad
from gaitid.model import specs
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import apply_transposed, dot
from gaitid.trial import Array


def compute_leg(
    geometry: Geometry,
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
    """Wrenches, angles, moments and powers of one side's limb.

    Parameters
    ----------
    geometry : Geometry
        With the model.
    settings : Settings
        As resolved.
    side : Side
    motions : mapping of segment to Motion
    lengths : mapping of segment to (frames,) array, m
    base : Motion
        Of the segment that the limb hangs from.
    R_gp : (3, 3) array
        Progression frame.
    load : FootLoad
    mass : float, kg
        Of the body; NaN where nobody knows it.
    gravity_g : (3,) array, m/s²
    solver : str
        One of `SOLVERS`.
    """
    model = geometry.model
    joints: dict[str, Array] = {}
    bodies: dict[str, BodyParameters] = {}
    links: list[Link] = []
    for body in model.chain:
        link, parameters = make_link(
            geometry, settings, body, side.name, motions[body.segment], lengths[body.segment], mass, load
        )
        links.append(link)
        bodies[body.segment] = parameters
        joints[body.joint] = link.joint_g
    chain = Chain(links, model.proximal)
    wrenches = dict(zip(joints, SOLVERS[solver](chain, gravity_g), strict=True))
    axes: dict[str, dict[str, Array]] = {}
    powers: dict[str, Array] = {}
    for body, k in zip(model.chain, model.proximal, strict=True):
        above, below = base if k is None else motions[model.chain[k].segment], motions[body.segment]
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
    coverage = {joint: _coverage(wrench, load, joints[joint]) for joint, wrench in wrenches.items()}
    return SideResult(load, motions, joints, wrenches, axes, angles, moments, powers, bodies, coverage, chain)


def make_link(
    geometry: Geometry,
    settings: specs.Settings,
    body: specs.Body,
    side: str,
    motion: Motion,
    length: Array,
    mass: float,
    load: FootLoad | None = None,
) -> tuple[Link, BodyParameters]:
    """A segment with what acts on it but its joints; `side` is empty for the base, `length` (frames,), m."""
    row = geometry.model.table.rows[body.row]
    joint = geometry.point(body.centre, side)
    body_mass = row.mass_kg if row.mass_fraction is None else row.mass_fraction * mass
    assert body_mass is not None  # one of both, see `gaitid.model.load`
    mean_length = float(length[np.isfinite(length)].mean()) if np.isfinite(length).any() else np.nan
    if row.inertia_kg_m2 is not None:
        inertia = np.array(row.inertia_kg_m2)
    else:
        assert row.gyration_fractions is not None
        used = length if settings.segment_length == "current" else np.full(geometry.n_frames, mean_length)
        # Principal moments about the centre of mass: m (ρ L)².
        moments = body_mass * (np.multiply.outer(used, row.gyration_fractions)) ** 2
        inertia = moments[:, :, None] * np.eye(3)
    link = Link(
        body_mass,
        inertia,
        motion.R_gs,
        motion.com_g,
        motion.acc_g,
        motion.omega_g,
        motion.alpha_g,
        joint,
        load.wrench if load is not None and body.ground else None,
    )
    return link, _body_parameters(motion, joint, body_mass, inertia, mean_length, row.source)


def base_wrench(
    model: specs.Model, sides: Sequence[SideResult], base: Motion, link: Link | None, gravity_g: Array, solver: str
) -> tuple[Wrench, Chain | None]:
    """What is exerted on the base from the part of the body that the model leaves out, and the tree that gave it.

    Parameters
    ----------
    sides : sequence of SideResult
        Of all the model's sides.
    base : Motion
    link : Link or None
        The base itself, where it has a mass: one tree with the limbs of all sides, solved together. Without mass the
        wrench balances what the base exerts on the limbs: their wrenches, moved to its origin.
    """
    tops = [body.joint for body, k in zip(model.chain, model.proximal, strict=True) if k is None]
    if link is None:
        total = Wrench(np.zeros_like(base.com_g), np.zeros_like(base.com_g), base.com_g)
        for side in sides:
            for joint in tops:
                total = total.plus(side.wrenches[joint].at(base.com_g))
        return total, None
    if any(side.chain is None for side in sides):
        nan = np.full_like(base.com_g, np.nan)
        return Wrench(nan, nan, link.joint_g), None
    n, count = len(model.chain), len(sides)
    links = [one for side in sides if side.chain is not None for one in side.chain.links]
    proximal = [count * n if k is None else i * n + k for i in range(count) for k in model.proximal]
    tree = Chain([*links, link], [*proximal, None])
    return SOLVERS[solver](tree, gravity_g)[-1], tree


def _angle_frame(geometry: Geometry, name: str, side: str, R_gp: Array) -> Array:
    return R_gp if name == "progression" else geometry.frame(name, side).R_gs


def _body_parameters(
    motion: Motion, joint_g: Array, mass: float, inertia: Array, length: float, source: str
) -> BodyParameters:
    local = apply_transposed(motion.R_gs, motion.com_g - joint_g)
    known = known_rows(local)
    centre = local[known].mean(axis=0) if known.any() else np.full(3, np.nan)
    if inertia.ndim == 3:
        seen = known_rows(inertia)
        inertia = inertia[seen].mean(axis=0) if seen.any() else np.full((3, 3), np.nan)
    return BodyParameters(mass, centre, inertia, length, source)


def _coverage(wrench: Wrench, load: FootLoad, joint_g: Array) -> dict[str, int]:
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


def no_load(n_frames: int) -> FootLoad:
    """Of a limb that the ground does not act on: none, for certain."""
    zero = np.zeros((n_frames, 3))
    return FootLoad(np.zeros(n_frames), Wrench(zero, zero, np.zeros(3)), np.full((n_frames, 3), np.nan), zero[:, 0])


def absent_leg(model: specs.Model, n_frames: int) -> SideResult:
    """A side without markers: every column is there, every cell empty."""
    v, R = np.full((n_frames, 3), np.nan), np.full((n_frames, 3, 3), np.nan)
    motion = Motion(R, np.full((n_frames, 4), np.nan), v, v, v, v, v)
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
        chain=None,
    )
