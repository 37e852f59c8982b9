"""How far loads are off that are estimated from the body's motion: plates are hidden that measured them.

    python benchmarks/estimated_loads.py [--write] [--quick] [PATTERN]
    python benchmarks/estimated_loads.py --typical      TYPICAL of gaitid.ground.unmeasured, ALIKE of from_motion

Of each recorded walk with clean stances the plates of one are taken away, then all; the file's events go too, as they
may be the plates'. Then a simulated walk: its motion asks for another moment than its feet give
(gaitid.simulate.body_parts), so that what its loads are, as its markers would show them, stands for what the motion
asks for. What stances are usually like is learned without the laboratory that is tried. Beside it: mass times
acceleration frame by frame, shared by the zero-moment point or by the smooth transition of Ren, Jones & Howard 2008
(J Biomech 41:2750-2759), and the subject's other stances, stretched in time.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any
from unittest import mock

import numpy as np
from attack_trials import RECORDED, Case, case_of_walk, recorded_case, replace_events, replace_fields
from clean_trials import FAULTY, MORE
from common import SHARED, head, parser_of, row, show

from gaitid.analysis.demand import demand_of
from gaitid.analysis.estimated import moment_deviations
from gaitid.analysis.pipeline import Pipeline, pipeline_of
from gaitid.analysis.result import Result
from gaitid.dynamics.chain import Wrench
from gaitid.ground.claims import find_claims
from gaitid.ground.contacts import Contact
from gaitid.ground.from_motion import fill_loads
from gaitid.ground.unmeasured import Typical, Unmeasured, sines_of, unmeasured_stances
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.rotation import cross, dot
from gaitid.simulate.scenarios import SCENARIOS
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.walk_setup import simulate_walk
from gaitid.trial import Array

#: Trials that do not walk, or whose plates are wrong.
LEFT_OUT = (*FAULTY, "drop_jump", "run", "sprint", "arnold", "belt")
QUICK = 6
JOINTS = {"ankle": "plantarflexion", "knee": "extension", "hip": "extension"}
FORCES = ("upward", "forward", "sideways")
#: What the documentation shows.
SHOWN = {
    "whole body, one hidden": ("estimated", "other stances", "in band"),
    "legs, one hidden": ("estimated", "in band"),
    "legs, all hidden": ("estimated", "zero-moment point", "other stances"),
}


@dataclass(frozen=True)
class Error:
    """Of one quantity over one hidden stance: root mean square, and that of the range, per cent.

    Of a band how far the truth lies from the middle, (frames,) half widths.
    """

    size: float
    percent: float = np.nan
    widths: Array = field(default_factory=lambda: np.zeros(0))


def error(estimated: Array, true: Array) -> Error:
    known = np.isfinite(estimated) & np.isfinite(true)
    if np.count_nonzero(known) < len(true) / 2:
        return Error(np.nan, np.nan)
    size = float(np.sqrt(np.mean((estimated - true)[known] ** 2)))
    return Error(size, 100 * size / float(np.ptp(true[known])))


@cache
def cases(pattern: str) -> tuple[Case, ...]:
    """The walks that are tried, recorded ones first."""
    recorded = [one for one in (*RECORDED, *MORE) if (SHARED / one.file).exists() and re.search(pattern, one.name)]
    found = [recorded_case(one) for one in recorded if not any(word in one.name for word in LEFT_OUT)]
    if re.search(pattern, "simulated"):
        found.append(
            case_of_walk("simulated whole body", simulate_walk(WalkSettings(full_body=True), SCENARIOS["walk"]))
        )
    return tuple(case for case in found if case.result.subject.mass_kg > 0)


def clean(result: Result) -> list[Contact]:
    """Contacts that plates tell from strike to off."""
    last = result.trial.n_frames - 5
    return [
        contact
        for contact in result.contacts
        if contact.plates
        and contact.first >= 4
        and contact.last <= last
        and np.isfinite(result.sides[contact.side].load.wrench.f_g[contact.loaded]).all()
    ]


def axes_of(result: Result, contact: Contact) -> Array:
    """Rows: up, along the foot, to the middle."""
    up_g, line = result.ground.floor.up_g, np.nanmean(result.ground.feet[contact.side].line_g[contact.loaded], axis=0)
    forward = line - up_g * (line @ up_g)
    forward /= np.linalg.norm(forward)
    return np.stack([up_g, forward, np.cross(up_g, forward) * (-1.0 if contact.side == "left" else 1.0)])


def typical_without(laboratory: str, pattern: str = "") -> Typical:
    """What stances are like in the other laboratories, each counted once."""
    by: dict[str, list[Array]] = defaultdict(list)
    for case in cases(pattern):
        if case.laboratory != laboratory and case.walk is None:
            by[case.laboratory] += stances_like(case)
    return Typical(np.mean([np.mean(of, axis=0) for of in by.values() if of], axis=0))


def stances_like(case: Case) -> list[Array]:
    """`sines_of` each clean stance, body weights."""
    result, found = case.result, []
    for contact in clean(result):
        force = result.sides[contact.side].load.wrench.f_g[contact.loaded] @ axes_of(result, contact).T
        found.append(sines_of(force[:, :2] / (result.subject.mass_kg * 9.81)))
    return found


def alike() -> Array:
    """(2,) correlation of what makes two stances of a walk unlike those of others, upward and forward: the median of
    laboratories.
    """
    x, products = (np.arange(100) + 0.5) / 100, defaultdict(list)
    for case in cases(""):
        if case.walk is None:
            usual = typical_without(case.laboratory).at(x)
            off = [Typical(sines).at(x) - usual for sines in stances_like(case)]
            pairs = [(a, b) for a in off for b in off if a is not b]
            products[case.laboratory] += [((a * b).sum(axis=0), (a * a).sum(axis=0)) for a, b in pairs]
    return np.median([np.divide(*np.sum(of, axis=0)) for of in products.values() if of], axis=0)


def hidden(case: Case, plates: Sequence[int], typical: Typical, legs_only: bool) -> Result:
    """The trial without some plates, with estimated loads."""
    trial = replace_events(
        replace_fields(case.trial, plates=tuple(p for p in case.trial.plates if p.number not in plates))
    )
    subject = replace(case.subject, values={**case.subject.values, "mass": case.result.subject.mass_kg})
    pipeline = Pipeline(trial=trial, model=case.model, subject_file=subject, static=case.static, estimate_loads=True)
    if legs_only:
        pipeline = pipeline.with_(whole_body=None)
    with mock.patch("gaitid.analysis.estimated.fill_loads", partial(fill_loads, typical=typical)):
        return pipeline.make_all().result


def asked_by_loads(case: Case, *of: Any) -> tuple[Wrench, Array] | None:
    """What the motion asks for; of a simulated walk its loads, as markers of its bandwidth would show them."""
    asked = demand_of(*of)
    if case.walk is None or asked is None:
        return asked
    loads, result = case.walk.loads(case.trial.time_s).values(), case.result
    force: Array = np.sum([load.force_g for load in loads], axis=0)
    moment: Array = np.sum([np.nan_to_num(np.cross(load.cop_g, load.force_g)) for load in loads], axis=0)
    cutoff = result.markers.quality["marker_bandwidth_hz"]
    f_g, m_g = (lowpass(np.nan_to_num(of), cutoff, case.trial.rate_hz) for of in (force, moment))
    return Wrench(f_g, m_g, np.zeros(3)), asked[1]


# --- what others do ---------------------------------------------------------------------------------------------


def frame_by_frame(result: Result, asked: Array, point: Array) -> dict[str, dict[str, Array]]:
    """Mass times acceleration less what is measured: by way of sharing and by side, (frames, 3), N."""
    stances = stances_of(result)
    given = {side: leg.load for side, leg in result.sides.items()}
    stand = {side: np.zeros(result.trial.n_frames, dtype=bool) for side in given}
    press = {side: np.full((result.trial.n_frames, 3), np.nan) for side in given}
    for stance in stances:
        stand[stance.side][stance.frames] = True
        press[stance.side][stance.frames] = stance.pressure_g
    found = {way: {side: np.full_like(point, np.nan) for side in given} for way in ("zero-moment point", "Ren 2008")}
    for side, other in (("left", "right"), ("right", "left")):
        alone = stand[side] & ~stand[other]
        for way in found.values():
            way[side][alone] = (asked - given[other].wrench.f_g)[alone]
    both = np.flatnonzero(stand["left"] & stand["right"])
    for run in np.split(both, np.flatnonzero(np.diff(both) > 1) + 1) if len(both) else ():
        before = max(run[0] - 1, 0)
        trail, lead = ("left", "right") if stand["left"][before] else ("right", "left")
        across = press[lead][run] - press[trail][run]
        share = np.clip(dot(point[run] - press[trail][run], across) / dot(across, across), 0.0, 1.0)[:, None]
        found["zero-moment point"][lead][run] = share * asked[run]
        found["zero-moment point"][trail][run] = (1 - share) * asked[run]
        # eq. 5 and 6: t from the strike, half of the double support long; along the way with a hump
        t = (np.arange(len(run)) + 0.5) / (len(run) / 2)
        others = np.exp(-(t**3))
        along = np.exp(4 / 9) * np.exp(-((t - 2 / 3) ** 2)) - np.exp(4 / 9) * np.exp(-16 / 9) / 2 * t
        forward = next(one for one in stances if one.side == trail and one.frames.stop > run[0]).axes_g[1]
        last = asked[before]
        of_trail = np.outer(others, last - forward * (forward @ last)) + np.outer(along, forward * (forward @ last))
        found["Ren 2008"][trail][run], found["Ren 2008"][lead][run] = of_trail, asked[run] - of_trail
    return found


def stances_of(result: Result) -> tuple[Unmeasured, ...]:
    rate = result.trial.rate_hz
    times = {
        (side, kind): np.array([e.time_s * rate for e in result.gait.events.used if (e.side, e.kind) == (side, kind)])
        for side in result.sides
        for kind in ("strike", "off")
    }
    return unmeasured_stances(result.ground, result.loads, times, find_claims(result.ground))


def other_stances(case: Case, contact: Contact, stance: slice) -> dict[str, Array] | None:
    """The mean of the subject's other stances over a stance that begins and ends as the markers say."""
    result, others = case.result, [one for one in clean(case.result) if one is not contact]
    if not others:
        return None
    n = stance.stop - stance.start
    curves = defaultdict(list)
    for other in others:
        at = np.linspace(other.loaded.start, other.loaded.stop - 1, n)
        for name, values in quantities(result, other.side, axes_of(result, other)).items():
            curves[name].append(np.interp(at, np.arange(len(values)), values))
    whole = {name: np.full(result.trial.n_frames, np.nan) for name in curves}
    for name, of in curves.items():
        whole[name][stance] = np.mean(of, axis=0)
    return whole


