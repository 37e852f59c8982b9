"""A result -> the 3D view of its page, and its plates from above.

In comes a result as it was read from disk. What no table holds, markers, joint centres and plates, comes from analysing
the trial again (`again`); out goes HTML with its style and its script. No physics is computed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np

from gaitid.ground.contacts import Contact
from gaitid.ground.sole import sole
from gaitid.numerics.masks import known_rows
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.report.scene.describe import contact_words, described, plates_under, verdict_of
from gaitid.report.scene.moving import Moving, seen_of
from gaitid.report.text import macro, render
from gaitid.results.result import Result
from gaitid.trial import Array, ForcePlate


def _files(*names: str) -> str:
    return "\n".join(Path(__file__).with_name(name).read_text("utf-8") for name in names)


#: The style of the player and of the plan, and plain JavaScript that starts itself: each to stand once on a page.
SCENE_CSS = _files("scene.css", "plan.css")
SCENE_JS = _files("scene_data.js", "scene_camera.js", "scene_draw.js", "scene_forces.js", "scene.js")
_VIEWS = (("free", "Oblique"), ("front", "Front"), ("left", "Left"), ("right", "Right"), ("top", "Top"))
_TOGGLES = (
    ("follow", "Follow", "the camera goes with the pelvis", False),
    ("labels", "Labels", "names of the markers", False),
    ("axes", "Axes", "axes of the segments: x red, y green, z blue", True),
    ("forces", "Forces", "ground reaction", True),
    ("moments", "Moments", "internal joint moments", False),
    ("com", "Centre of mass", "centre of mass of the body", True),
    ("others", "Other markers", "markers that the model does not use", True),
)


def scene_html(results: Sequence[Result], budget_bytes: int, keys: Sequence[str] | None = None) -> str:
    """The player with the trials of some results.

    Parameters
    ----------
    results : sequence of Result
        As read from disk: their trials are analysed again.
    budget_bytes : int
        For all trials together.
    keys : sequence of str, optional
        How the page names the trials in ``gaitid:time``; by default ``r0``, ``r1`` ….

    Returns
    -------
    str
        A ``section``; where no trial can be shown a paragraph that says why.
    """
    keys = [f"r{i}" for i in range(len(results))] if keys is None else keys
    seen = [(key, result.stem, seen_of(result)) for key, result in zip(keys, results, strict=True)]
    moving = [(key, stem, of.moving) for key, stem, of in seen if of.moving is not None]
    share = budget_bytes // max(len(moving), 1)
    return render(
        "report/scene/scene.html",
        shown=[(key, stem, described(of, key, stem, share).replace("<", "\\u003c")) for key, stem, of in moving],
        absent_trials=[(stem, of.why_not) for _, stem, of in seen if of.moving is None],
        views=_VIEWS,
        toggles=_TOGGLES,
    )


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


def plan_html(result: Result, key: str = "") -> str:
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
        return str(macro("report/page/parts.html", "absent")("plan of the plates", result.stem, seen.why_not))
    of_trial = seen.moving.result
    if not of_trial.model.touches_ground or not (of_trial.contacts or of_trial.trial.plates):
        return ""
    prints = _prints(seen.moving)
    drawn = _drawn(seen.moving, prints)
    number = crc32(str(result.path.absolute()).encode("utf-8", "surrogateescape"))
    paper = _paper(seen.moving, drawn, f"{number:08x}")
    faults: Mapping[int, str] = {**of_trial.ground.refused, **of_trial.ground.withheld}
    return render(
        "report/scene/plan.html",
        stem=result.stem,
        paper=paper,
        size=(_WIDTH, _MARGIN),
        known=sum(printed.contact.plates != () for printed in prints),
        plates=[_plate(seen.moving, paper, plate, drawn) for plate in of_trial.trial.plates if plate.outlined],
        way=_arrow(seen.moving, paper),
        feet=[_foot(paper, printed) for printed in drawn],
        pressure=list(filter(None, (_pressure(of_trial.trial.rate_hz, paper, printed) for printed in drawn))),
        bar=_bar(paper),
        tick_s=_TICK_S,
        drawn=len(drawn),
        items=[_item(seen.moving, printed) for printed in prints],
        listed=_LISTED,
        key=key,
        faults=faults,
    )


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


def _plate(seen: Moving, paper: _Paper, plate: ForcePlate, drawn: Sequence[_Print]) -> tuple[int, str, Array]:
    """Its number, its outline, and where the number stands."""
    corners = paper.places(seen.view.points(plate.corners_g))
    return plate.number, f"M{'L'.join(map(_at, corners))}Z", _free_corner(corners, paper, drawn)


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
    return f"M{'L'.join(map(_at, places))}"


class _Foot(NamedTuple):
    """A sole, or nothing where it is not known; its number, and where that stands."""

    contact: Contact
    verdict: str
    title: str
    outline: str
    number: str
    at: Array


def _foot(paper: _Paper, printed: _Print) -> _Foot:
    """A sole: round at the heel, wider at the ball; its number beside the heel on the foot's own side."""
    contact = printed.contact
    verdict, title = verdict_of(contact), f"{printed.number}: {contact_words(contact)}"
    number = f"{printed.number}{_MARKS[verdict]}"
    if printed.outline_d is None:
        return _Foot(contact, verdict, title, "", number, np.zeros(2))
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
    outer, inner, ahead = back_right, back_left, front_right
    if contact.side == "left":
        outer, inner, ahead = back_left, back_right, front_left
    out = outer - inner
    place = (outer + ahead) / 2 + out / max(float(np.linalg.norm(out)), 1e-6) * 11
    return _Foot(contact, verdict, title, outline, number, np.clip(place, [9, 10], [_WIDTH - 9, paper.height - 34]))


