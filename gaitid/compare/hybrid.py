"""One recording computed with some ingredients of one result and the others of another.

Joint centres are those that a model defines, on the markers, the subject and the static that are asked for; axes, where
masses lie, and in which axes moments are told follow likewise, each from the model that it is asked of. So any two
models can be mixed whose segments and joints have the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gaitid.analysis import pipeline
from gaitid.analysis.applied_loads import summed
from gaitid.analysis.choice import subject_of
from gaitid.analysis.limb import Mechanics, solve_limbs
from gaitid.analysis.result import Result, SideResult
from gaitid.body.calibration import marker_templates
from gaitid.body.frames import Geometry, Place, Pose
from gaitid.body.given import with_given
from gaitid.body.mass_properties import centre_names
from gaitid.body.poses import Body, differentiate, pose_segments, put_segments
from gaitid.body.subject import Subject
from gaitid.compare.ingredients import (
    AXES,
    CENTRES,
    CONTACTS,
    EXPRESSION,
    FILTER,
    FORCES,
    LOADS,
    ORDER,
    PARAMETERS,
    PLATES,
    RECORDING,
    STATIC,
    SUBJECT,
    VERTICAL,
    Ingredient,
)
from gaitid.compare.mixed_loads import mixed_load
from gaitid.gait.impact import matched_load
from gaitid.ground.claims import ByHand
from gaitid.ground.contacts import FootLoad
from gaitid.ground.plate_load import PlateLoad
from gaitid.ground.plates_at_camera import plates_at_camera
from gaitid.markers.clean import Markers, clean_markers
from gaitid.model import specs
from gaitid.model.expression import parse_expression
from gaitid.model.marker_sets import MarkerSet
from gaitid.model.shapes import PointName
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Trial

T = TypeVar("T")


@frozen_dataclass(eq=False)
class Made:
    """A result and what it was made from.

    Attributes
    ----------
    result : Result
    model : Model
        As loaded, bound to no labels.
    subject : Path, mapping or None
        The subject file, or what a caller says in its place.
    static : Trial or None
    marker_set : MarkerSet or None
        What the user says of labels.
    by_hand : tuple of ByHand
        What the user says of feet and plates.
    contacts_given : bool
        Whether the loads on the feet are another program's.
    """

    result: Result
    model: specs.Model
    subject: Path | Mapping[str, Any] | None = None
    static: Trial | None = None
    marker_set: MarkerSet | None = None
    by_hand: tuple[ByHand, ...] = ()
    contacts_given: bool = False

    @property
    def settings(self) -> specs.Settings:
        """As resolved with the trial."""
        return self.result.settings


class _Posed(NamedTuple):
    """A model's geometry: on the markers that were seen, and through gaps (the same where there are none)."""

    seen: Geometry
    through: Geometry
    markers: Markers
    subject: Subject


