"""What the records of a session's trials say, gathered for people: notes once, and for each joint what is known and
what speaks against it.

What `gaitid norms build` leaves out for the same reasons stands in `gaitid.norms.build`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from gaitid.analysis.wording import alike, level_words
from gaitid.norms.fit import way_words
from gaitid.notes.message import LEVELS
from gaitid.records import frozen_dataclass
from gaitid.report.panels import SIDES
from gaitid.report.text import file_name, plain
from gaitid.results.result import Result

#: Of a verdict or of a trust: the class of its colour.
LEVEL_CLASS = dict(zip(LEVELS, ("good", "care", "no"), strict=True))
# A path in a text: folders often name people, and a page is passed on.
_PATH = re.compile(r"(?<![\w.:/\\])(?:[A-Za-z]:[\\/]|/|\\\\)[^\s;,:()'\"]*[/\\][^\s;,:()'\"]+")
# A number below a millionth: rounding, whatever its unit.
_ROUNDING = re.compile(r"-?\b\d+(?:\.\d+)?e-(?:0?[7-9]|[1-9]\d+)\b")


def readable(text: object) -> str:
    """A text in which each absolute path is its file's name, and a number that is only rounding is 0."""
    return _ROUNDING.sub("0", _PATH.sub(lambda result: file_name(result[0]), plain(text)))


@frozen_dataclass()
class TrialText:
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
    counts = Counter(stems)
    names = [
        stem if counts[stem] == 1 else f"{plain(result.path.absolute().parent.name)}/{stem}"
        for stem, result in zip(stems, results, strict=True)
    ]
    return tuple(n if names.count(n) == 1 else f"{n} ({i})" for i, n in enumerate(names, start=1))


def named(results: Sequence[Result]) -> Iterator[tuple[str, Result]]:
    """Each result with its name."""
    return zip(names_of(results), results, strict=True)


def reasons(results: Sequence[Result], out: Sequence[Collection[str]] = ()) -> list[TrialText]:
    """Reasons of the verdicts, the most serious first; of several trials that say alike the first.

    `out` are the sides of each trial that do not count: what speaks against these is no reason.
    """
    counting = [{*SIDES} - {*sides} for sides in out or [()] * len(results)]
    collected = [
        TrialText(
            readable(reason["text"]),
            (name,),
            readable(reason.get("cure") or ""),
            str(reason.get("side") or ""),
            reason["lowers_to"],
            str(reason.get("code") or ""),
        )
        for (name, result), sides in zip(named(results), counting, strict=True)
        for reason in result.mappings("verdict", "reasons")
        if (reason["side"] in sides if reason.get("side") in SIDES else sides)
    ]
    return _in_one(collected, LEVELS[::-1], sum(map(bool, counting)))


def notes(results: Sequence[Result], severities: Iterable[str] | None = None) -> list[TrialText]:
    """Notes of the records by severity, the most serious first; of several trials that say alike the first."""
    wanted = None if severities is None else set(severities)
    collected = [
        TrialText(text, (name,), severity=severity, code=code)
        for name, result in named(results)
        for severity, code, text in each_note(result)
        if wanted is None or severity in wanted
    ]
    return _in_one(collected, ("error", "doubt", "assumption", "info"), len(results))


def _in_one(results: Sequence[TrialText], order: Sequence[str], trials: int) -> list[TrialText]:
    """One for those of different trials that say the same but for numbers and names; each of one trial stays."""
    by_kind: dict[tuple[str, str, str], list[TrialText]] = {}
    for text in sorted(results, key=lambda text: order.index(text.severity) if text.severity in order else len(order)):
        by_kind.setdefault((text.severity, text.code, text.side), []).append(text)
    result = []
    for group in (group for members in by_kind.values() for group in alike(members, lambda text: text.text)):
        by_text: dict[str, TrialText] = {}
        for text in group:
            known = by_text.get(text.text)
            by_text[text.text] = replace(text, trials=(*known.trials, *text.trials)) if known else text
        of = list(dict.fromkeys(name for text in group for name in text.trials))
        if len(of) < len(by_text) or trials == 1:  # one trial says several things
            result += [replace(text, trials=() if trials == 1 else text.trials) for text in by_text.values()]
        else:
            others = f" (figures of {group[0].trials[0]})" if len(by_text) > 1 else ""
            of_all = () if len(of) == trials else tuple(of)
            result.append(replace(group[0], trials=of_all, text=group[0].text + others))
    return result


def each_note(result: Result) -> Iterator[tuple[str, str, str]]:
    """Severity, code and text of each note of a record."""
    for note in result.record["warnings"]:
        yield note["severity"], note["code"], readable(note["text"])


def verdicts(results: Sequence[Result]) -> dict[str, str]:
    """Worst verdict of the trials: ``trial``, and ``left`` and ``right`` as far as they have these sides."""
    given = [result.record["verdict"] for result in results]
    levels = {key: [verdict[key] for verdict in given if key in verdict] for key in ("trial", *SIDES)}
    return {key: max(of, key=LEVELS.index) for key, of in levels.items() if of}


