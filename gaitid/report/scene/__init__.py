"""A result -> the 3D view of its page, and its plates from above.

In comes a result as it was read from disk. What no table holds, markers, joint centres and plates, comes from analysing
the trial again (`again`); out goes HTML with its style and its script. No physics is computed here.
"""

from gaitid.report.scene.plan import plan_html
from gaitid.report.scene.scene import BUDGET_BYTES, SCENE_CSS, SCENE_JS, scene_html

__all__ = ["BUDGET_BYTES", "SCENE_CSS", "SCENE_JS", "plan_html", "scene_html"]
