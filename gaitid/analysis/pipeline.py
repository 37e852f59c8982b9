"""The whole job for one trial: `analyse` reads from top to bottom as the data go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.analysis.conventions import conventions
from gaitid.analysis.limb import absent_leg, base_wrench, compute_leg, make_link, no_load
from gaitid.analysis.result import Result, SideResult
from gaitid.body.feet import FootTrack, foot_tracks
from gaitid.body.frames import Geometry
from gaitid.body.kinematics import Motion, segment_motions
from gaitid.body.sanity import check_body, length_warnings
from gaitid.body.subject import Sources, Static, Subject, SubjectFile, resolve_subject
from gaitid.errors import TrialError
from gaitid.gait.spatiotemporal import analyse_gait
from gaitid.ground.claims import ByHand
from gaitid.ground.contacts import Contact, disagreements, foot_loads
from gaitid.ground.plate_alignment import alignments
from gaitid.ground.plate_load import PlateLoad, plates_at_camera
from gaitid.ground.stance import detect_stances
from gaitid.ground.vertical import vertical
from gaitid.markers.clean import Clean, clean, model_markers
from gaitid.model import specs
from gaitid.model.fields import nearest
from gaitid.model.needs import Needs, side_needs
from gaitid.numerics.masks import known_rows
from gaitid.trial import Array, Trial

# N/s. A plate whose empty reading changes faster than this drifts.
DRIFT_WORTH_SAYING = 0.2


def analyse(
    trial: Trial,
    model: specs.Model,
    subject_file: SubjectFile,
    static: Trial | None = None,
    *,
    solver: str = "block",
    require_forces: bool = False,
    by_hand: Sequence[ByHand] = (),
) -> Result:
    """Compute everything of one trial.

    Parameters
    ----------
    trial : Trial
    model : Model
    subject_file : SubjectFile
        What the user says of the subject; may be empty.
    static : Trial, optional
        Calibration trial; its values win over those stored in `trial`.
    solver : str
        One of `SOLVERS`.
    require_forces : bool
        Refuse a trial in which no foot is known to be loaded.
    by_hand : sequence of ByHand
        Which foot was on which plates, frames as the file numbers them.

    Returns
    -------
    Result

    Raises
    ------
    TrialError, SubjectError
        What the model needs and neither trial nor subject has.
    """
    settings = model.settings
    warnings = [note.text for note in trial.notes]
    needs = _needs(trial, model, warnings)
    up_g, up_words = vertical(trial, model)
    static_up = vertical(static, model)[0] if static is not None else up_g
    subject = _subject(trial, model, needs, subject_file, static, static_up)
    warnings += [note.text for note in subject.notes]

    letters = [side.letter for side in model.sides]
    loaded = model.touches_ground and bool(trial.plates)
    cleaned = clean(model_markers(trial, model), settings, trial.rate_hz, trial.first_frame, letters, loaded)
    settings = cleaned.settings
    warnings += cleaned.warnings
    geometry = Geometry(model, cleaned.markers, subject.numbers, trial.n_frames, up_g)
    doubted = {label: None for fault in cleaned.quality["label_faults"] for label in fault["labels"]}
    check_body(geometry, list(needs), list(doubted))
    warnings += length_warnings(geometry, list(needs), trial.first_frame)
    motions, lengths = _motions(geometry, cleaned, model, list(needs), trial.rate_hz)
    base = motions[""]
    R_gp, progression_words = np.full((3, 3), np.nan), ""
    if model.progression is not None:
        R_gp, progression_words = geometry.progression(model.progression)

    mass = subject.mass_kg
    if model.moments and not np.isfinite(mass):
        warnings.append("the body's mass is not known: moments and powers per kg are empty")
    feet = {side: foot for side, foot in foot_tracks(trial, model, cleaned.seen).items() if side in needs}
    plates, refused = plates_at_camera(trial, settings, feet, up_g) if model.touches_ground else ([], {})
    warnings += [f"plate {number} is not used: {reason}" for number, reason in refused.items()]
    plate_quality = _plate_quality(plates, settings, warnings)
    faults = _faults(trial, feet, plates, settings, up_g)
    loads, contacts, load_warnings = foot_loads(
        plates, feet, trial.events, trial.rate_hz, settings, trial.n_frames,
        mass * settings.gravity_m_per_s2, up_g,
        _as_indices(by_hand, trial, list(feet)), faults,
    )  # fmt: skip
    warnings += [f"plate {number}: {fault}" for number, fault in faults.items()]
    warnings += load_warnings
    if model.touches_ground:
        warnings += disagreements(trial.assignments, contacts, trial)
        _check_forces(plates, contacts, require_forces, warnings)
    gait = analyse_gait(trial.events, loads, feet, base.com_g, up_g, trial.rate_hz, settings.contact_threshold_N)
    warnings += gait.events.warnings

    gravity_g = -settings.gravity_m_per_s2 * up_g
    sides: dict[str, SideResult] = {}
    for side in model.sides:
        if side.name in needs:
            own = {b.segment: motions[f"{side.name}.{b.segment}"] for b in model.chain}
            own_lengths = {b.segment: lengths[f"{side.name}.{b.segment}"] for b in model.chain}
            load = loads[side.name] if model.touches_ground else no_load(trial.n_frames)
            sides[side.name] = compute_leg(
                geometry, settings, side, own, own_lengths, base, R_gp, load, mass, gravity_g, solver
            )
        else:
            sides[side.name] = absent_leg(model, trial.n_frames)
    base_link = base_body = None
    if model.base.body is not None:
        base_link, base_body = make_link(geometry, settings, model.base.body, "", base, lengths[""], mass)
    left_over, base_chain = base_wrench(model, list(sides.values()), base, base_link, gravity_g, solver)
    if not any(counts["filled"] for side in sides.values() for counts in side.coverage.values()):
        why = "no wrench of a joint is known in any frame: the trial is too short, or markers or loads are missing"
        if require_forces:
            raise TrialError(why, todo="leave out --require-forces")
        warnings.append(why)
    return Result(
        trial=trial,
        model=model,
        settings=settings,
        solver=solver,
        subject=subject,
        gravity_g=gravity_g,
        base=base,
        base_wrench=left_over,
        base_body=base_body,
        base_chain=base_chain,
        sides=sides,
        contacts=tuple(contacts),
        gait=gait,
        conventions=conventions(model, up_g, up_words, R_gp, progression_words),
        quality={"plates": plate_quality, **cleaned.quality},
        warnings=tuple(dict.fromkeys(warnings)),
    )


# --- what is there ------------------------------------------------------------------------------------------


def _needs(trial: Trial, model: specs.Model, warnings: list[str]) -> dict[str, Needs]:
    """What each leg needs, for the legs whose markers the trial holds.

    A leg without any marker of its own was not recorded: its columns stay empty, with a warning. A leg with some of
    them is a mistake of labels, or a trial of another marker set: refused, with every missing label named.
    """
    legs = {side.name: side_needs(model, side.name, trial.has)[0] for side in model.sides}
    for needs in legs.values():
        _refuse_ambiguous(trial, model, needs)
    # with one side only, markers of the base may be all that there is
    own = {name: needs.own(name, needs.present) if len(legs) > 1 else needs.present for name, needs in legs.items()}
    recorded = {name: needs for name, needs in legs.items() if own[name]}
    missing = sorted(
        {" or ".join(labels) for name, needs in (recorded or legs).items() for role, labels in needs.missing.items()}
    )
    if missing:
        present = [label for label in trial.labels if label and trial.has(label)]
        hints = ", ".join(f"{label}{_hint(label, present, model, legs)}" for label in missing)
        raise TrialError(
            f"markers of the model {model.name} are missing or never seen: {hints}",
            found=f"{len(present)} markers seen ({', '.join(present[:12])}{', …' if len(present) > 12 else ''})"
            if any(trial.labels) or not trial.labels
            else f"{len(trial.labels)} points, none with a name",
            todo="correct the labels, or give a model that names them",
        )
    for name, needs in legs.items():
        if name not in recorded:
            labels = ", ".join(sorted(" or ".join(needs.missing[role]) for role in needs.own(name, set(needs.missing))))
            warnings.append(f"{name} leg: none of its markers ({labels}) is in the trial; its columns are empty")
    return recorded


def _hint(label: str, present: list[str], model: specs.Model, legs: Mapping[str, Needs]) -> str:
    """A label that may be meant: none that the model uses for something else, none of the other side."""
    used = {text for n in legs.values() for side, role in n.present for text in model.labels(role, side)}
    letters = {side.letter for side in model.sides}
    others = letters - {label[:1]} if label[:1] in letters else set()
    return nearest(label, [p for p in present if p not in used and p[:1] not in others])


def _refuse_ambiguous(trial: Trial, model: specs.Model, needs: Needs) -> None:
    """A label that several seen markers carry names none of them."""
    for side, role in needs.present:
        for label in model.labels(role, side):
            if trial.labels.count(label) > 1:
                raise TrialError(f"the label {label} is given to {trial.labels.count(label)} points",
                                 expected="one point a label", todo="rename or delete the others")  # fmt: skip


def _subject(
    trial: Trial,
    model: specs.Model,
    needs: Mapping[str, Needs],
    subject_file: SubjectFile,
    static: Trial | None,
    up_g: Array,
) -> Subject:
    wanted = {name for n in needs.values() for name in n.measurements} | ({"mass"} & set(model.subject))
    calibration = None
    if static is not None:
        calibration = Static(static.parameters, model_markers(static, model), static.n_frames, up_g)
    return resolve_subject(model, wanted, Sources(subject_file, trial.parameters, calibration))


# --- the body -----------------------------------------------------------------------------------------------


def _motions(
    geometry: Geometry, cleaned: Clean, model: specs.Model, sides: Sequence[str], rate_hz: float
) -> tuple[dict[str, Motion], dict[str, Array]]:
    """Motion of the base (named "") and of each ``side.segment``, and the segments' lengths, m.

    Derivatives are taken through gaps that stay open (`Clean.support`); the frames of the gaps themselves are empty.
    """
    through = geometry
    if cleaned.support is not cleaned.markers:
        through = geometry.with_markers(cleaned.support)
    parts = {"": (through.frame(model.base.frame), through.point(model.base.origin))}
    known = {"": known_rows(geometry.frame(model.base.frame).R_gs)}
    lengths: dict[str, Array] = {}
    bodies = [(f"{side}.{body.segment}", side, body) for side in sides for body in model.chain]
    if model.base.body is not None:
        bodies.append(("", "", model.base.body))
    for name, side, body in bodies:
        length = np.asarray(geometry.value(body.length, side), dtype=float)
        fraction = model.table.rows[body.row].com_fraction
        # a mean over the trial is that of the frames that were seen
        long = length if length.ndim == 0 else through.value(body.length, side)
        com = through.point(body.com, side, length=long, com_fraction=fraction)
        lengths[name] = np.broadcast_to(length, (geometry.n_frames,))
        parts[name] = (through.frame(body.frame, side), com)
        known[name] = known_rows(geometry.frame(body.frame, side).R_gs) & np.isfinite(lengths[name])
    motions = segment_motions(parts, rate_hz, cleaned.settings)
    return {name: motion.only(known[name]) for name, motion in motions.items()}, lengths


# --- the ground ---------------------------------------------------------------------------------------------


def _plate_quality(plates: Sequence[PlateLoad], settings: specs.Settings, warnings: list[str]) -> list[dict[str, Any]]:
    """Figures of each plate for the record; what it reads while it is empty is worth a warning."""
    for plate in plates:
        size = float(np.linalg.norm(plate.bias_g))
        if plate.removed:
            drift = float(np.linalg.norm(plate.drift_g))
            changing = f", changing by {drift:.2g} N/s" if drift > DRIFT_WORTH_SAYING else ""
            warnings.append(
                f"plate {plate.number} reads {size:.1f} N while it is empty{changing}; that was taken off its load"
            )
        elif size > settings.bias_limit_N:
            what = "it was not zeroed, and nothing was taken off"
            if settings.remove_bias != "never":
                what = "that is no steady reading, and nothing was taken off: is somebody else on it?"
            warnings.append(f"plate {plate.number} reads {size:.1f} N while it is empty; {what}")
    return [
        {
            "plate": plate.number,
            "peak_vertical_N": _largest(plate.vertical),
            "bias_N": plate.bias_g,
            "bias_moment_Nm": plate.bias_moment_g,
            "drift_N_per_s": plate.drift_g,
            "bias_removed": plate.removed,
            "noise_N": plate.noise_N,
        }
        for plate in plates
    ]


def _faults(
    trial: Trial, feet: Mapping[str, FootTrack], plates: Sequence[PlateLoad], settings: specs.Settings, up_g: Array
) -> dict[int, str]:
    """Plates whose corners do not fit the feet, and what would."""
    found = alignments(plates, feet, detect_stances(feet, (), up_g, trial.rate_hz), trial.rate_hz, settings)
    return {told.plate: told.fault for told in found if told.fault}


def _as_indices(by_hand: Sequence[ByHand], trial: Trial, sides: Sequence[str]) -> list[ByHand]:
    """What was given by hand, frames from 0."""
    result = []
    last = trial.first_frame + trial.n_frames - 1
    for one in by_hand:
        if one.side not in sides:
            raise TrialError(f"--assign: no {one.side} foot in this trial", expected=" or ".join(sides) or "a foot")
        for frame in (one.first, one.last):
            if frame is not None and not trial.first_frame <= frame <= last:
                raise TrialError(
                    f"--assign: frame {frame} is not in the trial", expected=f"{trial.first_frame} to {last}"
                )
        first, end = (None if f is None else f - trial.first_frame for f in (one.first, one.last))
        result.append(ByHand(one.side, one.plates, first, end))
    return result


def _largest(values: Array) -> float:
    known = values[np.isfinite(values)]
    return float(known.max()) if known.size else float("nan")


def _check_forces(plates: list[PlateLoad], contacts: list[Contact], require_forces: bool, warnings: list[str]) -> None:
    if any(contact.plates for contact in contacts):
        return
    if not plates:
        why = "no usable force plate in the trial"
    else:
        why = "no foot stands wholly on the plates"
    if require_forces:
        raise TrialError(why, expected="at least one foot with a known load", todo="leave out --require-forces")
    warnings.append(f"{why}: wrenches are known in the air only")
