"""The top of a clinical page: who, what the trials can be used for, which foot was where, what was assumed."""

from __future__ import annotations

from collections.abc import Sequence

from gaitid.norms import Norms
from gaitid.notes.message import DO_NOT_USE, LEVELS
from gaitid.report.gathering import Session, people
from gaitid.report.page.told import (
    LEVEL_CLASS,
    InMean,
    Told,
    agreed,
    agreed_at,
    each_note,
    in_words,
    measured,
    model_of,
    named,
    names_of,
    notes,
    reasons,
    verdicts,
)
from gaitid.report.panels import SIDES
from gaitid.report.result import Result
from gaitid.report.text import UNKNOWN, each, escape, facts_html, fixed, mean_sd, number

# More rows of plates are folded, and so are more assumptions.
_SHOWN_PLATES, _SHOWN_ASSUMPTIONS = 14, 8
# Folders that programs and manuals call so name no session.
_NO_NAMES = ("results", "output", "out")
_METHODS = {
    "plate force, foot over plate, pressure under foot": "the plate was loaded while this foot stood, the foot lay "
    "over it, and the pressure was under the foot",
    "assigned in Nexus (.enf), pressure near that foot": "the plate is assigned to this foot in Nexus, and the "
    "pressure was near it",
}
# The words of a command with which a choice is no default: options of `gaitid run`, and what `--set` may say.
_MARKERS_ASKED = ("--cutoff", "cutoff_hz", "marker_filter", "spline_mse_mm2", "raw_cutoff_hz")
_FORCES_ASKED = ("--force-cutoff", "force_cutoff_hz")


def title_of(session: Session) -> str:
    """What a session is called on its page."""
    known = [part for part in (session.subject, _session_name(session), session.condition) if part]
    names = names_of(session.results)
    return " · ".join([*known, *names]) if len(names) == 1 else " · ".join(known) or ", ".join(names[:3])


def _session_name(session: Session) -> str:
    """Empty for a folder whose name says nothing."""
    return "" if session.session in _NO_NAMES else session.session


def facts(session: Session, speeds: Sequence[float]) -> str:
    """Who and what, as far as the records say, as a list of terms."""
    results = session.results
    people_named = [result.record_at("trial", "subject_names") for result in results]
    names = names_of(results)
    titles, model = agreed_at(results, "model", "title"), agreed(map(model_of, results))
    pairs = {
        "Name": ", ".join(dict.fromkeys(str(name) for of in people_named if isinstance(of, list) for name in of)),
        "Subject": session.subject,
        "Session": _session_name(session),
        "Condition": session.condition,
        "Trials": ", ".join(names) if len(names) <= 8 else f"{', '.join(names[:7])} and {len(names) - 7} more",
        "Body": _body(results),
        "Speed": f"{mean_sd(speeds, 1, 2)} m/s" if speeds else "",
        "Model": f"{model} – {titles}" if titles else model,
        "Of the model": agreed_at(results, "model", "unchecked"),
        "Software": f"gaitid {agreed_at(results, 'gaitid')}",
    }
    return facts_html(pairs)


def _body(results: Sequence[Result]) -> str:
    parts = []
    if (mass := measured(results, "mass")) is not None:
        parts.append(f"{fixed(mass[0], 1)} kg")
    if (height := measured(results, "height")) is not None:
        parts.append(f"{fixed(height[0], 2)} m tall")
    legs = [leg for side in SIDES if (leg := measured(results, f"{side}.leg_length")) is not None]
    if len(legs) == len(SIDES):
        parts.append(f"legs {' and '.join(fixed(1000 * leg, 0) for leg, _ in legs)} mm")
    if (age := measured(results, "age")) is not None:
        parts.append(f"{number(age[0], 3)} years")
    return ", ".join(parts)


