"""`gaitid run --dry-run`: a plan as text, for people."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gaitid.errors import counted, in_print
from gaitid.model.find import bundled_folder
from gaitid.read.plates.surface import repeated_plates

if TYPE_CHECKING:
    from gaitid.body.subject import Measured
    from gaitid.run.plan import FileRead, Plan
    from gaitid.trial import Trial

_WIDTH, _MARGIN = 110, 10
# What a person reads a value in, and the factor from SI.
_SHOWN = {"m": ("mm", 1e3), "rad": ("deg", 180 / math.pi)}
_BYTES = ((1e6, "MB"), (1e3, "kB"))


def plan_line(plan: Plan) -> str:
    """One line: what would become of the trial."""
    if plan.refused is not None:
        return f"{plan.path}: would be refused: {plan.refused.line()}"
    assert plan.model is not None and plan.trial is not None
    replaced = sum(file.exists for file in plan.writes)
    words = [
        f"model {plan.model.name}",
        " and ".join(plan.legs) + (" leg" if len(plan.legs) == 1 else " legs"),
        counted(len(plan.trial.plates), "plate"),
        f"{counted(len(plan.writes), 'file')} in {plan.writes[0].path.parent}" if plan.writes else "wrenches on stdout",
    ]
    if replaced:
        words[-1] += f", {replaced} of them replaced"
    doubts = sum(note.severity in ("error", "doubt") for note in plan.notes)
    if doubts:
        words.append(counted(doubts, "warning"))
    return f"{plan.path}: would be analysed: {'; '.join(words)}"


def plan_text(plan: Plan) -> str:
    """All of a plan, a few lines a topic, the verdict first."""
    lines = [in_print(str(plan.path))]

    def add(topic: str, texts: Iterable[str]) -> None:
        for i, text in enumerate(texts):
            wrapped = textwrap.wrap(in_print(text), _WIDTH - _MARGIN, break_long_words=False, break_on_hyphens=False)
            for j, line in enumerate(wrapped or [""]):
                head = topic if i == j == 0 else ""
                lines.append(f"{head:<{_MARGIN}}{'  ' if j else ''}{line}")

    add("outcome", [f"would be refused: {plan.refused.line()}" if plan.refused else "would be analysed"])
    add("reads", _reads(plan))
    if plan.model is not None:
        add("model", [f"{plan.model.name}: {plan.model.title}", *filter(None, [plan.chosen_because])])
    add("markers", _markers(plan))
    if plan.measured is not None:
        add("subject", _subject(plan.measured) or ["the model asks for no measurement"])
        add("assumed", _assumed(plan) or ["nothing so far"])
        doubts = [note.text for note in plan.notes if note.severity in ("error", "doubt")]
        add("warnings", doubts)
    if plan.model is not None:
        add("settings", _settings(plan))
    if plan.trial is not None:
        add("plates", _plates(plan.trial))
    if plan.refused is None:
        add("writes", _writes(plan))
    return "\n".join(lines) + "\n"


def not_known(words: Iterable[str]) -> str:
    """The closing line: what only the run finds."""
    return f"Nothing was written. Only the run finds: {'; '.join(words)}."


def _reads(plan: Plan) -> Iterator[str]:
    for file in plan.reads:
        if file.role == "trial":
            facts = "" if plan.trial is None else f", {_trial_words(plan.trial)}"
            yield f"{file.path}  {_size(file)}{facts}"
        elif not file.path.is_relative_to(bundled_folder("configs")):
            yield f"{file.path}  {_size(file)}, {file.role}{f': {file.why}' if file.why else ''}"
    if plan.static_beside is not None:
        yield f"{plan.static_beside} lies beside it, and is not calibrated with: give it with --static"


def _size(file: FileRead) -> str:
    if file.size_bytes is None:
        return "not there"
    for scale, unit in _BYTES:
        if file.size_bytes >= scale:
            return f"{file.size_bytes / scale:.1f} {unit}"
    return counted(file.size_bytes, "byte")


def _trial_words(trial: Trial) -> str:
    made = ", ".join(filter(None, (trial.origin.get("format", ""), trial.origin.get("software", ""))))
    last = trial.first_frame + trial.n_frames - 1
    words = [
        made,
        f"frames {trial.first_frame} to {last} at {trial.rate_hz:g} Hz ({trial.n_frames / trial.rate_hz:.2f} s)",
        counted(len(trial.labels), "point"),
    ]
    if int(channels := trial.origin.get("analog_channels", "0")):
        rate = trial.origin.get("analog_rate_hz")
        words.append(f"{channels} analog channels" + (f" at {float(rate):g} Hz" if rate else ""))
    if trial.events:
        words.append(counted(len(trial.events), "event"))
    return ", ".join(filter(None, words))


def _markers(plan: Plan) -> Iterator[str]:
    """Of each side, the label of each role that the trial holds."""
    if plan.model is None or plan.trial is None or not plan.legs:
        return
    if plan.model.marker_set:
        yield f"labels of the marker set {plan.model.marker_set}"
    places = ["", *(side.name for side in plan.model.sides)]
    for place in places:
        held = [
            f"{role} {label}" if label != role else label
            for side, role in plan.model.roles
            if side == place
            for label in plan.model.labels(role, side)
            if plan.trial.has(label)
        ]
        if held:
            without = "" if not place or place in plan.legs else " (too few: this leg stays empty)"
            yield f"{place or 'middle'}{without}: {', '.join(held)}"


def _subject(measured: Mapping[str, Measured]) -> list[str]:
    """Values by their source."""
    by_source: dict[str, list[str]] = {}
    for name, value in measured.items():
        unit, times = _SHOWN.get(value.unit, (value.unit, 1.0))
        words = f"{name.replace('.', ' ').replace('_', ' ')} {value.value * times:.4g} {unit}"
        by_source.setdefault(value.source, []).append(words)
    return [f"{source}: {', '.join(values)}" for source, values in by_source.items()]


def _assumed(plan: Plan) -> list[str]:
    assert plan.model is not None and plan.measured is not None
    lines = [note.text for note in plan.notes if note.severity == "assumption"]
    if "mass" in plan.model.subject and "mass" not in plan.measured:
        lines.append("the body's mass is in no source: the run looks what the plates, or the static's, say of it")
    if plan.model.settings.cutoff_hz == "auto":
        lines.append("cut-off of the marker low-pass: by the noise that the run finds (--cutoff)")
    if plan.vertical:
        lines.append(f"vertical: from {plan.vertical}")
    return lines


def _settings(plan: Plan) -> list[str]:
    return [
        f"{s.name} = {_value(s.value)} ({s.by}{'' if s.default == '' else f'; default {_value(s.default)}'})"
        for s in plan.settings
    ] or ["all as by default"]


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _plates(trial: Trial) -> list[str]:
    lines = []
    for plate in trial.plates:
        sides = [math.dist(plate.corners_g[0], plate.corners_g[i]) for i in (1, 3)]
        kind = f"type {plate.kind}, {sides[0]:.3f} x {sides[1]:.3f} m" if plate.outlined else "force record, no outline"
        lines.append(f"{plate.number}  {kind}, {plate.rate_hz:g} Hz")
    unused = {**trial.refused_plates, **repeated_plates(trial.notes)}
    lines += [f"{number}  not used: {why}" for number, why in sorted(unused.items())]
    return lines or ["none: wrenches will be known in the air only"]


def _writes(plan: Plan) -> Iterator[str]:
    if not plan.writes:
        yield "wrenches to stdout"
        return
    folder = plan.writes[0].path.parent
    new = [file.path.name for file in plan.writes if not file.exists]
    replaced = [file.path.name for file in plan.writes if file.exists]
    made = "" if folder.is_dir() else " (would be made)"
    if new:
        yield f"in {_folder(folder)}{made}: {', '.join(new)}"
    if replaced:
        yield f"in {_folder(folder)}, in place of what is there: {', '.join(replaced)}"
    if plan.removes:
        yield f"and takes away, of an earlier run: {', '.join(path.name for path in plan.removes)}"


def _folder(folder: Path) -> str:
    return "this folder" if folder == Path() else str(folder)
