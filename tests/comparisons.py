"""C3D files with one thing otherwise, and what holds of every comparison with reasons."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import ezc3d
import numpy as np
import pytest

from gaitid.compare.comparison import Comparison
from gaitid.compare.measures import difference
from gaitid.compare.words import pooled_rms


def change(source: Path, target: Path, edit: Callable[[ezc3d.c3d], None]) -> Path:
    """A copy of a C3D with something otherwise."""
    file = ezc3d.c3d(str(source))
    edit(file)
    file.write(str(target))
    return target


def move(label: str, by_mm: tuple[float, float, float]) -> Callable[[ezc3d.c3d], None]:
    """Move a marker in all frames."""

    def edit(file: ezc3d.c3d) -> None:
        i = file["parameters"]["POINT"]["LABELS"]["value"].index(label)
        file["data"]["points"][:3, i] += np.array(by_mm)[:, None]

    return edit


def turn_plate(number: int, deg: float) -> Callable[[ezc3d.c3d], None]:
    """Turn a plate's corners about its middle."""

    def edit(file: ezc3d.c3d) -> None:
        corners = file["parameters"]["FORCE_PLATFORM"]["CORNERS"]["value"]
        middle = corners[:, :, number - 1].mean(axis=1, keepdims=True)
        c, s = np.cos(np.radians(deg)), np.sin(np.radians(deg))
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        corners[:, :, number - 1] = R @ (corners[:, :, number - 1] - middle) + middle
        file["parameters"]["FORCE_PLATFORM"]["CORNERS"]["value"] = corners

    return edit


def sums(comparison: Comparison) -> None:
    """B − A = Σ parts + remainder = Σ alone + Σ interactions + remainder in every frame, and so do the shares."""
    explanation = comparison.explanation
    assert explanation is not None
    # mixtures of both results are of legs: of a trunk no part is known
    told = [m for m in comparison.compared if "thorax" not in m.column and "spine" not in m.column]
    assert told and all(m.column in explanation.remainder for m in told)
    for m in told:
        whole = difference(comparison.aligned.curves[m.column], m.quantity)
        parts = [part.change[m.column] for part in explanation.parts if part.change]
        rest = explanation.remainder[m.column]
        known = np.isfinite(rest)
        assert known.any()
        np.testing.assert_allclose((np.sum(parts, axis=0) + rest)[known], whole[known], rtol=0, atol=1e-9)
        alone = [part.alone[m.column] for part in explanation.parts if part.change]
        interaction = np.sum(parts, axis=0) - np.sum(alone, axis=0)
        np.testing.assert_allclose((np.sum(alone, axis=0) + interaction + rest)[known], whole[known], atol=1e-9)
    for quantity in (None, *comparison.quantities):
        shares = comparison.shares(quantity)
        assert sum(share.share for share in shares.values()) == pytest.approx(1.0, abs=1e-9)
        assert sum(s.share_alone + s.interaction for s in shares.values()) == pytest.approx(1.0, abs=1e-9)


def remainder(comparison: Comparison, quantity: str) -> float:
    """RMS of what is left over as a share of the difference's."""
    measured = [m for m in comparison.differing if m.quantity == quantity]
    return comparison.shares(quantity)["remainder"].rms / pooled_rms(measured)
