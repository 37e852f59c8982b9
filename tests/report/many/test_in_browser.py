"""Pages of several sessions in a real browser, where playwright and chromium are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from gaitid.report import write_report

Walk = Callable[..., Path]
Table = Callable[[Sequence[str]], Path]


@pytest.fixture
def show(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Write the page of results and open it without a network: (results, width, scripts) -> page."""
    contexts, said = [], []

    def opened(results: list[Path], width: int = 1280, scripts: bool = True) -> Any:
        output = write_report(results, tmp_path / "page.html")
        viewport = {"width": width, "height": 900}
        context = chromium.new_context(viewport=viewport, offline=True, java_script_enabled=scripts)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(output.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []


def shown(page: Any, selector: str) -> bool:
    return bool(page.locator(selector).first.is_visible())


@pytest.mark.parametrize("scripts", [True, False])
def test_sessions_and_sides_are_switched_by_click_and_key(walk: Walk, show: Callable[..., Any], scripts: bool) -> None:
    before, after = walk("before").parent, walk("after").parent
    page = show([before, after], scripts=scripts)
    curve = '#compared .panel[data-column="knee_flexion_deg"] svg .{}'
    assert shown(page, curve.format("k0")) and shown(page, curve.format("k1"))
    page.locator("#compared .s1").click()
    assert shown(page, curve.format("k0")) and not shown(page, curve.format("k1"))
    page.locator("#compared .s1").press("Space")
    assert shown(page, curve.format("k1"))
    page.locator("#compared .s-left").press("Space")
    assert not shown(page, "#compared .left-panels") and shown(page, "#compared .right-panels")


def test_values_of_sessions_are_told_by_pointer_and_key(walk: Walk, show: Callable[..., Any]) -> None:
    page = show([walk("before").parent, walk("after").parent])
    panel = page.locator('#compared .panel[data-key="left-knee_flexion_deg"]')
    panel.focus()
    panel.press("End")
    panel.press("ArrowLeft")
    assert re.fullmatch(r"99 %: before [−\d.]+, after [−\d.]+ \([+−][\d.]+\)", panel.locator(".readout").inner_text())
    panel.locator("svg").first.hover(position={"x": 150, "y": 50})
    assert not panel.locator(".readout").inner_text().startswith("99 %")
    panel.press("Escape")
    assert not shown(page, "#compared .readout")


@pytest.mark.parametrize("width", [320, 1280, 3840])
def test_nothing_is_wider_than_the_window(walk: Walk, table: Table, show: Callable[..., Any], width: int) -> None:
    lines = []
    for name in "ABCDE":
        walk(name)
        lines.append(f"{name}/walk,{name},,")
    page = show([table(lines)], width=width)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert shown(page, "#compared table.members")


def test_a_group_is_read_with_the_tools_of_a_session(walk: Walk, table: Table, show: Callable[..., Any]) -> None:
    for name in "AB":
        walk(name)
    page = show([table([f"{name}/walk,{name},," for name in "AB"])])
    panel = page.locator('#compared .panel[data-column="knee_flexion_deg"]')
    panel.focus()
    panel.press("ArrowRight")
    assert panel.locator(".readout").inner_text().startswith("L ")
    left = panel.locator("svg g.left").first
    assert left.is_visible()
    page.locator('#compared button[data-value="left"]').click()
    assert not left.is_visible()
