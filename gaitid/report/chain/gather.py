"""Which of the files given are of chains, what is drawn of a result that `gaitid run` wrote of one, and the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.analysis.joint_power import energies
from gaitid.analysis.joint_space import joint_space
from gaitid.analysis.result import Result as Analysed
from gaitid.errors import GaitidError
from gaitid.report.chain import (
    SUFFIX,
    Chain,
    Curve,
    Drawn,
    Panel,
    Stick,
    component_panels,
    energy_panel,
    moving,
    panels_of,
    parts_panels,
    truth_drawn,
)
from gaitid.report.page.compose import SCENE_BYTES
from gaitid.report.page.engineer import folded, notes_by_severity
from gaitid.report.page.head import taken_by_default, verdict
from gaitid.report.page.messages import in_mean, notes
from gaitid.report.panels import CHAIN_FIGURES
from gaitid.report.scene.attach import far_end
from gaitid.report.scene.moving import seen_of
from gaitid.report.text import number, render
from gaitid.results.result import Result, records_below
from gaitid.trial import Array


def chain_sources(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The truths of simulated trials among files and folders, and all else.

    A folder stands for the truths below it where no result is.
    """
    truths: list[Path] = []
    others: list[Path] = []
    for path in paths:
        if path.is_dir():
            results = sorted(path.rglob(f"?*{SUFFIX}"))
            if results and not records_below(path):
                truths += results
                continue
        (truths if path.name.endswith(SUFFIX) else others).append(path)
    return list(dict.fromkeys(truths)), others


def gather(truths: Sequence[Path], results: Sequence[Result], say: Callable[[str], None]) -> list[Chain]:
    """What is drawn of each; `say` is told what is worked on.

    Raises
    ------
    GaitidError
        A file that is not whole, or of which nothing can be drawn.
    """
    chains = []
    for path in truths:
        say(f"reading {path.name}")
        chains.append(Chain(truth_drawn(path)))
    for result in results:
        say(f"analysing {result.stem} again")
        drawn = run_drawn(result)
        if not drawn.names:
            raise GaitidError(
                f"{result.path.with_name(f'{result.stem}.joints.csv')}: nothing that a report draws",
                expected="ground reactions, angles, moments, powers, or wrenches of joints",
            )
        chains.append(Chain(drawn, result))
    return chains


_WRENCH = re.compile(
    r"(?P<joint>\w+)_(?P<quantity>force|moment)_global_(?P<axis>[xyz])(?:_(?P<part>[a-z_]+))?_(?P<unit>N|Nm)"
)
_FIGURES = {"force": ("forces", "force_contributions", "N"), "moment": ("moments", "contributions", "N·m")}


def run_drawn(result: Result) -> Drawn:
    """What is drawn of a result; what needs its trial is left out where that cannot be analysed again, and told.

    Parameters
    ----------
    result : Result
    """
    figures: dict[str, list[Panel]] = {}
    texts: list[str] = []
    seen = seen_of(result)
    sticks: list[Stick] = []
    up = 2
    one_side = len(result.sides) == 1
    if seen.moving is None:
        texts.append(f"Stick figure, energies and torques along the coordinates: {seen.why_not}")
        figures["coordinates"] = _angles(result)
    else:
        again = seen.moving.result
        sticks, up = _sticks(again, one_side), int(np.argmax(np.abs(again.ground.floor.up_g)))
        texts += _of_coordinates(again, figures, one_side)
        of_all = energies(again)
        figures["energies"] = [energy_panel(of_all.kinetic_J, of_all.potential_J)]
    _of_wrenches(result, figures, one_side)
    return Drawn(
        name=result.stem,
        title=str(result.record_at("model", "title") or ""),
        facts=(("Recorded", f"{len(result.frame)} frames at {number(1 / result.step_s)} Hz"),),
        time_s=result.time_s,
        up=up,
        sticks=tuple(sticks),
        figures={name: tuple(panels) for name, panels in figures.items() if panels},
        remarks=tuple(texts),
    )


def _words(name: str, one_side: bool) -> str:
    """A joint's or coordinate's name in words, without its side where there is only one."""
    side, _, rest = name.partition("_")
    return (rest if one_side and side in ("left", "right") and rest else name).replace("_", " ")


def _angles(result: Result) -> list[Panel]:
    values = {name: values for name, values in result.joints.items() if name.endswith("_deg")}
    one_side = len(result.sides) == 1
    moves, _ = moving(values)
    return panels_of(
        "", "angle (°)", [Curve(_words(name.removesuffix("_deg"), one_side), values[name]) for name in moves]
    )


def _of_coordinates(again: Analysed, figures: dict[str, list[Panel]], one_side: bool) -> list[str]:
    """Coordinates, rates and torques into the figures; what is told of them."""
    try:
        space = joint_space(again)
    except GaitidError as error:
        return [f"Coordinates and what acts along them: {error.line()}"]
    texts = []
    kinds = ((True, "angle", "°", 180 / np.pi, "torque (N·m)"), (False, "position", "m", 1.0, "force (N)"))
    for turns, quantity, unit, factor, load in kinds:
        index = {name: i for i, name in enumerate(space.coordinates) if space.turns[i] is turns}
        moves, held = moving({name: space.q[:, i] for name, i in index.items()})
        words = {name: _words(name, one_side) for name in index}
        words |= {name: _words(_joint_of(name), one_side) for name in moves if _alone(name, moves)}
        for figure, values, label in (
            ("coordinates", factor * space.q, f"{quantity} ({unit})"),
            ("rates", factor * space.qd, f"rate ({unit}/s)"),
            ("torques", space.tau, load),
        ):
            curves = [Curve(words[name], values[:, index[name]]) for name in moves]
            figures[figure] = figures.get(figure, []) + panels_of("", label, curves)
        if held:
            texts.append(f"Does not move: {', '.join(words[name] for name in held)}.")
    return texts


