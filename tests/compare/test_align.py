"""Curves on one axis: frames, time with another rate, the cycle; unknown stays unknown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gaitid.compare.align import CYCLE, FRAMES, TIME, align, at_instants
from gaitid.compare.comparison import compare, compare_curves
from gaitid.compare.curves import RESULT, Curves
from gaitid.compare.measures import measure
from gaitid.compare.sources import Reading
from gaitid.errors import GaitidError
from gaitid.export.export import export_result
from gaitid.trial import Array

Result = Callable[..., Path]
Recorded = Callable[..., tuple[Path, Path]]


def curves(name: str, frames: Array, rate: float, values: Array, sha256: str = "1") -> Curves:
    record = {"inputs": [{"role": "trial", "sha256": sha256, "path": "walk.c3d"}]}
    times = (frames - frames[0]) / rate
    return Curves(name, RESULT, "", {"left_knee_flexion_deg": values}, frames, times, record)


def test_a_cubic_is_read_exactly_between_rows() -> None:
    t = np.arange(12) / 60.0
    at = np.linspace(t[1], t[-2], 41)
    cubic = lambda x: 3.0 - 2.0 * x + 40.0 * x**2 - 900.0 * x**3  # noqa: E731
    np.testing.assert_allclose(at_instants(t, cubic(t), at), cubic(at), atol=1e-12)


def test_at_the_ends_it_is_a_line_and_beyond_them_unknown() -> None:
    t, v = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 4.0, 9.0])
    found = at_instants(t, v, np.array([-0.5, 0.5, 2.5, 3.0, 3.2]))
    np.testing.assert_allclose(found, [np.nan, 0.5, 6.5, 9.0, np.nan])


def test_unknown_rows_make_no_values_beside_them() -> None:
    t = np.arange(8.0)
    v = t**2
    v[4] = np.nan
    found = at_instants(t, v, np.array([3.0, 3.5, 4.0, 4.5, 5.0, 2.5]))
    assert np.isfinite(found).tolist() == [True, False, False, False, True, True]
    assert found[0] == 9.0 and found[4] == 25.0
    assert found[5] == 6.5  # one of four rows is unknown: the line between the two


def test_frames_that_both_have() -> None:
    a = curves("a", np.arange(1.0, 11.0), 100.0, np.arange(10.0))
    b = curves("b", np.arange(4.0, 16.0), 100.0, np.arange(3.0, 15.0) + 1.0)
    aligned = align(a, b)
    assert (aligned.way, aligned.x.tolist()) == (FRAMES, list(range(4, 11)))
    both = aligned.curves["left_knee_flexion_deg"]
    np.testing.assert_array_equal(both.b - both.a, np.ones(7))
    assert "7 frames are in both of 10 and 12" in aligned.notes


def test_another_rate_is_read_at_the_slower_ones_instants() -> None:
    fast, slow = np.arange(1.0, 202.0), np.arange(1.0, 102.0)
    wave = lambda t: 30.0 * np.sin(2 * np.pi * 2.0 * t)  # noqa: E731
    a, b = curves("a", fast, 200.0, wave((fast - 1) / 200)), curves("b", slow, 100.0, wave((slow - 1) / 100))
    with pytest.raises(GaitidError, match=r"200 and 100 Hz.*--align time"):
        align(a, b, FRAMES)
    aligned = align(a, b, TIME)
    assert "at the instants of b; a read there by cubics" in aligned.words
    assert len(aligned.x) == 101
    both = aligned.curves["left_knee_flexion_deg"]
    np.testing.assert_allclose(both.a, both.b, atol=1e-12)


def test_no_frame_in_common_is_refused() -> None:
    a = curves("a", np.arange(1.0, 11.0), 100.0, np.arange(10.0))
    b = curves("b", np.arange(41.0, 51.0), 100.0, np.arange(10.0))
    with pytest.raises(GaitidError, match="no frame in common; found 1 to 10 and 41 to 50"):
        align(a, b, FRAMES)


@pytest.mark.parametrize("start_s", [float("nan"), float("inf")])
def test_a_start_that_is_no_time_is_refused(start_s: float) -> None:
    a = curves("a", np.arange(1.0, 11.0), 100.0, np.arange(10.0))
    with pytest.raises(GaitidError, match=f"--start {start_s}: no time; expected seconds"):
        align(a, a, start_s=start_s)


def test_curves_that_share_no_known_row_are_refused() -> None:
    half = np.where(np.arange(10) < 5, 1.0, np.nan)
    a, b = (curves(n, np.arange(1.0, 11.0), 100.0, v) for n, v in (("a", half), ("b", half[::-1])))
    with pytest.raises(GaitidError, match="nothing can be compared: in no row is a curve known in a and in b"):
        compare_curves(a, b)


# --- measures ---------------------------------------------------------------------------------------------------


def test_figures_are_those_of_numpy_over_rows_that_both_know() -> None:
    rng = np.random.default_rng(5)
    a = np.sin(np.linspace(0, 6, 50)) * 40
    b = a * 1.1 + rng.normal(size=50) + 2.0
    a[:5], b[45:] = np.nan, np.nan
    aligned = align(curves("a", np.arange(50.0), 100.0, a), curves("b", np.arange(50.0), 100.0, b))
    m = measure("left_knee_flexion_deg", aligned.curves["left_knee_flexion_deg"])
    d = (b - a)[5:45]
    assert (m.n, m.only_a, m.only_b) == (40, 5, 5)
    assert m.rms == pytest.approx(np.sqrt((d**2).mean()))
    assert m.bias == pytest.approx(d.mean())
    assert m.r == pytest.approx(np.corrcoef(a[5:45], b[5:45])[0, 1])
    assert (m.range_a, m.range_b) == pytest.approx((np.ptp(a[5:45]), np.ptp(b[5:45])))
    assert m.largest == pytest.approx(d[np.abs(d).argmax()])
    assert aligned.place(m.at) == f"frame {5 + np.abs(d).argmax()}"


def test_angles_differ_the_short_way_round() -> None:
    a, b = np.array([179.0, 10.0]), np.array([-179.0, 12.0])
    m = measure("left_pelvis_internal_rotation_deg", align_two(a, b))
    assert (m.largest, m.rms, m.bias) == (2.0, 2.0, 2.0)


def test_curves_that_one_side_knows_alone_have_no_figures() -> None:
    m = measure("left_knee_flexion_deg", align_two(np.full(3, np.nan), np.arange(3.0)))
    assert (m.n, m.only_a, m.only_b, m.at) == (0, 0, 3, -1)
    assert all(np.isnan(v) for v in (m.rms, m.bias, m.r, m.largest, m.range_a))


def align_two(a: Array, b: Array):  # type: ignore[no-untyped-def]
    frames = np.arange(1.0, len(a) + 1)
    return align(curves("a", frames, 100.0, a), curves("b", frames, 100.0, b)).curves["left_knee_flexion_deg"]


# --- sessions ---------------------------------------------------------------------------------------------------


def test_other_trials_are_compared_over_the_cycle(recorded: Recorded) -> None:
    _, a = recorded("sydney/walk03.c3d", "--model", "pig")
    _, b = recorded("sydney/walk04.c3d", "--model", "pig")
    comparison = compare(a, b)
    assert comparison.aligned.way == CYCLE
    assert comparison.explanation is None
    assert "they are of different trials" in comparison.aligned.notes
    knee = next(m for m in comparison.measured if m.column == "left_knee_flexion_deg")
    assert knee.n == 101 and knee.r > 0.98 and 1.0 < knee.rms < 10.0


def test_a_folder_of_several_results_is_a_session(recorded: Recorded, tmp_path: Path) -> None:
    for trial in ("walk03", "walk04"):
        _, record = recorded(f"sydney/{trial}.c3d", "--model", "pig")
        for file in record.parent.iterdir():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    comparison = compare(record, tmp_path)
    assert comparison.b.kind == "session"
    assert "2 left, 2 right" in comparison.aligned.words
    with pytest.raises(GaitidError, match="sessions have no common frames"):
        compare(record, tmp_path, way=FRAMES)


def test_csv_and_c3d_of_one_recording_are_one_recording(walk: Path, result: Result) -> None:
    options = ("--forces", walk / "walk.forces.csv", "--plates", walk / "walk.plates.yaml")
    of_csv = result(*options, "--subject", walk / "walk.subject.yaml", trial=walk / "walk.csv")
    comparison = compare(result("--subject", walk / "walk.subject.yaml"), of_csv)
    assert comparison.aligned.way == FRAMES and comparison.aligned.same_recording


# --- OpenSim ----------------------------------------------------------------------------------------------------


def test_what_was_exported_for_opensim_comes_back_the_same(walk: Path, result: Result, tmp_path: Path) -> None:
    """Signs, names, units and clock of both ways are each other's inverse."""
    for file in export_result(result(), "sto", tmp_path).files:
        comparison = compare(result(), file)
        assert comparison.aligned.way == TIME
        others = [m.column for m in comparison.differing if "pelvis" not in m.column]  # OpenSim's is in the ground
        assert others == []
        assert len(comparison.compared) >= 5


