"""The body's mass from what plates carry: in quiet standing and over whole strides, and when they do not tell it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import Simulated

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.feet import FootTrack
from gaitid.body.subject import SubjectFile
from gaitid.gait.body_mass import BodyMass, agreed, standing_mass, walking_mass
from gaitid.ground.contacts import FootLoad, Loads
from gaitid.ground.ground import Ground, find_ground
from gaitid.ground.plate_load import PlateLoad
from gaitid.model.load import load_model
from gaitid.model.specs import Settings
from gaitid.trial import Array, ForcePlate, Trial

UP = np.array([0.0, 0.0, 1.0])
G = 9.81  # m/s²
N, RATE = 200, 100.0


# --- quiet standing -----------------------------------------------------------------------------------------


def plate(number: int, centre: tuple[float, float], vertical_N: Array) -> ForcePlate:
    """One of 0.6 by 0.6 m whose x is the laboratory's x: its z points down."""
    x, y = centre
    corners = [[x + a * 0.3, y + b * 0.3, 0.0] for a, b in ((1, -1), (-1, -1), (-1, 1), (1, 1))]
    force = np.zeros((len(vertical_N), 3))
    force[:, 2] = -vertical_N
    return ForcePlate(number, 2, np.array(corners), np.zeros(3), RATE, force, np.zeros_like(force))


def feet(forward: float = 0.0) -> dict[str, FootTrack]:
    """Both feet beside the origin, still, toward +x."""
    still = {"left": 0.1, "right": -0.1}
    return {
        side: FootTrack(np.tile([forward - 0.1, y, 0.04], (N, 1)), np.tile([forward + 0.08, y, 0.03], (N, 1)))
        for side, y in still.items()
    }


def standing(*plates: ForcePlate, forward: float = 0.0) -> Ground:
    tracks = feet(forward)
    labels = [f"{side}_{end}" for side in tracks for end in ("heel", "toe")]
    points = np.stack([p for track in tracks.values() for p in (track.heel_g, track.toe_g)], axis=1)
    trial = Trial(Path("static.c3d"), RATE, 1, tuple(labels), points, plates, up_hint=UP)
    return find_ground(trial, Settings(), tracks, UP)


def sway(share: float = 0.002) -> Array:
    """Vertical force, N, of 60 kg that sways."""
    return np.asarray(60 * G * (1 + share * np.sin(np.arange(N) / 5)))


def test_who_stands_still_weighs_what_the_plate_carries() -> None:
    mass = standing_mass(standing(plate(1, (0, 0), sway())), G, "the static")
    assert mass.sure
    assert mass.mass_kg == pytest.approx(60, abs=0.02)  # kg: the sway over 6.4 waves
    assert mass.spread_kg == pytest.approx(60 * 0.002 / np.sqrt(2), rel=0.05)
    assert mass.evidence == "quiet standing in the static, on plates that were never seen empty"


def test_both_feet_on_plates_of_their_own() -> None:
    ground = standing(plate(1, (0, 0.31), sway() * 0.4), plate(2, (0, -0.31), sway() * 0.6))
    assert standing_mass(ground, G, "it").mass_kg == pytest.approx(60, abs=0.02)


def test_what_the_plate_read_while_it_was_empty_is_taken_off() -> None:
    """8 N of an empty plate that the static never shows empty are known from the trial: 0.8 kg."""
    ground = standing(plate(1, (0, 0), sway() + 8.0))
    assert standing_mass(ground, G, "it").mass_kg == pytest.approx(60.8, abs=0.05)
    zero = ground.plates[0]
    of_trial: PlateLoad = replace(zero, bias_g=np.array([0.0, 0.0, 8.0]), removed=True)
    mass = standing_mass(ground, G, "it", {1: of_trial})
    assert mass.mass_kg == pytest.approx(60, abs=0.02)
    assert mass.evidence == "quiet standing in it"


