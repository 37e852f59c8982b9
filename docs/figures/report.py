"""Draw docs/figures/report_head.png and report_curves.png: the page of the bundled walk with noise, in Chromium.

    python docs/figures/report.py

Needs playwright, Pillow and /usr/bin/chromium, which nothing else of gaitid does.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from gaitid.cli.run import run_command as command
from gaitid.report import write_report

FIGURES = Path(__file__).resolve().parent
TRIAL = FIGURES.parents[1] / "sample_data" / "walk_noisy" / "walk.c3d"
COLOURS = 128


def save(picture: bytes, name: str) -> None:
    """With few colours, of which thin lines keep theirs: a third of the size."""
    image = (
        Image.open(io.BytesIO(picture))
        .convert("RGB")
        .quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    )
    image.save(FIGURES / name, optimize=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as started:
        folder = Path(name) / "results"
        words = [str(TRIAL), "--model", "pig", "-o", str(folder), "--quiet"]
        assert command.main(words, standalone_mode=False) == 0
        browser = started.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1180, "height": 760})
        page.goto(write_report([folder], Path(name) / "page.html", norms="schwartz2008").as_uri())
        save(page.screenshot(), "report_head.png")
        page.locator('.panel[data-column="knee_flexion_deg"]').focus()
        for _ in range(5):
            page.keyboard.press("Shift+ArrowRight")
        page.evaluate("scrollTo(0, document.querySelector('.curves').getBoundingClientRect().top + scrollY - 10)")
        save(page.screenshot(), "report_curves.png")
        browser.close()


if __name__ == "__main__":
    main()
