"""`gaitid.analyse`: the numbers, the files and the refusals of `gaitid run`, as Python has them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import gaitid
from gaitid.api.words import texts_of
from gaitid.cli import main
from gaitid.cli import options as cli_options
from gaitid.cli.run import run_command
from gaitid.run.command import read_command, values_of, words_of
from gaitid.settings import RunOptions
from gaitid.write import TABLES, WRITE

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk"
TRIAL, STATIC, SUBJECT = (str(WALK / name) for name in ("walk.c3d", "static.c3d", "walk.subject.yaml"))


@pytest.fixture(scope="module")
def walk() -> gaitid.Analysis:
    return gaitid.analyse(TRIAL, model="pig")


def command(monkeypatch: pytest.MonkeyPatch, *words: object) -> None:
    """`gaitid WORDS`, which has to succeed."""
    monkeypatch.setattr(sys, "argv", ["gaitid", *map(str, words)])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# --- importing --------------------------------------------------------------------------------------------------


def test_importing_loads_nothing_heavy() -> None:
    code = "import sys, gaitid; print(sorted({'numpy', 'pandas', 'click', 'yaml', 'gaitid.api'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# --- the same as the command ------------------------------------------------------------------------------------


CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"model": "pig", "static": STATIC}, ["--model", "pig", "--static", STATIC]),
    (
        {
            "model": "pig",
            "subject": SUBJECT,
            "express_in": ["jcs", "global"],
            "cutoff": 6,
            "force_cutoff": "none",
            "solver": "recursive",
            "observer": "thigh",
            "assign": "left=1",
            "require_forces": True,
            "write": ("segments", "base"),
            "settings": {"gravity_m_per_s2": 9.80665, "contact_threshold_N": 25},
            "keep_names": True,
        },
        [
            *("--model", "pig", "--subject", SUBJECT, "--express-in", "jcs", "--express-in", "global"),
            *("--cutoff", "6", "--force-cutoff", "none", "--solver", "recursive", "--observer", "thigh"),
            *("--assign", "left=1", "--require-forces", "--write", "segments", "--write", "base"),
            *("--set", "gravity_m_per_s2=9.80665", "--set", "contact_threshold_N=25", "--keep-names"),
        ],
    ),
]


@pytest.mark.parametrize(("keywords", "words"), CASES)
def test_the_files_are_those_of_run_to_the_byte(
    keywords: Mapping[str, Any], words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command(monkeypatch, "run", TRIAL, *words, "-o", tmp_path / "run", "-q")
    written = gaitid.analyse(TRIAL, **keywords).write(tmp_path / "api")
    assert files(tmp_path / "api") == files(tmp_path / "run")
    assert [path.name for path in written][-1] == "walk.run.json"
    assert all(path.is_file() for path in written)


def test_an_option_that_is_added_to_the_table_is_found_everywhere(tmp_path: Path) -> None:
    """In `run`, its help, completion and dry run, on the reference page, in `batch` and its manifests, as a keyword, in
    the words and the inputs of a record, and back from these words."""
    here = Path(__file__).parent
    words = [sys.executable, here / "two_more_options.py", TRIAL, here.parents[1] / "docs" / "make_cli.py"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("keywords", "words"), CASES)
def test_keywords_mean_what_options_mean(keywords: Mapping[str, Any], words: list[str]) -> None:
    texts = texts_of(keywords)
    options = RunOptions(**values_of(texts))
    assert list(words_of(texts)) == words
    with run_command.make_context("run", [TRIAL, *words]) as context:
        assert cli_options.run_options(context) == options
    if words:
        again = read_command(["gaitid", "run", TRIAL, *words])[1]
        assert again == options


# --- tables -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_a_table_has_the_columns_and_numbers_of_its_file(table: str, tmp_path: Path) -> None:
    found = gaitid.analyse(TRIAL, model="pig", write=WRITE, contributions=True)
    found.write(tmp_path)
    stored = pd.read_csv(tmp_path / f"walk.{table}.csv")
    frame = found.table(table)
    assert list(frame.columns) == list(stored.columns)
    assert frame.index.equals(pd.RangeIndex(len(stored)))
    for name in frame.columns:
        if frame[name].dtype == np.float64:
            np.testing.assert_allclose(frame[name], stored[name].astype(float), rtol=6e-10, atol=1e-300)
        elif frame[name].dtype in (np.int64, "Int64"):
            assert frame[name].astype("Int64").equals(stored[name].astype("Int64")), name
        else:
            assert list(frame[name]) == list(stored[name].map(lambda cell: "" if cell != cell else _text(cell)))


def _text(cell: object) -> str:
    return f"{cell:g}" if isinstance(cell, float) else str(cell)


def test_angles_moments_and_powers_are_the_parts_of_joints(walk: gaitid.Analysis) -> None:
    parts = [walk.angles, walk.moments, walk.powers]
    assert all(list(part.columns[:2]) == ["frame", "time_s"] for part in parts)
    assert {name for part in parts for name in part} == set(walk.joints)
    assert sum(part.shape[1] - 2 for part in parts) == walk.joints.shape[1] - 2
    assert walk.result is not None
    knee = walk.result.sides["left"].angles["knee"]["flexion"]
    np.testing.assert_array_equal(walk.angles["left_knee_flexion_deg"], knee)
    assert walk.moments["left_knee_extension_moment_Nm_per_kg"].isna().any()  # beside the plates


def test_record_verdict_and_warnings(walk: gaitid.Analysis, tmp_path: Path) -> None:
    walk.write(tmp_path)
    assert walk.record == json.loads((tmp_path / "walk.run.json").read_text())
    assert walk.verdict == walk.record["verdict"]
    assert walk.verdict["trial"] == "good"
    assert [set(note) >= {"severity", "code", "text"} for note in walk.warnings] == [True] * len(walk.warnings)
    assert walk.warnings == walk.record["warnings"]


# --- read back --------------------------------------------------------------------------------------------------


# --- refusals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keywords", "line"),
    [
        ({"cutoff": "fast"}, 'cutoff: \'fast\' is no frequency; expected Hz above 0, or "none" or "auto"'),
        ({"force_cutoff": -3}, "force_cutoff: -3 is no frequency"),
        ({"solver": "magic"}, "solver: 'magic' is not known; expected block, dense"),
        ({"express_in": "lab"}, "express_in: 'lab' is not known; expected global, proximal"),
        ({"write": "all"}, "write: 'all' is not known; expected segments, base"),
        ({"assign": "left"}, "--assign left: expected SIDE=PLATES"),
        ({"settings": {"gravitas": 1}}, "--set gravitas: no such setting; expected gravity_m_per_s2"),
        ({"settings": ["gravity"]}, "settings: not a mapping"),
        ({"model": "pgi"}, "no model 'pgi' (did you mean 'pig'?)"),
        ({"model": "pig", "subject": {"mass": 70}}, "subject: mass: unknown key"),
        ({"model": "pig", "subject": [70]}, "subject: not a file; expected a path; found a list"),
        ({"static": "no.c3d"}, "no.c3d: no such file"),
        ({"model": "pig", "observer": "elbow"}, "elbow"),
        ({"functional": 3}, "functional: not a file; expected a path; found a int"),
        ({"functional": {"left_hip": "hip.c3d"}}, "functional: not a file; expected a path; found a dict"),
        ({"loads": {"left_shank": None}}, "loads: not a file; expected a path; found a NoneType"),
    ],
)
def test_a_refusal_is_one_line(keywords: dict[str, Any], line: str) -> None:
    with pytest.raises(gaitid.GaitidError) as refused:
        gaitid.analyse(TRIAL, **{"model": "pig", **keywords})
    assert line in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_model_that_was_loaded_holds_its_settings() -> None:
    model = gaitid.load_model("pig", {"cutoff_hz": 6, "gravity_m_per_s2": 9.8})
    found = gaitid.analyse(TRIAL, model=model)
    assert (found.record["settings"]["cutoff_hz"], found.record["settings"]["gravity_m_per_s2"]) == (6, 9.8)
    assert found.record["model"]["files"][0] == "pig.yaml (bundled)"
    named = gaitid.analyse(TRIAL, model="pig", cutoff=6, settings={"gravity_m_per_s2": 9.8})
    pd.testing.assert_frame_equal(found.joints, named.joints)
    with pytest.raises(gaitid.GaitidError, match="give settings to load_model"):
        gaitid.analyse(TRIAL, model=model, cutoff=7)


# --- for people -------------------------------------------------------------------------------------------------


def page(path: Path) -> str:
    """Without the ids of patterns, which are made of the result's path."""
    return re.sub(r"(hatch|head)-[0-9a-f]+", r"\1", path.read_text())


def test_the_page_is_that_of_report(walk: gaitid.Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    *_, record = walk.write(tmp_path / "walk")  # the folder is the session's name, as that of the trial is
    command(monkeypatch, "report", record, "-o", tmp_path / "a.html", "-q")
    assert walk.report(tmp_path / "b.html") == tmp_path / "b.html"
    assert gaitid.load(record).report(tmp_path / "c.html") == tmp_path / "c.html"
    a, b, c = (page(tmp_path / f"{name}.html") for name in "abc")
    assert len(a) > 100_000
    assert a == b == c
    assert walk.report(tmp_path / "f.pdf", figures="moments", width="single").read_bytes().startswith(b"%PDF")
    with pytest.raises(gaitid.GaitidError, match="knees"):
        walk.report(tmp_path / "g.pdf", figures="knees")
