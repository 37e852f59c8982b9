"""A file of the current folder that has the name of a bundled model, and hides it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gaitid.errors import GaitidError, ModelError
from gaitid.model.load import bundled_models, find_model

T = TypeVar("T")


def hidden_model(name: str) -> str:
    """The bundled model that a file of the same name in the current folder hides; empty where none does."""
    bundled = bundled_models().get(name.removesuffix(".yaml"))
    try:
        used = find_model(name)
        return "" if bundled is None or used.samefile(bundled) else bundled.stem
    except (OSError, GaitidError):
        return ""


def about_hidden(name: str, function: Callable[[], T]) -> T:
    """The function's value; a refusal of a model says where its file hides a bundled one."""
    try:
        return function()
    except ModelError as error:
        hidden = hidden_model(name)
        if not hidden:
            raise
        todo = f"./{find_model(name)} hides the bundled {hidden}; rename it or correct it"
        raise ModelError(
            error.wrong, expected=error.expected, found=error.found, todo="; ".join(filter(None, (error.todo, todo)))
        ) from None
