"""The plates from above: who stood where, in which order, how the pressure went, and why a load is not known.

The way of walking runs up the picture: a walkway is long and narrow, as a telephone held upright is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from zlib import crc32

import numpy as np

from gaitid.analysis.result import Result
from gaitid.ground.contacts import Contact
from gaitid.ground.sole import sole
from gaitid.numerics.masks import known_rows
from gaitid.records import frozen_dataclass
from gaitid.report import result as written
from gaitid.report.scene.describe import contact_words, plates_under, verdict_of
from gaitid.report.scene.moving import Moving
from gaitid.report.scene.seen import seen_of
from gaitid.report.text import escape, plain
from gaitid.trial import Array

# Of the picture, whose units are pixels on a telephone: its width, its greatest height, its margin.
_WIDTH, _HIGHEST, _MARGIN = 320.0, 600.0, 14.0
# m. Contacts farther from every plate are listed, not drawn.
_NEAR_PLATES = 0.9
# s, between ticks on a path of pressure; contacts drawn at most, and listed before the list is folded.
_TICK_S, _MOST_DRAWN, _LISTED = 0.1, 40, 12
# Of a treadmill: all contacts lie on one another.
_DRAWN_ON_BELT = 4
_BARS_CM = (100, 50, 20, 10, 5)
_MARKS = {"known": "✓", "doubtful": "!", "unknown": "?"}


@frozen_dataclass(eq=False)
class _Paper:
    """From metres on the floor to places in the picture, and back.

    Attributes
    ----------
    up_d, right_d : (3,) arrays
        What runs up and to the right in the picture, in the axes of the view.
    low : (2,) array, m
        Of the picture's lower left corner, along right and up.
    scale : float
        Units a metre.
    height : float
    key : str
        In the names of what it refers to, so that each plan of a page has its own.
    """

    up_d: Array
    right_d: Array
    low: Array
    scale: float
    height: float
    key: str

    def places(self, points_d: Array) -> Array:
        """(…, 2) in the picture, y downward."""
        flat = np.stack([points_d @ self.right_d, points_d @ self.up_d], axis=-1)
        x, y = np.moveaxis((flat - self.low) * self.scale, -1, 0)
        return np.stack([x + _MARGIN, self.height - _MARGIN - y], axis=-1)


@frozen_dataclass(eq=False)
class _Print:
    """One contact as it is drawn.

    Attributes
    ----------
    number : int
        In order of time, from 1.
    contact : Contact
    outline_d : (4, 3) array or None
        Corners of the sole in the middle of the contact: back left, back right, front left, front right.
    path_d : (frames, 3) array
        Where the pressure was, NaN where unknown; none of an unknown load.
    """

    number: int
    contact: Contact
    outline_d: Array | None
    path_d: Array


def plan_html(result: written.Result, key: str = "") -> str:
    """The plates from above, and a list of the contacts beneath.

    Parameters
    ----------
    result : Result
    key : str, optional
        How the page names the trial in ``gaitid:time``: frames in the list then lead there.

    Returns
    -------
    str
        A ``figure``; a paragraph that says why where the trial cannot be analysed again, and nothing of a model that
        the ground does not act on.
    """
    seen = seen_of(result)
    if seen.moving is None:
        return f'<p class="gs-absent">No plan of the plates of {escape(result.stem)}: {escape(seen.why_not)}.</p>'
    of_trial = seen.moving.result
    if not of_trial.model.touches_ground or not (of_trial.contacts or of_trial.trial.plates):
        return ""
    prints = _prints(seen.moving)
    picture = _picture(seen.moving, prints, result)
    drawn = len(_drawn(seen.moving, prints))
    few = f'<p class="quiet">{drawn} of {len(prints)} contacts are drawn.</p>' if drawn < len(prints) else ""
    words = f"<strong>{escape(result.stem)}</strong>{few}{_list(seen.moving, prints, key)}"
    return f'<figure class="gp">{picture}<figcaption>{words}</figcaption></figure>'


# --- what is drawn ------------------------------------------------------------------------------------------


def _prints(seen: Moving) -> list[_Print]:
    result, view = seen.result, seen.view
    prints = []
    for i, contact in enumerate(result.contacts):
        frames = slice(contact.first, contact.last + 1)
        foot = result.ground.feet.get(contact.side)
        outline = None
        if foot is not None:
            corners = np.stack(sole(foot.during(frames), result.ground.floor.up_g), axis=1)
            known = corners[np.isfinite(corners).all(axis=(1, 2))]
            # where it stands: a foot that rolls has its heel above its place, then its toe
            outline = view.points(np.median(known, axis=0)) if len(known) else None
        path = np.zeros((0, 3))
        if contact.plates:
            path = view.points(result.sides[contact.side].load.cop_g[frames])
        prints.append(_Print(i + 1, contact, outline, path))
    return prints


def _drawn(seen: Moving, prints: Sequence[_Print]) -> list[_Print]:
    """Those near the plates; of a treadmill the first whose load is known."""
    if not np.any(seen.result.ground.floor.velocity_g):
        return [printed for printed in prints if _near_plates(seen, printed)][:_MOST_DRAWN]
    known = [printed for printed in prints if printed.contact.plates]
    return (known or list(prints))[:_DRAWN_ON_BELT]


def _near_plates(seen: Moving, printed: _Print) -> bool:
    centres = [seen.view.points(p.corners_g).mean(axis=0) for p in seen.result.trial.plates if p.outlined]
    if not centres or printed.contact.plates:
        return True
    if printed.outline_d is None:
        return False
    here = printed.outline_d.mean(axis=0)
    return min(float(np.linalg.norm((here - centre)[:2])) for centre in centres) < _NEAR_PLATES


def _way(seen: Moving) -> Array:
    """(2, 3) first and last place of the pelvis, in the axes of the view."""
    known = seen.result.base.com_g[known_rows(seen.result.base.com_g)]
    return seen.view.points(known[[0, -1]]) if len(known) else np.zeros((2, 3))


def _paper(seen: Moving, drawn: Sequence[_Print], key: str) -> _Paper:
    """The way of walking upward; where nobody goes anywhere, where the body faces."""
    way = _way(seen)
    along = (way[1] - way[0]) * [1, 1, 0]
    up = along / np.linalg.norm(along) if np.linalg.norm(along) > 0.3 else np.array([1.0, 0, 0])
    right = np.array([up[1], -up[0], 0])
    parts = [seen.view.points(plate.corners_g) for plate in seen.result.trial.plates if plate.outlined]
    parts += [printed.outline_d for printed in drawn if printed.outline_d is not None]
    points = np.concatenate(parts) if parts else np.array([[-0.5, -0.5, 0], [0.5, 0.5, 0]])
    flat = np.stack([points @ right, points @ up], axis=1)
    low, size = flat.min(axis=0) - 0.05, np.ptp(flat, axis=0) + 0.1
    scale = min((_WIDTH - 2 * _MARGIN) / size[0], (_HIGHEST - 2 * _MARGIN) / size[1], 400.0)
    # a picture that is not as wide as the paper stands in its middle
    low[0] -= ((_WIDTH - 2 * _MARGIN) / scale - size[0]) / 2
    return _Paper(up, right, low, scale, size[1] * scale + 2 * _MARGIN + 26, key)


def _picture(seen: Moving, prints: Sequence[_Print], result: written.Result) -> str:
    drawn = _drawn(seen, prints)
    paper = _paper(seen, drawn, f"{crc32(str(result.path.absolute()).encode('utf-8', 'surrogateescape')):08x}")
    parts = [_plate(seen, paper, index, drawn) for index in range(len(seen.result.trial.plates))]
    parts.append(_arrow(seen, paper))
    parts += [_foot(paper, printed) for printed in drawn]
    parts += [_path(seen, paper, printed) for printed in drawn]
    parts += [_number(paper, printed) for printed in drawn]
    parts.append(_bar(paper))
    known = sum(printed.contact.plates != () for printed in prints)
    label = f"Plates of {plain(result.stem)} from above: {known} of {len(prints)} contacts with a known load"
    return (
        f'<svg class="gp-plan" viewBox="0 0 {_WIDTH:g} {paper.height:.0f}" role="img" aria-label="{escape(label)}">'
        f"{_defined(paper.key)}{''.join(parts)}</svg>"
    )


def _defined(key: str) -> str:
    """What the picture refers to; of each plan its own, as one in a folded part of a page is not there for others."""
    return (
        f'<defs><pattern id="hatch-{key}" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><path d="M0 0V6" class="gp-hatch"/></pattern>'
        f'<marker id="head-{key}" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" class="gp-way-head"/></marker></defs>'
    )


def _at(place: Array) -> str:
    return f"{place[0]:.1f} {place[1]:.1f}"


def _free_corner(corners: Array, paper: _Paper, drawn: Sequence[_Print]) -> Array:
    """Where a plate's number stands: toward the corner that is farthest from every foot."""
    middle = corners.mean(axis=0)
    places = middle + 0.62 * (corners - middle)
    feet = [paper.places(printed.outline_d.mean(axis=0)) for printed in drawn if printed.outline_d is not None]
    if not feet:
        return np.asarray(middle)
    away = np.linalg.norm(places[:, None] - np.array(feet), axis=2).min(axis=1)
    return np.asarray(places[away.argmax()])


