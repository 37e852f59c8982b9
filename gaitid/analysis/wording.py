"""Notes that say the same of several things -> one line for people, that loses none of them where they are few."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from gaitid.notes import Note

T = TypeVar("T")
# Of so many things that one line is about all is said; of the others, how many they are.
SHOWN = 6
# Texts that share so many words at their ends, or half of all words at their places, say the same of different things.
_SHARED_WORDS, _SHARED_PLACES = 3, 0.5


def in_one(texts: Iterable[str]) -> str:
    """One text for several that say the same of different things; what they share at their ends is said once.

    "plate 1 reads 8 N while it is empty" and "plate 2 reads 13 N while it is empty" become "plate 1 reads 8, 2 reads 13
    N while it is empty".
    """
    each = list(dict.fromkeys(texts))
    if len(each) == 1:
        return each[0]
    more = f" and {len(each) - SHOWN} more" if len(each) > SHOWN else ""
    words = [text.split() for text in each[:SHOWN]]
    head, tail = _shared(words)
    if head + tail < _SHARED_WORDS or any(len(w) == head + tail for w in words):
        return "; ".join(each[:SHOWN]) + (f";{more}" if more else "")
    middles = [" ".join(w[head : len(w) - tail]) for w in words]
    mark = middles[0][-1] if middles[0][-1] in ":;," and len({m[-1] for m in middles}) == 1 else ""
    middles = [m.removesuffix(mark) for m in middles]
    between = "; " if any(c in m for m in middles for c in ",;:") else ", "
    return " ".join([*words[0][:head], between.join(middles) + more + mark, *words[0][len(words[0]) - tail :]])


def alike(items: Iterable[T], text_of: Callable[[T], str]) -> list[list[T]]:
    """Items whose texts say the same of different things together, in the order of the first of each."""
    groups: list[list[T]] = []
    for item in items:
        group = next((g for g in groups if _alike(text_of(g[0]).split(), text_of(item).split())), None)
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


def verdict_words(verdict: Mapping[str, object]) -> str:
    """The verdicts alone, of one as records hold it: ``usable (left usable, right good)``."""
    sides = {side: level for side, level in verdict.items() if side not in ("trial", "reasons")}
    differ = len({*sides.values(), verdict.get("trial")}) > 1
    return f"{verdict.get('trial')}" + (f" ({', '.join(f'{s} {v}' for s, v in sides.items())})" if differ else "")


def reason_words(reason: Mapping[str, object]) -> str:
    """A reason as records hold it in one line, with its leg and its cure where the text names neither."""
    side, text, cure = (str(reason.get(key) or "") for key in ("side", "text", "cure"))
    before = f"{side}: " if side and not text.startswith(side) else ""
    return f"{before}{text}" + (f"; cure: {cure}" if cure and cure not in text else "")


def _shared(texts: Sequence[Sequence[str]]) -> tuple[int, int]:
    """How many words all texts share at their beginnings and at their ends."""
    shortest = min(map(len, texts))
    head = next((i for i in range(shortest) if len({words[i] for words in texts}) > 1), shortest)
    room = shortest - head
    return head, next((i for i in range(room) if len({words[-1 - i] for words in texts}) > 1), room)


def _alike(one: Sequence[str], other: Sequence[str]) -> bool:
    if sum(_shared([one, other])) >= _SHARED_WORDS:
        return True
    same = sum(a == b for a, b in zip(one, other, strict=False))
    return len(one) == len(other) and same >= _SHARED_PLACES * len(one)
