"""Joints that functional trials found: as sure as published, or as these say themselves where that is less."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.run import RunOptions, analyse_file, prepare, with_chosen_model
from gaitid.simulate.c3d_file import walk_c3d
from gaitid.simulate.files import simulate
from gaitid.uncertainty.errors import errors_of
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.shift import Error
from gaitid.uncertainty.sources import Sources, read_sources

SOURCES = read_sources("default")


@pytest.fixture(scope="module")
def computation(tmp_path_factory: pytest.TempPathFactory) -> Perturbed:
    """A walk with the functional trials of all its joints."""
    folder = tmp_path_factory.mktemp("functional")
    simulate("functional", folder)
    walk = simulated_walk(duration=2.6)
    channels = walk.walk.plate_channels(walk.walk.settings.analog_times_s)
    path = folder / "walk.c3d"
    path.write_bytes(walk_c3d(walk.walk, walk.truth.marker_g, channels))
    files = tuple(str(folder / f"{side}_{joint}.c3d") for joint in ("hip", "knee") for side in ("left", "right"))
    setup = prepare(RunOptions(model="pig", static=Path(folder, "static.c3d"), functional=files))
    return Perturbed(analyse_file(path, with_chosen_model(setup, path)))


def of(computation: Perturbed, sources: Sources, source: str) -> list[Error]:
    return [error for error in errors_of(sources, computation).constant if error.source == source]


def test_each_hip_has_an_error_of_its_own(computation: Perturbed) -> None:
    hips = of(computation, SOURCES, "hip_centre")
    assert [error.words for error in hips] == [
        f"{side} hip, {axis} of the pelvis" for side in ("left", "right") for axis in "xyz"
    ]
    assert all(len(error.shift.centres) == 1 for error in hips)
    sizes = [float(np.linalg.norm(next(iter(error.shift.centres.values())))) for error in hips]
    np.testing.assert_allclose(sizes, SOURCES.hip_m["functional"])  # the simulated trials have no error of their own


def test_the_ends_of_a_knee_axis_turn_it_by_what_is_published(computation: Perturbed) -> None:
    ends = [e for e in of(computation, SOURCES, "marker_placement") if "knee_axis" in e.words]
    assert len(ends) == 2 * 2 * 3
    sizes = {round(float(np.linalg.norm(next(iter(error.shift.static.values())))), 6) for error in ends}
    assert len(sizes) == 1
    labels = [next(iter(error.shift.static)) for error in ends if error.words.endswith("x")]
    static = computation.session and computation.session.static
    assert static is not None
    inner, outer = (static.tracks[label] for label in labels if label.startswith("L"))
    apart = float(np.linalg.norm(inner - outer, axis=1).mean())
    assert np.degrees(2**0.5 * sizes.pop() / apart) == pytest.approx(5.9, rel=1e-3)
