"""Results put together in another way than their files say: by trial, session, condition or subject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gaitid.errors import GaitidError
from gaitid.report.page.told import names_of
from gaitid.report.result import Result, Session

WAYS = ("trial", "session", "condition", "subject")
_KEPT = {"session": ("subject", "session"), "condition": ("subject", "condition"), "subject": ("subject",)}


def regrouped(sessions: Sequence[Session], by: str | None) -> tuple[Session, ...]:
    """The same results, those together that have the same label of that kind and are of one subject.

    Parameters
    ----------
    sessions : sequence of Session
    by : {"trial", "session", "condition", "subject"} or None
        ``trial`` sets each trial beside the others. None leaves sessions and conditions apart as they are.

    Raises
    ------
    GaitidError
        By session or condition, and nothing says which.
    """
    if by is None:
        return tuple(sessions)
    if by == "trial":
        results = [(session, result) for session in sessions for result in session.results]
        names = names_of([result for _, result in results])
        return tuple(
            Session(session.subject, name, "", (result,))
            for name, (session, result) in zip(names, results, strict=True)
        )
    if by != "subject" and not any(getattr(session, by) for session in sessions):
        raise GaitidError(
            f"--by {by}: no result has a {by}", expected=f"a column {by} with values in the batch.csv above the results"
        )
    dropped = {name: "" for name in ("session", "condition") if name not in _KEPT[by]}
    together: dict[Session, list[Result]] = {}
    for session in sessions:
        together.setdefault(replace(session, results=(), **dropped), []).extend(session.results)
    return tuple(replace(label, results=tuple(results)) for label, results in together.items())
