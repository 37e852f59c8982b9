"""What trials can be used for, and what a dry run would do, as text: of few trials some lines each, the most important
first; of many a line each, and what they have in common at the end.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gaitid.analysis.wording import WIDTH, by_code, fitted, level_words, reason_words
from gaitid.cli.common import flag, print_info
from gaitid.errors import counted, first_few, in_print

if TYPE_CHECKING:
    from gaitid.analysis.result import Result, Verdict
    from gaitid.body.subject import Measured
    from gaitid.notes import Note, Notes
    from gaitid.run.plan import FileRead, Plan
    from gaitid.trial import Trial


# With more trials than these, a line each.
FEW = 4
#: Lines of a trial that are read at a glance.
LINES = 6
# Characters of a path before each line; of a longer one its end is enough.
_PATH = 32
# Characters of a reason in a line, and kinds of notes that are named in the summary.
_REASON, _KINDS = 100, 8

#: What a line of a note begins with, by its severity.
HEADS = {"error": "warning", "doubt": "warning", "assumption": "assumed", "info": "note"}


def print_trial(
    path: Path | str,
    verdict: Verdict,
    result_line: str,
    extra: Sequence[str] = (),
    before: Notes = (),
    lacking: str = "",
) -> None:
    """Print a trial in `LINES` lines of `WIDTH` characters: its verdict, what matters most, and what was written.

    `extra` are lines that the user asked for, `before` notes that were printed before, `lacking` what a model with all
    angles and moments lacks; an empty `result_line` is none.
    """
    record = f"{Path(path).stem}.run.json" if result_line else "run.json"
    first = f"verdict: {'; '.join(filter(None, (verdict.words, lacking)))}"
    last = (*extra, *([result_line] if result_line else []))
    print_few(path, [(first, ""), *_note_lines(verdict, before)], last, f", and {record} has them")


def print_few(path: Path | str, lines: Sequence[tuple[str, str]], last: Sequence[str] = (), more: str = "") -> None:
    """Print of a trial `LINES` lines of `WIDTH` characters, the most important first; with --verbose all, in full.

    Lines have cures; those of `last` stand behind the others, and `more` says where those left out are.
    """
    verbose = flag("verbose")
    head = f"{path if verbose else short_path(path)}: "
    room = WIDTH - len(f"gaitid: {head}")
    shown = max(LINES - len(last), 2)
    if len(lines) > shown and not verbose:
        left = counted(len(lines) - shown + 1, "more note")
        lines = [*lines[: shown - 1], (f"{left}: --verbose prints them{more}", "")]
    for text, cure in (*lines, *((line, "") for line in last)):
        print_info(head + ("; cure: ".join(filter(None, (text, cure))) if verbose else fitted(text, cure, room)))


def _note_lines(verdict: Verdict, before: Notes) -> Iterator[tuple[str, str]]:
    """What a verdict and its notes say, the most important first, each with its cure; a cause once."""
    messages: list[str] = []
    for reason in verdict.reasons:
        text = reason_words({"side": reason.side, "text": reason.text})
        repeated = next((one for one in messages if one in text), None)
        if repeated is not None and not flag("verbose"):
            text = text.replace(repeated, "").rstrip(" :;") + ": as above"
        messages.append(reason.text)
        yield f"warning: {text}", "" if reason.cure in text else reason.cure
    yield from note_lines(note for note in verdict.others if note not in before)


def note_lines(notes: Iterable[Note]) -> Iterator[tuple[str, str]]:
    """Notes as `print_few` takes them; those that only say what was done with --verbose."""
    for note, text in by_code(notes):
        if flag("verbose") or note.severity != "info":
            cure = note.message.cure if note.severity in ("error", "doubt") else ""
            yield f"{HEADS[note.severity]}: {text}", "" if cure in text else cure


def short_path(path: Path | str) -> str:
    """A path as given, or, of a long one, its end."""
    parts = Path(path).parts
    return str(path) if len(str(path)) <= _PATH else str(Path("…", *parts[-2:]))


def trial_line(path: Path, result: Result, written: Path) -> str:
    """What a trial can be used for, in one line; its first reason cut short: the record has all."""
    known = [f"{c.side} on {'+'.join(map(str, c.plates))}" for c in result.contacts if c.plates]
    words = [
        level_words(result.verdict.as_dict()),
        f"model {result.model.name}",
        first_few(known, 4) if known else "no known load",
        f"{written}.*",
    ]
    if result.verdict.reasons:
        reason = result.verdict.reasons[0].words
        words.insert(1, reason if len(reason) <= _REASON else f"{reason[: _REASON - 1]}…")
    return f"{path}: {'; '.join(words)}"


class Summary:
    """Counts the verdicts and the kinds of notes of many trials."""

    def __init__(self) -> None:
        self._verdicts: Counter[str] = Counter()
        self._codes: Counter[str] = Counter()

    def add(self, result: Result, notes: Notes) -> None:
        """Count a trial; its notes are those that are not of all trials."""
        self._verdicts[level_words(result.verdict.as_dict())] += 1
        self._codes.update({note.code for note in notes if note.severity != "info"})

    def lines(self, total: int, refused: int) -> list[str]:
        """Of all trials: the verdicts, then how many trials have a note of each kind."""
        verdicts = [f"{n} {verdict}" for verdict, n in self._verdicts.most_common()]
        lines = [f"{total} trials: {', '.join([*verdicts, *([f'{refused} refused'] if refused else [])])}"]
        if self._codes:
            kinds = [f"{code} in {n}" for code, n in self._codes.most_common()]
            lines.append(f"notes: {first_few(kinds, _KINDS)}; each run.json has them, and --verbose prints them")
        return lines


_PLAN_WIDTH, _MARGIN = 110, 10
# What a person reads a value in, and the factor from SI.
_SHOWN = {"m": ("mm", 1e3), "rad": ("deg", 180 / math.pi)}
_BYTES = ((1e6, "MB"), (1e3, "kB"))


def plan_line(plan: Plan) -> str:
    """One line: what would become of the trial."""
    if plan.refused is not None:
        return f"{plan.path}: would be refused: {plan.refused.line()}"
    assert plan.model is not None and plan.trial is not None
    replaced = sum(file.exists for file in plan.writes)
    words = [
        f"model {plan.model.name}",
        " and ".join(plan.legs) + (" leg" if len(plan.legs) == 1 else " legs"),
        counted(len(plan.trial.plates), "plate"),
        f"{counted(len(plan.writes), 'file')} in {plan.writes[0].path.parent}" if plan.writes else "wrenches on stdout",
    ]
    if replaced:
        words[-1] += f", {replaced} of them replaced"
    doubts = sum(note.severity in ("error", "doubt") for note in plan.notes)
    if doubts:
        words.append(counted(doubts, "warning"))
    return f"{plan.path}: would be analysed: {'; '.join(words)}"


def plan_text(plan: Plan) -> str:
    """All of a plan, a few lines a topic, the verdict first."""
    lines = [in_print(str(plan.path))]

    def add(topic: str, texts: Iterable[str]) -> None:
        for i, text in enumerate(texts):
            wrapped = textwrap.wrap(
                in_print(text), _PLAN_WIDTH - _MARGIN, break_long_words=False, break_on_hyphens=False
            )
            for j, line in enumerate(wrapped or [""]):
                head = topic if i == j == 0 else ""
                lines.append(f"{head:<{_MARGIN}}{'  ' if j else ''}{line}")

    add("outcome", [f"would be refused: {plan.refused.line()}" if plan.refused else "would be analysed"])
    add("reads", _reads(plan))
    if plan.model is not None:
        add("model", [f"{plan.model.name}: {plan.model.title}", *filter(None, [plan.chosen_because])])
    add("markers", _markers(plan))
    if plan.measured is not None:
        add("subject", _subject(plan.measured) or ["the model asks for no measurement"])
        add("assumed", _assumed(plan) or ["nothing so far"])
        doubts = [note.text for note in plan.notes if note.severity in ("error", "doubt")]
        add("warnings", doubts)
    if plan.model is not None:
        add("settings", _settings(plan))
    if plan.trial is not None:
        add("plates", _plates(plan.trial))
    if plan.refused is None:
        add("writes", _writes(plan))
    return "\n".join(lines) + "\n"


def not_known(words: Iterable[str]) -> str:
    """The closing line: what only the run finds."""
    return f"Nothing was written. Only the run finds: {'; '.join(words)}."


def _reads(plan: Plan) -> Iterator[str]:
    from gaitid.model.find import bundled_folder

    for file in plan.reads:
        if file.role == "trial":
            facts = "" if plan.trial is None else f", {_trial_words(plan.trial)}"
            yield f"{file.path}  {_size(file)}{facts}"
        elif not file.path.is_relative_to(bundled_folder("configs")):
            yield f"{file.path}  {_size(file)}, {file.role}{f': {file.why}' if file.why else ''}"
    if plan.static_beside is not None:
        yield f"{plan.static_beside} lies beside it, and is not calibrated with: give it with --static"


def _size(file: FileRead) -> str:
    if file.size_bytes is None:
        return "not there"
    for scale, unit in _BYTES:
        if file.size_bytes >= scale:
            return f"{file.size_bytes / scale:.1f} {unit}"
    return counted(file.size_bytes, "byte")


def _trial_words(trial: Trial) -> str:
    made = ", ".join(filter(None, (trial.origin.get("format", ""), trial.origin.get("software", ""))))
    last = trial.first_frame + trial.n_frames - 1
    words = [
        made,
        f"frames {trial.first_frame} to {last} at {trial.rate_hz:g} Hz ({trial.n_frames / trial.rate_hz:.2f} s)",
        counted(len(trial.labels), "point"),
    ]
    if int(channels := trial.origin.get("analog_channels", "0")):
        rate = trial.origin.get("analog_rate_hz")
        words.append(f"{channels} analog channels" + (f" at {float(rate):g} Hz" if rate else ""))
    if trial.events:
        words.append(counted(len(trial.events), "event"))
    return ", ".join(filter(None, words))


def _markers(plan: Plan) -> Iterator[str]:
    """Of each side, the label of each role that the trial holds."""
    if plan.model is None or plan.trial is None or not plan.legs:
        return
    if plan.model.marker_set:
        yield f"labels of the marker set {plan.model.marker_set}"
    places = ["", *(side.name for side in plan.model.sides)]
    for place in places:
        held = [
            f"{role} {label}" if label != role else label
            for side, role in plan.model.roles
            if side == place
            for label in plan.model.labels(role, side)
            if plan.trial.has(label)
        ]
        if held:
            without = "" if not place or place in plan.legs else " (too few: this leg stays empty)"
            yield f"{place or 'middle'}{without}: {', '.join(held)}"


def _subject(measured: Mapping[str, Measured]) -> list[str]:
    """Values by their source."""
    by_source: dict[str, list[str]] = {}
    for name, value in measured.items():
        unit, times = _SHOWN.get(value.unit, (value.unit, 1.0))
        words = f"{name.replace('.', ' ').replace('_', ' ')} {value.value * times:.4g} {unit}"
        by_source.setdefault(value.source, []).append(words)
    return [f"{source}: {', '.join(values)}" for source, values in by_source.items()]


def _assumed(plan: Plan) -> list[str]:
    assert plan.model is not None and plan.measured is not None
    lines = [note.text for note in plan.notes if note.severity == "assumption"]
    if "mass" in plan.model.subject and "mass" not in plan.measured:
        lines.append("the body's mass is in no source: the run looks what the plates, or the static's, say of it")
    if plan.model.settings.cutoff_hz == "auto":
        lines.append("cut-off of the marker low-pass: by the noise that the run finds (--cutoff)")
    if plan.vertical:
        lines.append(f"vertical: from {plan.vertical}")
    return lines


def _settings(plan: Plan) -> list[str]:
    return [
        f"{s.name} = {_value(s.value)} ({s.by}{'' if s.default == '' else f'; default {_value(s.default)}'})"
        for s in plan.settings
    ] or ["all as by default"]


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _plates(trial: Trial) -> list[str]:
    from gaitid.read.plates.surface import repeated_plates

    lines = []
    for plate in trial.plates:
        sides = [math.dist(plate.corners_g[0], plate.corners_g[i]) for i in (1, 3)]
        kind = f"type {plate.kind}, {sides[0]:.3f} x {sides[1]:.3f} m" if plate.outlined else "force record, no outline"
        lines.append(f"{plate.number}  {kind}, {plate.rate_hz:g} Hz")
    unused = {**trial.refused_plates, **repeated_plates(trial.notes)}
    lines += [f"{number}  not used: {why}" for number, why in sorted(unused.items())]
    return lines or ["none: wrenches will be known in the air only"]


def _writes(plan: Plan) -> Iterator[str]:
    if not plan.writes:
        yield "wrenches to stdout"
        return
    folder = plan.writes[0].path.parent
    new = [file.path.name for file in plan.writes if not file.exists]
    replaced = [file.path.name for file in plan.writes if file.exists]
    made = "" if folder.is_dir() else " (would be made)"
    if new:
        yield f"in {_folder(folder)}{made}: {', '.join(new)}"
    if replaced:
        yield f"in {_folder(folder)}, in place of what is there: {', '.join(replaced)}"
    if plan.removes:
        yield f"and takes away, of an earlier run: {', '.join(path.name for path in plan.removes)}"


def _folder(folder: Path) -> str:
    return "this folder" if folder == Path() else str(folder)
