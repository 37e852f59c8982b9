"""What other programs leave beside a trial or in it: plate forces by their names, and which foot was on which plate.

Three places are known:

- Nexus keeps a context for every plate in the trial's Eclipse file, ``walk.Trial.enf``, ``walk.Trial01.enf`` or
  ``walk.enf``: ``FP1=Left``, ``Right``, ``Invalid``, or ``Auto`` (Vicon Nexus; as pyCGM2's ``TrialEnfReader`` and
  gaitutils' ``eclipse`` read it). A C3D that Nexus writes does not hold it.
- pyCGM2 (``forceplates.addForcePlateGeneralEvents``) adds a general event ``Left-FP`` or ``Right-FP`` for every plate
  that it assigned, at the frame of that plate's largest vertical force. The event does not name the plate.
- Motion files of OpenSim may name the foot in their columns (`gaitid.read.tables.mot`).
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from gaitid.disk.regular import file_size
from gaitid.errors import ReadError
from gaitid.read.plates import LOADED_N
from gaitid.trial import Assignment, ForcePlate, Trial

# Nothing else of the file is looked at: it may hold names and remarks.
_CONTEXT = rb"(?i)\s*FP(\d{1,3})\s*=\s*(Left|Right|Invalid)\s*"  # not compiled where there is no such file
_FEET = {"left": "left", "right": "right", "invalid": "none"}
_EVENTS = {"left-fp": "left", "right-fp": "right"}
# Bytes of an .enf that is looked at: they have some hundreds.
ENF_BYTES = 100_000
# An event belongs to a plate whose force comes this near its largest, within one camera frame.
_AT_PEAK = 0.99


def assignments_left(trial: Trial) -> tuple[Assignment, ...]:
    """What other programs left: assignments that the trial already has, then the .enf's, then the events'.

    Parameters
    ----------
    trial : Trial
        As read, with its events and plates; the .enf is looked for beside its file.

    Returns
    -------
    tuple of Assignment
        An ``Auto`` context and an event that fits no plate, or several, say nothing.
    """
    return (*trial.assignments, *_from_enf(trial.path), *_from_events(trial))


def enf_files(path: Path) -> list[Path]:
    """Eclipse files beside a trial."""
    start = f"{path.stem}.Trial"
    try:
        enf = [p for p in path.parent.iterdir() if p.suffix.lower() == ".enf"]
        return sorted(p for p in enf if p.name.startswith(start) or p.stem == path.stem)
    except OSError:  # a folder that may be entered but not listed
        return []


def _from_enf(path: Path) -> list[Assignment]:
    assignments = []
    for enf in enf_files(path):
        try:
            file_size(enf, ENF_BYTES, "Eclipse")
            matches = [m for line in enf.read_bytes().splitlines() if (m := re.fullmatch(_CONTEXT, line))]
        except (OSError, ReadError):  # a folder or pipe of that name, or one that may not be read: nobody asked for it
            continue
        for plate, context in ((int(number), word.decode().lower()) for number, word in (m.groups() for m in matches)):
            source = f"FP{plate}={context.capitalize()} in {enf.name}"
            assignments.append(Assignment(plate, _FEET[context], source, declared=True))
    return assignments


def _from_events(trial: Trial) -> list[Assignment]:
    assignments = []
    for event in trial.events:
        foot = _EVENTS.get(event.name.lower())
        plates = [p.number for p in trial.plates if foot and _peaks_at(p, event.time_s, 1 / trial.rate_hz)]
        if foot and len(plates) == 1:
            assignments.append(Assignment(plates[0], foot, f"general event {event.name}", event.time_s))
    return assignments


def _peaks_at(plate: ForcePlate, time_s: float, within_s: float) -> bool:
    """Whether the plate feels its largest vertical force then."""
    vertical = np.abs(plate.force_p[:, 2])
    first = max(round((time_s - within_s - plate.start_s) * plate.rate_hz), 0)
    last = round((time_s + within_s - plate.start_s) * plate.rate_hz)
    if last < first or not len(vertical[first : last + 1]):
        return False
    peak = float(np.nanmax(vertical, initial=0.0))
    return peak > LOADED_N and float(np.nanmax(vertical[first : last + 1], initial=0.0)) >= _AT_PEAK * peak


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
