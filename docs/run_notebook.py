"""Run a notebook from top to bottom and print it as a page, with what each cell shows.

    python docs/run_notebook.py docs/notebook.ipynb > page.md

The notebook is stored without outputs; docs/site_hooks.py makes its page of the site with this script.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[1]


def page(cells: list[dict[str, Any]]) -> str:
    """Text as it is; code with its output below."""
    parts = []
    space: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        else:
            parts += [f"```python\n{source}\n```", *run(source, space)]
    return "\n\n".join(parts) + "\n"


def run(source: str, space: dict[str, Any]) -> list[str]:
    """What a cell prints, and the value of its last expression as a notebook shows it."""
    body = ast.parse(source)
    last = ast.Expression(body.body.pop().value) if isinstance(body.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(body, "cell", "exec"), space)
        value = None if last is None else eval(compile(last, "cell", "eval"), space)
    shown = [f"```text\n{printed.getvalue()}```"] if printed.getvalue() else []
    return shown if value is None else [*shown, as_shown(value)]


def as_shown(value: object) -> str:
    """A figure as a picture, a table as a table, all else as text."""
    if isinstance(value, Figure):
        png = io.BytesIO()
        value.savefig(png, format="png", dpi=80)
        data = base64.b64encode(png.getvalue()).decode("ascii")
        return f'<img alt="the figure that the cell shows" src="data:image/png;base64,{data}">'
    html = getattr(value, "_repr_html_", None)
    if html is not None:
        return f"<div>\n{html()}\n</div>"
    return f"```text\n{value!r}\n```"


def main() -> None:
    notebook = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "sample_data" / "walk", Path(folder, "sample_data", "walk"))
        os.chdir(folder)
        text = page(notebook["cells"])
        os.chdir(ROOT)  # some systems do not take away the folder that one is in
    sys.stdout.buffer.write(text.encode("utf-8"))


if __name__ == "__main__":
    main()