def test_two_doubtful_masses_that_agree_are_believed_and_others_are_not() -> None:
    static, walk = BodyMass(34.2, 0.1, "quiet standing", "a"), BodyMass(34.5, 0.2, "1 whole step", "b")
    both = agreed(static, walk)
    assert both.sure and both.mass_kg == pytest.approx(34.35) and both.spread_kg == pytest.approx(0.3 / 2**0.5)
    assert not agreed(static, replace(walk, mass_kg=35.0)).known
    assert not agreed(BodyMass(np.nan, np.nan, "none"), walk).known


# --- whole strides ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def walked(simulated: Callable[..., Simulated]) -> Result:
    return analyse(simulated().trial, load_model("pig"), SubjectFile())


def with_loads(result: Result, change: Callable[[str, Array], Array]) -> Loads:
    """The loads on the feet with the force, (frames, 3), of each side changed."""

    def changed(side: str, load: FootLoad) -> FootLoad:
        return replace(load, wrench=replace(load.wrench, f_g=change(side, load.wrench.f_g)))

    return replace(result.loads, by_side={side: changed(side, x) for side, x in result.loads.by_side.items()})


def test_a_simulated_step_gives_the_mass(walked: Result) -> None:
    """Within 1.5 %: so far the simulator's reaction over a stride is from the weight (docs/simulate.md)."""
    mass = walking_mass(walked.ground, walked.loads, walked.base.vel_g @ UP, G)
    assert mass.sure and mass.mass_kg == pytest.approx(70, rel=0.015)


def test_what_the_body_gains_in_speed_is_no_weight(walked: Result) -> None:
    """A body that is accelerated upward by 0.5 m/s² all the time presses with m (g + 0.5)."""
    up = walked.base.vel_g @ UP
    rising = up + 0.5 * np.arange(len(up)) / walked.trial.rate_hz
    loads = with_loads(walked, lambda side, f_g: f_g * (G + 0.5) / G)
    still = walking_mass(walked.ground, walked.loads, up, G)
    ground = replace(walked.ground, plates=tuple(_times(p, (G + 0.5) / G) for p in walked.ground.plates))
    assert walking_mass(ground, loads, rising, G).mass_kg == pytest.approx(still.mass_kg, rel=1e-3)


def _times(load: PlateLoad, factor: float) -> PlateLoad:
    return replace(load, wrench=replace(load.wrench, f_g=load.wrench.f_g * factor))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("share", [0.85, 1.15])
def test_a_foot_whose_load_is_not_whole_is_noticed(walked: Result, side: str, share: float) -> None:
    def part(of: str, f_g: Array) -> Array:
        return f_g * share if of == side else f_g

    (number,) = next(c.plates for c in walked.contacts if c.side == side and c.plates)
    plates = tuple(_times(p, share) if p.number == number else p for p in walked.ground.plates)
    ground = replace(walked.ground, plates=plates)
    mass = walking_mass(ground, with_loads(walked, part), walked.base.vel_g @ UP, G)
    assert not mass.sure and "do not fit each other" in mass.doubt


def test_who_bends_the_knees_does_not_stand_quietly() -> None:
    assert not standing_mass(standing(plate(1, (0, 0), sway(0.2))), G, "it").known


@pytest.mark.parametrize("kg", [2.0, 600.0])
def test_nobody_weighs_that(kg: float) -> None:
    mass = standing_mass(standing(plate(1, (0, 0), sway() * kg / 60)), G, "it")
    assert not mass.known and "would give" in mass.refused


def test_one_foot_alone_weighs_nobody(walked: Result) -> None:
    loads = replace(walked.loads, by_side={"left": walked.loads.by_side["left"]})
    assert not walking_mass(walked.ground, loads, walked.base.vel_g @ UP, G).known


def test_nobody_on_the_plate() -> None:
    assert not standing_mass(standing(plate(1, (0, 0), sway()), forward=1.5), G, "it").known
