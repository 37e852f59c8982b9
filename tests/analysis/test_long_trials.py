"""What a result holds for each frame of its trial: that decides how long a trial fits into memory."""

from __future__ import annotations

import gc
import mmap
import tempfile
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gaitid.analysis import pipeline
from gaitid.analysis.cycle_curves import curves_of
from gaitid.analysis.features import features
from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.frames import Geometry
from gaitid.body.poses import geometry_of
from gaitid.body.subject import SubjectFile
from gaitid.disk import large_arrays
from gaitid.disk.large_arrays import is_in_file, put_in_file, rest_files
from gaitid.errors import ReadError
from gaitid.faults.find import faults_of_channels
from gaitid.ground.ground import Ground
from gaitid.ground.plate_channels import Fault
from gaitid.markers.clean import clean
from gaitid.model.load import load_model
from gaitid.numerics import blocks
from gaitid.read import read_trial
from gaitid.trial import Trial, frozen, read_only
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
    monkeypatch.setattr(blocks, "LONG", 128)
    made = analyse(simulated().trial, load_model("pig"), SubjectFile())  # type: ignore[attr-defined]
    assert bytes_of_a_frame(made) < 3700


def test_a_long_file_is_read_some_frames_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_trial(WALK)
    monkeypatch.setattr(blocks, "LONG", 64)
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
    monkeypatch.setattr(blocks, "LONG", 64)
    path = tmp_path / "walk.c3d"
    path.write_bytes(WALK.read_bytes())
    plates = read_trial(path).plates
    path.write_bytes(WALK.read_bytes() + b" ")
    with pytest.raises(ReadError, match="changed"):
        _ = plates[0].force_p
    path.unlink()
    with pytest.raises(ReadError, match="cannot be read"):
        _ = plates[1].moment_p


def test_what_cleaning_markers_needs_meanwhile() -> None:
    """Bytes a frame of 16 markers, 384 themselves, besides these: 2020 before differences were made some at a time."""
    seconds, rng = np.arange(40_000) / 100, np.random.default_rng(5)
    places = {f"{'LR'[i % 2]}M{i:02}": rng.uniform(0.2, 1.5, (2, 3)) for i in range(16)}
    walk = np.stack([0.4 * np.sin(seconds), 0.02 * np.cos(2 * seconds), 0.1 * np.sin(3 * seconds)], axis=1)
    raw = {label: place[0] + place[1] * walk for label, place in places.items()}
    tracemalloc.start()
    clean(raw, load_model("pig").settings, 100.0, 1, "LR", loaded=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak / len(seconds) < 1000


def test_what_two_stages_hold_of_a_segment_is_held_once(result: Result) -> None:
    body = result.body
    for side, leg in result.sides.items():
        for spec in result.model.chain:
            assert leg.motions[spec.segment].com_g is body.segments[side, spec.segment].com_g
            assert leg.joints_g[spec.joint] is body.geometry.point(spec.centre, side)


def test_a_frame_that_is_but_turned_is_not_held(result: Result) -> None:
    geometry = result.body.geometry
    assert ("left", "foot") in geometry._frames and ("left", "foot_uncorrected") not in geometry._frames
    assert ("left", "shank_torsioned") in geometry._frames  # of the knee's angles
    again = geometry.frame("foot_uncorrected", "left").R_gs
    np.testing.assert_allclose(
        again[:, :, 1], geometry.with_markers(geometry.tracks).frame("foot_uncorrected", "left").R_gs[:, :, 1]
    )


def test_markers_that_are_left_as_they_were_seen_are_those_of_the_trial(result: Result) -> None:
    assert not result.markers.quality["gaps"] and not result.markers.quality["label_faults"]
    for points in result.markers.seen.values():
        assert np.shares_memory(points, result.trial.points_g) and points.flags.c_contiguous
    again = replace(result.trial, first_frame=7)
    assert np.shares_memory(again.points_g, result.trial.points_g)
    with pytest.raises(ValueError, match="read-only"):
        result.trial.points_g[0, 0] = 0.0


def test_a_trial_keeps_nothing_of_an_array_that_others_may_change() -> None:
    points = np.zeros((5, 2, 3))
    for given in (points, points.swapaxes(0, 1).copy().swapaxes(0, 1)):
        trial = Trial(Path("walk.c3d"), 100.0, 1, ("A", "B"), given)
        given[0, 0] = 1.0
        assert not trial.points_g.any()


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
    monkeypatch.setattr(blocks, "LONG", rows)
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

    monkeypatch.setattr(blocks, "LONG", 64)
    in_memory = tables(analyse(with_gaps, load_model("pig"), SubjectFile()))
    monkeypatch.setattr(large_arrays, "LARGE", 100)
    made = analyse(replace(with_gaps, points_g=with_gaps.points_g.copy()), load_model("pig"), SubjectFile())
    assert bytes_of_a_frame(made) - sum(p.force_p.nbytes * 2 for p in with_gaps.plates) / with_gaps.n_frames < 1000
    for name, values in tables(made).items():
        np.testing.assert_array_equal(values, in_memory[name])


@pytest.mark.skipif(not hasattr(mmap, "MADV_DONTNEED"), reason="this system keeps the pages of files")
def test_what_lies_in_a_file_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_arrays, "LARGE", 100)
    values = np.arange(300.0).reshape(100, 3)
    away = frozen(values.copy())
    assert is_in_file(away) and read_only(away) is away and not is_in_file(away[1:])
    rest_files()
    np.testing.assert_array_equal(away, values)
    with pytest.raises(ValueError, match="read-only"):
        away[0] = 1.0
    assert not is_in_file(frozen(values[1:].copy()))  # too few


