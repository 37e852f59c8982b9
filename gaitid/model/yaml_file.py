"""YAML files, read with ``safe_load`` semantics, duplicate keys refused."""

from __future__ import annotations

from pathlib import Path

import yaml

from gaitid.errors import ModelError

# The C loader is ten times as fast; wheels of PyYAML have it, source builds may not.
_Safe: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# A model is a few kilobytes: a larger file is something else, given by mistake.
MAX_BYTES = 4_000_000


class _Loader(_Safe):  # type: ignore[misc]
    """A safe loader that refuses a key given twice: YAML would silently keep the last."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[object, object]:
    loader.flatten_mapping(node)
    result: dict[object, object] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        try:
            twice = key in result
        except TypeError:
            raise yaml.constructor.ConstructorError(
                None, None, "a key is not plain text", key_node.start_mark
            ) from None
        if twice:
            raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} is given twice", key_node.start_mark)
        result[key] = loader.construct_object(value_node, deep=True)
    return result


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def parse_yaml(text: str, name: str) -> object:
    """The content of a YAML text; `name` stands in the error.

    Raises
    ------
    ModelError
        Not YAML, or a key given twice.
    """
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise ModelError(
            f"{name}: {where}{getattr(error, 'problem', None) or 'cannot be parsed'}", expected="YAML"
        ) from None
    except (RecursionError, ValueError) as error:
        raise ModelError(f"{name}: cannot be parsed ({type(error).__name__})", expected="YAML") from None


def load_yaml(path: Path) -> object:
    """The content of a YAML file.

    Raises
    ------
    ModelError
        The file is absent, unreadable, larger than a model can be, not UTF-8 or not YAML.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ModelError(
                f"{path}: too large for YAML settings",
                expected=f"at most {MAX_BYTES} bytes",
                found=str(path.stat().st_size),
            )
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ModelError(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise ModelError(f"{path}: not text", expected="a YAML file in UTF-8") from None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror})") from None
    return parse_yaml(text, str(path))
