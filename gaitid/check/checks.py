"""Can a trial be analysed, is what comes out trustworthy, and did it move since last time?

Every check has a number, a limit and a reason for the limit; none of them judges how somebody walks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

import numpy as np

from gaitid.analysis import figures
from gaitid.analysis.result import Result, SideResult
from gaitid.analysis.wording import by_code
from gaitid.body.length_limits import LENGTH_JUMP_M, LENGTH_SD_FAIL_M, LENGTH_SD_WARN_M
from gaitid.body.lengths import constant_lengths
from gaitid.check.findings import FAIL, NOTE, PASS, WARN, Finding, Report, amount, quantity_of, unit_of
from gaitid.check.golden import compare
from gaitid.check.limits import (
    BALANCE_FORCE_BW,
    BALANCE_MOMENT_NM_PER_KG,
    BALANCE_WINDOW_S,
    SIDE_DIFFERENCE,
    SOLVER_TOLERANCE,
    TOLERANCES,
)
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.errors import GaitidError, first_few
from gaitid.markers.faults import BESIDE, SEVERAL
from gaitid.notes.message import DO_NOT_USE
from gaitid.numerics.masks import known_rows, spans
from gaitid.numerics.rotation import apply, apply_transposed, cross
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.run import Setup, analyse_file, estimate_of, with_chosen_model, with_laboratory
from gaitid.trial import Array


@frozen_dataclass()
class Wanted:
    """What a trial is held to besides the limits that hold for all.

    Attributes
    ----------
    tolerances : mapping of quantity to float
        Of the comparison with golden results.
    most_uncertain : mapping of quantity to float
        Largest standard uncertainties that pass; what is to be analysed must ask for them (`RunOptions.uncertainty`).
    """

    tolerances: Mapping[str, float] = field(default_factory=lambda: TOLERANCES)
    most_uncertain: Mapping[str, float] = field(default_factory=dict)


def check_file(
    path: Path,
    setup: Setup,
    against: Path | None = None,
    wanted: Wanted = Wanted(),  # noqa: B008 - it cannot be changed
) -> Report:
    """Analyse one trial, solve it with every solver, and judge the result.

    Parameters
    ----------
    path : Path
    setup : Setup
    against : Path, optional
        Folder with golden results, as `run` writes them.
    wanted : Wanted

    Returns
    -------
    Report
        A trial that cannot be analysed is a report with one failure: nothing is raised for it.
    """
    try:
        setup = with_chosen_model(
            with_laboratory(setup, path), path
        )  # with its model, whose files the golden record names
        result = analyse_file(path, setup)
    except GaitidError as error:
        text = error.line().removeprefix(f"{path}: ")
        return Report(path, (Finding("analysis", FAIL, text),))
    findings = check_result(result)
    findings.insert(0, solvers_agree(compare_solvers(result)))
    if against is not None:
        findings += compare(result, setup, path, against, wanted.tolerances)
    if wanted.most_uncertain:
        findings += sure_enough(result, setup, wanted.most_uncertain)
    return Report(path, tuple(findings), result.verdict.as_dict())


def check_result(result: Result) -> list[Finding]:
    """Every check that needs one result only."""
    return [
        *balance(result),
        loads_known(result),
        *labels(result),
        known_wrenches(result),
        *segment_lengths(result),
        *figures.vertical_force(result),
        *verdict(result),
    ]


def verdict(result: Result) -> list[Finding]:
    """What the trial can be used for, its reasons, and what was assumed: as `run` says it."""
    outcome = result.verdict
    if outcome.trial == DO_NOT_USE:
        findings = [Finding("verdict", FAIL, f"{outcome.words}: {outcome.worst_reason}")]
    else:
        findings = [Finding("verdict", PASS, f"verdict {outcome.words}")]
    texts = [note for note in outcome.others if note.severity != "info" or note.message.cure]
    messages = [(reason.code, "doubt", reason.words) for reason in outcome.reasons]
    messages += [(note.code, note.severity, text) for note, text in by_code(texts)]
    return findings + [
        Finding("note", WARN if severity in ("error", "doubt") else NOTE, text, severity=severity)
        for code, severity, text in messages
        if code not in _SHOWN_AS_FIGURES
    ]


def sure_enough(result: Result, setup: Setup, limits: Mapping[str, float]) -> list[Finding]:
    """Whether the standard uncertainties of quantities are within limits; frames of an impact are no results."""
    outcome = estimate_of(result, setup)
    assert outcome is not None  # asked for
    findings = []
    for quantity, limit in limits.items():
        worst, where = -1.0, ""
        for i, name in enumerate(outcome.names):
            if quantity_of(name) != quantity:
                continue
            u = outcome.standard[:, i].copy()
            side = name.partition("_")[0]
            if side in result.sides and not name.endswith("_deg"):
                u[result.impact_frames(side)] = np.nan
            if np.isfinite(u).any() and np.nanmax(u) > worst:
                at = int(np.nanargmax(u))
                worst, where = float(u[at]), f"{name}, frame {result.trial.first_frame + at}"
        if worst < 0:
            text = f"no {quantity} is known: how sure it is was not checked"
            findings.append(Finding("uncertainty", WARN, text))
            continue
        status = FAIL if worst > limit else PASS
        text = f"standard uncertainty of {quantity} at most {amount(worst, quantity)} ({where})"
        text += f", above {amount(limit, quantity)}" if status == FAIL else ""
        findings.append(Finding("uncertainty", status, text, worst, limit, unit_of(quantity)))
    return findings


# What their figures show with number and limit is not said again as a note.
_SHOWN_AS_FIGURES = {"weight_doubtful", "weight_wrong", "wrenches_partial"}

# --- the mechanics ------------------------------------------------------------------------------------------


def balance(result: Result) -> list[Finding]:
    """Newton's and Euler's laws for the leg below each joint, from positions and orientations only.

    For a smooth window w that is 0 with its derivatives at both ends, integration by parts moves the
    derivatives from the noisy data to the window:

        Newton:  ∫ (F_joint + F_ground + Σ m g) w dt = Σ m ∫ c ẅ dt
        Euler, about a fixed point, with L = Σ c × m ċ + R I Rᵀ ω:
                 ∫ (M_joint + M_ground + Σ c × m g) w dt = −∫ L ẇ dt

    So noise averages out and the accelerations that the result was computed with are not used. The residuals
    are means over the window, N and N·m about the joint's place in its middle.
    """
    rate = result.trial.rate_hz
    n = 2 * max(4, round(BALANCE_WINDOW_S * rate / 2)) + 1
    half_s = (n + 1) / 2 / rate
    u = (np.arange(n) - n // 2) / ((n + 1) / 2)
    s = 1 - u**2
    w, dw, ddw = s**6, -12 * u * s**5 / half_s, (120 * u**2 * s**4 - 12 * s**5) / half_s**2
    total = w.sum()
    of_segments = sum(body.mass_kg for leg in result.sides.values() for body in leg.bodies.values())
    mass = result.subject.mass_kg if np.isfinite(result.subject.mass_kg) else of_segments
    force_limit = BALANCE_FORCE_BW * mass * result.settings.gravity_m_per_s2
    force_limit = max(force_limit, 0.1)  # N: where gravity was set to 0
    moment_limit = BALANCE_MOMENT_NM_PER_KG * mass
    worst = {"force": (0.0, ""), "moment": (0.0, "")}
    windows = 0
    for side, leg in result.sides.items():
        if not leg.bodies or leg.chain is None:
            continue
        each = [_of_segment(result, leg, i, rate) for i in range(len(leg.chain.links))]
        for i, body in enumerate(result.model.chain):
            beyond = [each[k] for k in leg.chain.beyond(i)]
            first_moment, momentum, acting_f, acting_m = (np.sum(values, axis=0) for values in zip(*beyond))
            joint = leg.wrenches[body.joint].at(np.zeros(3))
            force, moment = joint.f_g + acting_f, joint.m_g + acting_m
            known = known_rows(np.concatenate([force, moment, momentum], axis=1))
            for start, stop in spans(known):
                for a in range(start, stop - n + 1, max(1, n // 8)):
                    part = slice(a, a + n)
                    place = leg.joints_g[body.joint][a + n // 2]
                    origin = first_moment[a + n // 2]
                    f = (w @ force[part] - ddw @ (first_moment[part] - origin)) / total
                    about_origin = (w @ moment[part] + dw @ (momentum[part] - momentum[a + n // 2])) / total
                    t = about_origin - np.cross(place, f)
                    windows += 1
                    at = f"{side} {body.joint} near frame {result.trial.first_frame + a + n // 2}"
                    for kind, size in (("force", float(np.linalg.norm(f))), ("moment", float(np.linalg.norm(t)))):
                        if size > worst[kind][0]:
                            worst[kind] = (size, at)
    if not windows:
        text = f"no {BALANCE_WINDOW_S:g} s on end with known wrenches: the equations of motion were not checked"
        return [Finding("balance", WARN, text)]
    findings = []
    for kind, limit, unit in (("force", force_limit, "N"), ("moment", moment_limit, "N·m")):
        size, at = worst[kind]
        ok = size <= limit
        text = f"{kind} balance {size:.2g} {unit}" if ok else f"{size:.3g} {unit} ({at}), at most {limit:.3g} {unit}"
        findings.append(Finding(f"{kind} balance", PASS if ok else FAIL, text, size, limit, unit))
    return findings


def _of_segment(result: Result, leg: SideResult, i: int, rate_hz: float) -> tuple[Array, Array, Array, Array]:
    """Of a segment m c, its angular momentum, and what acts on it but joints (force, moment): about the origin."""
    assert leg.chain is not None
    segment, load = result.model.chain[i].segment, leg.chain.links[i].load
    parameters, motion = leg.bodies[segment], leg.motions[segment]
    m, c = parameters.mass_kg, motion.com_g
    momentum = m * cross(c, _derivative(c, rate_hz)) + _spin(motion.R_gs, parameters.inertia_s, rate_hz)
    f = np.broadcast_to(m * result.gravity_g, c.shape)
    moment = cross(c, f)
    if load is not None:
        about_origin = load.at(np.zeros(3))
        f, moment = f + about_origin.f_g, moment + about_origin.m_g
    return m * c, momentum, f, moment


def _derivative(x: Array, rate_hz: float) -> Array:
    """Five-point central difference (fourth order); not the spline that the result was computed with."""
    d = np.full_like(x, np.nan)
    d[2:-2] = (8 * (x[3:-1] - x[1:-3]) - (x[4:] - x[:-4])) * rate_hz / 12
    return d


def _spin(R_gs: Array, inertia_s: Array, rate_hz: float) -> Array:
    """R I Rᵀ ω with ω from the skew part of Ṙ Rᵀ."""
    S = _derivative(R_gs, rate_hz) @ np.swapaxes(R_gs, -1, -2)
    omega = np.stack([S[:, 2, 1] - S[:, 1, 2], S[:, 0, 2] - S[:, 2, 0], S[:, 1, 0] - S[:, 0, 1]], axis=1) / 2
    return apply(R_gs, apply_transposed(R_gs, omega) @ inertia_s.T)


# --- the solvers share the description of the chain and little else: a term that is wrong in one of them is seen here


class Agreement(NamedTuple):
    """How far a solver is from the first (`block`) on one force or moment.

    Attributes
    ----------
    solver, where : str
    relative : float
        Largest difference, relative to the largest value; infinite where only one of the two leaves a frame empty.
    values : int
        So many components are known to one of the two.
    """

    solver: str
    where: str
    relative: float
    values: int


def compare_solvers(result: Result) -> list[Agreement]:
    """Every solver against the first on every chain of a result, joint by joint."""
    chains = {side: (leg.chain, list(leg.wrenches)) for side, leg in result.sides.items()}
    if result.base_chain is not None and result.model.base.body is not None:
        names = [f"{side} {joint}" for side, leg in result.sides.items() for joint in leg.wrenches]
        chains["whole body"] = (result.base_chain, [*names, result.model.base.body.joint])
    differences = []
    first, *others = SOLVERS
    for where, (chain, joints) in chains.items():
        if chain is None:
            continue
        reference = SOLVERS[first](chain, result.gravity_g)
        for name in others:
            for joint, mine, other in zip(joints, reference, SOLVERS[name](chain, result.gravity_g), strict=True):
                differences += [
                    Agreement(name, f"{where} {joint} {kind}", *_difference(a, b))
                    for kind, a, b in (("force", mine.f_g, other.f_g), ("moment", mine.m_g, other.m_g))
                ]
    return differences


def _difference(a: Array, b: Array) -> tuple[float, int]:
    """Largest difference relative to the largest value, infinite where one is empty; and how many values it is of."""
    known, other = np.isfinite(a), np.isfinite(b)
    values = int((known | other).sum())
    if not np.array_equal(known, other):
        return np.inf, values
    scale = float(np.abs(a[known]).max()) if known.any() else 0.0
    largest = float(np.abs(a - b)[known].max()) if known.any() else 0.0
    return largest / (scale or 1.0), values  # of 1 N or 1 N·m where the first finds nothing at all


def solvers_agree(compared: Sequence[Agreement]) -> Finding:
    """The largest difference of any solver from the block matrix; in detail, how far and where each is farthest."""
    with_values = [entry for entry in compared if entry.values]
    if not with_values:
        return Finding("solvers", WARN, "the solvers were not compared: no wrench is known")
    worst = max(with_values, key=lambda entry: entry.relative)
    if worst.relative <= SOLVER_TOLERANCE:
        text, status = f"solvers agree to {worst.relative:.1g}", PASS
    elif np.isinf(worst.relative):
        text, status = f"{worst.solver} leaves other frames empty than block ({worst.where})", FAIL
    else:
        text = f"{worst.relative:.2g} ({worst.solver} against block, {worst.where}), at most {SOLVER_TOLERANCE:g}"
        status = FAIL
    detail = []
    for name in dict.fromkeys(entry.solver for entry in with_values):
        of_solver = [entry for entry in with_values if entry.solver == name]
        farthest = max(of_solver, key=lambda entry: entry.relative)
        detail.append(
            f"{name} against block: at most {farthest.relative:.1e} of the largest value ({farthest.where}), "
            f"{sum(entry.values for entry in of_solver)} values; limit {SOLVER_TOLERANCE:g}"
        )
    return Finding("solvers", status, text, worst.relative, SOLVER_TOLERANCE, "1", detail=tuple(detail))


# --- what is known ------------------------------------------------------------------------------------------


def loads_known(result: Result) -> Finding:
    """At least one stance with a known load; with `--require-forces` the analysis fails without one."""
    known = [c for c in result.contacts if c.plates]
    if not result.model.touches_ground:
        return Finding("loads", PASS, "the ground acts on no segment of the model", 0, 0)
    by_file = [side for side in result.sides if result.carried_by_file(side)]
    if by_file:
        return Finding("loads", PASS, f"loads of {' and '.join(by_file)} are those of files", len(by_file), 1)
    if not known and any(reason.code == "standing" for reason in result.verdict.reasons):
        return Finding("loads", PASS, "the subject stands still: no stance is asked", 0, 0)
    if not known:
        return Finding("loads", WARN, "no foot stands wholly on the plates: wrenches are known in the air only", 0, 1)
    words = [f"{c.side} on plate {'+'.join(str(p) for p in c.plates)}" for c in known]
    return Finding("loads", PASS, f"loads known: {first_few(words, 6)}", len(known), 1, "stances")


def known_wrenches(result: Result) -> Finding:
    """Share of the frames with a known load in which a joint's wrench is empty; of standing none is asked."""
    outcome = figures.coverage(result)
    standing = any(reason.code == "standing" for reason in result.verdict.reasons)
    if outcome.status == FAIL and standing and figures.any_angle(result):
        return Finding("coverage", PASS, "the subject stands still: no wrench is asked", 0.0)
    return outcome


