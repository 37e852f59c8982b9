"""The 3D view of a report's page: one player, the trials that it may show, and why others cannot be shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from gaitid.report.result import Result
from gaitid.report.scene.describe import described
from gaitid.report.scene.seen import Seen, seen_of
from gaitid.report.text import escape

_SCRIPTS = ("scene_data.js", "scene_camera.js", "scene_draw.js", "scene_forces.js", "scene.js")
#: Bytes that all trials of a page may take together.
BUDGET_BYTES = 1_200_000


@cache
def packaged(name: str) -> str:
    """The text of a file beside this one."""
    return Path(__file__).with_name(name).read_text("utf-8")


def scene_css() -> str:
    """The style of the player and of the plan."""
    return packaged("scene.css") + packaged("plan.css")


def scene_js() -> str:
    """The player: plain JavaScript that starts itself; nothing is fetched."""
    return "\n".join(packaged(name) for name in _SCRIPTS)


def default_keys(results: Sequence[Result]) -> list[str]:
    """``r0``, ``r1`` …: by which the parts of a page name its trials."""
    return [f"r{i}" for i in range(len(results))]


def scene_html(results: Sequence[Result], budget_bytes: int = BUDGET_BYTES, keys: Sequence[str] | None = None) -> str:
    """The player with the trials of some results.

    Parameters
    ----------
    results : sequence of Result
        As read from disk: their trials are analysed again.
    budget_bytes : int
        For all trials together.
    keys : sequence of str, optional
        How the page names the trials in ``gaitid:time``; by default ``r0``, ``r1`` ….

    Returns
    -------
    str
        A ``section``; where no trial can be shown a paragraph that says why.
    """
    keys = default_keys(results) if keys is None else keys
    shown: list[tuple[str, str, Seen]] = []
    lines: list[str] = []
    for key, result in zip(keys, results, strict=True):
        seen = seen_of(result)
        if seen.moving is None:
            lines.append(f'<p class="gs-absent">No 3D view of {escape(result.stem)}: {escape(seen.why_not)}.</p>')
        else:
            shown.append((key, result.stem, seen))
    absent = "".join(lines)
    if not shown:
        return absent
    share = budget_bytes // len(shown)
    data = []
    for key, stem, seen in shown:
        assert seen.moving is not None
        text = described(seen.moving, key, stem, share).replace("<", "\\u003c")
        data.append(f'<script type="application/json" class="gs-trial">{text}</script>')
    return f'<section class="gs" aria-label="3D view">{_player(shown)}{absent}{"".join(data)}</section>'


_VIEWS = (("free", "Oblique"), ("front", "Front"), ("left", "Left"), ("right", "Right"), ("top", "Top"))
_TOGGLES = (
    ("follow", "Follow", "the camera goes with the pelvis", False),
    ("labels", "Labels", "names of the markers", False),
    ("axes", "Axes", "axes of the segments: x red, y green, z blue", True),
    ("forces", "Forces", "ground reaction", True),
    ("moments", "Moments", "internal joint moments", False),
    ("com", "Centre of mass", "centre of mass of the body", True),
    ("others", "Other markers", "markers that the model does not use", True),
)
_SPEEDS = ("1", "0.5", "0.25", "0.1")


def _player(shown: Sequence[tuple[str, str, Seen]]) -> str:
    views = "".join(
        f'<button type="button" data-view="{name}" aria-pressed="false">{words}</button>' for name, words in _VIEWS
    )
    toggles = "".join(
        f'<button type="button" data-toggle="{name}" aria-pressed="{str(on).lower()}" title="{title}">{words}</button>'
        for name, words, title, on in _TOGGLES
    )
    speeds = "".join(f'<option value="{speed}">{speed}×</option>' for speed in _SPEEDS)
    options = "".join(f'<option value="{escape(key)}">{escape(stem)}</option>' for key, stem, _ in shown)
    trials = (
        f'<label class="gs-pick">Trial <select class="gs-trials">{options}</select></label>' if len(shown) > 1 else ""
    )
    return (
        '<noscript><p class="gs-absent">The 3D view needs scripts, which this browser does not run.</p></noscript>'
        '<div class="gs-stage"><canvas class="gs-canvas" tabindex="0" role="img" aria-label="3D view of the trial. '
        "Arrow keys turn it, plus and minus zoom, space plays and stops, comma and full stop go picture by picture."
        '"></canvas><div class="gs-tip" hidden></div><p class="gs-say" aria-live="off"></p></div>'
        f'<div class="gs-bar">{trials}<button type="button" class="gs-play" aria-pressed="false">Play</button>'
        f'<label class="gs-pick">Speed <select class="gs-speed">{speeds}</select></label>'
        '<output class="gs-time" aria-live="off"></output></div>'
        '<div class="gs-scrub"><canvas class="gs-strip" aria-hidden="true"></canvas>'
        '<input class="gs-slider" type="range" min="0" max="1" step="1" value="0" aria-label="Time"></div>'
        f'<div class="gs-bar" role="group" aria-label="View">{views}'
        '<button type="button" data-zoom="in" aria-label="Zoom in">+</button>'
        '<button type="button" data-zoom="out" aria-label="Zoom out">−</button></div>'
        f'<div class="gs-bar" role="group" aria-label="What is drawn">{toggles}</div>'
        '<p class="gs-legend" aria-hidden="true"></p><p class="gs-keys">Turn: drag, arrow keys. Zoom: wheel after a '
        "click, + and −, pinch. Play: space. Step: comma and full stop. Views: 1 to 5.</p>"
        '<ul class="gs-doubts"></ul>'
    )
