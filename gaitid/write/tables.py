"""The columns of the CSVs that `run` writes, in the order of the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gaitid.analysis.cycle_curves import curves_of, stance_curves
from gaitid.analysis.distal_foot import DISTAL_FOOT
from gaitid.analysis.features import features
from gaitid.analysis.joint_power import joint_powers
from gaitid.analysis.result import Result
from gaitid.analysis.whole_body import upper_motions
from gaitid.body.kinematics import SegmentMotion, dual_basis
from gaitid.dynamics.chain import Wrench
from gaitid.ground.contacts import Contact
from gaitid.model.columns import angle_column
from gaitid.trial import Array
from gaitid.write import CONTACT_COLUMNS, DEFAULT_FRAMES, ESTIMATED
from gaitid.write.cycles import cycles_table, features_blocks, spatiotemporal_csv, stances_table
from gaitid.write.table import Columns as Columns
from gaitid.write.table import cell as cell

if TYPE_CHECKING:
    from gaitid.analysis.contributions import Parts


def _xyz(pattern: str) -> list[str]:
    return [pattern.format(axis) for axis in "xyz"]


def wrenches_columns(result: Result, express_in: Sequence[str] = DEFAULT_FRAMES, parts: Parts | None = None) -> Columns:
    """``walk.wrenches.csv``: joint wrenches in each frame of expression, their parts, then the load on each foot."""
    table = Columns(result.trial)
    local = [frame for frame in express_in if frame != "global"]
    axes_of = {
        (side, joint): {frame: axes[frame] for frame in local}
        for side, leg in result.by_frame.items()
        for joint, axes in leg.axes.items()
    }
    if "jcs" in local and result.settings.jcs_components == "dual_basis":
        for axes in axes_of.values():
            axes["jcs"] = dual_basis(axes["jcs"])

    def add(side: str, joint: str, wrench: Wrench, part: str = "") -> None:
        for kind, unit, vectors in (("force", "N", wrench.f_g), ("moment", "Nm", wrench.m_g)):
            for frame in express_in:
                names = _xyz(f"{side}_{joint}_{kind}_{frame}_{{}}{part}_{unit}")
                table.add(names, vectors, axes_of[side, joint].get(frame))

    for side, leg in result.by_frame.items():
        for joint, wrench in leg.wrenches.items():
            add(side, joint, wrench)
    for side, joints in (parts or {}).items():
        for joint, causes in joints.items():
            for cause, wrench in causes.items():
                add(side, joint, wrench, f"_{cause}")
    # an arm or a pendulum touches no ground
    for side, leg in result.by_frame.items() if result.model.touches_ground else ():
        table.add(_xyz(f"{side}_ground_force_{{}}_N"), leg.load.wrench.f_g)
        table.add(_xyz(f"{side}_ground_cop_{{}}_m"), leg.load.cop_g)
        table.add([f"{side}_ground_free_moment_Nm"], leg.load.free_moment)
    if result.estimate is not None and result.model.touches_ground:
        for side in result.by_frame:
            table.add([f"{side}{ESTIMATED}"], result.estimate.frames(side).astype(float))
    return table


def base_columns(result: Result) -> Columns:
    """``walk.base.csv``: what is left over at the base, global and in its own (distal) axes.

    The columns bear the name of the base's proximal joint, or its own where the model gives it no mass.
    """
    table, base, wrench = Columns(result.trial), result.model.base, result.base_wrench
    name = base.segment if base.body is None else base.body.joint
    for kind, unit, vectors in (("force", "N", wrench.f_g), ("moment", "Nm", wrench.m_g)):
        table.add(_xyz(f"{name}_{kind}_global_{{}}_{unit}"), vectors)
        table.add(_xyz(f"{name}_{kind}_distal_{{}}_{unit}"), vectors, result.base.R_gs)
    return table


def joints_columns(result: Result) -> Columns:
    """``walk.joints.csv``: angles, moments and powers by what positive means."""
    table = Columns(result.trial)
    for side, leg in result.by_frame.items():
        for name, columns in leg.angles.items():
            for column, values in columns.items():
                table.add([f"{side}_{angle_column(name, column)}"], values)
        for name, columns in leg.moments.items():
            for column, values in columns.items():
                table.add([f"{side}_{name}_{column}_moment_Nm_per_kg"], values)
        for joint in (*leg.moments, *(name for name in leg.powers if name == DISTAL_FOOT)):
            table.add([f"{side}_{joint}_power_W_per_kg"], leg.powers[joint])
    for side, leg in result.by_frame.items():  # behind what a model without a trunk has
        for name, columns in leg.trunk_angles.items():
            for column, values in columns.items():
                table.add([f"{side}_{name}_{column}_deg"], values)
    return table


def segments_columns(result: Result) -> Columns:
    """``walk.segments.csv``: pose and motion of every segment, then the joint centres; laboratory axes."""
    table, model = Columns(result.trial), result.model
    base = model.base.segment
    joint_of = {spec.segment: spec.joint for spec in model.chain}
    bodies = [(base, base, result.base)]
    for side, leg in result.sides.items():
        bodies += [(f"{side}_{segment}", joint_of[segment], motion) for segment, motion in [*leg.motions.items()][::-1]]
    for name, joint, motion in bodies:
        placed = name == base or not model.no_wrenches_because  # else the points of the limbs are no joint centres
        turned = placed and not model.assumes_axes(joint)
        _add_motion(table, name, motion, placed, turned)
    for side, leg in result.sides.items():
        for joint, centre in list(leg.joints_g.items())[::-1]:
            table.add(_xyz(f"{side}_{joint}_{{}}_m"), _known(centre, not model.no_wrenches_because))
    if result.whole_body is not None:
        for name, motion in upper_motions(result).items():
            _add_motion(table, name, motion)
    return table


def _add_motion(table: Columns, name: str, motion: SegmentMotion, placed: bool = True, turned: bool = True) -> None:
    table.add(_xyz(f"{name}_com_{{}}_m"), _known(motion.com_g, placed))
    table.add([f"{name}_q{c}" for c in "wxyz"], _known(motion.q_gs, turned))
    table.add(_xyz(f"{name}_omega_{{}}_rad_per_s"), _known(motion.omega_g, turned))
    table.add(_xyz(f"{name}_alpha_{{}}_rad_per_s2"), _known(motion.alpha_g, turned))
    table.add(_xyz(f"{name}_acc_{{}}_m_per_s2"), _known(motion.acc_g, placed))


def joint_power_columns(result: Result) -> Columns:
    """``walk.joint_power.csv``: of each joint the power of its moment, of its force where the joint opens, and both."""
    table = Columns(result.trial)
    for side, joints in joint_powers(result).items():
        for joint, (rotational, translational) in joints.items():
            table.add([f"{side}_{joint}_rotational_power_W_per_kg"], rotational)
            table.add([f"{side}_{joint}_translational_power_W_per_kg"], translational)
            table.add([f"{side}_{joint}_six_degree_of_freedom_power_W_per_kg"], rotational + translational)
    return table


# Rows of a Jacobian, and the unit of its columns for an angle and for a slide.
_JACOBIAN_ROWS = {
    "vx": ("m", "1"),
    "vy": ("m", "1"),
    "vz": ("m", "1"),
    "wx": ("1", "per_m"),
    "wy": ("1", "per_m"),
    "wz": ("1", "per_m"),
}


def joint_space_columns(result: Result) -> Columns:
    """The table; friction is not measured, and its columns are empty.

    M is symmetric: what stands below its diagonal is not written. Nor are columns of a Jacobian that nothing moves.
    """
    from gaitid.analysis.joint_space import joint_space  # of few runs

    found, table = joint_space(result), Columns(result.trial)
    coordinates = list(zip(found.coordinates, found.turns, strict=True))  # each an angle (rad), or a slide (m)
    motion = {"q": (found.q, ""), "qd": (found.qd, "_per_s"), "qdd": (found.qdd, "_per_s2")}
    for term, (values, per) in motion.items():
        table.add([f"{term}_{name}_{'rad' if turn else 'm'}{per}" for name, turn in coordinates], values)
    unknown = np.full_like(found.G, np.nan)
    torques = {"V": found.V, "G": found.G, "F": unknown, "loads": found.loads, "tau": found.tau}
    for term, values in torques.items():
        table.add([f"{term}_{name}_{'Nm' if turn else 'N'}" for name, turn in coordinates], values)
    for i, (a, turns_a) in enumerate(coordinates):
        for k, (b, turns_b) in enumerate(coordinates[i:], start=i):
            table.add([f"M_{a}__{b}_{('kg', 'kg_m', 'kg_m2')[turns_a + turns_b]}"], found.M[:, i, k])
    for segment, J in found.ends.items():
        for row, (word, units) in enumerate(_JACOBIAN_ROWS.items()):
            for k, (name, turn) in enumerate(coordinates):
                if np.nan_to_num(J[:, :, k]).any():
                    table.add([f"J_{segment}_{word}__{name}_{units[0] if turn else units[1]}"], J[:, row, k])
    return table


def com_columns(result: Result) -> Columns:
    """Position, velocity and acceleration of the whole body's centre of mass, laboratory axes, then those segments.

    Empty without markers of the trunk; that of a segment where only something stands in for it.
    """
    trial, whole = result.trial, result.whole_body
    nothing = np.full((trial.n_frames, 3), np.nan)
    table = Columns(trial)
    of_body = (nothing, nothing, nothing) if whole is None else (whole.com_g, whole.vel_g, whole.acc_g)
    patterns = ("com_{}_m", "com_velocity_{}_m_per_s", "com_acceleration_{}_m_per_s2")
    for pattern, values in zip(patterns, of_body, strict=True):
        table.add([pattern.format(axis) for axis in "xyz"], values)
    placed = {} if whole is None else whole.segments
    for side, segment in _segments(result):
        one = placed.get((side, segment))
        name = "_".join(filter(None, (side, segment)))
        values = one.com_g if one is not None and one.measured else nothing
        table.add([f"{name}_com_{axis}_m" for axis in "xyz"], values)
    return table


def stability_columns(result: Result) -> Columns:
    """``walk.stability.csv``: extrapolated centre of mass, margins of each foot on the ground, angular momentum."""
    from gaitid.analysis.stability import PLANES, margin_columns, stability_of  # of few runs

    found, table = stability_of(result), Columns(result.trial)
    table.add(_xyz("extrapolated_com_{}_m"), found.xcom_g)
    for side in result.sides:
        for name, values in margin_columns(found, side).items():
            if name.startswith("margin"):
                table.add([f"{side}_{name}"], values)
    table.add(_xyz("whole_body_angular_momentum_{}_kg_m2_per_s"), found.momentum_g)
    table.add([f"whole_body_angular_momentum_{plane}_normalised" for plane in PLANES], found.normalised)
    return table


def emg_columns(result: Result) -> Columns:
    """``walk.emg.csv``: the envelope of each channel of electromyography."""
    table = Columns(result.trial)
    if result.emg is not None:
        table.add(*result.emg.columns)
    return table


def _known(values: Array, known: bool) -> Array:
    """`values`, or as many empty cells."""
    return values if known else np.full_like(values, np.nan)


def contact_row(contact: Contact, first_frame: int) -> dict[str, Any]:
    """One contact, frames as the file numbers them: the columns of ``walk.contacts.csv``, also in records.

    Parameters
    ----------
    contact : Contact
    first_frame : int
        The number of the trial's first frame.
    """
    return {
        "side": contact.side,
        "plates": contact.plate_names,
        "first_frame": contact.first + first_frame,
        "last_frame": contact.last + first_frame,
        "peak_vertical_N": contact.peak_vertical_N,
        "method": contact.method,
        "confidence": contact.confidence,
        "reason": contact.reason,
    }


def contacts_csv(result: Result) -> str:
    """``walk.contacts.csv``: one row a contact of a foot with the ground."""
    rows = [contact_row(contact, result.trial.first_frame) for contact in result.contacts]
    return "\n".join([",".join(CONTACT_COLUMNS), *(",".join(map(cell, row.values())) for row in rows)]) + "\n"


# How each table is made that has a row for every frame, but that of wrenches.
_OF_FRAMES: Mapping[str, Callable[[Result], Columns]] = {
    "joints": joints_columns,
    "segments": segments_columns,
    "base": base_columns,
    "joint_space": joint_space_columns,
    "joint_power": joint_power_columns,
    "com": com_columns,
    "emg": emg_columns,
    "stability": stability_columns,
}


def columns_of(
    table: str, result: Result, express_in: Sequence[str] = DEFAULT_FRAMES, parts: Parts | None = None
) -> Columns:
    """A table that has a row for every frame; parameters as of `table_blocks`."""
    return wrenches_columns(result, express_in, parts) if table == "wrenches" else _OF_FRAMES[table](result)


# How each other one is made.
_MAKERS: Mapping[str, Callable[[Result], Iterable[str]]] = {
    "contacts": lambda result: [contacts_csv(result)],
    "cycles": lambda result: cycles_table(curves_of(result), result.trial, result.emg).blocks(),
    "spatiotemporal": lambda result: [spatiotemporal_csv(result, result.gait)],
    "features": lambda result: features_blocks(features(result, curves_of(result)), result.trial),
    "stances": lambda result: stances_table(stance_curves(result), result.trial.first_frame).blocks(),
}


def table_text(
    table: str, result: Result, express_in: Sequence[str] = DEFAULT_FRAMES, parts: Parts | None = None
) -> str:
    """The content of one table; parameters as of `table_blocks`."""
    return "".join(table_blocks(table, result, express_in, parts))


def table_blocks(
    table: str, result: Result, express_in: Sequence[str] = DEFAULT_FRAMES, parts: Parts | None = None
) -> Iterable[str]:
    """The content of one table, some lines at a time; what may be refused is refused at once.

    Parameters
    ----------
    table : str
        One of `gaitid.write.TABLES`.
    result : Result
    express_in : sequence of str
        Frames of expression of the wrenches.
    parts : Parts, optional
        What each cause contributes to the wrenches.
    """
    if table in _MAKERS:
        return _MAKERS[table](result)
    if table == "joint_space":  # not every model has one
        return columns_of(table, result).blocks()
    return _of_frames(table, result, express_in, parts)


def _of_frames(table: str, result: Result, express_in: Sequence[str], parts: Parts | None) -> Iterator[str]:
    """The blocks of a table whose columns are gathered when the first is asked for."""
    yield from columns_of(table, result, express_in, parts).blocks()


def _segments(result: Result) -> list[tuple[str, str]]:
    """Side and name of each segment that the model's upper body has, whether the trial shows it or not."""
    if result.model.upper_body is None:
        return []
    from gaitid.model.upper_body import load_upper_body

    sides = [side.name for side in result.model.sides]
    segments = load_upper_body(result.model.upper_body).segments
    return [(side, one.segment) for one in segments for side in (sides if one.sided else [""])]
