"""Tables of segment parameters: each number as printed, what bodies can have, and how they lie in each model's frames.

`tests/authorities` holds the printed tables, copied apart from `configs/tables`: imaginary radii with their i.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from gaitid.body.mass_properties import centre_names, inertia_of
from gaitid.dynamics.joint_tree import inertia_fault
from gaitid.errors import ModelError
from gaitid.model import specs
from gaitid.model.load import bundled_folder, load_model, load_table
from gaitid.model.tables import unit_inertia

PRINTED = Path(__file__).resolve().parents[1] / "authorities"
TABLES = bundled_folder("configs") / "tables"
SEXES = {"F": "female", "M": "male"}
# Names of the printed tables -> rows of ours.
DE_LEVA = {
    "HJC - KJC": "thigh",
    "KJC - AJC": "shank",
    "KJC - lateral malleolus": "shank_to_malleolus",
    "KJC - sphyrion": "shank_to_sphyrion",
    "heel - toe tip": "foot",
    "omphalion - mid hips": "lower_trunk",
    "xiphion - omphalion": "middle_trunk",
    "suprasternale - xiphion": "upper_trunk",
    "C7 - xiphion": "upper_trunk_from_c7",
    "suprasternale - mid hips": "trunk",
    "C7 - mid hips": "trunk_from_c7",
    "mid shoulders - mid hips": "trunk_from_shoulders",
    "vertex - mid gonion": "head",
    "vertex - C7": "head_to_c7",
    "SJC - EJC": "upper_arm",
    "EJC - WJC": "forearm",
    "WJC - 3rd metacarpale": "hand",
}
DUMAS_2007 = {
    "pelvis LJC": "pelvis",
    "pelvis": "pelvis_of_asis",
    "thigh HJC": "thigh",
    "leg KJC": "shank",
    "foot": "foot",
}
DUMAS_2018 = {
    "head & neck": "head",
    "thorax": "thorax",
    "abdomen": "abdomen",
    "pelvis": "pelvis",
    "thigh": "thigh",
    "leg": "shank",
    "foot AJC": "foot",
    "arm": "upper_arm",
    "forearm": "forearm",
    "hand": "hand",
}


def printed(name: str) -> list[dict[str, str]]:
    with (PRINTED / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def table(name: str) -> specs.Table:
    return load_table(TABLES / f"{name}.yaml")


def signed(text: str) -> float:
    """A radius in %, negative where it is imaginary."""
    return -float(text[:-1]) if text.endswith("i") else float(text)


# --- as printed -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sex", sorted(SEXES))
def test_de_leva_as_printed(sex: str) -> None:
    rows, seen = table(f"de_leva_{SEXES[sex]}").rows, set()
    for line in printed("de_leva_1996_table_4"):
        key = DE_LEVA[line["endpoints"]]
        row = rows[key]
        seen.add(key)
        assert row.mass_fraction == pytest.approx(float(line[f"mass_{sex}"]) / 100)
        assert row.com_fraction == pytest.approx(float(line[f"com_{sex}"]) / 100)
        sagittal, transverse, longitudinal = (
            float(line[f"{axis}_{sex}"]) / 100 for axis in ("sagittal", "transverse", "longitudinal")
        )
        # about forward, up, right: the length lies upright, but that of the foot forward
        upright = [sagittal, longitudinal, transverse]
        forward = [longitudinal, transverse, sagittal]
        assert row.gyration_fractions == pytest.approx(forward if key == "foot" else upright)
    assert seen == set(rows)


@pytest.mark.parametrize(("year", "names"), [("2007", DUMAS_2007), ("2018", DUMAS_2018)])
@pytest.mark.parametrize("sex", sorted(SEXES))
def test_dumas_as_printed(year: str, names: dict[str, str], sex: str) -> None:
    rows, seen = table(f"dumas_{year}_{SEXES[sex]}").rows, set()
    for line in printed(f"dumas_{year}"):
        if line["sex"] != sex or line["segment"] not in names:
            continue
        key = names[line["segment"]]
        row = rows[key]
        seen.add(key)
        products = [signed(line[name]) / 100 for name in ("rxy", "rxz", "ryz")]
        if (year, sex, key) == ("2018", "F", "thigh"):
            # the chapter prints 7i and 2; 2007's table and the principal axes of its appendix have 7 and 2i
            assert products[:2] == [-0.07, 0.02]
            products[:2] = [0.07, -0.02]
        assert row.mass_fraction == pytest.approx(float(line["mass"]) / 100)
        assert row.com_fractions == pytest.approx([float(line[axis]) / 100 for axis in "XYZ"])
        assert row.gyration_fractions == pytest.approx([float(line[name]) / 100 for name in ("rxx", "ryy", "rzz")])
        assert row.product_fractions == pytest.approx(products)
    assert seen == set(rows)


@pytest.mark.parametrize("name", [f"dumas_{year}_{sex}" for year in ("2007", "2018") for sex in ("female", "male")])
def test_the_thigh_leans_backward_at_its_upper_end(name: str) -> None:
    """Where the buttock is: the axis of the least moment of inertia, and so the signs of the products xy and yz."""
    row = table(name).rows["thigh"]
    assert row.gyration_fractions is not None and row.com_fractions is not None
    moments, axes = np.linalg.eigh(unit_inertia(row.gyration_fractions, row.product_fractions))
    forward, up, _ = axes[:, 0] * np.sign(axes[1, 0])
    assert up > 0.98 and moments[0] < moments[1] / 2
    assert -10 < np.degrees(np.arctan2(forward, up)) < -2
    assert row.com_fractions[0] < 0  # of a thigh behind the line from hip to knee


def test_winter_as_printed_and_about_the_centre_of_mass() -> None:
    """The radii about the proximal end are larger, and no radii about the centre of mass: r_p² = r_c² + c²."""
    for name, long_axis in (("winter", {"foot": 0}), ("winter_pig", {"foot": 2})):
        rows = table(name).rows
        for line in printed("winter_2009_table_4_1"):
            if line["segment"] not in rows:
                continue
            row = rows[line["segment"]]
            about_com, about_proximal = float(line["radius_about_com"]), float(line["about_proximal"])
            assert row.mass_fraction == float(line["mass"])
            assert row.com_fraction == float(line["com_from_proximal"])
            across = [r for i, r in enumerate(row.gyration_fractions or ()) if i != long_axis.get(line["segment"], 2)]
            assert across == [about_com, about_com]
            assert about_proximal == pytest.approx(np.hypot(about_com, row.com_fraction), abs=1e-3)
            # Plug-in Gait's table, for comparison only, has the others
            vicon = table("plug_in_gait").rows[line["segment"]].gyration_fractions
            assert vicon is not None
            assert vicon[0] == about_proximal


@pytest.mark.parametrize(
    ("name", "once", "twice", "total"),
    [
        ("de_leva_female", ("head", "trunk"), ("upper_arm", "forearm", "hand"), 0.9999),
        ("de_leva_male", ("head", "trunk"), ("upper_arm", "forearm", "hand"), 1.0),
        ("dumas_2018_female", ("head", "thorax", "abdomen", "pelvis"), ("upper_arm", "forearm", "hand"), 1.004),
        ("dumas_2018_male", ("head", "thorax", "abdomen", "pelvis"), ("upper_arm", "forearm", "hand"), 1.002),
    ],
)
def test_masses_sum_to_a_body(name: str, once: tuple[str, ...], twice: tuple[str, ...], total: float) -> None:
    """As the printed percentages do, which are rounded: to 0.1 % of each of sixteen segments in Dumas' tables."""
    rows = table(name).rows
    legs = ("thigh", "shank", "foot")
    sum_ = sum(rows[key].mass_fraction or 0 for key in once) + 2 * sum(rows[k].mass_fraction or 0 for k in twice + legs)
    assert sum_ == pytest.approx(total, abs=1e-9)


