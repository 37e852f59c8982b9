"""How far two results lie apart in each ingredient itself, in words: millimetres, degrees, Hz."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.analysis.applied_loads import summed
from gaitid.analysis.result import Result
from gaitid.body.subject_file import content_of_subject
from gaitid.compare.mixed_loads import foot_on_plates
from gaitid.compare.mixture import (
    AXES,
    CENTRES,
    CONTACTS,
    EXPRESSION,
    LOADS,
    ORDER,
    PARAMETERS,
    PLATES,
    RECORDING,
    STATIC,
    SUBJECT,
    VERTICAL,
    Ingredient,
    Mixtures,
    differing,
)
from gaitid.errors import GaitidError
from gaitid.model import specs
from gaitid.numerics.rotation import angle_between
from gaitid.trial import Array, ForcePlate

# m, deg, shares: what differs by less is the same but for rounding.
_MM, _DEG, _SHARE = 1e-6, 1e-4, 1e-6
#: Of what other files define, where nothing is seen of it.
BY_ANOTHER = "defined by another model, without a difference of its own"
#: Of what needs another ingredient of the same result.
ONLY_TOGETHER = "together with what else differs"
#: Of contacts that were judged alike.
FOLLOWS = "this follows from what else differs"
# So many values of a kind are named.
_MOST = 4
_UNITS = {"_hz": " Hz", "_N": " N", "_mm": " mm", "_s": " s", "_mm2": " mm²"}


def sizes(mixtures: Mixtures) -> dict[str, str]:
    """What differs in each ingredient, by its key, A's value first; ingredients that are the same are left out."""
    results: dict[str, str] = {}
    for ingredient in ORDER:
        parts = [_setting(*pair) for pair in differing(ingredient, mixtures.first.settings, mixtures.second.settings)]
        if special := _SPECIAL.get(ingredient.key):
            try:
                parts = [*special(mixtures), *parts]
            except GaitidError:  # a hip from functional trials, on markers and a subject without any
                parts = [*_in_the_results(mixtures, ingredient), *parts]
        if not parts and ingredient.of_body and mixtures.other_definitions:
            parts = [BY_ANOTHER]
        if parts:
            results[ingredient.key] = "; ".join(parts)
    return results


def _in_the_results(mixtures: Mixtures, ingredient: Ingredient) -> list[str]:
    """What stands for the size of an ingredient that cannot be had by itself."""
    if ingredient != CENTRES:
        return [ONLY_TOGETHER]
    results = mixtures.first.result, mixtures.second.result

    def apart() -> Iterator[tuple[str, float]]:
        for side in mixtures.sides:
            ours, theirs = (result.sides[side].joints_g for result in results)
            for joint in ours.keys() & theirs.keys():
                yield f"{side} {joint}", 1e3 * _mean(np.linalg.norm(ours[joint] - theirs[joint], axis=1))

    return [f"{words}, {ONLY_TOGETHER}" for words in _largest(apart(), "mm", 1e3 * _MM)] or [ONLY_TOGETHER]


def _setting(name: str, a: object, b: object) -> str:
    words = name.replace("_", " ")
    unit = next((u for end, u in sorted(_UNITS.items(), key=lambda x: -len(x[0])) if name.endswith(end)), "")
    if unit:
        words = words.rsplit(" ", 1)[0]
    return f"{words} {_value(a, unit)} and {_value(b, unit)}"


def _value(value: object, unit: str) -> str:
    if isinstance(value, float):
        return f"{value:g}{unit}"
    return "none" if value is None else str(value).replace("_", " ")


# --- the body ---------------------------------------------------------------------------------------------------


def _largest(items: Iterator[tuple[str, float]], unit: str, least: float) -> list[str]:
    """The largest of named sizes, in words."""
    results = sorted((item for item in items if item[1] > least), key=lambda item: -item[1])
    if not results:
        return []
    words = ", ".join(f"{name} {size:.3g} {unit}" for name, size in results[:_MOST])
    return [words + (f" and {len(results) - _MOST} more" if len(results) > _MOST else "")]


def _mean(values: Array) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else 0.0


def _centres(mixtures: Mixtures) -> list[str]:
    if mixtures.mixable:
        return [mixtures.mixable]
    first, second = mixtures.geometry(mixtures.first), mixtures.geometry(mixtures.second)
    names = {body.joint: body.centre for body in mixtures.second.model.chain}

    def apart() -> Iterator[tuple[str, float]]:
        for side in mixtures.sides:
            for body in mixtures.first.model.chain:
                d = first.point(body.centre, side) - second.point(names[body.joint], side)
                yield f"{side} {body.joint}", 1e3 * _mean(np.linalg.norm(d, axis=1))

    return _largest(apart(), "mm", 1e3 * _MM)


