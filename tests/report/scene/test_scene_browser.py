"""The view in a browser: it plays, each control works by click and by key, at any size, without an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gaitid.report.result import Result
from gaitid.report.scene import SCENE_CSS, SCENE_JS, plan_html, scene_html

PLAYER = "document.querySelector('.gs').gaitidPlayer"


@pytest.fixture(scope="module")
def page_file(walk: Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with two trials."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    body = scene_html([walk, walk], keys=["a", "b"]) + plan_html(walk, "b")
    path.write_text(
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>view</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<style>*{{box-sizing:border-box}}body{{margin:8px}}figure{{margin:0}}{SCENE_CSS}</style></head>"
        f"<body>{body}<script>{SCENE_JS}</script></body></html>",
        "utf-8",
    )
    return path


@pytest.fixture
def opened(chromium: Any, page_file: Path) -> Iterator[Callable[..., Any]]:
    """`opened(width, height, …context options)`: the page; no error may have been written when the test ends."""
    errors: list[str] = []
    contexts = []

    def page(width: int = 1100, height: int = 900, **options: Any) -> Any:
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        view = context.new_page()
        view.on("console", lambda message: errors.append(message.text) if message.type != "log" else None)
        view.on("pageerror", lambda error: errors.append(str(error)))
        view.on("request", lambda request: request.url.startswith("file:") or errors.append(request.url))
        view.goto(page_file.as_uri())
        view.wait_for_function(f"{PLAYER} !== undefined")
        settled(view)
        return view

    yield page
    for context in contexts:
        context.close()
    assert errors == []


def settled(view: Any) -> None:
    """Two pictures later."""
    view.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def get(view: Any, what: str) -> Any:
    return view.evaluate(f"() => {PLAYER}.{what}")


def ink(view: Any) -> int:
    """How many pixels of the canvas are drawn on, of those that are neither clear nor grey."""
    return int(
        view.evaluate(
            """() => { const c = document.querySelector('.gs-canvas');
            const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0;
            for (let i = 0; i < d.length; i += 4)
              if (d[i+3] > 60 && Math.max(d[i],d[i+1],d[i+2]) - Math.min(d[i],d[i+1],d[i+2]) > 60) n++;
            return n; }"""
        )
    )


def picture(view: Any) -> str:
    settled(view)
    return str(view.evaluate("() => document.querySelector('.gs-canvas').toDataURL()"))


def test_it_plays_and_stops(opened: Callable[..., Any]) -> None:
    view = opened()
    assert get(view, "time") == get(view, "trial.still")
    before, readout = get(view, "time"), view.inner_text(".gs-time")
    assert readout.startswith("frame ")
    view.click(".gs-play")
    view.wait_for_function(f"{PLAYER}.time !== {before}")
    view.wait_for_function(f"document.querySelector('.gs-time').textContent !== {readout!r}")
    assert view.inner_text(".gs-play") == "Stop"
    view.click(".gs-play")
    settled(view)
    stopped = get(view, "time")
    settled(view)
    assert get(view, "time") == stopped
    assert not get(view, "waiting")  # nothing is drawn while nothing changes


def test_it_is_the_trials_time(opened: Callable[..., Any]) -> None:
    """At a tenth of the speed a tenth of the time goes by."""
    view = opened()
    view.select_option(".gs-speed", "0.1")
    assert get(view, "speed") == 0.1
    seconds = view.evaluate(
        f"""() => new Promise(done => {{ const p = {PLAYER}; p.go(0); p.play(true);
        setTimeout(() => {{ p.play(false); done(p.trial.seconds(p.time)); }}, 700); }})"""
    )
    assert 0.01 < seconds < 0.09


@pytest.mark.parametrize("name", ["front", "left", "right", "top", "free"])
def test_views_by_click_and_key(opened: Callable[..., Any], name: str) -> None:
    view = opened()
    view.click("[data-view=front]" if name != "front" else "[data-view=left]")
    other = picture(view)
    view.click(f"[data-view={name}]")
    by_click = picture(view)
    assert by_click != other
    assert view.get_attribute(f"[data-view={name}]", "aria-pressed") == "true"
    number = ["free", "front", "left", "right", "top"].index(name) + 1
    view.focus(".gs-canvas")
    view.keyboard.press("1" if name != "free" else "2")
    view.keyboard.press(str(number))
    assert picture(view) == by_click


@pytest.mark.parametrize("name", ["labels", "axes", "forces", "moments", "com", "follow"])
def test_toggles(opened: Callable[..., Any], name: str) -> None:
    view = opened()
    before = picture(view)
    button = f"[data-toggle={name}]"
    was = view.get_attribute(button, "aria-pressed")
    view.click(button)
    assert view.get_attribute(button, "aria-pressed") != was
    assert picture(view) != before
    view.focus(button)
    view.keyboard.press("Enter")
    assert view.get_attribute(button, "aria-pressed") == was


@pytest.mark.parametrize(
    ("key", "what", "sign"),
    [
        ("ArrowLeft", "camera.azimuth", -1),
        ("ArrowRight", "camera.azimuth", 1),
        ("ArrowUp", "camera.elevation", 1),
        ("ArrowDown", "camera.elevation", -1),
        ("+", "camera.distance", -1),
        ("-", "camera.distance", 1),
        (".", "time", 1),
        (",", "time", -1),
        ("End", "time", 1),
        ("Home", "time", -1),
    ],
)
def test_keys(opened: Callable[..., Any], key: str, what: str, sign: int) -> None:
    view = opened()
    view.focus(".gs-canvas")
    before, drawn = get(view, what), picture(view)
    view.keyboard.press(key)
    assert (get(view, what) - before) * sign > 0
    assert picture(view) != drawn


def test_space_plays(opened: Callable[..., Any]) -> None:
    view = opened()
    view.focus(".gs-canvas")
    view.keyboard.press(" ")
    assert get(view, "playing")
    assert view.get_attribute(".gs-play", "aria-pressed") == "true"
    view.keyboard.press(" ")
    assert not get(view, "playing")


def test_mouse_wheel_and_buttons(opened: Callable[..., Any]) -> None:
    view = opened()
    box = view.locator(".gs-canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = get(view, "camera.azimuth")
    view.mouse.move(x, y)
    view.mouse.down()
    view.mouse.move(x + 60, y + 20)
    view.mouse.up()
    assert get(view, "camera.azimuth") < before
    far = get(view, "camera.distance")
    view.mouse.wheel(0, -200)
    view.wait_for_function(f"{PLAYER}.camera.distance < {far}")  # the click before gave it the focus
    near = get(view, "camera.distance")
    view.click("[data-zoom=out]")
    assert get(view, "camera.distance") > near
    view.click("[data-zoom=in]")
    assert get(view, "camera.distance") == pytest.approx(near)


def test_a_marker_says_what_it_is(opened: Callable[..., Any]) -> None:
    view = opened()
    place = view.evaluate(
        f"() => {{ const p = {PLAYER}.painter.points.find(one => one.label === 'LKNE').p; return [p.x, p.y]; }}"
    )
    view.locator(".gs-canvas").hover(position={"x": place[0], "y": place[1]})
    assert "LKNE" in view.inner_text(".gs-tip")
    assert "left knee marker" in view.inner_text(".gs-tip")


def test_touch(opened: Callable[..., Any]) -> None:
    view = opened(360, 700, has_touch=True, is_mobile=True, device_scale_factor=3)
    assert get(view, "canvas.width") == 3 * get(view, "canvas.clientWidth")
    place = view.evaluate(
        f"""() => {{ const one = {PLAYER}.painter.points.find(one => one.label === 'LKNE').p;
        const box = document.querySelector('.gs-canvas').getBoundingClientRect();
        return [box.left + one.x, box.top + one.y]; }}"""
    )
    view.touchscreen.tap(*place)
    assert view.is_visible(".gs-tip")
    pinch = """() => { const c = document.querySelector('.gs-canvas');
      const fire = (type, id, x, y) => c.dispatchEvent(new PointerEvent(type,
        {pointerId: id, pointerType: 'touch', clientX: x, clientY: y, bubbles: true}));
      c.setPointerCapture = () => {};
      fire('pointerdown', 5, 150, 150); fire('pointerdown', 6, 200, 150);
      fire('pointermove', 6, 250, 150); fire('pointerup', 5, 150, 150); fire('pointerup', 6, 250, 150); }"""
    far = get(view, "camera.distance")
    view.evaluate(pinch)
    assert get(view, "camera.distance") == pytest.approx(far / 2)


def test_the_slider_by_mouse_and_key(opened: Callable[..., Any]) -> None:
    view = opened()
    view.focus(".gs-slider")
    before = get(view, "time")
    view.keyboard.press("ArrowRight")
    assert get(view, "time") == before + 1
    box = view.locator(".gs-slider").bounding_box()
    view.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + box["height"] / 2)
    settled(view)
    n = get(view, "trial.n")
    assert get(view, "time") == pytest.approx(0.8 * (n - 1), abs=0.02 * n + 1)
    assert view.get_attribute(".gs-slider", "aria-valuetext") == view.inner_text(".gs-time")


def test_time_goes_to_the_page_and_comes_from_it(opened: Callable[..., Any]) -> None:
    view = opened()
    assert get(view, "sent") == get(view, "time")  # at first nobody chose a moment
    view.evaluate("() => { window.heard = []; document.addEventListener('gaitid:time', e => heard.push(e.detail)); }")
    view.focus(".gs-canvas")
    view.keyboard.press(".")
    settled(view)
    (told,) = view.evaluate("() => heard")
    assert told["trial"] == "a"
    assert told["from"] == "scene"
    assert told["time_s"] == pytest.approx(get(view, "trial.seconds({})".format(get(view, "time"))))
    say = """t => document.dispatchEvent(new CustomEvent('gaitid:time', {detail: t}))"""
    view.evaluate(say, {"trial": "b", "time_s": 0.5, "from": "curves"})
    settled(view)
    assert get(view, "trial.key") == "b"
    assert view.input_value(".gs-trials") == "b"
    assert get(view, "trial.seconds({})".format(get(view, "time"))) == pytest.approx(0.5, abs=0.02)
    view.evaluate(say, {"trial": "of another page", "time_s": 1.0, "from": "curves"})
    assert get(view, "trial.key") == "b"
    assert len(view.evaluate("() => heard.filter(one => one.from === 'scene')")) == 1


def test_a_contact_of_the_plan_leads_to_its_moment(opened: Callable[..., Any], walk: Result) -> None:
    view = opened()
    contact = next(i for i, contact in enumerate(walk.contacts) if contact.known)
    view.click(f"li.gp-item:nth-child({contact + 1}) .gp-go")
    settled(view)
    assert get(view, "trial.key") == "b"
    first, last = walk.contacts[contact].first_frame, walk.contacts[contact].last_frame
    assert get(view, "trial.frame({})".format(get(view, "time"))) == pytest.approx((first + last) / 2, abs=2)
    assert f"plate {walk.contacts[contact].plates}: load known" in view.inner_text(".gs-say")


def test_another_trial(opened: Callable[..., Any]) -> None:
    view = opened()
    view.select_option(".gs-trials", "b")
    assert get(view, "trial.key") == "b"
    assert ink(view) > 500


def test_the_script_reads_the_numbers(opened: Callable[..., Any], walk: Result) -> None:
    """What the script decodes is what was analysed, to less than a millimetre."""
    from gaitid.report.scene.moving import seen_of

    view = opened()
    seen = seen_of(walk).moving
    assert seen is not None
    index = view.evaluate(f"() => {PLAYER}.trial.tracks.findIndex(t => t.label === 'RTOE')")
    step = get(view, "trial.step")
    for i in (0, 7, 31):
        there = view.evaluate(f"() => {PLAYER}.trial.markers.at({index}, {i})")
        meant = seen.view.points(seen.result.markers.filtered["RTOE"])[i * step]
        assert max(abs(a - b) for a, b in zip(there, meant, strict=True)) < 0.001


@pytest.mark.parametrize(("width", "height"), [(320, 640), (768, 1024), (1920, 1080), (3840, 2160)])
def test_sizes(opened: Callable[..., Any], width: int, height: int) -> None:
    view = opened(width, height)
    assert view.evaluate("() => document.documentElement.scrollWidth") <= width
    box = view.locator(".gs-canvas").bounding_box()
    assert box["width"] > 0.85 * width
    assert box["height"] <= height
    assert ink(view) > 400
    # the body fills a good part of the height
    heights = view.evaluate(f"() => {PLAYER}.painter.points.filter(p => p.label).map(p => p.p.y)")
    assert max(heights) - min(heights) > 0.3 * box["height"]
    for button in view.locator(".gs button").all():
        place = button.bounding_box()
        assert place["x"] >= 0
        assert place["x"] + place["width"] <= width


def test_it_follows_a_new_width(opened: Callable[..., Any]) -> None:
    view = opened(1200, 800)
    wide = get(view, "canvas.width")
    view.set_viewport_size({"width": 500, "height": 800})
    view.wait_for_function(f"{PLAYER}.canvas.width < {wide}")
    assert ink(view) > 400


def test_dark_contrast_and_forced_colours(opened: Callable[..., Any]) -> None:
    light = opened(color_scheme="light")
    assert get(light, "colours.back") == "#fff"
    dark = opened(color_scheme="dark")
    assert get(dark, "colours.back") == "#16181c"
    assert ink(dark) > 400
    forced = opened(forced_colors="active")
    assert get(forced, "colours.ink") == "CanvasText"
    assert len(picture(forced)) > 2000


def test_nothing_moves_by_itself(opened: Callable[..., Any]) -> None:
    view = opened(reduced_motion="reduce")
    before = get(view, "time")
    view.wait_for_timeout(150)
    assert get(view, "time") == before
    assert not get(view, "playing")


def test_on_paper_a_still_in_light_colours(opened: Callable[..., Any]) -> None:
    view = opened(color_scheme="dark")
    view.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    assert get(view, "colours.back") == "#fff"
    view.emulate_media(media="print")
    assert not view.is_visible(".gs-play")
    assert view.is_visible(".gs-canvas")
    assert view.is_visible(".gp-plan")
    assert len(view.pdf()) > 5000
    view.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    view.emulate_media(media="screen", color_scheme="dark")
    assert get(view, "colours.back") == "#16181c"


def test_names_for_those_who_do_not_see(opened: Callable[..., Any]) -> None:
    view = opened()
    for element in view.locator(".gs button, .gs select, .gs input, .gs-canvas").all():
        name = element.get_attribute("aria-label") or element.inner_text() or ""
        labelled = element.evaluate("e => Boolean(e.closest('label'))")
        assert name.strip() or labelled
    assert view.get_attribute(".gp-plan", "aria-label")
