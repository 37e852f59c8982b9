"""One limb: bodies and their motion -> joint wrenches, and these in the axes and words that people use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from types import MappingProxyType

import numpy as np

from gaitid.analysis.result import BodyParameters, SideResult
from gaitid.body.frames import Geometry
from gaitid.body.kinematics import JointFrames, SegmentMotion, clinical_angles, clinical_moments, dual_basis, joint_axes
from gaitid.body.later_motion import LaterMotion
from gaitid.body.mass_properties import inertia_of
from gaitid.body.poses import Body, Key, Motion
from gaitid.dynamics.chain import Chain, LaterLink, Link
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.dynamics.wrench import Wrench
from gaitid.errors import TrialError
from gaitid.ground.contacts import AIR, UNKNOWN, FootLoad
from gaitid.model import specs
from gaitid.model.shapes import PointName
from gaitid.notes import Note, Notes
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import apply_transposed, dot
from gaitid.numerics.statistics import mean_of_known
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Mask, frozen, read_only

#: Why frames are empty that `gaitid.analysis.impossible` or `gaitid.body.discontinuities` emptied.
IMPOSSIBLE = "no body does what was there"


@frozen_dataclass(eq=False)
class Mechanics:
    """What the equations of motion need besides motions and loads.

    Attributes
    ----------
    mass_kg : float
        Of the body; NaN where nobody knows it.
    gravity_g : (3,) array, m/s²
    solver : str
        One of `SOLVERS`.
    applied : mapping of (side, segment) to Wrench
        Measured loads but the ground's, laboratory axes; the side of the base is empty.
    """

    mass_kg: float
    gravity_g: Array
    solver: str
    applied: Mapping[Key, Wrench] = field(default_factory=dict)


def solve_limbs(
    body: Body,
    motion: Motion,
    loads: Mapping[str, FootLoad],
    mechanics: Mechanics,
    emptied: Mapping[str, Mask] = MappingProxyType({}),
) -> dict[str, SideResult]:
    """Wrenches, angles, moments and powers of limbs, by side.

    Parameters
    ----------
    body : Body
    motion : Motion
    loads : mapping of side to FootLoad
        Of the ground on the segment that touches it; of the sides that are to be solved.
    mechanics : Mechanics
    emptied : mapping of side to (frames,) bool array
        Frames that were emptied as no body does what was there.
    """
    sides = [side for side in body.model.sides if side.name in loads]
    limbs = [_limb(side, body, motion, loads[side.name], mechanics) for side in sides]
    solved = _solved(limbs, body.model, motion, mechanics)
    return {
        limb.side.name: _side_result(
            limb, body, motion, of, loads[limb.side.name], mechanics, emptied.get(limb.side.name)
        )
        for limb, of in zip(limbs, solved, strict=True)
    }


class _Limb(NamedTuple):
    """The segments of one side, with everything that acts on them but their joints."""

    side: specs.Side
    links: Sequence[Link]
    bodies: Mapping[str, BodyParameters]
    joints_g: Mapping[str, Array]


#: Force, moment and power of a joint.
Columns = tuple[Array, Array, Array]


class _Solved(NamedTuple):
    """By joint."""

    wrenches: Mapping[str, Wrench]
    powers: Mapping[str, Array]


def _limb(side: specs.Side, body: Body, motion: Motion, load: FootLoad, mechanics: Mechanics) -> _Limb:
    model, motions = body.model, motion.by_side[side.name]
    made = [make_link(spec, side.name, body, motions[spec.segment], mechanics, load) for spec in model.chain]
    bodies = {spec.segment: parameters for spec, (_, parameters) in zip(model.chain, made, strict=True)}
    joints = {spec.joint: link.joint_g for spec, (link, _) in zip(model.chain, made, strict=True)}
    return _Limb(side, [link for link, _ in made], bodies, joints)


def _solved(limbs: Sequence[_Limb], model: specs.Model, motion: Motion, mechanics: Mechanics) -> list[_Solved]:
    """Wrenches and powers of each limb, some frames of all of them at a time."""
    solved: list[dict[str, Columns]] = [{} for _ in limbs]
    for frames, moving in motion.parts():
        for limb, columns in zip(limbs, solved, strict=True):
            for joint, some in _during(limb, model, moving, frames, mechanics).items():
                columns[joint] = _written(columns.get(joint), some, frames, len(limb.joints_g[joint]))
    return [_of_columns(limb, columns) for limb, columns in zip(limbs, solved, strict=True)]


def _during(limb: _Limb, model: specs.Model, motion: Motion, frames: slice, mechanics: Mechanics) -> dict[str, Columns]:
    """By joint its force, moment and power in some frames, with the motion in them."""
    motions = motion.by_side[limb.side.name]
    links = [
        link.during(frames, motions[spec.segment]) if isinstance(link, LaterLink) else link
        for spec, link in zip(model.chain, limb.links, strict=True)
    ]
    found: dict[str, Columns] = {}
    wrenches = _wrenches(Chain(links, model.proximal), model, mechanics)
    for spec, k in zip(model.chain, model.proximal, strict=True):
        above, below = motion.base if k is None else motions[model.chain[k].segment], motions[spec.segment]
        wrench = wrenches[spec.joint]
        power = dot(wrench.m_g, below.omega_g - above.omega_g) / mechanics.mass_kg
        if model.assumes_axes(spec.joint):
            power = np.full_like(power, np.nan)
        found[spec.joint] = wrench.f_g, wrench.m_g, power
    return found


def _written(whole: Columns | None, some: Columns, frames: slice, n_frames: int) -> Columns:
    """The columns of all frames with those of some written into them; these where they are of all frames."""
    if len(some[0]) == n_frames:
        return some
    f_g, m_g, power = whole or tuple(np.empty((n_frames, *values.shape[1:])) for values in some)
    f_g[frames], m_g[frames], power[frames] = some
    return f_g, m_g, power


def _of_columns(limb: _Limb, columns: Mapping[str, Columns]) -> _Solved:
    wrenches = {
        joint: Wrench(frozen(f_g), frozen(m_g), limb.joints_g[joint]) for joint, (f_g, m_g, _) in columns.items()
    }
    return _Solved(wrenches, {joint: frozen(power) for joint, (_, _, power) in columns.items()})


def _side_result(
    limb: _Limb, body: Body, motion: Motion, solved: _Solved, load: FootLoad, mechanics: Mechanics, emptied: Mask | None
) -> SideResult:
    model, geometry, side, joints = body.model, body.geometry, limb.side, limb.joints_g
    motions, wrenches = motion.by_side[side.name], solved.wrenches
    axes: dict[str, Mapping[str, Array]] = {}
    for spec, k in zip(model.chain, model.proximal, strict=True):
        above, below = motion.base if k is None else motions[model.chain[k].segment], motions[spec.segment]
        angle = model.angles[spec.joint]
        told_in = geometry.frame(angle.proximal, side.name).R_gs, geometry.frame(angle.distal, side.name).R_gs
        axes[spec.joint] = JointFrames(above.R_gs, below.R_gs, told_in, angle.sequence)
        if model.assumes_axes(spec.joint):
            axes[spec.joint] = dict.fromkeys(axes[spec.joint], np.full_like(above.R_gs, np.nan))
    angles, moments = _angles(side, body), _moments(side, body, wrenches, mechanics.mass_kg)
    weighed = all(np.isfinite(link.mass) for link in limb.links)
    chain = Chain(limb.links, model.proximal)
    coverage = {
        joint: _coverage(wrench, unknown, joints[joint], weighed, emptied)
        for (joint, wrench), unknown in zip(wrenches.items(), _unknown_loads(chain), strict=True)
    }
    if model.no_wrenches_because:
        coverage = {joint: {"filled": 0, model.no_wrenches_because: len(joints[joint])} for joint in wrenches}
    return SideResult(
        load=load,
        acting=load,
        motions=motions,
        joints_g=joints,
        wrenches=wrenches,
        axes=axes,
        angles=angles,
        moments=moments,
        powers=solved.powers,
        bodies=limb.bodies,
        coverage=coverage,
        chain=chain,
        emptied=emptied,
    )


def _wrenches(chain: Chain, model: specs.Model, mechanics: Mechanics) -> dict[str, Wrench]:
    """By joint."""
    solved = SOLVERS[mechanics.solver](chain, mechanics.gravity_g)
    if model.no_wrenches_because:  # its points are no joint centres
        solved = [Wrench(np.full_like(w.f_g, np.nan), np.full_like(w.m_g, np.nan), w.p_g) for w in solved]
    return dict(zip((spec.joint for spec in model.chain), solved, strict=True))


def _angles(side: specs.Side, body: Body) -> dict[str, Mapping[str, Array]]:
    """Columns by joint."""
    found = {}
    for name, angle in body.model.angles.items():
        proximal, distal = (_angle_frame(body, frame, side.name) for frame in (angle.proximal, angle.distal))
        columns = clinical_angles(proximal, distal, angle, side.sign, body.passes)
        found[name] = _determined(columns, angle.needs, body.geometry, side.name)
    return found


def _moments(
    side: specs.Side, body: Body, wrenches: Mapping[str, Wrench], mass_kg: float
) -> dict[str, Mapping[str, Array]]:
    """Columns by joint."""
    found = {}
    for name, moment in body.model.moments.items():
        axes = moment_axes(body, name, side.name)
        columns = clinical_moments(wrenches[name].m_g / mass_kg, axes, moment, side.sign)
        found[name] = _determined(columns, moment.needs, body.geometry, side.name)
    return found


def make_link(
    spec: specs.Segment,
    side: str,
    body: Body,
    motion: SegmentMotion,
    mechanics: Mechanics,
    load: FootLoad | None = None,
) -> tuple[Link, BodyParameters]:
    """A segment with what acts on it but its joints; `side` is empty for the base."""
    geometry, length = body.geometry, body.segments[side, spec.segment].length_m
    row = body.model.table.row(spec.row, side)
    joint = geometry.point(spec.centre, side)
    mass = row.mass_kg if row.mass_fraction is None else row.mass_fraction * mechanics.mass_kg
    assert mass is not None  # one of both, see `gaitid.model.load`
    known = length[np.isfinite(length)]
    mean_length = float(known.mean()) if known.size else np.nan
    lengths = length if body.settings.segment_length == "current" else np.asarray(mean_length)
    inertia = inertia_of(body.model.table, spec, side, mass, lengths)
    wrench = load.wrench if load is not None and spec.ground else None
    acting = joint, wrench, mechanics.applied.get((side, spec.segment))
    if isinstance(motion, LaterMotion):
        link: Link = LaterLink(mass, read_only(inertia), motion, *acting)
    else:
        pose = (motion.R_gs, motion.com_g, motion.acc_g, motion.omega_g, motion.alpha_g)
        link = Link(mass, inertia, *pose, *acting)
    return link, _body_parameters(link, mean_length, row.source)


def base_wrench(
    body: Body, sides: Sequence[SideResult], motion: Motion, link: Link | None, mechanics: Mechanics
) -> tuple[Wrench, Chain | None]:
    """What is exerted on the base from the part of the body that the model leaves out, and the tree that gave it.

    Parameters
    ----------
    body : Body
    sides : sequence of SideResult
        Of all the model's sides.
    motion : Motion
    link : Link or None
        The base itself, where it has a mass: one tree with the limbs of all sides, solved together. Without mass the
        wrench balances what the base exerts on the limbs: their wrenches, moved to its origin.
    mechanics : Mechanics
    """
    model, com_g = body.model, motion.base.com_g
    tops = [spec.joint for spec, k in zip(model.chain, model.proximal, strict=True) if k is None]
    if link is None:
        total = Wrench(np.zeros_like(com_g), np.zeros_like(com_g), com_g)
        for side in sides:
            for joint in tops:
                total = total.plus(side.wrenches[joint].at(com_g))
        if (load := mechanics.applied.get(body.base)) is not None:
            load = load.at(com_g)
            total = total.plus(Wrench(-load.f_g, -load.m_g, com_g))
        return total, None
    chains = [side.chain for side in sides if side.chain is not None]
    if len(chains) < len(sides):
        nan = np.full_like(com_g, np.nan)
        return Wrench(nan, nan, link.joint_g), None
    n, count = len(model.chain), len(sides)
    links = [of_limb for chain in chains for of_limb in chain.links]
    proximal = [count * n if k is None else i * n + k for i in range(count) for k in model.proximal]
    tree = Chain([*links, link], [*proximal, None])
    return SOLVERS[mechanics.solver](tree, mechanics.gravity_g)[-1], tree


def moment_axes(body: Body, joint: str, side: str) -> Array:
    """(frames, 3, 3) axes in which the model tells a joint's moments: a frame's, or those of the joint's angles."""
    axes = body.model.moments[joint].axes
    if axes != "jcs":
        return body.geometry.frame(axes, side).R_gs
    angle = body.model.angles[joint]
    own = joint_axes(_angle_frame(body, angle.proximal, side), _angle_frame(body, angle.distal, side), angle.sequence)
    return dual_basis(own) if body.settings.jcs_components == "dual_basis" else own


