"""Tables of sessions or subjects beside each other: who they are, figures of strides, features, and differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gaitid.notes.message import DO_NOT_USE
from gaitid.report.difference import LEAST_CYCLES, critical_t, own_differences, variance_of
from gaitid.report.gathering import people
from gaitid.report.lines import Member
from gaitid.report.page.figures_table import FEATURES, SPATIOTEMPORAL, Row, speeds_of, strides
from gaitid.report.page.told import LEVEL_CLASS, agreed, in_words, model_of, named, names_of, reasons, verdicts
from gaitid.report.panels import SIDES
from gaitid.report.result import Result
from gaitid.report.text import UNKNOWN, each, escape, fixed, mean_sd

#: Figures by member: of cycles, or in a group by subject.
Of = Mapping[str, float] | Sequence[float]


def table_of_members(members: Sequence[Member], first: str, more: Mapping[str, Sequence[str]] | None = None) -> str:
    """Trials, cycles, speed, model and verdict of each session or subject; `more` has further columns."""
    more = more or {}
    curves = f"{members[0].basis.kind.capitalize()}s"
    numbers = {f"{curves} left": "n left", f"{curves} right": "n right", "Speed, m/s": "n", **dict.fromkeys(more, "n")}
    names = (first, "Trials", *numbers, "Model", "Verdict")
    head = "".join(f'<th scope="col" class="{numbers.get(name, "")}">{escape(name)}</th>' for name in names)
    body = "".join(_member_row(m, [values[i] for values in more.values()]) for i, m in enumerate(members))
    return (
        f'<div class="scroll"><table class="members" aria-label="{escape(first)}s"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def mixed_html(members: Sequence[Member]) -> str:
    """What the means of these members mix that should not be mixed: models, and trials not to be used."""
    told = []
    models = {model_of(result) for member in members for result in member.results}
    if len(models) > 1:
        told.append(f"Several models ({', '.join(sorted(models))}): differences between them are in what is shown.")
    bad = ", ".join(
        f"{member.label} {name}" if len(members) > 1 else name
        for member in members
        for name, result in named(member.results)
        if result.record_at("verdict", "trial") == DO_NOT_USE and result.cycles
    )
    if bad:
        told.append(f"In the means are trials with the verdict “do not use”: {bad}. Leave their results out.")
    told += [
        f"{member.label}: its trials’ mass or leg lengths differ by more than a tenth: are they of one person?"
        for member in members
        if len(people(member.results)) > 1
    ]
    out = "; ".join(f"{m.label} {line}" if len(members) > 1 else line for m in members for line in m.left_out)
    note = f'<p class="note">Not in the means: {escape(out)}.</p>' if out else ""
    return each('<p class="doubt"><strong>{}</strong></p>', told) + note


def _member_row(member: Member, more: Sequence[str]) -> str:
    names = names_of(member.results)
    trials = ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:5])} and {len(names) - 5} more"
    counts = [len(member.basis.sides[side]) if side in member.basis.sides else 0 for side in SIDES]
    verdict, words = verdicts(member.results).get("trial", ""), in_words(member.results) or UNKNOWN
    why = [reason.words for reason in reasons(member.results, member.out)]
    because = each(" <small>{}</small>", [text if len(text) <= 110 else f"{text[:109].rstrip()}…" for text in why[:1]])
    because += f" <small>and {len(why) - 1} more</small>" if len(why) > 1 else ""
    cells = [*map(str, counts), mean_sd(speeds_of(member.results), 1, 2), *more]
    numbers = "".join(f'<td class="n">{cell}</td>' for cell in cells)
    return (
        f'<tr><th scope="row">{escape(member.label)}</th><td>{escape(trials)}</td>{numbers}'
        f"<td>{escape(agreed(map(model_of, member.results)))}</td>"
        f'<td><span class="badge {LEVEL_CLASS.get(verdict, "care")}">{escape(words)}</span>{because}</td></tr>'
    )


def sessions_tables(members: Sequence[Member]) -> str:
    """Figures of strides and features of each session, with differences."""
    both = difference_tables(
        [member.label for member in members], lambda i, side, key: figures_of(members[i].results, side, key)
    )
    note = (
        '<p class="note">Mean ± SD (n cycles). Difference ± half of its 95 % interval (Welch’s t); bold where that '
        "does not hold 0: of 20 figures one is expected by chance. Markers put on again are not in it.</p>"
    )
    return both + note if both else ""


def figures_of(results: Sequence[Result], side: str, key: str) -> list[float]:
    """A figure of each stride, or a feature of each cycle, of a side."""
    return [
        value
        for result in results
        for value in (*strides(result, side, key), *result.feature_values.get((side, key), ()))
    ]


def difference_tables(labels: Sequence[str], of: Callable[[int, str, str], Of]) -> str:
    """Mean and SD of each label and side, and the differences from the first; empty where there is no value.

    `of` gives the figures by label, side and key: a list, or one figure a subject by name, which are then paired.
    """
    return "".join(
        _difference_table(caption, rows, labels, of)
        for caption, rows in (("Strides and steps", SPATIOTEMPORAL), ("Features", FEATURES))
    )


def _difference_table(
    caption: str, rows: Sequence[Row], labels: Sequence[str], of: Callable[[int, str, str], Of]
) -> str:
    body = []
    for row in rows:
        by_side = {side: [of(i, side, row.key) for i in range(len(labels))] for side in SIDES}
        if any(v != 0 for of_side in by_side.values() for one in of_side for v in _list(one)):
            cells = ""
            for first, *others in by_side.values():
                for values in map(_list, (first, *others)):
                    count = f" <small>({len(values)})</small>" if values else ""
                    cells += f'<td class="n">{mean_sd(values, row.times, row.decimals)}{count}</td>'
                cells += "".join(_difference_cell(first, other, row) for other in others)
            unit = f'<span class="unit">{escape(row.unit)}</span>'
            body.append(f'<tr><th scope="row">{escape(row.words)} {unit}</th>{cells}</tr>')
    if not body:
        return ""
    names = [*labels, *(f"{label} − {labels[0]}" for label in labels[1:])]
    tops = "".join(f'<th scope="colgroup" colspan="{len(names)}" class="{s}">{s.capitalize()}</th>' for s in SIDES)
    subs = each('<th scope="col" class="n">{}</th>', names) * len(SIDES)
    return (
        f'<h3>{caption}</h3><div class="scroll"><table class="figures" aria-label="{caption}"><thead>'
        f"<tr><td></td>{tops}</tr><tr><td></td>{subs}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _list(values: Of) -> list[float]:
    return list(values.values()) if isinstance(values, Mapping) else list(values)


def _difference_cell(a: Of, b: Of, row: Row) -> str:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        both = [name for name in a if name in b]
        apart = own_differences(np.array([a[name] for name in both]), np.array([b[name] for name in both]))
        mean, half = (float(apart.mean()) if both else math.nan), half_of_mean(apart.tolist())
    else:
        first, second = _list(a), _list(b)
        mean = float(np.mean(second) - np.mean(first)) if first and second else math.nan
        half = half_of_difference(first, second)
    spread = f" ± {fixed(half * row.times, row.decimals)}" if math.isfinite(half) else ""
    clear = " clear" if abs(mean) > half else ""
    return f'<td class="n{clear}">{fixed(mean * row.times, row.decimals)}{spread}</td>'


def half_of_difference(a: Sequence[float], b: Sequence[float]) -> float:
    """Half of the 95 % interval of the difference of two means (Welch 1947); NaN of fewer than three in either."""
    if min(len(a), len(b)) < LEAST_CYCLES:
        return math.nan
    shares = [variance_of(values) / len(values) for values in (a, b)]
    if not sum(shares) > 0:
        return math.nan
    freedom = sum(shares) ** 2 / sum(share**2 / (len(v) - 1) for share, v in zip(shares, (a, b), strict=True))
    return critical_t(freedom, resels=0.0) * math.sqrt(sum(shares))


def half_of_mean(values: Sequence[float]) -> float:
    """Half of the 95 % interval of a mean (Student's t); NaN of fewer than three."""
    if len(values) < LEAST_CYCLES or not (variance := variance_of(values)) > 0:
        return math.nan
    return critical_t(len(values) - 1, resels=0.0) * math.sqrt(variance / len(values))
