"""One recording computed with some ingredients of one result and the others of another.

A mixture is a pipeline with stages replaced. Joint centres are those that a model defines, on the markers, the subject
and the static that are asked for; axes, where masses lie, and the axes of moments follow likewise, each from the model
that it is asked of. So any two models can be mixed whose segments and joints have the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gaitid.analysis.choice import subject_of
from gaitid.analysis.limb import Mechanics
from gaitid.analysis.pipeline import Pipeline, pipeline_of
from gaitid.analysis.result import Result
from gaitid.body.frames import Geometry, with_given
from gaitid.body.joints import Place, Pose
from gaitid.body.mass_properties import centre_names
from gaitid.body.poses import Checked, put_segments
from gaitid.body.subject import Subject
from gaitid.compare.mixed_loads import mixed_load
from gaitid.gait.impact import matched_load
from gaitid.ground.contacts import FootLoad
from gaitid.ground.plate_load import PlateLoad
from gaitid.ground.plates_at_camera import plates_at_camera
from gaitid.model import specs
from gaitid.model.expression import parse_expression
from gaitid.model.settings import SETTINGS, Settings
from gaitid.model.shapes import PointName
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array


class Ingredient(NamedTuple):
    """One thing that two results of a recording may differ in.

    Attributes
    ----------
    key, name : str
        For programs and for people.
    """

    key: str
    name: str

    @property
    def settings(self) -> tuple[str, ...]:
        """The settings that belong to it."""
        return tuple(name for name, setting in SETTINGS.items() if setting.acts == self.key)

    @property
    def of_body(self) -> bool:
        """Whether it is of segments and joints, which both models must have under the same names."""
        return self.key in ("joint_centres", "segment_axes", "segment_parameters", "frame_of_expression")


CENTRES = Ingredient("joint_centres", "joint centres")
AXES = Ingredient("segment_axes", "segment axes")
PARAMETERS = Ingredient("segment_parameters", "segment parameters")
SUBJECT = Ingredient("subject_values", "subject values")
FILTER = Ingredient("marker_filter", "marker filter and gaps")
FORCES = Ingredient("force_sampling", "force sampling and filter")
DERIVATIVE = Ingredient("derivative", "derivative")
EXPRESSION = Ingredient("frame_of_expression", "frame of expression")
STATIC = Ingredient("static", "static trial")
PLATES = Ingredient("plates", "force plates")
CONTACTS = Ingredient("contacts", "contacts and events")
LOADS = Ingredient("applied_loads", "measured loads on segments")
VERTICAL = Ingredient("vertical", "vertical and gravity")
RECORDING = Ingredient("marker_positions", "marker positions as recorded")

#: The order matters: what an ingredient changes depends on those exchanged before it (docs/compare.md).
ORDER = (
    CENTRES,
    AXES,
    PARAMETERS,
    SUBJECT,
    FILTER,
    FORCES,
    DERIVATIVE,
    EXPRESSION,
    STATIC,
    PLATES,
    CONTACTS,
    LOADS,
    VERTICAL,
    RECORDING,
)


def differing(ingredient: Ingredient, first: Settings, second: Settings) -> list[tuple[str, object, object]]:
    """The settings of an ingredient that are not the same in two results: name and both values."""
    both = ((name, getattr(first, name), getattr(second, name)) for name in ingredient.settings)
    return [(name, a, b) for name, a, b in both if a != b]


T = TypeVar("T")
#: Points, frames and numbers that are given, not computed.
Given = tuple[Mapping[Place, Array], Mapping[Place, Pose], Mapping[Place, object]]


@frozen_dataclass(eq=False)
class Made:
    """A result that can be mixed with another one.

    Attributes
    ----------
    result : Result
        With its pipeline.
    subject : Path, mapping or None
        The subject file, or what a caller says in its place.
    contacts_given : bool
        Whether the loads on the feet are another program's.
    """

    result: Result
    subject: Path | Mapping[str, Any] | None = None
    contacts_given: bool = False

    @property
    def pipeline(self) -> Pipeline:
        """What the result was made by."""
        return pipeline_of(self.result)

    @property
    def model(self) -> specs.Model:
        """As loaded, bound to no labels."""
        return self.pipeline.model

    @property
    def settings(self) -> specs.Settings:
        """As resolved with the trial."""
        return self.result.settings


class _Posed(NamedTuple):
    """A model's geometry on the markers that were seen, and through gaps (the same where there are none)."""

    seen: Geometry
    through: Geometry


