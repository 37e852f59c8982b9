"""The view in a browser: it plays, each control works by click and by key, at any size, without an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gaitid.report.scene import SCENE_CSS, SCENE_JS, plan_html, scene_html
from gaitid.results.result import Result

PLAYER = "document.querySelector('.gs').gaitidPlayer"


@pytest.fixture(scope="module")
def page_file(walk: Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with two trials."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    body = scene_html([walk, walk], 1_200_000, ["a", "b"]) + plan_html(walk, "b")
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