def _angle_frame(body: Body, name: str, side: str) -> Array:
    return body.R_gp if name == "progression" else body.geometry.frame(name, side).R_gs


def _body_parameters(link: Link, length: float, source: str) -> BodyParameters:
    local = apply_transposed(link.R_gs, link.com_g - link.joint_g)
    centre = mean_of_known(local)
    inertia = link.inertia_s
    if inertia.ndim == 3:
        seen = known_rows(inertia)
        inertia = inertia[seen].mean(axis=0) if seen.any() else np.full((3, 3), np.nan)
    return BodyParameters(link.mass, centre, inertia, length, source)


def _determined(
    columns: Mapping[str, Array], needs: Mapping[str, tuple[PointName, ...]], geometry: Geometry, side: str
) -> Mapping[str, Array]:
    """The columns; empty those that need a point that was never seen."""
    return {
        name: values
        if all(np.isfinite(geometry.point(point, side)).any() for point in needs.get(name, ()))
        else np.full_like(values, np.nan)
        for name, values in columns.items()
    }


def _unknown_loads(chain: Chain) -> list[Mask]:
    """For each joint the frames, (frames,), in which a load beyond it is not known."""
    unknown: list[Mask] = []
    for i, link in enumerate(chain.links):
        beyond = np.zeros(len(link.joint_g), dtype=bool)
        for load in (link.external, link.applied):
            if load is not None:
                beyond |= ~known_rows(load.f_g)
        for k in chain.distal(i):
            beyond |= unknown[k]
        unknown.append(beyond)
    return unknown


