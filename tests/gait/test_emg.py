"""Electromyography: filters against scipy, envelopes of signals whose amplitude is known, faults of channels, files."""

from __future__ import annotations

import json
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import ezc3d
import numpy as np
import pandas as pd
import pytest

import gaitid
from gaitid.errors import GaitidError
from gaitid.gait.emg import Envelopes, envelopes
from gaitid.numerics.lowpass import bandpass
from gaitid.trial import Array, Emg

ROOT = Path(__file__).resolve().parents[2]
WALK = ROOT / "sample_data" / "walk" / "walk.c3d"
CHILD = ROOT.parent / "shared" / "trials" / "children" / "HC002D" / "walk.c3d"
RATE, FRAMES_HZ, SECONDS = 1000.0, 100.0, 4.0
N = int(RATE * SECONDS)
#: The power spectrum of surface electromyography has its median at some 80 Hz (De Luca 1997).
MUSCLE_HZ = (30.0, 150.0)


def muscle(seed: int = 0, sd_V: Array | float = 1e-4) -> Array:
    """(samples,) V, a normal signal of a muscle's band, its standard deviation as given at each sample."""
    noise = bandpass(np.random.default_rng(seed).normal(size=(N, 1)), MUSCLE_HZ, RATE)[:, 0]
    return np.asarray(noise / noise.std() * sd_V)


def of(*channels: Array, labels: tuple[str, ...] = (), reference: dict[str, float] | None = None) -> Envelopes:
    names = labels or tuple(f"EMG{i}" for i in range(len(channels)))
    emg = Emg(names, RATE, lambda which: np.array(channels)[list(which)], np.ones(len(channels)))
    found = envelopes(emg, FRAMES_HZ, int(FRAMES_HZ * SECONDS), None, reference)
    assert found is not None
    return found


def test_the_envelope_is_the_mean_of_the_absolute_value() -> None:
    """Of a normal signal √(2/π) of its standard deviation, here tenfold in the middle; an offset is none of it."""
    t = np.arange(N) / RATE
    sd = 1e-4 * np.where((t > 1) & (t < 3), 10.0, 1.0)
    found = np.mean([of(muscle(seed, sd) + 0.5).values_V[:, 0] for seed in range(20)], axis=0)
    at = np.arange(len(found)) / FRAMES_HZ
    for inside, size in (((at > 1.3) & (at < 2.7), 1e-3), (at < 0.7, 1e-4), (at > 3.3, 1e-4)):
        # 20 signals of 6 Hz: known to 3 %; a few percent of them lie below 20 Hz
        assert found[inside].mean() == pytest.approx(size * np.sqrt(2 / np.pi), rel=0.06)
    assert found[0] == pytest.approx(found[20:60].mean(), rel=0.25)  # the ends too


@pytest.mark.parametrize("mains", [50.0, 60.0])
def test_hum_of_the_mains_is_said(mains: float) -> None:
    hum = np.sin(2 * np.pi * mains * np.arange(N) / RATE)
    (note,) = of(muscle(), muscle(1) + 0.8e-4 * hum, labels=("L TA", "R TA")).notes
    assert note.code == "emg_hum" and f"{mains:g} Hz" in note.text and "R TA" in note.text and "L TA" not in note.text
    assert not of(muscle() + 0.2e-4 * hum).notes  # 2 % of its power


# --- by files ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The sample walk with channels behind those of its plates, mV."""

    def with_channels(channels: dict[str, Array], unit: str = "mV") -> Path:
        c = ezc3d.c3d(str(WALK))
        analog, n = c["parameters"]["ANALOG"], c["data"]["analogs"].shape[2]
        for label, samples in channels.items():
            analog["LABELS"]["value"] = [*analog["LABELS"]["value"], label]
            analog["DESCRIPTIONS"]["value"] = [*analog["DESCRIPTIONS"]["value"], ""]
            analog["UNITS"]["value"] = [*analog["UNITS"]["value"], unit]
            analog["SCALE"]["value"] = [*analog["SCALE"]["value"], 1.0]
            analog["OFFSET"]["value"] = [*analog["OFFSET"]["value"], 0]
            row = np.resize(samples, n)[None, None]
            c["data"]["analogs"] = np.concatenate([c["data"]["analogs"], row], axis=1)
        path = tmp_path_factory.mktemp("emg") / "walk.c3d"
        c.write(str(path))
        return path

    return with_channels


