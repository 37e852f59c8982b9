"""The page of several sessions: those of one subject compared, or a group of subjects."""

from __future__ import annotations

from collections.abc import Sequence

from gaitid.report.group import group_html
from gaitid.report.lines import by_subject, group_members, members_of
from gaitid.report.page.compose import document
from gaitid.report.result import Session
from gaitid.report.sessions import sessions_html, styles
from gaitid.report.shared_norms import shared_norms
from gaitid.report.text import escape

#: So many sessions have their whole part on a page beside the comparison: more would be more than a page can hold.
MOST_PARTS = 2


def compares_only(sessions: Sequence[Session]) -> bool:
    """Whether a page of these sessions has no part for each: of a group, or of many sessions."""
    return len(sessions) > MOST_PARTS or len(by_subject(sessions)) > 1


def comparison(sessions: Sequence[Session], choice: str | None) -> tuple[str, str]:
    """An article that compares sessions or subjects, and the styles that it needs.

    Parameters
    ----------
    sessions : sequence of Session
        Two at least; the first one's is what the others are held against.
    choice : str or None
        Of norms, as in `gaitid.norms.norms_for`.
    """
    subjects = by_subject(sessions)
    if len(subjects) > 1:
        members = [member for group in group_members(subjects).values() for member in group]
        kind, title = "Group report", f"{len(subjects)} subjects"
    else:
        members, kind = list(members_of(sessions)), "Sessions compared"
        title = subjects[0].name or f"{len(members)} sessions"
    if not members:
        return "", ""
    norms, why = shared_norms(members, choice)
    inside = group_html(subjects, norms, why) if len(subjects) > 1 else sessions_html(sessions, norms, why)
    alone = "one result or one folder of a session" if len(subjects) == 1 else "one subject’s folder"
    more = f'<p class="note">gaitid report of {alone} has everything about it.</p>' if compares_only(sessions) else ""
    header = f'<header><p class="kind">{kind}</p><h1>{escape(title)}</h1>{more}</header>'
    return f'<article id="compared">{header}{inside}</article>' if inside else "", styles()


def comparison_page(sessions: Sequence[Session], choice: str | None) -> str:
    """A whole page with nothing but the comparison."""
    article, css = comparison(sessions, choice)
    names = {session.subject for session in sessions}
    heading = f"{len(names)} subjects" if len(names) > 1 else f"{len(sessions)} sessions"
    return document(heading, article or '<p class="quiet">No curve of these results is drawn.</p>', css)
