"""The top of a clinical page: who, what the trials can be used for, what is known of each joint, what is normal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.norms import Norms
from gaitid.report.gathering import people
from gaitid.report.page.compare import NORMAL_SD, against
from gaitid.report.page.defaults import taken_by_default
from gaitid.report.page.in_mean import InMean
from gaitid.report.page.panels import AT_A_GLANCE, PANELS
from gaitid.report.page.pool import CYCLE, Basis
from gaitid.report.page.told import (
    LEVELS,
    Told,
    agreed,
    in_words,
    measured,
    model_of,
    names_of,
    notes,
    reasons,
    unchecked_of,
    verdicts,
)
from gaitid.report.page.trust import Trust, trust
from gaitid.report.result import Result, Session
from gaitid.report.text import UNKNOWN, escape, fixed, number

SIDES = ("left", "right")
JOINTS = ("hip", "knee", "ankle")
# More rows of plates are folded.
_SHOWN_PLATES = 14
_LEVEL_CLASS = {"good": "good", "usable": "care", "do not use": "no"}
_TRUST_WORDS = {"good": "yes", "care": "with care", "no": "no"}
_SHOWN_ASSUMPTIONS = 8
# Folders that programs and manuals call so name no session.
_NO_NAMES = ("results", "output", "out")
_METHODS = {
    "plate force, foot over plate, pressure under foot": "the plate was loaded while this foot stood, the foot lay "
    "over it, and the pressure was under the foot"
}


def title_of(session: Session) -> str:
    """What a session is called on its page."""
    known = [part for part in (session.subject, _session_name(session), session.condition) if part]
    names = names_of(session.results)
    if len(names) == 1:
        return " · ".join([*known, names[0]])
    return " · ".join(known) or ", ".join(names[:3])


def _session_name(session: Session) -> str:
    """Empty for a folder whose name says nothing."""
    return "" if session.session in _NO_NAMES else session.session


def facts(session: Session, speeds: Sequence[float]) -> str:
    """Who and what, as far as the records say, as a list of terms."""
    results = session.results
    names = [n for r in results for n in _names(r)]
    pairs = [
        ("Name", ", ".join(dict.fromkeys(names))),
        ("Subject", session.subject),
        ("Session", _session_name(session)),
        ("Condition", session.condition),
        ("Trials", _trials(results)),
        ("Body", _body(results)),
        ("Speed", _speed(speeds)),
        ("Model", _model(results)),
        ("Of the model", agreed(text for r in results if (text := unchecked_of(r)))),
        ("Software", "gaitid " + agreed(r.section("gaitid") for r in results)),
    ]
    items = "".join(f"<div><dt>{term}</dt><dd>{escape(text)}</dd></div>" for term, text in pairs if text)
    return f'<dl class="facts">{items}</dl>'


def _names(result: Result) -> list[str]:
    names = result.record_at("trial", "subject_names")
    return [str(name) for name in names] if isinstance(names, list) else []


def _trials(results: Sequence[Result]) -> str:
    names = names_of(results)
    return ", ".join(names) if len(names) <= 8 else f"{', '.join(names[:7])} and {len(names) - 7} more"


def _body(results: Sequence[Result]) -> str:
    parts = []
    if (mass := measured(results, "mass")) is not None:
        parts.append(f"{fixed(mass[0], 1)} kg")
    if (height := measured(results, "height")) is not None:
        parts.append(f"{fixed(height[0], 2)} m tall")
    legs = [measured(results, f"{side}.leg_length") for side in SIDES]
    if all(leg is not None for leg in legs):
        parts.append("legs " + " and ".join(f"{fixed(1000 * leg[0], 0)}" for leg in legs if leg is not None) + " mm")
    if (age := measured(results, "age")) is not None:
        parts.append(f"{number(age[0], 3)} years")
    return ", ".join(parts)


def _speed(speeds: Sequence[float]) -> str:
    if not speeds:
        return ""
    spread = f" ± {fixed(float(np.std(speeds, ddof=1)), 2)}" if len(speeds) > 1 else ""
    return f"{fixed(float(np.mean(speeds)), 2)}{spread} m/s"


def _model(results: Sequence[Result]) -> str:
    titles = agreed(r.record_at("model", "title") for r in results)
    name = agreed(model_of(r) for r in results)
    return f"{name} – {titles}" if titles else name


def bodies_html(results: Sequence[Result]) -> str:
    """A warning where the trials cannot be of one person."""
    places, names = people([result.record for result in results]), names_of(results)
    if len(places) < 2:
        return ""
    groups = "; ".join(f"{', '.join(names[i] for i in of_one)}: {_body([results[of_one[0]]])}" for of_one in places)
    return (
        '<p class="doubt"><strong>These trials may be of several people: mass or leg lengths differ by more than a '
        f"tenth.</strong> {escape(groups)}.</p>"
    )


def left_out_html(means: InMean) -> str:
    """Which trials do not count for curves, figures and norms, and why."""
    if not means.told:
        return ""
    items = "".join(f"<li>{escape(line)}</li>" for line in means.told)
    return (
        '<div class="doubt left-out"><strong>Not in the mean curves and figures, nor held against norms</strong>'
        f"<ul>{items}</ul></div>"
    )


# --- verdict --------------------------------------------------------------------------------------------------


def verdict_html(means: InMean, limb: str = "leg") -> str:
    """Three words on the trials that count, and the reasons with what would cure them.

    `limb` is what a side has: a chain's is a side.
    """
    results, counted = means.results, means.counted
    used = {"trial": counted} | {side: means.of_side(side) or counted for side in SIDES}
    worst = {key: level for key, of in used.items() if (level := verdicts(of).get(key))}
    if not worst:
        return ""
    only = _only_leg(worst) if len(results) == 1 else ""
    all_of = "All trials" if len(counted) == len(results) else f"{len(counted)} of {len(results)} trials"
    labels = {"trial": "Trial" if len(results) == 1 else all_of, "left": f"Left {limb}", "right": f"Right {limb}"}
    cards = "".join(
        f'<li class="{_LEVEL_CLASS.get(level, "care")}"><span>{labels[key]}</span>'
        f"<strong>{escape(in_words(used[key], key))}</strong>{only if key == 'trial' else ''}</li>"
        for key, level in worst.items()
    )
    told = "".join(_reason(reason) for reason in reasons(results, means.out))
    more = "; joint by joint: “Can I trust it?”" if limb == "leg" else "."
    nothing = f'<p class="quiet">Nothing speaks against the recording{more}</p>'
    why = f'<ul class="reasons">{told}</ul>' if told else nothing
    each = _each_verdict(results)
    return (
        f'<section class="verdict" aria-label="Verdict"><h2>What it can be used for</h2>'
        f'<ul class="levels">{cards}</ul>{each}{why}</section>'
    )


def _only_leg(worst: Mapping[str, str]) -> str:
    """``left leg only`` where the trial can be used, and one leg of it cannot."""
    bad = [side for side in SIDES if worst.get(side) == LEVELS[2]]
    if len(bad) != 1 or worst.get("trial") == LEVELS[2]:
        return ""
    return f" <small>{SIDES[1 - SIDES.index(bad[0])]} leg only</small>"


def _each_verdict(results: Sequence[Result]) -> str:
    """The trials by verdict, where they differ."""
    by_level: dict[str, list[str]] = {}
    for name, result in zip(names_of(results), results, strict=True):
        by_level.setdefault(in_words([result]) or "no verdict", []).append(name)
    if len(by_level) < 2:
        return ""
    levels = {words: words.partition(":")[0] for words in by_level}
    order = sorted(by_level, key=lambda words: LEVELS.index(levels[words]) if levels[words] in LEVELS else 9)
    told = [f"{level}: {', '.join(by_level[level])}" for level in order]
    return f'<p class="quiet">{escape("; ".join(told))}</p>'


def _reason(reason: Told) -> str:
    before = f"{reason.side}: " if reason.side and not reason.text.startswith(reason.side) else ""
    trials = f"{', '.join(reason.trials)}: " if reason.trials else ""
    text = trials + before + reason.text
    if text.split(" ", 1)[0].rstrip(":").isalpha():  # not the name of a file
        text = text[:1].upper() + text[1:]
    cure = reason.cure if reason.cure and reason.cure not in reason.text else ""
    body = f'<span class="cure">What helps: {escape(cure)}</span>' if cure else ""
    return f'<li class="{_LEVEL_CLASS.get(reason.severity, "care")}">{escape(text)}{body}</li>'


# --- trust ----------------------------------------------------------------------------------------------------


def trust_html(means: InMean, basis: Basis) -> str:
    """A row a joint, a column a side, of the trials that count; what all joints of a side share stands above them."""
    results = means.results
    sides = [side for side in SIDES if any(side in result.sides for result in results)]
    joints = [j for j in JOINTS if any(f"{side}_{j}" in name for side in sides for r in results for name in r.columns)]
    if not joints:
        return ""
    found = {(joint, side): trust(means.of_side(side), basis, joint, side) for joint in joints for side in sides}
    known = {key: f"{of.angles}; {of.moments}" for key, of in found.items()}
    shared = {side: known[joints[0], side] if len({known[j, side] for j in joints}) == 1 else "" for side in sides}
    rows = []
    if any(shared.values()):
        cells = "".join(f"<td>{escape(shared[side])}</td>" for side in sides)
        rows.append(f'<tr><th scope="row">Known</th>{cells}</tr>')
    for joint in joints:
        cells = "".join(_trust(found[joint, s], "" if shared[s] else known[joint, s]) for s in sides)
        rows.append(f'<tr><th scope="row">{joint.capitalize()}</th>{cells}</tr>')
    heads = "".join(f'<th scope="col" class="{side}">{side.capitalize()}</th>' for side in sides)
    return (
        '<section aria-label="Can I trust it?"><h2>Can I trust it?</h2><div class="scroll"><table class="trust"><thead>'
        f'<tr><th scope="col">Joint</th>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
        '<p class="note">Yes: the side’s verdict is good, and a whole stance gives moments. With care: as the words '
        "beside it say, or for what lowers the verdict above, which holds for every joint of its side.</p></section>"
    )


def _trust(found: Trust, known: str) -> str:
    doubts = "".join(f'<li class="doubt">{escape(doubt)}</li>' for doubt in found.doubts)
    doubts += "".join(f"<li>{escape(remark)}</li>" for remark in found.remarks)
    listed = f"<ul>{doubts}</ul>" if doubts else ""
    return f'<td><span class="badge {found.level}">{_TRUST_WORDS[found.level]}</span> {escape(known)}{listed}</td>'


# --- norms ----------------------------------------------------------------------------------------------------


def glance_html(basis: Basis, norms: Norms | None, why: str) -> str:
    """Where the mean curves of the sagittal plane lie beside the norms, in words."""
    sentence = f'<p class="note">{escape(why[:1].upper() + why[1:])}</p>' if why else ""
    heading = '<section aria-label="Within normal?"><h2>Within normal?</h2>'
    if norms is None or basis.kind != CYCLE:
        return f"{heading}{sentence}</section>"
    rows = []
    for column in AT_A_GLANCE if norms.judges else ():
        panel, band = PANELS[column], norms.bands.get(column)
        if not any(column in pooled.curves.columns for pooled in basis.sides.values()) or band is None:
            continue
        cells = []
        for side in SIDES:
            found = against(panel, basis.sides.get(side), band)
            cells.append(f'<td class="{found.level}">{escape(found.words)}</td>')
        rows.append(f'<tr><th scope="row">{escape(panel.title)}</th>{"".join(cells)}</tr>')
    if not rows:
        return f"{heading}{sentence}</section>"
    return (
        f'{heading}{sentence}<div class="scroll"><table class="glance"><thead><tr><th scope="col">Curve</th>'
        '<th scope="col" class="left">Left</th><th scope="col" class="right">Right</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
        f"<p>{escape(_elsewhere(basis, norms))}</p>"
        '<p class="note">The table is of the sagittal plane and of powers alone. Within: the mean curve stays inside '
        f"the norm’s mean ± {NORMAL_SD:g} SD, twice the grey band of the curves; else where in the cycle it is beyond, "
        "for 3 % of the cycle or more. At any one instant a person in twenty without a pathology is beyond, too: short "
        "stretches alone are no finding. Impacts of the foot strike are left out.</p></section>"
    )


def _elsewhere(basis: Basis, norms: Norms) -> str:
    """Which of the other curves that are drawn over norms leave them: frontal and transverse plane, ground reaction."""
    outside, looked_at = [], 0
    for column, panel in PANELS.items():
        band = norms.bands.get(column)
        if column in AT_A_GLANCE or band is None:
            continue
        levels = {side: against(panel, basis.sides.get(side), band).level for side in SIDES}
        looked_at += sum(level != "unknown" for level in levels.values())
        beyond = [side for side, level in levels.items() if level == "outside"]
        if beyond:
            which = "both" if len(beyond) == len(SIDES) else beyond[0]
            outside.append(f"{panel.title[:1].lower()}{panel.title[1:]} ({which})")
    if not looked_at:
        return "Other planes: no curve is held against norms."
    return f"Outside in other planes, of {looked_at} curves drawn over norms below: {', '.join(outside) or 'none'}."


# --- who stood where ------------------------------------------------------------------------------------------


def plates_html(results: Sequence[Result]) -> str:
    """Each plate of each trial with the foot that was on it, and why."""
    if not any(result.on_ground for result in results):
        return ""
    rows = [row for name, result in zip(names_of(results), results, strict=True) for row in _plates(name, result)]
    if not rows:
        return (
            '<section class="whole" aria-label="Which foot was on which plate"><h2>Which foot was on which plate</h2>'
            '<p class="quiet">No contact with the ground was found.</p></section>'
        )
    several = len(results) > 1
    trial = '<th scope="col">Trial</th>' if several else ""
    body = "".join(
        f"<tr>{f'<td>{escape(trial_name)}</td>' if several else ''}{cells}</tr>" for trial_name, cells in rows
    )
    fold, end = "", ""
    if len(rows) > _SHOWN_PLATES:
        fold = f"{_in_sum(results)}<details><summary>Each of them</summary>"
        end = "</details>"
    return (
        '<section class="whole" aria-label="Which foot was on which plate"><h2>Which foot was on which plate</h2>'
        f'{fold}<div class="scroll"><table class="plates"><thead><tr>{trial}<th scope="col">Plate</th>'
        '<th scope="col">Foot</th><th scope="col" class="n">Frames</th><th scope="col" class="n">Confidence</th>'
        '<th scope="col">Why</th></tr></thead>'
        f"<tbody>{body}</tbody></table></div>{end}</section>"
    )


def _plates(name: str, result: Result) -> list[tuple[str, str]]:
    rows, used = [], set()
    for contact in sorted((c for c in result.contacts if c.known), key=lambda c: (c.plates, c.first_frame)):
        used.update(contact.plates.split("+"))
        why = _METHODS.get(contact.method, contact.method)
        if contact.reason:
            why = f"{why}; but {contact.reason}"
        plates = escape(contact.plates.replace("+", " and "))
        rows.append(
            (
                name,
                f'<td class="plate">{plates}</td><td class="{escape(contact.side)}">{escape(contact.side)}</td>'
                f'<td class="n">{contact.first_frame}–{contact.last_frame}</td>'
                f'<td class="n">{_percent(contact.confidence)}</td><td class="why">{escape(why)}</td>',
            )
        )
    for peak, unused in _unused(result, used).items():
        rows.append(
            (
                name,
                f'<td class="plate">{escape(", ".join(unused))}</td><td>none</td><td class="n">{UNKNOWN}</td>'
                f'<td class="n">{UNKNOWN}</td><td class="why">no foot’s load is known from it; {peak}</td>',
            )
        )
    if beside := _beside(result):
        rows.append((name, f'<td>{UNKNOWN}</td><td colspan="4">{beside}</td>'))
    return rows


def _unused(result: Result, used: set[str]) -> dict[str, list[str]]:
    """Plates that gave no foot's load, by what they carried."""
    plates = result.record_at("quality", "plates")
    found: dict[str, list[str]] = {}
    for entry in plates if isinstance(plates, list) else []:
        number_of = str(entry.get("plate", "")) if isinstance(entry, Mapping) else ""
        if number_of and number_of not in used:
            peak = entry.get("peak_vertical_N")
            carried = "what it carried is unknown"
            if isinstance(peak, int | float):
                carried = f"it carried {fixed(peak, 0)} N at most" if round(peak) else "it carried nothing"
            found.setdefault(carried, []).append(number_of)
    return found


