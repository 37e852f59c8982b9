"""What a trial and its static hold of what a model needs: labels bound to roles, legs recorded, what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from gaitid.errors import TrialError, first_few
from gaitid.model import specs
from gaitid.model.binding import bind
from gaitid.model.fields import nearest
from gaitid.model.marker_sets import MarkerSet, Spellings, sets_of
from gaitid.model.needs import Needs, Reference, Role, side_needs
from gaitid.notes import Note, Notes
from gaitid.numerics.rotation import dot, norm, unit
from gaitid.numerics.statistics import median, median_of_known
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Trial, seen_as

# Landmarks on both sides of a joint or a foot, the outer one first.
_OUTER_INNER = (("knee_lateral", "knee_medial"), ("ankle_lateral", "ankle_medial"), ("mt5", "mt1"))
# Landmarks of which the left one stays on the left.
_NEVER_CROSS = ("asis", "psis", "trochanter", "knee_lateral", "knee_medial", "ankle_lateral", "ankle_medial")
# m. An outer landmark that lies farther than this on the inner side of the other is labelled as the other: those of the
# shared recordings lie 60 to 145 mm on the right side.
_EXCHANGED_M = 0.02
# m. No knee, ankle or forefoot is so wide: the widest of the shared recordings measures 0.17 m.
_OTHER_LEG_M = 0.25
# So many frames, or a little more, show on which side a landmark lies.
_LOOKED_AT = 50
# What the want of a static counts as, in missing markers of both legs.
_NO_STATIC = 6
# So many labels of a file are shown in an error.
_SHOWN_LABELS = 12


@frozen_dataclass(eq=False)
class Bound:
    """A model bound to the labels of a trial, and to those of its static.

    Attributes
    ----------
    model : Model
        Bound to the trial.
    static_model : Model or None
        Bound to the static; None where there is none.
    reference : Reference
        What carried points and frames are measured in.
    notes : Notes
        Of labels that are not believed.
    misplaced : frozenset of Role
        Landmarks that these labels should have named, in the trial or the static.
    """

    model: specs.Model
    static_model: specs.Model | None
    reference: Reference
    notes: Notes = ()
    misplaced: frozenset[Role] = frozenset()


def seen_labels(trial: Trial) -> list[str]:
    """The labels of a trial's markers that were seen at least once, in the file's order."""
    return [label for label in trial.labels if label and trial.has(label)]


def bind_trial(
    trial: Trial,
    model: specs.Model,
    static: Trial | None,
    marker_set: MarkerSet | None,
    carried: frozenset[Role] = frozenset(),
) -> Bound:
    """Find which label each marker of the model has in a trial and in its static.

    Parameters
    ----------
    trial : Trial
    model : Model
    static : Trial or None
    marker_set : MarkerSet or None
        What the user says of labels; without it the bundled set that explains most of them, for a model by landmarks.
    carried : frozenset of Role
        Points and frames whose places a subject file brings.

    Raises
    ------
    TrialError
        No marker set knows the labels.
    """
    labels = seen_labels(trial)
    static_labels = [] if static is None else seen_labels(static)
    if marker_set is not None:
        _refuse_one_for_two(bind(model, Spellings([*labels, *static_labels]), marker_set))
    if marker_set is None and model.by_landmarks:
        sets = sets_of(Spellings([*labels, *static_labels]))
        if not labels:
            raise TrialError("no marker was seen in any frame", todo="look at it in the program that made it")
        if not sets:
            raise TrialError(
                "the labels of its markers are of no known marker set",
                found=_shown(labels),
                todo="name its landmarks with --markers FILE; `gaitid models markers TRIAL` writes a first draft",
            )
        marker_set = sets[0]
    bound, fault = _without_misplaced(trial, bind(model, Spellings(labels), marker_set))
    if static is None:
        return Bound(bound, None, Reference(bound, None, carried), fault.notes, fault.roles)
    of_static, static_fault = _without_misplaced(static, bind(model, Spellings(static_labels), marker_set))
    in_static = tuple(note._replace(text=f"static: {note.text}") for note in static_fault.notes)
    reference = Reference(of_static, static.seen, carried)
    return Bound(bound, of_static, reference, (*fault.notes, *in_static), fault.roles | static_fault.roles)


# --- landmarks that cannot be where their labels say ------------------------------------------------------------


class _Misplaced(NamedTuple):
    """Landmarks that are not believed, and what is to be said of them."""

    roles: frozenset[Role] = frozenset()
    notes: Notes = ()


def _without_misplaced(trial: Trial, model: specs.Model) -> tuple[specs.Model, _Misplaced]:
    """The bound model without landmarks that lie on the wrong side of each other, or on another leg.

    The body's left is where its left landmarks are, its front where its feet point. Neither of two exchanged labels is
    believed: which of them names the right thing cannot be told from their places alone.
    """
    if not model.marker_set or len(model.sides) < 2:
        return model, _Misplaced()
    places = _Places(trial, model)
    spelled, notes = dict(model.spelled), []
    roles: set[Role] = set()
    for side in model.sides:
        for outer, inner in _OUTER_INNER:
            ends = places.of(side.name, outer), places.of(side.name, inner)
            if ends[0] is None or ends[1] is None:
                continue
            labels = " and ".join(spelled[side.name, role][0] for role in (outer, inner))
            out, apart = _typical(side.sign * dot(ends[0] - ends[1], places.leftward)), _typical(ends[0] - ends[1])
            if out < -_EXCHANGED_M:
                text = f"{labels} are exchanged: the first lies {-1e3 * out:.0f} mm inside the other"
            elif apart > _OTHER_LEG_M:
                text = f"{labels} lie {1e3 * apart:.0f} mm apart: one of them is on another part of the body"
            else:
                continue
            notes.append(Note("labels_unused", f"{text}; neither is used; correct the labels"))
            roles |= {(side.name, outer), (side.name, inner)}
        asis, psis = places.of(side.name, "asis"), places.of(side.name, "psis")
        if asis is not None and psis is not None and _typical(dot(asis - psis, places.forward)) < -_EXCHANGED_M:
            labels = " and ".join(spelled[side.name, role][0] for role in ("asis", "psis"))
            text = f"{labels} are exchanged: the first lies behind the other"
            notes.append(Note("labels_unused", f"{text}; neither is used; correct the labels"))
            roles |= {(side.name, "asis"), (side.name, "psis")}
    left, right = (s.name for s in sorted(model.sides, key=lambda s: -s.sign))
    for role in _NEVER_CROSS:
        ends = places.of(left, role), places.of(right, role)
        if ends[0] is None or ends[1] is None or (left, role) in roles or (right, role) in roles:
            continue
        if (across := _typical(dot(ends[0] - ends[1], places.leftward))) < -_EXCHANGED_M:
            labels = f"{spelled[left, role][0]} and {spelled[right, role][0]}"
            text = f"{labels} are exchanged: the left one lies {-1e3 * across:.0f} mm to the right of the other"
            notes.append(Note("labels_unused", f"{text}; neither is used; correct the labels"))
            roles |= {(left, role), (right, role)}
    if not roles:
        return model, _Misplaced()
    return model._replace(spelled=spelled | dict.fromkeys(roles, ())), _Misplaced(frozenset(roles), tuple(notes))


class _Places:
    """Where landmarks are in some fifty frames, and which ways the body's left and front are."""

    def __init__(self, trial: Trial, model: specs.Model) -> None:
        self.trial, self.model = trial, model
        self.some = slice(None, None, max(1, trial.n_frames // _LOOKED_AT))
        left, right = (s.name for s in sorted(model.sides, key=lambda s: -s.sign))
        pairs = [(self.of(left, role), self.of(right, role)) for role in model.each_side.markers]
        self.leftward = self._mean([a - b for a, b in pairs if a is not None and b is not None])
        fronts = ("toe", "mt1", "mt2", "mt5", "big_toe")
        feet = [(self.of(s, heel), self.of(s, toe)) for s in (left, right) for heel in ("heel",) for toe in fronts]
        self.forward = self._mean([toe - heel for heel, toe in feet if heel is not None and toe is not None])

    def of(self, side: str, role: str) -> Array | None:
        """(some frames, 3) places, m; None where the landmark was never seen."""
        label = next((x for x in self.model.spelled.get((side, role), ()) if self.trial.has(x)), "")
        return self.trial.marker(label)[self.some] if label else None

    def _mean(self, ways: Sequence[Array]) -> Array:
        if not ways:
            return np.full(3, np.nan)
        return unit(median_of_known(np.stack(ways)))  # NaN in frames in which no pair was seen


def _typical(values: Array) -> float:
    """Median of what is known, of vectors that of their lengths; NaN where nothing is."""
    lengths = norm(values) if values.ndim == 2 else values
    known = lengths[np.isfinite(lengths)]
    return float(median(known)) if known.size else float("nan")


def _refuse_one_for_two(model: specs.Model) -> None:
    """Refuse a laboratory's own marker set that gives one label to two landmarks.

    Raises
    ------
    TrialError
    """
    owners: dict[str, str] = {}
    for (side, role), labels in model.spelled.items():
        if len(labels) != 1 or "_cluster_" in role:
            continue
        name = f"{side} {role}".strip()
        if (other := owners.setdefault(labels[0], name)) != name:
            raise TrialError(
                f"the marker set gives the label {labels[0]} to two landmarks: {other} and {name}",
                expected="one label a landmark",
                todo="correct the file of --markers",
            )


def recorded(
    trial: Trial,
    model: specs.Model,
    static: Trial | None = None,
    marker_set: MarkerSet | None = None,
    carried: frozenset[Role] = frozenset(),
) -> tuple[Bound, dict[str, Needs], Notes]:
    """A model bound to a trial, and what each leg that was recorded needs (`bind_trial`, `recorded_sides`).

    A model that names its labels is bound by these; where they are not all there, a marker set that knows the trial's
    labels may say which of them are meant.

    Raises
    ------
    TrialError
    """
    bound = bind_trial(trial, model, static, None if not model.by_landmarks else marker_set, carried)
    try:
        return bound, *recorded_sides(trial, bound)
    except MarkersLackError as error:
        if model.by_landmarks:
            if static is not None and marker_set is None and (words := _differing(trial, static)):
                error = error.because(words)
            raise error from None
        known = [marker_set] if marker_set is not None else sets_of(Spellings(seen_labels(trial)))[:1]
        for of_labels in known:
            by_set = bind_trial(trial, model, static, of_labels, carried)
            if by_set.model.spelled != bound.model.spelled:
                try:
                    return by_set, *recorded_sides(trial, by_set)
                except TrialError:
                    pass  # what the model's own labels lack is told
        raise


def recorded_sides(trial: Trial, bound: Bound) -> tuple[dict[str, Needs], Notes]:
    """What each leg needs, for the legs whose markers the trial holds.

    A leg without any marker of its own was not recorded: its columns stay empty, with a note. A leg with some of
    them is a mistake of labels, or a trial of another marker set: refused, with every missing label named. A segment
    that the model calls optional may lack markers: the leg is analysed without it.

    Raises
    ------
    TrialError
    """
    model = bound.model
    legs = {side.name: side_needs(model, side.name, trial.seen, bound.reference)[0] for side in model.sides}
    for needs in legs.values():
        _refuse_ambiguous(trial, model, needs)
    # with one side only, markers of the base may be all that there is
    of_leg = {name: n.of_leg(name, n.present) if len(legs) > 1 else n.present for name, n in legs.items()}
    recorded = {name: needs for name, needs in legs.items() if of_leg[name]}
    if not all(needs.complete for needs in (recorded or legs).values()):
        raise _lacking(trial, bound, legs, (recorded or legs).values())
    notes = list(bound.notes)
    for name, needs in legs.items():
        if name not in recorded:
            roles = needs.of_leg(name, set(needs.missing))
            labels = ", ".join(sorted(label_words(model, role, needs.missing[role]) for role in roles))
            text = f"{name} leg: none of its markers ({labels}) is in the trial; its columns are empty"
            notes.append(Note("leg_absent", text, name))
            continue
        for segment, lacks in needs.absent.items():
            why = "; ".join(what_lacks(bound, [lacks]))
            text = f"{name} {segment}: {why}; its angles and the leg's wrenches are empty"
            notes.append(Note("segment_absent", text, name))
    return recorded, tuple(notes)


def what_lacks(bound: Bound, needs: Iterable[Needs]) -> list[str]:
    """In words what a trial and its static lack, one clause for the trial, the static, and what they share."""
    missing: dict[Role, tuple[str, ...]] = {}
    static_missing: dict[Role, tuple[str, ...]] = {}
    few: dict[Role, tuple[str, ...]] = {}
    wants_static = False
    for n in needs:
        missing |= n.missing
        static_missing |= n.static_missing
        few |= n.too_few
        wants_static |= n.wants_static
    clauses = []
    if missing:
        clauses.append(f"it lacks {', '.join(_roles_words(bound.model, missing))}")
    if wants_static:
        clauses.append("it needs a static trial to be calibrated with (--static)")
    if static_missing:
        words = _roles_words(bound.static_model or bound.model, static_missing)
        clauses.append(f"its static lacks {', '.join(words)}")
    if few and not wants_static:
        of_sides = dict.fromkeys(few, ())
        unseen = sorted({label for labels in few.values() for label in labels})
        seen_not = f" (not seen: {first_few(unseen, 6)})" if unseen else ""
        clauses.append(
            f"trial and static share fewer than three markers of {', '.join(_sided_words(of_sides))}{seen_not}"
        )
    return clauses


def _roles_words(model: specs.Model, missing: Mapping[Role, tuple[str, ...]]) -> list[str]:
    """Markers that are missing: by their labels, or of a model by landmarks by what they are, both sides in one."""
    if not model.marker_set:
        return sorted({" or ".join(labels) for labels in missing.values()})
    return _sided_words(missing)


def _sided_words(missing: Mapping[Role, tuple[str, ...]]) -> list[str]:
    words = []
    for name in dict.fromkeys(name for _, name in missing):
        sides = [side for side, other in missing if other == name]
        labels = [missing[side, name][0] for side in sides if missing[side, name]]
        where = " on both sides" if len(sides) == 2 else f" on the {sides[0]}" if sides[0] else ""
        words.append(f"{name}{where}" + (f" ({', '.join(labels)})" if labels else ""))
    return words


def label_words(model: specs.Model, role: Role, labels: Sequence[str]) -> str:
    """The labels that a marker may have; of a landmark also what it is, as not every laboratory has a label for it."""
    side, name = role
    words = " or ".join(labels)
    if not model.marker_set:
        return words
    landmark = f"{side} {name}".strip()
    return f"{landmark} ({words})" if words else landmark


class MarkersLackError(TrialError):
    """A trial whose markers do not suffice for a model.

    Attributes
    ----------
    count : int
        How many markers are lacking.
    clauses : list of str
        What is lacking, without the model's name.
    exchanged : bool
        Whether that is because labels are exchanged.
    bound : Bound or None
        The model, bound to what labels there are.
    """

    count = 0
    clauses: Sequence[str] = ()
    exchanged = False
    bound: Bound | None = None

    def because(self, words: str) -> MarkersLackError:
        """The same error, with the reason before what is lacking."""
        error = MarkersLackError(f"{words}; {self.wrong}", expected=self.expected, found=self.found, todo=self.todo)
        error.count, error.clauses, error.bound = self.count, [words, *self.clauses], self.bound
        return error


def _differing(trial: Trial, static: Trial) -> str:
    """That trial and static have the labels of different marker sets; empty where they do not."""
    labels, of_static = seen_labels(trial), seen_labels(static)
    shared = len(set(labels) & set(of_static))
    known, others = (sets_of(Spellings(seen))[:1] for seen in (labels, of_static))
    if not known or not others or known[0].name == others[0].name or 2 * shared > min(len(labels), len(of_static)):
        return ""
    return f"the static has labels of {others[0].name}, the trial those of {known[0].name}"


def _lacking(trial: Trial, bound: Bound, legs: Mapping[str, Needs], lacking: Iterable[Needs]) -> TrialError:
    """The refusal, with every missing label named."""
    model = bound.model
    lacking = list(lacking)
    present = seen_labels(trial)
    if not model.by_landmarks:
        missing = sorted({" or ".join(labels) for needs in lacking for labels in needs.missing.values()})
        hints = ", ".join(f"{label}{_hint(label, present, model, legs)}" for label in missing)
        others = [
            clause for clause in what_lacks(bound, lacking) if missing == [] or not clause.startswith("it lacks ")
        ]
        wrong = f"markers of the model {model.name} are missing or never seen: {hints}" if missing else ""
        wrong = "; ".join(filter(None, (wrong, *others)))
    else:
        known = f" ({model.marker_set} labels)" if model.marker_set else ""
        wrong = f"the model {model.name}{known} cannot be computed: {'; '.join(what_lacks(bound, lacking))}"
        wrong = "; ".join([wrong, *(note.text for note in bound.notes)])
    error = MarkersLackError(
        wrong,
        found=_shown(present)
        if any(trial.labels) or not trial.labels
        else f"{len(trial.labels)} points, none with a name",
        todo="correct the labels, or give a model that names them"
        if not model.by_landmarks
        else "see `gaitid inspect` for the models that fit",
    )
    # that there is no static tells nothing of what it would have to hold
    error.count = len({role for n in lacking for role in (*n.missing, *n.static_missing, *n.too_few)})
    error.count += _NO_STATIC * any(n.wants_static for n in lacking)
    error.clauses = what_lacks(bound, lacking)
    roles = {role for n in lacking for role in (*n.missing, *n.static_missing)}
    error.exchanged = bool(roles) and roles <= bound.misplaced
    error.bound = bound
    return error


def _shown(labels: Sequence[str]) -> str:
    poses = any(seen_as(label) != label for label in labels)
    labels = list(dict.fromkeys(map(seen_as, labels)))
    more = ", …" if len(labels) > _SHOWN_LABELS else ""
    if not labels:
        return "no marker seen in any frame"
    return f"{len(labels)} {'poses and ' if poses else ''}markers seen ({', '.join(labels[:_SHOWN_LABELS])}{more})"


def _hint(label: str, present: list[str], model: specs.Model, legs: Mapping[str, Needs]) -> str:
    """A label that may be meant: none that the model uses for something else, none of the other side."""
    taken = {text for n in legs.values() for side, role in n.present for text in model.labels(role, side)}
    letters = {side.letter for side in model.sides}
    others = letters - {label[:1]} if label[:1] in letters else set()
    return nearest(label, [p for p in present if p not in taken and p[:1] not in others])


def _refuse_ambiguous(trial: Trial, model: specs.Model, needs: Needs) -> None:
    """A label that several seen markers carry names none of them."""
    for side, role in needs.present:
        for label in model.labels(role, side):
            if trial.labels.count(label) > 1:
                raise TrialError(
                    f"the label {label} is given to {trial.labels.count(label)} points",
                    expected="one point a label",
                    todo="rename or delete the others",
                )
