"""YAML files, read with ``safe_load`` semantics; duplicate keys, deep nesting and expanding aliases refused.

Numbers are those of YAML 1.2, decimal only: YAML 1.1 would read ``0106`` as 70 and ``1:10`` as also 70. ``on`` and
``off`` are text, as they are there: YAML 1.1 would read the key ``on`` as true.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from reprlib import repr as short
from typing import Any

import yaml

from gaitid.errors import ModelError

# The C loader is ten times as fast; wheels of PyYAML have it, source builds may not.
_Safe: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# A model is a few kilobytes: a larger file is something else, given by mistake.
MAX_BYTES = 4_000_000
# A model nests some ten levels. The C loader recurses without a limit of its own and would end the process.
MAX_DEPTH = 50
_TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"
# Nodes after aliases are written out: an alias of an alias of an alias can stand for more than a memory holds.
MAX_NODES = 200_000
# A whole number with more digits is no quantity, and does not fit where it is going.
MAX_DIGITS = 18
_BOOL, _INT, _FLOAT = (f"tag:yaml.org,2002:{kind}" for kind in ("bool", "int", "float"))
_TRUE_FALSE = re.compile(r"(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE)\Z")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_REAL = re.compile(
    r"(?:[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
)
# A label such as {S}TOE that nobody quoted: YAML takes the brace for the beginning of keys and values.
_BRACES = re.compile(r"""(?:^|[:\[,\s-])\s*((?:[^\s"'{}\[\],:#]*\{[sS]\})[^\s"'{}\[\],:#]*)""")


def _refusal(problem: str, mark: yaml.Mark | None) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, problem, mark)


class _Loader(_Safe):  # type: ignore[misc]
    """A safe loader that refuses a key given twice (YAML would silently keep the last) and what grows too deep."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0
        # An alias needs an anchor: without the sign of one the nodes need not be counted.
        self.may_expand = "&" in text

    # Both loaders call these two around every node that they compose: the place to stop before recursing too far.
    def descend_resolver(self, parent: Any, index: Any) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            mark = getattr(parent, "start_mark", None)
            raise _refusal(_TOO_DEEP, mark)

    def ascend_resolver(self) -> None:
        self.depth -= 1

    def construct_document(self, node: yaml.Node) -> object:
        if self.may_expand:
            _expanded(node, {})
        return super().construct_document(node)


def _expanded(node: yaml.Node, known: dict[int, tuple[int, int] | None]) -> tuple[int, int]:
    """Number of nodes and levels of `node` with its aliases written out; an alias stands after what it repeats."""
    if id(node) in known:
        done = known[id(node)]
        if done is None:
            raise _refusal("an alias inside what it stands for", node.start_mark)
        return done
    known[id(node)] = None
    children: list[yaml.Node] = []
    if isinstance(node, yaml.SequenceNode):
        children = node.value
    elif isinstance(node, yaml.MappingNode):
        children = [child for pair in node.value for child in pair]
    sizes = [_expanded(child, known) for child in children]
    nodes, levels = 1 + sum(n for n, _ in sizes), 1 + max((level for _, level in sizes), default=0)
    if nodes > MAX_NODES or levels > MAX_DEPTH:
        raise _refusal(f"its aliases stand for more than {MAX_NODES} entries or {MAX_DEPTH} levels", node.start_mark)
    known[id(node)] = nodes, levels
    return nodes, levels


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[object, object]:
    if _is_a_bare_letter(node):
        raise _refusal("a brace that is not quoted", node.start_mark)
    loader.flatten_mapping(node)
    result: dict[object, object] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        try:
            twice = key in result
        except TypeError:
            raise _refusal("a key is not plain text", key_node.start_mark) from None
        if twice:
            raise _refusal(f"the key {short(key)} is given twice", key_node.start_mark)
        result[key] = loader.construct_object(value_node, deep=True)
    return result


def _is_a_bare_letter(node: yaml.MappingNode) -> bool:
    """Whether it is ``{S}``, which means the side's letter and not a key without a value."""
    if len(node.value) != 1 or not node.flow_style:
        return False
    key, value = node.value[0]
    return getattr(key, "value", None) in ("S", "s") and getattr(value, "value", None) == ""


def _integer(loader: _Loader, node: yaml.ScalarNode) -> int:
    text = str(loader.construct_scalar(node))
    if not _INTEGER.match(text) or len(text) > MAX_DIGITS:
        raise _refusal(f"not a whole number of at most {MAX_DIGITS} digits: {short(text)}", node.start_mark)
    return int(text)


def _real(loader: _Loader, node: yaml.ScalarNode) -> float:
    text = str(loader.construct_scalar(node))
    if not _REAL.match(text):
        raise _refusal(f"not a number: {short(text)}", node.start_mark)
    return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))


def _date(loader: _Loader, node: yaml.ScalarNode) -> object:
    try:
        return loader.construct_yaml_timestamp(node)
    except ValueError:
        raise _refusal(f"not a date: {short(node.value)}", node.start_mark) from None


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_Loader.add_constructor("tag:yaml.org,2002:timestamp", _date)
_Loader.add_constructor(_INT, _integer)
_Loader.add_constructor(_FLOAT, _real)
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in (_BOOL, _INT, _FLOAT)]
    for first, resolvers in _Safe.yaml_implicit_resolvers.items()  # type: ignore[attr-defined]
}
_Loader.add_implicit_resolver(_BOOL, _TRUE_FALSE, list("yYnNtTfF"))
_Loader.add_implicit_resolver(_INT, _INTEGER, list("-+0123456789"))
_Loader.add_implicit_resolver(_FLOAT, _REAL, list("-+.0123456789"))


