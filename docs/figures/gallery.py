"""Draw the pictures of docs/gallery.md that a command of gaitid makes, by running the commands that stand there.

    python docs/figures/gallery.py [NAME ...]

Needs Pillow, which matplotlib brings. Pictures whose block names a script are drawn by that script.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

FIGURES = Path(__file__).resolve().parent
ROOT = FIGURES.parents[1]
ENTRY = re.compile(r"!\[[^\]]*\]\(figures/(?P<name>\w+\.png)\)\n\n```sh\n(?P<commands>.*?)```", re.DOTALL)
WIDEST, COLOURS = 1100, 64


def entries(page: str) -> dict[str, str]:
    """Of each picture of the page the commands that make it."""
    return {entry["name"]: entry["commands"] for entry in ENTRY.finditer(page)}


def draw(commands: str, name: str, folder: Path) -> Path:
    """Runs the commands in a folder that holds sample_data; the picture that they leave."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(commands, shell=True, check=True, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True)
    return folder / name


def make_small(picture: Path, target: Path) -> None:
    """With few colours, of which thin lines keep theirs, and not wider than a page: a quarter of the size."""
    image = Image.open(picture).convert("RGB")
    if image.width > WIDEST:
        image = image.resize((WIDEST, round(image.height * WIDEST / image.width)), Image.Resampling.LANCZOS)
    image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(target, optimize=True)


def main() -> None:
    for name, commands in entries((ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")).items():
        if "python docs/" in commands or (sys.argv[1:] and name not in sys.argv[1:]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "sample_data", Path(folder, "sample_data"))
            make_small(draw(commands, name, Path(folder)), FIGURES / name)
        print(f"{name}: {(FIGURES / name).stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
