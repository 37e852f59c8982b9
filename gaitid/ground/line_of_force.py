"""The force on a foot that stands alone passes near the body's centre of mass: which way its horizontal parts point.

The angular momentum of the whole body about its centre of mass stays small in walking (Herr & Popovic 2008, J Exp Biol
211:467-481), so (p_com − p_cop) × F ≈ 0 and F_h / F_z ≈ d = (com_h − cop_h) / height. No derivative is needed, and
where a model knows the pelvis and legs alone the trunk adds a steady part and a factor (docs/balance.md). A sign that
is turned, or two channels that are exchanged, make the line pass beside the body.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from gaitid.ground.fault import Fault, Stood
from gaitid.ground.plate_load import PlateLoad, one_plane
from gaitid.notes import note, phrase
from gaitid.numerics.masks import known_rows
from gaitid.numerics.statistics import mean, median
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, ForcePlate

# F_h / F_z over d, along the way of walking and across it: the medians of 60 stances of walking.
ALONG, ACROSS = 0.65, 0.75
# A wheelchair or a cart that is pushed, a rail that is held: what it gives the body is missing in the plates.
# Of the greatest vertical force of a stance: less points anywhere. Frames of a stance that tell.
SURE, LEAST = 0.3, 8
# Root mean squares of what is left of F_h / F_z. With the channels as filed walks leave 0.007 to 0.030. They are wrong
# where more than the first is left and another reading leaves less than the second and less than half; or, where the
# trunk swings too (running leaves 0.05 to 0.17), more than the third and less than `CLEARLY` of it.
LEFT, EXPLAINED, LEFT_RUNNING, EXPLAINED_RUNNING = 0.045, 0.035, 0.15, 0.17
BETTER, CLEARLY = 0.5, 0.4
# Of what is left along the way of walking: no better by the other reading, and only the force across it is in question.
# A trunk that leans far over the standing foot can turn that one's sign, so it only counts as doubtful.
NO_BETTER = 0.7
# Body weights. A steady part across the way of walking of more than this is no foot's; nor one along it that is farther
# than the third from the second: the trunk's, which lies behind the pelvis' markers (-0.01 to -0.10 on 60 stances; who
# comes to a stand shows -0.14 and +0.06).
STEADY, USUAL, STEADY_ALONG = 0.1, -0.05, 0.15
# The same across where no more than the first is left along (walks 0.003 to 0.020, runs 0.043 and more): single feet
# show 0.021 at most in 48 stances of walking of 13 laboratories, 0.018 without the one that shows most; cameras that
# lean by 5°, or a twentieth of Fz, 0.04 to 0.10. Also of a foot beside the body's other side, unless the feet cross:
# cameras that lean put it there.
WALKING, STEADY_WALKING = 0.03, 0.035
# The same across, to one side of the way under left and right feet alike: 0.017 at most in 18 walks and runs.
STEADY_OF_BOTH = 0.03

# By which two plates of one floor differ in the steady part along the way, in walking: 0.027 at most in the shared
# trials, 0.021 without the one that shows most; a trunk leans as far back over the one as over the other.
PLATES_APART = 0.05

_ONE = np.eye(2)
READINGS: dict[str, Array] = {
    "plate/x_turned": np.diag([-1.0, 1.0]),
    "plate/y_turned": np.diag([1.0, -1.0]),
    "plate/both_turned": -_ONE,
    "plate/exchanged": _ONE[::-1],
    "plate/exchanged_x_turned": np.array([[0.0, 1.0], [-1.0, 0.0]]),
    "plate/exchanged_y_turned": np.array([[0.0, -1.0], [1.0, 0.0]]),
    "plate/exchanged_both_turned": -_ONE[::-1],
}


@frozen_dataclass(eq=False)
class Line:
    """One stance: the share of the force and the way to the body, plate axes, and the way of walking.

    Attributes
    ----------
    plate : PlateLoad
    share, way : (frames, 2) arrays
        F_h / F_z, and d.
    along : (2,) array
        Unit vector.
    own_side : bool
        The foot stands on its own side of the body.
    of_left : bool
        It is a left foot.
    crosses : bool
        It stands beyond the other foot.
    """

    plate: PlateLoad
    share: Array
    way: Array
    along: Array
    own_side: bool
    of_left: bool
    crosses: bool = False

    @property
    def across(self) -> Array:
        return np.array([-self.along[1], self.along[0]])

    @property
    def steady_left_g(self) -> Array:
        """(3,) mean of what is left with the factor along, laboratory axes."""
        return np.asarray(self.plate.R_gp[:, :2] @ mean(self.share - ALONG * self.way))

    @cached_property
    def steady_along(self) -> float:
        """Mean of what is left along."""
        return float(mean((self.share - ALONG * self.way) @ self.along))

    @cached_property
    def steady_across(self) -> float:
        """Mean of what is left across."""
        return float(mean((self.share - ACROSS * self.way) @ self.across))

    @cached_property
    def left_as_filed(self) -> tuple[float, float]:
        """`left` with the channels as they are."""
        return self.left(_ONE)

    def left(self, reading: Array) -> tuple[float, float]:
        """Mean squares of what is left along (but for a steady part) and across, with the channels read so."""
        read = self.share @ reading.T
        along = (read - mean(read) - ALONG * (self.way - mean(self.way))) @ self.along
        across = (read - ACROSS * self.way) @ self.across
        return float(along @ along) / len(along), float(across @ across) / len(across) if self.own_side else 0.0


def lines_of(stood: Sequence[Stood], com_g: Array) -> dict[int, list[Line]]:
    """What stances of feet that stand alone tell, by plate; of those that are long enough.

    Parameters
    ----------
    stood : sequence of Stood
    com_g : (frames, 3) array, m
    """
    by_plate: dict[int, list[Line]] = {}
    for one in stood:
        line = line_of(one, com_g)
        if line is not None:
            by_plate.setdefault(one.plate.number, []).append(line)
    return by_plate


def direction_faults(by_plate: Mapping[int, Sequence[Line]], raw: Mapping[int, ForcePlate]) -> Iterator[Fault]:
    """Plates whose horizontal forces point past the body, unless they are read otherwise.

    Parameters
    ----------
    by_plate : mapping of plate number to sequence of Line
    raw : mapping of int to ForcePlate
        The plates as the file has them, by number.
    """
    found = [fault for number, lines in by_plate.items() for fault in _misread(raw[number], lines)]
    yield from found
    if found:
        return
    leaning = list(_leaning(by_plate))
    under = [lines[0].plate for lines in by_plate.values()]
    apart = list(_apart(by_plate)) if len(under) > 1 and one_plane(under) else []
    of_one = [fault for number, lines in by_plate.items() for fault in _steady(raw[number], lines)]
    # what left and right feet, or two plates, tell together is not said again of each
    yield from leaning or apart or of_one


def _apart(by_plate: Mapping[int, Sequence[Line]]) -> Iterator[Fault]:
    """Two plates of one floor of which one pushes walking feet forward more than the other."""
    steady = {
        number: float(median(np.array([line.steady_along for line in lines])))
        for number, lines in by_plate.items()
        if all(line.left_as_filed[0] < WALKING**2 for line in lines)
    }
    for a, b in combinations(steady, 2):
        by = abs(steady[a] - steady[b])
        if by > PLATES_APART:
            yield Fault(note("plate_doubtful/lines_apart", plates=(a, b), by=by))
            return


def _leaning(by_plate: Mapping[int, Sequence[Line]]) -> Iterator[Fault]:
    """Forces on left and right feet that point to the same side of the body."""
    lines = [line for of_plate in by_plate.values() for line in of_plate]
    of_feet = [[line.steady_across for line in lines if line.of_left == left] for left in (True, False)]
    steady = [sum(across) / len(across) for across in of_feet if across]
    if len(steady) == 2 and (by := abs(sum(steady)) / 2) > STEADY_OF_BOTH:
        yield Fault(note("plate_doubtful/feet_lean", plates=sorted(by_plate), by=by))


def steady_along(by_plate: Mapping[int, Sequence[Line]], along_g: Array) -> dict[int, float]:
    """The steady part of F_h / F_z along a way, laboratory axes, beside the line of force; by plate."""
    return {
        number: float(median(np.array([line.steady_left_g @ along_g for line in lines])))
        for number, lines in by_plate.items()
    }


def line_of(one: Stood, com_g: Array) -> Line | None:
    """What a stance of a foot that stands alone tells; None where it is too short."""
    frames, plate = one.alone, one.plate
    if len(frames) < LEAST:
        return None
    vertical = plate.vertical[frames]
    to_body = (com_g[frames] - plate.cop_g[frames]) @ plate.R_gp
    # plate axes point down
    tells = (vertical > SURE * np.fmax.reduce(plate.vertical[one.frames])) & known_rows(to_body) & (to_body[:, 2] < 0)
    frames, to_body, vertical = frames[tells], to_body[tells], vertical[tells]
    if len(frames) < LEAST:
        return None
    way = to_body[:, :2] / -to_body[:, 2:]
    share = plate.wrench.f_g[frames] @ plate.R_gp[:, :2] / vertical[:, None]
    along = way[-1] - way[0]
    length = float(np.hypot(*along))
    if not length > 0:
        return None
    # plate axes point down: a quarter turn to the left of where the toes point
    toes = one.toes_g @ plate.R_gp
    to_body_left = float(mean(way) @ [toes[1], -toes[0]])
    left = one.side == "left"
    own_side = to_body_left < 0 if left else to_body_left > 0
    return Line(plate, share, way, along / length, own_side, left, one.crosses)


def as_named(reading: Array, plate: ForcePlate) -> str:
    """A reading of the plate's horizontal forces in the names and the senses that the file has for them."""
    (x, y, _), sense = plate.force_names
    in_file = np.diag(sense[:2]) @ reading @ np.diag(sense[:2])
    return phrase(next(name for name, known in READINGS.items() if (known == in_file).all()), x=x, y=y)