def _plate(seen: Moving, paper: _Paper, index: int, drawn: Sequence[_Print]) -> str:
    plate = seen.result.trial.plates[index]
    if not plate.outlined:
        return ""
    corners = paper.places(seen.view.points(plate.corners_g))
    place = _free_corner(corners, paper, drawn)
    outline = "M" + "L".join(map(_at, corners)) + "Z"
    fault = {**seen.result.ground.refused, **seen.result.ground.withheld}.get(plate.number, "")
    title = f"plate {plate.number}" + (f" is not used: {plain(fault)}" if fault else "")
    bad = f'<path d="{outline}" fill="url(#hatch-{paper.key})"/>' if fault else ""
    return (
        f'<g><title>{escape(title)}</title><path d="{outline}" class="gp-plate"/>{bad}'
        f'<text x="{place[0]:.1f}" y="{place[1] + 9:.1f}" class="gp-plate-number">{plate.number}</text></g>'
    )


def _arrow(seen: Moving, paper: _Paper) -> str:
    """The way of the pelvis, as far as it lies in the picture."""
    known = seen.result.base.com_g[known_rows(seen.result.base.com_g)]
    if len(known) < 2:
        return ""
    places = paper.places(seen.view.points(known[:: max(1, len(known) // 60)]))
    inside = (places[:, 1] > 4) & (places[:, 1] < paper.height - 30) & (places[:, 0] > 2) & (places[:, 0] < _WIDTH - 2)
    places = places[inside]
    if len(places) < 2 or np.linalg.norm(places[-1] - places[0]) < 20:
        return ""
    return (
        f'<path d="M{"L".join(map(_at, places))}" class="gp-way" marker-end="url(#head-{paper.key})">'
        "<title>way of the pelvis</title></path>"
    )


def _foot(paper: _Paper, printed: _Print) -> str:
    """A sole: round at the heel, wider at the ball."""
    if printed.outline_d is None:
        return ""
    back_left, back_right, front_left, front_right = paper.places(printed.outline_d)
    along, across = (front_left + front_right - back_left - back_right) / 2, (back_right - back_left) / 2
    heel = (back_left + back_right) / 2

    def at(share: float, side: float) -> str:
        return _at(heel + share * along + side * across)

    outline = (
        f"M{at(0.02, 0)}C{at(0.02, -0.75)} {at(0.2, -0.8)} {at(0.38, -0.72)}S{at(0.6, -1)} {at(0.72, -1)}"
        f"S{at(1, -0.7)} {at(1, 0)}S{at(0.88, 1)} {at(0.72, 1)}S{at(0.55, 0.72)} {at(0.38, 0.72)}"
        f"S{at(0.02, 0.75)} {at(0.02, 0)}Z"
    )
    contact = printed.contact
    title = f"{printed.number}: {contact_words(contact)}"
    css = f"gp-foot gp-{contact.side} gp-{verdict_of(contact)}"
    return f'<path d="{outline}" class="{css}"><title>{escape(title)}</title></path>'


def _path(seen: Moving, paper: _Paper, printed: _Print) -> str:
    """The pressure's path, with a tick every tenth of a second and a dot where it began."""
    known = known_rows(printed.path_d)
    if not known.any():
        return ""
    places = paper.places(printed.path_d)
    parts, side = [], printed.contact.side
    words = []
    for i, place in enumerate(places):
        if known[i]:
            words.append(f"{'L' if i and known[i - 1] else 'M'}{_at(place)}")
    parts.append(f'<path d="{"".join(words)}" class="gp-path gp-{side}"/>')
    rate = seen.result.trial.rate_hz
    every = max(1, round(_TICK_S * rate))
    ticks = []
    for i in range(0, len(places), every):
        before, after = max(0, i - 1), min(len(places) - 1, i + 1)
        if not (known[i] and known[before] and known[after]):
            continue
        way = places[after] - places[before]
        length = float(np.linalg.norm(way))
        across = np.array([-way[1], way[0]]) / length * 3.2 if length > 1e-6 else np.array([3.2, 0])
        ticks.append(f"M{_at(places[i] - across)}L{_at(places[i] + across)}")
    if ticks:
        parts.append(f'<path d="{"".join(ticks)}" class="gp-tick gp-{side}"/>')
    start = places[known.argmax()]
    parts.append(f'<circle cx="{start[0]:.1f}" cy="{start[1]:.1f}" r="2.6" class="gp-start gp-{side}"/>')
    return "".join(parts)


def _number(paper: _Paper, printed: _Print) -> str:
    """Its number, beside the heel on the foot's own side."""
    if printed.outline_d is None:
        return ""
    back_left, back_right, front_left, front_right = paper.places(printed.outline_d)
    outer, inner, ahead = (
        (back_left, back_right, front_left) if printed.contact.side == "left" else (back_right, back_left, front_right)
    )
    out = outer - inner
    place = (outer + ahead) / 2 + out / max(float(np.linalg.norm(out)), 1e-6) * 11
    place = np.clip(place, [9, 10], [_WIDTH - 9, paper.height - 34])
    mark = _MARKS[verdict_of(printed.contact)]
    css = f"gp-number gp-{printed.contact.side}"
    return f'<text x="{place[0]:.1f}" y="{place[1] + 4:.1f}" class="{css}">{printed.number}{mark}</text>'


def _bar(paper: _Paper) -> str:
    """How long so many centimetres are."""
    length_cm = next((cm for cm in _BARS_CM if cm / 100 * paper.scale <= 110), _BARS_CM[-1])
    units, y = length_cm / 100 * paper.scale, paper.height - 12
    return (
        f'<path d="M{_MARGIN:g} {y - 4:.1f}v4h{units:.1f}v-4" class="gp-bar"/>'
        f'<text x="{_MARGIN + units + 6:.1f}" y="{y + 1:.1f}" class="gp-words">{length_cm} cm</text>'
        f'<text x="{_WIDTH - _MARGIN:g}" y="{y + 1:.1f}" class="gp-words gp-end">tick: {_TICK_S:g} s</text>'
    )


# --- in words -----------------------------------------------------------------------------------------------


def _list(seen: Moving, prints: Sequence[_Print], key: str) -> str:
    if not prints:
        return '<p class="quiet">No foot was on the ground.</p>'
    items = [_item(seen, printed, key) for printed in prints]
    shown = f'<ol class="gp-list">{"".join(items[:_LISTED])}</ol>'
    if len(items) > _LISTED:
        rest = "".join(items[_LISTED:])
        more = f"{len(items) - _LISTED} more contacts"
        shown += f'<details><summary>{more}</summary><ol class="gp-list" start="{_LISTED + 1}">{rest}</ol></details>'
    return shown + _not_used(seen.result)


def _item(seen: Moving, printed: _Print, key: str) -> str:
    contact, trial = printed.contact, seen.result.trial
    first = trial.first_frame
    verdict = verdict_of(contact)
    frames = f"frames {contact.first + first}–{contact.last + first}"
    middle_s = (contact.first + contact.last) / 2 / trial.rate_hz
    leads = f' data-gp-trial="{escape(key)}" data-gp-time="{middle_s:.3f}"' if key else ""
    words = contact_words(contact)
    if not contact.plates and (under := plates_under(seen, contact)):
        words += f" (over plate {'+'.join(map(str, under))})"
    rest = words.removeprefix(f"{contact.side} foot")
    space = " " if rest.startswith(" ") else ""
    return (
        f'<li class="gp-item gp-{verdict}"><span class="gp-mark">{_MARKS[verdict]}</span> '
        f'<span class="{contact.side}">{contact.side} foot</span>{space}{escape(rest)} '
        f'<span class="quiet"{leads}>{frames}</span></li>'
    )


def _not_used(result: Result) -> str:
    faults: Iterable[tuple[int, str]] = {**result.ground.refused, **result.ground.withheld}.items()
    lines = [f"<li>plate {number} is not used: {escape(why)}</li>" for number, why in faults]
    return f'<ul class="gp-list">{"".join(lines)}</ul>' if lines else ""
