"""Reading a mapping key by key, gathering every fault with the key's path instead of stopping at the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any, TypeVar

from gaitid.errors import GaitidError, ModelError
from gaitid.model.expression import Expression, parse_expression
from gaitid.records import kept_of_each

T = TypeVar("T")
MISSING = object()
# More than these in one line help nobody, nor does a value that fills a page.
MAX_FAULTS = 8
MAX_LETTERS = 400


def nearest(word: str, known: Sequence[str]) -> str:
    """``' (did you mean X?)'`` or nothing.

    Of names of several parts the one with fewest letters in parts that resemble none of the word's: ``force_cutoff_hz``
    shares more letters with ``marker_cutof_hz`` than ``cutoff_hz`` does, but says something else.
    """
    import difflib

    match = difflib.get_close_matches(word, known, n=1)
    if match and "_" in word:
        parts = word.split("_")
        match = sorted(
            difflib.get_close_matches(word, known, n=len(known), cutoff=0.5),  # the nearest first
            key=lambda name: sum(len(p) for p in name.split("_") if not difflib.get_close_matches(p, parts, n=1)),
        )
    if not match:  # in another case; as short words as labels of markers resemble many then: nearer than its own 0.6
        plain = {name.casefold(): name for name in reversed(known)}
        match = [plain[name] for name in difflib.get_close_matches(word.casefold(), plain, n=1, cutoff=0.7)]
    return f" (did you mean {match[0]!r}?)" if match else ""


def unknown_keys(unknown: Sequence[str], known: Sequence[str], listed: Sequence[str]) -> list[str]:
    """What is said of each unknown key: the known one that it resembles; once, where none does, those to be listed."""
    said = [nearest(key, known) for key in unknown]
    if "" in said and listed:
        said[said.index("")] = f" (known: {', '.join(listed)})"
    return [f"unknown key{words}" for words in said]


class Faults:
    """Everything that is wrong with a file; each with the line of its key, where that stands in the given YAML file."""

    def __init__(self, name: str, file: Path | None = None) -> None:
        self.name, self.file = name, file
        self.lines: list[str] = []

    def add(self, line: str) -> None:
        if len(line) > MAX_LETTERS:
            line = f"{line[:MAX_LETTERS]}…"
        if line not in self.lines:
            self.lines.append(line)

    def raise_if_any(self, todo: str = "") -> None:
        if self.lines:
            shown = self.lines[:MAX_FAULTS]
            if self.file is not None and self.file.suffix.lower() != ".json":
                from gaitid.model.yaml_file import with_lines  # only where something is wrong

                shown = with_lines(self.file, shown)
            more = len(self.lines) - len(shown)
            lines = "; ".join(shown) + (f"; and {more} more" if more else "")
            raise ModelError(f"{self.name}: {lines}", todo=todo)


class Fields:
    """A mapping whose keys are taken one by one; what is left over at the end is unknown."""

    def __init__(self, value: object, path: str, faults: Faults) -> None:
        self.path = path
        self.faults = faults
        if not isinstance(value, (dict, Mapping)):  # a dict is told at once
            faults.add(f"{path or 'the file'}: expected keys and values, found {_kind(value)}")
            value = {}
        self.values: Mapping[str, Any] = value
        if not set(map(type, value)) <= {str}:
            self.values = {key: item for key, item in value.items() if isinstance(key, str)}
            for key in value:
                if key not in self.values:
                    faults.add(f"{self.at(str(key))}: a key must be text")
        self.asked: set[str] = set()

    def at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def has(self, key: str) -> bool:
        """Whether an optional key is there; one that is misspelt may have been meant."""
        self.asked.add(key)
        return key in self.values

    def raw(self, key: str, default: Any = MISSING) -> Any:
        self.asked.add(key)
        if key in self.values:
            return self.values[key]
        if default is MISSING:
            self.faults.add(f"{self.at(key)}: missing")
            return None
        return default

    def text(self, key: str, default: Any = MISSING, among: Sequence[str] = ()) -> str:
        value = self.raw(key, default)
        if value is None and key not in self.values:
            return ""
        if not isinstance(value, str):
            self.faults.add(f"{self.at(key)}: expected text, found {_kind(value)}")
            return ""
        if among and value not in among:
            self.faults.add(f"{self.at(key)}: expected {' or '.join(among)}, found {value!r}{nearest(value, among)}")
        return value

    def number(self, key: str, default: Any = MISSING, low: float = -1e300, high: float = 1e300) -> float:
        value = self.raw(key, default)
        if value is None and key not in self.values:
            return 0.0
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            self.faults.add(f"{self.at(key)}: expected a number from {low:g} to {high:g}, found {value!r}")
            return low
        return float(value)

    def integer(self, key: str, default: Any, low: int, high: int) -> int:
        value = self.number(key, default, low, high)
        if value != int(value):
            self.faults.add(f"{self.at(key)}: expected a whole number, found {value:g}")
        return int(value)

    def bounds(self, key: str, default: tuple[float, float] | None = None) -> tuple[float, float]:
        """[low, high]; required without a default."""
        bounds = self.raw(key) if default is None else self.raw(key, list(default))
        numbers = isinstance(bounds, list) and len(bounds) == 2 and all(isinstance(b, (int, float)) for b in bounds)
        if not (numbers and bounds[0] < bounds[1]):
            self.faults.add(f"{self.at(key)}: expected [low, high], found {bounds!r}")
            return default or (0.0, 1.0)
        return float(bounds[0]), float(bounds[1])

    def flag(self, key: str, default: bool) -> bool:
        value = self.raw(key, default)
        if not isinstance(value, bool):
            self.faults.add(f"{self.at(key)}: expected true or false, found {value!r}")
            return default
        return value

    def expression(self, key: str, default: Any = MISSING) -> Expression | None:
        value = self.raw(key, default)
        if value is None and (key not in self.values or default is None):
            return None
        return self.catch(lambda: parse_expression(value, self.at(key)))

    def required_expression(self, key: str) -> Expression:
        return self.expression(key) or parse_expression(0, self.at(key))

    def mapping(self, key: str, default: Any = MISSING) -> Fields:
        value = self.raw(key, default)
        named = default is MISSING and key not in self.values  # as missing: nothing more need be said of it
        return Fields({} if value is None else value, self.at(key), Faults("") if named else self.faults)

    def each(self, parse: Callable[[Fields, str], T]) -> dict[str, T]:
        """What every key holds."""
        return {key: parse(self, key) for key in self.values}

    def items(self, key: str) -> list[Any]:
        value = self.raw(key)
        if not isinstance(value, list) or not value:
            self.faults.add(f"{self.at(key)}: expected a list with something in it, found {_kind(value)}")
            return []
        return value

    def entries(self, key: str) -> Iterator[Fields]:
        """The mappings of a list that may be left out, one after the other: so are their faults."""
        for i, item in enumerate(self.items(key) if key in self.values else []):
            yield Fields(item, f"{self.at(key)}[{i}]", self.faults)

    def catch(self, function: Callable[[], T]) -> T | None:
        """The function's value; its refusal becomes one of the faults."""
        try:
            return function()
        except GaitidError as error:
            self.faults.add(error.line().removeprefix(f"{self.faults.name}: "))
            return None

    def done(self) -> None:
        """Whatever was not asked for is an unknown key."""
        if self.values.keys() <= self.asked:
            return
        known = sorted(self.asked)
        unknown = [key for key in self.values if key not in self.asked]
        for key, words in zip(unknown, unknown_keys(unknown, known, known), strict=True):
            self.faults.add(f"{self.at(key)}: {words}")


