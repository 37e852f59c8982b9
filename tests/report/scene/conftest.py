"""Results of simulated and recorded walks, as `run` writes them, once a session."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gaitid.cli.run import run_command as command
from gaitid.report.gathering import load_result
from gaitid.results.result import Result
from gaitid.simulate.files import simulate

SHARED = Path(__file__).resolve().parents[3].parent / "shared" / "trials"


def run(*words: object) -> None:
    assert command.main([*map(str, words), "--quiet"], standalone_mode=False) == 0


@pytest.fixture(scope="session")
def run_trial() -> Callable[..., None]:
    """`gaitid run` with these words."""
    return run


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a simulated walk, its static, and in `results` what `run` writes of it."""
    folder = tmp_path_factory.mktemp("made")
    simulate("walk", folder, duration=2.5)
    run(folder / "walk.c3d", "--static", folder / "static.c3d", "--model", "pig", "-o", folder / "results")
    return folder


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    """The same, to be spoiled; the record names the files of `made`."""
    folder = tmp_path / "copied"
    shutil.copytree(made, folder)
    return folder


@pytest.fixture(scope="session")
def walk(made: Path) -> Result:
    return load_result(made / "results" / "walk.run.json")


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Result]:
    """`recorded("sydney/walk03.c3d", …options)`: the result of a laboratory's trial."""

    def result(trial: str, *options: object) -> Result:
        if not SHARED.is_dir():
            pytest.skip("the shared trials are not beside this checkout")
        folder = tmp_path_factory.mktemp("recorded")
        given = [SHARED / word if isinstance(word, str) and "/" in word else word for word in options]
        run(SHARED / trial, *given, "-o", folder)
        return load_result(folder / f"{Path(trial).stem}.run.json")

    return result
