"""What a shell is offered for each argument and option: names that come with gaitid, files by suffix, `KEY=VALUE`.

Loaded only when a shell asks, and loads little itself: nobody waits for TAB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from gaitid.model.bundled import bundled_files, bundled_folder

Items = list[CompletionItem]

_TRIALS = (".c3d", ".csv", ".trc", ".tsv")
_YAML = (".yaml", ".yml")


# --- files --------------------------------------------------------------------------------------------------

# Kinds of files, by their suffixes; folders are offered with them.
_SUFFIXES = {
    "trials": _TRIALS,
    "statics": (*_TRIALS, ".osim"),
    "yaml_files": _YAML,
    "subjects": (*_YAML, ".mp"),
    "forces": (".csv", ".mot", ".sto", ".forces", ".anc", ".tsv"),
    "events": (".csv", ".c3d", *_YAML),
    "results": (".run.json",),
    "compared": (".run.json", ".c3d", ".sto", ".mot"),  # results, and what other programs computed
    "tables": (".csv",),
    "data_sets": (*_TRIALS, *_YAML),  # trials and manifests
}


def _files(begin: str, suffixes: tuple[str, ...]) -> Items:
    return [CompletionItem(begin, type="file", suffixes=suffixes)]


# --- names --------------------------------------------------------------------------------------------------


def models(ctx: click.Context, begin: str) -> Items:
    """Bundled models and YAML files; auto where the command chooses."""
    auto = ["auto"] if any(p.name == "model" and p.default == "auto" for p in ctx.command.params) else []
    return _named([*auto, *_stems("configs")], begin)


def mechanisms(ctx: click.Context, begin: str) -> Items:
    return _named([*_subcommands(ctx), *_stems("configs/mechanisms")], begin)


def scenarios(ctx: click.Context, begin: str) -> Items:
    from gaitid.simulate.names import ABOUT, ABOUT_CHAINS

    return _named([*_subcommands(ctx), *ABOUT, *ABOUT_CHAINS], begin, {**ABOUT, **ABOUT_CHAINS})


def norms(ctx: click.Context, begin: str) -> Items:
    """Published norms and YAML files; none where a page may go without."""
    from gaitid.norms.sets import published_sets

    none = ["none"] if ctx.info_name == "report" else []
    return _named([*published_sets(), *none], begin)


def figures(ctx: click.Context, begin: str) -> Items:
    from gaitid.report.chain.drawn import FIGURES
    from gaitid.report.pictures.request import figure_names

    return _words(tuple(dict.fromkeys((*figure_names(), *FIGURES))), begin)


def _stems(folder: str) -> list[str]:
    return [path.stem for path in bundled_files(folder)] if bundled_folder(folder).is_dir() else []


def _subcommands(ctx: click.Context) -> list[str]:
    return list(ctx.command.commands) if isinstance(ctx.command, click.Group) else []


def _named(names: Iterable[str], begin: str, about: dict[str, str] | None = None) -> Items:
    """Names, and YAML files of one's own."""
    return [*_words(names, begin, about), *_files(begin, _YAML)]


def _words(names: Iterable[str], begin: str, about: dict[str, str] | None = None) -> Items:
    return [CompletionItem(name, help=(about or {}).get(name)) for name in names if name.startswith(begin)]


# --- KEY=VALUE ----------------------------------------------------------------------------------------------


def settings(ctx: click.Context, begin: str) -> Items:
    """Keys of --set with an equals sign; after it the values that the key may have, where they are words."""
    from gaitid.model.settings import READER, SETTINGS, Settings

    values = {key: setting.among for key, setting in READER.items()}
    for (key, setting), default in zip(SETTINGS.items(), Settings(), strict=True):
        values[key] = ("yes", "no") if isinstance(default, bool) else setting.among
    values |= _choices(ctx.params.get("model"))
    return _pairs(values, begin)


def reader_settings(ctx: click.Context, begin: str) -> Items:
    from gaitid.model.settings import READER

    return _pairs({key: setting.among for key, setting in READER.items()}, begin)


def tolerances(ctx: click.Context, begin: str) -> Items:
    from gaitid.check.limits import TOLERANCES

    return _pairs(dict.fromkeys(TOLERANCES, ()), begin)


def max_uncertainty(ctx: click.Context, begin: str) -> Items:
    from gaitid.uncertainty.usable import QUANTITIES

    return _pairs(dict.fromkeys(QUANTITIES, ()), begin)


def _choices(model: object) -> dict[str, tuple[str, ...]]:
    """The choices that a model declares, with their options; of all bundled models where none is named yet."""
    own = Path(str(model)) if model else None
    named = [path for path in bundled_files("configs") if path.stem == str(model).removesuffix(".yaml")]
    found: dict[str, tuple[str, ...]] = {}
    for path in [own] if own is not None and own.is_file() else named or bundled_files("configs"):
        for key, options in _declared(path).items():
            found[key] = tuple(dict.fromkeys((*found.get(key, ()), *options)))
    return found


def _declared(path: Path, depth: int = 0) -> dict[str, tuple[str, ...]]:
    """The choices of a model's file with those that it inherits: read without a check, which would take long."""
    content = _content(path)
    parent = content.get("extends")
    found = {} if not isinstance(parent, str) or depth > 8 else _declared(_beside(path, parent), depth + 1)
    choices = content.get("choices")
    for key, choice in (choices if isinstance(choices, dict) else {}).items():
        if not isinstance(choice, dict):  # null takes it away
            found.pop(str(key), None)
            continue
        options = [choice.get("options")]
        if isinstance(shared := choice.get("options_from"), str):
            options.append(_content(_beside(path, shared)).get("options"))
        names = {str(name): option for of in reversed(options) if isinstance(of, dict) for name, option in of.items()}
        known = (*found.get(str(key), ()), *names)
        found[str(key)] = tuple(dict.fromkeys(name for name in known if names.get(name, "") is not None))
    return found


def _beside(path: Path, name: str) -> Path:
    """A file that another names: beside it, or bundled, with or without its suffix."""
    places = (
        folder / f"{name}{suffix}" for folder in (path.parent, bundled_folder("configs")) for suffix in ("", ".yaml")
    )
    return next((place for place in places if place.is_file()), path.parent / name)


def _content(path: Path) -> dict[str, Any]:
    """What a YAML file holds; nothing where it cannot be read."""
    import yaml

    try:
        content = yaml.load(path.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    return content if isinstance(content, dict) else {}


def _pairs(values: dict[str, tuple[str, ...]], begin: str) -> Items:
    key, equals, typed = begin.partition("=")
    if not equals:
        return [CompletionItem(f"{name}=", type="open") for name in values if name.startswith(begin)]
    return [CompletionItem(f"{key}={word}") for word in values.get(key, ()) if word.startswith(typed)]


_NAMES: dict[str, Callable[[click.Context, str], Items]] = {
    function.__name__: function
    for function in (
        *(models, mechanisms, scenarios, norms, figures, settings, reader_settings, tolerances),
        max_uncertainty,
    )
}


def complete(kind: str, ctx: click.Context, begin: str) -> Items:
    """What begins so, of a kind that a command asks for (`gaitid.cli.common.completed`)."""
    if kind in _SUFFIXES:
        return _files(begin, _SUFFIXES[kind])
    if kind == "folders":
        return [CompletionItem(begin, type="dir")]
    if kind in ("marker_sets", "limits"):
        return _named(_stems(f"configs/{kind}"), begin)
    if kind == "sides":
        return _pairs({"left": ("none",), "right": ("none",)}, begin)
    return _NAMES[kind](ctx, begin)