def _coverage(
    wrench: Wrench, unknown_load: Mask, joint_g: Array, weighed: bool, emptied: Mask | None
) -> dict[str, int]:
    """How many frames of a joint are filled, and why the others are empty; `weighed` where the masses are known."""
    filled = known_rows(wrench.m_g)
    unseen = ~known_rows(joint_g)
    rest = ~filled
    counts = {"filled": int(np.count_nonzero(filled))}
    first = () if emptied is None else ((IMPOSSIBLE, emptied),)
    for words, mask in (*first, ("marker missing", unseen), ("load unknown", unknown_load)):
        counts[words] = int(np.count_nonzero(rest & mask))
        rest &= ~mask
    why = "end of a gap-free span, or marker missing farther up or down the leg" if weighed else "body mass unknown"
    counts[why] = int(np.count_nonzero(rest))
    return counts


def no_load(n_frames: int) -> FootLoad:
    """Of a limb that the ground does not act on: none, for certain."""
    zero = np.zeros((n_frames, 3))
    state = np.full(n_frames, AIR)
    return FootLoad(state, Wrench(zero, zero, np.zeros(3)), np.full((n_frames, 3), np.nan), zero[:, 0])


def absent_limb(model: specs.Model, n_frames: int) -> SideResult:
    """A side without markers: every column is there, every cell empty."""
    v, R = np.full((n_frames, 3), np.nan), np.full((n_frames, 3, 3), np.nan)
    motion = SegmentMotion(R, v, v, v, v, v)
    joints = {body.joint: v for body in model.chain}
    load = FootLoad(np.full(n_frames, UNKNOWN), Wrench(v, v, np.zeros(3)), v, v[:, 0])
    return SideResult(
        load=load,
        acting=load,
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


def wrench_notes(model: specs.Model, sides: Mapping[str, SideResult], require_forces: bool) -> Notes:
    """That no wrench is known in any frame."""
    if any(counts["filled"] for side in sides.values() for counts in side.coverage.values()):
        return ()
    why = model.no_wrenches_because or "the trial is too short, or markers, loads or the mass are missing"
    why = f"no wrench of a joint is known in any frame: {why}"
    if require_forces:
        raise TrialError(why, todo="leave out --require-forces")
    return (Note("no_known_wrench", why),)
