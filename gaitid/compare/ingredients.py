"""What a result is made of, in the order in which one result's ingredients are exchanged for the other's."""

from __future__ import annotations

from gaitid.model.settings import SETTINGS, Settings
from gaitid.records import NamedTuple


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