# --- bodies that can be ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(TABLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_each_bundled_row_is_of_a_body(path: Path) -> None:
    for name, row in load_table(path).rows.items():
        tensor = row.inertia_kg_m2 or unit_inertia(row.gyration_fractions or (), row.product_fractions)
        assert inertia_fault(np.array(tensor), name) is None


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "gyration_fractions: [0.3, 0.1, 0.3], product_fractions: [0.25, 0, 0]",
            "segments.shank.product_fractions: the inertia is indefinite",
        ),
        (
            "gyration_fractions: [0.3, 0.2, 0.45], product_fractions: [0, 0, 0]",
            "segments.shank.product_fractions: the inertia breaks the triangle inequality",
        ),
        ("gyration_fractions: [0.3, 0.1], product_fractions: [0, 0, 0]", "gyration_fractions: expected three numbers"),
    ],
)
def test_an_inertia_that_no_body_has_is_refused(tmp_path: Path, row: str, message: str) -> None:
    file = tmp_path / "mine.yaml"
    text = (
        "gaitid_table: 1\nname: mine\nsource: us\nextends: dumas_2018_male\ngyration_about: centre_of_mass\nsegments:\n"
    )
    com = "com_fractions: [0, -0.4, 0]"
    file.write_text(f"{text}  shank: {{span: knee_to_ankle, mass_fraction: 0.05, {com}, {row}}}\n", encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        load_table(file)
    assert message in caught.value.line()


# --- in a model's frames --------------------------------------------------------------------------------------------

LENGTH = 0.42
# Axes of the segments' frames that point forward, up and to the right: the foot of `pig` has its z to the heel.
AXES = {
    "pig": {"thigh": "x z -y", "shank": "x z -y", "foot": "-z x -y"},
    "landmarks": {"thigh": "x z -y", "shank": "x z -y", "foot": "x z -y"},
}


def in_table_axes(words: str) -> np.ndarray:
    """R_st, by hand: columns are forward, up and right in the segment's axes."""
    columns = []
    for word in words.split():
        axis = np.eye(3)["xyz".index(word[-1])]
        columns.append(-axis if word.startswith("-") else axis)
    return np.array(columns).T


def cloud(rng: np.random.Generator) -> np.ndarray:
    """Point masses of a right segment, forward, up, right from the origin of its span, m; each of equal mass."""
    shape = rng.normal(size=(60, 3)) * [0.03, 0.12, 0.04] @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return np.asarray(shape + [-0.02, -0.18, 0.01])


def centre_and_inertia(points: np.ndarray, mass: float) -> tuple[np.ndarray, np.ndarray]:
    centre = points.mean(axis=0)
    r = points - centre
    return centre, mass * (np.mean((r**2).sum(axis=1)) * np.eye(3) - r.T @ r / len(r))


@pytest.mark.parametrize("model_name", sorted(AXES))
@pytest.mark.parametrize("segment", ["thigh", "shank", "foot"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_body_of_point_masses_and_its_mirror_image(model_name: str, segment: str, side: str) -> None:
    """A row measured on the right gives the left body that is its mirror image, in the axes of each model's frames."""
    points = cloud(np.random.default_rng(len(segment)))
    centre, inertia = centre_and_inertia(points, 1.0)
    squares = inertia / LENGTH**2
    radii = np.sqrt(np.diag(squares))
    products = [np.sign(squares[i, j]) * np.sqrt(abs(squares[i, j])) for i, j in ((0, 1), (0, 2), (1, 2))]
    model = load_model(model_name, {"table": "dumas_2018_female"})
    body = next(body for body in model.chain if body.segment == segment)
    row = model.table.rows[segment]._replace(
        com_fractions=tuple(centre / LENGTH), gyration_fractions=tuple(radii), product_fractions=tuple(products)
    )
    mine = model.table._replace(rows={**model.table.rows, segment: row})

    mass = 3.2
    expected_centre, expected = centre_and_inertia(points * ([1, 1, -1] if side == "left" else 1), mass)
    names = centre_names(mine, body, side, np.array(LENGTH))
    along = {axis: float(f.evaluate(names.__getitem__, lambda a, b: np.nan)) for axis, f in zip("xyz", body.com.offset)}
    R_st = in_table_axes(AXES[model_name][segment])
    assert list(along.values()) == pytest.approx(R_st @ expected_centre)
    found = inertia_of(mine, body, side, mass, np.array([LENGTH]))[0]
    assert found == pytest.approx(R_st @ expected @ R_st.T, abs=1e-12)


def test_a_table_that_extends_itself_or_nothing_is_refused(tmp_path: Path) -> None:
    for parent, message in (
        ("mine", "extends itself"),
        ("dumas_2081", "no table 'dumas_2081' .did you mean 'dumas_20"),
    ):
        file = tmp_path / "mine.yaml"
        file.write_text(
            f"gaitid_table: 1\nname: mine\nsource: us\nextends: {parent}\nsegments: {{}}\n", encoding="utf-8"
        )
        with pytest.raises(ModelError, match=message):
            load_table(file)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{mass_fraction: 0.05, com_fractions: [0, -0.4, 0], gyration_fractions: [0.3, 0.1, 0.3]}", "only with span"),
        (
            "{span: s, mass_fraction: 0.05, com_fraction: 0.4, com_m: [0, 0, 0], gyration_fractions: [0.3, 0.1, 0.3]}",
            "segments.shank: expected one of com_fraction, com_fractions and com_m",
        ),
        ("{span: s, mass_fraction: 0.05, gyration_fractions: [0.3, 0.1, 0.3]}", "segments.shank.com_fraction: missing"),
    ],
)
def test_a_row_against_the_language_is_refused(tmp_path: Path, row: str, message: str) -> None:
    file = tmp_path / "mine.yaml"
    head = "gaitid_table: 1\nname: mine\nsource: us\ngyration_about: centre_of_mass\nsegments:\n"
    file.write_text(f"{head}  shank: {row}\n", encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        load_table(file)
    assert message in caught.value.line()
