"""Sessions on shared axes, and groups: what is compared with what, what is said, and that a page holds it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from gaitid.errors import GaitidError
from gaitid.report import write_report
from gaitid.report.gathering import Session, load_results, regrouped
from gaitid.report.group import group_html
from gaitid.report.lines import by_subject, group_members, label_of
from gaitid.report.sessions import sessions_html

Walk = Callable[..., Path]
Table = Callable[[Sequence[str]], Path]
AT = np.arange(101.0)


def rise(size: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return size * np.exp(-(((AT - 35) / 10) ** 2) / 2)


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


class Unclosed(HTMLParser):
    """Elements that were not closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.wrong: list[str] = []
        self.feed(html)
        self.wrong += self.stack

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("input", "br", "meta"):
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if not self.stack or self.stack.pop() != tag:
            self.wrong.append(tag)


def sessions(walk: Walk, extra: float = 20.0, cycles: int = 6) -> tuple[Session, ...]:
    walk("before", cycles=cycles)
    after = walk("after", cycles=cycles, extra=rise(extra))
    return load_results([after.parents[1] / "before", after.parent])


def test_what_changed_is_told_and_what_did_not_is_not(walk: Walk) -> None:
    html = sessions_html(sessions(walk))
    told = text_of(html.split("apart-list")[1].split("</ul>")[0])
    found = re.search(r"Left knee flexion : ([\d.]+)° \(flexion\) at (\d+) %, over (\d+)–(\d+) %", told)
    assert found is not None, told
    assert float(found[1]) == pytest.approx(20, abs=4) and int(found[2]) == pytest.approx(35, abs=3)
    assert 10 < int(found[3]) < 35 < int(found[4]) < 60
    assert "Right knee flexion" in told and "power" not in told and "force" not in told


def test_curves_with_too_few_cycles_are_named(walk: Walk) -> None:
    before, after = walk("before", cycles=4), walk("after", cycles=4, extra=rise(20.0))
    path = after.with_name("walk.cycles.csv")
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    power = header.split(",").index("ankle_power_W_per_kg")
    cells = [row.split(",") for row in rows]
    emptied = [[*c[:power], "" if c[0] == "left" and c[1] > "2" else c[power], *c[power + 1 :]] for c in cells]
    path.write_text("\n".join([header, *map(",".join, emptied)]) + "\n", encoding="utf-8")
    html = sessions_html(load_results([before.parent, after.parent]))
    assert "Too few cycles to tell: left ankle power." in html and "<b>Left knee flexion</b>" in html


def test_labels_tell_sessions_apart() -> None:
    one, two = Session("A", "1", "barefoot", ()), Session("A", "1", "shod", ())
    assert [label_of(s, (one, two)) for s in (one, two)] == ["barefoot", "shod"]
    one, two = Session("A", "pre", "", ()), Session("A", "post", "", ())
    assert [label_of(s, (one, two)) for s in (one, two)] == ["pre", "post"]
    one, two = Session("A", "", "", ()), Session("A", "", "", ())
    assert label_of(two, (one, two)) in ("session 1", "session 2")


def test_trials_and_conditions_are_set_beside_each_other_when_asked(walk: Walk, table: Table) -> None:
    for stem in ("one", "two"):
        walk("A", stem)
    lines = ["A/one,A,mon,bare", "A/two,A,tue,shod"]
    given = load_results([table(lines)])

    def labels(by: str | None) -> list[tuple[str, str, str, int]]:
        return [(s.subject, s.session, s.condition, len(s.results)) for s in regrouped(given, by)]

    assert labels(None) == [("A", "mon", "bare", 1), ("A", "tue", "shod", 1)]
    assert labels("trial") == [("A", "one", "", 1), ("A", "two", "", 1)]
    assert labels("session") == [("A", "mon", "", 1), ("A", "tue", "", 1)]
    assert labels("condition") == [("A", "", "bare", 1), ("A", "", "shod", 1)]
    assert labels("subject") == [("A", "", "", 2)]
    with pytest.raises(GaitidError, match="--by condition: no result has a condition; expected a column"):
        regrouped([Session("A", "mon", "", given[0].results)], "condition")


# --- groups ---------------------------------------------------------------------------------------------------


def group(walk: Walk, table: Table, names: Sequence[str], odd: str = "") -> tuple[Session, ...]:
    for name in names:
        walk(name, extra=60.0 if name == odd else 0.0)
    return load_results([table([f"{name}/walk,{name},," for name in names])])


def test_a_group_page_names_all_subjects_and_who_is_unlike(walk: Walk, table: Table) -> None:
    names = [f"P{i}" for i in range(8)]
    subjects = by_subject(group(walk, table, names, odd="P5"))
    html = group_html(subjects)
    assert all(f'<th scope="row">{name}</th>' in html for name in names)
    assert html.count('<span class="badge') == 8
    odd = text_of(html.split("Unlike the others")[1].split("<section")[0])
    assert "P5 : left knee flexion" in odd or "P5 : right knee flexion" in odd
    assert not any(f"{name} :" in odd for name in names if name != "P5")
    assert "left (8 subjects)" in html
    assert Unclosed(html).wrong == []


def test_conditions_that_subjects_share_are_paired(walk: Walk, table: Table) -> None:
    lines = []
    for i, name in enumerate("ABCDEF"):
        walk(f"{name}/bare", extra=float(15 * i))
        walk(f"{name}/shod", extra=rise(20.0) + 15 * i)
        lines += [f"{name}/{condition}/walk,{name},1,{condition}" for condition in ("bare", "shod")]
    subjects = by_subject(load_results([table(lines)]))
    assert {label: len(members) for label, members in group_members(subjects).items()} == {"bare": 6, "shod": 6}
    html = group_html(subjects)
    assert "bare/walk, shod/walk" in html and html.count('<span class="badge') == 6
    # subjects are 15° apart from each other: only their own differences show the 20°
    assert re.search(r"<b>Left knee flexion</b>: [\d.]+° \(flexion\) at 3\d %", html)
    assert "mean of the subjects’ own differences" in text_of(html)


# --- the page -------------------------------------------------------------------------------------------------


def test_a_page_of_two_sessions_compares_them_first_and_has_each(walk: Walk, tmp_path: Path) -> None:
    walk("before")
    after = walk("after")
    page = write_report([after.parents[1] / "before", after.parent], tmp_path / "p.html").read_text(encoding="utf-8")
    assert re.findall(r'<article id="([^"]+)"', page) == ["compared", "s0", "s1"]
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert not re.search(r"https?:(?!//www\.w3\.org)", page)


def test_a_page_of_a_group_is_of_the_group_alone(walk: Walk, table: Table, tmp_path: Path) -> None:
    for name in "ABCDE":
        walk(name)
    folder = table([f"{name}/walk,{name},," for name in "ABCDE"])
    page = write_report([folder], tmp_path / "p.html").read_text(encoding="utf-8")
    assert re.findall(r'<article id="([^"]+)"', page) == ["compared"]
    assert "<h1>5 subjects</h1>" in page and len(page) < 1_000_000