class Mixtures:
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
        model, mass = self._of(EXPRESSION), self._of(PARAMETERS)
        posed = self._with_axes(model)
        if mass is not model:
            posed = self._with_masses(posed, mass)
        subject = self._base(mass).found.subject
        gravity_g = -self._of(VERTICAL).settings.gravity_m_per_s2 * self._up_g
        mixture = self._base(model)
        settings = self.settings_of(taken, model.settings)
        of_loads = self._of(LOADS).pipeline
        mixture = mixture.with_(
            legs=self.sides,
            cleaned=replace(mixture.cleaned, settings=settings),
            checked=Checked(posed.seen, ()),
            through=posed.through,
            mechanics=Mechanics(
                subject.mass_kg,
                gravity_g,
                model.result.solver,
                of_loads.applied,
                floor_g=of_loads.ground.floor.steady_g,
            ),
        )
        loads = {side: self._load(side) for side in self.sides}
        acting = {side: of for side, (_, of) in loads.items()}
        mixture = mixture.with_(body=mixture.posed, emptied={}, on_feet=acting)
        sides = {side: replace(limb, load=loads[side][0]) for side, limb in mixture.solved.items()}
        body = mixture.body
        return replace(
            self.first.result, sides=sides, settings=body.settings, subject=subject, model=body.model, body=body
        )

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
        return self._base(self.first).found.subject.numbers

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
        result: T = self._made[key]
        return result

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

    def _base(self, model: Made) -> Pipeline:
        """A model by itself, on the markers, the subject and the static of the mixture."""
        return self._once("base", model, self._BODY, lambda: self._make_base(model))

    def _make_base(self, model: Made) -> Pipeline:
        before = model.pipeline
        if all(self._of(ingredient) is model for ingredient in self._BODY):
            result = replace(before.found, subject=model.result.subject)
            checked = Checked(model.result.body.geometry, ())
            return before.with_(found=result, cleaned=model.result.markers, checked=checked)
        recording, subject = self._of(RECORDING).result.trial, self._of(SUBJECT)
        base = before.with_(
            trial=replace(recording, parameters=subject.result.trial.parameters),
            subject_file=subject_of(subject.subject, model.model),
            static=self._of(STATIC).pipeline.static,
        )
        result = base.found
        legs = tuple(side for side in result.needs if side in model.result.body.sides)
        result = replace(
            result,
            model=result.model._replace(settings=self.settings_of(self._taken, model.settings)),
            subject=_weighed(result.subject, subject.result.subject),
            up_g=self._up_g,
        )
        base = base.with_(legs=legs, calibration=base.with_(legs=legs).calibration, found=result)
        return base.with_(checked=Checked(put_segments(base.geometry, legs)[0], ()))

    def _posed(self, model: Made) -> _Posed:
        """A model's geometry by itself."""

        def make() -> _Posed:
            base = self._base(model)
            seen, markers = base.checked.geometry, base.cleaned
            if markers.support is markers.filtered:
                return _Posed(seen, seen)
            return _Posed(seen, put_segments(seen.with_markers(markers.support), self.sides)[0])

        return self._once("posed", model, self._BODY, make)

    def _with_centres(self, model: Made) -> _Posed:
        """A model's geometry about the mixture's joint centres."""
        of = self._of(CENTRES)
        if of is model:
            return self._posed(model)
        names = {body.joint: body.centre for body in model.model.chain}

        def centres(theirs: Geometry) -> Given:
            places = [(side, body) for side in self.sides for body in of.model.chain]
            return {(side, names[b.joint]): theirs.point(b.centre, side) for side, b in places}, {}, {}

        def make() -> _Posed:
            return _with_given(self._posed(model), self._posed(of), centres)

        return self._once("centres", model, (*self._BODY, CENTRES), make)

    def _with_axes(self, model: Made) -> _Posed:
        """The same with the mixture's axes of the segments."""
        of = self._of(AXES)
        if of is model:
            return self._with_centres(model)
        names = {body.segment: body.frame for body in model.model.chain}

        def axes(theirs: Geometry) -> Given:
            places = [(side, body) for side in self.sides for body in of.model.chain]
            base = {("", model.model.base.frame): theirs.frame(of.model.base.frame)}
            return {}, base | {(side, names[b.segment]): theirs.frame(b.frame, side) for side, b in places}, {}

        def make() -> _Posed:
            return _with_given(self._with_centres(model), self._with_centres(of), axes)

        return self._once("axes", model, (*self._BODY, CENTRES, AXES), make)

    def _with_masses(self, posed: _Posed, mass: Made) -> _Posed:
        """The same with the centres of mass, lengths and table of another model, on the same joints and axes."""
        source = self._with_axes(mass)
        theirs = {body.segment: body for body in source.seen.model.chain}
        chain = tuple(
            body._replace(
                row=theirs[body.segment].row,
                span=theirs[body.segment].span,
                com=PointName(f"{body.segment}_com_of_other"),
                length=parse_expression(f"{body.segment}_length_of_other", "length"),
            )
            for body in posed.seen.model.chain
        )

        def masses(of: Geometry) -> Given:
            places = [(side, name, body) for side in self.sides for name, body in theirs.items()]
            points = {(side, f"{name}_com_of_other"): _centre_of_mass(of, body, side) for side, name, body in places}
            return points, {}, {(s, f"{name}_length_of_other"): of.value(body.length, s) for s, name, body in places}

        return _with_given(posed, source, masses, posed.seen.model._replace(table=source.seen.model.table, chain=chain))

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
        bandwidth = self._base(self._of(EXPRESSION)).cleaned.quality["marker_bandwidth_hz"]
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


def _with_given(
    posed: _Posed, source: _Posed, given: Callable[[Geometry], Given], model: specs.Model | None = None
) -> _Posed:
    """The geometry with what is given of a source, as seen and through gaps."""
    return _Posed(
        *(with_given(of, model or of.model, *given(theirs)) for of, theirs in zip(posed, source, strict=True))
    )


def _weighed(subject: Subject, weighed: Subject) -> Subject:
    """The subject with the mass that the plates told, where no source says it."""
    if np.isfinite(subject.mass_kg) or "mass" not in weighed.measured:
        return subject
    return replace(subject, measured={**subject.measured, "mass": weighed.measured["mass"]})