def in_words(results: Sequence[Result], key: str = "trial") -> str:
    """The worst verdict of the trials, or of a side of them: ``usable: angles only`` where no load is known in any."""
    collected = [verdict for result in results if key in (verdict := result.record["verdict"])]
    worst = verdicts(results).get(key, "")
    only = f"{worst}: angles only"
    return only if collected and all(v[key] == worst and level_words(v, key) == only for v in collected) else worst


def model_of(result: Result) -> str:
    """The model's name."""
    return plain(result.record["model"].get("name") or "")


def agreed(values: Iterable[object]) -> str:
    """Values that are all the same as one, else all that occur."""
    return ", ".join(dict.fromkeys(plain(v) for v in values if v not in (None, "")))


def agreed_at(results: Sequence[Result], *keys: str) -> str:
    """The same of an entry of the records."""
    return agreed(result.record_at(*keys) for result in results)


def measured(results: Sequence[Result], name: str) -> tuple[float, str] | None:
    """A measurement of the subject and its source, of the first trial that has it."""
    for result in results:
        if (value := result.number("subject", name, "value")) is not None:
            return value, plain(result.record_at("subject", name, "source") or "")
    return None


# --- which trials count for means -------------------------------------------------------------------------------------


@frozen_dataclass()
class InMean:
    """The trials of a session, without what does not count for its means.

    Attributes
    ----------
    results : tuple of Result
        All that were given, in their order; a side that does not count has no cycles, figures and curves left.
    out : tuple of (str, ...)
        Of each result the sides that do not count.
    left_out : tuple of str
        A sentence for each trial that is left out, in whole or of one side.
    not_straight : bool
        Whether what counts are walks that turn, go up or down, or backward: there was no other.
    """

    results: tuple[Result, ...]
    out: tuple[tuple[str, ...], ...]
    left_out: tuple[str, ...]
    not_straight: bool

    @property
    def counted(self) -> tuple[Result, ...]:
        """The results of which at least one side counts."""
        return tuple(r for r, out in zip(self.results, self.out, strict=True) if set(out) != {*SIDES})

    def of_side(self, side: str) -> tuple[Result, ...]:
        """The results that count for a side."""
        return tuple(r for r, out in zip(self.results, self.out, strict=True) if side not in out)


def in_mean(results: Sequence[Result]) -> InMean:
    """What of the trials counts, and in words what does not.

    Walks that turn, go up, down or backward are pooled neither with straight ones nor with each other: where any
    straight walk can be used, the means are of these, else of the kind of the first that can.
    A trial, or a side, with the verdict "do not use" does not count where another trial has curves of that side. Of
    several results of one recording the first counts.
    """
    names = names_of(results)
    recordings = [result.trial_sha256() for result in results]
    why: list[dict[str, str]] = [{} for _ in results]
    for i, recording in enumerate(recordings):
        if recording and (previous := recordings.index(recording)) < i:
            why[i] = dict.fromkeys(SIDES, f"the same recording as {names[previous]}, which counts once")
    first = [i for i, of_one in enumerate(why) if not of_one]
    # curves of the kind that is drawn: cycles, else stances, else any
    drawn = next((kind for kind in ("cycles", "stances") if any(getattr(r, kind) for r in results)), "sides")
    has = [[side for side in SIDES if side in getattr(result, drawn)] for result in results]
    refused = [{side: _refused(result, side) for side in SIDES} for result in results]
    ways = [way_words(result.record) for result in results]
    # ``the walk goes up`` of ``the walk goes up by 6°``
    kinds = [words.split(" by ")[0] for words in ways]
    with_curves = [i for i in first if has[i]]
    ranks = [(all(refused[i][side] for side in has[i]), kinds[i] != "", n) for n, i in enumerate(with_curves)]
    pooled = kinds[with_curves[min(ranks)[2]]] if ranks else ""
    for i in with_curves:
        if kinds[i] != pooled and drawn == "cycles":
            alone = f"see it by itself: gaitid report {results[i].path.name} -o {results[i].stem}.html"
            why[i] = dict.fromkeys(SIDES, f"{ways[i]}; {alone}" if ways[i] else refused[i][SIDES[0]])
    for side in SIDES:
        left = [i for i in first if side not in why[i]]
        if any(side in has[i] and not refused[i][side] for i in left):
            for i in left:
                if refused[i][side]:
                    why[i][side] = refused[i][side]
    texts = []
    for name, of_one in zip(names, why, strict=True):
        if len(of_one) == len(SIDES) and len({*of_one.values()}) == 1:
            texts.append(f"{name}: {of_one[SIDES[0]]}")
        else:
            texts += [f"{name}, {side} leg: {words}" for side, words in of_one.items()]
    out = tuple(map(tuple, why))
    counting = tuple(result.without(sides) if sides else result for result, sides in zip(results, out, strict=True))
    return InMean(counting, out, tuple(texts), bool(pooled))


def _refused(result: Result, side: str) -> str:
    """The verdict's words where a side, or its trial, is not to be used, with its first reason."""
    worst = LEVELS[-1]
    verdict = result.record["verdict"]
    if worst not in (verdict["trial"], verdict.get(side)):
        return ""
    against = (r for r in verdict["reasons"] if r["lowers_to"] == worst and r.get("side") in ("", None, side))
    why = readable(next(against, {"text": ""})["text"])
    return f"its verdict is “{worst}”" + (f": {why}" if why else "")
