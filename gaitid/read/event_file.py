"""A file of gait events of the user -> those of a trial, or what the labels of the trial's events mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gaitid.errors import ReadError, reading
from gaitid.notes import note
from gaitid.read.event_names import SIDES, WORDS, foot_event, said, side_of_word
from gaitid.read.subjects import listed
from gaitid.read.tables.text_table import cells_of, check_names, dialect_of, filled, read_lines
from gaitid.trial import Event, Trial

_COLUMNS = ("side", "event", "time_s", "frame")
_EXPECTED = "side, event, and time_s (0 at the trial's first frame) or frame (as the trial numbers them)"
# Frames. A time and the frame that it was rounded to, up or down, may be so far apart.
_ROUNDED = 1.5
#: Suffixes of a file that says what labels mean, and belongs to any number of trials.
OF_LABELS = (".yaml", ".yml")
_MEANINGS = "left strike, left off, right strike, right off; strike or off of the event's context; or none"


def with_events(trial: Trial, path: Path) -> Trial:
    """The trial with the events of a file, in place of those that it stores of the same kind and foot.

    Parameters
    ----------
    trial : Trial
    path : Path
        CSV with a row an event: ``side`` (left or right), ``event`` (foot strike or foot off, by any of their usual
        names), and ``time_s`` or ``frame``. Or a C3D of the same recording, whose events are taken by its clock. Or
        YAML that says what the labels of the trial's events mean (``labels: {HS_L: left strike}``).

    Raises
    ------
    ReadError
        What cannot be read, or an event that is no strike and no off of a foot within the trial; all of them in one
        line that begins with the file's name.
    """
    with reading(f"{path.name}: "):
        if path.suffix.lower() in OF_LABELS:
            return _labels_meant(trial, _meanings(path))
        events = _of_c3d(trial, path) if path.suffix.lower() == ".c3d" else _of_table(trial, path)
        if not events:
            raise ReadError("it holds no event", expected="foot strikes and foot offs", todo="leave out --events")
    given = {foot_event(event.name, event.side) for event in events}
    stored = [event for event in trial.events if foot_event(event.name, event.side) not in given]
    return replace(trial, events=tuple(sorted([*stored, *events], key=lambda e: (e.time_s, e.side, e.name))))


def _meanings(path: Path) -> dict[str, tuple[str, str]]:
    """Side and kind of each label of a file; no side where it is that of the context, neither where it is no event."""
    from gaitid.model.yaml_file import load_yaml

    document = load_yaml(path)
    keys = document if isinstance(document, Mapping) else {}
    labels = keys.get("labels")
    if not isinstance(labels, Mapping) or not labels or len(keys) > 1:
        raise ReadError(
            "not one key `labels`",
            expected="labels: {HS_L: left strike, ...}",
            found=listed([*map(str, keys)]) or "no keys",
        )
    meant = {str(label).strip(): ("", "") if text == "none" else said(str(text)) for label, text in labels.items()}
    faults = [f"{label}: {text}" for label, text in labels.items() if text != "none" and not said(str(text))[1]]
    if faults:
        raise ReadError(f"labels that mean no event: {listed(faults)}", expected=_MEANINGS)
    return meant


def _labels_meant(trial: Trial, meanings: Mapping[str, tuple[str, str]]) -> Trial:
    """The trial's events under the names that its labels mean, without those that mean no event of a foot."""
    events: list[Event] = []
    against: Counter[str] = Counter()
    for event in trial.events:
        side, kind = meanings.get(event.name.strip(), (None, ""))
        if side is None:
            events.append(event)
        elif kind:
            events.append(replace(event, name=WORDS[kind], side=side or event.side))
            against[f"{event.name.strip()}: {side} {kind}"] += bool(side) and event.side in SIDES and side != event.side
    if wrong := [f"{meaning}, of {n} with the other side" for meaning, n in against.items() if n]:
        raise ReadError(
            f"meanings with a side that the context of events contradicts: {listed(wrong)}",
            expected="strike or off, without a side, where the context gives it",
            todo="leave out the side; where the context is wrong, give the events in a CSV (side, event, time_s)",
        )
    stored = {event.name.strip() for event in trial.events}
    if stored and not stored & set(meanings):
        unused = note("input_unused/events", labels=listed([*meanings]), stored=listed(sorted(stored)))
        return replace(trial, notes=(*trial.notes, unused))
    return replace(trial, events=tuple(events))


