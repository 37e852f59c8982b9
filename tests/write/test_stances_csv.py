"""walk.stances.csv: which stances it holds, and that they are those of the other tables."""

from __future__ import annotations

import io
from functools import cache

import numpy as np
import pandas as pd
import pytest
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.trial import Trial
from gaitid.write.tables import table_text


@cache
def analysed(scenario: str, last: int | None = None) -> Result:
    trial = simulated_walk(scenario).trial
    if last is not None:
        rate = round(trial.plates[0].rate_hz / trial.rate_hz)
        plates = tuple(shortened(plate, last * rate) for plate in trial.plates)
        trial = Trial(
            trial.path,
            trial.rate_hz,
            trial.first_frame,
            trial.labels,
            trial.points_g[:last],
            plates,
            parameters=trial.parameters,
            up_hint=trial.up_hint,
        )
    return analyse(trial, load_model("pig", {"cutoff_hz": "none"}), SubjectFile())


def shortened(plate, samples: int):  # type: ignore[no-untyped-def]
    from dataclasses import replace

    return replace(plate, force_p=plate.force_p[:samples], moment_p=plate.moment_p[:samples])


def table(result: Result, name: str = "stances") -> pd.DataFrame:
    return pd.read_csv(io.StringIO(table_text(name, result)))


def test_a_run_has_all_of_its_stances() -> None:
    result = analysed("run")
    stances = table(result)
    groups = stances.groupby(["side", "contact"])
    assert len(groups) == sum(bool(c.plates) for c in result.contacts) == 2
    joints = table(result, "joints").set_index("frame")
    for (side, _), rows in groups:
        np.testing.assert_array_equal(rows["percent"], np.arange(101))
        first, last = rows["first_frame"].iloc[0], rows["last_frame"].iloc[0]
        for row, frame in ((rows.iloc[0], first), (rows.iloc[-1], last)):
            for name in ("knee_flexion_deg", "ankle_plantarflexion_moment_Nm_per_kg", "hip_power_W_per_kg"):
                assert row[name] == pytest.approx(joints.loc[frame, f"{side}_{name}"], rel=1e-9)
        # braking, then propulsion; up throughout
        forward = rows["ground_reaction_forward_N_per_kg"].to_numpy()
        assert forward[10:40].max() < 0 < forward[60:90].min()
        assert rows["ground_reaction_upward_N_per_kg"].min() > 0


def test_a_step_at_the_end_of_a_trial_is_a_stance_of_its_own() -> None:
    """Before the next strike the trial ends: no cycle holds the second contact."""
    last = next(c.last for c in reversed(analysed("walk").contacts) if c.plates)
    result = analysed("walk", last + 12)
    stances = table(result)
    (key,) = set(zip(stances["side"], stances["first_frame"] - result.trial.first_frame, strict=True))
    contact = max((c for c in result.contacts if c.plates), key=lambda c: c.first)
    assert key == (contact.side, contact.first)
    assert stances["ground_reaction_upward_N_per_kg"].notna().all()