def labels(result: Result) -> list[Finding]:
    """Labels that jump or change places: what they name is not known there, and a person must correct them."""
    harmless = ("spike", "repeated", "together", *SEVERAL, *BESIDE)  # of few frames: their notes are warnings
    faults = [fault for fault in result.quality["label_faults"] if fault["kind"] not in harmless]
    if not faults:
        return []
    words = ", ".join(f"{' and '.join(fault['labels'])} ({fault['kind']})" for fault in faults)
    return [Finding("labels", FAIL, f"labels that cannot be believed: {words}", len(faults), 0, "labels")]


def segment_lengths(result: Result) -> list[Finding]:
    """How constant each segment's length is, and whether left and right agree."""
    worst: tuple[float, str] = (0.0, "")
    jump: tuple[float, str] = (0.0, "")
    means: dict[tuple[str, str], float] = {}
    for side in result.body.sides:
        for segment, length in constant_lengths(result.body.geometry, side).items():
            known = length[np.isfinite(length)]
            if known.size < 2:
                continue
            means[segment, side] = float(known.mean())
            worst = max(worst, (float(known.std()), f"{side} {segment}"))
            step = np.abs(np.diff(length))
            if np.isfinite(step).any():
                at = int(np.nanargmax(step))
                words = f"{side} {segment} at frame {at + 1 + result.trial.first_frame}"
                jump = max(jump, (float(step[at]), words))
    if not means:
        return []
    status = PASS if worst[0] <= LENGTH_SD_WARN_M else WARN if worst[0] <= LENGTH_SD_FAIL_M else FAIL
    limit = LENGTH_SD_FAIL_M if status == FAIL else LENGTH_SD_WARN_M
    text = f"{worst[1]} length varies by {worst[0] * 1e3:.1f} mm (SD)"
    if status != PASS:
        text += (
            f", at most {limit * 1e3:g} mm: markers are mislabelled or slipped, or widths and wand "
            "angles of the calibration do not fit"
        )
    findings = [Finding("segment length", status, text, worst[0], limit, "m")]
    if jump[0] > LENGTH_JUMP_M:
        text = (
            f"{jump[1]} changes by {jump[0] * 1e3:.0f} mm in one frame, at most {LENGTH_JUMP_M * 1e3:g} mm: "
            "markers are swapped"
        )
        findings.append(Finding("segment jump", FAIL, text, jump[0], LENGTH_JUMP_M, "m"))
    for segment in dict.fromkeys(name for name, _ in means):
        pair = [means[key] for key in means if key[0] == segment]
        if len(pair) == 2:
            share = abs(pair[0] - pair[1]) / (sum(pair) / 2)
            if share > SIDE_DIFFERENCE:
                text = f"left and right {segment} differ by {share:.0%} in length, at most {SIDE_DIFFERENCE:.0%}"
                findings.append(Finding("sides", WARN, text, share, SIDE_DIFFERENCE, "1"))
    return findings