def parse_yaml(text: str, name: str) -> object:
    """The content of a YAML text; `name` stands in the error.

    Raises
    ------
    ModelError
        Not YAML, a key given twice, nested too deep, or with aliases that stand for too much.
    """
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        problem = getattr(error, "problem", None) or "cannot be parsed"
        if "nesting depth" in problem:  # libyaml's own limit, since PyYAML 6.0.4, comes first where only brackets open
            problem = _TOO_DEEP
        todo = "" if mark is None else _cure(text, mark.line)
        raise ModelError(f"{name}: {where}{problem}", expected="YAML", todo=todo) from None
    except (RecursionError, ValueError, TypeError, AttributeError) as error:  # the last two: tags on a wrong kind
        raise ModelError(f"{name}: cannot be parsed ({type(error).__name__})", expected="YAML") from None


def _cure(text: str, at: int) -> str:
    """What to do about the line of a fault, or the one before it; empty where nothing usual is the matter."""
    lines = text.splitlines()
    for line in reversed(lines[max(at - 1, 0) : at + 1]):
        if re.match(r" *\t", line):
            return "indent with blanks, not with a tab"
        if label := _BRACES.search(line):
            return f'quote it: "{label[1].strip()}"'
    return ""


def with_lines(path: Path, faults: Sequence[str]) -> list[str]:
    """Faults that begin with the path of a key, as ``plates[0].number: …``, each behind the line where that key stands.

    Behind that of the entry that should hold it, where it is missing; as it is where the file does not hold it.
    """
    try:
        root = yaml.compose(path.read_text(encoding="utf-8-sig"), Loader=_Loader)
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return list(faults)
    numbers = [_line_of(root, fault.partition(": ")[0], ": missing" in fault) for fault in faults]
    return [f"line {n}: {fault}" if n else fault for n, fault in zip(numbers, faults, strict=True)]


def _line_of(node: yaml.Node | None, key: str, missing: bool) -> int:
    """The line of a key's path, from 1; 0 where it is not there."""
    line = 0
    while key and node is not None:
        children = _children(node)
        # the longest first: keys may hold dots
        name = max((name for name in children if re.match(rf"{re.escape(name)}(?![\w ])", key)), key=len, default="")
        if not name:
            return line if missing else 0
        mark, node = children[name]
        line, key = mark.line + 1, key[len(name) :].removeprefix(".")
    return line


def _children(node: yaml.Node) -> dict[str, tuple[yaml.Mark, yaml.Node]]:
    """What a path goes on with, where that stands, and what it holds."""
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): (key.start_mark, value) for key, value in node.value if key.value}
    if isinstance(node, yaml.SequenceNode):
        return {f"[{i}]": (value.start_mark, value) for i, value in enumerate(node.value)}
    return {}


def load_yaml(path: Path) -> object:
    """The content of a YAML file.

    Raises
    ------
    ModelError
        The file is absent, unreadable, larger than a model can be, not UTF-8 or not YAML.
    """
    try:
        # A pipe would be waited for, without end.
        if path.exists() and not path.is_file():
            raise ModelError(f"{path}: cannot be read", expected="a YAML file", found="a folder or a device")
        if path.stat().st_size > MAX_BYTES:
            expected, size = f"at most {MAX_BYTES} bytes", str(path.stat().st_size)
            raise ModelError(f"{path}: too large for YAML settings", expected=expected, found=size)
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ModelError(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise ModelError(f"{path}: not text", expected="a YAML file in UTF-8") from None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror})") from None
    return parse_yaml(text, str(path))
