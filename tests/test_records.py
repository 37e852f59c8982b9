"""Frozen dataclasses and named tuples of ours behave as the standard library's."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import pytest

from gaitid.records import NamedTuple, frozen_dataclass


@frozen_dataclass()
class Ours:
    mass_kg: float
    names: tuple[str, ...] = ()
    found: dict[str, int] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))


@dataclass(frozen=True)
class Theirs:
    mass_kg: float
    names: tuple[str, ...] = ()
    found: dict[str, int] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))


@pytest.mark.parametrize("kind", [Ours, Theirs])
def test_as_the_standard_decorator(kind: type[Ours]) -> None:
    one = kind(70.0, ["a"])  # type: ignore[arg-type]
    assert repr(one) == f"{kind.__name__}(mass_kg=70.0, names=('a',), found={{}})"
    assert one == kind(70.0, ("a",), {"other": 1}) != kind(71.0)
    assert hash(one) == hash(kind(70.0, ("a",)))
    assert replace(one, mass_kg=3.0) == kind(3.0, ("a",))
    assert [f.name for f in fields(one)] == ["mass_kg", "names", "found"]
    for twin in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        assert twin == one
        with pytest.raises(FrozenInstanceError):
            twin.mass_kg = 1.0
    for change in (lambda: setattr(one, "mass_kg", 1.0), lambda: setattr(one, "new", 1), lambda: delattr(one, "names")):
        with pytest.raises(FrozenInstanceError):
            change()
    assert one == kind(70.0, ("a",))


class Standard(typing.NamedTuple):
    """As the standard library makes it."""

    first: int
    second: str = "b"

    @property
    def both(self) -> str:
        return f"{self.first}{self.second}"


class Own(NamedTuple):
    """As the standard library makes it."""

    first: int
    second: str = "b"

    @property
    def both(self) -> str:
        return f"{self.first}{self.second}"


def test_a_named_tuple_is_what_the_standard_library_makes() -> None:
    standard, own = Standard(1), Own(1)
    assert own == standard == (1, "b") and own.both == standard.both == "1b"
    assert own._replace(first=2) == (2, "b") and own._asdict() == standard._asdict()
    assert Own._fields == Standard._fields and Own._field_defaults == Standard._field_defaults
    assert Own.__doc__ == Standard.__doc__ and Own.__module__ == Standard.__module__ and Own.__bases__ == (tuple,)
    assert pickle.loads(pickle.dumps(own)) == own and repr(own) == "Own(first=1, second='b')"
    with pytest.raises(AttributeError):
        own.first = 3  # type: ignore[misc]
    with pytest.raises(TypeError, match="missing"):
        Own()  # type: ignore[call-arg]


def test_named_tuples_of_as_many_fields_share_what_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.eval", lambda *_: pytest.fail("compiled once more"))

    class Other(NamedTuple):
        value: float
        words: str = "none"

        def __repr__(self) -> str:
            return self.words

    assert Other(1.0) == (1.0, "none") and str(Other(words="some", value=2.0)) == "some"
    assert list(inspect.signature(Other).parameters) == ["value", "words"] == list(Other.__match_args__)
    with pytest.raises(TypeError, match=r"Other.__new__\(\) missing 1 required positional argument: 'value'"):
        Other()  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="'place'"):
        Other(1.0)._replace(place=2)  # type: ignore[call-arg]
