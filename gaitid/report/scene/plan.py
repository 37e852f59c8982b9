"""The plates from above."""

from __future__ import annotations

from gaitid.report.result import Result


def plan_html(result: Result) -> str:
    """Nothing yet."""
    return ""
