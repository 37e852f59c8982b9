"""`gaitid compare --groups`: two conditions of the same subjects, whose calibration differs by a known angle."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from gaitid.cli.results import compare_command as command
from gaitid.cli.run import run_command as run
from gaitid.compare.groups import hedges_g
from gaitid.errors import GaitidError

OFFSET = np.radians(6)


@pytest.fixture(scope="module")
def study(walk: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six subjects twice: with shoes every ankle is dorsiflexed by 6 ± 0.6 degrees more; the exact mean is kept."""
    folder, rng, apart = tmp_path_factory.mktemp("study"), np.random.default_rng(5), []
    for i in range(6):
        own = 0.2 + 0.03 * rng.normal()
        for condition, shift in (("barefoot", 0.0), ("shod", OFFSET)):
            file = folder / "subject.yaml"
            angles = {side: own + shift + 0.01 * rng.normal() for side in ("left", "right")}
            file.write_text("".join(f"{s}_static_plantar_flexion_rad: {a}\n" for s, a in angles.items()))
            apart.append(angles["left"] * (1 if shift else -1))
            words = [walk / "walk.c3d", "--model", "pig", "--subject", file, "-o", folder / condition / f"S{i}"]
            assert run.main([*map(str, words), "--quiet"], standalone_mode=False) == 0
    (folder / "mean_deg").write_text(str(np.degrees(sum(apart) / 6)), encoding="utf-8")
    return folder


def compare(*words: object) -> Result:
    return CliRunner().invoke(command, [*map(str, words)], standalone_mode=False)


def groups(study: Path) -> tuple[str, str, str]:
    return "--groups", f"barefoot={study / 'barefoot'}", f"shod={study / 'shod'}"


def test_the_same_subjects_twice_are_paired_and_the_known_difference_is_found(study: Path, tmp_path: Path) -> None:
    page, arrays = tmp_path / "study.html", tmp_path / "y.npz"
    done = compare(*groups(study), "-o", page, "--arrays", arrays, "--permutations", 500)
    assert done.return_value == 0
    first, speed, *_ = done.stdout.splitlines()
    assert first == "barefoot and shod: the same 6 subjects, paired"
    assert speed.startswith("walking speed: barefoot 1.2") and speed.endswith(": equal")
    assert "left ankle dorsiflexion:" in done.stdout and "left knee flexion:" not in done.stdout
    rows = list(csv.DictReader((tmp_path / "study.csv").read_text(encoding="utf-8").splitlines()))
    ankle = [row for row in rows if row["side"] == "left" and row["column"] == "ankle_dorsiflexion_deg"]
    assert [float(row["percent"]) for row in ankle] == list(range(101))
    assert ankle[0]["n_a"] == ankle[0]["n_b"] == "6" and float(ankle[0]["p"]) < 0.05
    # degrees: the calibration turns the foot about its own axis, dorsiflexion is about that of the shank
    exact = float((study / "mean_deg").read_text(encoding="utf-8"))
    for row in ankle:
        low, apart, high = (float(row[name]) for name in ("low_95", "difference", "high_95"))
        assert apart == pytest.approx(exact, abs=0.4) and 0 < low < exact < high
        assert float(row["hedges_g_low_95"]) < float(row["hedges_g"]) < float(row["hedges_g_high_95"])
    y = np.load(arrays)  # as `spm1d.stats.ttest_paired(y[…], y[…])` takes them
    a, b = (y[f"left_ankle_dorsiflexion_deg_{name}"] for name in ("barefoot", "shod"))
    assert a.shape == b.shape == (6, 101)
    assert (b - a).mean(axis=0)[30] == pytest.approx(float(ankle[30]["difference"]))
    html = page.read_text(encoding="utf-8")
    assert "Nichols &amp; Holmes 2002" in html and "src=" not in html  # no network


def test_independent_where_asked_and_json(study: Path) -> None:
    content = json.loads(compare(*groups(study), "--independent", "--json", "--permutations", 200).stdout)
    assert not content["paired"] and content["groups"].startswith(
        "barefoot (6 subjects) and shod (6 subjects), independent"
    )
    assert "taken for different people: S0, S1" in content["groups"]
    ankle = next(c for c in content["curves"] if (c["side"], c["column"]) == ("left", "ankle_dorsiflexion_deg"))
    assert ankle["n"] == "6 + 6" and ankle["p"] < 0.05 and ankle["g"] > 1


def test_too_few_subjects_and_wrong_words_are_refused(study: Path) -> None:
    words = ["--groups", f"a={study / 'barefoot' / 'S0'}", f"b={study / 'shod'}"]
    with pytest.raises(GaitidError, match="too few subjects for a test") as refused:
        compare_or_raise(words)
    assert "at least 6 in both groups" in refused.value.line()
    assert "--independent where these are different people" in refused.value.line()
    assert CliRunner().invoke(command, ["--groups", "a", "b"]).exit_code == 2
    assert CliRunner().invoke(command, ["a", *groups(study)]).exit_code == 2
    assert CliRunner().invoke(command, []).exit_code == 2
    pre, two = str(study / "barefoot"), list(groups(study))
    for wrong, line in (
        (["--groups", f"a={pre}", f"b={pre}"], "a result is in both folders"),
        (["--groups", f" ={pre}", f"b={study / 'shod'}"], "expected two names"),
        ([*two, "--tolerance", "angle_deg=2"], "--tolerance is of A and B, not of --groups"),
        ([*two, "--arrays", str(study / "y.csv")], "ends in .npz"),
        ([pre, str(study / "shod"), "--paired"], "--paired is of --groups"),
    ):
        done = CliRunner().invoke(command, wrong)
        assert done.exit_code == 2 and line in done.output, done.output


def compare_or_raise(words: list[str]) -> object:
    done = CliRunner().invoke(command, words, standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return done.return_value


def test_hedges_g_of_a_textbook() -> None:
    """Borenstein et al. 2009, ch. 4: means 103 and 100, SD 5.5 and 4.5, 50 each: g 0.5924, variance 0.0411."""

    def sample(mean: float, sd: float) -> np.ndarray:
        z = np.linspace(-1, 1, 50)
        return (mean + sd * z / z.std(ddof=1))[:, None]

    g, variance = hedges_g(sample(100, 4.5), sample(103, 5.5), paired=False)
    assert g[0] == pytest.approx(0.5924, abs=2e-4) and variance[0] == pytest.approx(0.0411, abs=1e-4)