def quantities(result: Result, side: str, axes_g: Array, force_g: Array | None = None) -> dict[str, Array]:
    """(frames,) each: forces, body weights, and moments, N·m/kg."""
    leg = result.by_frame[side]
    force = (leg.load.wrench.f_g if force_g is None else force_g) @ axes_g.T / (result.subject.mass_kg * 9.81)
    found = dict(zip(FORCES, force.T, strict=True))
    if force_g is None:
        found |= {
            joint: leg.moments[joint][name] for joint, name in JOINTS.items() if name in leg.moments.get(joint, {})
        }
    return found


# --- the trials -------------------------------------------------------------------------------------------------


def tried(case: Case, contacts: Sequence[Contact], typical: Typical, legs: bool) -> Iterator[tuple[str, str, Error]]:
    """Way, quantity and error of each stance whose plates are hidden."""
    plates = {number for contact in contacts for number in contact.plates}
    with mock.patch("gaitid.analysis.estimated.demand_of", partial(asked_by_loads, case)):
        result = hidden(case, sorted(plates), typical, legs)
    assert result.estimate is not None
    if result.estimate.loads is None:
        print(f"  {case.name}: {result.estimate.notes[0].text}", flush=True)
        return
    asked, point = asked_of(case, result)
    beside = frame_by_frame(result, asked, point)
    for contact in contacts:
        axes, frames = axes_of(case.result, contact), contact.loaded
        if result.estimate.frames(contact.side)[frames].mean() < 0.5:
            continue
        true = quantities(case.result, contact.side, axes)
        ways = {"estimated": quantities(result, contact.side, axes)}
        ways |= {way: quantities(result, contact.side, axes, of[contact.side]) for way, of in beside.items()}
        mine = [one for one in result.estimate.loads.stances if one.stance.side == contact.side]
        one = next(of for of in mine if of.stance.frames.stop > contact.first and of.stance.frames.start < contact.last)
        if (others := other_stances(case, contact, one.stance.frames)) is not None:
            ways["other stances"] = others
        for way, of in ways.items():
            for name, values in of.items():
                if name in true:
                    yield way, name, error(values[frames], true[name][frames])
        deviations = np.sqrt([np.diagonal(of) for of in one.covariance])
        off = (one.force_g - case.result.sides[contact.side].load.wrench.f_g[one.stance.frames]) @ one.ways.T
        for name, of in zip(FORCES, (np.abs(off) / (1.96 * deviations.T)).T, strict=True):
            yield "in band", name, Error(np.nan, widths=of)
        leg, at = result.by_frame[contact.side], one.stance.frames
        for (joint, name), wide in moment_deviations(leg, one, result.body, result.subject.mass_kg).items():
            if JOINTS.get(joint) == name and joint in true:
                of = np.abs(leg.moments[joint][name] - true[joint])[at] / (1.96 * wide)
                yield "in band", joint, Error(np.nan, widths=of[np.isfinite(of)])
            elif np.isfinite(wide).any():
                yield "half width", f"{joint} {name}", Error(1.96 * float(np.sqrt(np.nanmean(wide**2))))


