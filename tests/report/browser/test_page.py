"""The clinical page in a browser: it says nothing on the console, and everything works by click and by key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Show = Callable[..., "Opened"]  # noqa: F821
CURVES = ".curves"
KNEE = '.panel[data-column="knee_flexion_deg"]'


def readout(opened, selector: str = KNEE) -> list[str]:
    return opened.all(f"{selector} .readout span").all_text_contents()


def test_it_says_nothing_and_shows_its_curves(cycled: Path, show: Show) -> None:
    opened = show([cycled])
    assert opened.said == []
    assert opened.all(".panel").count() == 28
    assert opened.all(".tools").is_visible()
    assert opened.all(f"{KNEE} path.mean").count() == 2
    assert opened.all(".readout span").count() == 0


@pytest.mark.parametrize("width", [320, 768, 1280, 1920, 3840])
def test_it_never_scrolls_sideways(cycled: Path, show: Show, width: int) -> None:
    opened = show([cycled], width)
    opened.page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })")
    content, window = opened.width()
    assert content <= window == width
    assert opened.said == []


def test_pointing_at_a_panel_gives_the_values_of_all(cycled: Path, show: Show) -> None:
    opened = show([cycled])
    panel = opened.all(f"{KNEE} svg")
    panel.scroll_into_view_if_needed()
    box = panel.bounding_box()
    opened.page.mouse.move(box["x"] + box["width"] * (38 + 0.5 * 290) / 340, box["y"] + 60)
    # the mean of 20 + percent / 10 + cycle over two cycles on the left, one on the right
    assert readout(opened) == ["L 26.5 ± 0.7", "R 26.0"]
    assert opened.all('.panel[data-column="hip_flexion_deg"] .readout span').count() == 2
    assert opened.all(f"{KNEE} .cur").count() == 1
    opened.page.get_by_role("button", name="Clear").click()
    assert readout(opened) == []


def test_the_cursor_goes_by_keys(cycled: Path, show: Show) -> None:
    opened = show([cycled])
    opened.all(KNEE).focus()
    assert readout(opened) == ["L 21.5 ± 0.7", "R 21.0"]
    for key in ("ArrowRight", "Shift+ArrowRight", "ArrowLeft"):
        opened.page.keyboard.press(key)
    assert readout(opened) == ["L 22.5 ± 0.7", "R 22.0"]
    opened.page.keyboard.press("End")
    assert opened.all(".cursor output").text_content() == "100 %"
    opened.page.keyboard.press("Escape")
    assert readout(opened) == []
    slider = opened.page.get_by_role("slider", name="% of the gait cycle")
    slider.focus()
    opened.page.keyboard.press("ArrowRight")
    assert opened.all(".cursor output").text_content() == "1 %"
    assert opened.said == []


@pytest.mark.parametrize("by", ["click", "key"])
@pytest.mark.parametrize(
    ("name", "gone", "left"),
    [
        ("Left", f"{KNEE} g.left path.mean", f"{KNEE} g.right path.mean"),
        ("Each curve", f"{KNEE} path.each", f"{KNEE} g.left path.mean"),
        ("Knee", KNEE, '.panel[data-column="hip_flexion_deg"]'),
        ("Powers", ".group[data-group=powers]", ".group[data-group=angles]"),
    ],
)
def test_a_button_hides_and_shows(cycled: Path, show: Show, by: str, name: str, gone: str, left: str) -> None:
    opened = show([cycled])
    button = opened.all(CURVES).get_by_role("button", name=name, exact=True)

    def press() -> None:
        if by == "click":
            button.click()
        else:
            button.focus()
            opened.page.keyboard.press("Enter")

    assert opened.all(gone).first.is_visible()
    press()
    assert button.get_attribute("aria-pressed") == "false"
    assert not opened.all(gone).first.is_visible()
    assert opened.all(left).first.is_visible()
    press()
    assert opened.all(gone).first.is_visible()
    assert opened.said == []


def test_other_parts_and_the_curves_keep_in_step(cycled: Path, show: Show) -> None:
    opened = show([cycled])
    opened.page.evaluate("document.addEventListener('gaitid:time', (event) => { window.told = event.detail })")
    opened.all(KNEE).focus()
    opened.page.keyboard.press("End")
    told = opened.page.evaluate("window.told")
    # cycle 1 of the left side ends at frame 203, the trial begins at frame 57, at 100 Hz
    assert (told["trial"], told["from"]) == ("r0", "curves") and told["time_s"] == pytest.approx(1.46)
    tell = (
        "(t) => document.dispatchEvent(new CustomEvent('gaitid:time', {detail: {trial: 'r0', time_s: t, from: 'x'}}))"
    )
    opened.page.evaluate(tell, 0.40)  # the start of the left cycle 1; the right foot has none there
    assert readout(opened) == ["L 21.5 ± 0.7"]
    opened.page.evaluate(tell, 1.46)
    assert len(readout(opened)) == 2  # 100 % of the left one, 50 % of the right one
    assert opened.all(f"{KNEE} .cur.right").count() == 1


def test_the_3d_view_and_the_curves_keep_in_step(sample: Path, show: Show) -> None:
    opened = show([sample])
    assert opened.all(".readout span").count() == 0  # nobody asked for values yet
    times = []
    for key in ("Home", "End"):
        opened.all(KNEE).focus()
        opened.page.keyboard.press(key)
        opened.all(".gs-canvas").scroll_into_view_if_needed()  # what nobody sees is not drawn
        opened.page.wait_for_timeout(200)
        times.append(opened.all(".gs-time").text_content())
    after = times[1]
    assert after != times[0]
    assert opened.all(".cursor output").text_content() == "100 %"
    view = opened.all(".gs-slider")
    view.focus()
    for _ in range(10):
        opened.page.keyboard.press("ArrowLeft")
    assert opened.all(".gs-time").text_content() != after
    assert opened.all(".cursor output").text_content() != "100 %"
    assert opened.said == []


def test_the_page_is_dark_where_the_system_is_and_paper_is_light(sample: Path, chromium, tmp_path: Path) -> None:
    from gaitid.report import write_report

    output = write_report([sample], tmp_path / "page.html")
    context = chromium.new_context()
    page = context.new_page()
    page.goto(output.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })")
    for scheme, media, dark in (("light", "screen", False), ("dark", "screen", True), ("dark", "print", False)):
        page.emulate_media(media=media, color_scheme=scheme)
        for selector in ("body", ".gp text", "svg .ty"):
            style = f"getComputedStyle(document.querySelector('{selector}'))"
            colour = page.evaluate(f"'{selector}' === 'body' ? {style}.color : {style}.fill")
            light_text = max(int(part) for part in colour[4:-1].split(",")) > 128
            assert light_text == dark, (scheme, media, selector)
        back = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (max(int(part) for part in back[4:-1].split(",")) < 128) == dark
    context.close()
