"""The tables and the record of a trial as the short table that a notebook shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from gaitid.analysis.wording import reason_words, verdict_words
from gaitid.records import NamedTuple
from gaitid.report.text import render

# Of what may be long; `contacts` and `verdict` have all.
_MOST = 6
_RANGES = ("hip_flexion_deg", "knee_flexion_deg", "ankle_dorsiflexion_deg")


class Shown(NamedTuple):
    """What a table is made of: the trial's name, its record, and its tables by their names."""

    name: str
    record: Mapping[str, Any]
    contacts: pd.DataFrame
    cycles: pd.DataFrame
    joints: pd.DataFrame


def table_of(shown: Shown) -> str:
    """Trial, model, verdict with its reasons, contacts, and the ranges of the sagittal angles."""
    return str(render("api/page.html", rows=_rows(shown)))


def _rows(shown: Shown) -> dict[str, list[str]]:
    """By what it is called: lines, but for the verdict's first at most six."""
    record = shown.record
    trial, model, verdict = record.get("trial", {}), record.get("model", {}), record.get("verdict", {})
    frames = (
        f"{trial.get('frames')} frames at {trial.get('camera_rate_hz'):g} Hz, from frame {trial.get('first_frame')}"
    )
    because = model.get("chosen_because")
    contacts = [
        f"{row.side}, frames {row.first_frame}–{row.last_frame}: "
        + (f"plate {row.plates}, {row.peak_vertical_N:.0f} N" if row.plates else f"load unknown: {row.reason}")
        for row in shown.contacts.itertuples()
    ]
    angles = [str(name).partition("_")[2] for name in shown.joints.columns if str(name).endswith("_deg")]
    names = [name for name in _RANGES if name in angles] or list(dict.fromkeys(angles))
    ranges = [_range(shown, side, name) for name in names for side in ("left", "right")]
    return {
        "trial": [f"{shown.name}: {frames}"],
        "model": [model.get("name", "") + (f" ({because})" if because else "")],
        "verdict": [verdict_words(verdict), *_few([reason_words(reason) for reason in verdict.get("reasons", [])])],
        "contacts": _few(contacts) or ["none"],
        "range": _few(list(filter(None, ranges))) or ["no angle is known"],
    }


def _range(shown: Shown, side: str, name: str) -> str:
    """Lowest and highest value of an angle over the whole cycles, or over the trial where there is none."""
    cycles = shown.cycles
    if not cycles.empty:
        values, over = (cycles.loc[cycles["side"] == side, name], "cycles") if name in cycles else (None, "")
    else:
        column = f"{side}_{name}"
        values, over = (shown.joints[column], "all frames") if column in shown.joints else (None, "")
    if values is None or values.isna().all():
        return ""
    words = name.removesuffix("_deg").replace("_", " ")
    return f"{side} {words} {round(values.min(), 1) + 0.0:.1f} to {round(values.max(), 1) + 0.0:.1f} deg ({over})"


def _few(lines: list[str]) -> list[str]:
    return [*lines[:_MOST], *([f"and {len(lines) - _MOST} more"] if len(lines) > _MOST else [])]
