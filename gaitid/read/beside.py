"""Plate forces that belong to a trial by their names, in formats that hold nothing else.

Cortex writes ``walk.forces`` (or raw channels, ``walk.anc``) beside ``walk.trc``, QTM a file for each plate,
``walk_f_1.tsv`` …, beside ``walk.tsv``.
"""

from __future__ import annotations

import re
from pathlib import Path

#: What plates are calibrated by, where it lies beside raw channels.
CALIBRATION = "forcepla.cal"


def forces_beside(trial: Path) -> list[Path]:
    """The files of forces beside a trial: those of all plates, or one; none for other formats."""
    if trial.suffix.lower() == ".tsv":
        return _matching(trial, r"_f(_\d+)?\.tsv")
    raw = r"|\.anc" if trial.with_name(CALIBRATION).is_file() else ""
    return _matching(trial, rf"\.forces{raw}")[-1:] if trial.suffix.lower() == ".trc" else []


def read_together(forces: Path) -> list[Path]:
    """The files that are read where one file of forces is given: of QTM those of all plates, and a calibration."""
    if forces.suffix.lower() == ".tsv" and (match := re.fullmatch(r"(.+)_f(_\d+)?", forces.stem, re.IGNORECASE)):
        return forces_beside(forces.with_stem(match[1]))
    calibration = forces.with_name(CALIBRATION)
    return [forces, calibration] if forces.suffix.lower() == ".anc" and calibration.is_file() else [forces]


def forces_of(trial: Path, given: Path | None) -> list[Path]:
    """The files of plate forces that are read for a trial beside one that is given."""
    files = forces_beside(trial)[:1] if given is None else [given]
    return [file for forces in files for file in read_together(forces) if file != given]


def _matching(trial: Path, ending: str) -> list[Path]:
    """Files beside it that are named by its stem and this ending."""
    name = re.compile(re.escape(trial.stem) + f"(?:{ending})", re.IGNORECASE)
    try:
        return sorted(file for file in trial.parent.iterdir() if name.fullmatch(file.name))
    except OSError:  # a folder that may be entered but not listed
        return []
