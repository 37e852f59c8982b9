"""Pages of recorded trials in a browser: nothing on the console, no scrolling sideways, and the view plays."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared" / "trials"
Show = Callable[..., "Opened"]  # noqa: F821
RUNNING = "wild/rbds_running"
CASES = {
    "sydney": ["run", *(f"sydney/walk0{i}.c3d" for i in (3, 4, 5))],
    "HC030A": ["run", "children/HC030A/walk.c3d"],
    "qualisys": ["run", "qualisys/walk.c3d", "--static", "qualisys/static.c3d"],
    "children": ["batch", "children"],
    "running": ["run", f"{RUNNING}/run.c3d", "--static", f"{RUNNING}/static.c3d"],
}


@pytest.fixture(params=CASES)
def results(request: pytest.FixtureRequest, chromium: object, tmp_path: Path) -> Path:
    """A folder of results of a laboratory's trials."""
    if not SHARED.is_dir():
        pytest.skip("the shared trials are not beside this checkout")
    words = [str(SHARED / word) if "/" in word or word == "children" else word for word in CASES[request.param]]
    command = [sys.executable, "-m", "gaitid", *words, "-q", "-o", str(tmp_path / "results")]
    subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, capture_output=True)
    return tmp_path / "results"


def test_a_page_of_recorded_trials(results: Path, show: Show) -> None:
    opened = show([results], 320)
    assert opened.all(".panel").count() > 10
    for width in (320, 1280, 3840):
        opened.page.set_viewport_size({"width": width, "height": 900})
        content, window = opened.width()
        assert content <= window == width
    for name in ("Left", "Knee", "Powers"):  # of several the last: the view has a `Left` of its own
        button = opened.page.get_by_role("button", name=name, exact=True).last
        button.click()
        button.focus()
        opened.page.keyboard.press("Enter")
    if (slider := opened.all(".gs-slider")).count():  # a group has no view
        before = slider.first.input_value()
        opened.page.get_by_role("button", name="Play", exact=True).first.click()
        opened.page.wait_for_timeout(600)
        assert slider.first.input_value() != before
    assert opened.page.pdf(format="A4")[:4] == b"%PDF"
    assert opened.said == []
