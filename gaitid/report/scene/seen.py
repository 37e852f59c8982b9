"""A result's trial, analysed again once for all parts of a page that draw it."""

from __future__ import annotations

from pathlib import Path

from gaitid.disk.regular import file_state
from gaitid.errors import GaitidError, in_print
from gaitid.records import frozen_dataclass
from gaitid.report.result import Result
from gaitid.report.scene.moving import Moving, moving
from gaitid.run.command import read_recorded, refuse_other_numbers

# Trials kept, and their frames, of some 6 kB each: a page asks for the view of all, then for the plan of each.
_KEPT, _KEPT_FRAMES = 32, 30_000
_seen: dict[tuple[Path, tuple[int, ...] | None], Seen] = {}


@frozen_dataclass(eq=False)
class Seen:
    """What is drawn of a trial, or why nothing is.

    Attributes
    ----------
    moving : Moving or None
    why_not : str
        In one line, where there is none.
    """

    moving: Moving | None
    why_not: str = ""


def seen_of(result: Result) -> Seen:
    """The same answer for the same record, as long as nobody writes to it."""
    key = (result.path.absolute(), file_state(result.path))
    if key not in _seen:
        found = analyse_again(result)
        while _seen and (len(_seen) >= _KEPT or sum(map(_frames, [found, *_seen.values()])) > _KEPT_FRAMES):
            del _seen[next(iter(_seen))]
        _seen[key] = found
    return _seen[key]


def analyse_again(result: Result) -> Seen:
    """The trial of a result, analysed again from the files that its record names (`gaitid.run.command`).

    Nothing is raised where a file is gone or has changed, or where other numbers come out.
    """
    try:
        again = read_recorded(result.record, result.path).analysed()
        refuse_other_numbers(again, result.record, {**result.columns, "frame": result.frame.astype(float)})
    except (GaitidError, OSError, ValueError) as error:
        return Seen(None, error.line() if isinstance(error, GaitidError) else in_print(str(error)))
    return Seen(moving(again))


def _frames(seen: Seen) -> int:
    return 0 if seen.moving is None else seen.moving.result.trial.n_frames
