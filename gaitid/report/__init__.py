"""Results that were written -> pages and pictures for people: a self-contained HTML page, or a PNG, SVG or PDF.

It reads the files of a result and computes no physics.
"""

from gaitid.report.write import FORMATS, Choices, write_report

__all__ = ["FORMATS", "Choices", "write_report"]
