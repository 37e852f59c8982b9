"""Results of simulated and recorded walks, as `run` writes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gaitid.cli.run import run_command as command
from gaitid.simulate.files import simulate

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "trials"


def run(*words: object) -> None:
    assert command.main([*map(str, words), "--quiet"], standalone_mode=False) == 0


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a simulated walk, its static, and in `results` what `run` writes of it."""
    folder = tmp_path_factory.mktemp("made")
    simulate("walk", folder, duration=2.5)
    static = folder / "static.c3d"
    run(folder / "walk.c3d", "--static", static, "--model", "pig", "--write", "segments", "-o", folder / "results")
    return folder


@pytest.fixture(scope="session")
def record(made: Path) -> Path:
    return made / "results" / "walk.run.json"


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[Path, Path]]:
    """`recorded("sydney/walk03.c3d", …options)`: a laboratory's trial and its record."""

    def result(trial: str, *options: object) -> tuple[Path, Path]:
        if not SHARED.is_dir():
            pytest.skip("the shared trials are not beside this checkout")
        folder = tmp_path_factory.mktemp("recorded")
        given = [SHARED / word if isinstance(word, str) and "/" in word else word for word in options]
        run(SHARED / trial, *given, "-o", folder)
        return SHARED / trial, folder / f"{Path(trial).stem}.run.json"

    return result
