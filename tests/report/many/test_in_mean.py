"""What counts for a mean: no turning walk beside straight ones, none that is not to be used, no recording twice."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gaitid.report import write_report
from gaitid.report.gathering import load_results
from gaitid.report.lines import by_subject, group_members, members_of
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


@pytest.mark.parametrize("way", ["the walk goes up by 6°", "the walk goes down by 36°", "the subject walks backward"])
def test_a_walk_up_or_down_or_backward_is_pooled_neither_with_a_straight_one_nor_with_a_turn(
    two: tuple[Path, Path], edit_record: Edit, way: str
) -> None:
    alone = knee(two[0])
    edit_record(two[1], {"conventions": {"progression": f"displacement of asis_middle: {way}; axes x, y, z"}})
    assert knee(two[0].parent) == alone
    edit_record(two[0], TURNS)
    (member,) = members_of(load_results([two[0].parent]))
    assert len(member.results) == 1 and member.not_straight


def test_walks_that_all_turn_are_pooled_without_norms(
    two: tuple[Path, Path], edit_record: Edit, tmp_path: Path
) -> None:
    pooled = knee(two[0].parent)
    for path in two:
        edit_record(path, TURNS)
    assert knee(two[0].parent) == pooled
    html = write_report([two[0].parent], tmp_path / "a.html").read_text(encoding="utf-8")
    assert "Not in the mean" not in html and "left (9 cycles)" in html
    assert 'class="key norm"' not in html


def test_a_straight_walk_not_to_be_used_gives_way_to_turning_ones(two: tuple[Path, Path], edit_record: Edit) -> None:
    edit_record(two[0], refused("trial", "left", "right"))
    edit_record(two[1], TURNS)
    assert knee(two[0].parent) == knee(two[1])


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
    assert in_mean(session.results).told == (f"other{leg}: its verdict is “do not use”",)
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


def test_one_leg_that_is_refused_is_judged_by_the_other_trials(
    two: tuple[Path, Path], edit_record: Edit, tmp_path: Path
) -> None:
    edit_record(two[0], refused())
    edit_record(two[1], refused("right"))
    html = write_report([two[0].parent], tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<span>Right leg</span><strong>good<" in html
    edit_record(two[0], refused("right"))
    html = write_report([two[0].parent], tmp_path / "b.html").read_text(encoding="utf-8")
    assert "<span>Right leg</span><strong>do not use<" in html


def test_a_recording_counts_once(two: tuple[Path, Path], edit_record: Edit) -> None:
    inputs = json.loads(two[1].read_text(encoding="utf-8"))["inputs"]  # read first: by name, other.run.json
    edit_record(two[0], {"inputs": inputs})
    assert knee(two[0].parent) == knee(two[1])
    (session,) = load_results([two[0].parent])
    assert in_mean(session.results).told == ("walk: the same recording as other, which counts once",)


def test_who_only_turns_is_not_in_a_group(walk: Walk, table: Callable[..., Path], edit_record: Edit) -> None:
    paths = [walk(name) for name in "ABC"]
    edit_record(paths[1], TURNS)
    sessions = load_results([table([f"{name}/walk,{name},1," for name in "ABC"])])
    (members,) = group_members(by_subject(sessions)).values()
    assert [member.label for member in members] == ["A", "C"]
    html = write_report([paths[0].parents[1]], paths[0].parents[1] / "g.html").read_text(encoding="utf-8")
    assert "B (its walks turn, go up or down, or backward)" in html


def test_figures_are_of_what_counts(two: tuple[Path, Path], edit_record: Edit) -> None:
    edit_record(two[1], refused("right"))
    (session,) = load_results([two[0].parent])
    other = in_mean(session.results).results[0]
    assert other.stem == "other" and {row["side"] for row in other.spatiotemporal} == {"left"}
    assert not any(name.startswith("right_") for name in other.columns)
    assert np.array_equal(other.cycles["left"].numbers, np.arange(1, 6))
