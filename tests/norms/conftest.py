"""A record of `pig`, and results that are made up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from norm_results import Make, make_result

from gaitid.run import RunOptions, prepare, run_file

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d"


@pytest.fixture(scope="session")
def pig_record(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What a run of the sample walk records; not to be changed."""
    folder = tmp_path_factory.mktemp("run")
    run_file(WALK, folder, prepare(RunOptions(model="pig", static=WALK.with_name("static.c3d"))))
    record: Mapping[str, Any] = json.loads((folder / "walk.run.json").read_text("utf-8"))
    return record


@pytest.fixture
def result(pig_record: Mapping[str, Any], tmp_path: Path) -> Make:
    """`result("ann", 1.0, ...)`: a result in folder `ann` whose curves rise from 1.0 by 0.01 a percent."""
    return lambda *args, **options: make_result(pig_record, tmp_path, *args, **options)
