"""What a result holds for each frame of its trial: that decides how long a trial fits into memory."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gaitid.analysis.cycle_curves import curves_of
from gaitid.analysis.features import features
from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.disk import large_arrays
from gaitid.disk.large_arrays import is_in_file
from gaitid.errors import ReadError
from gaitid.model.load import load_model
from gaitid.numerics import masks
from gaitid.read import read_trial
from gaitid.trial import Trial
from gaitid.write.tables import _OF_FRAMES, wrenches_columns

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d"


def own_arrays(of: object) -> dict[int, np.ndarray]:
    """The arrays with memory of their own that can be reached from an object, but from modules and functions."""
    found: dict[int, np.ndarray] = {}
    ahead, seen = [of], set[int]()
    while ahead:
        one = ahead.pop()
        if id(one) in seen or isinstance(one, (type, type(gc))) or callable(one):
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            while isinstance(one.base, np.ndarray):
                one = one.base
            found[id(one)] = one
        else:
            ahead += gc.get_referents(one)
    return found


@pytest.fixture(scope="module")
def result(simulated: Callable[..., object]) -> Result:
    return analyse(simulated().trial, load_model("pig"), SubjectFile())  # type: ignore[attr-defined]


def bytes_of_a_frame(result: Result) -> float:
    n_frames = result.trial.n_frames
    in_memory = (a for a in own_arrays(result).values() if not is_in_file(a))
    return sum(a.nbytes for a in in_memory if a.nbytes >= n_frames) / n_frames


def test_what_a_result_holds_for_a_frame(result: Result) -> None:
    """Bytes, with plates of ten samples a frame: 5969 before what stages share was held once."""
    assert bytes_of_a_frame(result) < 4350


def test_what_a_result_of_a_long_trial_holds_for_a_frame(
    simulated: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes, with plates of ten samples a frame: 4416 before velocities and accelerations were made in blocks."""
    monkeypatch.setattr(masks, "LONG", 128)
    made = analyse(simulated().trial, load_model("pig"), SubjectFile())  # type: ignore[attr-defined]
    assert bytes_of_a_frame(made) < 3700


def test_a_long_file_is_read_some_frames_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_trial(WALK)
    monkeypatch.setattr(masks, "LONG", 64)
    tracemalloc.start()
    trial = read_trial(WALK)
    held, peak = (memory / trial.n_frames for memory in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    # bytes a frame of 16 markers and two plates of ten samples: 1350 and 2800 before, of a long trial
    assert held < 500 and peak < 1750
    np.testing.assert_array_equal(trial.points_g, whole.points_g)
    for plate, same in zip(trial.plates, whole.plates, strict=True):
        assert "force_p" not in plate.__dict__ and repr(plate) == repr(same)
        for name in ("force_p", "moment_p"):
            np.testing.assert_array_equal(getattr(plate, name), getattr(same, name))
            assert getattr(plate, name) is getattr(plate, name)
        plate.rest()
        assert "force_p" not in plate.__dict__ and len(plate.force_p) == plate.n_samples
    whole.plates[0].rest()
    assert "force_p" in whole.plates[0].__dict__  # it could not be made again


def test_samples_of_a_file_that_changed_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masks, "LONG", 64)
    path = tmp_path / "walk.c3d"
    path.write_bytes(WALK.read_bytes())
    plates = read_trial(path).plates
    path.write_bytes(WALK.read_bytes() + b" ")
    with pytest.raises(ReadError, match="changed"):
        _ = plates[0].force_p
    path.unlink()
    with pytest.raises(ReadError, match="cannot be read"):
        _ = plates[1].moment_p


@pytest.fixture(scope="module")
def with_gaps(simulated: Callable[..., object]) -> Trial:
    """A walk in which markers are lost: some gaps are filled, others stay open, one at a border of blocks."""
    trial: Trial = simulated().trial  # type: ignore[attr-defined]
    points_g = trial.points_g.copy()
    for label, first, stop in (("LTIB", 90, 150), ("RKNE", 195, 205), ("LTOE", 247, 254), ("RASI", 0, 3)):
        points_g[first:stop, trial.labels.index(label)] = np.nan
    return replace(trial, points_g=points_g)


def tables(result: Result) -> dict[str, np.ndarray]:
    made = {name: _OF_FRAMES[name](result).values for name in ("joints", "segments", "base", "joint_power")}
    made["wrenches"] = wrenches_columns(result, ("global", "proximal", "distal", "jcs")).values
    curves = curves_of(result)
    return {**made, "cycles": curves.values, "features": features(result, curves).value}


@pytest.mark.parametrize("rows", [50, 64, 333])
def test_blocks_of_frames_have_the_numbers_of_the_whole_trial(
    with_gaps: Trial, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    def analysed() -> Result:
        return analyse(with_gaps, load_model("pig"), SubjectFile())

    at_once = analysed()
    monkeypatch.setattr(masks, "LONG", rows)
    some_at_a_time = analysed()
    held = bytes_of_a_frame(some_at_a_time)
    assert {n.text for n in some_at_a_time.notes} == {n.text for n in at_once.notes}
    assert some_at_a_time.verdict == at_once.verdict
    for side, leg in at_once.sides.items():
        assert some_at_a_time.sides[side].coverage == leg.coverage
    in_blocks = tables(some_at_a_time)
    for name, values in tables(at_once).items():
        known = np.isfinite(values)
        np.testing.assert_array_equal(np.isfinite(in_blocks[name]), known)
        largest = np.abs(np.where(known, values, 0.0)).max(axis=tuple(range(values.ndim - 1)))
        apart = np.abs(np.where(known, in_blocks[name] - values, 0.0))
        assert (apart <= 1e-10 * largest + 1e-11).all(), (name, apart.max())  # a joint that hardly opens has no power
    # velocities and accelerations of seven segments are not held, but from when somebody asks for all of them
    assert held < bytes_of_a_frame(at_once) - 600
    assert bytes_of_a_frame(some_at_a_time) > held + 600


def test_what_a_very_long_trial_holds_lies_in_files(with_gaps: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes a frame, with plates of ten samples: 2700 and more before arrays lay in files."""

    monkeypatch.setattr(masks, "LONG", 64)
    in_memory = tables(analyse(with_gaps, load_model("pig"), SubjectFile()))
    monkeypatch.setattr(large_arrays, "LARGE", 100)
    made = analyse(replace(with_gaps, points_g=with_gaps.points_g.copy()), load_model("pig"), SubjectFile())
    assert bytes_of_a_frame(made) - sum(p.force_p.nbytes * 2 for p in with_gaps.plates) / with_gaps.n_frames < 1000
    for name, values in tables(made).items():
        np.testing.assert_array_equal(values, in_memory[name])
