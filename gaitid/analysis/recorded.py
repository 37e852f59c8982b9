"""What a trial and its static hold of what a model needs: labels bound to roles, legs recorded, what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gaitid.analysis.landmarks import Landmarks, read_landmarks
from gaitid.analysis.misplaced import Misplaced, without_exchanged, without_misplaced
from gaitid.body.calibration import without_static
from gaitid.body.joints import Calibration
from gaitid.body.resolve import MeasurementsLackError, resolve_subject
from gaitid.body.subject import Sources, Subject
from gaitid.errors import TrialError
from gaitid.model import specs
from gaitid.model.binding import bind
from gaitid.model.fields import nearest
from gaitid.model.marker_sets import MarkerSet, Spellings, read_labels
from gaitid.model.needs import Needs, Reference, Role, side_needs
from gaitid.notes import Notes, note, phrase
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Trial, seen_as, seen_labels

# What the want of a static counts as, in missing markers of both legs.
_NO_STATIC = 6
# So many labels of a file are shown in an error.
_SHOWN_LABELS = 6


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


def bind_trial(
    trial: Trial,
    model: specs.Model,
    static: Trial | None,
    marker_set: MarkerSet | Landmarks | None,
    carried: frozenset[Role] = frozenset(),
) -> Bound:
    """Find which label each marker of the model has in a trial and in its static.

    Parameters
    ----------
    trial : Trial
    model : Model
    static : Trial or None
    marker_set : MarkerSet, Landmarks or None
        What the user says of labels; without it what is read of them, for a model by landmarks.
    carried : frozenset of Role
        Points and frames whose places a subject file brings.

    Raises
    ------
    TrialError
        No marker set knows the labels.
    """
    scaled = None if static is None else static.scaled
    if by_static := model.pose is not None and model.pose.by_static:
        if scaled is None:
            wrong = f"the model {model.name} takes a scaled OpenSim model for a static"
            raise TrialError(wrong, todo="give its .osim with --static")
        marker_set = scaled.marker_set
    labels = seen_labels(trial)
    static_labels = [] if static is None else seen_labels(static)
    if isinstance(marker_set, MarkerSet):
        _refuse_one_for_two(bind(model, Spellings([*labels, *static_labels]), marker_set))
    if marker_set is None and model.by_landmarks:
        if not labels:
            raise TrialError("no marker was seen in any frame", todo="look at it in the program that made it")
        marker_set = read_landmarks(trial, static)
        if marker_set is None:
            raise TrialError(
                "the labels of its markers are of no known marker set",
                found=_shown(labels),
                todo="name its landmarks with --markers FILE; `gaitid models markers TRIAL` writes a first draft",
            )
    known = marker_set.marker_set if isinstance(marker_set, Landmarks) else marker_set
    bound, fault = without_misplaced(trial, bind(model, Spellings(labels), known))
    notes = (*fault.notes, *(marker_set.notes(bound) if isinstance(marker_set, Landmarks) else ()))
    if static is None:
        return Bound(bound, None, Reference(bound, None, carried), notes, fault.roles)
    of_static, static_fault = without_misplaced(static, bind(model, Spellings(static_labels), known))
    if by_static and scaled is not None:
        bound, of_static = scaled.in_model(bound), scaled.in_model(of_static)
    in_static = tuple(note._replace(text=f"static: {note.text}") for note in static_fault.notes)
    exchanged = Misplaced()
    if not by_static:  # who put markers into an OpenSim model did not take its labels from a recording
        of_static, exchanged = without_exchanged(trial, bound, static, of_static)
    reference = Reference(of_static, static.seen, carried)
    misplaced = fault.roles | static_fault.roles | exchanged.roles
    return Bound(bound, of_static, reference, (*notes, *in_static, *exchanged.notes), misplaced)


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


class Recorded(NamedTuple):
    """A model bound to a trial, what each leg that was recorded needs, and notes of the legs."""

    bound: Bound
    needs: dict[str, Needs]
    notes: Notes


def recorded(
    trial: Trial,
    model: specs.Model,
    static: Trial | None = None,
    marker_set: MarkerSet | None = None,
    calibration: Calibration = Calibration(),  # noqa: B008 - it cannot be changed
    one_leg_will_do: bool = True,
) -> Recorded:
    """A model bound to a trial, and what each leg that was recorded needs (`bind_trial`, `recorded_sides`).

    A model that names its labels is bound by these; where they are not all there, a marker set that knows the trial's
    labels may say which of them are meant. A leg that lacks some of its markers all the same is left out, with a note,
    where the other leg has all of its own.

    Raises
    ------
    TrialError
    """
    carried = without_static(calibration, model, trial, static).places
    bound = bind_trial(trial, model, static, marker_set if model.by_landmarks else None, carried)
    try:
        return Recorded(bound, *recorded_sides(trial, bound))
    except MarkersLackError as error:
        if model.by_landmarks and static is not None and marker_set is None and (words := _differing(trial, static)):
            error = error.because(words)
        fault, one_leg = error, [(bound, error.others)]
    of_labels = None if model.by_landmarks else marker_set or read_landmarks(trial, static)
    if of_labels is not None:
        try:
            by_set = bind_trial(trial, model, static, of_labels, carried)
            if by_set.model.spelled != bound.model.spelled:
                return Recorded(by_set, *recorded_sides(trial, by_set))
        except MarkersLackError as error:  # what the model's own labels lack is told
            one_leg.append((by_set, error.others))
        except TrialError:
            if of_labels is marker_set:
                raise
    for bound_to, others in one_leg if one_leg_will_do else ():
        if others is not None:
            return Recorded(bound_to, *others)
    raise fault


def recorded_sides(trial: Trial, bound: Bound) -> tuple[dict[str, Needs], Notes]:
    """What each leg needs, for the legs whose markers the trial holds.

    A leg without any marker of its own was not recorded: its columns stay empty, with a note. A leg with some of
    them may be a mistake of labels, or a trial of another marker set: refused, with every missing label named, and the
    error holds what the other leg needs. A segment that the model calls optional may lack markers: the leg is analysed
    without it.

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
    complete = {name: needs for name, needs in recorded.items() if needs.complete}
    lacking = [needs for name, needs in (recorded or legs).items() if name not in complete]
    notes = list(bound.notes)
    for name, needs in legs.items():
        if name not in recorded:
            roles = needs.of_leg(name, set(needs.missing))
            labels = sorted(label_words(model, role, needs.missing[role]) for role in roles)
            notes.append(note("leg_absent/no_marker", name, labels=labels))
        elif name not in complete:
            lacks = _lack_clauses(bound, legs, [needs], seen_labels(trial))
            notes.append(note("leg_absent/lacks", name, lacks=lacks))
        for segment, without in needs.absent.items() if name in complete else ():
            notes.append(
                note("segment_absent/lacks", name, segment=segment, lacks=[*what_lacks(bound, [without]).values()])
            )
        lack: dict[tuple[str, ...], list[str]] = {}
        for angles, without in needs.absent_angles.items() if name in complete else ():
            lack.setdefault(tuple(what_lacks(bound, [without]).values()), []).append(angles.replace("_", " "))
        notes += [note("segment_absent/angles", name, angles=of, lacks=[*clauses]) for clauses, of in lack.items()]
    if lacking:
        raise _lacking(trial, bound, legs, lacking, (complete, tuple(notes)) if complete else None)
    return complete, tuple(notes)