def _in_sum(results: Sequence[Result]) -> str:
    """How many contacts of each side each plate measured, where they are many."""
    counts: dict[str, dict[str, int]] = {}
    for result in results:
        for contact in result.contacts:
            if contact.known:
                of_plate = counts.setdefault(contact.plates.replace("+", " and "), {})
                of_plate[contact.side] = of_plate.get(contact.side, 0) + 1
    items = "".join(
        f"<li>Plate {escape(plate)}: {', '.join(f'{side} foot {n} times' for side, n in sorted(of.items()))}</li>"
        for plate, of in sorted(counts.items())
    )
    unknown = sum(not contact.known for result in results for contact in result.contacts)
    return f"<ul>{items}<li>Unknown load: {unknown} contacts</li></ul>"


def _beside(result: Result) -> str:
    """Contacts without a known load, by side and reason."""
    by_reason: dict[str, list[str]] = {}
    for contact in result.contacts:
        if not contact.known:
            span = f"{contact.side} {contact.first_frame}–{contact.last_frame}"
            by_reason.setdefault(contact.reason or "no reason given", []).append(span)
    return "; ".join(
        f"{len(spans)} more contact{'' if len(spans) == 1 else 's'} with unknown load, frames "
        f"{escape(', '.join(spans))}: {escape(reason)}"
        for reason, spans in by_reason.items()
    )


def _percent(confidence: str) -> str:
    try:
        return f"{100 * float(confidence):.0f} %"
    except ValueError:
        return UNKNOWN


# --- assumptions ----------------------------------------------------------------------------------------------


def assumed_html(results: Sequence[Result], norms: Norms | None = None) -> str:
    """What nobody said and was therefore assumed, and what was taken by default."""
    told = notes(results, ("assumption",))
    if not told:
        body = '<p class="quiet">Of the body and the laboratory nothing: it stood in the files, or was given.</p>'
    else:
        items = [f"<li>{escape(note.words)}</li>" for note in told]
        shown, rest = items[:_SHOWN_ASSUMPTIONS], items[_SHOWN_ASSUMPTIONS:]
        more = f"<details><summary>{len(rest)} more</summary><ul>{''.join(rest)}</ul></details>" if rest else ""
        body = f"<ul>{''.join(shown)}</ul>{more}"
    if defaults := taken_by_default(results, norms):
        items = [f"<li>{escape(line)}</li>" for line in defaults]
        body += f"<h3>Taken by default</h3><ul>{''.join(items)}</ul>"
    return f'<section aria-label="What was assumed"><h2>What was assumed</h2>{body}</section>'
