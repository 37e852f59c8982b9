"""Manifests, by hand and as a plan that was kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from recordings import pairs

from gaitid.batch.manifest import manifest_csv
from gaitid.batch.plan import Plan, make_plan
from gaitid.errors import GaitidError

CSV = "subject,static,Trials,cutoff,assign\nAnn,s.c3d,P1/*.c3d|b.c3d,8.5,left=1|right=2\n,none,c.c3d,,\n"
EXCEL = CSV.replace(",", ";").replace("8.5", "8,5").replace("\n", ";;\r\n") + ";;;;;;\r\n"
YAML = """
- {subject: Ann, static: s.c3d, trials: [P1/*.c3d, b.c3d], cutoff: 8.5, assign: [left=1, right=2]}
- {subject: null, static: none, trials: c.c3d, cutoff: }
"""


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("plan.csv", CSV.encode()),
        ("excel.csv", EXCEL.encode("utf-8-sig")),
        ("utf16.csv", EXCEL.encode("utf-16")),
        ("sep.csv", f"sep=;\n{EXCEL}".encode()),
        ("tabs.csv", CSV.replace(",", "\t").replace("8.5", "8,5").encode()),
        ("comments.csv", f"# of 2024\n\n# second\n{CSV}".encode()),
        ("plan.yaml", YAML.encode()),
    ],
)
def test_a_manifest(make, name: str, data: bytes) -> None:  # type: ignore[no-untyped-def]
    top = make("s.c3d=static", "P1/a.c3d", "b.c3d", "c.c3d")
    (top / name).write_bytes(data)
    plan = make_plan([str(top / name)], top / "out")
    assert pairs(plan, top) == {"P1/a.c3d": "s.c3d", "b.c3d": "s.c3d", "c.c3d": None}
    assert {p.trial.stem: p.subject for p in plan.trials} == {"a": "Ann", "b": "Ann", "c": "data"}
    own = ("--static", str(top / "s.c3d"), "--cutoff", "8.5", "--assign", "left=1", "--assign", "right=2")
    assert [p.words for p in plan.trials] == [own, own, ()]


APART = (
    "subject,trial,static,overrides\n"
    "Ann,P1/a.c3d,s.c3d,assign=left=1|Cutoff=8.5 | assign=right=2|set=cutoff_hz=6\n"
    "Ann,c.c3d,,static=none\n"
)
YAML_APART = """
trials:
- subject: Ann
  trials: P1/*.c3d
  static: s.c3d
  overrides: {assign: [left=1, right=2], cutoff: 8.5, set: cutoff_hz=6}
- {subject: Ann, trial: c.c3d, overrides: {static: none}}
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plan.csv", APART),
        ("semicolons.csv", APART.replace("|", ";")),
        ("excel.csv", APART.replace(",", ";").replace("8.5", "8,5")),
        ("plan.yaml", YAML_APART),
    ],
)
def test_overrides_stand_apart(make, name: str, text: str) -> None:  # type: ignore[no-untyped-def]
    """In a column or key of their own they are what they are in columns; a plan gives them back in columns."""
    top = make("s.c3d=static", "P1/a.c3d", "c.c3d")
    (top / name).write_text(text)
    plan = make_plan([str(top / name)], top / "out")
    others = ["--cutoff", "8.5", "--assign", "left=1", "--assign", "right=2", "--set", "cutoff_hz=6"]
    words = ("--static", str(top / "s.c3d"), *others)
    assert {p.trial.stem: p.words for p in plan.trials} == {"a": words, "c": ()}
    assert {p.subject for p in plan.trials} == {"Ann"}
    (top / "again.csv").write_text(manifest_csv(plan.trials))
    assert make_plan([str(top / "again.csv")], top / "out").trials == tuple(
        replace(p, where=f"{top / 'again.csv'}: row {i}") for i, p in enumerate(plan.trials, 2)
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("trials,cutoff\na.c3d,6\na.c3d,8\n", "row 3: .*a.c3d is named twice"),
        ("trials,subject\n,x\n", "row 2: no trials"),
        ("trials,trials\na,b\n", "given twice"),
        ("trials,\na.c3d,b\n", "row 2: a value in a column without a name"),
        ("trials\nsub\\a.c3d\n", "row 2: .*write / between folders"),
        ("trials\nplan.csv\n", "row 2: .*plan.csv: this is a manifest"),
        ("trials,static\na.c3d,b.c3d\n", "row 2: static: .*b.c3d: no such file"),
        ("trials,subject_file\na.c3d,sub\\own.yaml\n", "row 2: subject_file: .*write / between folders"),
        ("trials,plates\na.c3d,p.yaml\n", "row 2: plates: .*p.yaml: no such file"),
        ("trials\n", "no rows"),
        ("name,mass\nAnn,60\n", "neither a trial .* nor a manifest"),
        ("trial,subject,fingerprint\na.c3d,Ann,1\n", "neither a trial .* nor a manifest"),
        ("trial\na.c3d|b.c3d\n", r"row 2: .*a\.c3d.b\.c3d: no such file"),
        ("trial,overrides\na.c3d,subject=Ann\n", "row 2: overrides: unknown column 'subject'"),
        ("trial,overrides\na.c3d,cutoff=\n", "row 2: overrides: 'cutoff='; expected KEY=VALUE"),
        ("trial,cutoff,overrides\na.c3d,6,cutoff=6\n", "row 2: cutoff is given twice: by itself, and in overrides"),
    ],
)
def test_a_manifest_that_cannot_be_used(tmp_path: Path, text: str, words: str) -> None:
    """All that its rows name is looked at before any work."""
    (tmp_path / "plan.csv").write_text(text)
    (tmp_path / "sub").mkdir()
    for name in ("a.c3d", "own.yaml"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(GaitidError, match=words):
        make_plan([str(tmp_path / "plan.csv")], tmp_path / "out")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('trials: a.c3d, static: "x\\0y"', r"entry 1: static: .*x\\x00y: no such file"),
        ('trials: a.c3d, root: "x\\0y"', r"entry 1: root: .*x\\x00y does not hold a.c3d"),
        ('trials: "x\\0y"', r"entry 1: .*x\\x00y: no such file"),
        ('trials: "x\\0*"', r"entry 1: .*x\\x00\*: no such trial"),
        ('trials: ""', "entry 1: no trials"),
        ('trials: [""]', "entry 1: no trials"),
        ("trials: [[a]]", "entry 1: trials: expected text"),
        ("trial: [a.c3d, b.c3d]", "entry 1: trial: expected one value; found 2"),
        ("trial: a.c3d, trials: a.c3d", "entry 1: both trial and trials"),
        ("trial: a.c3d, overrides: 6", "entry 1: overrides: expected keys and values"),
        ("trial: a.c3d, overrides: {cutof: 6}", "entry 1: overrides: unknown column 'cutof' .*did you mean 'cutoff'"),
        ("trial: a.c3d, overrides: {trials: b}", "entry 1: overrides: unknown column 'trials'"),
        ("trial: a.c3d, overrides: {cutoff: {a: 1}}", "entry 1: overrides: cutoff: expected text or a number"),
        ("trial: a.c3d, cutoff: 6, overrides: {cutoff: 6}", "entry 1: cutoff is given twice: by itself, and in over"),
    ],
)
def test_an_entry_that_cannot_be_used(tmp_path: Path, entry: str, words: str) -> None:
    (tmp_path / "plan.yaml").write_text(f"- {{{entry}}}\n")
    (tmp_path / "a.c3d").write_bytes(b"")
    with pytest.raises(GaitidError, match=words):
        make_plan([str(tmp_path / "plan.yaml")], tmp_path / "out")


ODD = ["Müller, Änne [01]/Session 1/walk.c3d", 'say "a"/walk|b.c3d', "a|b/walk *?.c3d", "P1/#walk;1.c3d"]


@pytest.mark.parametrize("output", [None, Path("out")])
def test_a_plan_gives_itself_back(make, monkeypatch: pytest.MonkeyPatch, output: Path | None) -> None:  # type: ignore[no-untyped-def]
    """Kept as CSV where it was made, with names that hold all that separates cells, values and patterns."""
    top = make(*ODD, *(str(Path(name).parent / "static.c3d=static") for name in ODD[:3]))
    (top / "P1" / "subject.yaml").write_text("mass_kg: 60\n")
    (top / "P1" / "text.csv").write_text("time_s,LASI_x_mm,LASI_y_mm,LASI_z_mm\n0,1,2,3\n")
    (top / "P1" / "text.forces.csv").write_text("")
    (top / "rows.csv").write_text("trials,cutoff,assign,set\n**/text.csv,6.5,left=1|right=2,cutoff_hz=6\n")
    monkeypatch.chdir(top.parent)
    # found above the plan that is kept, but not by the one that was made
    (top.parent / "subject.yaml").write_text("mass_kg: 61\n")
    plan = make_plan(["data"], output)
    assert len(plan.trials) == 5
    Path("plan.csv").write_text(manifest_csv(plan.trials), encoding="utf-8")
    assert same(make_plan(["plan.csv"], output)) == same(plan)
    plan = make_plan(["data/rows.csv"], output)
    assert len(plan.trials[0].words) == 12
    Path("plan.csv").write_text(manifest_csv(plan.trials), encoding="utf-8")
    assert same(make_plan(["plan.csv"], output)) == same(plan)


def same(plan: Plan) -> list[tuple[object, ...]]:
    return [(p.trial, p.folder, p.subject, p.static and p.static.path, p.words) for p in plan.trials]


def test_loads_on_segments_are_found_and_given(make) -> None:  # type: ignore[no-untyped-def]
    top = make("a.c3d", "b.c3d", "c.c3d")
    header = "time_s,force_global_x_N,point_global_x_m\n"  # a table that could be taken for markers
    for name in ("a.load.hand.csv", "a.load.hand.2.csv", "rope.csv"):
        (top / name).write_text(header, encoding="utf-8")
    plan = make_plan([str(top)], top / "out")
    found = ("--load", f"hand={top / 'a.load.hand.csv'}", "--load", f"hand={top / 'a.load.hand.2.csv'}")
    assert {p.trial.stem: p.words for p in plan.trials} == {"a": found, "b": (), "c": ()}
    (top / "plan.csv").write_text("trial,load\na.c3d,none\nb.c3d,left_shank=rope.csv|hand=rope.csv\n", encoding="utf-8")
    given = ("--load", f"left_shank={top / 'rope.csv'}", "--load", f"hand={top / 'rope.csv'}")
    plan = make_plan([str(top / "plan.csv")], top / "out")
    assert {p.trial.stem: p.words for p in plan.trials} == {"a": (), "b": given}
    kept = manifest_csv(plan.trials)
    (top / "kept.csv").write_text(kept, encoding="utf-8")
    again = make_plan([str(top / "kept.csv")], top / "out")
    assert [p.words for p in again.trials] == [p.words for p in plan.trials], kept
    (top / "bad.csv").write_text("trial,load\nb.c3d,hand=gone.csv\n", encoding="utf-8")
    with pytest.raises(GaitidError, match=r"gone\.csv: no such file"):
        make_plan([str(top / "bad.csv")], top / "out")


def test_a_data_set_without_a_name() -> None:
    """Nobody means the current folder by it, but an empty variable of a shell."""
    with pytest.raises(GaitidError, match="an empty name of a data set"):
        make_plan([""], None)