def measured_legs(
    model: specs.Model, legs: dict[str, Needs], sources: Sources, one_leg_will_do: bool = True
) -> tuple[dict[str, Needs], Subject, Notes]:
    """The subject, and the legs whose measurements are known, where a leg that lacks some may be left out.

    Raises
    ------
    SubjectError
    """

    def resolved(legs: Mapping[str, Needs]) -> Subject:
        return resolve_subject(model, {name for needs in legs.values() for name in needs.measurements}, sources)

    try:
        return legs, resolved(legs), ()
    except MeasurementsLackError as error:
        lacking = {name.rpartition(".")[0] for name in error.keys}
        complete = {side: needs for side, needs in legs.items() if side not in lacking}
        if not (one_leg_will_do and complete and lacking <= set(legs)):
            raise
        notes = []
        for side in sorted(lacking):
            keys = [key for name, key in error.keys.items() if name.startswith(f"{side}.")]
            notes.append(note("leg_absent/measurements", side, keys=keys, found=error.found, todo=error.todo))
        return complete, resolved(complete), tuple(notes)


def what_lacks(bound: Bound, needs: Iterable[Needs]) -> dict[str, str]:
    """In words what a trial and its static lack: a clause for the trial, the static, and what they share."""
    missing, static_missing, few = (dict[Role, tuple[str, ...]]() for _ in range(3))
    unnamed, wants_static = set[Role](), False
    for n in needs:
        missing |= n.missing
        static_missing |= n.static_missing
        few |= n.too_few
        wants_static |= n.wants_static
        unnamed |= n.unnamed
    clauses = {}
    if missing:
        clauses["markers"] = phrase("lacks/markers", markers=_roles_words(bound.model, missing))
    if wants_static:
        clauses["static"] = phrase("lacks/static", shows=_sided_words(dict.fromkeys(sorted(unnamed), ())))
    if static_missing:
        lacking = _roles_words(bound.static_model or bound.model, static_missing)
        clauses["in_static"] = phrase("lacks/in_static", markers=lacking)
    if few:
        unseen = sorted({label for labels in few.values() for label in labels})
        segments = _sided_words(dict.fromkeys(few, ()))
        clauses["few"] = phrase("lacks/few", trial=wants_static, segments=segments, unseen=unseen)
    return clauses


