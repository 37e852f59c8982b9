"""The data set, made once; recorded trials where they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from recordings import make_recordings

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_recordings(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session")
def one_walk(dataset: Path) -> Path:
    """A folder with ``walk.c3d`` and ``static.c3d``."""
    return dataset.parent / "one"


@pytest.fixture(scope="session")
def shared_trials() -> Path:
    """Trials from laboratories; a test that needs them is skipped where they are absent."""
    if not SHARED.is_dir():
        pytest.skip("recorded trials (../shared/trials) are not here")
    return SHARED
