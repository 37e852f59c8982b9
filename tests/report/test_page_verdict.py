"""What people are told of a verdict: the page says it of one source throughout, and that only angles are known."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import ezc3d
import pytest

import gaitid
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
