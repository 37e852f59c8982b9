"""Beside OpenSim's files the curves themselves say which has another sign, unit or zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gaitid.compare.comparison import compare
from gaitid.compare.words import shapes, verdict
from gaitid.export.source import export_result


@pytest.fixture(scope="module")
def files(result: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A record, and its angles and left moments as OpenSim's files."""
    record, folder = result(), tmp_path_factory.mktemp("opensim")
    export_result(record, "sto", folder)
    return record, folder / "walk.angles.sto", folder / "walk.left.sto"


def changed(path: Path, to: Path, change: Callable[[list[str], np.ndarray], None]) -> Path:
    """The table of a file with other numbers."""
    lines = path.read_text(encoding="utf-8").splitlines()
    end = lines.index("endheader")
    names = lines[end + 1].split("\t")
    values = np.array([[float(cell) for cell in line.split("\t")] for line in lines[end + 2 :]])
    change(names, values)
    rows = ["\t".join(f"{value:.8g}" for value in row) for row in values]
    to.write_text("\n".join([*lines[: end + 2], *rows]) + "\n", encoding="utf-8")
    return to


def said(record: Path, other: Path) -> str:
    return verdict(compare(record, other))


def test_a_sign_a_unit_and_a_zero(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    record, angles, moments = files

    def turn(names: list[str], values: np.ndarray) -> None:
        values[:, names.index("ankle_angle_l_moment")] *= -1

    assert "Of the other sign in B: left ankle plantarflexion." in said(
        record, changed(moments, tmp_path / "a.sto", turn)
    )

    def per_kg(_: list[str], values: np.ndarray) -> None:
        values[:, 1:] /= 70.0

    text = said(record, changed(moments, tmp_path / "b.sto", per_kg))
    assert "and in B 1/70 (divided by the body's mass twice) what it is in A: left hip" in text

    def zero(names: list[str], values: np.ndarray) -> None:
        values[:, names.index("hip_flexion_l")] += 12.0

    text = said(record, changed(angles, tmp_path / "c.sto", zero))
    assert "a constant apart (another zero, or other axes of a segment): left hip flexion." in text

    (tmp_path / "d.sto").write_text(
        angles.read_text(encoding="utf-8").replace("inDegrees=yes", "inDegrees=no"), encoding="utf-8"
    )
    assert "57.3 times (degrees taken as radians) what it is in A: " in said(record, tmp_path / "d.sto")


def test_two_results_have_one_convention(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    """A constant between two results of gaitid is one of people or sessions, and no finding."""
    record, angles, _ = files

    def zero(names: list[str], values: np.ndarray) -> None:
        values[:, names.index("hip_flexion_l")] += 12.0

    comparison = compare(record, changed(angles, tmp_path / "a.sto", zero))
    assert len(shapes(comparison)) == 1
    assert not shapes(replace(comparison, b=replace(comparison.b, kind="result")))
