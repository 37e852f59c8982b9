"""How sure the numbers of long trials and of many are, in memory that does not grow with them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.numerics import masks
from gaitid.simulate.files import simulate
from gaitid.uncertainty import blocks as of_uncertainty
from gaitid.uncertainty.estimate import estimate
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.sources import read_sources


def test_a_long_trial_block_by_block_is_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A treadmill's steady walk, whose blocks have the lengths and the direction of the whole trial."""
    trial = simulated_walk("treadmill", duration=4.0).trial
    sources = read_sources("default")
    at_once = estimate(analyse(trial, load_model("pig"), SubjectFile()), sources)
    monkeypatch.setattr(masks, "LONG", 300)
    monkeypatch.setattr(of_uncertainty, "FRAMES", 200)
    result = analyse(trial, load_model("pig"), SubjectFile())
    assert len(list(of_uncertainty.blocks_of(Perturbed(result)))) == 2
    found = estimate(result, sources)
    np.testing.assert_allclose(found.values, at_once.values, rtol=1e-9, atol=1e-9)
    known = np.isfinite(at_once.values)
    np.testing.assert_array_equal(np.isfinite(found.standard), known)
    np.testing.assert_allclose(found.standard[known], at_once.standard[known], rtol=0.02, atol=1e-6)
    features = at_once.spread.of_features
    assert np.isfinite(features).sum() > 100
    np.testing.assert_allclose(found.spread.of_features, features, rtol=0.03, atol=1e-6)
    assert found.record().keys() == at_once.record().keys()
    columns, same = (of.record()["columns"] for of in (found, at_once))
    assert columns.keys() == same.keys()
    for name in ("left_knee_flexion_deg", "right_hip_extension_moment_Nm_per_kg"):
        assert columns[name]["shares_percent"] == pytest.approx(same[name]["shares_percent"], abs=1.0)
        side, column = name.split("_", 1)
        at_20, at_20_once = (
            {s: percents[10] for s, percents in of.record()["cycle_shares_percent"][side][column].items()}
            for of in (found, at_once)
        )
        assert at_20 == pytest.approx(at_20_once, abs=3)


def test_drawn_errors_of_a_long_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = simulated_walk("treadmill", duration=2.0).trial
    monkeypatch.setattr(masks, "LONG", 150)
    monkeypatch.setattr(of_uncertainty, "FRAMES", 150)
    sources = read_sources("default")._replace(method="monte_carlo", samples=40)
    about = estimate(analyse(trial, load_model("pig"), SubjectFile()), sources).record()
    assert about["samples"] == 40
    assert 2 < about["halves_differ_by_percent"] < 25 and 2 < about["first_order_differs_by_percent"] < 25


# --- memory --------------------------------------------------------------------------------------------------------

#: Prints the largest memory, kB, that a command or one that it starts takes.
_MEASURE = """import resource, subprocess, sys
subprocess.run([sys.executable, "-c", *sys.argv[1:]], check=True, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"""
_MAIN = "from gaitid.cli import main; main()"
#: A trial of a quarter of a minute is long.
_SOON_LONG = f"""from gaitid.numerics import masks
from gaitid.uncertainty import blocks as of_uncertainty
masks.LONG, of_uncertainty.FRAMES = 700, 400
{_MAIN}"""


def peak_kB(*words: object, code: str = _MAIN) -> int:
    command = [sys.executable, "-c", _MEASURE, code, *map(str, words)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in kB on Linux")
def test_memory_of_a_long_trial(tmp_path: Path) -> None:
    """All that a frame adds: what the result holds of it, and two tables: 45 kB here, 119 where no trial is long."""
    peaks = []
    for n_frames in (800, 2000):
        folder = tmp_path / str(n_frames)
        simulate("treadmill", folder, duration=n_frames / 100, analog_rate_hz=200.0, no_events=True)
        peaks.append(peak_kB("run", folder / "treadmill.c3d", "--uncertainty", "-o", folder, code=_SOON_LONG))
    assert (peaks[1] - peaks[0]) / 1200 < 70
