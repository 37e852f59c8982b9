"""What counts for a mean: no turning walk beside straight ones, none that is not to be used, no recording twice."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gaitid.report import write_report
from gaitid.report.gathering import load_results
from gaitid.report.lines import members_of
from gaitid.report.page.messages import in_mean

Walk = Callable[..., Path]
Edit = Callable[[Path, dict[str, object]], None]
TURNS = {"conventions": {"progression": "path of asis_middle: the walk turns by 92°; axes x, y, z"}}


def refused(*sides: str) -> dict[str, object]:
    levels = {key: "do not use" if key in sides else "good" for key in ("trial", "left", "right")}
    return {"verdict": {**levels, "reasons": []}}


def knee(path: Path, side: str = "left") -> float:
    """Of the pooled mean at 35 %."""
    (member,) = members_of(load_results([path]))
    return float(member.basis.sides[side].mean("knee_flexion_deg").mean[35])


@pytest.fixture
def two(walk: Walk) -> tuple[Path, Path]:
    """A walk, and one of another knee, in one folder."""
    return walk("s", "walk"), walk("s", "other", cycles=5, extra=20.0)


def test_a_turning_walk_is_not_pooled(two: tuple[Path, Path], edit_record: Edit, tmp_path: Path) -> None:
    alone, pooled = knee(two[0]), knee(two[0].parent)
    assert pooled > alone + 5
    edit_record(two[1], TURNS)
    assert knee(two[0].parent) == alone
    html = write_report([two[0].parent], tmp_path / "a.html").read_text(encoding="utf-8")
    line = "other: the walk turns by 92°; see it by itself: gaitid report other.run.json -o other.html"
    assert (
        f"<b>Left out</b> {line}</li>" in html
        and "<b>Used</b> 1 of 2 trials: walk</li>" in html
        and "left (4 cycles)" in html
    )
    assert "<dd>1.01 ± 0.01 m/s</dd>" in html  # of 1.00, 1.01, 1.02 and 1.03 on each side, not of five strides


@pytest.mark.parametrize("sides", [("right",), ("trial", "left", "right"), ("trial",)])
def test_what_is_not_to_be_used_is_not_in_the_mean(
    two: tuple[Path, Path], edit_record: Edit, sides: tuple[str, ...]
) -> None:
    pooled, alone = ({side: knee(path, side) for side in ("left", "right")} for path in (two[0].parent, two[0]))
    edit_record(two[1], refused(*sides))
    assert knee(two[0].parent, "right") == alone["right"]
    assert knee(two[0].parent, "left") == (alone if "trial" in sides else pooled)["left"]
    (session,) = load_results([two[0].parent])
    leg = "" if "trial" in sides else ", right leg"
    assert in_mean(session.results).left_out == (f"other{leg}: its verdict is “do not use”",)
    # where there is nothing else it is drawn as it was, beside its verdict
    edit_record(two[0], refused(*sides))
    assert knee(two[0].parent, "right") == pooled["right"]


def test_a_refused_trial_does_not_turn_the_page_red(two: tuple[Path, Path], edit_record: Edit, tmp_path: Path) -> None:
    """The verdict is that of the trials that count; the other is named, with its reason."""
    good = {"trial": "good", "left": "good", "right": "good", "reasons": []}
    reason = {"lowers_to": "do not use", "code": "other_person", "side": "", "text": "another person", "cure": ""}
    edit_record(two[0], {"verdict": good})
    edit_record(two[1], {"verdict": {**dict.fromkeys(good, "do not use"), "reasons": [reason]}})
    html = write_report([two[0].parent], tmp_path / "a.html").read_text(encoding="utf-8")
    verdict = html.split('aria-label="Verdict"')[1].split("</section>")[0]
    assert re.findall(r'<li class="(\w+)"><span>([^<]*)</span><strong>([^<]*)<', verdict) == [
        ("good", "1 of 2 trials", "good"),
        ("good", "Left leg", "good"),
        ("good", "Right leg", "good"),
    ]
    assert "another person" not in verdict and "do not use: other" in verdict
    assert "<b>Left out</b> other: its verdict is “do not use”: another person</li>" in html
    edit_record(two[0], refused("trial", "left", "right"))
    html = write_report([two[0].parent], tmp_path / "b.html").read_text(encoding="utf-8")
    assert "<span>All trials</span><strong>do not use<" in html  # of which there is nothing else


def test_a_recording_counts_once(two: tuple[Path, Path], edit_record: Edit) -> None:
    inputs = json.loads(two[1].read_text(encoding="utf-8"))["inputs"]  # read first: by name, other.run.json
    edit_record(two[0], {"inputs": inputs})
    assert knee(two[0].parent) == knee(two[1])
    (session,) = load_results([two[0].parent])
    assert in_mean(session.results).left_out == ("walk: the same recording as other, which counts once",)
