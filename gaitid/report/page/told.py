"""What the records of a session's trials say, gathered for people: notes once, with the trials that they are of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from gaitid.analysis.wording import alike, level_words
from gaitid.records import frozen_dataclass
from gaitid.report.result import Result
from gaitid.report.text import file_name, plain

LEVELS = ("good", "usable", "do not use")
_SIDES = ("left", "right")
# A path in a text: folders often name people, and a page is passed on.
_PATH = re.compile(r"(?<![\w.:/\\])(?:[A-Za-z]:[\\/]|/|\\\\)[^\s;,:()'\"]*[/\\][^\s;,:()'\"]+")


def readable(text: object) -> str:
    """A text in which each absolute path is its file's name, and a number that is only rounding is 0."""
    return _ROUNDING.sub("0", _PATH.sub(lambda found: file_name(found[0]), plain(text)))


# A number below a millionth: rounding, whatever its unit.
_ROUNDING = re.compile(r"-?\b\d+(?:\.\d+)?e-(?:0?[7-9]|[1-9]\d+)\b")


@frozen_dataclass()
class Told:
    """A text, and the names of the trials that say it: empty where all do."""

    text: str
    trials: tuple[str, ...]
    cure: str = ""
    side: str = ""
    severity: str = ""
    code: str = ""

    @property
    def words(self) -> str:
        """With the trials before it."""
        return (", ".join(self.trials) + ": " if self.trials else "") + self.text


def names_of(results: Sequence[Result]) -> tuple[str, ...]:
    """The stems; with the folder's name where two results share one, or with a number where that is shared too."""
    stems = [plain(result.stem) for result in results]
    folders = [plain(result.path.absolute().parent.name) for result in results]
    names = [s if stems.count(s) == 1 else f"{f}/{s}" for s, f in zip(stems, folders, strict=True)]
    return tuple(n if names.count(n) == 1 else f"{n} ({i})" for i, n in enumerate(names, start=1))


def reasons(results: Sequence[Result], out: Sequence[Collection[str]] = ()) -> list[Told]:
    """Reasons of the verdicts, the most serious first; of several trials that say alike the first.

    `out` are the sides of each trial that do not count: what speaks against these is no reason.
    """
    counting = [{*_SIDES} - {*sides} for sides in out or [()] * len(results)]
    found = [
        Told(
            readable(reason.get("text", "")),
            (name,),
            readable(reason.get("cure") or ""),
            str(reason.get("side") or ""),
            str(reason.get("lowers_to") or ""),
            str(reason.get("code") or ""),
        )
        for name, result, sides in zip(names_of(results), results, counting, strict=True)
        for reason in result.reasons()
        if (reason["side"] in sides if reason.get("side") in _SIDES else sides)
    ]
    order = {level: -i for i, level in enumerate(LEVELS)}
    return _in_one(sorted(found, key=lambda told: order.get(told.severity, 1)), sum(map(bool, counting)))


def notes(results: Sequence[Result], severities: Iterable[str] | None = None) -> list[Told]:
    """Notes of the records by severity, the most serious first; of several trials that say alike the first."""
    wanted = None if severities is None else set(severities)
    found = [
        Told(text, (name,), severity=severity, code=code)
        for name, result in zip(names_of(results), results, strict=True)
        for severity, code, text in each_note(result)
        if wanted is None or severity in wanted
    ]
    order = {severity: i for i, severity in enumerate(("error", "doubt", "assumption", "info"))}
    return _in_one(sorted(found, key=lambda told: order.get(told.severity, 9)), len(results))


def _in_one(found: Sequence[Told], trials: int) -> list[Told]:
    """One for those of different trials that say the same but for numbers and names; each of one trial stays."""
    by_kind: dict[tuple[str, str, str], list[Told]] = {}
    for told in found:
        by_kind.setdefault((told.severity, told.code, told.side), []).append(told)
    result = []
    for several in by_kind.values():
        for group in alike(several, lambda told: told.text):
            texts = list(dict.fromkeys(told.text for told in group))
            of = list(dict.fromkeys(name for told in group for name in told.trials))
            if len(of) < len(texts) or trials == 1:  # one trial says several things
                result += [replace(told, trials=() if trials == 1 else told.trials) for told in _once(group)]
                continue
            others = f" (figures of {group[0].trials[0]})" if len(texts) > 1 else ""
            result.append(replace(group[0], trials=() if len(of) == trials else tuple(of), text=texts[0] + others))
    return result


def _once(group: Sequence[Told]) -> list[Told]:
    """Each text once, with all trials that say it."""
    by_text: dict[str, Told] = {}
    for told in group:
        known = by_text.get(told.text)
        by_text[told.text] = replace(told, trials=(*known.trials, *told.trials)) if known else told
    return list(by_text.values())


def each_note(result: Result) -> Iterator[tuple[str, str, str]]:
    """Severity, code and text of each note of a record of any schema."""
    given = result.section("warnings")
    for item in given if isinstance(given, list) else [] if given in (None, "") else [given]:
        note = item if isinstance(item, Mapping) and "text" in item else {"text": item}
        yield str(note.get("severity", "")), str(note.get("code", "")), readable(note["text"])


def verdicts(results: Sequence[Result]) -> dict[str, str]:
    """Worst verdict of the trials: ``trial``, ``left``, ``right``; empty where no record has one."""
    worst: dict[str, str] = {}
    for key in ("trial", *_SIDES):
        levels = [str(level) for r in results if (level := r.record_at("verdict", key)) is not None]
        if levels:
            worst[key] = max(levels, key=lambda level: LEVELS.index(level) if level in LEVELS else 99)
    return worst


def in_words(results: Sequence[Result], key: str = "trial") -> str:
    """The worst verdict of the trials, or of a side of them: ``usable: angles only`` where no load is known in any."""
    found = [verdict for r in results if isinstance(verdict := r.section("verdict"), Mapping) and verdict.get(key)]
    worst = verdicts(results).get(key, "")
    alone = [level_words(verdict, key) for verdict in found if verdict[key] == worst]
    return alone[0] if found and set(alone) == {f"{worst}: angles only"} and len(alone) == len(found) else worst


def model_of(result: Result) -> str:
    """The model's name."""
    model = result.section("model")
    return plain(model.get("name", "")) if isinstance(model, Mapping) else plain(model or "")


def unchecked_of(result: Result) -> str:
    """That nothing independent was found to check the model against; empty of other models."""
    return plain(result.record_at("model", "unchecked") or "")


def agreed(values: Iterable[object]) -> str:
    """Values that are all the same as one, else all that occur."""
    return ", ".join(dict.fromkeys(plain(v) for v in values if v not in (None, "")))


def measured(results: Sequence[Result], name: str) -> tuple[float, str] | None:
    """A measurement of the subject and its source, of the first trial that has it."""
    for result in results:
        value = result.record_at("subject", name, "value")
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value), plain(result.record_at("subject", name, "source") or "")
    return None
