"""Notes that say the same of several things -> one line for people, that loses none of them where they are few."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from gaitid.notes import Note

T = TypeVar("T")
#: Characters of a line for people: two lines of a common terminal.
WIDTH = 200
# Of so many things that one line is about all is said; of the others, how many they are.
SHOWN = 6
# Words by which texts that say the same of different things may differ: numbers, names (of markers, channels, files),
# and these parts of the body. Patterns are compiled (0.7 ms) by the trials that ask for them.
_NAME = r"[\w.+-]*[\dA-Z_][^\s,;:()]*|left|right|pelvis|hip|thigh|knee|shank|ankle|foot"
_CORE = r"[^\s,;:()]+(?<!\.)"
_LIST = r"#(?:(?:,| and|, and)? #)+"
_PLATE = r"plate \d+"
# At least so many words have to be shared at both ends together for one sentence of several.
_SHARED_WORDS = 3


def in_one(texts: Iterable[str]) -> str:
    """One text for several that say the same of different things.

    Where they differ by one number or name, what they share is said once: "plate 1: it is not used" and "plate 2: it is
    not used" become "plate 1, 2: it is not used". Else each keeps its own sentence, and where they go on alike after
    one, or in brackets, that is said once, behind the last.
    """
    each = list(dict.fromkeys(texts))
    if len(each) == 1:
        return each[0]
    more = f" and {len(each) - SHOWN} more" if len(each) > SHOWN else ""
    words = [text.split() for text in each[:SHOWN]]
    head, tail = _shared(words)
    differ = [w[head : len(w) - tail] for w in words]
    if head + tail < _SHARED_WORDS or not all(map(_only_names, differ)):
        return _each_its_own(words, tail, more)
    middles = [" ".join(w) for w in differ]
    mark = middles[0][-1] if middles[0][-1] in ":;," and len({m[-1] for m in middles}) == 1 else ""
    middles = [m.removesuffix(mark) for m in middles]
    before, after = words[0][:head], words[0][len(words[0]) - tail :]
    if before[-1:] == ["plate"] and after[:1] == ["is"]:
        before, after = [*before[:-1], "plates"], ["are", *after[1:]]
        middles = [*middles[:-2], " and ".join(middles[-2:])] if not more else middles
    return " ".join([*before, ", ".join(middles) + more + mark, *after])


def alike(items: Iterable[T], text_of: Callable[[T], str]) -> list[list[T]]:
    """Items whose texts say the same of different things together, in the order of the first of each."""
    groups: list[list[T]] = []
    for item in items:
        group = next((g for g in groups if _alike([text_of(one) for one in g], text_of(item))), None)
        if group is None:
            groups.append([item])
        else:
            group.append(item)
    return groups


def by_code(notes: Iterable[Note]) -> list[tuple[Note, str]]:
    """The first of notes that have one code and are alike, with what all of them say in one text."""
    of_code: dict[str, list[Note]] = {}
    for note in notes:
        of_code.setdefault(note.code, []).append(note)
    groups = [group for of_one in of_code.values() for group in alike(of_one, lambda note: note.text)]
    return [(group[0], in_one(note.text for note in group)) for group in groups]


def level_words(verdict: Mapping[str, object], key: str = "trial") -> str:
    """The verdict on a trial or a side, of one as records hold it: ``usable: angles only`` where no load is known."""
    level, only = str(verdict.get(key) or ""), verdict.get("angles_only")
    known = only.split() if isinstance(only, str) else only if isinstance(only, Sequence) else ()
    return f"{level}: angles only" if level and key in known else level


def verdict_words(verdict: Mapping[str, object]) -> str:
    """The verdicts alone, of one as records hold it: ``usable (left usable, right good)``."""
    sides = {
        side: level_words(verdict, side)
        for side, level in verdict.items()
        if side != "trial" and isinstance(level, str)
    }
    trial = level_words(verdict)
    return trial + (f" ({', '.join(f'{s} {v}' for s, v in sides.items())})" if {*sides.values()} - {trial} else "")


def reason_words(reason: Mapping[str, object]) -> str:
    """A reason as records hold it in one line, with its leg and its cure where the text names neither."""
    side, text, cure = (str(reason.get(key) or "") for key in ("side", "text", "cure"))
    before = f"{side}: " if side and not text.startswith(side) else ""
    return f"{before}{text}" + (f"; cure: {cure}" if cure and cure not in text else "")


def fitted(text: str, cure: str, room: int) -> str:
    """A text and its cure in so many characters: first the text loses what stands in brackets, then its end, then the
    cure all but its first clause, which is kept as it has to be typed.
    """
    behind = f"; cure: {cure}" if cure else ""
    if len(text) + len(behind) > room and (brackets := re.findall(r" \([^()]{9,}\)", text)):
        return fitted(text.replace(brackets[-1], ""), cure, room)
    if len(text) + len(behind) > room and len(behind) > room // 2:
        behind = "; cure: " + re.split("; |, or |, if ", cure)[0]
    return _cut(text, max(room - len(behind), room // 3)) + behind


def _cut(text: str, room: int) -> str:
    """The beginning of a text, up to the end of a clause or of a word."""
    if len(text) <= room:
        return text
    clauses = [found.start() for found in re.finditer(r"[;:,.] ", text[:room]) if found.start() > room // 2]
    return f"{text[: clauses[-1]] if clauses else text[: room - 2].rpartition(' ')[0]} …"


def _shared(texts: Sequence[Sequence[str]]) -> tuple[int, int]:
    """How many words all texts share at their beginnings and at their ends."""
    shortest = min(map(len, texts))
    head = next((i for i in range(shortest) if len({words[i] for words in texts}) > 1), shortest)
    room = shortest - head
    return head, next((i for i in range(room) if len({words[-1 - i] for words in texts}) > 1), room)


def _each_its_own(texts: Sequence[Sequence[str]], tail: int, more: str) -> str:
    """Sentences beside each other; of the words that all end in, those from the first new clause on stand once."""
    first = texts[0]
    shared = range(len(first) - tail, len(first))
    new = next((i for i in shared if i and (first[i].startswith("(") or first[i - 1][-1] in ":;")), len(first))
    own = [" ".join(words[: new + len(words) - len(first)]) for words in texts]
    mark = own[0][-1] if new < len(first) and own[0][-1] in ":;" else ""
    told = "; ".join(text.removesuffix(mark) for text in own) + (f";{more}" if more else "")
    return " ".join([told + mark, *first[new:]])


def _alike(group: Sequence[str], text: str) -> bool:
    """Whether a text says the same as those of a group, of something else; two notes of one plate say two things."""
    if text in group:
        return True
    plate = re.match(_PLATE, text)
    if plate and plate[0] in {known[0] for one in group if (known := re.match(_PLATE, one))}:
        return False
    return _shape(group[0]) == _shape(text)


def _shape(text: str) -> str:
    """A text with ``#`` for its numbers and names, and for lists of them."""
    masked = re.sub(_CORE, lambda found: "#" if re.fullmatch(_NAME, found[0]) else found[0], text)
    return re.sub(_LIST, "#", " ".join(masked.split()))


def _only_names(words: Sequence[str]) -> bool:
    return _shape(" ".join(words)).rstrip(":;,.") == "#"
