"""Whether a difference is more than its uncertainty: formulas, what two results have in common, files and pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gaitid.compare.comparison import Comparison, compare
from gaitid.compare.detectable import BAND, beyond, limit_of, stated_variance, variance_of_cycle
from gaitid.compare.repeatability import NOTHING, SESSION, SUBJECT, InCommon, in_common

ResultOf = Callable[..., Path]
WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk_noisy" / "walk.c3d"
HIP = ("hip_centre", "hip, x of the pelvis")


# --- formulas ---------------------------------------------------------------------------------------------------


def test_independent_errors_alike_on_both_sides_make_it_weirs() -> None:
    """Weir 2005: MDC = 1.96 √2 SEM."""
    sem = 3.2
    stated = stated_variance({"hip_centre": sem**2}, {"hip_centre": sem**2}, {}, {}, InCommon(NOTHING, "", (), ()))
    assert limit_of(np.array(stated), np.array(0.0), 3, 3) == pytest.approx(1.959964 * np.sqrt(2) * sem, rel=1e-6)


@pytest.mark.parametrize(("of_b", "left"), [(2.0, 0.0), (1.5, 0.25), (-2.0, 16.0)])
def test_a_common_error_counts_by_what_it_does_differently(of_b: float, left: float) -> None:
    """It moves A by 2 and B by `of_b`; alike it cancels, the other way round it counts twice."""
    variances = {"hip_centre": 4.0, "marker_noise": 0.09}
    common = InCommon(SUBJECT, "", ("hip_centre",), ())
    found = stated_variance(variances, variances, {HIP: 2.0}, {HIP: of_b}, common)
    assert found == pytest.approx(left + 2 * 0.09)


def test_one_cycle_on_either_side_tells_nothing_of_the_walk() -> None:
    assert variance_of_cycle(np.array(np.nan), 1, np.array(np.nan), 1) == 0.0
    assert variance_of_cycle(np.array(np.nan), 1, np.array(4.0), 2) == pytest.approx(4.0)


def test_five_of_a_hundred_differences_that_are_none_lie_beyond() -> None:
    """Drawn: one common error that moves both differently, own errors, and few cycles of a walk that varies."""
    random = np.random.default_rng(4)
    n, of_a, of_b, own, walk, cycles = 40_000, 2.0, 1.4, 0.8, 1.0, 3
    shared = random.standard_normal(n)
    sides = []
    for sensitivity in (of_a, of_b):
        of_cycles = walk * random.standard_normal((n, cycles))
        mean = sensitivity * shared + own * random.standard_normal(n) + of_cycles.mean(axis=1)
        sides.append((mean, of_cycles.var(axis=1, ddof=1)))
    variances = [{"hip_centre": s**2, "marker_placement": own**2} for s in (of_a, of_b)]
    common = InCommon(SUBJECT, "", ("hip_centre",), ())
    stated = stated_variance(variances[0], variances[1], {HIP: of_a}, {HIP: of_b}, common)
    between = variance_of_cycle(sides[0][1], cycles, sides[1][1], cycles)
    limit = limit_of(np.full(n, stated), between, cycles, cycles)
    share, _, _ = beyond(limit, sides[1][0] - sides[0][0])
    assert 0.04 < share < 0.06  # of 40,000 draws ± 0.001, and Welch and Satterthwaite's approximation


# --- what two results have in common ----------------------------------------------------------------------------


def record(**changed: Any) -> dict[str, Any]:
    numbers = {"mass": 70.0, "left.leg_length": 0.9, "left.knee_width": 0.1, "right.knee_width": 0.1}
    numbers |= changed.pop("numbers", {})
    inputs = [{"role": "table", "sha256": changed.pop("table", "t")}]
    inputs += [{"role": "static", "sha256": changed.pop("static")}] if "static" in changed else []
    content = {
        "subject": {name: {"value": value} for name, value in numbers.items()},
        "settings": {"marker_filter": "butterworth", "cutoff_hz": 6.0},
        "uncertainty": {"hip_centre": "davis"},
        "inputs": inputs,
    }
    return content | changed


def test_one_static_is_one_session_and_equal_measurements_one_person() -> None:
    session = in_common([record(static="s")], [record(static="s")])
    assert session.same == SESSION and "marker_placement" in session.sources
    subject = in_common([record(static="s")], [record(static="other")])
    assert subject.same == SUBJECT and subject.sources == (
        "soft_tissue", "hip_centre", "measurements", "segment_parameters", "cutoff",
    )  # fmt: skip
    assert subject.numbers == ("mass", "left leg_length", "left knee_width", "right knee_width")


# --- files ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def results(result: ResultOf) -> tuple[Path, Path]:
    """The noisy sample walk, and the same with one leg's widths measured anew; the second has another trial's name."""
    return result("--uncertainty", trial=WALK), result("--uncertainty", "--cutoff", 5, trial=WALK)


@pytest.fixture(scope="module")
def over_cycle(results: tuple[Path, Path]) -> Comparison:
    return compare(results[0], results[1], way="cycle", same="session")


def test_what_is_common_cancels_where_both_have_the_same_curve(
    over_cycle: Comparison, results: tuple[Path, Path]
) -> None:
    """Of one walk hardly anything is left of placement and hip; independent it is √2 times each and more."""
    apart = compare(*results, way="cycle", same="nothing").sure
    assert apart is not None and over_cycle.sure is not None and apart.common == ()
    name = "left_hip_abduction_moment_Nm_per_kg"
    ratio = np.nanmedian(over_cycle.sure.limits[name] / apart.limits[name])
    assert ratio < 0.5
    about = json.loads(results[0].read_text(encoding="utf-8"))["uncertainty"]
    u = np.array(about["cycle"]["left"]["hip_abduction_moment_Nm_per_kg"], dtype=float)
    weir = 1.959964 * np.sqrt(2) * u
    known = np.isfinite(weir) & np.isfinite(apart.limits[name])
    assert np.median(apart.limits[name][known] / weir[known]) == pytest.approx(1, abs=0.1)


def test_of_one_recording_it_is_the_band_of_one_result(results: tuple[Path, Path], result: ResultOf) -> None:
    found = compare(*results)
    assert found.sure is not None and found.sure.kind == BAND and not found.sure.features
    plain = result(trial=WALK)
    swapped = compare(plain, results[0])
    assert swapped.sure is not None
    np.testing.assert_array_equal(
        found.sure.limits["left_knee_flexion_deg"], swapped.sure.limits["left_knee_flexion_deg"]
    )
    assert compare(plain, plain).sure is None


def test_where_the_files_are_gone_nothing_counts_as_common(results: tuple[Path, Path], tmp_path: Path) -> None:
    """Larger, never smaller: and said."""
    places = []
    for name, path in zip("ab", results, strict=True):
        folder = tmp_path / name
        folder.mkdir()
        for file in path.parent.iterdir():
            (folder / file.name).write_bytes(file.read_bytes())
        record = folder / path.name
        text = record.read_text(encoding="utf-8").replace(WALK.name, "gone.c3d")
        record.write_text(text, encoding="utf-8")
        places.append(record)
    found = compare(*places, way="cycle", same="session").sure
    assert found is not None and found.common == ()
    assert any("counted as if it were independent" in note for note in found.notes)
