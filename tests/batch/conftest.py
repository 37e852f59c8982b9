"""The data set, made once; recorded trials where they are."""

from __future__ import annotations

import shutil
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


@pytest.fixture
def make(one_walk: Path, tmp_path: Path):  # type: ignore[no-untyped-def]
    """`make("P1/walk.c3d", "P1/s.c3d=static")`: files of those names that hold a walk, or a static."""

    def files(*names: str) -> Path:
        for name in names:
            place, _, kind = name.partition("=")
            target = tmp_path / "data" / place
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(one_walk / f"{kind or 'walk'}.c3d", target)
        return tmp_path / "data"

    return files
