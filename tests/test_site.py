"""The documentation as a site: built without a warning, its links lead somewhere, nothing is loaded from elsewhere."""

from __future__ import annotations

import importlib.util
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[1]
pytest.importorskip("mkdocs", reason="the site is built where mkdocs is installed: pip install '.[docs]'")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


def pages(site: Path) -> dict[Path, str]:
    return {page: page.read_text(encoding="utf-8") for page in sorted(site.rglob("*.html"))}


def test_every_link_of_every_page_holds(site: Path) -> None:
    """Of the pages as they were built, those that a browser opens from the disk."""
    texts = pages(site)
    assert len(texts) > 50
    names = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in texts.items()}
    for page, text in texts.items():
        for link in re.findall(r'(?:href|src)="([^"]+)"', text):
            if re.match(r"\w+:", link) or page.name == "404.html":
                continue
            path, _, anchor = unquote(link).partition("#")
            target = (page.parent / path).resolve() if path else page
            assert target.is_file(), (page.name, link)
            assert not anchor or target.suffix != ".html" or anchor in names[target], (page.name, link)


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page, text in pages(site).items():
        loaded = re.findall(r'<(?:script|img|link|iframe)\b[^>]*(?:src|href)="([^"]+)"', text)
        assert not [address for address in loaded if re.match(r"(https?:)?//", address)], page.name
    for sheet in site.rglob("*.css"):
        assert not re.findall(r"url\([\"']?https?:|@import", sheet.read_text(encoding="utf-8")), sheet.name


def test_the_notebook_is_a_page_where_gaitid_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = runpy.run_path(str(ROOT / "docs" / "site_hooks.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    text = hooks["notebook_page"](ROOT / "docs" / "notebook.ipynb")
    assert text.startswith("# A walk in a notebook")
    assert "```python\nimport gaitid\n" in text
