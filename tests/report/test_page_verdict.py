"""What people are told of a verdict: the page says it of one source throughout, and that only angles are known."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import ezc3d
import pytest

import gaitid
from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.cli.summary import Summary, trial_line
from gaitid.model.load import load_model
from gaitid.report import write_report
from gaitid.simulate.files import simulate

# Frames: the right foot lands in frame 65, and leaves the ground in frame 128.
_CUT = 127


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def part(html: str, name: str) -> str:
    return words(html.split(f'aria-label="{name}"')[1].split("</section>")[0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A walk that ends while the right foot stands on its plate, as C3D and as CSV."""
    folder = tmp_path_factory.mktemp("walk")
    simulate("walk", folder, duration=1.5)
    c = ezc3d.c3d(str(folder / "walk.c3d"))
    c["data"]["points"] = c["data"]["points"][..., :_CUT]
    for name in ("residuals", "camera_masks"):
        c["data"]["meta_points"][name] = c["data"]["meta_points"][name][..., :_CUT]
    c["data"]["analogs"] = c["data"]["analogs"][..., : 10 * _CUT]
    c.write(str(folder / "walk.c3d"))
    return folder


def test_a_stance_that_was_cut_is_whole_nowhere_on_the_page(folder: Path, tmp_path: Path) -> None:
    """Enough of its frames have moments, but its end was not recorded: what the verdict says, the joints say."""
    gaitid.analyse(folder / "walk.c3d", model="pig").write(tmp_path)
    record = json.loads((tmp_path / "walk.run.json").read_text(encoding="utf-8"))
    whole = {(c["side"], c["plates"]): c["whole"] for c in record["contacts"] if c["plates"]}
    assert whole == {("left", "1"): True, ("right", "2"): False}
    html = write_report([tmp_path], tmp_path / "a.html").read_text(encoding="utf-8")
    assert "Right: no whole stance on the plates: plate 2" in part(html, "Verdict")
    trust = part(html, "Can I trust it?")
    assert trust.count("whole stance (plate 1)") == 1
    assert "moments and power in part of a stance only (plate 2, 93 % of what was recorded)" in trust


def test_a_record_of_before_says_the_same(folder: Path, tmp_path: Path) -> None:
    gaitid.analyse(folder / "walk.c3d", model="pig").write(tmp_path)
    path = tmp_path / "walk.run.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    for contact in record["contacts"]:
        del contact["whole"]
    path.write_text(json.dumps(record), encoding="utf-8")
    html = write_report([tmp_path], tmp_path / "a.html").read_text(encoding="utf-8")
    assert "plate 2, 93 % of what was recorded" in part(html, "Can I trust it?")


def test_usable_without_any_load_is_angles_only_wherever_it_is_read(folder: Path, tmp_path: Path) -> None:
    """On the terminal, in a batch's summary, on the page; the value stays as it is."""
    alone = shutil.copy(folder / "walk.csv", tmp_path / "walk.csv")
    result = gaitid.analyse(alone, model="pig", subject=folder / "walk.subject.yaml")
    verdict = result.record["verdict"]
    assert (verdict["trial"], verdict["left"], verdict["right"]) == ("usable",) * 3
    assert verdict["angles_only"] == ["trial", "left", "right"]
    assert "; usable: angles only; " in repr(result)
    result.write(tmp_path)
    html = write_report([tmp_path], tmp_path / "a.html").read_text(encoding="utf-8")
    assert html.count("<strong>usable: angles only</strong>") == 3


def test_one_leg_with_a_load_is_more_than_angles(simulated: Callable[..., object], tmp_path: Path) -> None:
    trial = simulated().trial  # type: ignore[attr-defined]
    model = load_model("pig")
    none = analyse(replace(trial, plates=()), model, SubjectFile())
    one = analyse(replace(trial, plates=tuple(p for p in trial.plates if p.number == 2)), model, SubjectFile())
    assert none.verdict.words == "usable: angles only"
    assert trial_line(trial.path, none, tmp_path).startswith(f"{trial.path}: usable: angles only; ")
    assert one.verdict.words == "usable (left usable, right good)"
    summary = Summary()
    for result in (none, one, one):
        summary.add(result, ())
    assert summary.lines(3, 0)[0] == "3 trials: 2 usable, 1 usable: angles only"
