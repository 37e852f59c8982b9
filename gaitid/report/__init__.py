"""Results that were written -> pages and pictures for people: a self-contained HTML page, or one PNG sheet.

It reads the files of a result and computes no physics.
"""

from gaitid.report.write import FORMATS, write_report

__all__ = ["FORMATS", "write_report"]
