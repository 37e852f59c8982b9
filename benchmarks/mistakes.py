"""How many mistakes of plates, clocks and laboratories are noticed and named, and how many sound trials are accused.

    python benchmarks/mistakes.py [--quick] [--trials PATTERN] [--mistakes PATTERN] [--bands] [--out FILE]
        [--write]
    python benchmarks/mistakes.py --clean N [--trials PATTERN] [--out FILE] [--write]

Every mistake of `mistake_list.py` is done to every trial in memory, and the trial analysed again. A mistake *matters*
where, with no plate accused at all, a moment would be wrong, or moments of a loaded foot be withheld by the contacts. A
run is *wrong* where a moment that it writes differs from that of the unspoilt trial by more than 0.1 N·m/kg, or by more
than 10 % of that moment's peak, which is taken as 0.5 N·m/kg at least. It is *noticed* by a new accusation, a new note
of an error or a doubt, or a lower verdict; *named* where the first new accusation, or else the first new reason of a
contact, names the cause and the plate (all plates, where it is of all); *silent* where it is wrong and not noticed;
and then *by contact* where all that is wrong lies in contacts with a new reason or a lower confidence, and *in the
band* where the 95 % bands of the spoilt trial hold 95 % of the values of the moments that are wrong, of loaded feet.

`--clean N` analyses all recorded trials, N drawn ones and N / 4 drawn turns as they are, and lists who is accused.
PATTERN is a regular expression.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from accusations import Accusation, accusations, cause_of, reasons
from attack_list import ATTACKS
from attack_trials import Case, Spoilt
from clean_trials import FAULTY, clean_trials
from common import head, parser_of, show
from common import row as table_row
from mistake_list import MISTAKES, Mistake
from scipy.stats import beta

from gaitid.analysis.pipeline import Pipeline
from gaitid.analysis.result import Result
from gaitid.errors import GaitidError
from gaitid.faults.find import PlateFaults
from gaitid.ground.contacts import LOADED
from gaitid.notes import Note
from gaitid.notes.message import LEVELS
from gaitid.trial import Array
from gaitid.uncertainty.estimate import estimate
from gaitid.uncertainty.sources import read_sources
from gaitid.uncertainty.usable import COVERAGE_FACTOR

#: Of different laboratories, and turns: what `--quick` takes.
QUICK = (
    "^(HC030A/walk|HC030A/turn|sydney/walk04|nexus_flatfoot/walk|qualisys/walk|gait2392/walk|turn/turn|turn/straight"
    "|rbds_running/run|simulated walk mirrored, noisy)$"
)
#: N·m/kg, share of a moment's peak, and the smallest peak that counts, N·m/kg.
WRONG, WRONG_SHARE, SMALL_PEAK = 0.1, 0.1, 0.5
#: Of the moments of loaded feet that were known before: as many are still written where nothing is refused.
WRITTEN = 0.98

#: By how much all bands are widened, to see which mistakes they would hold.
WIDER = (1.0, 1.15, 1.25, 1.5, 2.0, 3.0)
#: Faults of a group that the page names.
MOST_OFTEN = 3

# A note with the same words whose figures moved by less than this share says nothing new.
SAME_FIGURES = 0.2
TELLING = ("error", "doubt")
NUMBER = re.compile(r"(?<![\w+])[-−+]?\d+(?:\.\d+)?")

Row = dict[str, Any]
Curves = Mapping[tuple[str, str, str], Array]
FAULTS: Mapping[str, Mistake] = {fault.name: fault for fault in (*MISTAKES, *ATTACKS)}


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


# --- one spoilt trial -----------------------------------------------------------------------------------------


def curves_of(result: Result, kind: str) -> Curves:
    """Joint ``moments``, N·m/kg, or ``angles``, deg, (frames,), by side, joint and component."""
    return {
        (side, joint, column): values
        for side, leg in result.sides.items()
        for joint, columns in getattr(leg, kind).items()
        for column, values in columns.items()
    }


def differences(clean: Result, spoilt: Result) -> Iterator[tuple[tuple[str, str, str], Array, float]]:
    """Side, joint and component of each moment, how far it is off, (frames,), N·m/kg, and from where on it is wrong."""
    after = curves_of(spoilt, "moments")
    for key, values in curves_of(clean, "moments").items():
        peak = max(float(np.nanmax(np.abs(values), initial=0.0)), SMALL_PEAK)
        yield key, np.abs(after[key] - values), min(WRONG, WRONG_SHARE * peak)


def compared(clean: Result, spoilt: Result) -> Row:
    """How far moments are off (``worst``, N·m/kg; ``times`` what counts as wrong, ``where``), how many are ``left``."""
    before = curves_of(clean, "moments")
    row: Row = {"worst": 0.0, "times": 0.0, "where": ""}
    left = known = 0
    for key, off, limit in differences(clean, spoilt):
        loaded = clean.loads.by_side[key[0]].state == LOADED
        known += int(np.isfinite(before[key][loaded]).sum())
        left += int(np.isfinite(off[loaded]).sum())
        off = np.nan_to_num(off)
        row["worst"] = max(row["worst"], float(off.max()))
        if off.max() / limit > row["times"]:
            row["times"], row["where"] = float(off.max()) / limit, " ".join((*key, f"frame {off.argmax()}"))
    return row | {"left": left / max(known, 1)}


def unjudged(result: Result) -> Result:
    """The same with no plate or clock accused."""
    assert isinstance(result.pipeline, Pipeline)
    return result.pipeline.with_(plate_faults=PlateFaults(())).make_all().result


def lower(clean: Result, spoilt: Result) -> bool:
    """Whether the verdict on the trial or a leg is lower."""
    before, after = clean.verdict, spoilt.verdict
    pairs = [(before.trial, after.trial), *((before.sides[side], after.sides[side]) for side in after.sides)]
    return any(LEVELS.index(new) > LEVELS.index(old) for old, new in pairs)


def right_plates(accused: Sequence[Accusation], mistake: Mistake, spoilt: Spoilt, case: Case) -> bool:
    """Whether the first accusation is of the plate that is wrong, or, where it is all of them, all are accused."""
    wrong = {int(n) for n in re.findall(r"(?:plates?|and) (\d+)", spoilt.words)} if mistake.one else set()
    if wrong:
        said = set(accused[0].plates)
        return said == wrong or (said <= wrong and bool(said)) or (not said and len(case.plates_used) == 1)
    same = [one for one in accused if one.names(mistake.causes)]
    return any(not one.plates for one in same) or {n for one in same for n in one.plates} >= {*case.plates_used}


def judge(case: Case, mistake: Mistake, spoilt: Spoilt, bands: bool) -> Row:
    """What became of one spoilt trial."""
    row: Row = {"mistake": mistake.name, "group": mistake.group, "gross": mistake.gross, "trial": case.name}
    row |= {"laboratory": case.laboratory, "words": spoilt.words, "wanted": sorted(mistake.causes)}
    clean = case.base(spoilt.base)
    static = spoilt.static
    if static is None:
        static = case.calibration if spoilt.base == "with the static" else case.static
    subject = spoilt.subject or case.subject
    try:
        pipeline = Pipeline(trial=spoilt.trial, model=case.model, subject_file=subject, static=static)
        result = pipeline.make_all().result
    except GaitidError as error:
        refused = {"worst": 0.0, "times": 0.0, "left": 0.0, "where": "", "accused": []}
        return row | refused | {"refused": error.line(), "matters": True, "noticed": True, "named": False}
    row |= compared(clean, result)
    plain = compared(clean, unjudged(result))
    accused = [
        one
        for one in accusations(result)
        if new_text(one.text, [note.text for note in clean.notes if cause_of(note) == one.cause])
    ]
    notes = new_notes(clean.notes, result.notes)
    said = accused or [one for one in reasons(result) if new_text(one.text, [old.text for old in reasons(clean)])]
    named = bool(said) and said[0].names(mistake.causes) and right_plates(said, mistake, spoilt, case)
    row |= {
        "matters": plain["times"] > 1 or plain["left"] < WRITTEN,
        "plain": plain["worst"],
        "accused": [[one.cause, [*one.plates], one.text] for one in said],
        "notes": [f"{note.code}: {note.text}" for note in notes],
        "noticed": bool(accused or notes or lower(clean, result)),
        "named": named,
    }
    if bands and row["times"] > 1 and not row["noticed"]:
        row["needs"] = band_needed(clean, result)
        row["inside"] = row["needs"] <= 1
    return row


def band_needed(clean: Result, spoilt: Result) -> float:
    """By how much the 95 % bands of the spoilt trial itself would have to grow to hold the moments that are wrong.

    To hold 95 % of their values while the foot is loaded, as such a band is to do.
    """
    found = estimate(spoilt, read_sources("default"), features=False)
    place = {name: i for i, name in enumerate(found.names)}
    times = []
    for (side, joint, column), off, limit in differences(clean, spoilt):
        band = COVERAGE_FACTOR * found.standard[:, place[f"{side}_{joint}_{column}_moment_Nm_per_kg"]]
        if np.nan_to_num(off).max() > limit:
            told = (clean.loads.by_side[side].state == LOADED) & np.isfinite(off)
            times.append(np.nan_to_num(off[told] / band[told], nan=np.inf))
    every = np.concatenate(times)
    return float(np.quantile(every, 0.95, method="lower")) if len(every) else 0.0


# --- all of them ----------------------------------------------------------------------------------------------


def rows_of(made: tuple[str, Callable[[], Case]], mistakes: Sequence[str], quick: bool, bands: bool) -> list[Row]:
    """Of one trial."""
    name, make = made
    try:
        case = make()
        if not case.plates_used:
            return []
    except GaitidError as error:
        print(f"{name}: {error.line()}", file=sys.stderr)
        return []
    rows = []
    for mistake in (FAULTS[name] for name in mistakes):
        spoilt = [one for one in mistake.on(case) if usable(case, one)]
        for one in spoilt[:1] if quick or case.slow else spoilt:
            rows.append(judge(case, mistake, one, bands))
    return rows


def usable(case: Case, spoilt: Spoilt) -> bool:
    """Whether the unspoilt trial can be analysed as the spoilt one is."""
    try:
        case.base(spoilt.base)
    except GaitidError:
        return False
    return True


def accused_of(made: tuple[str, Callable[[], Case]]) -> Row:
    """Of one clean trial: `n` 0 where nobody could accuse a plate."""
    name, make = made
    try:
        case = make()
        result = case.result
    except GaitidError as error:
        return {"trial": name, "n": 0, "refused": error.line(), "accused": []}
    accused = [[one.cause, [*one.plates], one.text] for one in accusations(result, readings=False)]
    counts = bool(case.trial.plates) and name not in FAULTY
    known = FAULTY.get(name, "")
    about = {"verdict": result.verdict.trial, "plates": case.plates_used, "laboratory": case.laboratory}
    return {"trial": name, "n": int(counts), "accused": accused, "known": known, **about}


def each(function: Callable[[Any], Any], trials: Sequence[Any], jobs: int) -> Iterator[Any]:
    """What a function gives of each trial, by several processes."""
    if jobs < 2:
        yield from map(function, trials)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(function, trials)


def share_with_interval(k: int, n: int) -> str:
    """k of n in words, with its 95 % interval (Clopper and Pearson 1934)."""
    low = float(beta.ppf(0.025, k, n - k + 1)) if k else 0.0
    high = float(beta.ppf(0.975, k + 1, n - k)) if k < n else 1.0
    return f"{k} of {n} ({k / max(n, 1):.1%}, 95 % interval {low:.1%} to {high:.1%})"


# --- tables ---------------------------------------------------------------------------------------------------


def figures(rows: Sequence[Row]) -> dict[str, float]:
    """How many of some runs matter, are noticed, ..., in the order of the tables' columns."""
    matter = [row for row in rows if row["matters"]]
    named = [row for row in matter if row["wanted"]]
    wrong = [row for row in rows if row["times"] > 1]
    silent = [row for row in wrong if not row["noticed"]]
    return {
        "runs": len(rows),
        "matter": len(matter),
        "noticed": sum(row["noticed"] for row in matter),
        "named": sum(row["named"] for row in named) if named else float("nan"),
        "still write": sum(row["left"] > 0 for row in matter),
        "wrong": len(wrong),
        "silent": len(silent),
        "in the band": sum(row.get("inside", False) for row in silent),
    }


