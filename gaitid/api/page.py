"""The tables and the record of a trial as the short table that a notebook shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import pandas as pd

from gaitid.analysis.wording import reason_words, verdict_words
from gaitid.errors import in_print
from gaitid.records import NamedTuple

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
    left = 'style="text-align:left;vertical-align:top"'
    rows = [f"<tr><th {left}>{_text(name)}</th><td {left}>{cell}</td></tr>" for name, cell in _rows(shown)]
    return f"<table>{''.join(rows)}</table>"


def _rows(shown: Shown) -> Iterator[tuple[str, str]]:
    record = shown.record
    verdict = record.get("verdict", {})
    trial, model = record.get("trial", {}), record.get("model", {})
    frames = (
        f"{trial.get('frames')} frames at {trial.get('camera_rate_hz'):g} Hz, from frame {trial.get('first_frame')}"
    )
    yield "trial", _text(f"{shown.name}: {frames}")
    because = model.get("chosen_because")
    yield "model", _text(model.get("name", "") + (f" ({because})" if because else ""))
    reasons = [reason_words(reason) for reason in verdict.get("reasons", [])]
    yield "verdict", "<br>".join([f"<b>{_text(verdict_words(verdict))}</b>", *_few(reasons)])
    contacts = [
        f"{row.side}, frames {row.first_frame}–{row.last_frame}: "
        + (f"plate {row.plates}, {row.peak_vertical_N:.0f} N" if row.plates else f"load unknown: {row.reason}")
        for row in shown.contacts.itertuples()
    ]
    yield "contacts", "<br>".join(_few(contacts)) or "none"
    angles = [str(name).partition("_")[2] for name in shown.joints.columns if str(name).endswith("_deg")]
    names = [name for name in _RANGES if name in angles] or list(dict.fromkeys(angles))
    ranges = [_range(shown, side, name) for name in names for side in ("left", "right")]
    yield "range", "<br>".join(_few([line for line in ranges if line])) or "no angle is known"


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
    more = [f"and {len(lines) - _MOST} more"] if len(lines) > _MOST else []
    return [_text(line) for line in [*lines[:_MOST], *more]]


def _text(text: str) -> str:
    return escape(in_print(text))