@pytest.mark.parametrize("lacks", ["file", "way to let go of pages"])
def test_what_cannot_be_put_in_a_file_stays(monkeypatch: pytest.MonkeyPatch, lacks: str) -> None:
    def full(**of: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(large_arrays, "LARGE", 100)
    if lacks == "file":
        monkeypatch.setattr(tempfile, "TemporaryFile", full)
    else:
        monkeypatch.delattr(mmap, "MADV_DONTNEED", raising=False)
    values = np.zeros((100, 3))
    assert put_in_file(values) is values


def test_long_blocks_have_the_same_derivatives_to_the_last_bit(
    simulated: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    trial: Trial = simulated().trial  # type: ignore[attr-defined]
    at_once = analyse(trial, load_model("pig"), SubjectFile())
    monkeypatch.setattr(blocks, "LONG", 128)
    some_at_a_time = analyse(trial, load_model("pig"), SubjectFile())
    for side, leg in at_once.sides.items():
        for segment, motion in leg.motions.items():
            for name in ("vel_g", "acc_g", "omega_g", "alpha_g"):
                np.testing.assert_array_equal(
                    getattr(some_at_a_time.sides[side].motions[segment], name), getattr(motion, name)
                )


def test_samples_of_plates_go_before_the_axes_of_segments_come(
    simulated: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[Geometry] = []

    def judged(trial: Trial, ground: Ground) -> list[Fault]:
        axes = [pose.R_gs for geometry in held for pose in geometry._frames.values()]
        assert held and len(axes) <= 1  # the pelvis, which tells where the hips are
        return faults_of_channels(trial, ground)

    def kept(*of: object) -> Geometry:
        held.append(geometry_of(*of))  # type: ignore[arg-type]
        return held[-1]

    monkeypatch.setattr(pipeline, "geometry_of", kept)
    monkeypatch.setattr(pipeline, "faults_of_channels", judged)
    analyse(simulated().trial, load_model("pig"), SubjectFile())  # type: ignore[attr-defined]
    assert held[0]._frames


def test_a_contact_asks_for_no_places_on_level_ground(result: Result) -> None:
    """Each of 1456 contacts with plates would go through 400,000 of them in a trial of 200,000 frames: 3 s."""
    assert result.ground.plates
    assert result.ground.lower_ground_g.shape == (0, 3)