def summary(rows: Sequence[Row]) -> list[str]:
    """The figures that are aimed at."""
    of, gross, shares = figures(rows), figures([row for row in rows if row["gross"]]), []
    shares.append(("wrong runs that are silent", of["silent"], of["wrong"]))
    if any("inside" in row for row in rows):
        shares.append(("silent, and not inside their 95 % band", of["silent"] - of["in the band"], of["wrong"]))
    shares.append(("of what matters: noticed", of["noticed"], of["matter"]))
    shares.append(("writes numbers still", of["still write"], of["matter"]))
    if any(row["wanted"] for row in rows):
        shares.append(("named", of["named"], of["matter"]))
        if gross["matter"]:
            shares.append(("named, of gross mistakes", gross["named"], gross["matter"]))
    trials, laboratories = (len({row[key] for row in rows}) for key in ("trial", "laboratory"))
    lines = [f"{len(rows)} runs of {trials} trials of {laboratories} laboratories:", ""]
    return lines + [f"- {words}: {share_with_interval(int(k), int(n))}" for words, k, n in shares]


def clean_summary(rows: Sequence[Row]) -> list[str]:
    """Who is accused, and the share."""
    kept: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        of = re.sub(", drawn.*|(?<=[a-z]) [0-9]+$", "", row["trial"]) + (row["known"] and f" (known: {row['known']})")
        for cause, _, text in row["accused"]:
            kept.setdefault((of, cause), []).append(text)
    lines = [f"- {of}, {len(texts)} times, {cause}: {texts[0]}" for (of, cause), texts in kept.items()]
    kinds: Mapping[str, Callable[[str], bool]] = {
        "all": lambda name: True,
        "recorded": lambda name: "drawn" not in name and "simulated" not in name,
        "recorded, of drawn size": lambda name: ", drawn" in name,
        "simulated": lambda name: name.startswith(("drawn", "simulated")),
        "turns": lambda name: "turn" in name and "straight" not in name,
    }
    for kind, fits in kinds.items():
        counted = [row for row in rows if row["n"] and fits(row["trial"])]
        accused = sum(bool(row["accused"]) for row in counted)
        lines.append(f"- **{kind}: accused {share_with_interval(accused, len(counted))}**")
    return lines


