"""Frozen dataclasses and named tuples that cost little to define: a run defines eighty and sixty of them. Records as
keys of what is kept.

The standard library takes 0.4 ms for each frozen dataclass, whose methods it compiles, and 0.1 ms for each named tuple,
whose constructor and annotations it compiles.
"""

from __future__ import annotations

import copyreg
from collections import namedtuple
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field
from functools import cache
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, dataclass_transform

_K = TypeVar("_K")
_T = TypeVar("_T")


class Itself(Generic[_T]):
    """A record as the key of what is kept of it: it equals itself alone, as a large one takes long to compare.

    While the key is kept, so is the record.
    """

    __slots__ = ("record",)

    def __init__(self, record: _T) -> None:
        self.record = record

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and self.record is other.record

    def __hash__(self) -> int:
        return id(self.record)


# So many answers are kept of one question; of more none is, and they are asked anew.
_MOST_KEPT = 4096


def kept_of_each(answer: Callable[[_K], _T]) -> Callable[[_K], _T]:
    """A function of a record that answers once for each, which equals itself alone (`Itself`)."""
    kept: dict[int, tuple[_K, _T]] = {}  # with the record: while it is there, no other has its id

    def of(record: _K) -> _T:
        known = kept.get(id(record))
        if known is None:
            if len(kept) >= _MOST_KEPT:
                kept.clear()
            known = kept[id(record)] = record, answer(record)
        return known[1]

    return of


def annotated(record: type) -> dict[str, Any]:
    """What ``Annotated`` says of the fields of a record beside their types, by their names."""
    types: dict[str, Any] = record.__annotations__
    return {name: of.__metadata__[0] for name, of in types.items() if hasattr(of, "__metadata__")}


def _read_only(mapping: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(mapping)


# Records hold mappings that cannot be changed, which `pickle` and `copy.deepcopy` do not know by themselves.
copyreg.pickle(MappingProxyType, lambda mapping: (_read_only, (dict(mapping),)))


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen_dataclass(*, eq: bool = True) -> Callable[[type[_T]], type[_T]]:
    """``dataclass(frozen=True, eq=eq)`` for type checkers and for users, in a tenth of its time.

    The standard decorator writes and compiles six methods for each class; here all classes share the same ones, which
    look up the fields. Of what `dataclasses.field` takes, ``default``, ``default_factory``, ``repr`` and ``compare``
    count. A field can be set once, which a ``__post_init__`` may do.

    Parameters
    ----------
    eq : bool
        Compare and hash by the fields.
    """

    def make(cls: type[_T]) -> type[_T]:
        made: Any = dataclass(init=False, repr=False, eq=False)(cls)
        made.__init__, made.__setattr__, made.__delattr__ = _init, _set, _delete
        if "__repr__" not in cls.__dict__:
            made.__repr__ = _show
        if eq:
            made.__eq__, made.__hash__ = _equal, _hash
        return cls

    return make


def _init(self: Any, *given: Any, **named: Any) -> None:
    cls, values = type(self), self.__dict__
    fields = cls.__dataclass_fields__
    if given:
        values.update(zip(fields, given))
    values.update(named)
    if len(values) != len(given) + len(named) or (named and not named.keys() <= fields.keys()):
        received = f"{len(given)} values and {', '.join(named) or 'no names'}"
        raise TypeError(f"{cls.__qualname__}() takes {', '.join(fields)}, each once; given were {received}")
    if len(values) < len(fields):
        for name, declared in fields.items():
            if name not in values:
                values[name] = declared.default if declared.default_factory is MISSING else declared.default_factory()
                if values[name] is MISSING:
                    raise TypeError(f"{cls.__qualname__}() lacks {name!r}")
    if hasattr(cls, "__post_init__"):
        self.__post_init__()


def _compared(self: Any) -> tuple[Any, ...]:
    return tuple(self.__dict__[name] for name, f in self.__dataclass_fields__.items() if f.compare)


def _equal(self: Any, other: object) -> Any:
    return _compared(self) == _compared(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _set(self: Any, name: str, value: object) -> None:
    if name in self.__dict__ or name not in self.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    self.__dict__[name] = value


def _delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _show(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name, f in self.__dataclass_fields__.items() if f.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    class _MakesNamedTuples(type):
        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = tuple(body["__annotations__"])
            defaults = {field: body[field] for field in fields if field in body}
            like = _like(len(fields))
            code = like.__new__.__code__.replace(co_varnames=("_cls", *fields))
            new = FunctionType(code, like.__new__.__globals__, "__new__", tuple(defaults.values()))
            new.__qualname__ = f"{body['__qualname__']}.__new__"
            made = {"_fields": fields, "_field_defaults": defaults, "__match_args__": fields, "__new__": new}
            places = {field: type(like._0)(i, None) for i, field in enumerate(fields)}
            return type(name, (tuple,), {**_SHARED, **body, **made, **places, "_make": like.__dict__["_make"]})

    class NamedTuple(metaclass=_MakesNamedTuples):
        """``typing.NamedTuple`` for type checkers and for users, in a fifth of its time: annotations stay text, and
        classes of as many fields share what the standard library compiles for each.
        """

    @cache
    def _like(n: int) -> type:
        """The standard library's named tuple of n fields."""
        return namedtuple("_like", [f"_{i}" for i in range(n)], rename=True)

    def _replaced(self: Any, /, **new: Any) -> Any:
        changed = self._make(map(new.pop, self._fields, self))
        if new:
            raise ValueError(f"Got unexpected field names: {[*new]!r}")
        return changed

    def _represented(self: Any) -> str:
        return f"{type(self).__name__}({', '.join(map('%s=%r'.__mod__, zip(self._fields, self)))})"

    _SHARED = {
        "__slots__": (),
        "_replace": _replaced,
        "__repr__": _represented,
        **{key: getattr(_like(1), key) for key in ("_asdict", "__getnewargs__")},
    }
