"""What a picture of given results shows: sides of one session, sessions of one subject, or the mean over subjects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gaitid.errors import GaitidError
from gaitid.norms import Norms
from gaitid.report.lines import (
    Line,
    Member,
    by_subject,
    group_members,
    members_of,
    session_lines,
    side_lines,
    subject_line,
)
from gaitid.report.page.pool import Basis
from gaitid.report.page.told import agreed, in_words, model_of, names_of, reasons
from gaitid.report.panels import SIDES
from gaitid.report.pictures.catalogue import SHEET, Row
from gaitid.report.pictures.draw import Block, Picture, picture_bytes
from gaitid.report.pictures.request import Request
from gaitid.report.result import Result, Session
from gaitid.report.shared_norms import shared_norms
from gaitid.report.text import plain

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
    return {name: picture_bytes(compose(sessions, request, norms), format) for name, request in requests.items()}


def compose(sessions: Sequence[Session], request: Request, choice: str | None) -> Picture:
    """The picture that is asked for, of one session, or several, or of subjects; `choice` is of norms."""
    subjects = by_subject(sessions)
    if len(subjects) > 1:
        groups = group_members(subjects)
        members = [member for of_label in groups.values() for member in of_label]
        blocks, of = _group_blocks(groups), "subject"
    else:
        members = list(members_of(sessions))
        blocks = _session_blocks(members) if len(members) > 1 else _side_blocks(members)
        of = members[0].basis.kind if members else ""
    rows = _with_values(request.rows, blocks)
    if not rows:
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


# --- what is drawn --------------------------------------------------------------------------------------------


def _side_blocks(members: Sequence[Member]) -> list[Block]:
    """Left and right on the same axes; nothing where there is no curve."""
    return [Block("", lambda column: side_lines(members[0], column))] if members else []


def _session_blocks(members: Sequence[Member]) -> list[Block]:
    def of_side(side: str) -> Callable[[str], tuple[Line, ...]]:
        return lambda column: session_lines(members, side, column)

    return [Block(side.capitalize(), of_side(side)) for side in SIDES if any(side in m.basis.sides for m in members)]


def _group_blocks(groups: Mapping[str, Sequence[Member]]) -> list[Block]:
    """Left and right on the same axes; apart where conditions share them."""
    if len(groups) == 1:
        (members,) = groups.values()
        return [Block("", lambda c: _found([subject_line(members, s, c, SIDES.index(s), s) for s in SIDES]))]

    def of_side(side: str) -> Callable[[str], tuple[Line, ...]]:
        return lambda column: _found(
            [subject_line(members, side, column, i, label) for i, (label, members) in enumerate(groups.items())]
        )

    return [Block(side.capitalize(), of_side(side)) for side in SIDES]


def _found(lines: Sequence[Line | None]) -> tuple[Line, ...]:
    return tuple(line for line in lines if line is not None)


def _with_values(rows: Sequence[Row], blocks: Sequence[Block]) -> list[Row]:
    """The panels that have a line anywhere, without empty rows."""
    kept = [tuple(p for p in row if any(block.lines(p.column) for block in blocks)) for row in rows]
    return [row for row in kept if row]


# --- words ----------------------------------------------------------------------------------------------------


def _head(sessions: Sequence[Session], members: Sequence[Member], subjects: int) -> list[str]:
    """Whose the sheet is, and what can be trusted of the trials that count: the first line is large."""
    results = [result for session in sessions for result in session.results]
    counted = [result for member in members for result in member.results]
    out = [sides for member in members for sides in member.out]
    names = [", ".join(filter(None, (s.subject, s.session, s.condition))) for s in sessions]
    title = f"{subjects} subjects" if subjects > 1 else sessions[0].subject if len(sessions) > 1 else names[0]
    model = f"model {agreed(model_of(result) for result in results)}"
    verdict = f"{'worst ' if len(counted) > 1 else ''}verdict: {words}" if (words := in_words(counted)) else ""
    facts = [model, "moments are internal, per kg of body mass", *([verdict] if verdict else [])]
    told = [reason.words for reason in reasons(counted, out)]
    more = f" … and {len(told) - 1} more" if len(told) > 1 else ""
    without = "; ".join(line for member in members for line in member.left_out)
    why = [_cut(told[0], _LINE - len(more)) + more] if told else []
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
    return [*lines[:_NORM_LINES], f"{signs} gaitid {agreed(result.section('gaitid') for result in results)}."]


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(plain(text), _LINE)


def _caption(results: Sequence[Result], subjects: int, basis: Basis, norms: Norms | None) -> str:
    of = f"over {subjects} subjects of each subject's mean" if subjects > 1 else f"over {basis.kind}s"
    norm = f" Grey: {norms.title}, mean ± SD, n = {norms.n} ({norms.source})." if norms else ""
    return f"Mean ± SD {of}, against {basis.label}; {_trials(results)}.{norm}"


def _cut(text: str, most: int = _LINE) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
