"""`gaitid.analyse`: the numbers, the files and the refusals of `gaitid run`, as Python has them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
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
from gaitid.cli.run import command as run_command
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


def test_importing_takes_no_time() -> None:
    """Under 5 ms, the best of several: one alone may wait for the disk."""
    code = "import time; t = time.perf_counter(); import gaitid; print(time.perf_counter() - t)"
    best, began = 1.0, time.monotonic()
    while best > 0.005 and time.monotonic() - began < 20:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        best = min(best, float(done.stdout))
    assert best < 0.005


def test_the_names_are_there_and_no_others() -> None:
    assert set(gaitid.__all__) <= set(dir(gaitid))
    for name in gaitid.__all__:
        assert getattr(gaitid, name) is not None
    assert not hasattr(gaitid, "analyze_everything")
    assert issubclass(gaitid.GaitidError, Exception)


@pytest.mark.parametrize("words", [["run", TRIAL, "--model", "pig", "-q"], ["inspect", TRIAL], ["models", "list"]])
def test_no_command_loads_pandas(words: list[str], tmp_path: Path) -> None:
    code = (
        "import sys; from gaitid.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "print('pandas' in sys.modules, 'gaitid.api' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stderr.splitlines()[-1] == "False False"


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


def test_files_do_not_depend_on_threads_of_linear_algebra(tmp_path: Path) -> None:
    """The command takes one thread; from Python numpy may have been loaded before, with several."""
    code = "import sys, numpy, gaitid; gaitid.analyse(sys.argv[1], model='pig').write(sys.argv[2])"
    trial = str(WALK.parent / "walk_noisy" / "walk.c3d")
    for threads in ("1", "2"):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads}
        words = [sys.executable, "-c", code, trial, str(tmp_path / threads)]
        subprocess.run(words, env=environment, check=True)
    assert files(tmp_path / "1") == files(tmp_path / "2")


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


@pytest.mark.parametrize(
    ("keyword", "value", "line"),
    [
        ("uncertainty", 3, "uncertainty: not taken; expected True, False or the path of a YAML file; found 3"),
        (
            "loads",
            {"left_shank": ["cuff.csv", "cuff.csv"]},
            "--load left_shank=cuff.csv: given twice, and each counts; leave one of them out",
        ),
    ],
)
def test_what_a_keyword_does_not_take_is_refused_in_one_line(keyword: str, value: Any, line: str) -> None:
    with pytest.raises(gaitid.GaitidError) as caught:
        values_of(texts_of({keyword: value}))
    assert caught.value.line() == line


def test_a_result_of_before_leaves_no_table_behind(tmp_path: Path) -> None:
    gaitid.analyse(TRIAL, model="pig", write="segments").write(tmp_path)
    assert (tmp_path / "walk.segments.csv").is_file()
    gaitid.analyse(TRIAL, model="pig").write(tmp_path)
    assert not (tmp_path / "walk.segments.csv").exists()


def test_no_input_is_written_over(tmp_path: Path) -> None:
    trial = tmp_path / "walk.joints.csv"
    trial.write_bytes((WALK / "walk.csv").read_bytes())
    forces, plates = WALK / "walk.forces.csv", WALK / "walk.plates.yaml"
    clash = tmp_path / "walk.c3d"
    clash.write_bytes(Path(TRIAL).read_bytes())
    found = gaitid.analyse(clash, model="pig", markers=None)
    found.write(tmp_path / "o")
    with pytest.raises(gaitid.GaitidError, match="would be overwritten"):
        found.report(clash)
    (tmp_path / "walk.contacts.csv").hardlink_to(clash)
    with pytest.raises(gaitid.GaitidError, match="is an input and would be overwritten"):
        found.write(tmp_path)
    assert gaitid.analyse(trial, model="pig", subject=SUBJECT, forces=forces, plates=plates).name == "walk.joints"


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


def test_the_types_of_columns(walk: gaitid.Analysis) -> None:
    for name in ("joints", "wrenches", "cycles", "stances"):
        types = walk.table(name).dtypes
        for column, kind in types.items():
            if column in ("frame", "first_frame", "last_frame", "cycle", "contact"):
                assert kind == np.int64, column
            elif column in ("side", "plates"):
                assert pd.api.types.is_string_dtype(kind), column
            else:
                assert kind == np.float64, column
    assert walk.features["frame"].dtype == walk.spatiotemporal["first_frame"].dtype == "Int64"
    assert walk.spatiotemporal["first_frame"].isna().sum() == 9  # mean, sd and n of left, right, both
    assert list(walk.spatiotemporal["cycle"]) == ["1", "1", "2", *["mean", "sd", "n"] * 3]
    assert set(walk.contacts["plates"]) == {"", "1", "2"}
    assert walk.contacts["peak_vertical_N"].dtype == walk.contacts["confidence"].dtype == np.float64


def test_angles_moments_and_powers_are_the_parts_of_joints(walk: gaitid.Analysis) -> None:
    parts = [walk.angles, walk.moments, walk.powers]
    assert all(list(part.columns[:2]) == ["frame", "time_s"] for part in parts)
    assert {name for part in parts for name in part} == set(walk.joints)
    assert sum(part.shape[1] - 2 for part in parts) == walk.joints.shape[1] - 2
    assert walk.result is not None
    knee = walk.result.sides["left"].angles["knee"]["flexion"]
    np.testing.assert_array_equal(walk.angles["left_knee_flexion_deg"], knee)
    assert walk.moments["left_knee_extension_moment_Nm_per_kg"].isna().any()  # beside the plates


def test_a_table_is_made_once_and_is_no_window_into_the_result(walk: gaitid.Analysis) -> None:
    found = gaitid.analyse(TRIAL, model="pig")
    assert found.joints is found.joints
    before = found.wrenches.iloc[0, 2]
    found.joints.iloc[:, 2:] = 0.0
    found.angles.iloc[:, 2:] = 1.0
    assert found.result is not None
    np.testing.assert_array_equal(
        found.result.sides["left"].angles["knee"]["flexion"], walk.angles["left_knee_flexion_deg"]
    )
    assert found.wrenches.iloc[0, 2] == before or np.isnan(before)
    with pytest.raises(gaitid.GaitidError, match="no table 'angels'; expected wrenches, joints"):
        found.table("angels")


def test_record_verdict_and_warnings(walk: gaitid.Analysis, tmp_path: Path) -> None:
    walk.write(tmp_path)
    assert walk.record == json.loads((tmp_path / "walk.run.json").read_text())
    assert walk.verdict == walk.record["verdict"]
    assert walk.verdict["trial"] == "good"
    assert [set(note) >= {"severity", "code", "text"} for note in walk.warnings] == [True] * len(walk.warnings)
    assert walk.warnings == walk.record["warnings"]


# --- read back --------------------------------------------------------------------------------------------------


def test_a_result_read_back_is_the_same_object(walk: gaitid.Analysis, tmp_path: Path) -> None:
    *_, record = walk.write(tmp_path / "a")
    again = gaitid.load(record)
    assert (again.record, again.verdict, repr(again)) == (walk.record, walk.verdict, repr(walk))
    assert again.result is None
    for name in ("angles", "moments", "powers", "wrenches", "contacts", "cycles", "stances", "features"):
        pd.testing.assert_frame_equal(getattr(again, name), getattr(walk, name), rtol=6e-10, atol=1e-300)
    pd.testing.assert_frame_equal(again.spatiotemporal, walk.spatiotemporal, rtol=6e-10)
    assert again._repr_html_() == walk._repr_html_()
    again.write(tmp_path / "b")
    assert files(tmp_path / "b") == files(tmp_path / "a")
    with pytest.raises(gaitid.GaitidError, match=r"walk\.segments\.csv: no such file"):
        _ = again.segments
    with pytest.raises(gaitid.GaitidError, match="is an input and would be overwritten"):
        again.write(tmp_path / "a")


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(gaitid.GaitidError, match=r"walk\.c3d: not a result; expected a file NAME\.run\.json"):
        gaitid.load(TRIAL)
    (tmp_path / "walk.run.json").write_text('{"gaitid": "1"}')
    (tmp_path / "walk.joints.csv").write_text("frame,time_s,left_knee_flexion_deg\n1,0,five\n")
    with pytest.raises(gaitid.GaitidError, match=r"walk\.joints\.csv: not a table"):
        _ = gaitid.load(tmp_path / "walk.run.json").joints


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


@pytest.mark.parametrize("trial", ["no.c3d", "walk.xlsx", 3, None, str(WALK)])
def test_a_refused_trial_is_named(trial: Any) -> None:
    with pytest.raises(gaitid.GaitidError) as refused:
        gaitid.analyse(trial)
    assert str(refused.value).startswith("trial: not a file" if trial in (3, None) else f"{trial}: ")
    if isinstance(trial, str):
        with pytest.raises(gaitid.GaitidError, match="^" + trial):
            gaitid.read_trial(trial)


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


def test_the_table_of_a_notebook(walk: gaitid.Analysis) -> None:
    html = walk._repr_html_()
    for words in ("300 frames at 100 Hz", "<b>good</b>", "left, frames 92–155: plate 1, 770 N", "load unknown"):
        assert words in html
    assert "left knee flexion 4.4 to 59.9 deg (cycles)" in html
    standing = gaitid.analyse(STATIC)
    assert "(all frames)" in standing._repr_html_()
    lacks = "but is not used: measurements of the subject are missing: left_static_plantar_flexion_rad"
    assert f"<b>usable: angles only</b><br>pig gives all angles and moments {lacks}" in standing._repr_html_()
    assert repr(standing).startswith("<gaitid.Analysis static: model lateral; usable")


def test_what_a_file_says_is_no_markup(tmp_path: Path) -> None:
    trial = tmp_path / "<b>walk<b>.c3d"
    trial.write_bytes(Path(TRIAL).read_bytes())
    assert "<b>walk" not in gaitid.analyse(trial, model="pig")._repr_html_()


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


def test_plots(walk: gaitid.Analysis) -> None:
    figure = walk.plot()
    assert len(figure.axes) == 9
    assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    knee = figure.axes[1].lines
    curve = walk.cycles[walk.cycles["side"] == "left"]["knee_flexion_deg"]
    np.testing.assert_array_equal(knee[0].get_ydata(), curve)
    (axes,) = walk.plot(["ankle_eversion_deg"]).axes
    assert axes.get_xlabel() == "% of the gait cycle"
    over_time = gaitid.analyse(STATIC).plot()  # nobody walks, and nothing is known of moments
    assert len(over_time.axes) == 3
    assert over_time.axes[-1].get_xlabel() == "time (s)"
    with pytest.raises(gaitid.GaitidError, match="no such column to plot; expected foot_progression"):
        walk.plot(["knee"])


def test_models_with_other_joints_and_one_side() -> None:
    folder = WALK.parent / "double_pendulum"
    found = gaitid.analyse(folder / "double_pendulum.c3d", model=str(folder / "double_pendulum.model.yaml"))
    assert len(found.plot().axes) == 6
    assert "right pivot turn x -61.9 to 56.1 deg" in found._repr_html_()
    assert found.contacts.empty and list(found.contacts.columns)[:2] == ["side", "plates"]
    assert found.features.empty and found.features["frame"].dtype == "Int64"