def _roles_words(model: specs.Model, missing: Mapping[Role, tuple[str, ...]]) -> list[str]:
    """Markers that are missing: by their labels, or of a model by landmarks by what they are, both sides in one."""
    if not model.marker_set:
        return sorted({" or ".join(labels) or " ".join(role).replace("_", " ") for role, labels in missing.items()})
    return _sided_words(missing)


def _sided_words(missing: Mapping[Role, tuple[str, ...]]) -> list[str]:
    words = []
    for name in dict.fromkeys(name for _, name in missing):
        sides = [side for side, other in missing if other == name]
        labels = [missing[side, name][0] for side in sides if missing[side, name]]
        both = len(sides) == 2
        words.append(phrase("lacks/role", role=name, both=both, side="" if both else sides[0], labels=labels))
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
    clauses : mapping of str to str
        What is lacking, without the model's name (`what_lacks`).
    exchanged : bool
        Whether that is because labels are exchanged.
    bound : Bound or None
        The model, bound to what labels there are.
    others : tuple or None
        What `recorded_sides` gives without the legs that lack markers; None where no leg has all.
    """

    count = 0
    clauses: Mapping[str, str] = {}
    exchanged = False
    bound: Bound | None = None
    others: tuple[dict[str, Needs], Notes] | None = None

    def because(self, words: str) -> MarkersLackError:
        """The same error, with the reason before what is lacking."""
        error = MarkersLackError(f"{words}; {self.wrong}", expected=self.expected, found=self.found, todo=self.todo)
        error.count, error.clauses, error.bound = self.count, {"labels": words, **self.clauses}, self.bound
        error.others = self.others
        return error


def _differing(trial: Trial, static: Trial) -> str:
    """That trial and static share few labels of markers that have a meaning; empty where they share most."""
    labels, of_static = ([*read_labels(seen_labels(recording))] for recording in (trial, static))
    shared = {*labels} & {*of_static}
    if not labels or not of_static or 2 * len(shared) > min(len(labels), len(of_static)):
        return ""
    theirs, ours = ([label for label in of if label not in shared] for of in (of_static, labels))
    return phrase("lacks/same_labels", of_static=theirs, of_trial=ours)


def _lack_clauses(
    bound: Bound, legs: Mapping[str, Needs], lacking: Sequence[Needs], present: Sequence[str]
) -> list[str]:
    """The clauses of `what_lacks`, of a model that names its labels with those of the trial that may be meant."""
    missing = sorted({" or ".join(labels) for needs in lacking for labels in needs.missing.values()})
    clauses = what_lacks(bound, lacking)
    if missing and not bound.model.by_landmarks:
        hints = [f"{label}{_hint(label, present, bound.model, legs)}" for label in missing]
        clauses["markers"] = phrase("lacks/named", model=bound.model.name, markers=hints)
    return [*clauses.values()]


def _lacking(
    trial: Trial,
    bound: Bound,
    legs: Mapping[str, Needs],
    lacking: Sequence[Needs],
    others: tuple[dict[str, Needs], Notes] | None,
) -> MarkersLackError:
    """The refusal, with every missing label named."""
    model = bound.model
    present = seen_labels(trial)
    wrong = "; ".join(_lack_clauses(bound, legs, lacking, present))
    if model.by_landmarks:
        known = f" ({model.marker_set} labels)" if model.marker_set else ""
        wrong = f"the model {model.name}{known} cannot be computed: {wrong}"
        wrong = "; ".join([wrong, *(note.text for note in bound.notes)])
    error = MarkersLackError(
        wrong,
        found=_shown(present)
        if any(trial.labels) or not trial.labels
        else f"{len(trial.labels)} points, none with a name",
        todo="correct the labels, or give a model that names them"
        if not model.by_landmarks
        else "name with --markers FILE what has no label; " * any(n.nameless for n in lacking)
        + "see `gaitid inspect` for the models that fit",
    )
    # that there is no static tells nothing of what it would have to hold
    few = (role for n in lacking if not n.wants_static for role in n.too_few)
    error.count = len({*few, *(role for n in lacking for role in (*n.missing, *n.static_missing))})
    error.count += _NO_STATIC * any(n.wants_static for n in lacking)
    error.clauses = what_lacks(bound, lacking)
    roles = {role for n in lacking for role in (*n.missing, *n.static_missing)}
    error.exchanged = bool(roles) and roles <= bound.misplaced
    error.bound, error.others = bound, others
    return error


def _shown(labels: Sequence[str]) -> str:
    poses = any(seen_as(label) != label for label in labels)
    labels = list(dict.fromkeys(map(seen_as, labels)))
    more = ", …" if len(labels) > _SHOWN_LABELS else ""
    if not labels:
        return "no marker seen in any frame"
    return f"{len(labels)} {'poses and ' if poses else ''}markers seen ({', '.join(labels[:_SHOWN_LABELS])}{more})"


def _hint(label: str, present: Sequence[str], model: specs.Model, legs: Mapping[str, Needs]) -> str:
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
