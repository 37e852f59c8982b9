"""Which bundled model fits what trials and their static hold: `--model auto`, and what `inspect` says of each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gaitid.analysis.pipeline import lacking
from gaitid.body.subject import SubjectFile, read_subject
from gaitid.errors import TrialError
from gaitid.model import specs
from gaitid.model.load import load_model
from gaitid.model.marker_sets import MarkerSet
from gaitid.trial import Trial

#: The order in which `auto` tries models; the first that fits is taken (docs/any_lab.md). First what a laboratory that
#: records just these markers works with, then what is calibrated in a static, then what the trial alone gives; the
#: models that leave most empty come last.
PRECEDENCE = ("pig", "ior", "helen_hayes", "cast", "landmarks", "keypoints", "lateral")


class Recording(NamedTuple):
    """A trial of a session, as far as the choice of its model needs it."""

    trial: Trial
    static: Trial | None


class Choice(NamedTuple):
    """The model of a session.

    Attributes
    ----------
    model : Model
    because : str
        In words, for the record.
    """

    model: specs.Model
    because: str


def choose_model(
    recordings: Sequence[Recording],
    overrides: Mapping[str, Any] | None = None,
    marker_set: MarkerSet | None = None,
    subject: Path | None = None,
) -> Choice:
    """The first model of `PRECEDENCE` that fits all recordings of a session; else the first that fits most of them.

    Parameters
    ----------
    recordings : sequence of Recording
    overrides : mapping, optional
        Settings that replace the models'.
    marker_set : MarkerSet, optional
        What the user says of labels.
    subject : Path, optional
        The subject file, which each model reads in its own words.

    Raises
    ------
    TrialError
        None fits any; what each lacks in the first recording.
    """
    faults: dict[str, list[str]] = {}
    for name in PRECEDENCE:
        model = load_model(name, overrides)
        file = SubjectFile() if subject is None else read_subject(subject, model)
        faults[name] = [lacking(r.trial, model, file, r.static, marker_set) for r in recordings]
        if not any(faults[name]):
            return Choice(model, _because(name, faults, len(recordings)))
    fitting = {name: of_model.count("") for name, of_model in faults.items()}
    best = max(PRECEDENCE, key=lambda name: (fitting[name], -PRECEDENCE.index(name)))
    if fitting[best]:
        return Choice(load_model(best, overrides), _because(best, faults, len(recordings)))
    raise TrialError(
        "no bundled model fits: " + "; ".join(f"{name}: {of_model[0]}" for name, of_model in faults.items()),
        todo="give a static with --static, correct the labels, or name them with --markers FILE",
    )


def _because(name: str, faults: dict[str, list[str]], n_trials: int) -> str:
    """Why a model was taken: what the models before it lack."""
    fits = faults[name].count("")
    what = "fits" if n_trials == 1 else f"fits {'all' if fits == n_trials else fits} of {n_trials} trials"
    before = [
        f"{other} does not ({next(fault for fault in faults[other] if fault)})"
        for other in PRECEDENCE[: PRECEDENCE.index(name)]
    ]
    return "; ".join([f"{name} is the first of {', '.join(PRECEDENCE)} that {what}", *before])