def _left(lefts: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Root mean squares of what several stances leave along, across, and both; of `Line.left` of each."""
    along, across = (sum(squares) / len(lefts) for squares in zip(*lefts, strict=True))
    return float(np.sqrt(along)), float(np.sqrt(across)), float(np.sqrt(along + across))


def _misread(plate: ForcePlate, lines: Sequence[Line]) -> Iterator[Fault]:
    """That the horizontal forces of one plate are to be read otherwise."""
    as_filed = _left([line.left_as_filed for line in lines])
    if as_filed[2] > LEFT:
        read = ((reading, _left([line.left(reading) for line in lines])) for reading in READINGS.values())
        reading, best = min(read, key=lambda pair: pair[1][2])
        explained = best[2] < EXPLAINED and best[2] < BETTER * as_filed[2]
        explained |= as_filed[2] > LEFT_RUNNING and best[2] < EXPLAINED_RUNNING and best[2] < CLEARLY * as_filed[2]
        if explained:
            only_across, (x, y, _) = best[0] > NO_BETTER * as_filed[0], plate.force_names[0]
            wrong = note(
                "plate_channel/misread",
                plates=plate.number,
                reading=as_named(reading, plate),
                cm=as_filed[2] * 100,
                then_cm=best[2] * 100,
                x=x,
                y=y,
            )
            yield Fault(wrong._replace(code="plate_doubtful")) if only_across else Fault(wrong, withheld=True)


def _steady(plate: ForcePlate, lines: Sequence[Line]) -> Iterator[Fault]:
    """A steady part in the horizontal forces of one plate."""
    walks = _left([line.left_as_filed for line in lines])[0] < WALKING
    across = [line.steady_across for line in lines if line.own_side or (walks and not line.crosses)]
    along = [line.steady_along - USUAL for line in lines]
    for steady, most in ((across, STEADY_WALKING if walks else STEADY), (along, STEADY_ALONG)):
        share = abs(float(median(np.array(steady)))) if steady else 0.0
        if share > most:
            x, y, _ = plate.force_names[0]
            ahead = steady is along
            yield Fault(note("plate_doubtful/past_body", plates=plate.number, along=ahead, share=share, x=x, y=y))
            return
