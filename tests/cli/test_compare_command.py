"""`gaitid compare`: what it prints, its exit codes, its page, its refusals."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from terminal import gaitid

from gaitid.cli.results import compare_command as command
from gaitid.cli.run import run_command as run
from gaitid.simulate.files import simulate


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated walk, and its results with two filters."""
    folder = tmp_path_factory.mktemp("compare")
    simulate("walk", folder, duration=2.5)
    for name, cutoff in (("a", "none"), ("b", "3")):
        words = [str(folder / "walk.c3d"), "--model", "pig", "--cutoff", cutoff, "-o", str(folder / name), "--quiet"]
        assert run.main(words, standalone_mode=False) == 0
    return folder


def compare(*words: object) -> Result:
    return CliRunner().invoke(command, [*map(str, words)], standalone_mode=False)


def test_first_comes_what_differs_most_and_why(folder: Path) -> None:
    done = compare(folder / "a", folder / "b" / "walk.run.json")
    assert done.return_value == 0
    first, *rest = done.stdout.splitlines()
    assert first.startswith("a/walk and b/walk differ most in powers: RMS 0.1")
    assert "Why: marker filter and gaps first, 100 % of the difference of all curves (cutoff none and 3 Hz)" in first
    assert any(re.match(r"  left knee flexion +\d", line) for line in rest)
    assert any(re.match(r"left over +0 %", line) for line in rest)
    assert any(line.startswith("the same in both: joint centres") for line in rest)


def test_json_is_one_object_and_null_where_unknown(folder: Path) -> None:
    done = compare(folder / "a", folder / "b", "--json")
    content = json.loads(done.stdout)
    assert content["passed"] and content["beyond"] == []
    assert content["why"]["ranked"][0] == "marker_filter"
    part = content["why"]["parts"][0]
    assert (part["ingredient"], part["size"]) == ("marker_filter", "cutoff none and 3 Hz")
    assert set(part["quantities"]) >= {"angle_deg", "moment_Nm_per_kg", "power_W_per_kg"}
    assert len(content["curves"]) > 100  # the wrenches too
    curve = next(c for c in content["curves"] if c["column"] == "left_hip_extension_moment_Nm_per_kg")
    shares = [share["share"] for share in curve["parts"].values()]
    assert sum(shares) == pytest.approx(1.0)
    assert curve["largest_at_frame"] >= 1


def test_beyond_a_tolerance_the_exit_code_is_1(folder: Path) -> None:
    assert compare(folder / "a", folder / "b", "--tolerance", "angle_deg=90").return_value == 0
    done = compare(folder / "a", folder / "b", "--tolerance", "angle_deg=90", "--tolerance", "moment_Nm_per_kg=0.01")
    assert done.return_value == 1
    (line,) = done.stderr.splitlines()
    assert re.fullmatch(
        r"gaitid: beyond the tolerance: \w+_moment_Nm_per_kg differs by .+ N·m/kg at frame \d+, beyond 0.01 \(.*\)",
        line,
    )
    content = json.loads(compare(folder / "a", folder / "b", "--json", "--tolerance", "moment_Nm_per_kg=0.01").stdout)
    assert not content["passed"] and len(content["beyond"]) == 1


def test_the_page_stands_alone(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "new" / "why.html"
    assert compare(folder / "a", folder / "b", "-o", page).return_value == 0
    text = page.read_text(encoding="utf-8")
    outside = re.findall(r"https?://[^\"]*", text)
    assert set(outside) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(script|img|link|iframe)[^>]* (src|href)=", text)
    assert text.count("<figure") == text.count('role="img"') > 40
    assert "cutoff none and 3 Hz" in text and "marker filter and gaps first" in text
    assert "nan" not in re.sub(r"<style.*?</style>|<script.*?</script>", "", text, flags=re.DOTALL).lower().split()


@pytest.mark.parametrize(
    ("b", "more", "words"),
    [
        ("absent", (), "absent: no such file or folder; expected a NAME.run.json"),
        ("walk.csv", (), "nothing that can be compared"),
        ("walk.c3d", (), "walk.c3d: it stores no outputs of a model"),
        ("b", ("-o", "why.txt"), "expected a name that ends in .html"),
        ("b", ("-o", "-"), "a page goes to a file"),
        ("b", ("--knee", "rajagopal"), "--knee is about OpenSim's file, and neither A nor B is one; leave out --knee"),
        ("b", ("--outputs", "_x"), "--outputs is about a C3D with stored outputs, and neither A nor B is one"),
    ],
)
def test_refusals_are_one_line(folder: Path, b: str, more: tuple[str, ...], words: str) -> None:
    done = compare(folder / "a", folder / b, *more)
    assert done.exception is not None
    assert words in str(done.exception)
    assert "\n" not in str(done.exception)


@pytest.mark.parametrize(
    "words", [("x.c3d", "y.mot"), ("a", "b", "--tolerance", "angle=1"), ("a", "b", "--align", "steps"), ("a",)]
)
def test_wrong_usage_is_2(words: tuple[str, ...]) -> None:
    done = compare(*words)
    assert getattr(done.exception, "exit_code", None) == 2


def test_same_says_what_two_results_have_in_common(sure: Path) -> None:
    """A minimal detectable change needs it; a word that is none is wrong usage."""
    record = sure / "walk.run.json"
    done = gaitid("compare", record, record, "--align", "cycle", "--same", "subject", "--json")
    assert done.code == 0
    words = json.loads(done.out)["sure"]["words"]
    assert words == "minimal detectable change of two sessions of one person (as --same says)"
    assert gaitid("compare", record, record, "--same", "family").code == 2