class Hybrids:
    """One recording with ingredients of two results.

    Parameters
    ----------
    first, second : Made
        Of one recording: the same frames at the same rate.
    """

    def __init__(self, first: Made, second: Made) -> None:
        self.first, self.second = first, second
        self._made: dict[tuple[object, ...], Any] = {}
        self._taken: frozenset[str] = frozenset()

    @property
    def mixable(self) -> str:
        """Why the bodies of the models cannot be mixed; empty where they can."""
        chains = [[(b.segment, b.joint, b.on) for b in made.model.chain] for made in (self.first, self.second)]
        if chains[0] != chains[1] or self.first.model.base.segment != self.second.model.base.segment:
            names = " and ".join(made.model.name for made in (self.first, self.second))
            return f"{names} have other segments or joints"
        return ""

    @property
    def other_definitions(self) -> bool:
        """Whether the models come from other files, whose definitions may differ under the same names."""
        first, second = self.first.model, self.second.model
        return (first.paths, first.choices) != (second.paths, second.choices)

    def result(self, taken: frozenset[str]) -> Result:
        """The first result with the ingredients of these keys from the second.

        Its sides, settings and subject are those of the mixture; stages before them and notes are the first's.

        Raises
        ------
        GaitidError
            They do not go together: a marker, a measurement or a static is missing.
        """
        self._taken = taken
        body = self._body()
        motion = differentiate(body, self._rate)
        subject = self._base(self._of(PARAMETERS)).subject
        gravity_g = -self._of(VERTICAL).settings.gravity_m_per_s2 * self._up_g
        applied = summed(self._of(LOADS).result.applied_loads)
        mechanics = Mechanics(subject.mass_kg, gravity_g, self._of(EXPRESSION).result.solver, applied)
        sides: dict[str, SideResult] = {}
        for side in body.model.sides:
            if side.name in body.sides:
                load, acting = self._load(side.name)
                sides[side.name] = replace(
                    solve_limbs(body, motion, {side.name: acting}, mechanics)[side.name], load=load
                )
        first = self.first.result
        return replace(first, sides=sides, settings=body.settings, subject=subject, model=body.model, body=body)

    def geometry(self, model: Made, about: Made | None = None) -> Geometry:
        """A result's model on the first's markers and subject, with its own joint centres or those of `about`."""
        self._taken = frozenset([CENTRES.key] if (about or model) is self.second else [])
        return self._with_centres(model).seen

    def centres_of_mass(self, model: Made) -> dict[Place, Array]:
        """Of each side's segments, by a result's formulas and table, on the first's markers, joints and axes."""
        self._taken = frozenset()
        geometry = self._with_axes(model).seen
        return {
            (side, body.segment): _centre_of_mass(geometry, body, side)
            for side in self.sides
            for body in geometry.model.chain
        }

    def numbers(self, taken: frozenset[str]) -> dict[str, float]:
        """The subject's values, SI, as the first's model finds them with the ingredients of these keys."""
        self._taken = taken
        return self._base(self.first).subject.numbers

    @property
    def sides(self) -> tuple[str, ...]:
        """Those that both results have."""
        other = self.second.result.body.sides
        return tuple(side for side in self.first.result.body.sides if side in other)

    # --- whose ------------------------------------------------------------------------------------------------

    def _of(self, ingredient: Ingredient) -> Made:
        return self.second if ingredient.key in self._taken else self.first

    def _once(self, what: str, model: Made | None, on: Sequence[Ingredient], make: Callable[[], T]) -> T:
        """Computed once for the same ingredients."""
        key = (what, id(model), *(ingredient.key in self._taken for ingredient in on))
        if key not in self._made:
            self._made[key] = make()
        found: T = self._made[key]
        return found

    @property
    def _rate(self) -> float:
        return self.first.result.trial.rate_hz

    @property
    def _up_g(self) -> Array:
        return self._of(VERTICAL).result.body.geometry.up_g

    def settings_of(self, taken: frozenset[str], base: specs.Settings) -> specs.Settings:
        """`base` with the settings of each ingredient as the mixture has them."""
        values = {
            name: getattr((self.second if i.key in taken else self.first).settings, name)
            for i in ORDER
            for name in i.settings
        }
        return base._replace(**values)

    # --- the body ---------------------------------------------------------------------------------------------

    _BODY = (SUBJECT, STATIC, FILTER, RECORDING, VERTICAL)

    def _base(self, model: Made) -> _Posed:
        """A model by itself, on the markers, the subject and the static of the mixture."""
        return self._once("base", model, self._BODY, lambda: self._make_base(model))

    def _make_base(self, model: Made) -> _Posed:
        if all(self._of(ingredient) is model for ingredient in self._BODY):
            result = model.result
            geometry = result.body.geometry
            through = _through(geometry, result.markers, self.sides)
            return _Posed(geometry, through, result.markers, result.subject)
        recording, subject_of_made = self._of(RECORDING).result.trial, self._of(SUBJECT)
        trial = replace(recording, parameters=subject_of_made.result.trial.parameters)
        file = subject_of(subject_of_made.subject, model.model)
        made = pipeline.Pipeline(
            trial=trial,
            model=model.model,
            subject_file=file,
            static=self._of(STATIC).static,
            marker_set=model.marker_set,
        )
        prepared = made.found
        subject = _weighed(prepared.subject, subject_of_made.result.subject)
        sides = [side for side in prepared.needs if side in model.result.body.sides]
        calibration = made.with_(legs=tuple(sides)).calibration
        settings = self.settings_of(self._taken, model.settings)
        cleaned = clean_markers(
            trial, prepared.model._replace(settings=settings), marker_templates(calibration, prepared.model, sides)
        )
        geometry = Geometry(
            prepared.model, cleaned.filtered, subject.numbers, trial.n_frames, self._up_g, calibration=calibration
        )
        geometry, _ = put_segments(geometry, sides)
        return _Posed(geometry, _through(geometry, cleaned, sides), cleaned, subject)

    def _with_centres(self, model: Made) -> _Posed:
        """A model's geometry about the mixture's joint centres."""
        of = self._of(CENTRES)
        if of is model:
            return self._base(model)

        def make() -> _Posed:
            source = self._base(of)
            names = {body.joint: body.centre for body in model.model.chain}
            given = [
                {
                    (side, names[body.joint]): geometry.point(body.centre, side)
                    for side in self.sides
                    for body in of.model.chain
                }
                for geometry in source[:2]
            ]
            return _given(self._base(model), points=given)

        return self._once("centres", model, (*self._BODY, CENTRES), make)

    def _with_axes(self, model: Made) -> _Posed:
        """The same with the mixture's axes of the segments."""
        of = self._of(AXES)
        if of is model:
            return self._with_centres(model)

        def make() -> _Posed:
            source = self._with_centres(of)
            names = {body.segment: body.frame for body in model.model.chain}
            frames: list[dict[Place, Pose]] = []
            for geometry in source[:2]:
                found = {("", model.model.base.frame): geometry.frame(of.model.base.frame)}
                for side in self.sides:
                    for body in of.model.chain:
                        found[side, names[body.segment]] = geometry.frame(body.frame, side)
                frames.append(found)
            return _given(self._with_centres(model), frames=frames)

        return self._once("axes", model, (*self._BODY, CENTRES, AXES), make)

    def _body(self) -> Body:
        """Where all segments are, with the angles and the moments' axes of the mixture."""
        model = self._of(EXPRESSION)
        posed = self._with_axes(model)
        mass = self._of(PARAMETERS)
        if mass is not model:
            posed = self._with_masses(posed, mass)
        markers = replace(posed.markers, settings=self.settings_of(self._taken, model.settings))
        return pose_segments(posed.seen, markers, self.sides, (), posed.through)

    def _with_masses(self, posed: _Posed, mass: Made) -> _Posed:
        """The same with the centres of mass, lengths and table of another model, on the same joints and axes."""
        source = self._with_axes(mass)
        theirs = {body.segment: body for body in source.seen.model.chain}
        bound = posed.seen.model
        chain = tuple(
            body._replace(
                row=theirs[body.segment].row,
                span=theirs[body.segment].span,
                com=PointName(f"{body.segment}_com_of_other"),
                length=parse_expression(f"{body.segment}_length_of_other", "length"),
            )
            for body in bound.chain
        )
        bound = bound._replace(table=source.seen.model.table, chain=chain)
        points: list[dict[Place, Array]] = []
        numbers: list[dict[Place, object]] = []
        for geometry in source[:2]:
            points.append({})
            numbers.append({})
            for side in self.sides:
                for name, body in theirs.items():
                    points[-1][side, f"{name}_com_of_other"] = _centre_of_mass(geometry, body, side)
                    numbers[-1][side, f"{name}_length_of_other"] = geometry.value(body.length, side)
        return _given(posed, points=points, numbers=numbers, model=bound)

    # --- the loads --------------------------------------------------------------------------------------------

    def _load(self, side: str) -> tuple[FootLoad, FootLoad]:
        """The load on a foot as measured, and what the wrenches are computed from."""
        contacts, plates, forces = (self._of(i) for i in (CONTACTS, PLATES, FORCES))
        matched = self._of(FORCES).settings.joint_loads == "matched"
        if contacts is plates is forces:
            load = contacts.result.sides[side].load
            if not matched:
                return load, contacts.result.sides[side].acting
        else:
            at_camera = self._once("plates", None, (CONTACTS, PLATES, FORCES, VERTICAL), self._plates)
            load = mixed_load(contacts.result, side, at_camera)
        if not matched:
            return load, load
        bandwidth = self._base(self._of(EXPRESSION)).markers.quality["marker_bandwidth_hz"]
        return load, matched_load(load, bandwidth, self._rate)

    def _plates(self) -> tuple[PlateLoad, ...]:
        plates, forces = self._of(PLATES), self._of(FORCES)
        if plates is forces:
            return plates.result.ground.plates
        ground = self._of(CONTACTS).result.ground
        settings = self.settings_of(self._taken, ground.settings)
        return plates_at_camera(
            plates.result.trial, settings, ground.feet, ground.stances, self._up_g, ground.floor.passes
        )[0]