def _axes(mixtures: Mixtures) -> list[str]:
    if mixtures.mixable:
        return [mixtures.mixable]
    first, second = (mixtures.geometry(made, about=mixtures.first) for made in (mixtures.first, mixtures.second))
    models = mixtures.first.model, mixtures.second.model
    names = {body.segment: body.frame for body in models[1].chain}

    def apart() -> Iterator[tuple[str, float]]:
        pelvis = first.frame(models[0].base.frame).R_gs, second.frame(models[1].base.frame).R_gs
        yield models[0].base.segment, _turn(*pelvis)
        for side in mixtures.sides:
            for body in models[0].chain:
                frames = first.frame(body.frame, side).R_gs, second.frame(names[body.segment], side).R_gs
                yield f"{side} {body.segment}", _turn(*frames)

    return _largest(apart(), "deg", _DEG)


def _turn(a: Array, b: Array) -> float:
    """Mean angle between two frames, deg: of each axis the angle to the other's; the largest of the three."""
    turns = [_mean(np.degrees(angle_between(a[..., i], b[..., i]))) for i in range(3)]
    return max(turns)


def _parameters(mixtures: Mixtures) -> list[str]:
    a, b = mixtures.first.model, mixtures.second.model
    if mixtures.mixable:
        return [mixtures.mixable]
    rows = {body.segment: body.row for body in b.chain}
    parts = []
    for body in a.chain:
        of_side = {
            side: ", ".join(_changed(a.table.row(body.row, side), b.table.row(rows[body.segment], side)))
            for side in mixtures.sides
        }
        unchanged = len(set(of_side.values())) == 1
        text = {"": next(iter(of_side.values()), "")} if unchanged else of_side
        parts += [f"{f'{side} {body.segment}'.strip()}: {changed}" for side, changed in text.items() if changed]
    parts += _masses(mixtures)
    if parts and a.table.name != b.table.name:
        parts = [f"tables {a.table.name} and {b.table.name}", *parts]
    return parts


def _masses(mixtures: Mixtures) -> list[str]:
    """How far the centres of mass lie apart on the same joints and axes, where not by the table alone."""
    ours, theirs = (mixtures.centres_of_mass(made) for made in (mixtures.first, mixtures.second))

    def apart() -> Iterator[tuple[str, float]]:
        for side, segment in ours:
            d = ours[side, segment] - theirs[side, segment]
            yield f"{side} {segment}", 1e3 * _mean(np.linalg.norm(d, axis=1))

    return [f"centres of mass {words}" for words in _largest(apart(), "mm", 1e3 * _MM)]


_ROW = {
    "mass_fraction": "mass",
    "mass_kg": "mass, kg,",
    "com_fraction": "centre of mass",
    "com_fractions": "centre of mass in space",
    "com_m": "centre of mass in space, m,",
    "gyration_fractions": "radii of gyration",
    "inertia_kg_m2": "inertia",
}


def _changed(ours: specs.SegmentParameters, theirs: specs.SegmentParameters) -> list[str]:
    """What two rows differ in, with both values."""
    return [
        f"{name} {_row_value(getattr(ours, key))} and {_row_value(getattr(theirs, key))}"
        for key, name in _ROW.items()
        if _apart(getattr(ours, key), getattr(theirs, key))
    ]


def _apart(a: object, b: object) -> bool:
    """Whether two cells of a table differ; what neither gives (NaN) is the same."""
    return a != b and not (a != a and b != b)


def _row_value(value: object) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(f"{v:g}" if isinstance(v, float | int) else "…" for v in value) + ")"
    return f"{value:g}" if isinstance(value, float) and value == value else "none"


# --- subject and static -----------------------------------------------------------------------------------------


def _subject(mixtures: Mixtures) -> list[str]:
    """Values that differ with the same static: the first's model and static, and either's subject."""
    parts = _measured(mixtures, SUBJECT.key)
    ours, theirs = (_carried(made.subject) for made in (mixtures.first, mixtures.second))
    joints = sorted(key for key in {*ours, *theirs} if ours.get(key) != theirs.get(key))
    if joints:
        parts.append(f"measured otherwise: {', '.join(key.replace('_', ' ') for key in joints[:_MOST])}")
    return parts