def _of_c3d(trial: Trial, path: Path) -> list[Event]:
    """Events of another file of the recording: what C3D counts from frame 1, this trial counts from its first frame."""
    from gaitid.read.c3d.trial import read_c3d

    other = read_c3d(path)
    shift_s = (other.first_frame - 1) / other.rate_hz - (trial.first_frame - 1) / trial.rate_hz
    events = [Event(e.name, e.side, e.time_s + shift_s, given=True) for e in other.events]
    _refuse_outside(trial, [(f"{e.side} {e.name}", e.time_s) for e in events])
    return events


def _of_table(trial: Trial, path: Path) -> list[Event]:
    lines = read_lines(path)
    rows = filled(lines)
    header = lines[rows[0]] if rows else ""
    dialect = dialect_of(header)
    columns = [cell.lower() for cell in cells_of(header, dialect)]
    check_names(columns)
    if set(columns) - {*_COLUMNS} or len(set(columns)) < len(columns):
        raise ReadError(f"columns: {', '.join(columns) or 'none'}", expected=_EXPECTED)
    if not {"side", "event"} <= set(columns) or not {"time_s", "frame"} & set(columns):
        raise ReadError(f"columns: {', '.join(columns)}", expected=_EXPECTED)
    events: list[Event] = []
    faults: list[str] = []
    for number, line in ((i + 1, lines[i]) for i in rows[1:]):
        cells = cells_of(line, dialect)
        row = dict(zip(columns, cells, strict=False))
        side = side_of_word(row.get("side", "").lower())
        name = WORDS.get(foot_event(row.get("event", ""), side)[1])
        times = _times(row, trial, dialect.decimal_comma)
        if len(cells) > len(columns):
            faults.append(f"row {number}: {len(cells)} cells for {len(columns)} columns")
        elif not side:
            faults.append(f"row {number}: side {row.get('side', '')!r} is neither left nor right")
        elif name is None:
            faults.append(f"row {number}: event {row.get('event', '')!r} is neither a foot strike nor a foot off")
        elif not times:
            faults.append(f"row {number}: no number in {' or '.join(c for c in columns if c in ('time_s', 'frame'))}")
        elif max(times) - min(times) > _ROUNDED / trial.rate_hz:
            frame = round(times[0] * trial.rate_hz) + trial.first_frame
            faults.append(f"row {number}: {row['time_s']} s is in frame {frame}, and the row says {row['frame']}")
        elif any((e.name, e.side, e.time_s) == (name, side, times[0]) for e in events):
            faults.append(f"row {number}: the {side} {name.lower()} is given twice")
        else:
            events.append(Event(name, side, times[0], given=True))
    if faults:
        raise ReadError(listed(faults), expected=_EXPECTED)
    _refuse_outside(trial, [(f"{e.side} {e.name.lower()}", e.time_s) for e in events])
    return events


def _times(row: dict[str, str], trial: Trial, decimal_comma: bool) -> list[float]:
    """Seconds from the trial's first frame, by time and by frame; the first counts where both are given."""
    times = []
    for column in ("time_s", "frame"):
        text = row.get(column, "")
        try:
            number = float(text.replace(",", ".") if decimal_comma else text)
        except ValueError:
            continue
        if abs(number) < float("inf"):
            times.append(number if column == "time_s" else (number - trial.first_frame) / trial.rate_hz)
    return times


def _refuse_outside(trial: Trial, events: Sequence[tuple[str, float]]) -> None:
    last_s = (trial.n_frames - 1) / trial.rate_hz
    margin_s = 0.5 / trial.rate_hz  # of rounding to frames
    outside = [f"{name} at {t:.4g} s" for name, t in events if not -margin_s <= t <= last_s + margin_s]
    if outside:
        raise ReadError(
            f"outside the trial: {listed(outside)}",
            expected=f"0 to {last_s:.4g} s, frames {trial.first_frame} to {trial.first_frame + trial.n_frames - 1}",
            todo="time_s is 0 at the trial's first frame, and frames are numbered as the trial numbers them",
        )
