"""What can be wrong with plates, clocks and the laboratory: each a parameter, and how a recording is read without it.

A hypothesis undoes its fault: `State` in, corrected `State` out. Parameters are normal with a mean of 0 and a spread
that says how large such mistakes are; a hypothesis without any is one wiring that either is so or is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from gaitid.faults.evidence import LEAST_FORCE, Evidence, State, free_moment, level_axes
from gaitid.numerics.rotation import cross
from gaitid.records import NamedTuple
from gaitid.trial import Array

CHANNELS = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")

# How large mistakes are (standard deviations). Gains: a factor of e to this power (a range that was set wrongly gives
# 2, pounds 4.4), of moments alone a sensor's depth, or one transducer; of the vertical force: crosstalk; rates are
# chosen from a list, factors of 1.2 to 2. m: corners measured from a wrong mark; N, N·m: a zero taken under a load; s,
# s per s: clocks; rad: a plate put in askew, cameras' axes set by hand.
GAIN, GAIN_OF_MOMENTS, CROSSTALK, RATE = 0.4, 0.2, 0.08, 0.4
MOVED_M, ZERO_N, ZERO_NM, LATE_S, DRIFT, ASKEW, AXES = 0.06, 80.0, 20.0, 0.05, 0.015, 0.25, 0.06
# Of the spread of a delay or a rate: it is looked for from here as well, as what is left of a walk is no straight line
# of it beyond.
FAR = (-2.0, -1.0, 1.0, 2.0)

#: deg
QUARTERS = (90.0, 180.0, -90.0)

Act = Callable[[Evidence, State, Array], State]


class Hypothesis(NamedTuple):
    """One fault.

    Attributes
    ----------
    cause : str
        A key of the words in `gaitid.notes.faults`.
    plates : tuple of int
        Indices of those that it is of; empty for clocks and laboratory.
    act : function
        (evidence, state, parameters) -> the state without the fault.
    spread : tuple of float
        Of its parameters; empty where it has none.
    channels : tuple of str
        That it is of.
    degrees : float
        By which it turns.
    wiring : (float, float)
        The signs that two exchanged channels are read with.
    starts : tuple of float
        Where its only parameter is looked for besides 0.
    """

    cause: str
    plates: tuple[int, ...]
    act: Act
    spread: tuple[float, ...] = ()
    channels: tuple[str, ...] = ()
    degrees: float = 0.0
    wiring: tuple[float, float] = (1.0, 1.0)
    starts: tuple[float, ...] = ()


#: Causes that change the weight which the plates carry.
_OF_WEIGHT = ("gain", "gain_vertical")


def hypotheses(evidence: Evidence, weighed: bool) -> list[Hypothesis]:
    """All that compete on the evidence of a trial.

    Parameters
    ----------
    evidence : Evidence
    weighed : bool
        The body's weight comes from a source of its own, and not from these plates.
    """
    used, times = evidence.used, len(evidence.windows_s) > 0
    groups = [*((k,) for k in used), *([used] if len(used) > 1 else [])]
    everything = [h for ks in groups for h in _of_plates(ks)]
    if not evidence.walks:  # who stands tells the weight alone
        return [h for h in everything if h.cause in _OF_WEIGHT and (weighed or h.plates != used)]
    zeroed = {k for k in used if evidence.plates[k].shows_zero}

    def competes(h: Hypothesis) -> bool:
        if h.cause == "late":  # pressure alone rolls too slowly to tell a time
            return times and (len(h.plates) > 1 or h.plates[0] in evidence.whole_steps)
        if h.cause == "zero":
            return not zeroed & {*h.plates}
        return h.cause != "gain" or weighed or h.plates != used

    result = [h for h in everything if competes(h)]
    result += [Hypothesis("plates_exchanged", pair, _plates_exchanged(*pair)) for pair in combinations(used, 2)]
    if evidence.pressing:
        result += [Hypothesis("other_axes", (), _other_axes(degrees), degrees=degrees) for degrees in QUARTERS]
    if times:
        result += [
            Hypothesis("drift", (), _drift, (DRIFT, LATE_S)),
            Hypothesis("rate", (), _rate, (RATE,), starts=tuple(times * RATE for times in FAR)),
            Hypothesis("tilt", (), _tilt, (AXES, AXES)),
            Hypothesis("yaw", (), _yaw, (AXES,)),
        ]
    return result


def _of_plates(ks: tuple[int, ...]) -> Iterator[Hypothesis]:
    """Of some plates: of one, or of all of them alike."""
    # of Fz the channel itself tells: no foot pulls at a plate
    for turned in ("Fx", "Fy", "Mx", "My", "Mz", "Fx Fy", "Mx My"):
        channels = tuple(turned.split())
        senses = np.diag([-1.0 if name in channels else 1.0 for name in CHANNELS])
        yield Hypothesis("sign", ks, _wired(ks, senses), channels=channels)
    for a, b in (("Fx", "Fy"), ("Mx", "My")):
        i, j = CHANNELS.index(a), CHANNELS.index(b)
        for signs in ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)):
            wiring = np.eye(6)
            wiring[[i, j]] = 0.0
            wiring[i, j], wiring[j, i] = signs
            yield Hypothesis("exchanged", ks, _wired(ks, wiring), channels=(a, b), wiring=signs)
    for degrees in QUARTERS:
        yield Hypothesis("turned", ks, _placed(ks, _about_z(np.radians(degrees))), degrees=degrees)
    for sides in ((-1.0, 1.0), (1.0, -1.0)):
        # a plate whose corners run the other way round faces down
        yield Hypothesis("mirrored", ks, _placed(ks, np.diag([*sides, -1.0])))
    for cause, names in (
        ("gain", CHANNELS),
        ("gain_vertical", ("Fz",)),
        ("gain_horizontal", ("Fx", "Fy")),
        ("gain_moments", ("Mx", "My")),
        *(("gain_channel", (name,)) for name in ("Fx", "Fy", "Mx", "My")),
    ):
        spread = GAIN_OF_MOMENTS if names[0][0] == "M" else GAIN
        yield Hypothesis(cause, ks, _scaled(ks, names), (spread,), tuple(names))
    yield Hypothesis("moved", ks, _moved(ks), (MOVED_M, MOVED_M))
    yield Hypothesis("crosstalk", ks, _crosstalk(ks), (CROSSTALK, CROSSTALK))
    yield Hypothesis("zero", ks, _zero(ks, [0, 1]), (ZERO_N, ZERO_N), ("Fx", "Fy"))
    yield Hypothesis("zero", ks, _zero(ks, [2]), (ZERO_N,), ("Fz",))
    yield Hypothesis("zero", ks, _zero(ks, [5]), (ZERO_NM,), ("Mz",))
    yield Hypothesis("late", ks, _late(ks), (LATE_S,), starts=tuple(times * LATE_S for times in FAR))
    yield Hypothesis("askew", ks, _askew(ks), (ASKEW,))
    yield Hypothesis("torsion", ks, _torsion(ks), channels=("Mz",))


def _about_z(angle_rad: float) -> Array:
    c, s = np.cos(angle_rad), np.sin(angle_rad)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _changed(evidence: Evidence, state: State, ks: Sequence[int], change: Callable[[Array], Array]) -> State:
    """The channels of some plates, (rows, 6), changed."""
    rows = evidence.rows_of(ks)
    channels = np.concatenate([state.f_p, state.m_p], axis=1)
    channels[rows] = change(channels[rows])
    return state._replace(f_p=channels[:, :3], m_p=channels[:, 3:])


def _wired(ks: tuple[int, ...], wiring: Array) -> Act:
    """What was read is `wiring` times what was felt."""
    back = np.linalg.inv(wiring)

    def act(evidence: Evidence, state: State, parameters: Array) -> State:
        return _changed(evidence, state, ks, lambda channels: np.asarray(channels @ back.T))

    return act


def _scaled(ks: tuple[int, ...], names: Sequence[str]) -> Act:
    """Channels with another gain, e to the power of the parameter."""
    of = np.array([name in names for name in CHANNELS])

    def act(evidence: Evidence, state: State, parameters: Array) -> State:
        return _changed(evidence, state, ks, lambda channels: channels * np.where(of, np.exp(-parameters[0]), 1.0))

    return act


def _crosstalk(ks: tuple[int, ...]) -> Act:
    """A share of the vertical force in the horizontal ones."""

    def act(evidence: Evidence, state: State, parameters: Array) -> State:
        def change(channels: Array) -> Array:
            channels[:, :2] -= channels[:, 2:3] * parameters
            return channels

        return _changed(evidence, state, ks, change)

    return act


def _zero(ks: tuple[int, ...], of: list[int]) -> Act:
    """A steady force, or moment, while the plate is loaded."""

    def act(evidence: Evidence, state: State, parameters: Array) -> State:
        def change(channels: Array) -> Array:
            loaded = np.abs(channels[:, 2]) > LEAST_FORCE * np.abs(channels[:, 2]).max(initial=0.0)
            channels[:, of] -= parameters * loaded[:, None]
            return channels

        return _changed(evidence, state, ks, change)

    return act


def _placed(ks: tuple[int, ...], turn: Array) -> Act:
    """The axes of plates turned, or mirrored, about their middles."""

    def act(evidence: Evidence, state: State, parameters: Array) -> State:
        R_gp = state.R_gp.copy()
        R_gp[list(ks)] = R_gp[list(ks)] @ turn
        return state._replace(R_gp=R_gp)

    return act


def _other_axes(degrees: float) -> Act:
    """Cameras whose axes are turned on the floor and begin elsewhere: all plates turned, and laid under the feet."""
    turn = _about_z(np.radians(degrees))

    def act(evidence: Evidence, state: State, parameters: Array) -> State:
        R = state.R_gp[evidence.used[0]]
        turned = state._replace(R_gp=state.R_gp @ turn, centre_g=state.centre_g @ (R @ turn @ R.T).T)
        off = np.concatenate([evidence.pressed_g(p, turned) - p.point_g for p in evidence.pressing]).mean(axis=0)
        return turned._replace(centre_g=turned.centre_g - off + R[:, 2] * (R[:, 2] @ off))

    return act


def _askew(ks: tuple[int, ...]) -> Act:
    """The same by a few degrees."""

    def act(evidence: Evidence, state: State, parameters: Array) -> State:
        return _placed(ks, _about_z(-parameters[0]))(evidence, state, parameters)

    return act


def _torsion(ks: tuple[int, ...]) -> Act:
    """The free moment about the pressure in place of Mz about the centre: Mz = T + x Fy - y Fx."""

    def act(evidence: Evidence, state: State, parameters: Array) -> State:
        def change(channels: Array) -> Array:
            channels[:, 5] += channels[:, 5] - free_moment(channels[:, :3], channels[:, 3:])
            return channels

        return _changed(evidence, state, ks, change)

    return act


def _moved(ks: tuple[int, ...]) -> Act:
    """Plates that lie elsewhere, along the sides of the first."""

    def act(evidence: Evidence, state: State, parameters: Array) -> State:
        centre_g = state.centre_g.copy()
        centre_g[list(ks)] -= state.R_gp[ks[0]][:, :2] @ parameters
        return state._replace(centre_g=centre_g)

    return act


def _plates_exchanged(a: int, b: int) -> Act:
    """Each of two plates reports what the other felt: the place and axes of the other are its own."""

    def act(evidence: Evidence, state: State, parameters: Array) -> State:
        order = np.arange(len(evidence.plates))
        order[[a, b]] = b, a
        return state._replace(R_gp=state.R_gp[order], centre_g=state.centre_g[order])

    return act


def _late(ks: tuple[int, ...]) -> Act:
    """Forces that come late by some seconds."""

    def act(evidence: Evidence, state: State, parameters: Array) -> State:
        return _read_later(evidence, state, np.where(evidence.rows_of(ks), parameters[0], 0.0))

    return act


def _drift(evidence: Evidence, state: State, parameters: Array) -> State:
    """A clock of the plates that runs slowly: forces come the later, the longer the trial lasts; and late half way."""
    late_s = parameters[0] * (evidence.row_times_s - evidence.windows_s.mean()) + parameters[1]
    return _read_later(evidence, state, late_s)


def _read_later(evidence: Evidence, state: State, late_s: Array) -> State:
    """Changes of the channels by reading them later, added to what else was corrected."""
    f_p, m_p = evidence.read(late_s)
    filed, pressing = evidence.filed, slice(len(evidence.plates) * len(evidence.windows_s), None)
    # how a foot turns on the floor tells no time
    m_p[pressing, 2] += (free_moment(filed.f_p, filed.m_p) - free_moment(f_p, m_p))[pressing]
    return state._replace(f_p=state.f_p + f_p - filed.f_p, m_p=state.m_p + m_p - filed.m_p)


def _rate(evidence: Evidence, state: State, parameters: Array) -> State:
    """A rate that is declared e to the power of the parameter times too high: accelerations go with its square."""
    moves = (state.asked - evidence.up_g) * np.exp(-2 * parameters[0])
    return state._replace(asked=evidence.up_g + moves)


def _tilt(evidence: Evidence, state: State, parameters: Array) -> State:
    """The cameras' vertical leans against gravity, which acts along that of the plates."""
    turn = parameters @ level_axes(evidence.up_g)
    R_gp = state.R_gp - np.swapaxes(cross(turn, np.swapaxes(state.R_gp, 1, 2)), 1, 2)
    return state._replace(R_gp=R_gp, asked=state.asked - cross(turn, evidence.up_g))


def _yaw(evidence: Evidence, state: State, parameters: Array) -> State:
    """The cameras' axes are turned against those of the plates, about the middle of these."""
    used = list(evidence.used)
    middle, turn = state.centre_g[used].mean(axis=0), -parameters[0] * evidence.up_g
    R_gp = state.R_gp + np.swapaxes(cross(turn, np.swapaxes(state.R_gp, 1, 2)), 1, 2)
    return state._replace(R_gp=R_gp, centre_g=state.centre_g + cross(turn, state.centre_g - middle))