def _pressure(rate_hz: float, paper: _Paper, printed: _Print) -> tuple[str, str, str, Array] | None:
    """Of its side the pressure's path, a tick every tenth of a second, and where it began."""
    known = known_rows(printed.path_d)
    if not known.any():
        return None
    places = paper.places(printed.path_d)
    words = [f"{'L' if i and known[i - 1] else 'M'}{_at(place)}" for i, place in enumerate(places) if known[i]]
    ticks = []
    for i in range(0, len(places), max(1, round(_TICK_S * rate_hz))):
        before, after = max(0, i - 1), min(len(places) - 1, i + 1)
        if not (known[i] and known[before] and known[after]):
            continue
        way = places[after] - places[before]
        length = float(np.linalg.norm(way))
        across = np.array([-way[1], way[0]]) / length * 3.2 if length > 1e-6 else np.array([3.2, 0])
        ticks.append(f"M{_at(places[i] - across)}L{_at(places[i] + across)}")
    return printed.contact.side, "".join(words), "".join(ticks), places[known.argmax()]


def _bar(paper: _Paper) -> tuple[int, float]:
    """How long so many centimetres are."""
    length_cm = next((cm for cm in _BARS_CM if cm / 100 * paper.scale <= 110), _BARS_CM[-1])
    return length_cm, length_cm / 100 * paper.scale


# --- in words -----------------------------------------------------------------------------------------------


class _Item(NamedTuple):
    """A contact in the list."""

    verdict: str
    mark: str
    side: str
    words: str
    frames: str
    middle_s: float


def _item(seen: Moving, printed: _Print) -> _Item:
    contact, trial = printed.contact, seen.result.trial
    first, verdict, words = trial.first_frame, verdict_of(contact), contact_words(contact)
    if not contact.plates and (under := plates_under(seen, contact)):
        words += f" (over plate {'+'.join(map(str, under))})"
    frames = f"frames {contact.first + first}–{contact.last + first}"
    middle_s = (contact.first + contact.last) / 2 / trial.rate_hz
    return _Item(verdict, _MARKS[verdict], contact.side, words.removeprefix(f"{contact.side} foot"), frames, middle_s)
