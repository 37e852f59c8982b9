"""A computation as a chain of stages: each a value that follows from the inputs and from the stages before it.

A class of `Stages` lists its inputs as annotations, and its stages as methods in the order in which the data go. Each
stage is made once, when it is first asked for. `with_` gives the same computation with inputs or stages replaced by
other values: what follows from them is made again, all else is kept.

    class Walk(Stages):
        speed_m_per_s: float
        time_s: float = 1.0

        @stage
        def length_m(self) -> float:
            return self.speed_m_per_s * self.time_s

    Walk(speed_m_per_s=1.2).with_(time_s=2.0).length_m
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, Self, TypeVar, dataclass_transform, overload

from gaitid.disk.large_arrays import rest_files

T = TypeVar("T")


class stage(Generic[T]):
    """A method of `Stages` that makes a value of others; read as an attribute."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self.make, self.name, self.__doc__ = make, make.__name__, make.__doc__

    @overload
    def __get__(self, stages: None, owner: object = None) -> stage[T]: ...
    @overload
    def __get__(self, stages: Stages, owner: object = None) -> T: ...
    def __get__(self, stages: Stages | None, owner: object = None) -> stage[T] | T:
        return self if stages is None else stages.value(self.name)  # type: ignore[return-value]


@dataclass_transform(kw_only_default=True)
class Stages:
    """A computation with its inputs, and the values of the stages that were asked for."""

    inputs: ClassVar[dict[str, object]] = {}
    """By name the default, `...` where one must be given."""
    stages: ClassVar[dict[str, stage[Any]]] = {}
    """By name, in their order."""

    def __init_subclass__(cls) -> None:
        cls.stages = cls.stages | {name: of for name, of in vars(cls).items() if isinstance(of, stage)}
        named = [name for name in cls.__annotations__ if name not in cls.stages]
        cls.inputs = cls.inputs | {name: vars(cls).get(name, ...) for name in named}
        for name in named:  # else the default would be found, and nobody know who asked for it
            if name in vars(cls):
                delattr(cls, name)

    def __init__(self, **given: object) -> None:
        self._needs: dict[str, set[str]] = {}
        self._asking: list[set[str]] = []
        self._values = self.inputs | self._known(given)
        if lacking := [name for name, value in self._values.items() if value is ...]:
            raise TypeError(f"{type(self).__name__} lacks {', '.join(lacking)}")

    def _known(self, given: dict[str, object]) -> dict[str, object]:
        if unknown := given.keys() - self.inputs.keys() - self.stages.keys():
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(unknown))}")
        return given

    def with_(self, *same: str, **replaced: Any) -> Self:
        """The same with inputs or stages replaced; of the others those are made again that follow from these.

        A stage that is replaced stays so whatever it follows from is replaced later. The stages `same` are known to be
        what they were, though they follow from what is replaced now.
        """
        again = type(self).__new__(type(self))
        stale = {name for name, needs in self._needs.items() if needs & replaced.keys()} - {*same}
        again._asking = []
        again._values = {k: v for k, v in self._values.items() if k not in stale} | self._known(replaced)
        again._needs = {k: v for k, v in self._needs.items() if k in again._values and k not in replaced}
        return again

    def value(self, name: str) -> object:
        """Of an input or a stage."""
        if name not in self._values:
            self._asking.append(set())
            try:
                self._values[name] = self.stages[name].make(self)
            finally:
                needs = self._asking.pop()
            rest_files()
            self._needs[name] = needs
        if self._asking:
            self._asking[-1] |= {name} | self._needs.get(name, set())
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        if name not in type(self).inputs:
            raise AttributeError(f"{type(self).__name__} has no {name}")
        return self.value(name)

    def make_all(self) -> Self:
        """Itself, with every stage made in their order: so the first that refuses its inputs says so."""
        for name in self.stages:
            self.value(name)
        return self
