"""All that the checks of one trial found, and which quantity a column holds that tolerances are given for."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.analysis.figures import NOTE, Finding
from gaitid.analysis.limits import FAIL, PASS, WARN
from gaitid.check.limits import TOLERANCES
from gaitid.errors import first_few
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

__all__ = ["FAIL", "NOTE", "PASS", "WARN", "Finding", "Report"]


# Findings of one name in the line of a trial: of a long one, dozens of stances; --json has all.
_SHOWN = 6


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
        status = PASS if self.passed else FAIL
        by_name = groupby((f for f in self.findings if f.status == status), key=lambda f: f.name)
        words = [(name, first_few([f.text for f in findings], _SHOWN, "; ")) for name, findings in by_name]
        if not self.passed:
            return f"FAIL {self.path}: " + "; ".join(f"{name}: {text}" for name, text in words)
        n = sum(f.status == WARN for f in self.findings)
        warned = f" ({n} warning{'s' if n > 1 else ''})" if n else ""
        return f"PASS {self.path}{warned}: " + "; ".join(text for _, text in words)

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


# Ends of names of columns and the quantity of each, the longer before the shorter; others hold words, or figures of
# no result.
_ENDS = {f"_{name.partition('_')[2]}": name for name in TOLERANCES if name != "quaternion_1"}
_ENDS["_envelope_percent"] = "envelope_percent"
_ENDS = {**dict(sorted(_ENDS.items(), key=lambda end: -len(end[0]))), **{f"_q{c}": "quaternion_1" for c in "wxyz"}}
_UNITS = {
    "Nm": "N·m",
    "Nm_per_kg": "N·m/kg",
    "Nms_per_kg": "N·m·s/kg",
    "J_per_kg": "J/kg",
    "BW_per_s": "BW/s",
    "BW_s": "BW·s",
    "N_per_kg": "N/kg",
    "W_per_kg": "W/kg",
    "rad_per_s": "rad/s",
    "rad_per_s2": "rad/s²",
    "m_per_s": "m/s",
    "m_per_s2": "m/s²",
    "steps_per_min": "steps/min",
    "percent": "%",
    "1": "",
}


def quantity_of(column: str) -> str:
    """The quantity of a column; empty where it holds none."""
    return next((quantity for end, quantity in _ENDS.items() if column.endswith(end)), "")


def unit_of(quantity: str) -> str:
    """The unit of a quantity, as people write it."""
    unit = quantity.partition("_")[2]
    return _UNITS.get(unit, unit)


def amount(size: float, quantity: str) -> str:
    """A value with its unit."""
    return f"{size:.3g} {unit_of(quantity)}".strip()


def distance(a: Array, b: Array, quantity: str) -> Array:
    """How far values lie apart: angles on the circle, quaternions whatever their sign."""
    difference: Array = np.abs(a - b)
    if quantity == "angle_deg":
        difference = np.minimum(difference, np.abs(360 - difference))  # an angle that wraps has not moved
    if quantity == "quaternion_1":
        difference = np.minimum(difference, np.abs(a + b))  # q and -q are the same orientation
    return difference
