"""A comparison in words: the sentence that comes first, names of curves, who knows what the other does not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.check.findings import unit_of
from gaitid.compare.comparison import Comparison
from gaitid.compare.curves import RESULT, SESSION, Curves
from gaitid.compare.measures import Measured
from gaitid.compare.mixture import CONTACTS, ORDER
from gaitid.compare.sizes import FOLLOWS

MUSCLES = "envelope_percent"
QUANTITIES = {
    "angle_deg": "angles",
    "moment_Nm_per_kg": "moments",
    "moment_Nm": "joint moments",
    "power_W_per_kg": "powers",
    "force_N": "forces",
    "force_N_per_kg": "ground forces",
    MUSCLES: "muscles",
}
NAMES = {ingredient.key: ingredient.name for ingredient in ORDER} | {"remainder": "remainder"}
_ENDS = ("_envelope_percent", "_moment_Nm_per_kg", "_power_W_per_kg", "_N_per_kg", "_deg", "_Nm", "_N", "_m")
# Of the difference; where more is left over, that comes first.
_MOSTLY = 0.5
# So many contacts without a known load are named of a side.
_MOST = 3
# From this r on a curve has the shape of the other, or of its mirror image, and a range that is closer than `_UNIT`.
_ALIKE, _UNIT = 0.9, 0.2
# Of a difference that is a constant so much at least lies in its mean, and it is so large beside the curve's range.
_CONSTANT, _LARGE = 0.95, 0.15


def curve_name(column: str) -> str:
    """``left_knee_extension_moment_Nm_per_kg`` as ``left knee extension``."""
    end = next((end for end in _ENDS if column.endswith(end)), "")
    return column.removesuffix(end).replace("_", " ")


def amount(value: float, quantity: str) -> str:
    """A value with its unit, an unknown one as a dash."""
    return f"{number(value)} {unit_of(quantity)}".strip()


def number(value: float) -> str:
    """Three digits, a true minus sign, an unknown value as a dash."""
    if not math.isfinite(value):
        return "–"
    return f"{value:.3g}".replace("-", "−").replace("e−0", "e−")


def percent(share: float) -> str:
    """A signed share of 1 as whole percents, with a decimal below 1 %."""
    if not math.isfinite(share):
        return "–"
    value = 100 * share
    text = f"{value:.0f}" if abs(value) >= 0.95 or value == 0 else f"{value:.1f}"
    return f"{'0' if float(text) == 0 else text} %".replace("-", "−")


def pooled_rms(measured: Sequence[Measured]) -> float:
    """Of several curves over all their rows."""
    n = sum(m.n for m in measured)
    return math.sqrt(sum(m.n * m.rms**2 for m in measured) / n) if n else float("nan")


def differs_most(comparison: Comparison) -> tuple[str, Sequence[Measured]]:
    """The quantity whose difference is the largest share of its range, and its curves."""
    by_quantity = {q: [m for m in comparison.compared if m.quantity == q] for q in comparison.quantities}
    weights = {
        q: pooled_rms(result) / comparison.scales[q] for q, result in by_quantity.items() if q in comparison.scales
    }
    weights = {q: of for q, of in weights.items() if q != MUSCLES} or weights  # these change most from walk to walk
    if not weights:
        return "", ()
    quantity = max(weights, key=lambda q: weights[q])
    return quantity, by_quantity[quantity]


def verdict(comparison: Comparison) -> str:
    """What differs most, and why, in a sentence or two."""
    a, b = comparison.a.name, comparison.b.name
    if not comparison.compared:
        return f"{a} and {b} have no angle, moment, power or force that both know."
    quantity, measured = differs_most(comparison)
    if not quantity:
        n = len(comparison.compared)
        where = " where both are known" if _lost(comparison) else ""
        text = f"{a} and {b} are the same{where}: {n} curves agree within what counts as no change"
        return f"{text}. {coverage(comparison)}" if _lost(comparison) else f"{text}."
    rms = pooled_rms(measured)
    worst = max(measured, key=lambda m: abs(m.largest))
    text = (
        f"{a} and {b} differ most in {QUANTITIES[quantity]}: RMS {amount(rms, quantity)}, "
        f"{100 * rms / comparison.scales[quantity]:.2g} % of their range; most in {curve_name(worst.column)}, "
        f"{amount(worst.largest, quantity)} at {comparison.aligned.place(worst.at)}."
    )
    text = f"{text} {reasons(comparison)}"
    return f"{text} {coverage(comparison)}" if _lost(comparison) else text


def _lost(comparison: Comparison) -> int:
    """The most rows of a curve that one side knows alone."""
    return max((max(m.only_a, m.only_b) for m in _loaded(comparison)), default=0)


def _loaded(comparison: Comparison) -> list[Measured]:
    """Curves of both that depend on the loads on the feet."""
    return [m for m in comparison.shown if m.quantity in ("moment_Nm_per_kg", "moment_Nm", "power_W_per_kg")]


def coverage(comparison: Comparison) -> str:
    """How much one side knows alone, and which ingredients differ that decide on it."""
    worst = max(_loaded(comparison), key=lambda m: max(m.only_a, m.only_b))
    who = comparison.a.name if worst.only_a >= worst.only_b else comparison.b.name
    text = f"Up to {_lost(comparison)} rows of a curve ({curve_name(worst.column)}) are known in {who} alone"
    if comparison.explanation is None:
        return f"{text}."
    sizes = {part.ingredient: part.size for part in comparison.explanation.parts}
    of_contacts = sizes.pop(CONTACTS, "")
    others = [f"{i.name} ({size.partition('; ')[0]})" for i, size in sizes.items()]
    if not of_contacts or not others:
        return f"{text}: {CONTACTS.name} ({of_contacts})." if of_contacts else f"{text}."
    if FOLLOWS in of_contacts:
        return f"{text}: {others[0]} made other contacts."
    return f"{text}: {CONTACTS.name} ({of_contacts.partition('; ')[0]})."


def reasons(comparison: Comparison) -> str:
    """Which ingredient makes most of the difference, over all curves together, and how large it is itself."""
    if comparison.explanation is None:
        return " ".join([f"No reasons: {comparison.why_not}.", *shapes(comparison)])
    ranked = comparison.ranked()
    shares = comparison.shares()
    rest = shares["remainder"]
    sizes = {part.ingredient.key: part.size.partition("; ")[0] for part in comparison.explanation.parts}
    if not ranked:
        return f"No ingredient explains it: {percent(rest.share)} are left over."
    (first, share), *others = ranked
    if abs(rest.share) > _MOSTLY:
        head = f"{NAMES[first]} {percent(share.share)} ({sizes[first]})"
        return f"Why: {percent(rest.share)} of the difference of all curves is left over by all ingredients; {head}."
    text = f"Why: {NAMES[first]} first, {percent(share.share)} of the difference of all curves ({sizes[first]})"
    more = [f"{NAMES[key]} {percent(s.share)}" for key, s in others if abs(s.share) >= 0.005]
    if more:
        text += f"; then {', '.join(more)}"
    return f"{text}; {percent(rest.share)} left over."


def shapes(comparison: Comparison) -> list[str]:
    """What the curves themselves say where no ingredient can be exchanged: turned signs, units and constants.

    They leave the shape of a curve as it is: r stays near 1 or -1, and what is left is a factor or a constant. Two
    results of gaitid have one convention: between them such a difference is one of people or sessions.
    """
    if {comparison.a.kind, comparison.b.kind} <= {RESULT, SESSION}:
        return []
    masses = [curves.mass_kg for curves in (comparison.a, comparison.b) if curves.mass_kg > 0]
    results: dict[str, list[str]] = {}
    for m in comparison.compared:
        if what := _shape(m, masses[0] if masses else math.nan):
            results.setdefault(what, []).append(curve_name(m.column))
    more = {what: f" and {len(of) - _MOST} more" if len(of) > _MOST else "" for what, of in results.items()}
    return [f"{what}: {', '.join(of[:_MOST])}{more[what]}." for what, of in results.items()]


def _shape(m: Measured, mass_kg: float) -> str:
    if m.same or not abs(m.r) >= _ALIKE or not (m.range_a > 0 and m.range_b > 0):
        return ""
    turned = "Of the other sign" if m.r < 0 else ""
    factor, units = m.range_b / m.range_a, {"a thousand times": 1000.0, "a thousandth": 0.001}
    if m.quantity == "angle_deg":
        units |= {"57.3 times (degrees taken as radians)": math.degrees(1.0)}
        units |= {"1/57.3 (radians taken as degrees)": math.radians(1.0)}
    else:
        units |= {f"1/{mass_kg:.3g} (divided by the body's mass twice)": 1 / mass_kg}
        units |= {f"{mass_kg:.3g} times (not divided by the body's mass)": mass_kg}
    near = [words for words, of_unit in units.items() if abs(factor / of_unit - 1) < _UNIT]
    if near:
        return f"{turned or 'Of the same shape'}, and in B {near[0]} what it is in A"
    if turned:
        return f"{turned} in B"
    constant = abs(m.bias) >= _CONSTANT * m.rms and abs(m.bias) > _LARGE * m.range_a
    return "Of the same shape, and a constant apart (another zero, or other axes of a segment)" if constant else ""


def known_on_one_side(comparison: Comparison) -> list[str]:
    """Curves that one side knows in rows in which the other does not, and what its contacts say of it."""
    lines = []
    for who, other, key in ((comparison.a, comparison.b, "only_a"), (comparison.b, comparison.a, "only_b")):
        for quantity in dict.fromkeys(m.quantity for m in comparison.shown):
            counts = [getattr(m, key) for m in comparison.shown if m.quantity == quantity]
            if any(counts):
                n = int(np.max(counts))
                lines.append(f"{QUANTITIES[quantity]}: up to {n} rows of a curve are known in {_which(who, key)} alone")
        if any(getattr(m, key) for m in comparison.shown if m.quantity != "angle_deg"):
            lines += [f"  {other.name}: {text}" for text in _unknown_loads(other)]
    for who, columns in ((comparison.a, comparison.aligned.only_a), (comparison.b, comparison.aligned.only_b)):
        shown = [curve_name(c) for c in columns if c.endswith(("_deg", "_per_kg")) or "_ground_force_" in c]
        if shown:
            some = ", ".join(shown[:6]) + (f" and {len(shown) - 6} more" if len(shown) > 6 else "")
            lines.append(f"curves of {_which(who, 'only_a' if who is comparison.a else 'only_b')} alone: {some}")
    return lines


def _which(curves: Curves, key: str) -> str:
    return f"{curves.name} ({'A' if key == 'only_a' else 'B'})"


def _unknown_loads(curves: Curves) -> list[str]:
    contacts = [c for c in curves.record.get("contacts", []) if not c.get("plates")]
    contacts.sort(key=lambda c: "no plate measures" in str(c.get("reason")))
    words = [f"{c['side']} foot, frames {c['first_frame']} to {c['last_frame']}: {c.get('reason')}" for c in contacts]
    return words[:_MOST] + ([f"and {len(words) - _MOST} more contacts"] if len(words) > _MOST else [])


def beyond(comparison: Comparison, tolerances: Mapping[str, float]) -> list[str]:
    """What lies beyond tolerances, a line each; also a quantity of which nothing was compared."""
    lines = []
    for quantity, limit in tolerances.items():
        results = [m for m in comparison.measured if m.quantity == quantity and m.n]
        if not results:
            lines.append(f"{quantity}: nothing of it was compared")
            continue
        over = [m for m in results if not abs(m.largest) <= limit]
        if over:
            worst = max(over, key=lambda m: abs(m.largest))
            more = f" (+{len(over) - 1} curve{'s' if len(over) > 2 else ''})" if len(over) > 1 else ""
            where = f"{worst.column} differs by {amount(worst.largest, quantity)}"
            lines.append(f"{where} at {comparison.aligned.place(worst.at)}, beyond {limit:g}{more}")
    return lines
