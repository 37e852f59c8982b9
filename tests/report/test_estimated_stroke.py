"""What an estimated load is in has another stroke on the page, and the legend says what it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gaitid
from gaitid.report.gathering import load_result
from gaitid.report.page import pool
from gaitid.simulate.files import simulate


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder, found = tmp_path_factory.mktemp("estimated"), {}
    simulate("walk", folder)
    for name, how in (("without", {"estimate_loads": True}), ("too", {"estimated_too": True})):
        result = gaitid.analyse(folder / "walk.c3d", model="pig", **how)
        result.write(folder / name)
        result.report(folder / name / "page.html")
        found[name] = folder / name
    return found


def test_only_curves_that_an_estimated_load_is_in_have_it(written: dict[str, Path]) -> None:
    panel = re.compile(r"<svg[^>]*aria-label=\"([^\"]*) over .*?</svg>", re.DOTALL)
    pages = {name: (folder / "page.html").read_text(encoding="utf-8") for name, folder in written.items()}
    drawn = {name: {m[1] for m in panel.finditer(page) if "estimated" in m[0]} for name, page in pages.items()}
    assert not drawn["without"]
    assert {"Knee extension moment", "Vertical force"} <= drawn["too"]
    assert not {"Knee flexion", "Hip rotation", "Pelvic tilt"} & drawn["too"]
    words = "the load estimated from the body’s motion"
    assert [words in pages[name] for name in ("without", "too")] == [False, True]


def test_the_part_is_that_of_contacts_without_plates(written: dict[str, Path]) -> None:
    result = load_result(written["too"] / "walk.run.json")
    for side, pooled in pool([result]).sides.items():
        spans = [(c.first_frame, c.last_frame) for c in result.contacts if c.side == side and not c.plates]
        curves = pooled.curves
        at = curves.first_frame[:, None] + (curves.last_frame - curves.first_frame)[:, None] * curves.percent / 100
        inside = sum((at >= first - 0.5) & (at <= last + 0.5) for first, last in spans) > 0
        part = pooled.by_motion("knee_extension_moment_Nm_per_kg")
        assert part.any()
        assert not (part & ~inside).any()
        assert not pooled.by_motion("knee_flexion_deg").any()
