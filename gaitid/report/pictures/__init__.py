"""What a picture of given results shows: sides of one session, sessions of one subject, or the mean over subjects."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from functools import partial

from gaitid.errors import GaitidError
from gaitid.norms import Norms
from gaitid.report.gathering import Session
from gaitid.report.lines import (
    Line,
    Member,
    Subjects,
    by_subject,
    group_members,
    known,
    members_of,
    session_lines,
    shared_norms,
    side_lines,
    subject_line,
)
from gaitid.report.page import Basis
from gaitid.report.page.messages import agreed, agreed_at, in_words, model_of, names_of, reasons
from gaitid.report.panels import SHEET, SIDES, Request
from gaitid.report.pictures.draw import Block, Picture, drawn
from gaitid.report.text import plain
from gaitid.results.result import Result

# Characters in a line of a sheet's head and foot.
_LINE = 150
# So many lines of a sheet's foot say which norms are drawn.
_NORM_LINES = 2
# So many trials are named.
_NAMED = 12


def pictures(
    sessions: Sequence[Session], requests: Mapping[str, Request], format: str, norms: str | None
) -> dict[str, bytes]:
    """The content of each picture that is asked for, by its name.

    Raises
    ------
    GaitidError
        No such figure, width or norms; or nothing to draw in a figure.
    """
    return {name: drawn(compose(sessions, request, norms), format) for name, request in requests.items()}


def compose(sessions: Sequence[Session], request: Request, choice: str | None) -> Picture:
    """The picture that is asked for, of one session, or several, or of subjects; `choice` is of norms."""
    subjects = by_subject(sessions)
    if len(subjects) > 1:
        members, blocks = _of_group(subjects)
        of = "subject"
    else:
        members = list(members_of(sessions))
        of = members[0].basis.kind if members else ""
        blocks = [Block("", partial(side_lines, member)) for member in members]  # both sides on the same axes
        if len(members) > 1:
            sides = [side for side in SIDES if any(side in member.basis.sides for member in members)]
            blocks = [Block(side.capitalize(), partial(session_lines, members, side)) for side in sides]
    # the panels that have a line anywhere, without empty rows
    rows = [tuple(p for p in row if any(block.lines(p.column) for block in blocks)) for row in request.rows]
    if not (rows := [row for row in rows if row]):
        raise GaitidError(
            f"{sessions[0].results[0].path}: nothing to draw of {', '.join(request.names)}",
            expected="values of it in cycles.csv or joints.csv",
        )
    norms, why = shared_norms(members, choice)
    results = [result for session in sessions for result in session.results]
    sheet = request.names == (SHEET,)
    return Picture(
        rows=rows,
        blocks=blocks,
        width=request.width_mm,
        x_label=members[0].basis.label,
        norms=norms,
        counted=of,
        thin=request.cycles,
        head=_head(sessions, members, len(subjects)) if sheet else (),
        foot=_foot(results, why) if sheet else (),
        caption=_caption(results, len(subjects), members[0].basis, norms),
    )


def _of_group(subjects: Subjects) -> tuple[list[Member], list[Block]]:
    """Left and right on the same axes; apart where conditions share them."""
    groups = group_members(subjects)
    members = [member for of_label in groups.values() for member in of_label]

    def both(column: str) -> tuple[Line, ...]:
        return known(subject_line(members, side, column, i, side) for i, side in enumerate(SIDES))

    def of_side(side: str, column: str) -> tuple[Line, ...]:
        return known(subject_line(groups[label], side, column, i, label) for i, label in enumerate(groups))

    if len(groups) == 1:
        return members, [Block("", both)]
    return members, [Block(side.capitalize(), partial(of_side, side)) for side in SIDES]


# --- words ----------------------------------------------------------------------------------------------------


def _head(sessions: Sequence[Session], members: Sequence[Member], subjects: int) -> list[str]:
    """Whose the sheet is, and what can be trusted of the trials that count: the first line is large."""
    results = [result for session in sessions for result in session.results]
    counted = [result for member in members for result in member.results]
    out = [sides for member in members for sides in member.out]
    names = [", ".join(filter(None, (s.subject, s.session, s.condition))) for s in sessions]
    title = f"{subjects} subjects" if subjects > 1 else sessions[0].subject if len(sessions) > 1 else names[0]
    model = f"model {agreed(map(model_of, results))}"
    verdict = f"{'worst ' if len(counted) > 1 else ''}verdict: {words}" if (words := in_words(counted)) else ""
    facts = [model, "moments are internal, per kg of body mass", *([verdict] if verdict else [])]
    texts = [reason.words for reason in reasons(counted, out)]
    more = f" … and {len(texts) - 1} more" if len(texts) > 1 else ""
    without = "; ".join(line for member in members for line in member.left_out)
    why = [_cut(texts[0], _LINE - len(more)) + more] if texts else []
    return [
        _cut(plain(title) or names_of(results)[0], 60),
        _cut(_trials(results)),
        _cut(" · ".join(facts)),
        *why,
        *([_cut(f"not in the means: {without}")] if without else []),
    ]


def _trials(results: Sequence[Result]) -> str:
    """How many, and which where they are few."""
    count = f"{len(results)} trial{'' if len(results) == 1 else 's'}"
    return f"{count}: {', '.join(names_of(results))}" if len(results) <= _NAMED else count


def _foot(results: Sequence[Result], norms: str) -> list[str]:
    signs = "Positive is what stands at the upper end of an axis."
    while len(lines := _wrapped(norms)) > _NORM_LINES and ". " in norms:  # whole sentences: a page says the rest
        norms = norms.rpartition(". ")[0] + "."
    return [*lines[:_NORM_LINES], f"{signs} gaitid {agreed_at(results, 'gaitid')}."]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(plain(text), _LINE)


def _caption(results: Sequence[Result], subjects: int, basis: Basis, norms: Norms | None) -> str:
    of = f"over {subjects} subjects of each subject's mean" if subjects > 1 else f"over {basis.kind}s"
    norm = f" Grey: {norms.title}, mean ± SD, n = {norms.n} ({norms.source})." if norms else ""
    return f"Mean ± SD {of}, against {basis.label}; {_trials(results)}.{norm}"


def _cut(text: str, most: int = _LINE) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
