"""The 3D view and the plans of the plates of each session, as far as the page has room for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from gaitid.records import frozen_dataclass
from gaitid.report.result import Result, Session

# Of the 3 MB of a page: more trials get fewer frames each, and beyond so many only the first of a session is shown.
SCENE_BYTES = 1_200_000
MOST_VIEWS = 12
# The page is light whatever the system is; so are the views on it.
_DARK, _NEVER = "@media (prefers-color-scheme:dark)", "@media not all"


@frozen_dataclass()
class Views:
    """What is drawn of one session's trials in space: HTML, empty where there is none.

    Attributes
    ----------
    scene : str
        The player.
    plans : mapping of int to str
        The plates from above, by the trial's place in the session.
    """

    scene: str = ""
    plans: Mapping[int, str] = field(default_factory=dict)


def views_of(sessions: Sequence[Session], say: Callable[[str], None]) -> list[Views]:
    """The views of each session; their trials are analysed again from the files that the records name."""
    from gaitid.report.scene import plan_html, scene_html  # it brings all that a run needs

    shown = shown_of(sessions)
    total = sum(map(len, shown))
    views, first = [], 0
    for session, of_session in zip(sessions, shown, strict=True):
        say(f"3D view of {session.results[0].stem}")
        keys = [f"r{first + i}" for i in of_session]
        chosen = [session.results[i] for i in of_session]
        scene = scene_html(chosen, SCENE_BYTES * len(chosen) // total, keys)
        views.append(Views(scene, {i: plan_html(session.results[i]) for i in of_session}))
        first += len(session.results)
    return views


def shown_of(sessions: Sequence[Session]) -> list[list[int]]:
    """Which trials of each session get a view, by their place in it."""
    many = sum(len(session.results) for session in sessions) > MOST_VIEWS
    return [[0] if many else list(range(len(session.results))) for session in sessions]


def keyed(results: Sequence[Result]) -> dict[str, Result]:
    """All trials of a page by the names that its parts know them by."""
    return {f"r{i}": result for i, result in enumerate(results)}


def scene_style() -> str:
    """The style sheet of the views."""
    from gaitid.report.scene import SCENE_CSS

    return SCENE_CSS.replace(_DARK, _NEVER)


def scene_script() -> str:
    """The script of the views."""
    from gaitid.report.scene import SCENE_JS

    return SCENE_JS