def bodies_html(results: Sequence[Result]) -> str:
    """A warning where the trials cannot be of one person."""
    places, names = people(results), names_of(results)
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
    return (
        '<div class="doubt left-out"><strong>Not in the mean curves and figures, nor held against norms</strong>'
        f"<ul>{each('<li>{}</li>', means.told)}</ul></div>"
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
    bad, only = [side for side in SIDES if worst.get(side) == DO_NOT_USE], ""
    if len(results) == 1 and len(bad) == 1 and worst.get("trial") != DO_NOT_USE:
        only = f" <small>{SIDES[1 - SIDES.index(bad[0])]} leg only</small>"
    all_of = "All trials" if len(counted) == len(results) else f"{len(counted)} of {len(results)} trials"
    labels = {"trial": "Trial" if len(results) == 1 else all_of, "left": f"Left {limb}", "right": f"Right {limb}"}
    cards = "".join(
        f'<li class="{LEVEL_CLASS.get(level, "care")}"><span>{labels[key]}</span>'
        f"<strong>{escape(in_words(used[key], key))}</strong>{only if key == 'trial' else ''}</li>"
        for key, level in worst.items()
    )
    told = "".join(_reason(reason) for reason in reasons(results, means.out))
    more = "; joint by joint: “Can I trust it?”" if limb == "leg" else "."
    why = (
        f'<ul class="reasons">{told}</ul>'
        if told
        else f'<p class="quiet">Nothing speaks against the recording{more}</p>'
    )
    by_level: dict[str, list[str]] = {}
    for name, result in named(results):
        by_level.setdefault(in_words([result]) or "no verdict", []).append(name)
    ranks = {words: LEVELS.index(level) if (level := words.partition(":")[0]) in LEVELS else 9 for words in by_level}
    differ = "; ".join(
        f"{words}: {', '.join(by_level[words])}" for words in sorted(ranks, key=lambda words: ranks[words])
    )
    each_verdict = f'<p class="quiet">{escape(differ)}</p>' if len(by_level) > 1 else ""
    return (
        f'<section class="verdict" aria-label="Verdict"><h2>What it can be used for</h2>'
        f'<ul class="levels">{cards}</ul>{each_verdict}{why}</section>'
    )


def _reason(reason: Told) -> str:
    before = f"{reason.side}: " if reason.side and not reason.text.startswith(reason.side) else ""
    trials = f"{', '.join(reason.trials)}: " if reason.trials else ""
    text = trials + before + reason.text
    if text.split(" ", 1)[0].rstrip(":").isalpha():  # not the name of a file
        text = text[:1].upper() + text[1:]
    cure = reason.cure if reason.cure and reason.cure not in reason.text else ""
    body = f'<span class="cure">What helps: {escape(cure)}</span>' if cure else ""
    return f'<li class="{LEVEL_CLASS.get(reason.severity, "care")}">{escape(text)}{body}</li>'


# --- who stood where ------------------------------------------------------------------------------------------


def plates_html(results: Sequence[Result]) -> str:
    """Each plate of each trial with the foot that was on it, and why."""
    if not any(result.on_ground for result in results):
        return ""
    begin = '<section class="whole" aria-label="Which foot was on which plate"><h2>Which foot was on which plate</h2>'
    rows = [(name, cells) for name, result in named(results) for cells in _plates(result)]
    if not rows:
        return f'{begin}<p class="quiet">No contact with the ground was found.</p></section>'
    several = len(results) > 1
    trial = '<th scope="col">Trial</th>' if several else ""
    body = "".join(f"<tr>{f'<td>{escape(name)}</td>' if several else ''}{cells}</tr>" for name, cells in rows)
    table = (
        f'<div class="scroll"><table class="plates"><thead><tr>{trial}<th scope="col">Plate</th>'
        '<th scope="col">Foot</th><th scope="col" class="n">Frames</th><th scope="col" class="n">Confidence</th>'
        f'<th scope="col">Why</th></tr></thead><tbody>{body}</tbody></table></div>'
    )
    if len(rows) > _SHOWN_PLATES:
        table = f"{_in_sum(results)}<details><summary>Each of them</summary>{table}</details>"
    return f"{begin}{table}</section>"


def _plates(result: Result) -> list[str]:
    """The cells of each contact with a known load, of plates that gave none, and of contacts without one."""
    rows, used = [], set()
    for contact in sorted((c for c in result.contacts if c.known), key=lambda c: (c.plates, c.first_frame)):
        used.update(contact.plates.split("+"))
        why = _METHODS.get(contact.method, contact.method) + (f"; but {contact.reason}" if contact.reason else "")
        try:
            sure = f"{100 * float(contact.confidence):.0f} %"
        except ValueError:
            sure = UNKNOWN
        rows.append(
            f'<td class="plate">{escape(contact.plates.replace("+", " and "))}</td>'
            f'<td class="{escape(contact.side)}">{escape(contact.side)}</td>'
            f'<td class="n">{contact.first_frame}–{contact.last_frame}</td>'
            f'<td class="n">{sure}</td><td class="why">{escape(why)}</td>'
        )
    unused: dict[str, list[str]] = {}
    for entry in result.mappings("quality", "plates"):
        peak, plate = entry.get("peak_vertical_N"), str(entry.get("plate", ""))
        carried = "what it carried is unknown"
        if isinstance(peak, int | float):
            carried = f"it carried {fixed(peak, 0)} N at most" if round(peak) else "it carried nothing"
        if plate and plate not in used:
            unused.setdefault(carried, []).append(plate)
    rows += [
        f'<td class="plate">{escape(", ".join(plates))}</td><td>none</td><td class="n">{UNKNOWN}</td>'
        f'<td class="n">{UNKNOWN}</td><td class="why">no foot’s load is known from it; {carried}</td>'
        for carried, plates in unused.items()
    ]
    by_reason: dict[str, list[str]] = {}
    for contact in result.contacts:
        if not contact.known:
            span = f"{contact.side} {contact.first_frame}–{contact.last_frame}"
            by_reason.setdefault(contact.reason or "no reason given", []).append(span)
    beside = "; ".join(
        f"{len(spans)} more contact{'' if len(spans) == 1 else 's'} with unknown load, frames "
        f"{escape(', '.join(spans))}: {escape(reason)}"
        for reason, spans in by_reason.items()
    )
    return rows + ([f'<td>{UNKNOWN}</td><td colspan="4">{beside}</td>'] if beside else [])


def _in_sum(results: Sequence[Result]) -> str:
    """How many contacts of each side each plate measured, where they are many."""
    contacts = [contact for result in results for contact in result.contacts]
    known = sorted((contact.plates.replace("+", " and "), contact.side) for contact in contacts if contact.known)
    items = "".join(
        f"<li>Plate {escape(plate)}: "
        f"{', '.join(f'{side} foot {n} times' for side in SIDES if (n := known.count((plate, side))))}</li>"
        for plate in dict.fromkeys(plate for plate, _ in known)
    )
    return f"<ul>{items}<li>Unknown load: {len(contacts) - len(known)} contacts</li></ul>"


# --- assumptions ----------------------------------------------------------------------------------------------


def assumed_html(results: Sequence[Result], norms: Norms | None = None) -> str:
    """What nobody said and was therefore assumed, and what was taken by default."""
    body = '<p class="quiet">Of the body and the laboratory nothing: it stood in the files, or was given.</p>'
    if told := [note.words for note in notes(results, ("assumption",))]:
        shown, rest = (each("<li>{}</li>", of) for of in (told[:_SHOWN_ASSUMPTIONS], told[_SHOWN_ASSUMPTIONS:]))
        more = f"<details><summary>{len(told) - _SHOWN_ASSUMPTIONS} more</summary><ul>{rest}</ul></details>"
        body = f"<ul>{shown}</ul>{more if rest else ''}"
    if defaults := taken_by_default(results, norms):
        body += f"<h3>Taken by default</h3><ul>{each('<li>{}</li>', defaults)}</ul>"
    return f'<section aria-label="What was assumed"><h2>What was assumed</h2>{body}</section>'


def taken_by_default(results: Sequence[Result], norms: Norms | None) -> tuple[str, ...]:
    """Short lines of what a run took by default, each once: nothing of what the command asked for, or no record says.

    Parameters
    ----------
    results : sequence of Result
    norms : Norms or None
        Those that are drawn.
    """
    lines = [line for result in results for line in _defaults(result)]
    if norms is not None and measured(results, "age") is None:
        lines.append(f"Norms: {norms.title}, though no file says the age of the subject.")
    return tuple(dict.fromkeys(lines))


def _defaults(result: Result) -> list[str]:
    """The table of inertia and the filters."""
    lines = []
    command, settings = result.record_at("command"), result.mapping("settings")
    words = [str(word) for word in command] if isinstance(command, list) else []
    given = {word.removeprefix("--set=").partition("=")[0] for word in words}
    if "table" not in given and (source := result.record_at("model", "table", "source")):
        lines.append(f"Segment masses and inertia: {str(source).rstrip('. ')}.")
    if "cutoff_hz" in settings and given.isdisjoint(_MARKERS_ASKED):
        cutoff = result.number("settings", "cutoff_hz")
        if any(code in ("marker_filter", "markers_rough") for _, code, _ in each_note(result)):
            treated = "how they were treated stands in the notes below."
            if cutoff is not None:
                treated = f"low-passed at {number(cutoff, 3)} Hz, chosen from their noise and movement."
            lines.append(f"Markers: {treated}")
        elif settings["cutoff_hz"] is None and result.number("quality", "marker_noise_mm") is not None:
            smoothed = "as they were smoothed before they were stored (next to no noise in them)"
            lines.append(f"Markers: no filter, {smoothed}.")
    if result.on_ground and settings.get("force_cutoff_hz", 0) is None and given.isdisjoint(_FORCES_ASKED):
        lines.append("Forces of the plates: not filtered.")
    return lines
