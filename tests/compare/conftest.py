"""Results of simulated walks, each with one thing otherwise, and of recorded ones, as `run` writes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gaitid.cli.run import run_command as command
from gaitid.simulate.files import simulate

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "trials"
HIP_20_MM = """gaitid_model: 1
name: hip_20_mm
title: pig with both hip centres 20 mm to the outside
extends: pig.yaml
each_side:
  points:
    hip:
      in_frame: pelvis
      offset:
        - hip_c * cos(0.5) * sin(0.314) - hip_depth * cos(0.314)
        - sign * (inter_asis_distance / 2 - hip_c * sin(0.5) + 0.020)
        - -hip_c * cos(0.5) * cos(0.314) - hip_depth * sin(0.314)
"""


def run(*words: object) -> None:
    assert command.main([*map(str, words), "--quiet"], standalone_mode=False) == 0


@pytest.fixture(scope="session")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a simulated walk and its static."""
    folder = tmp_path_factory.mktemp("walk")
    simulate("walk", folder, duration=2.5)
    (folder / "hip_20_mm.yaml").write_text(HIP_20_MM, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def result(walk: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """`result("--cutoff", 3)`: the record of the simulated walk with these options; each is made once a session."""
    made: dict[tuple[str, ...], Path] = {}

    def record(*options: object, trial: Path | None = None) -> Path:
        trial = trial or walk / "walk.c3d"
        words = [*map(str, options)]
        if "--model" not in words:
            words += ["--model", "pig"]
        key = (str(trial), *words)
        if key not in made:
            folder = tmp_path_factory.mktemp("result")
            run(trial, *words, "-o", folder)
            made[key] = folder / f"{trial.stem}.run.json"
        return made[key]

    return record


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[Path, Path]]:
    """`recorded("sydney/walk03.c3d", …options)`: a laboratory's trial and its record; each is made once a session."""
    made: dict[tuple[str, ...], Path] = {}

    def result(trial: str, *options: object) -> tuple[Path, Path]:
        if not SHARED.is_dir():
            pytest.skip("the shared trials are not beside this checkout")
        given = [str(SHARED / word) if isinstance(word, str) and "/" in word else str(word) for word in options]
        key = (trial, *given)
        if key not in made:
            folder = tmp_path_factory.mktemp("recorded")
            run(SHARED / trial, *given, "-o", folder)
            made[key] = folder / f"{Path(trial).stem}.run.json"
        return SHARED / trial, made[key]

    return result
