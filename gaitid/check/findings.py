"""All that the checks of one trial found."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from gaitid.analysis.finding import NOTE, Finding
from gaitid.analysis.limits import FAIL, PASS, WARN
from gaitid.records import frozen_dataclass

__all__ = ["FAIL", "NOTE", "PASS", "WARN", "Finding", "Report"]


@frozen_dataclass()
class Report:
    """All findings on one trial.

    Attributes
    ----------
    path : Path
    findings : tuple of Finding
    verdict : mapping or None
        As the trial's record holds it; None where it cannot be analysed.
    """

    path: Path
    findings: tuple[Finding, ...]
    verdict: Mapping[str, Any] | None = None

    @property
    def passed(self) -> bool:
        return all(f.status != FAIL for f in self.findings)

    def line(self) -> str:
        """``PASS walk.c3d: …`` or ``FAIL walk.c3d: …`` with what failed."""
        if self.passed:
            n = sum(f.status == WARN for f in self.findings)
            warned = f" ({n} warning{'s' if n > 1 else ''})" if n else ""
            return f"PASS {self.path}{warned}: " + "; ".join(f.text for f in self.findings if f.status == PASS)
        by_name = groupby((f for f in self.findings if f.status == FAIL), key=lambda f: f.name)
        return f"FAIL {self.path}: " + "; ".join(
            f"{name}: {'; '.join(f.text for f in findings)}" for name, findings in by_name
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "file": str(self.path),
            "passed": self.passed,
            "verdict": self.verdict,
            "checks": [
                {
                    **{key: getattr(f, key) for key in ("name", "status", "text", "value", "limit", "unit")},
                    **({"detail": list(f.detail)} if f.detail else {}),
                }
                for f in self.findings
            ],
        }
