"""Pictures and tables of a result for people: a self-contained HTML page, or one PNG sheet."""

from gaitid.report.write import FORMATS, write_report

__all__ = ["FORMATS", "write_report"]
