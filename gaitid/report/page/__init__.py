"""Results -> the clinical page: what a clinician reads first, then the curves, then what an engineer asks."""

from gaitid.report.page.compose import page

__all__ = ["page"]
