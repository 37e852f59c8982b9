"""Pages opened in a real browser, where playwright and chromium are."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gaitid.report import write_report


@dataclass
class Opened:
    """A page that is open, and all that it said on its console or failed with."""

    page: Any
    said: list[str] = field(default_factory=list)

    def all(self, selector: str) -> Any:
        return self.page.locator(selector)

    def width(self) -> tuple[int, int]:
        """Of the content, and of the window."""
        return tuple(self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]"))


@pytest.fixture
def show(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Write the page of results and open it: (results, width) -> Opened."""
    contexts = []

    def opened(results: list[Path], width: int = 1280) -> Opened:
        output = write_report(results, tmp_path / "page.html")
        context = chromium.new_context(viewport={"width": width, "height": 900}, offline=True)
        contexts.append(context)
        made = Opened(context.new_page())
        made.page.on("console", lambda message: made.said.append(message.text))
        made.page.on("pageerror", lambda error: made.said.append(str(error)))
        made.page.goto(output.as_uri())
        return made

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The result of the bundled walk, whose trial is there to be analysed again."""
    folder, root = tmp_path_factory.mktemp("sample"), Path(__file__).resolve().parents[3]
    trial = root / "sample_data" / "walk" / "walk.c3d"
    command = [sys.executable, "-m", "gaitid", "run", str(trial), "--model", "pig", "-o", str(folder)]
    subprocess.run(command, env={**os.environ, "PYTHONPATH": str(root)}, check=True, capture_output=True)
    return folder / "walk.run.json"
