"""Formulas in a model: a few operations on numbers and arrays, parsed once, never executed as Python."""

from __future__ import annotations

import ast
import math
import operator
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from reprlib import repr as short
from typing import Any

import numpy as np

from gaitid.errors import ModelError
from gaitid.records import NamedTuple


def mean_of_known(values: Any) -> Any:
    """Mean over the frames in which the value is known; NaN where it never is."""
    array = np.asarray(values, dtype=float)
    known = array[np.isfinite(array)]
    return np.add.reduce(known) / known.size if known.size else np.nan


def steady(values: Any, tolerance: Any) -> Any:
    """The mean of a value that stays within a tolerance of it in every frame in which it is known; else NaN."""
    mean = mean_of_known(values)
    array = np.asarray(values, dtype=float)
    strays = np.abs(array[np.isfinite(array)] - mean) > tolerance
    return np.nan if strays.any() else mean


def agreed(value: Any, other: Any, tolerance: Any) -> Any:
    """The first of two numbers where the second differs by no more than a tolerance; either where only it is known."""
    if not np.isfinite(value).any():
        return other
    contradicted = np.isfinite(other) & (np.abs(value - other) > tolerance)
    return np.where(contradicted, np.nan, value)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan2": np.arctan2,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "radians": np.radians,
    "degrees": np.degrees,
    "round": np.round,
    "steady": steady,
    "agreed": agreed,
}
# Of such a formula nothing is computed.
_PLAIN = (ast.Constant, ast.Name)
#: By the sex of the subject: `by_sex(female, male)`.
BY_SEX = "by_sex"
#: The number that tells it: 1 female, 0 male, NaN unknown.
SEX = "sex"
ARITY = {BY_SEX: 2, "atan2": 2, "min": 2, "max": 2, "steady": 2, "agreed": 3}  # one for all others
# The first of its values that is known: `first(a, b, …)`, two or more.
FIRST = "first"
# These take names of points, not numbers: `Scope` computes them.
POINT_FUNCTIONS = ("distance",)
# `unknown`: what the markers do not determine stays empty.
CONSTANTS = {"pi": math.pi, "unknown": math.nan}
# A formula of a gait model has tens of terms: deeper or longer ones are a mistake or an attack.
MAX_LENGTH = 500
# Of a whole number: more is beyond the largest real, 1.8e308.
MAX_BITS = 1023
_REAL = "a number that a computer's real can hold"


class Expression(NamedTuple):
    """A parsed formula.

    Attributes
    ----------
    text : str
    tree : ast.expr
    names : tuple of str
        Numbers that it uses, as ``length`` or ``left.leg_length``.
    points : tuple of str
        Points that it measures between.
    """

    text: str
    tree: ast.expr
    names: tuple[str, ...]
    points: tuple[str, ...]

    def evaluate(
        self,
        number: Callable[[str], Any],
        distance: Callable[[str, str], Any],
        mean: Callable[[Any], Any] = mean_of_known,
    ) -> Any:
        """The value, with `number` giving what a name stands for, `distance` that between two points, and `mean` that
        over a trial.

        Raises
        ------
        ModelError
            It divides by a number that is 0, or 0 in every frame: no marker is to blame for what it leaves unknown.
        """
        if isinstance(self.tree, _PLAIN):  # half of all formulas
            return _value_of(self)(number, distance, mean)
        with np.errstate(all="ignore"):
            return _computed(self, number, distance, mean)

    @property
    def undetermined(self) -> bool:
        """Whether it says that the markers do not determine it."""
        return "unknown" in self.text and any(
            isinstance(node, ast.Name) and node.id == "unknown" for node in ast.walk(self.tree)
        )


def _computed(formula: Expression, *known: Callable[..., Any]) -> Any:
    """The value; a formula that divides by 0 is named."""
    try:
        return _value_of(formula)(*known)
    except ZeroDivisionError:
        raise _divides_by_0(formula.text) from None


def _divides_by_0(formula: str) -> ModelError:
    return ModelError(f"the formula {short(formula)} divides by 0", todo="correct the formula in the model")


