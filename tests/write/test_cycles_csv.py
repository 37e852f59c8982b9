"""walk.cycles.csv and walk.spatiotemporal.csv as a plotting program reads them."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from gait_walks import floor_under

from gaitid.analysis.cycle_curves import cycle_curves, swing_end
from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.feet import foot_tracks
from gaitid.body.subject import SubjectFile
from gaitid.gait import FIGURES
from gaitid.gait.features import GROUND_COLUMNS
from gaitid.gait.spatiotemporal import Gait, analyse_gait
from gaitid.ground.contacts import AIR, UNKNOWN
from gaitid.model.load import load_model
from gaitid.trial import Event
from gaitid.write.cycles import cycles_table, spatiotemporal_csv
from gaitid.write.tables import table_text

UP = np.array([0.0, 0.0, 1.0])


def gait_of(result: Result) -> Gait:
    loads = {side: leg.load for side, leg in result.sides.items()}
    feet = foot_tracks(result.trial, result.model)
    trial = result.trial
    return analyse_gait(trial.events, loads, feet, result.base.com_g, floor_under(feet, UP, trial.rate_hz))


def cycles_csv(result: Result, gait: Gait) -> str:
    return "".join(cycles_table(cycle_curves(result, gait), result.trial).blocks())


def walked(simulated: Callable[..., object], **options: float) -> Result:
    trial = replace(simulated(**options).trial, first_frame=41)  # type: ignore[attr-defined]
    return analyse(trial, load_model("pig", {"cutoff_hz": "none"}), SubjectFile())


@pytest.fixture(scope="module")
def result(simulated: Callable[..., object]) -> Result:
    return walked(simulated)


@pytest.fixture(scope="module")
def table(result: Result) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(cycles_csv(result, gait_of(result))))


def test_every_cycle_has_its_hundred_and_one_rows(result: Result, table: pd.DataFrame) -> None:
    groups = table.groupby(["side", "cycle"])
    assert len(groups) == len(gait_of(result).strides) == 5
    for _, rows in groups:
        np.testing.assert_array_equal(rows["percent"], np.arange(101))
        assert rows["first_frame"].nunique() == rows["foot_off_percent"].nunique() == 1
    # frames: 1.1 s at 100 Hz, each end to the nearest
    assert set(table["last_frame"] - table["first_frame"]) <= {109, 110, 111}


@pytest.mark.parametrize(
    "name", ["knee_flexion_deg", "hip_extension_moment_Nm_per_kg", "ankle_power_W_per_kg", "pelvis_anterior_tilt_deg"]
)
def test_values_are_those_of_the_joints_at_these_times(result: Result, table: pd.DataFrame, name: str) -> None:
    joints = pd.read_csv(io.StringIO(table_text("joints", result)))
    for stride in gait_of(result).strides:
        cycle = stride.cycle
        rows = table[(table["side"] == cycle.side) & (table["cycle"] == cycle.number)]
        times = np.linspace(cycle.strike.time_s, cycle.next_strike.time_s, 101)
        values = joints[f"{cycle.side}_{name}"].to_numpy()
        line = np.interp(times, joints["time_s"], values)
        known = np.isfinite(line)
        np.testing.assert_array_equal(np.isfinite(rows[name]), known)
        # a line between frames and a cubic differ by less than a hundredth of the range of the curve
        span = np.nanmax(values) - np.nanmin(values)
        np.testing.assert_allclose(rows[name].to_numpy()[known], line[known], atol=0.01 * span)


@pytest.mark.parametrize("turn_deg", [0.0, 120.0])
def test_ground_reaction_by_what_positive_means(simulated: Callable[..., object], turn_deg: float) -> None:
    """The simulated foot is pushed backward first, then forward, and always to the middle, wherever the walk goes."""
    result = walked(simulated, turn_deg=turn_deg)
    table = pd.read_csv(io.StringIO(cycles_csv(result, gait_of(result))))
    known = table.dropna(subset=list(GROUND_COLUMNS))
    assert set(known["side"]) == {"left", "right"}
    early, late = known[known["percent"].between(8, 20)], known[known["percent"].between(40, 52)]
    assert (early["ground_reaction_forward_N_per_kg"] < 0).all()
    assert (late["ground_reaction_forward_N_per_kg"] > 0).all()
    for _, rows in known[known["percent"].between(15, 45)].groupby("side"):
        assert rows["ground_reaction_lateral_N_per_kg"].mean() < 0
    swing = known[known["percent"].between(70, 95)]
    assert len(swing)
    assert (swing[list(GROUND_COLUMNS)] == 0).all(axis=None)
    peak = known["ground_reaction_upward_N_per_kg"].max()
    assert 9.81 < peak < 1.5 * 9.81  # N/kg: walking


def test_figures_with_their_mean_and_where_events_came_from(result: Result) -> None:
    gait = gait_of(result)
    table = pd.read_csv(io.StringIO(spatiotemporal_csv(result, gait)))
    assert list(table.columns[:4]) == ["side", "cycle", "first_frame", "last_frame"]
    assert set(FIGURES) < set(table.columns)
    single = table[table["cycle"].str.isdigit()]
    assert len(single) == 5
    assert set(single["strike_source"]) <= {"force", "kinematics"}
    assert single["first_frame"].min() >= 41
    for side in ("left", "right", "both"):
        own = single if side == "both" else single[single["side"] == side]
        rows = table[(table["side"] == side) & ~table["cycle"].str.isdigit()].set_index("cycle")
        assert list(rows.index) == ["mean", "sd", "n"]
        for name in FIGURES:
            assert rows.loc["mean", name] == pytest.approx(own[name].mean())
            assert rows.loc["sd", name] == pytest.approx(own[name].std(), abs=1e-6, nan_ok=True)
            assert rows.loc["n", name] == own[name].count()
    # m/s: one stride of 1.375 m in 1.1 s as any other
    assert table[table["cycle"] == "mean"]["speed_m_per_s"].to_numpy() == pytest.approx(1.25, abs=0.02)


# --- the end of a swing beside the plates --------------------------------------------------------------------------


def with_file_events(sim, late_s: float = 0.0):  # type: ignore[no-untyped-def]
    """The walk with an event for every strike and off of the truth, strikes so much late."""
    events = []
    for k, one in enumerate(sim.walk.stances):
        loaded = np.flatnonzero(sim.truth.load[one.side].stance == k)
        if loaded.size and loaded[0] > 0:
            events.append(Event("Foot Strike", one.side, loaded[0] / 100 + late_s))
        if loaded.size and loaded[-1] < sim.trial.n_frames - 1:
            events.append(Event("Foot Off", one.side, loaded[-1] / 100))
    return replace(sim.trial, events=tuple(events))


def test_a_cycle_ends_in_swing_with_the_moments_of_a_foot_that_nothing_loads(simulated: Callable[..., object]) -> None:
    """The next strike is beside the plates: up to it, the truth of the simulated walk."""
    sim = simulated()
    result = analyse(with_file_events(sim), load_model("pig", {"cutoff_hz": "none"}), SubjectFile())
    table = pd.read_csv(io.StringIO(cycles_csv(result, result.gait)))
    whole = 0
    for stride in result.gait.strides:
        cycle = stride.cycle
        rows = table[(table["side"] == cycle.side) & (table["cycle"] == cycle.number)]
        state = result.sides[cycle.side].load.state
        standing = round((cycle.strike.time_s + 0.3) * result.trial.rate_hz)
        if state[standing] in (UNKNOWN, AIR) or cycle.next_strike.source != "file":
            continue
        end = swing_end(result, cycle)
        assert 2 <= len(end) <= 4
        assert (state[end.start : end.stop - 1] == UNKNOWN).all()  # frame by frame it stays unknown
        whole += 1
        for name in ("hip_extension_moment_Nm_per_kg", "knee_power_W_per_kg", "ground_reaction_upward_N_per_kg"):
            assert rows[name].notna().all(), name
        assert (rows["ground_reaction_upward_N_per_kg"].to_numpy()[-2:] == 0).all()
        # the last frames before the strike: of a foot that carries nothing, whose moments change by little in 0.03 s
        moment = rows["hip_extension_moment_Nm_per_kg"].to_numpy()
        assert np.abs(np.diff(moment[-5:])).max() < 0.05  # N·m/kg a percent
    assert whole >= 1
