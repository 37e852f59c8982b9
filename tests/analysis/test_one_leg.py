"""A leg that lacks what the model needs, as an amputee's without ankle markers: the other leg is as it was."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pytest
from any_markers import FAMILIES, NO_FILTER, Marked, chosen, marked, result_of
from slow import slow_but

from gaitid.analysis.choice import Recording, choose_model
from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.errors import TrialError
from gaitid.model.load import load_model
from gaitid.notes.message import DO_NOT_USE
from gaitid.trial import Array, Trial

#: deg, N·m/kg, W/kg: rounding.
EXACT = 1e-8
PIG = {f"{side}{name}" for side in "LR" for name in ("ASI", "PSI", "THI", "KNE", "TIB", "ANK", "HEE", "TOE")}
ANKLE = ("ankle_lateral", "ankle_medial", "ankle_point")
ALL_FAMILIES = slow_but(["isb_bone_names", "rtosim", "keypoints", "cmu", "plug_in_gait", "cgm24"], FAMILIES)


def columns(result: Result, side: str) -> dict[str, Array]:
    leg = result.sides[side]
    groups = {**leg.angles, **{f"{joint}_moment": m for joint, m in leg.moments.items()}}
    found = {f"{name}_{column}": values for name, of in groups.items() for column, values in of.items()}
    return found | {f"{joint}_power": values for joint, values in leg.powers.items()}


def of_labels(trial: Trial, wanted: Collection[str]) -> Trial:
    kept = [i for i, label in enumerate(trial.labels) if label in wanted]
    return replace(trial, labels=tuple(trial.labels[i] for i in kept), points_g=trial.points_g[:, kept])


def without_left_ankle(recorded: Marked, trial: Trial) -> Trial:
    ankle = {label for label, role in recorded.roles.items() if role in {("left", name) for name in ANKLE}}
    return of_labels(trial, {*trial.labels} - ankle)


def same(here: dict[str, Array], there: dict[str, Array]) -> bool:
    """Whether columns are equal to rounding, and known in the same frames."""
    return all(np.allclose(here[name], values, rtol=0, atol=EXACT, equal_nan=True) for name, values in there.items())


@pytest.mark.parametrize("family", ALL_FAMILIES)
def test_the_other_leg_is_as_it_was(family: str) -> None:
    """Where walk, static or both lack the left ankle: the left leg is empty and named, or tracked by other markers."""
    recorded = marked(family)
    full, model = result_of(family), load_model(recorded.family.model, NO_FILTER)
    walk, still = without_left_ankle(recorded, recorded.trial), recorded.static
    cases: list[tuple[str, Trial, Trial | None]] = [("walk", walk, still)]
    if still is not None:
        less = without_left_ankle(recorded, still)
        cases += [("static", recorded.trial, less), ("both", walk, less)]
    for gone, trial, static in cases:
        result = analyse(trial, model, SubjectFile(), static)
        assert same(columns(result, "right"), columns(full, "right")), gone
        notes = [note for note in result.notes if note.code == "leg_absent"]
        if gone == "walk" and not notes:
            assert same(columns(result, "left"), columns(full, "left"))
            continue
        assert [note.side for note in notes] == ["left"], gone
        assert not any(np.isfinite(values).any() for values in columns(result, "left").values()), gone
        assert result.verdict.sides == {"left": DO_NOT_USE, "right": full.verdict.sides["right"]}
        assert result.verdict.trial == full.verdict.sides["right"]


@pytest.mark.parametrize("family", ALL_FAMILIES)
def test_auto_takes_the_model_of_the_leg_that_is_complete(family: str) -> None:
    recorded = marked(family)
    trial, static = (t if t is None else without_left_ankle(recorded, t) for t in (recorded.trial, recorded.static))
    assert trial is not None
    choice = choose_model([Recording(trial, static)], NO_FILTER)
    assert choice.model.name == chosen(recorded)
    assert "that fits one leg, as none fits both" in choice.because


def test_both_legs_that_lack_their_ankles_are_refused_by_name() -> None:
    recorded = marked("plug_in_gait")
    trial = of_labels(recorded.trial, PIG - {"LANK", "RANK"})
    with pytest.raises(TrialError, match="LANK.*RANK"):
        analyse(trial, load_model("pig", NO_FILTER), SubjectFile(), recorded.static)
