"""Cures of commands besides `run`: stored results that were changed, exports, comparisons, batches, capacity."""

from __future__ import annotations

from pathlib import Path

import pytest
from cure_commands import (
    a_listed_set,
    again,
    all_after_part,
    both,
    cell,
    edited_record,
    edited_table,
    foreign_table,
    gone,
    heavier_static,
    limb_sagittal,
    linked,
    no_mass,
    of_result,
    other_rate,
    out,
    part_after_part,
    result,
    result_of_another,
    run_again,
    session,
    sto,
    stored,
    table_result,
    two_subject_files,
    with_mass,
    without_column,
    without_mass,
)
from cure_inputs import PIG, static, truth
from cures import Row, assert_cures

MAT = ("export", None, "--to", "mat", "-o", out("mat"))
RATES = ("--rate-hz", "20", "--analog-rate-hz", "20")
PAGE = again("-o", out("page.html"))
NEW = out("new")

ROWS: dict[str, Row] = {
    # results that were changed or cut
    "a table that is missing": Row(gone, "walk.joints.csv missing beside it.*run gaitid run again", run_again),
    "a column that is missing": Row(
        edited_table("joints", without_column("time_s"), *MAT),
        "columns missing: time_s;.*run gaitid run again",
        run_again,
    ),
    "a table that was cut": Row(
        edited_table("joints", lambda lines: lines[:100], *MAT),
        "not whole, or of another run.*run gaitid run again",
        run_again,
    ),
    "a table without rows": Row(
        edited_table("joints", lambda lines: lines[:1], *MAT), "no frames.*run gaitid run again", run_again
    ),
    "a cell that is no number": Row(
        edited_table("joints", cell(5, "frame", "x"), *MAT), "not a number.*run gaitid run again", run_again
    ),
    "tables of two runs": Row(
        edited_table("joints", lambda lines: lines[:100]),
        "its frames are not those of walk.wrenches.csv.*run gaitid run again",
        run_again,
    ),
    "a cycle without a percent": Row(
        edited_table("cycles", cell(3, "percent", "")),
        "a cycle without its number, percent or frames; run gaitid run again",
        run_again,
    ),
    "cycles of other percents": Row(
        edited_table("cycles", cell(3, "percent", "7")), "its rows are no cycles.*run gaitid run again", run_again
    ),
    "cycles that end early": Row(
        edited_table("cycles", lambda lines: [line for line in lines if line.split(",")[2] != "100"]),
        "its cycles are not whole.*run gaitid run again",
        run_again,
    ),
    "a record of a newer gaitid": Row(
        edited_record(lambda record: record.update(schema=99), *MAT),
        "update gaitid, or run gaitid run again with this one",
        run_again,
    ),
    "a record that is damaged": Row(
        edited_record(lambda record: record.update(trial=3), *MAT),
        "trial: not an object.*run gaitid run again",
        run_again,
    ),
    # export
    "a result of arrays": Row(
        edited_record(lambda record: record["command"].append("(in memory)"), *(*MAT[:3], "trc", *MAT[4:])),
        "no file holds its trial.*export it --to mat",
        "--to mat",
    ),
    "a C3D of a trial that is none": Row(table_result, "the trial is no C3D file.*use --to trc", "--to trc"),
    # report
    "norms that nobody made": Row(
        of_result("report", None, "--norms", "nobody", "-o", out("page.html")),
        "no norms 'nobody'.*gaitid norms lists what comes with gaitid",
        again("--norms", a_listed_set),
    ),
    "a report on the standard output": Row(of_result("report", None, "-o", "-"), "give it a name, as walk.html", PAGE),
    "a name and a format that differ": Row(
        of_result("report", None, "--format", "svg", "-o", out("page.html")),
        "the name says html, the format asked for is svg; make them agree",
        again("--format", lambda folder: "html"),
    ),
    "a page with one figure": Row(
        of_result("report", None, "--figure", "hip_flexion", "-o", out("page.html")),
        "a page has all figures; choose one with .png, .svg or .pdf",
        again("-o", out("page.svg")),
    ),
    "a page over its result": Row(
        of_result("report", None, "--format", "html", "-o", result),
        "is an input and would be overwritten; rename it, or give another place with -o",
        "-o",
        out("page.html"),
    ),
    # compare
    "sessions by frames": Row(
        of_result("compare", session, None, "--align", "frames"),
        "no common frames; leave out --align",
        "leave out --align",
    ),
    "OpenSim's files by frames": Row(
        of_result("compare", None, sto("angles"), "--align", "frames"),
        "OpenSim's files are compared by time; leave out --align",
        "leave out --align",
    ),
    "stored outputs by time": Row(
        of_result("compare", None, stored(""), "--align", "time"),
        "stored outputs are compared frame by frame; leave out --align",
        "leave out --align",
    ),
    "frames of other lengths": Row(other_rate, "compare with --align time", "--align time"),
    "a start that is no time": Row(
        of_result("compare", None, sto("angles"), "--start", "nan"), "no time.*leave out --start", "leave out --start"
    ),
    "a knee of OpenSim where there is none": Row(
        of_result("compare", None, None, "--knee", "gait2392"), "leave out --knee", "leave out --knee"
    ),
    "outputs where there are none": Row(
        of_result("compare", None, None, "--outputs", "_x"), "leave out --outputs", "leave out --outputs"
    ),
    "several sets of outputs": Row(
        of_result("compare", None, stored("_CGM2.3", "_CGM2.4")), "choose with --outputs SUFFIX", "--outputs", "_CGM2.4"
    ),
    "moments and no mass": Row(
        without_mass, "cannot be compared without the body's mass; give mass_kg to the run", with_mass
    ),
    "a comparison on the standard output": Row(
        of_result("compare", None, None, "-o", "-"), "give it a name, as why.html", PAGE
    ),
    # batch
    "results of another data set": Row(
        part_after_part, "another data set.*batch the folder that holds both, with another -o", both
    ),
    "results of a part": Row(all_after_part, "a part of this data set.*give another -o", "-o", NEW),
    "a result of another trial": Row(result_of_another, "walk.csv.*; give another -o", "-o", NEW),
    "a table of somebody else": Row(
        foreign_table, "was not made by gaitid; rename it or give another folder with -o", "-o", NEW
    ),
    "two subject files": Row(
        two_subject_files,
        "which one is meant.*; keep one, or give --subject",
        "--subject",
        lambda folder: folder.simulated / "walk.subject.yaml",
    ),
    "a static that was found, of somebody heavier": Row(
        heavier_static, "name its static in a manifest or with --static", "--static", static
    ),
    "results that go through a link": Row(
        linked, "is a link: nothing is written through it; give the folder itself with -o", "-o", out("elsewhere")
    ),
    "a data set without a name": Row(
        lambda folder: ("batch", "", *PIG, "-j", "1", "-o", folder.own / "out"),
        "give [.] for the current folder",
        lambda folder, words, line: ("batch", ".", *words[2:]),
        then="no trial",
        code=1,
    ),
    # files
    "a log that is a folder": Row(
        lambda folder: ("run", folder.walk, *PIG, "-o", folder.own / "out", "--log", folder.own),
        "cannot write the log.*give another file with --log",
        "--log",
        out("log.jsonl"),
    ),
    "a folder that is a file": Row(
        lambda folder: ("run", folder.walk, *PIG, "-o", folder.text("taken", "")),
        "cannot write to .*give another folder with -o",
        "-o",
        NEW,
    ),
    # simulate, capacity
    "more events than a C3D file holds": Row(
        lambda folder: ("simulate", "run", *RATES, "--duration", "48", "-o", folder.own / "simulated"),
        "a C3D file holds 255; give a shorter --duration, or --no-events",
        lambda folder, words, line: (*words, "--no-events"),
    ),
    "a limb without a way forward": Row(
        limb_sagittal, "the way forward is not known; leave out --plane", "leave out --plane"
    ),
    "torques of a body without a mass": Row(
        no_mass,
        "give torques_Nm, or the subject's mass",
        lambda f, words, line: (*words, "--subject", truth("mass_kg")(f)),
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_cure_of_a_command_cures(simulated: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert_cures(ROWS[name], name, simulated, tmp_path)