def _centre_of_mass(geometry: Geometry, body: specs.Segment, side: str) -> Array:
    length = np.asarray(geometry.value(body.length, side))
    return geometry.point(body.com, side, **centre_names(geometry.model.table, body, side, length))


def _through(geometry: Geometry, markers: Markers, sides: Sequence[str]) -> Geometry:
    """The same geometry on the markers' support."""
    if markers.support is markers.filtered:
        return geometry
    return put_segments(geometry.with_markers(markers.support), sides)[0]


def _given(
    posed: _Posed,
    points: Sequence[Mapping[Place, Array]] = ({}, {}),
    frames: Sequence[Mapping[Place, Pose]] = ({}, {}),
    numbers: Sequence[Mapping[Place, object]] = ({}, {}),
    model: specs.Model | None = None,
) -> _Posed:
    """The geometry with points, frames and numbers given, seen and through gaps."""
    geometries = posed.seen, posed.through
    made = [
        with_given(geometry, model or geometry.model, p, f, n)
        for geometry, p, f, n in zip(geometries, points, frames, numbers, strict=True)
    ]
    return posed._replace(seen=made[0], through=made[1])


def _weighed(subject: Subject, weighed: Subject) -> Subject:
    """The subject with the mass that the plates told, where no source says it."""
    if np.isfinite(subject.mass_kg) or "mass" not in weighed.measured:
        return subject
    return replace(subject, measured={**subject.measured, "mass": weighed.measured["mass"]})