def test_the_clock_of_a_file_that_begins_with_the_frames_number(walk: Path, result: Result, tmp_path: Path) -> None:
    record = json.loads(result().read_text("utf-8"))
    assert record["contacts"]
    (file,) = (f for f in export_result(result(), "sto", tmp_path).files if "angles" in f.name)
    lines = file.read_text("utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("time")) + 1
    late = [f"{float(row.split()[0]) + 5:.6f}\t" + row.partition("\t")[2] for row in lines[start:]]
    file.write_text("\n".join([*lines[:start], *late]) + "\n", encoding="utf-8")
    with pytest.raises(GaitidError, match="no time in common"):
        compare(result(), file)
    comparison = compare(result(), file, Reading(start_s=5.0))
    knee = next(m for m in comparison.measured if m.column == "left_knee_flexion_deg")
    assert knee.same and knee.n > 100


def test_the_sign_of_the_knee_is_seen_or_said(walk: Path, result: Result, tmp_path: Path) -> None:
    (angles,) = (f for f in export_result(result(), "sto", tmp_path).files if "angles" in f.name)
    (moments,) = (f for f in export_result(result(), "sto", tmp_path).files if ".left." in f.name)
    assert any("bends negatively" in note for note in compare(result(), angles).b.notes)
    turned = compare(result(), moments, Reading(knee="rajagopal"))
    knee = next(m for m in turned.measured if m.column == "left_knee_extension_moment_Nm_per_kg")
    assert knee.r == pytest.approx(-1.0)


def test_opensims_inverse_dynamics_of_the_same_trial(recorded: Recorded) -> None:
    """The same forces on another body: ankles agree to a few percent, signs of all joints are the same."""
    trial, record = recorded(
        "opensim_gait2354/subject01_walk1.trc",
        "--forces",
        "opensim_gait2354/subject01_walk1_grf.mot",
        "--static",
        "opensim_gait2354/subject01_static.trc",
    )
    comparison = compare(record, trial.with_name("inverse_dynamics.sto"))
    assert "73 of 73 instants are in both" in comparison.aligned.words
    found = {m.column: m for m in comparison.compared}
    assert len(found) == 10
    assert all(m.r > 0.7 for m in found.values())
    for side in ("left", "right"):
        ankle = found[f"{side}_ankle_plantarflexion_moment_Nm_per_kg"]
        assert ankle.r > 0.99 and ankle.rms < 0.06 * ankle.range_a
    assert "hold no ingredients" in comparison.why_not
    kinematics = compare(record, trial.with_name("subject01_walk1_ik.mot"))
    assert all(m.r > 0.98 for m in kinematics.compared if "knee_flexion" in m.column or "hip_flexion" in m.column)


def test_a_start_by_opensims_clock_is_of_opensims_files() -> None:
    a = curves("a", np.arange(100.0), 100.0, np.zeros(100))
    with pytest.raises(GaitidError, match="neither A nor B is one; leave out --start"):
        align(a, a, start_s=0.5)
