"""Pages of several sessions in a real browser, where playwright and chromium are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gaitid.report import write_report

Walk = Callable[..., Path]


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
