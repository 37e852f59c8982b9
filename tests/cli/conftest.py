"""A simulated walk and what `run` writes of it, once a session."""

from __future__ import annotations

from pathlib import Path

import pytest
from terminal import NOISY, SHARED, gaitid

from gaitid.simulate.files import simulate


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a simulated walk of 2.5 s."""
    folder = tmp_path_factory.mktemp("simulated")
    simulate("walk", folder, duration=2.5)
    return folder


@pytest.fixture(scope="session")
def walk(simulated: Path) -> Path:
    return simulated / "walk.c3d"


@pytest.fixture(scope="session")
def results(walk: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `run` writes of the simulated walk, with the segments."""
    folder = tmp_path_factory.mktemp("results")
    done = gaitid("run", walk, "--model", "pig", "-o", folder, "--write", "segments")
    assert done.code == 0, done.err
    return folder


@pytest.fixture(scope="session")
def sure(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `run --uncertainty` writes of the noisy sample walk, which takes long; who changes it takes a copy."""
    folder = tmp_path_factory.mktemp("sure")
    done = gaitid("run", "--uncertainty", NOISY, "--model", "pig", "-o", folder)
    assert done.code == 0, done.err
    return folder


@pytest.fixture(scope="session")
def shared() -> Path:
    """Trials from laboratories; a test that needs one is skipped where they are absent."""
    if not SHARED.is_dir():
        pytest.skip("recorded trials (../shared/trials) are not here")
    return SHARED
