"""The table of docs/attacks.md: what `gaitid run` makes of recordings that are wrong in a known way.

    python benchmarks/attacks.py [--trials PATTERN] [--attacks PATTERN] [--quick] [--list] [-v] [--write]

Every attack of `attack_list.py` is done to every trial of `attack_trials.py` in memory, and the joint moments are held
against those of the unspoilt trial. PATTERN is a part of a name, or several with | between them.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from attack_list import ATTACKS, Attack, Spoilt  # noqa: E402
from attack_reasons import reason_of  # noqa: E402
from attack_trials import Case, cases, matches, names  # noqa: E402

from gaitid.analysis.pipeline import analyse  # noqa: E402
from gaitid.analysis.result import Result  # noqa: E402
from gaitid.body.centre_of_mass import centre_of_body  # noqa: E402
from gaitid.dynamics.wrench import Wrench, centre_of_pressure  # noqa: E402
from gaitid.errors import GaitidError  # noqa: E402
from gaitid.ground.contacts import AIR, LOADED, Contact  # noqa: E402
from gaitid.ground.line_of_force import line_of  # noqa: E402
from gaitid.ground.plate_faults import stood_alone  # noqa: E402
from gaitid.markers.gaps import mock_error, noise_of, smoothing_of, spline_weights  # noqa: E402
from gaitid.markers.jumps import seen_by, steadiest  # noqa: E402
from gaitid.markers.spikes import BESIDE_FRAMES, BESIDE_S, LONGEST_FRAMES, SURE_RATIO  # noqa: E402
from gaitid.notes import Note  # noqa: E402
from gaitid.numerics.masks import known_rows, spans  # noqa: E402
from gaitid.numerics.rigid_fit import FEWEST  # noqa: E402
from gaitid.trial import Array, Mask, Trial  # noqa: E402

DOCUMENT = ROOT / "docs" / "attacks.md"
BEGIN, END = "<!-- benchmarks/attacks.py writes from here -->\n", "<!-- to here -->\n"

# N·m/kg. A smaller difference matters to nobody: the uncertainty of a hip moment by its joint centre alone is larger.
HARMLESS = 0.1
# Of the frames known before: fewer were not withheld because of the attack.
WITHHELD = 0.02
# A note with the same words whose figures moved by less than this share says nothing new.
SAME_FIGURES = 0.2
# A contact is less sure from this on.
LESS_SURE = 0.005
TELLING = ("error", "doubt")
NUMBER = re.compile(r"(?<![\w+])[-−+]?\d+(?:\.\d+)?")


class Spread(NamedTuple):
    """By how much the load on a foot may change and still be one that clean recordings show, root mean squares.

    Attributes
    ----------
    vertical : float
        Of the vertical force: in single support the body's motion tells it to 6 %, to 17 % where it flies (`gains`).
    slope : float
        Of F_h / F_z: the lines of force of clean walks err by 0.03, of runs by 0.05 at least (`line_of_force`).
    pressure : float, m
        Where a foot presses is known to this (`sole`).
    lever : float, m
        Free moment over vertical force: feet show as much in walking and running (`plate_channels`).
    """

    vertical: float
    slope: float
    pressure: float = 0.03
    lever: float = 0.021


WALKING, RUNNING = Spread(0.06, 0.03), Spread(0.17, 0.05)


class LineSpread(NamedTuple):
    """What the line of the force leaves in clean recordings (docs/balance.md, its table).

    Attributes
    ----------
    left : float
        Root mean square.
    along, across : (float, float)
        Steady parts.
    """

    left: float
    along: tuple[float, float]
    across: tuple[float, float]


LINE_WALKING = LineSpread(0.030, (-0.10, -0.01), (-0.021, 0.021))
LINE_RUNNING = LineSpread(0.18, (-0.11, -0.01), (-0.05, 0.05))
# Of the body's mass: one that is estimated from the plates is the same to this.
SAME_MASS = 1e-3
# s. Both feet are known to carry nothing for so long where the body flies.
FLIGHT = 0.03
# Of a contact's greatest vertical force: a smaller one tells nothing.
TELLING_FORCE = 0.3

Curves = Mapping[tuple[str, str, str], Array]
NOTHING: Curves = {}


@dataclass(frozen=True)
class Outcome:
    """What became of one spoilt trial.

    Attributes
    ----------
    case, words : str
        The trial, and what was done to it.
    kind : str
        ``refused``, ``withheld``, ``flagged``, ``contact`` (only the contact's reason or confidence tells),
        ``within`` (as silent, but no load changed by more than clean recordings differ by), ``silent`` or
        ``harmless``; ``crashed`` where the analysis ended with an error of its own.
    withheld : float
        Share of the values known before that are empty now.
    noted : str
        The first new note, or the refusal.
    worst : float
        N·m/kg. Largest difference among values that are still filled.
    silent : float
        N·m/kg. The same where nothing tells: 0 where a note does.
    where : str
        Of the larger of these two that counts: joint, component, frame.
    angle : float
        deg. Largest difference of a joint angle, where no note tells.
    figures : str
        Of one that is silent: by how much loads, or a marker, changed.
    """

    case: str
    words: str
    kind: str
    withheld: float
    noted: str
    worst: float
    silent: float
    where: str
    angle: float = 0.0
    figures: str = ""


def curves_of(result: Result, kind: str) -> Curves:
    """Joint ``moments``, N·m/kg, or ``angles``, deg, (frames,), by side, joint and component."""
    return {
        (side, joint, column): values
        for side, leg in result.sides.items()
        for joint, columns in getattr(leg, kind).items()
        for column, values in columns.items()
    }


# --- what is new ----------------------------------------------------------------------------------------------


def new_text(text: str, known: Iterable[str]) -> bool:
    """Whether nothing known says the same in the same words, with about the same figures."""
    words, figures = NUMBER.sub("#", text), NUMBER.findall(text)
    for other in known:
        if NUMBER.sub("#", other) != words:
            continue
        pairs = zip(map(_number, figures), map(_number, NUMBER.findall(other)))
        if all(abs(a - b) <= SAME_FIGURES * max(abs(a), abs(b)) for a, b in pairs):
            return False
    return True


def _number(text: str) -> float:
    return float(text.replace("−", "-"))


def new_notes(clean: Sequence[Note], spoilt: Sequence[Note]) -> list[Note]:
    """Notes of an error or a doubt that the unspoilt trial does not have."""
    return [
        note
        for note in spoilt
        if note.severity in TELLING and new_text(note.text, [n.text for n in clean if n.code == note.code])
    ]


def told_by_contacts(clean: Result, spoilt: Result) -> dict[str, Mask]:
    """For each side the frames of known contacts with a new reason, or a lower confidence than before."""
    masks = {}
    for side in spoilt.sides:
        mask = np.zeros(spoilt.trial.n_frames, dtype=bool)
        before = [c for c in clean.contacts if c.side == side]
        for contact in spoilt.contacts:
            if contact.side == side and contact.plates and _tells(contact, before):
                mask[contact.loaded] = True
        masks[side] = mask
    return masks


def _tells(contact: Contact, before: Sequence[Contact]) -> bool:
    same = [c for c in before if c.first <= contact.last and c.last >= contact.first]
    sure = max((c.confidence for c in same), default=1.0)
    parts = [part for part in contact.reason.split("; ") if part]
    known = [part for c in same for part in c.reason.split("; ")]
    return contact.confidence < sure - LESS_SURE or any(new_text(part, known) for part in parts)


# --- one spoilt trial -----------------------------------------------------------------------------------------


def judge(case: Case, spoilt: Spoilt) -> Outcome:
    """Analyse a spoilt trial and hold it against the unspoilt one."""
    clean = case.base(spoilt.base)
    static = spoilt.static
    if static is None:
        static = case.calibration if spoilt.base == "with the static" else case.static
    try:
        result = analyse(spoilt.trial, case.model, spoilt.subject or case.subject, static)
    except GaitidError as error:
        return Outcome(case.name, spoilt.words, "refused", 1.0, error.line(), 0.0, 0.0, "")
    except Exception as error:
        return Outcome(case.name, spoilt.words, "crashed", 1.0, f"{type(error).__name__}: {error}", 0.0, 0.0, "")
    outcome = compared(case.name, spoilt.words, clean, result, true_moments(case))
    if outcome.kind == "silent":
        times = bump(case.trial, spoilt.trial)
        if times <= SURE_RATIO:
            return replace(outcome, kind="within")
        figures = f"off by {times:.1f} times what a spline errs by" if np.isfinite(times) else changes(clean, result)
        outcome = replace(outcome, figures=figures)
    return outcome


def true_moments(case: Case) -> Curves:
    """The true joint moments of a simulated trial; none of a recorded one."""
    if case.walk is None:
        return {}
    true = case.walk.at(case.walk.settings.times_s).clinical
    keys = curves_of(case.result, "moments")
    return {key: true[f"{'_'.join(key)}_moment_Nm_per_kg"] for key in keys}


@dataclass(frozen=True)
class Largest:
    """The largest difference, and where it is."""

    size: float = 0.0
    where: str = ""


def largest(off: Curves, first_frame: int, told: Mapping[str, Mask] | None = None) -> Largest:
    """Of differences that are known; `told`: frames to leave out, by side."""
    worst = Largest()
    for (side, joint, column), values in off.items():
        known = np.nan_to_num(values, nan=0.0)
        if told is not None:
            known = np.where(told[side], 0.0, known)
        if known.max(initial=0.0) > worst.size:
            at = int(known.argmax())
            name = column.replace("_", " ")
            worst = Largest(float(known[at]), f"{side} {joint} {name}, frame {at + first_frame}")
    return worst


def differences(clean: Result, spoilt: Result, kind: str) -> Curves:
    """Sizes of the differences of all curves; NaN where one of both is empty."""
    before, after = curves_of(clean, kind), curves_of(spoilt, kind)
    off = {key: np.abs(after[key] - values) for key, values in before.items()}
    return {key: np.minimum(v, np.abs(360 - v)) for key, v in off.items()} if kind == "angles" else off


def compared(name: str, words: str, clean: Result, spoilt: Result, true: Curves = NOTHING) -> Outcome:
    """What became of a trial whose unspoilt analysis is known.

    Values that the unspoilt trial does not have are held against the true ones, where these are known.
    """
    notes = new_notes(clean.notes, spoilt.notes)
    off, first = differences(clean, spoilt, "moments"), clean.trial.first_frame
    before = curves_of(clean, "moments")
    known = sum(int(np.isfinite(values).sum()) for values in before.values())
    left = sum(int(np.isfinite(values).sum()) for values in off.values())
    withheld = 1 - left / max(known, 1)
    after = curves_of(spoilt, "moments")
    for key, values in true.items():
        off[key] = np.where(np.isfinite(before[key]), off[key], np.abs(after[key] - values))
    worst, silent, angle = largest(off, first), Largest(), Largest()
    if not notes:
        silent = largest(off, first, told_by_contacts(clean, spoilt))
        angle = largest(differences(clean, spoilt, "angles"), first)
    if worst.size < HARMLESS:
        kind = "withheld" if withheld > WITHHELD else "harmless"
    elif notes:
        kind = "flagged"
    elif silent.size < HARMLESS:
        kind = "contact"
    else:
        kind = "within" if within_spread(clean, spoilt) else "silent"
    where = silent.where if kind in ("silent", "within") else worst.where
    noted = notes[0].text if notes else ""
    return Outcome(name, words, kind, withheld, noted, worst.size, silent.size, where, angle.size)


def within_spread(clean: Result, spoilt: Result) -> bool:
    """Whether markers and measurements are as they were, and no load on a foot changed by more than `Spread`."""
    if any(np.nanmax(v, initial=0.0) > 0.01 for v in differences(clean, spoilt, "angles").values()):
        return False
    if abs(spoilt.subject.mass_kg - clean.subject.mass_kg) > SAME_MASS * clean.subject.mass_kg:
        return False
    spread, line = (RUNNING, LINE_RUNNING) if _flies(clean) else (WALKING, LINE_WALKING)
    changed = _changed(clean, spoilt)
    for contact, change in changed:
        if change is None:
            return False
        # the force of a foot that stands alone is held against the body: a change that leaves it no farther from it
        fits = change.slope <= spread.slope or _fits_line(spoilt, contact, line)
        if not fits or any(a > b for a, b in ((change.vertical, spread.vertical), (change.pressure, spread.pressure))):
            return False
        if change.lever > spread.lever:
            return False
    return bool(changed)


def _flies(result: Result) -> bool:
    in_air = np.logical_and.reduce([load.state == AIR for load in result.loads.by_side.values()])
    return any(stop - first >= FLIGHT * result.trial.rate_hz for first, stop in spans(in_air))


def _changed(clean: Result, spoilt: Result) -> list[tuple[Contact, Spread | None]]:
    """The contacts whose load changed, and by how much; None where that cannot be told."""
    found = []
    for contact in clean.contacts:
        before, after = (result.loads.by_side[contact.side] for result in (clean, spoilt))
        frames = np.zeros(len(before.state), dtype=bool)
        frames[contact.loaded] = True
        frames &= (before.state == LOADED) & (after.state == LOADED)
        same = all(
            np.array_equal(getattr(before.wrench, part)[frames], getattr(after.wrench, part)[frames])
            for part in ("f_g", "m_g")
        )
        if contact.plates and frames.any() and not same:
            found.append((contact, _change(clean, before.wrench, after.wrench, frames)))
    return found


def _fits_line(result: Result, contact: Contact, spread: LineSpread) -> bool:
    """Whether the force on a foot passes the body by no more than in clean recordings; not where nothing tells."""
    com_g = centre_of_body(result.body)
    for one in stood_alone(result.ground, result.loads):
        if one.side == contact.side and contact.first <= one.frames[len(one.frames) // 2] <= contact.last:
            line = line_of(one, com_g)
            return line is not None and (
                bool(np.sqrt(sum(line.left(np.eye(2)))) <= spread.left)
                and spread.along[0] <= line.steady_along <= spread.along[1]
                and spread.across[0] <= line.steady_across <= spread.across[1]
            )
    return False


def changes(clean: Result, spoilt: Result) -> str:
    """By how much loads changed, the largest of all contacts, in words; empty where none did."""
    known = [change for _, change in _changed(clean, spoilt) if change is not None]
    if not known:
        return ""
    most = Spread(*np.max(np.array(known), axis=0))
    words = [
        f"{most.vertical:.0%} of the vertical force",
        f"{most.slope:.2f} in direction",
        f"{most.pressure * 100:.1f} cm of pressure",
        f"{most.lever * 1e3:.0f} mm of free moment",
    ]
    return ", ".join(words)


def _change(clean: Result, before: Wrench, after: Wrench, frames: Mask) -> Spread | None:
    """By how much two loads on a foot differ; None where one presses upward or nothing tells."""
    up_g = clean.ground.plates[0].normal_g
    surface_g = clean.ground.plates[0].centre_g
    vertical = before.f_g @ up_g
    at = np.flatnonzero(frames & (vertical > TELLING_FORCE * vertical[frames].max()))
    if not len(at) or not ((after.f_g @ up_g)[at] > 0).all():
        return None
    tall = vertical[at]
    places, levers, slopes = [], [], []
    for wrench in (before, after):
        cop_g, free = centre_of_pressure(wrench, surface_g, up_g)
        places.append(cop_g[at])
        levers.append(free[at] / tall)
        slopes.append(wrench.f_g[at] / (wrench.f_g[at] @ up_g)[:, None])
    force = (after.f_g - before.f_g)[at] @ up_g
    return Spread(
        float(np.sqrt(np.mean(force**2)) / np.sqrt(np.mean(tall**2))),
        _rms(slopes[1] - slopes[0]),
        _rms(places[1] - places[0]),
        _rms((levers[1] - levers[0])[:, None]),
    )


def _rms(vectors: Array) -> float:
    return float(np.sqrt((vectors**2).sum(axis=1).mean()))


def bump(clean: Trial, spoilt: Trial) -> float:
    """How many times as far as its own track elsewhere one marker is off for some frames; infinite for other faults.

    That is what a spline over as many frames errs by (95 %) in the unspoilt trial, in the laboratory or among the
    marker's neighbours: a marker that is not off makes such bumps too.
    """
    if clean.labels != spoilt.labels or clean.points_g.shape != spoilt.points_g.shape:
        return np.inf
    off = np.sqrt(((spoilt.points_g - clean.points_g) ** 2).sum(axis=-1))
    changed = np.nan_to_num(off) > 1e-6
    if np.isnan(off).sum() > np.isnan(clean.points_g).any(axis=-1).sum() or changed.any(axis=0).sum() != 1:
        return np.inf
    column = int(changed.any(axis=0).argmax())
    ((first, stop), *others) = spans(changed[:, column])
    if others or stop - first > LONGEST_FRAMES:
        return np.inf
    markers = {label: clean.marker(label) for label in clean.labels}
    markers = {label: track for label, track in markers.items() if np.isfinite(track).any()}
    points, near = markers[clean.labels[column]], steadiest(markers, clean.labels[column])
    tracks = [points]
    if len(near) >= FEWEST:
        tracks.append(seen_by(points, np.stack([markers[label] for label in near], axis=1))[0])
    reach = max(BESIDE_FRAMES, round(BESIDE_S * clean.rate_hz))
    window = slice(max(first - reach, 0), stop + reach)
    errs = []
    for track in tracks:
        seen = known_rows(track[window])
        offset = first - window.start
        seen[offset : offset + stop - first] = False
        smoothing = smoothing_of(noise_of(track), clean.rate_hz)
        weights = spline_weights(tuple(seen.tolist()), stop - first, offset, 3, smoothing)
        errs.append(mock_error(track, seen, weights, offset))
    return float(np.nanmax(off[:, column]) / np.fmin.reduce(errs))


# --- tables ---------------------------------------------------------------------------------------------------

COLUMNS = (
    "attack",
    "trials",
    "withheld",
    "refused",
    "flagged",
    "by contact",
    "harmless",
    "within spread",
    "silent",
    "largest flagged error",
    "largest silent error",
    "angle",
)
HEAD = f"| {' | '.join(COLUMNS)} |"


def row(attack: Attack, outcomes: Sequence[Outcome]) -> str:
    """The row of one attack: numbers of outcomes, the mean share of values withheld, the largest silent error."""
    if not outcomes:
        return ""
    n = {kind: sum(o.kind == kind for o in outcomes) for kind in KINDS}
    withheld = float(np.mean([o.withheld for o in outcomes]))
    worst = max(outcomes, key=lambda o: (o.kind == "silent", o.silent))
    words = f"{worst.silent:.2f}"
    if worst.silent >= HARMLESS:
        words += f" ({', '.join(filter(None, (worst.case, worst.words, worst.where)))})"
    mark = " †" if attack.invisible else ""
    cells = [f"{attack.name}{mark}", len(outcomes), f"{n['withheld']} ({withheld:.0%})"]
    cells += [n[kind] for kind in ("refused", "flagged", "contact", "harmless", "within", "silent")]
    flagged = max((o.worst for o in outcomes if o.kind in ("flagged", "contact")), default=0.0)
    cells += [f"{flagged:.2f}", words, f"{max(o.angle for o in outcomes):.0f}°"]
    return "| " + " | ".join(map(str, cells)) + " |"


KINDS = ("withheld", "refused", "flagged", "contact", "harmless", "within", "silent", "crashed")


def usable(case: Case, spoilt: Spoilt) -> bool:
    """Whether the unspoilt trial can be analysed as the spoilt one is; a line where not."""
    try:
        case.base(spoilt.base)
    except GaitidError as error:
        print(f"  {case.name}, unspoilt, {spoilt.base}: refused: {error.line()}", file=sys.stderr)
        return False
    return True


def run(attacks: Sequence[Attack], trials: Sequence[Case], options: argparse.Namespace) -> dict[str, list[Outcome]]:
    """All outcomes by the name of the attack."""
    outcomes: dict[str, list[Outcome]] = {attack.name: [] for attack in attacks}
    for attack in attacks:
        for case in trials:
            spoilt = [one for one in attack.on(case) if usable(case, one)]
            for one in spoilt[:1] if options.quick or case.slow else spoilt:
                outcome = judge(case, one)
                outcomes[attack.name].append(outcome)
                if options.verbose:
                    print(
                        f"  {outcome.kind:9}{outcome.case}: {outcome.words}: withheld {outcome.withheld:.0%}, "
                        f"worst {outcome.worst:.3g}, silent {outcome.silent:.3g} {outcome.where} {outcome.noted}"
                    )
        if line := row(attack, outcomes[attack.name]):
            print(line, flush=True)
    return outcomes


def totals(outcomes: Mapping[str, Sequence[Outcome]]) -> str:
    """How many spoilt trials there were, and what became of them."""
    every = [o for of_attack in outcomes.values() for o in of_attack]
    n = {kind: sum(o.kind == kind for o in every) for kind in KINDS}
    worst = max((o.silent for o in every), default=0.0)
    marked = {attack.name for attack in ATTACKS if attack.invisible}
    unmarked = [(name, o) for name, of_attack in outcomes.items() if name not in marked for o in silent(of_attack)]
    between = sum(not reason_of(name, o.case, o.words) for name, o in unmarked)
    return (
        f"{len(every)} spoilt trials: "
        + ", ".join(f"{n[kind]} {kind}" for kind in KINDS)
        + f"; {len(unmarked)} silent in rows without a †, {between} of them without a reason"
        + (f"; largest silent error {worst:.2f} N·m/kg")
    )


def silent(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Those that are silent, the largest error first."""
    return sorted((o for o in outcomes if o.kind == "silent"), key=lambda o: -o.silent)


def silent_lines(attack: Attack, outcomes: Sequence[Outcome]) -> list[str]:
    """Each silent trial of an attack with its error, what changed, and why nothing tells."""
    lines = []
    for o in silent(outcomes):
        why = reason_of(attack.name, o.case, o.words) or "no reason: a limit of today"
        figures = f" ({o.figures})" if o.figures else ""
        words = ", ".join(filter(None, (o.case, o.words)))
        lines.append(f"- {attack.name}: {words}, {o.silent:.2f} N·m/kg, {o.where}{figures}: {why}")
    return lines


def markdown(attacks: Sequence[Attack], outcomes: Mapping[str, Sequence[Outcome]]) -> str:
    """The tables of the document, one a group of attacks."""
    lines = [totals(outcomes) + ".", ""]
    for group in dict.fromkeys(attack.group for attack in attacks):
        of_group = [attack for attack in attacks if attack.group == group]
        rows = [line for attack in of_group if (line := row(attack, outcomes[attack.name]))]
        lines += [f"### {group.capitalize()}", "", HEAD, "|" + "---|" * len(COLUMNS), *rows, ""]
        reasons = [f"- † {attack.name}: {attack.invisible}" for attack in of_group if attack.invisible]
        lines += [*reasons, ""] if reasons else []
        told = [
            line for attack in of_group if not attack.invisible for line in silent_lines(attack, outcomes[attack.name])
        ]
        lines += ["Silent in rows without a †:", "", *told, ""] if told else []
    return "\n".join(lines)


def write(text: str, begin: str, end: str) -> None:
    """Put tables into the document, between two lines of it."""
    before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(end)[2]
    DOCUMENT.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", default="", metavar="PATTERN")
    parser.add_argument("--attacks", default="", metavar="PATTERN")
    parser.add_argument("--quick", action="store_true", help="one spoilt trial of each attack and trial")
    parser.add_argument("--list", action="store_true", help="names of attacks and trials")
    parser.add_argument("-v", "--verbose", action="store_true", help="each spoilt trial")
    parser.add_argument("--write", action="store_true", help="into docs/attacks.md")
    options = parser.parse_args()
    attacks = [attack for attack in ATTACKS if matches(f"{attack.group}: {attack.name}", options.attacks)]
    if options.list:
        print(*(f"{attack.group}: {attack.name}" for attack in attacks), "", *names(options.trials), sep="\n")
        return
    trials = cases(options.trials)
    start = time.perf_counter()
    print(HEAD)
    outcomes = run(attacks, trials, options)
    print(totals(outcomes))
    print(f"{time.perf_counter() - start:.0f} s")
    if options.write:
        write(markdown(attacks, outcomes), BEGIN, END)


if __name__ == "__main__":
    main()