def asked_of(case: Case, result: Result) -> tuple[Array, Array]:
    """(frames, 3) the force that the motion asks for, N, and its zero-moment point, m, at the height of the plates."""
    pipeline, up_g = pipeline_of(result), result.ground.floor.up_g
    whole = pipeline.whole_body if pipeline.whole_body is not None and pipeline.whole_body.complete else None
    of_body = pipeline.body, pipeline.sides[0], whole, pipeline.subject.mass_kg, pipeline.mechanics.gravity_g
    demand = asked_by_loads(case, *of_body)
    assert demand is not None
    wrench = demand[0]
    heights = [one.pressure_g[0] @ up_g for one in stances_of(result)]
    about = wrench.at(np.mean(heights) * up_g if heights else 0 * up_g)
    upward = (wrench.f_g @ up_g)[:, None]
    return wrench.f_g, about.p_g + cross(np.broadcast_to(up_g, about.m_g.shape), about.m_g) / upward


def main() -> None:
    parser = parser_of(__doc__, "contacts")
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--quick", action="store_true", help=f"the first {QUICK} trials only")
    parser.add_argument("--typical", action="store_true")
    options = parser.parse_args()
    if options.typical:
        print(np.round(typical_without("").sines, 4).tolist())
        print("stances of a walk are alike:", np.round(alike(), 2))
        return
    errors: dict[tuple[str, str, str], dict[str, list[Error]]] = defaultdict(lambda: defaultdict(list))
    for case in cases(options.pattern)[: QUICK if options.quick else None]:
        contacts, typical = (
            clean(case.result),
            typical_without(case.laboratory, options.pattern if options.quick else ""),
        )
        whole = case.result.whole_body is not None and case.result.whole_body.complete
        for legs in (False, True) if whole else (True,):
            for number, some in (("one", [[contact] for contact in contacts]), ("all", [contacts])):
                key = f"{'legs' if legs else 'whole body'}, {number} hidden"
                key = f"simulated, {key}" if case.walk is not None else key
                for chosen in some:
                    for way, name, of in tried(case, chosen, typical, legs):
                        errors[key, way, name][case.laboratory].append(of)
    names, columns = (*FORCES, *JOINTS), ("hidden", "way", "stances (laboratories)")
    lines, shown = head(*columns, *names), head(*columns, *names)
    for key, way in dict.fromkeys((key, way) for key, way, _ in errors):
        if way == "half width":
            of_all = {name: errors[key, way, name] for _, w, name in errors if (key, w) == (key, way)}
            wide = {
                name: np.median([one.size for of in by.values() for one in of]) for name, by in of_all.items() if by
            }
            print(key, way, {name: round(float(of), 2) for name, of in wide.items()})
            continue
        count = max((errors[key, way, name] for name in names), key=lambda by: sum(map(len, by.values())))
        cells = [words(errors[key, way, name], way) for name in names]
        line = row(key.removesuffix(" hidden"), way, f"{sum(map(len, count.values()))} ({len(count)})", *cells)
        lines.append(line)
        shown += [line] if way in SHOWN.get(key, ()) else []
    print(*lines, sep="\n")
    show(shown, options.write and not (options.pattern or options.quick), "contacts", "estimated")


def words(by: dict[str, list[Error]], way: str) -> str:
    """Median size and per cent of the range; of bands how often they hold, in all and in the worst laboratory."""
    errors = [one for of in by.values() for one in of]
    if not errors:
        return ""
    if way == "in band":
        held = {key: [np.mean(one.widths < 1) for one in of if one.widths.size] for key, of in by.items()}
        holds = np.mean([one for of in held.values() for one in of])
        return f"{100 * holds:.0f}% ({100 * min(np.mean(of) for of in held.values() if of):.0f}%)"
    size, percent = (float(np.nanmedian([getattr(of, kind) for of in errors])) for kind in ("size", "percent"))
    return f"{size:.3f} ({percent:.0f}%)"


if __name__ == "__main__":
    main()