def _carried(subject: Path | Mapping[str, Any] | None) -> dict[str, object]:
    """What a subject file says that no number of `Subject` holds: joints of functional trials, weighed segments."""
    if subject is None:
        return {}
    content = content_of_subject(subject)
    if not isinstance(content, Mapping):
        return {}
    section = content.get("calibration")
    joints = section.get("functional") if isinstance(section, Mapping) else None
    parts = joints, content.get("segments")
    return {str(k): v for part in parts if isinstance(part, Mapping) for k, v in part.items()}


def _static(mixtures: Mixtures) -> list[str]:
    first, second = mixtures.first.pipeline.static, mixtures.second.pipeline.static
    if first is None and second is None:
        return []
    if (
        first is not None
        and second is not None
        and first.labels == second.labels
        and np.array_equal(first.points_g, second.points_g, equal_nan=True)
    ):
        return [] if first.parameters == second.parameters else _measured(mixtures, STATIC.key)
    names = " and ".join("none" if s is None else s.path.name for s in (first, second))
    return [f"static {names}", *_measured(mixtures, STATIC.key)]


def _measured(mixtures: Mixtures, key: str) -> list[str]:
    a, b = mixtures.numbers(frozenset()), mixtures.numbers(frozenset([key]))
    angles = {name for name, m in mixtures.first.model.subject.items() if m.unit == "rad"}
    turned, lengths, others = [], [], []
    for name, value in a.items():
        other = b.get(name, float("nan"))
        if not abs(other - value) > _SHARE * max(abs(value), abs(other)):
            continue
        bare, words = name.rpartition(".")[2], name.replace(".", " ").replace("_", " ")
        if bare in angles:
            turned.append((words, abs(float(np.degrees(other - value)))))
        elif bare in ("mass", "age"):
            others.append(f"{words} {value:g} and {other:g}")
        else:
            lengths.append((words, 1e3 * abs(other - value)))
    return [*others, *_largest(iter(lengths), "mm", 0.0), *_largest(iter(turned), "deg", 0.0)]


# --- plates, contacts, the laboratory ---------------------------------------------------------------------------


def _plates(mixtures: Mixtures) -> list[str]:
    first, second = ({p.number: p for p in m.result.trial.plates} for m in (mixtures.first, mixtures.second))
    parts = []
    for number in sorted(first.keys() | second.keys()):
        if number not in first or number not in second:
            parts.append(f"plate {number} is in one alone")
        else:
            parts += [f"plate {number} {words}" for words in _plate_words(first[number], second[number])]
    return parts


def _plate_words(a: ForcePlate, b: ForcePlate) -> Iterator[str]:
    if a.outlined and b.outlined and not np.allclose(a.corners_g, b.corners_g, atol=_MM):
        moved = 1e3 * float(np.linalg.norm(a.corners_g.mean(axis=0) - b.corners_g.mean(axis=0)))
        x = [p.corners_g[0] + p.corners_g[3] - p.corners_g[1] - p.corners_g[2] for p in (a, b)]
        turned = float(np.degrees(angle_between(x[0][None], x[1][None])[0]))
        if turned > _DEG:
            yield f"turned by {turned:.3g} deg"
        if moved > 1e3 * _MM:
            yield f"moved by {moved:.3g} mm"
    if not np.allclose(a.sensor_p, b.sensor_p, atol=_MM):
        yield f"with its origin {1e3 * float(np.linalg.norm(a.sensor_p - b.sensor_p)):.3g} mm off"
    if a.force_p.shape != b.force_p.shape or a.rate_hz != b.rate_hz:
        yield f"at {a.rate_hz:g} and {b.rate_hz:g} Hz"
    elif not np.allclose(a.force_p, b.force_p, rtol=1e-6, atol=1e-3, equal_nan=True):
        off = np.abs(np.linalg.norm(a.force_p - b.force_p, axis=1))
        yield f"with forces up to {float(np.nanmax(off)):.3g} N apart"
    elif not np.allclose(a.moment_p, b.moment_p, rtol=1e-6, atol=1e-3, equal_nan=True):
        yield "with other moments"


def _contacts(mixtures: Mixtures) -> list[str]:
    results = mixtures.first.result, mixtures.second.result
    parts = _by_hand_words(mixtures)
    for side in mixtures.sides:
        placements = [{s.plates: s for s in foot_on_plates(result, side)} for result in results]
        states = [result.sides[side].load.state for result in results]
        n = int((states[0] != states[1]).sum())
        plates = [" and ".join("+".join(map(str, p)) for p in one) or "none" for one in placements]
        if n:
            which = f" (plates {plates[0]}, then {plates[1]})" if plates[0] != plates[1] else ""
            parts.append(f"{side} foot otherwise in {n} frames{which}")
    if parts and follows(mixtures):
        parts.append(FOLLOWS)
    return parts


