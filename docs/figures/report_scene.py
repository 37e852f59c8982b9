"""Draw docs/figures/report_scene.png and report_plan.png: the page's two pictures of the sample walk, in Chromium.

    python docs/figures/report_scene.py

In the walk of the view LKNE and LANK change places for half a second, so that it is seen how that is seen. Needs
playwright and /usr/bin/chromium, which nothing else of gaitid does.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import ezc3d
from playwright.sync_api import sync_playwright

from gaitid.cli.run import run_command as command
from gaitid.report.gathering import load_result
from gaitid.report.scene import SCENE_CSS, SCENE_JS, plan_html, scene_html
from gaitid.results.result import Result

FIGURES = Path(__file__).resolve().parent
SAMPLE = FIGURES.parents[1] / "sample_data" / "walk"
EXCHANGED = ("LKNE", "LANK")
FRAMES = slice(110, 160)
SHOWN = 65


def analysed(trial: Path, folder: Path) -> Result:
    static = SAMPLE / "static.c3d"
    words = [trial, "--static", static, "--model", "pig", "-o", folder, "--quiet"]
    assert command.main([str(word) for word in words], standalone_mode=False) == 0
    return load_result(folder / f"{trial.stem}.run.json")


def spoiled(folder: Path) -> Path:
    c3d = ezc3d.c3d(str(SAMPLE / "walk.c3d"))
    labels, points = c3d["parameters"]["POINT"]["LABELS"]["value"], c3d["data"]["points"]
    rows = [labels.index(label) for label in EXCHANGED]
    points[:, rows, FRAMES] = points[:, rows[::-1], FRAMES]
    c3d.write(str(folder / "exchanged.c3d"))
    return folder / "exchanged.c3d"


def page(body: str, folder: Path) -> str:
    path = folder / "page.html"
    style = "*{box-sizing:border-box}body{margin:6px;font-family:system-ui,sans-serif}figure{margin:0}"
    text = f'<!DOCTYPE html><meta charset="utf-8"><style>{style}{SCENE_CSS}</style>{body}<script>{SCENE_JS}</script>'
    path.write_text(text, "utf-8")
    return path.as_uri()


def main() -> None:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as started:
        folder = Path(name)
        browser = started.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        view = browser.new_page(viewport={"width": 860, "height": 760})
        view.goto(page(scene_html([analysed(spoiled(folder), folder)], 1_200_000), folder))
        view.evaluate(f"document.querySelector('.gs').gaitidPlayer.go({SHOWN})")
        view.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        view.locator(".gs").screenshot(path=FIGURES / "report_scene.png")
        view.goto(page(plan_html(analysed(SAMPLE / "walk.c3d", folder)), folder))
        view.locator(".gp").screenshot(path=FIGURES / "report_plan.png")
        browser.close()


if __name__ == "__main__":
    main()
