"""What a model asks of the subject, as data: each measurement, and where its value may come from."""

from __future__ import annotations

from gaitid.model import expression
from gaitid.model.expression import Expression
from gaitid.model.shapes import Vector
from gaitid.records import NamedTuple


class StaticAngle(NamedTuple):
    """A calibration angle: mean over a static of an expression in the Cardan angles between two frames."""

    proximal: str
    distal: str
    sequence: str
    value: Expression


class StaticTurn(NamedTuple):
    """A calibration angle: mean over a static of a formula in the angle between two vectors, seen along a third.

    Attributes
    ----------
    start, end : Vector
    about : Vector or None
        The angle is that of the parts of both square to it, from −π to π; without it the plain one, from 0 to π.
    value : Expression
        In ``angle``, rad.
    """

    start: Vector
    end: Vector
    about: Vector | None
    value: Expression


#: Where a value comes from that follows from the trial's own markers, unless the model has better words for it.
TRIAL_SOURCE = "trial, estimated from its markers"


class Measurement(NamedTuple):
    """One number that the model needs of the subject, and where it may come from.

    Attributes
    ----------
    name : str
    sided : bool
    key : str
        Its name in a subject file, with its unit, without side.
    unit, c3d_unit : str
        ``kg``, ``mm``, ``m``, ``rad``: in a subject file, in a trial.
    c3d : tuple of str
        Its names in a trial's parameters, the first that is there counts, ``{S}`` standing for the side's letter.
    low, high : float
        Range outside which it is refused, SI.
    optional : bool
        Whether the model does without it.
    zero_is_absent : bool
        Whether a stored 0 means that nobody measured it.
    static : Expression, StaticAngle, StaticTurn or None
        How it follows from a static trial.
    trial : Expression or None
        How it follows from the markers of the trial itself, where no source and no static says it.
    trial_source : str
        That, in words for the record.
    otherwise : Expression or None
        What is taken when nothing else says, with the reason in `because`; a warning says so.
    """

    name: str
    sided: bool
    key: str
    unit: str
    c3d_unit: str
    c3d: tuple[str, ...]
    low: float
    high: float
    optional: bool
    zero_is_absent: bool
    static: Expression | StaticAngle | StaticTurn | None
    otherwise: Expression | None
    because: str
    trial: Expression | None = None
    trial_source: str = TRIAL_SOURCE


#: What formulas (`by_sex`) and tables may ask of every subject, in words in a subject file; as a number 1 for female,
#: 0 for male.
SEX = Measurement(expression.SEX, False, expression.SEX, "sex", "sex", (), 0.0, 1.0, False, False, None, None, "")
SEXES = ("female", "male")