def page(rows: Sequence[Row]) -> list[str]:
    """Markdown for people: what becomes of each group of faults, and which of them stay silent."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    lines = [*summary(rows), "", "| faults | matter | named | wrong | inside the band | silent | most often silent |"]
    lines.append("|---|" + "---:|" * 5 + "---|")
    for name, of_name in [*groups.items(), ("**all**", list(rows))]:
        of, hidden = figures(of_name), Counter[str]()
        for row in of_name:
            name_of = re.sub(r", (one plate|all plates|with events|without events)$", "", row["mistake"])
            hidden[name_of] += row["times"] > 1 and not row["noticed"] and not row.get("inside", False)
        asked = any("inside" in row for row in of_name) or not of["silent"]
        cells = [f"{of['matter']}", f"{of['named']:.0f}" if np.isfinite(of["named"]) else "", f"{of['wrong']}"]
        cells += [f"{of['in the band']}" if asked else "", f"{hidden.total()}"]
        often = [f"{fault} ({n})" for fault, n in hidden.most_common(MOST_OFTEN) if n]
        lines.append(f"| {name} | {' | '.join(cells)} | {'; '.join(often) if name != '**all**' else ''} |")
    return [*lines, *wider(rows)]


def wider(rows: Sequence[Row]) -> list[str]:
    """How many wrong runs would be silent, and not inside their band, if all bands were wider."""
    needs = np.array([row["needs"] for row in rows if "needs" in row])
    if not needs.size:
        return []
    n = figures(rows)["wrong"]
    shares = [f"{np.count_nonzero(needs > times) / n:.1%}" for times in WIDER]
    heads = head("all bands times", *(f"{times:g}" for times in WIDER))
    return ["", *heads, table_row("wrong runs silent and outside", *shares)]


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """JSON, a line for each run."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def main(faults: Sequence[Mistake] = MISTAKES, name: str = "mistakes") -> None:
    parser = parser_of(__doc__, "faults")
    parser.add_argument("--clean", type=int, metavar="N", help="clean trials instead, with N drawn ones")
    parser.add_argument("--trials", default="", metavar="PATTERN")
    parser.add_argument("--mistakes", default="", metavar="PATTERN", help="of their groups and names")
    parser.add_argument("--quick", action="store_true", help="one plate of each mistake, some trials of each kind")
    parser.add_argument("--bands", action="store_true", help="whether silent runs lie inside their 95 %% band (slow)")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, metavar="FILE", help="one line of JSON for each run")
    options = parser.parse_args()
    start = time.perf_counter()
    trials = clean_trials(options.clean or 0, options.trials or (QUICK if options.quick else ""))
    if options.clean is not None:
        rows = list(each(accused_of, trials, options.jobs))
        lines, name = clean_summary(rows), "clean"
    else:
        trials = [one for one in trials if one[0] not in FAULTY]
        chosen = [fault.name for fault in faults if re.search(options.mistakes, f"{fault.group}: {fault.name}")]
        function = partial(rows_of, mistakes=chosen, quick=options.quick, bands=options.bands)
        rows = list[Row]()
        for of_trial in each(function, trials, options.jobs):
            rows += of_trial
            if options.out:  # a long run that is ended leaves what it has
                write_rows(options.out, rows)
        lines = page(rows)
    print(*lines, f"{time.perf_counter() - start:.0f} s", sep="\n")
    if options.out:
        write_rows(options.out, rows)
    if options.write:
        # who is accused is printed; the page has the shares
        show([line for line in lines if name != "clean" or "**" in line], True, "faults", name)


if __name__ == "__main__":
    main()
