"""A result -> the 3D view of its page, and its plates from above.

In comes a result as it was read from disk. What no table holds, markers, joint centres and plates, comes from analysing
the trial again (`again`); out goes HTML with its style and its script. No physics is computed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gaitid.report.result import Result
from gaitid.report.scene.describe import described
from gaitid.report.scene.moving import seen_of
from gaitid.report.scene.plan import plan_html
from gaitid.report.text import render

__all__ = ["BUDGET_BYTES", "SCENE_CSS", "SCENE_JS", "plan_html", "scene_html"]

#: Bytes that all trials of a page may take together.
BUDGET_BYTES = 1_200_000


def _files(*names: str) -> str:
    return "\n".join(Path(__file__).with_name(name).read_text("utf-8") for name in names)


#: The style of the player and of the plan, and plain JavaScript that starts itself: each to stand once on a page.
SCENE_CSS = _files("scene.css", "plan.css")
SCENE_JS = _files("scene_data.js", "scene_camera.js", "scene_draw.js", "scene_forces.js", "scene.js")
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
    keys = [f"r{i}" for i in range(len(results))] if keys is None else keys
    seen = [(key, result.stem, seen_of(result)) for key, result in zip(keys, results, strict=True)]
    moving = [(key, stem, of.moving) for key, stem, of in seen if of.moving is not None]
    share = budget_bytes // max(len(moving), 1)
    return render(
        "report/scene/scene.html",
        shown=[(key, stem, described(of, key, stem, share).replace("<", "\\u003c")) for key, stem, of in moving],
        absent_trials=[(stem, of.why_not) for _, stem, of in seen if of.moving is None],
        views=_VIEWS,
        toggles=_TOGGLES,
    )
