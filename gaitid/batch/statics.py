"""Which files are statics, by their names or because their subject stands still; which of several is a trial's."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from gaitid.batch.files import delimiter_of, natural
from gaitid.batch.types import Static, Trait
from gaitid.errors import GaitidError
from gaitid.read.c3d.sections import BLOCK, read_head
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

# Words of a name that make it a static; one that begins with "static" does too (Statics, statictrial). One that ends
# with it does not: quasistatic and orthostatic are what is measured.
STATIC_WORDS = ("static", "cal", "calib", "calibration", "tpose", "npose")
# These may also say what was measured (standing balance): only where no name says more, and only those that are taken.
STANDING_WORDS = ("stand", "standing")
# A static is short, s.
LONGEST_S = 30.0
# In less, s, a walk does not show: within 0.5 s a person at 0.2 m/s moves by a twentieth of his height.
SHORTEST_S = 0.5
# Frames of it that are looked at, over its whole length.
_LOOKED_AT = 12
# Points that move less than this share of the size of the body stand still: some 5 cm of sway on an adult. A walk
# through the laboratory, or the feet's swing on a treadmill, is ten times that.
_STILL = 0.05
# Share of the points that must stand still: markers of fingers may move, and computed points may be anything.
_SHARE = 0.8
# Bytes of a text file, which has to be read whole to find its lines.
_LONGEST_TEXT = 20_000_000
_COORDINATE = re.compile(r"(.+)_[xyz]_(mm|cm|m)")


@frozen_dataclass()
class Name:
    """What the name of a file or folder says.

    Attributes
    ----------
    static : bool
        That it is a static.
    words : frozenset of str
        Its other words, but bare numbers: what trials and statics may have in common.
    begins : tuple of str
        Its other words and numbers in their order, to the first that says static; one that stands first is passed
        over. What follows is mostly which take of the static it is.
    """

    static: bool
    words: frozenset[str]
    begins: tuple[str, ...]


def words_of(name: str) -> list[str]:
    """The words of a name, in lower case: ``AFO_StaticTrial P02`` has afo, static, trial, p02.

    Letters and digits that are written together are one word; a capital letter begins one beside a small letter.
    """
    name = unicodedata.normalize("NFC", name)
    spaced = "".join(
        f" {c}" if c.isupper() and (name[i - 1 : i].islower() or name[i + 1 : i + 2].islower()) else c
        for i, c in enumerate(name)
    )
    return re.findall(r"[^\W_]+", spaced.casefold())


@lru_cache(maxsize=100_000)
def read_name(name: str, statics: tuple[str, ...] = STATIC_WORDS) -> Name:
    """What a name says, and whether that makes it a static.

    Parameters
    ----------
    name : str
        Without the suffix of a file.
    statics : tuple of str
        Words that make it a static, in lower case and without separators: ``tpose`` for ``T-Pose`` and ``T pose``.
    """
    parts = [(i, part) for i, word in enumerate(words_of(name)) for part in re.findall(r"\d+|\D+", word)]
    static_parts: set[int] = set()
    for first in range(len(parts)):
        for end in range(first + 1, len(parts) + 1):
            text = "".join(part for _, part in parts[first:end])
            begins = end == first + 1 and "static" in statics and text.startswith("static")
            if begins or text in statics:
                static_parts.update(range(first, end))
    others = [k for k in range(len(parts)) if k not in static_parts]
    stop = min((k for k in static_parts if others and k > others[0]), default=len(parts))
    rest = frozenset(word for word in _joined(parts[k] for k in others) if not word.isdecimal())
    return Name(bool(static_parts), rest, _joined(parts[k] for k in others if k < stop))


def _joined(parts: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    """Words joined from their parts, each of which has the number of its word."""
    joined: dict[int, str] = {}
    for place, part in parts:
        joined[place] = joined.get(place, "") + part
    return tuple(joined.values())


def traits(names: Sequence[str], statics: tuple[str, ...], *, of_static: bool) -> frozenset[Trait]:
    """What a file's name has that statics and trials may share.

    Words; numbers, where all that stands before them is the same too (from any folder on, so that ``Walks/01_walk``
    meets ``Statics/01_static``); and words that are the same but for a number glued to one of the two (``AFO1`` and
    ``AFO``, but not ``P1`` and ``P2``).

    Parameters
    ----------
    names : sequence of str
        Of the folders down to it, and its own without the suffix.
    statics : tuple of str
        See `read_name`.
    of_static : bool
        Whether it is a static, or may take one.
    """
    tails = [read_name(" ".join(names[i:]), statics) for i in range(len(names))]
    shared: set[Trait] = {("word", word) for word in tails[0].words}
    for begins in (tail.begins for tail in tails):
        shared.update(("number", *begins[: i + 1]) for i, word in enumerate(begins) if word.isdecimal())
    for word in tails[0].words:
        if stem := word.rstrip("0123456789"):
            # a number in the static's name meets none in the trial's, and the other way round
            shared.add(("glued", "static" if (stem != word) == of_static else "trial", stem))
    return frozenset(shared)


def choose(statics: Sequence[Static], of_trial: frozenset[Trait], of_all: frozenset[Trait]) -> list[Static]:
    """The static of a trial among several in one folder, and those that its name would serve as well, the best first.

    The one that shares most words and numbers with the trial (``barefoot static`` for ``barefoot walk 3``); what all of
    them share with it decides nothing. A trial that shares nothing more takes one that has nothing more in common with
    the others either. Among equals the same again, then the one that shows most landmarks (medial markers may be worn
    in one of two statics), then the last by name, which in most laboratories is the one that was taken again.

    Parameters
    ----------
    statics : sequence of Static
    of_trial, of_all : frozenset of Trait
        Of the trial, and of all trials that may take one of these statics.

    Returns
    -------
    list of Static
        None where each of several belongs to other trials.
    """
    if len(statics) == 1:
        return [*statics]
    common = of_trial.intersection(*(static.traits for static in statics))
    scores = [_score((static.traits & of_trial) - common) for static in statics]
    most = max(scores, default=_score(()))
    if any(most):
        best = [static for static, score in zip(statics, scores, strict=True) if score == most]
    else:
        best = [static for static in statics if (static.traits - common).isdisjoint(of_all)]
    if 0 < len(best) < len(statics):
        return choose(best, of_trial, of_all)
    landmarks = {s.path: shown_landmarks(s.path) for s in best if len(best) > 1}
    return sorted(best, key=lambda s: (landmarks.get(s.path, 0), natural(s.path.stem.casefold()), s.path), reverse=True)


def _score(shared: Iterable[Trait]) -> tuple[int, int, int]:
    """Words and numbers; of those the numbers, since these tell people apart; words but for a number glued to them."""
    kinds = [kind for kind, *_ in shared]
    return len(kinds) - kinds.count("glued"), kinds.count("number"), kinds.count("glued")


@lru_cache(maxsize=1000)
def shown_landmarks(path: Path) -> int:
    """How many landmarks the labels of a static name; 0 where it cannot be read."""
    from gaitid.analysis.landmarks import read_landmarks
    from gaitid.model.marker_sets import Spellings
    from gaitid.read import as_static, read_trial

    try:
        static = as_static(read_trial(path))
    except GaitidError:
        return 0
    landmarks = read_landmarks(static, None)
    return 0 if landmarks is None else len(landmarks.marker_set.found(Spellings(static.seen)))


# --- by what they hold ---------------------------------------------------------------------------------------


def stands(path: Path, longest_s: float = math.inf) -> bool | None:
    """Whether the subject of a trial stands still in it; None where a look at a few frames cannot tell.

    The judgement needs no unit: movements are compared with the size of the body.

    Parameters
    ----------
    path : Path
        A C3D, TRC or plain CSV file. In an export of Nexus the markers may be anywhere: None.
    longest_s : float
        False too where it is longer than this.
    """
    if not path.is_file():  # a pipe would be waited for
        return None
    try:
        looked_at = _frames_of_c3d(path) if path.suffix.lower() == ".c3d" else _frames_of_text(path)
    except (OSError, ValueError, GaitidError):
        return None
    if looked_at is None:
        return None
    frames, seconds = looked_at
    if seconds < SHORTEST_S:
        return None
    return _still(frames) if seconds <= longest_s else False


def _frames_of_c3d(path: Path) -> tuple[Array, float] | None:
    """Some frames, (looked at, points, 4) with residuals last, and how long the trial is, s.

    They are read by their place in the file, as its header says it, so that thousands of trials are looked through in
    seconds: the parameters, which decide where the two disagree, take ten times as long.
    """
    with path.open("rb") as file:
        _, numbers, _, header = read_head(file)
        n_frames = header.last_frame - header.first_frame + 1
        if header.n_points < 4 or n_frames < 1 or header.data_start < BLOCK or not header.rate_hz > 0:
            return None
        decode, n_bytes = (numbers.reals, 4) if header.floats else (numbers.integers, 2)
        frames = []
        for at in _looked_at(n_frames):
            file.seek(header.data_start + at * header.frame_bytes)
            frames.append(decode(file.read(4 * header.n_points * n_bytes)).reshape(header.n_points, 4))
    return np.array(frames, dtype=float), n_frames / header.rate_hz


def _frames_of_text(path: Path) -> tuple[Array, float] | None:
    """The same for a TRC or plain CSV file, of which only these rows are turned into numbers."""
    from gaitid.read.tables.text_table import Dialect, cells_of, is_blank, numbers_of, read_lines

    if path.stat().st_size > _LONGEST_TEXT:
        return None
    if path.suffix.lower() == ".tsv":
        from gaitid.read.tables.marker_table import read_qtm

        values = read_qtm(path).values
        points = values[_looked_at(len(values)), 2:]
        return np.pad(points.reshape(len(points), -1, 3), ((0, 0), (0, 0), (0, 1))), float(values[-1, 1] - values[0, 1])
    lines = [(i, line) for i, line in enumerate(read_lines(path), 1) if not is_blank(line)]
    if path.suffix.lower() == ".trc":
        dialect, n_header = Dialect("\t"), 5
        columns = ["Frame#", "Time", *lines[4][1].split()] if len(lines) > 4 else []
        markers, time = list(range(2, len(columns))), 1
    else:
        header = lines[0][1]
        delimiter = delimiter_of(header)
        dialect, n_header = Dialect(delimiter, decimal_comma=delimiter != ","), 1
        columns = cells_of(header, dialect)
        # axes of a marker beside each other, wherever they stand
        names = {c: match[1] for c in columns if (match := _COORDINATE.fullmatch(c))}
        ordered = sorted(names, key=lambda c: (names[c], c))
        markers, time = [columns.index(c) for c in ordered], columns.index("time_s")
    rows = lines[n_header:]
    if len(rows) < 2 or len(markers) % 3 or len(markers) < 12:
        return None
    values = np.concatenate([numbers_of([rows[at][1]], rows[at][0], columns, dialect) for at in _looked_at(len(rows))])
    points = values[:, markers].reshape(len(values), -1, 3)
    return np.concatenate([points, np.zeros_like(points[..., :1])], axis=2), float(values[-1, time] - values[0, time])


def _looked_at(n_frames: int) -> list[int]:
    return sorted({round(i * (n_frames - 1) / (_LOOKED_AT - 1)) for i in range(_LOOKED_AT)})


def _still(frames: Array) -> bool | None:
    """Whether most points of (looked at, points, 4) frames keep their places; None where too few are seen."""
    with np.errstate(invalid="ignore"):
        seen = (frames[..., 3] >= 0) & np.isfinite(frames).all(axis=2) & frames[..., :3].any(axis=2)
    seen_twice = seen.sum(axis=0) >= 2
    if seen_twice.sum() < 4:
        return None
    low = np.where(seen[..., None], frames[..., :3], np.inf).min(axis=0)[seen_twice]
    high = np.where(seen[..., None], frames[..., :3], -np.inf).max(axis=0)[seen_twice]
    # the body's size without the outermost tenths, which may be points of something else
    places = np.sort((low + high) / 2, axis=0)
    tenth = len(places) // 10
    body = float(np.linalg.norm(places[len(places) - 1 - tenth] - places[tenth]))
    moved = np.linalg.norm(high - low, axis=1)
    return bool((moved < _STILL * body).mean() >= _SHARE)