def formula_number(value: object, where: str, faults: Faults, low: float, high: float) -> float | None:
    """A number, or the value of a formula of numbers such as ``2*pi``; None with a fault where it is neither."""
    try:
        formula = parse_expression(value, where)
        if formula.names or formula.points:
            raise ModelError(f"{where}: expected a number or a formula of numbers, found {value!r}")
        number = float(formula.evaluate(float, lambda a, b: nan))
        if not low <= number <= high:
            raise ModelError(f"{where}: expected a number from {low:g} to {high:g}, found {value!r}")
    except GaitidError as error:
        faults.add(error.line())
        return None
    return number


def mapping_under(content: object, key: str) -> Mapping[str, Any]:
    """The mapping under a key of what nobody has looked through yet; an empty one where there is none."""
    result = content.get(key) if isinstance(content, Mapping) else None
    return result if isinstance(result, Mapping) else {}


def labels_of(value: object, where: str, faults: Faults, hint: str = "") -> tuple[str, ...]:
    """One label or a list of them; none with a fault."""
    labels = [value] if isinstance(value, str) else value
    if isinstance(labels, list) and labels and all(isinstance(label, str) and label for label in labels):
        return tuple(labels)
    faults.add(f"{where}: expected a label or a list of labels, found {value!r}{hint}")
    return ()


def whole(parse: Callable[[Fields], T]) -> Callable[[Fields, str], T]:
    """A parser of what a key of a section holds, whose keys are all known."""

    def parse_key(section: Fields, key: str) -> T:
        return _all_of(section.mapping(key), parse)

    return parse_key


def _all_of(fields: Fields, parse: Callable[[Fields], T]) -> T:
    parsed = parse(fields)
    fields.done()
    return parsed


def once(parse: Callable[[Fields], T]) -> Callable[[Fields, str], T]:
    """The same, which reads each definition once: bundled models share most of theirs.

    One with a fault is read each time, as the fault names the path of its key.
    """

    @kept_of_each
    def faultless(definition: Mapping[str, Any]) -> T | None:
        faults = Faults("")
        parsed = _all_of(Fields(definition, "", faults), parse)
        return None if faults.lines else parsed

    def parse_key(section: Fields, key: str) -> T:
        definition = section.raw(key)
        parsed = faultless(definition) if isinstance(definition, dict) else None
        return _all_of(section.mapping(key), parse) if parsed is None else parsed

    return parse_key


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, Mapping):
        return "keys and values"
    return repr(value)[:60] if isinstance(value, (str, int, float)) else f"a {type(value).__name__}"
