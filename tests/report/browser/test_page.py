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


def test_every_control_has_a_name_and_a_visible_focus(cycled: Path, show: Show) -> None:
    opened = show([cycled])
    unnamed = """[...document.querySelectorAll('button, input, select, summary, [tabindex]')].filter((one) => {
      const label = one.id && document.querySelector('label[for="' + one.id + '"]');
      return !(one.textContent.trim() || one.getAttribute('aria-label') || one.getAttribute('aria-labelledby') ||
               one.title || label || one.closest('label'));
    }).map((one) => one.outerHTML.slice(0, 120))"""
    assert opened.page.evaluate(unnamed) == []
    opened.page.keyboard.press("Tab")
    style = "(() => { const s = getComputedStyle(document.activeElement); return [s.outlineStyle, s.outlineWidth] })()"
    assert opened.page.evaluate(style) == ["solid", "3px"]


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


def test_without_scripts_the_page_still_reads(cycled: Path, chromium, tmp_path: Path) -> None:
    from gaitid.report import write_report

    output = write_report([cycled], tmp_path / "page.html")
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(output.as_uri())
    assert page.locator(f"{KNEE} path.mean").first.is_visible()
    assert not page.locator(".tools").is_visible()
    context.close()


def test_it_prints_on_a4(cycled: Path, show: Show) -> None:
    opened = show([cycled])
    printed = opened.page.pdf(prefer_css_page_size=True, print_background=True)
    pages = printed.count(b"/Type /Page\n") or printed.count(b"/Type /Page ")
    assert 3 <= pages <= 5
    opened.page.emulate_media(media="print")
    assert not opened.all(".tools").is_visible()
    assert opened.all(KNEE).is_visible()


def test_contrast_of_the_texts_colours() -> None:
    """WCAG 2.1, 1.4.3: 4.5 to 1 at least, light and dark, on the page and on the backs that they stand on."""
    import re

    from gaitid.report import page

    css = Path(page.__file__).with_name("page.css").read_text(encoding="utf-8")
    light, dark = re.findall(r":root\{(.*?)\}", css, re.DOTALL)[:2]

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one: str, other: str) -> float:
        low, high = sorted((luminance(one), luminance(other)))
        return (high + 0.05) / (low + 0.05)

    for scheme in (light, dark):
        colours = dict(re.findall(r"--([\w-]+):(#[0-9a-f]{6}|#fff)", scheme))
        paper = colours["paper"].replace("#fff", "#ffffff") if len(colours["paper"]) == 4 else colours["paper"]
        for name in ("ink", "muted", "left", "right", "good", "care", "no"):
            for back in (paper, colours.get(f"{name}-back", paper)):
                assert contrast(colours[name], back) >= 4.5, (name, back)


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


def test_the_3d_view_can_be_kept_in_sight(sample: Path, show: Show) -> None:
    opened = show([sample])
    opened.all('.group[data-group="powers"]').scroll_into_view_if_needed()
    pin = opened.page.get_by_role("button", name="Keep the 3D view in sight")
    tall = opened.page.evaluate("document.body.scrollHeight")
    pin.click()
    box = opened.all(".gs-canvas").bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= 900 and box["width"] > 300
    assert abs(opened.page.evaluate("document.body.scrollHeight") - tall) <= 1
    pin.click()
    assert pin.get_attribute("aria-pressed") == "false"
    assert opened.all(".gs-canvas").bounding_box()["y"] < 0  # back above
    assert opened.said == []


@pytest.mark.parametrize("width", [320, 3840])
def test_a_whole_page_never_scrolls_sideways(sample: Path, show: Show, width: int) -> None:
    opened = show([sample], width)
    opened.page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })")
    content, window = opened.width()
    assert content <= window == width


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