def parse_expression(text: object, where: str) -> Expression:
    """Parse a formula; `where` is the key's path for the error.

    Raises
    ------
    ModelError
        Not a formula, or one with a function or an operation that is not offered.
    """
    if isinstance(text, bool) or not isinstance(text, (str, int, float)):
        raise ModelError(f"{where}: not a formula", expected="a number or a formula", found=short(text))
    if isinstance(text, int) and text.bit_length() > MAX_BITS:  # Python would not even print it
        raise ModelError(f"{where}: number too large", expected=_REAL)
    source = str(text)
    if len(source) > MAX_LENGTH:
        raise ModelError(f"{where}: formula too long", expected=f"at most {MAX_LENGTH} characters")
    try:
        return _parsed(source)
    except ModelError as error:
        raise ModelError(
            f"{where}: {error.wrong}", expected=error.expected, found=error.found, todo=error.todo
        ) from None


@lru_cache(maxsize=1024)  # a model has half of its formulas twice and more, and shares many with others
def _parsed(source: str) -> Expression:
    """A formula by its text; a refusal names no key."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's advice on its own syntax, as for "1if"
            tree = ast.parse(source, mode="eval").body
        _check(tree, source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ModelError("not a formula", found=short(source)) from None
    _check_values(tree, source)
    points = tuple(_points(tree)) if any(name in source for name in POINT_FUNCTIONS) else ()  # most have none
    return Expression(source, tree, tuple(_names(tree)), points)


def _divided(a: Any, b: Any) -> Any:
    """A quotient; a number that is 0 in some frames of a trial leaves these without one."""
    if not np.any(b) and np.size(b):
        raise ZeroDivisionError
    return a / b


_BINARY: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _divided,
    ast.Pow: operator.pow,
}


def _check(node: ast.expr, source: str) -> None:
    match node:
        case ast.Constant(value=int() | float() as value) if type(value) is not bool:
            if abs(value) > sys.float_info.max:
                raise ModelError("number too large", expected=_REAL, found=short(source))
        case ast.Name() | ast.Attribute():
            _dotted(node)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            _check(node.operand, source)
        case ast.BinOp() if type(node.op) in _BINARY:
            _check(node.left, source)
            _check(node.right, source)
        case ast.Call(keywords=[]):
            _check_call(node, source)
        case _:
            expected = "numbers, names, + - * / ** and functions"
            raise ModelError("not a formula", expected=expected, found=short(source))


def _check_values(tree: ast.expr, source: str) -> None:
    """Refuse a formula with a part of numbers alone that has no value: a root of -1, a division by 0."""
    for node in ast.walk(tree):
        divisor = node.right if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) else None
        if divisor is not None and _is_number(divisor) and _number(divisor) == 0:
            raise _divides_by_0(source)
        if isinstance(node, (ast.BinOp, ast.Call)) and _is_number(node) and not np.isfinite(_number(node)):
            raise ModelError(f"the formula {short(source)} has no value", todo="correct the formula in the model")


def _is_number(node: ast.expr) -> bool:
    """Whether a part of a formula is made of numbers alone."""
    names = (part for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute)))
    return all(isinstance(part, ast.Name) and (part.id == "pi" or part.id in FUNCTIONS) for part in names)


def _number(node: ast.expr) -> float:
    with np.errstate(all="ignore"):
        return float(_computing(node)(lambda name: np.nan, lambda a, b: np.nan, mean_of_known))


def _check_call(node: ast.Call, source: str) -> None:
    name = _function(node)
    if name in POINT_FUNCTIONS:
        if len(node.args) != 2:
            raise ModelError(f"{name} takes two points", found=short(source))
        for argument in node.args:
            _dotted(argument)
        return
    if name not in FUNCTIONS and name not in ("mean", FIRST, BY_SEX):
        functions = ", ".join([*FUNCTIONS, "mean", FIRST, BY_SEX, *POINT_FUNCTIONS])
        raise ModelError(f"no function {name!r}", expected=functions, found=short(source))
    if name == FIRST and len(node.args) < 2:
        raise ModelError(f"{FIRST} takes two values or more", found=short(source))
    if name != FIRST and len(node.args) != ARITY.get(name, 1):
        raise ModelError(f"{name} takes {ARITY.get(name, 1)} value(s)", found=short(source))
    for argument in node.args:
        _check(argument, source)


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    raise ValueError("a name was expected")


def _function(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else "?"


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.Name, ast.Attribute)):
        if (name := _dotted(node)) not in CONSTANTS:
            yield name
    elif not (isinstance(node, ast.Call) and _function(node) in POINT_FUNCTIONS):
        if isinstance(node, ast.Call) and _function(node) == BY_SEX:
            yield SEX
        for part in node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node):
            yield from _names(part)


@lru_cache(maxsize=256)  # asked for each side, and for each trial
def alternatives(formula: Expression) -> tuple[Expression, ...]:
    """The formulas any one of which gives the value: those that a formula ``first(…)`` tries, else itself."""
    tree = formula.tree
    if not (isinstance(tree, ast.Call) and _function(tree) == FIRST):
        return (formula,)
    texts = [ast.get_source_segment(formula.text, part) or "" for part in tree.args]
    parts = zip(texts, tree.args, strict=True)
    return tuple(Expression(text, part, tuple(_names(part)), tuple(_points(part))) for text, part in parts)


def _points(tree: ast.expr) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _function(node) in POINT_FUNCTIONS:
            for argument in node.args:
                yield _dotted(argument)


#: Of what stands for a name, of two points, and of a trial's mean: the value of a formula.
_Value = Callable[[Callable[[str], Any], Callable[[str, str], Any], Callable[[Any], Any]], Any]


@lru_cache(maxsize=1024)  # asked for each side, and for each trial
def _value_of(formula: Expression) -> _Value:
    return _computing(formula.tree)


def _computing(node: ast.expr) -> _Value:
    if isinstance(node, ast.Constant):
        # numpy's number, not Python's: a division by zero is infinite, a root of a negative number unknown
        return _always(np.float64(node.value))  # type: ignore[arg-type]
    if isinstance(node, (ast.Name, ast.Attribute)):
        name = _dotted(node)
        return _always(np.float64(CONSTANTS[name])) if name in CONSTANTS else _named(name)
    if isinstance(node, ast.UnaryOp):
        operand = _computing(node.operand)
        return (lambda *known: -operand(*known)) if isinstance(node.op, ast.USub) else operand
    if isinstance(node, ast.BinOp):
        left, of_both, right = _computing(node.left), _BINARY[type(node.op)], _computing(node.right)
        return lambda *known: of_both(left(*known), right(*known))
    assert isinstance(node, ast.Call)
    name = _function(node)
    if name in POINT_FUNCTIONS:
        a, b = map(_dotted, node.args)
        return lambda number, distance, mean: distance(a, b)
    parts = [_computing(argument) for argument in node.args]
    if name == FIRST:
        return lambda *known: _first_known(part(*known) for part in parts)
    if name == "mean":
        return lambda number, distance, mean: mean(parts[0](number, distance, mean))
    if name == BY_SEX:
        return lambda *known: _by_sex(known[0](SEX), *(part(*known) for part in parts))
    function = FUNCTIONS[name]
    return lambda *known: function(*[part(*known) for part in parts])


def _always(value: Any) -> _Value:
    return lambda number, distance, mean: value


def _named(name: str) -> _Value:
    def of_name(number: Callable[[str], Any], distance: object, mean: object) -> Any:
        value = number(name)
        return np.float64(value) if isinstance(value, (int, float)) else value

    return of_name


def _by_sex(sex: Any, female: Any, male: Any) -> Any:
    return female if sex == 1 else male if sex == 0 else np.nan * female


def _first_known(values: Iterator[Any]) -> Any:
    """The first that is known in any frame; the others are not even computed."""
    return next((value for value in values if np.isfinite(value).any()), np.nan)