def test_a_trial_with_channels(recorded: Callable[..., Path], tmp_path: Path) -> None:
    t = np.arange(N) / RATE
    path = recorded({"L Gast": 1e3 * muscle(0, 1e-4 * (1 + t)), "Voltage.R Gast": 1e3 * muscle(1), "Sync": t})
    r = gaitid.analyse(path, model="pig", emg_reference=path, write="emg")
    names = [
        "left_gast_envelope_V",
        "right_gast_envelope_V",
        "left_gast_envelope_percent",
        "right_gast_envelope_percent",
    ]
    assert list(r.emg) == ["frame", "time_s", *names]
    assert r.emg["right_gast_envelope_V"].mean() == pytest.approx(1e-4 * np.sqrt(2 / np.pi), rel=0.1)
    assert r.emg["left_gast_envelope_percent"].max() == pytest.approx(100)
    assert list(r.cycles)[-4:] == names and r.cycles[names].notna().all().all()
    # over the cycle as over the frames
    one = r.cycles[(r.cycles["side"] == "left") & (r.cycles["cycle"] == 1)]
    first = one["first_frame"].iloc[0]
    at_strike = r.emg.loc[r.emg["frame"] == first, names[0]].iloc[0]
    assert one[names[0]].iloc[0] == pytest.approx(at_strike, rel=0.05)  # the strike lies between two frames
    about = r.record["emg"]
    assert about["band_pass_hz"] == [20.0, 450.0] and [c["side"] for c in about["channels"]] == ["left", "right"]
    assert [i["role"] for i in r.record["inputs"]].count("emg_reference") == 1
    assert pickle.loads(pickle.dumps(r.result)).trial.emg.samples_V([0, 2]).shape[0] == 2  # as a pool of processes does
    # nothing else knows of it, and all that reads results does
    bare = gaitid.analyse(WALK, model="pig")
    pd.testing.assert_frame_equal(r.joints, bare.joints)
    r.write(tmp_path)
    again = gaitid.load(tmp_path / "walk.run.json")
    pd.testing.assert_frame_equal(again.emg, r.emg, check_exact=False, rtol=1e-9)
    again.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'data-column="gast_envelope_percent"' in page and ">Muscles</h3>" in page
    (data,) = re.findall(r'<script type="application/json" id="s0-data">(.*?)</script>', page)
    panel = json.loads(data)["panels"]["gast_envelope_percent"]
    left = r.cycles[r.cycles["side"] == "left"].groupby("percent")["left_gast_envelope_percent"].mean()
    np.testing.assert_allclose(panel["left"]["mean"], left, atol=0.06)


def test_the_subject_file_says_which_channel_is_which_muscle(recorded: Callable[..., Path]) -> None:
    path = recorded({"Voltage.1": 1e3 * muscle(), "Voltage.2": 1e3 * muscle(1)})
    assert "emg" not in gaitid.analyse(path, model="pig").record
    subject = {"emg": {"Voltage.1": "left tibialis anterior", "Voltage.9": "right soleus"}}
    r = gaitid.analyse(path, model="pig", subject=subject, emg_reference=path)
    assert list(r.emg)[2:] == ["left_tibialis_anterior_envelope_V", "left_tibialis_anterior_envelope_percent"]
    assert r.record["emg"]["channels"][0]["label"] == "Voltage.1" and r.record["emg"]["channels"][0]["side"] == "left"
    (absent,) = (w["text"] for w in r.warnings if w["code"] == "emg_absent")
    assert "Voltage.9" in absent
    with pytest.raises(GaitidError, match="emg.Voltage.1: expected"):
        gaitid.analyse(path, model="pig", subject={"emg": {"Voltage.1": 3}})


@pytest.mark.skipif(not CHILD.is_file(), reason="needs ../shared/trials/children")
def test_a_child_s_muscles_are_active_when_they_should_be(tmp_path: Path) -> None:
    """The right leg's: its calf pushes off, and the front of its shank lifts the foot in swing (Perry 1992)."""
    r = gaitid.analyse(CHILD, model="pig")
    cycles = r.cycles[r.cycles["side"] == "right"].groupby("percent").mean(numeric_only=True)
    calf, front = cycles["right_gast_envelope_V"], cycles["right_tib_ant_envelope_V"]
    assert 25 < calf.idxmax() < 60 and calf.loc[70:95].max() < 0.3 * calf.max()
    assert front.loc[60:100].mean() > 2 * front.loc[20:45].mean()
    noise = next(w["text"] for w in r.warnings if w["code"] == "emg_noise")
    r.report(tmp_path / "page.html")  # which says it above the panels
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert noise.split(":")[0] in page[page.index(">Muscles</h3>") : page.index('data-column="rect_envelope_V"')]
    assert "Voltage.L Gast" in noise and "Voltage.R Gast" not in noise  # of the left leg nothing was recorded


def test_muscles_are_compared_by_a_reference_of_both(recorded: Callable[..., Path], tmp_path: Path) -> None:
    """Twice the voltage is twice the percent; volts, and percent of a trial's own maximum, are not compared."""
    channels = {"L Gast": 1e3 * muscle(0), "R Gast": 1e3 * muscle(1)}
    once = shutil.copy(recorded(channels), tmp_path / "once.c3d")
    twice = shutil.copy(recorded({name: 2 * of for name, of in channels.items()}), tmp_path / "twice.c3d")

    def compared(name: str, reference_once: Path | None, reference_twice: Path) -> str:
        a, b = (
            gaitid.analyse(path, model="pig", emg_reference=reference).write(tmp_path / name)
            for path, reference in ((once, reference_once), (twice, reference_twice))
        )
        records = [str(next(f for f in files if f.name.endswith(".run.json"))) for files in (a, b)]
        command = [sys.executable, "-m", "gaitid", "compare", "--align", "cycle", *records]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    by_one = compared("one", twice, once)
    row = next(line.split() for line in by_one.split("muscles, %")[1].splitlines() if line.startswith("  left gast"))
    assert float(row[8]) == pytest.approx(4 * float(row[7]), rel=0.02)  # ranges: 50 % and 200 % of one
    assert "100 % is the own maximum of once; run both with --emg-reference" in compared("own", once, once)
    assert "envelopes of once are volts, which follow the electrodes" in compared("volts", None, once)
    quiet = shutil.copy(recorded({name: of / 50 for name, of in channels.items()}), tmp_path / "quiet.c3d")
    assert "% of its reference, which was no contraction of it" in compared("quiet", quiet, quiet)