def _by_hand_words(mixtures: Mixtures) -> list[str]:
    """What differs of what the user says of feet, and of the file's events."""
    first, second = mixtures.first, mixtures.second
    parts = ["feet given by hand otherwise"] if first.pipeline.by_hand != second.pipeline.by_hand else []
    times = [sorted((e.side, e.name, e.time_s) for e in made.result.trial.events) for made in (first, second)]
    if times[0] != times[1] and not second.contacts_given:
        parts.append(f"{len(times[0])} and {len(times[1])} events in the files, at other times")
    return parts


def follows(mixtures: Mixtures) -> bool:
    """Whether contacts were judged alike: where they differ, other ingredients made them."""
    first, second = mixtures.first, mixtures.second
    events = [(e.name, e.side, e.time_s) for e in first.result.trial.events]
    same_events = events == [(e.name, e.side, e.time_s) for e in second.result.trial.events]
    judged_alike = (
        not differing(CONTACTS, first.settings, second.settings) and first.pipeline.by_hand == second.pipeline.by_hand
    )
    return same_events and judged_alike and not second.contacts_given


def _loads(mixtures: Mixtures) -> list[str]:
    ours, theirs = (summed(made.result.applied_loads) for made in (mixtures.first, mixtures.second))
    parts = [f"a load on {' '.join(filter(None, key))} in one alone" for key in ours.keys() ^ theirs.keys()]

    def apart() -> Iterator[tuple[str, float]]:
        for key in ours.keys() & theirs.keys():
            off = np.linalg.norm(ours[key].f_g - theirs[key].f_g, axis=1)
            yield f"the load on {' '.join(filter(None, key))}", float(np.nanmax(off, initial=0.0))

    return [*sorted(parts), *_largest(apart(), "N", 1e-3)]


def _vertical(mixtures: Mixtures) -> list[str]:
    ups = [made.result.body.geometry.up_g for made in (mixtures.first, mixtures.second)]
    turned = float(np.degrees(angle_between(ups[0][None], ups[1][None])[0]))
    return [f"vertical {turned:.3g} deg apart"] if turned > _DEG else []


def _expression(mixtures: Mixtures) -> list[str]:
    a, b = mixtures.first.result, mixtures.second.result
    parts = []
    if a.model.progression != b.model.progression:
        parts.append("another direction of progression" + _turned_forward(a, b))
    for kind in ("angles", "moments"):
        ours, theirs = getattr(a.model, kind), getattr(b.model, kind)
        changed = [name for name in ours if name in theirs and _defined(ours[name]) != _defined(theirs[name])]
        if changed:
            parts.append(f"{kind} of {', '.join(c.replace('_', ' ') for c in changed)} by other axes or formulas")
    return parts


def _turned_forward(a: Result, b: Result) -> str:
    frames = [np.broadcast_to(result.body.R_gp, (2, 3, 3)) for result in (a, b) if result.body.R_gp.ndim == 2]
    return f" ({_turn(frames[0], frames[1]):.3g} deg)" if len(frames) == 2 else ""


def _defined(spec: object) -> tuple[object, ...]:
    """What an angle or a moment says, with its formulas as text."""
    values: list[object] = []
    for value in spec:  # type: ignore[attr-defined]
        if isinstance(value, Mapping):
            values.append(tuple((key, getattr(formula, "text", formula)) for key, formula in value.items()))
        else:
            values.append(value)
    return tuple(values)


def _recording(mixtures: Mixtures) -> list[str]:
    trials = mixtures.first.result.trial, mixtures.second.result.trial

    def apart() -> Iterator[tuple[str, float]]:
        for label in trials[0].labels:
            if all(trial.has(label) for trial in trials):
                d = np.linalg.norm(trials[0].marker(label) - trials[1].marker(label), axis=1)
                yield label, 1e3 * _mean(d)

    return _largest(apart(), "mm", 1e3 * _MM)


_SPECIAL: Mapping[str, Callable[[Mixtures], list[str]]] = {
    CENTRES.key: _centres,
    AXES.key: _axes,
    PARAMETERS.key: _parameters,
    SUBJECT.key: _subject,
    STATIC.key: _static,
    PLATES.key: _plates,
    CONTACTS.key: _contacts,
    LOADS.key: _loads,
    VERTICAL.key: _vertical,
    EXPRESSION.key: _expression,
    RECORDING.key: _recording,
}