def _joint_of(coordinate: str) -> str:
    return re.sub(r"_(turn|slide)_[xyz]$", "", coordinate)


def _alone(coordinate: str, moves: Sequence[str]) -> bool:
    """Whether a coordinate is the only one of its joint that moves."""
    return sum(_joint_of(other) == _joint_of(coordinate) for other in moves) == 1


def _of_wrenches(result: Result, figures: dict[str, list[Panel]], one_side: bool) -> None:
    """Forces and moments of all joints into the figures, and what they are made of where the run was asked for it."""
    results = {name: match for name in result.headers["wrenches"] if (match := _WRENCH.fullmatch(name))}
    values = result.numbers("wrenches", results)
    vectors: dict[tuple[str, str, str], Array] = {}
    for name, match in reversed(list(results.items())):  # from the base outward
        key = (match["quantity"], _words(match["joint"], one_side), match["part"] or "")
        vectors.setdefault(key, np.full((len(result.frame), 3), np.nan))
        vectors[key][:, "xyz".index(match["axis"])] = values[name]
    for quantity, (whole_figure, part_figure, unit) in _FIGURES.items():
        wholes = {joint: v for (q, joint, part), v in vectors.items() if q == quantity and not part}
        parts: dict[str, dict[str, Array]] = {}
        for (q, joint, part), v in vectors.items():
            if q == quantity and part:
                parts.setdefault(joint, {})[part.replace("_", " ")] = v
        figures[whole_figure] = component_panels(wholes, f"{quantity} ({unit})")
        figures[part_figure] = parts_panels(wholes, _only_finite(parts), quantity, unit)


def _only_finite(parts: Mapping[str, Mapping[str, Array]]) -> dict[str, dict[str, Array]]:
    """Without those that are nowhere known, in the order of the table again."""
    return {
        joint: {name: v for name, v in reversed(list(of_joint.items())) if np.isfinite(v).any()}
        for joint, of_joint in parts.items()
    }


def _sticks(again: Analysed, one_side: bool) -> list[Stick]:
    """The segments of every side from joint to joint, and the base where it moves with them."""
    model = again.model
    sticks = []
    for side, leg in again.sides.items():
        for i, spec in enumerate(model.chain):
            if spec.segment not in leg.motions:
                continue
            hanging = [other.joint for other, above in zip(model.chain, model.proximal, strict=True) if above == i]
            ends = tuple(leg.joints_g[joint] for joint in hanging) or (far_end(again, side, i),)
            name = _words(f"{side}_{spec.segment}", one_side)
            sticks.append(Stick(name, leg.joints_g[spec.joint], ends, model.proximal[i] is None, not hanging))
    roots = [stick.start_g for stick in sticks if stick.rooted]
    if again.base_body is not None and roots:
        sticks.append(Stick(model.base.segment, again.base.com_g, tuple(roots), False, False))
        sticks = [Stick(s.name, s.start_g, s.ends_g, False, s.free) for s in sticks]
    return sticks[::-1]


_WIDTH_MM = 190.0
_PROLOGUE = re.compile(r"^.*?(?=<svg )", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)


def chain_page(chains: Sequence[Chain], say: Callable[[str], None]) -> str:
    """The page, with an article for each chain; `say` is told what is worked on."""
    names = [chain.drawn.name for chain in chains]
    articles = []
    for i, chain in enumerate(chains):
        say(names[i])
        articles.append(_article(chain, f"s{i}", SCENE_BYTES // len(chains)))
    views = None
    if any(chain.result is not None for chain in chains):
        from gaitid.report.scene import SCENE_CSS, SCENE_JS

        views = (SCENE_CSS, SCENE_JS)
    commands = dict.fromkeys("gaitid simulate" if chain.result is None else "gaitid run" for chain in chains)
    heading = names[0] if len(chains) == 1 else f"{len(chains)} trials"
    made_by = " and ".join(commands)
    return render(
        "report/chain/page.html", heading=heading, titles=names, made_by=made_by, views=views, articles=articles
    )


def _article(chain: Chain, key: str, scene_bytes: int) -> dict[str, Any]:
    """What the article of a chain holds, by the names of ``page.html``."""
    drawn, result = chain.drawn, chain.result
    of: dict[str, Any] = {
        "kind": "Simulated chain: its truth",
        "drawn": drawn,
        "facts": {"System": drawn.title} | dict(drawn.facts),
        "pictures": _pictures(drawn),
        "result": result,
    }
    if result is not None:
        from gaitid.report.scene import scene_html  # it brings all that a run needs

        model = f"{result.record_at('model', 'name')} – {drawn.title}"
        facts = {"Model": model, "Software": f"gaitid {result.record_at('gaitid')}"}
        of |= {
            "kind": "Chain report",
            "facts": facts | dict(drawn.facts),
            "verdict": verdict(in_mean([result]), "side"),
            "assumed": [note.words for note in notes([result], ("assumption",))],
            "defaults": taken_by_default([result], None),
            "scene": scene_html([result], scene_bytes, [f"{key}-r"]),
            "folded": folded([result]),
            "notes": notes_by_severity([result]),
        }
    return of


def _pictures(drawn: Drawn) -> dict[str, tuple[str, str]]:
    """By the names of figures their headings, and elements of SVG without their first word."""
    from gaitid.report.pictures.chain import picture  # matplotlib

    results = {}
    for name in drawn.names:
        svg = picture(drawn, (name,), _WIDTH_MM, "svg").decode("utf-8")
        svg = _METADATA.sub("", _PROLOGUE.sub("", svg))
        results[name] = CHAIN_FIGURES[name], svg.removeprefix("<svg ")
    return results
