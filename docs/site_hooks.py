"""What `mkdocs build` does beside its own: pages that are made from other files, and links that leave ``docs/``.

The pages are written for a code host, where a link to ``../configs/pig.yaml`` shows that file. On the site such a file
becomes a page of its own, ``source/configs/pig.yaml``, and the notebook and the changelog become pages too.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
DOCS = PurePosixPath("docs")
DOCS_FOLDER = ROOT / "docs"
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")
LIST = re.compile(r"(?:[-*+]|\d+\.) \S")
#: A page that the changelog names in plain text.
NAMED_PAGE = re.compile(r"(?<![\w/`\[])(?<!\]\()docs/(\w+)\.md")
LANGUAGE = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json", ".cff": "yaml"}


def slug(heading: str, separator: str = "-") -> str:
    """The anchor of a heading, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.mdx_configs.setdefault("toc", {}).update(slugify=slug, permalink="¶")
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that lie elsewhere, or in another form."""
    from mkdocs.structure.files import File, InclusionLevel
    from pygments.formatters import HtmlFormatter

    def add(path: str, content: str, inclusion: InclusionLevel = InclusionLevel.INCLUDED) -> None:
        files.append(File.generated(config, path, content=content, inclusion=inclusion))

    pages = [file for file in files if file.is_documentation_page()]
    for notebook in [file for file in files if file.src_uri.endswith(".ipynb")]:
        add(site_path(DOCS / notebook.src_uri), notebook_page(DOCS_FOLDER / notebook.src_uri))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    add("CHANGELOG.md", NAMED_PAGE.sub(r"[\1.md](docs/\1.md)", changes))
    texts = [(page.content_string, DOCS / page.src_uri) for page in pages] + [(changes, PurePosixPath("CHANGELOG.md"))]
    linked = {link for text, here in texts for link, _ in links(text, here) if not inside(link)}
    for file in sorted(linked.union(*map(folder_files, linked))):
        if (ROOT / file).exists() and site_path(file) not in files.src_uris:
            add(site_path(file), source_page(file), InclusionLevel.NOT_IN_NAV)
    add("assets/pygments.css", HtmlFormatter(style="default").get_style_defs(".codehilite"))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turns links as a code host has them into links of the site."""
    here = PurePosixPath("CHANGELOG.md") if page.file.src_uri == "CHANGELOG.md" else DOCS / page.file.src_uri
    if page.file.src_uri.startswith("source/"):
        return markdown

    def turned(found: re.Match[str]) -> str:
        if "://" in found[1] or found[1].startswith("mailto:"):
            return found[0]
        target = site_path(resolved(found[1], here))
        start = PurePosixPath(page.file.src_uri).parent
        return os.path.relpath(target, start).replace(os.sep, "/") + (found[2] or "")

    return LINK.sub(turned, as_strict(markdown))


def as_strict(markdown: str) -> str:
    """Lists as Python-Markdown wants them: a blank line before them, and later paragraphs of an item by four spaces.

    Code hosts need neither: a paragraph belongs to the item if it begins below the item's text.
    """
    lines: list[str] = []
    item: list[str] = []
    in_code = False
    for line in [*markdown.splitlines(), "end"]:
        in_code ^= line.startswith(("```", "~~~"))
        begins = not in_code and LIST.match(line)
        if item and (begins or (line.strip() and not line[0].isspace() and not item[-1].strip())):
            loose = "" in item[:-1] and bool("".join(item[item.index("") :]).strip())
            lines += shifted(item) if loose else item
            if loose and begins and lines[-1].strip():
                lines.append("")
            item = []
        elif begins and lines and lines[-1].strip():
            lines.append("")
        if begins or item:
            item.append(line)
        else:
            lines.append(line)
    return "\n".join([*lines, *item][:-1]) + "\n"


def shifted(item: list[str]) -> list[str]:
    """The later paragraphs of a list's item begin four spaces in, where they began below its text."""
    first = item.index("")
    later = [line for line in item[first:] if line.strip()]
    least = min(len(line) - len(line.lstrip()) for line in later)
    more = " " * max(0, 4 - least)
    return item[:first] + [more + line if line.strip() else line for line in item[first:]]


# --- where a file of the repository stands on the site ------------------------------------------------------


def inside(path: PurePosixPath) -> bool:
    return path.is_relative_to(DOCS)


def site_path(path: PurePosixPath) -> str:
    """From a path below the repository's root to the site's source path."""
    if inside(path):
        below = path.relative_to(DOCS)
        return str(below.with_suffix(".md") if below.suffix == ".ipynb" else below)
    if str(path) in ("CHANGELOG.md", "README.md"):
        return "CHANGELOG.md" if path.stem == "CHANGELOG" else "index.md"
    return f"source/{path}.md"


def resolved(link: str, page: PurePosixPath) -> PurePosixPath:
    """What a page's relative link means, from the repository's root."""
    return PurePosixPath(os.path.normpath(page.parent / link).replace(os.sep, "/"))


def links(text: str, page: PurePosixPath) -> list[tuple[PurePosixPath, str]]:
    """Each relative link of a page: the path from the repository's root, and the anchor."""
    found = [(link, anchor or "") for link, anchor in LINK.findall(text) if "://" not in link]
    return [(resolved(link, page), anchor) for link, anchor in found]


def folder_files(path: PurePosixPath) -> list[PurePosixPath]:
    """The text files of a folder that a page links to; of a file none."""
    folder = ROOT / path
    if not folder.is_dir():
        return []
    return [path / file.name for file in sorted(folder.iterdir()) if file.suffix in LANGUAGE]


# --- pages from other files ---------------------------------------------------------------------------------


def source_page(path: PurePosixPath) -> str:
    """A file as a page, or the list of a folder's files."""
    if (ROOT / path).is_dir():
        rows = [f"- [{file.name}]({path.name}/{file.name}.md)" for file in folder_files(path)]
        return "\n".join([f"# `{path}`", "", *rows, ""])
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    return f"# `{path}`\n\n~~~~{LANGUAGE.get(path.suffix, 'text')}\n{text}\n~~~~\n"


def notebook_page(notebook: Path) -> str:
    """A notebook with what its cells show, run now; without gaitid or pandas installed its cells alone."""
    if all(importlib.util.find_spec(name) for name in ("gaitid", "pandas", "matplotlib")):
        command = [sys.executable, str(DOCS_FOLDER / "run_notebook.py"), str(notebook)]
        return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(notebook.read_text("utf-8"))["cells"]]
    return "\n\n".join(f"```python\n{text}\n```" if kind == "code" else text for kind, text in cells) + "\n"
