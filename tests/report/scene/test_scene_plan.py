"""The plates from above: places, verdicts and words."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

import numpy as np

from gaitid.report.scene import plan_html
from gaitid.results.result import Result

SVG = "{http://www.w3.org/2000/svg}"


def picture(html: str) -> ET.Element:
    svg = re.search(r"<svg.*?</svg>", html, re.S)
    assert svg is not None
    return ET.fromstring(svg[0].replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1))


def corners(path: str) -> np.ndarray:
    return np.array([[float(x) for x in pair.split()] for pair in re.findall(r"[\d.-]+ [\d.-]+", path)])


def with_class(svg: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in svg.iter() if name in element.get("class", "").split()]


def test_plates_have_their_size_and_the_bar_its_length(walk: Result) -> None:
    svg = picture(plan_html(walk))
    plates = [corners(str(element.get("d"))) for element in with_class(svg, "gp-plate")]
    bar = with_class(svg, "gp-bar")[0]
    (length,) = re.findall(r"h([\d.]+)", str(bar.get("d")))
    centimetres = next(element.text for element in with_class(svg, "gp-words") if "cm" in str(element.text))
    per_metre = float(length) / float(str(centimetres).split()[0]) * 100
    from gaitid.report.scene.moving import seen_of

    seen = seen_of(walk).moving
    assert seen is not None
    assert len(plates) == len(seen.result.trial.plates)
    for drawn, plate in zip(plates, seen.result.trial.plates, strict=True):
        sides = np.linalg.norm(np.diff(plate.corners_g[[0, 1, 2, 3, 0]], axis=0), axis=1)
        there = np.linalg.norm(np.diff(drawn[[0, 1, 2, 3, 0]], axis=0), axis=1)
        np.testing.assert_allclose(there / per_metre, sides, atol=0.002)


def test_feet_are_numbered_in_time_and_lie_on_their_plates(recorded: Callable[..., Result]) -> None:
    result = recorded("sydney/walk03.c3d", "--static", "sydney/static.c3d", "--model", "pig")
    html = plan_html(result)
    svg = picture(html)
    assert [element.text for element in with_class(svg, "gp-number")] == ["1?", "2✓", "3✓", "4?"]
    known = with_class(svg, "gp-known")
    titles = [element.findtext(f"{SVG}title") for element in known]
    assert titles == ["2: right foot on plate 3: load known", "3: left foot on plate 1+2: load known"]
    plates = [corners(str(element.get("d"))).mean(axis=0) for element in with_class(svg, "gp-plate")]
    right, left = (corners(str(element.get("d"))).mean(axis=0) for element in known)
    assert np.argmin([np.linalg.norm(right - plate) for plate in plates]) == 2
    # the left foot is farther on the way, which runs up the picture, and left of the right one
    assert left[1] < right[1]
    assert left[0] < right[0]
    assert len(with_class(svg, "gp-path")) == 2
    assert "4 of 5 contacts are drawn." in html
    assert len(with_class(svg, "gp-way")) == 1
    assert "load unknown: no plate measures where the foot stands" in html


def test_pressure_lies_in_the_foot(recorded: Callable[..., Result]) -> None:
    result = recorded("children/HC030A/walk.c3d", "--static", "children/HC030A/static.c3d", "--model", "pig")
    svg = picture(plan_html(result))
    feet = {str(e.get("class")).split()[1]: corners(str(e.get("d"))) for e in with_class(svg, "gp-known")}
    paths = {str(e.get("class")).split()[1]: corners(str(e.get("d"))) for e in with_class(svg, "gp-path")}
    assert feet.keys() == paths.keys() == {"gp-left", "gp-right"}
    for side, path in paths.items():
        low, high = feet[side].min(axis=0) - 6, feet[side].max(axis=0) + 6
        assert ((low < path) & (path < high)).all(axis=1).mean() > 0.9
        # from heel to toe: up the picture
        assert path[-1, 1] < path[0, 1] - 10
