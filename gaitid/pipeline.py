"""The whole job for one trial: `analyse` reads from top to bottom as the data go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gaitid.contacts import AIR, Contact, FootLoad, assign_loads
from gaitid.conventions import conventions
from gaitid.dynamics.newton_euler import SOLVERS, Link
from gaitid.dynamics.wrench import Wrench
from gaitid.errors import GaitidError, TrialError
from gaitid.frames import Geometry, laboratory_vertical
from gaitid.kinematics import Motion, clinical_angles, clinical_moments, joint_axes, segment_motions
from gaitid.model import specs
from gaitid.model.fields import nearest
from gaitid.model.needs import Needs, side_needs
from gaitid.model.subject import Subject, SubjectFile, resolve_subject
from gaitid.plates import PlateLoad, plate_axes, plate_load, with_empty_reading
from gaitid.result import BodyParameters, Result, SideResult
from gaitid.rotation import apply_transposed, dot
from gaitid.signals import known_rows, lowpass, median, noise_level
from gaitid.stance import FootTrack, detect_stance
from gaitid.trial import Array, Trial

# N. A plate that reads more than this while it is empty was not zeroed.
BIAS_WORTH_SAYING = 3.0
# mm. Trajectories with less noise than this were smoothed before they were stored. On a simulated walk at 100 Hz
# unfiltered noise costs 223 N·m a millimetre at the hip and the 7 Hz filter 0.55 N·m: they break even at 0.0025 mm.
# Walks that Nexus smoothed have at most 0.00002 mm, raw trajectories 0.008 mm and more (docs/method.md).
SMOOTHED_BELOW_MM = 0.002


def analyse(
    trial: Trial,
    model: specs.Model,
    subject_file: SubjectFile,
    static: Trial | None = None,
    *,
    solver: str = "block",
    require_forces: bool = False,
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

    Returns
    -------
    Result

    Raises
    ------
    TrialError, SubjectError
        What the model needs and neither trial nor subject has.
    """
    settings = model.settings
    warnings = [*trial.warnings]
    needs = _needs(trial, model, warnings)
    up_g, up_words = _vertical(trial, model)
    static_up = _vertical(static, model)[0] if static is not None else up_g
    subject = _subject(trial, model, needs, subject_file, static, static_up)
    warnings += subject.warnings

    raw = _markers(trial, model, needs)
    settings, noise = _resolve_cutoff(raw, settings, trial.rate_hz, warnings)
    geometry = Geometry(model, _filtered(raw, settings, trial.rate_hz), subject.numbers, trial.n_frames, up_g)
    base_pose = geometry.frame(model.base.frame)
    parts = {"": (base_pose, geometry.point(model.base.origin))}
    lengths: dict[str, Array] = {}
    for name in needs:
        for body in model.chain:
            length = np.asarray(geometry.value(body.length, name), dtype=float)
            fraction = model.table.rows[body.row].com_fraction
            com = geometry.point(body.com, name, length=length, com_fraction=fraction)
            lengths[f"{name}.{body.segment}"] = np.broadcast_to(length, (trial.n_frames,))
            parts[f"{name}.{body.segment}"] = (geometry.frame(body.frame, name), com)
    motions = segment_motions(parts, trial.rate_hz, settings)
    base = motions[""]
    R_gp, progression_words = geometry.progression(model.progression)

    plates, plate_warnings, plate_quality = _plates(trial, model, raw, subject, needs, up_g)
    warnings += plate_warnings
    unfiltered = Geometry(model, raw, {}, trial.n_frames, up_g)
    feet = {s: FootTrack(unfiltered.point(model.heel, s), unfiltered.point(model.toe, s)) for s in needs}
    stances = {s: detect_stance(foot, s, trial.events, trial.rate_hz) for s, foot in feet.items()}
    loads, contacts, load_warnings = assign_loads(plates, feet, stances, trial.rate_hz, settings, trial.n_frames)
    warnings += load_warnings
    _check_forces(trial, plates, contacts, require_forces, warnings)

    mass = subject.numbers["mass"]
    gravity_g = -settings.gravity_m_per_s2 * up_g
    sides: dict[str, SideResult] = {}
    for side in model.sides:
        if side.name in needs:
            own = {b.segment: motions[f"{side.name}.{b.segment}"] for b in model.chain}
            own_lengths = {b.segment: lengths[f"{side.name}.{b.segment}"] for b in model.chain}
            sides[side.name] = _side(
                geometry,
                model,
                settings,
                side,
                own,
                own_lengths,
                base,
                R_gp,
                loads[side.name],
                mass,
                gravity_g,
                solver,
            )
        else:
            sides[side.name] = _absent_side(model, trial.n_frames)
    return Result(
        trial=trial,
        model=model,
        settings=settings,
        solver=solver,
        subject=subject,
        base=base,
        sides=sides,
        contacts=tuple(contacts),
        conventions=conventions(model, up_g, up_words, R_gp, progression_words),
        quality={"plates": plate_quality, "marker_noise_mm": noise, **_marker_quality(raw)},
        warnings=tuple(dict.fromkeys(warnings)),
    )


# --- what is there ------------------------------------------------------------------------------------------


def _needs(trial: Trial, model: specs.Model, warnings: list[str]) -> dict[str, Needs]:
    """What each side needs, for the sides of which something can be computed."""
    found: dict[str, Needs] = {}
    missing: dict[str, Needs] = {}
    for side in model.sides:
        needs, computable = side_needs(model, side.name, trial.has)
        if computable:
            found[side.name] = needs
        missing[side.name] = needs
    for needs in missing.values():
        _refuse_ambiguous(trial, model, needs)
    if not found:
        labels = sorted({" or ".join(labels) for needs in missing.values() for labels in needs.missing.values()})
        present = [label for label in trial.labels if trial.has(label)]
        hints = [f"{label}{nearest(label, present)}" for label in labels]
        raise TrialError(
            f"markers of the model {model.name} are missing: {', '.join(hints)}",
            found=f"{len(present)} markers seen ({', '.join(present[:12])}{', …' if len(present) > 12 else ''})",
            todo="rename the markers, or give a model that names them",
        )
    for side_name, needs in missing.items():
        if needs.missing:
            names = sorted({" or ".join(labels) for labels in needs.missing.values()})
            what = "what needs them is empty" if side_name in found else "that side is empty"
            warnings.append(f"{side_name} side: markers {', '.join(names)} are not in the trial; {what}")
    return found


def _refuse_ambiguous(trial: Trial, model: specs.Model, needs: Needs) -> None:
    """A label that several seen markers carry names none of them."""
    geometry = Geometry(model, {}, {}, 0, np.zeros(3))
    for side, role in needs.present:
        for label in geometry.labels(role, side):
            if trial.labels.count(label) > 1:
                raise TrialError(f"the label {label} is given to {trial.labels.count(label)} points",
                                 expected="one point a label", todo="rename or delete the others")  # fmt: skip


def _markers(trial: Trial, model: specs.Model, needs: Mapping[str, Needs] | None = None) -> dict[str, Array]:
    """Positions by label of the markers that the model knows and the trial holds."""
    geometry = Geometry(model, {}, {}, 0, np.zeros(3))
    markers: dict[str, Array] = {}
    for side in ("", *(s.name for s in model.sides)):
        scope = model.each_side if side else model.middle
        for role in scope.markers:
            for label in geometry.labels(role, side):
                if trial.has(label):
                    markers[label] = trial.marker(label)
    return markers


def _resolve_cutoff(
    markers: Mapping[str, Array], settings: specs.Settings, rate_hz: float, warnings: list[str]
) -> tuple[specs.Settings, float]:
    """Settings with ``auto`` decided from the noise on the markers, and that noise in mm."""
    levels = [noise_level(1e3 * m) for m in markers.values()]
    known = [v for v in levels if np.isfinite(v)]
    noise = float(median(np.array(known))) if known else float("nan")
    if settings.cutoff_hz == "auto":
        if noise > SMOOTHED_BELOW_MM:
            cutoff = settings.raw_cutoff_hz
            warnings.append(
                f"the markers carry {noise:.2g} mm of noise; they were low-passed at {cutoff:g} Hz "
                "(choose with --cutoff)"
            )
            settings = settings._replace(cutoff_hz=cutoff)
        else:
            settings = settings._replace(cutoff_hz=None)
    elif settings.cutoff_hz is None and noise > SMOOTHED_BELOW_MM:
        warnings.append(f"the markers carry {noise:.2g} mm of noise and are not filtered: accelerations are rough")
    if isinstance(settings.cutoff_hz, float):
        # The point reflection at the ends of a span bends its last half period.
        ends = int(np.ceil(rate_hz / settings.cutoff_hz / 2))
        settings = settings._replace(end_frames=max(settings.end_frames, ends))
    return settings, noise


def _filtered(markers: Mapping[str, Array], settings: specs.Settings, rate_hz: float) -> Mapping[str, Array]:
    if settings.cutoff_hz is None or isinstance(settings.cutoff_hz, str):
        return markers
    if not settings.cutoff_hz < rate_hz / 2:
        raise TrialError(
            f"the cut-off {settings.cutoff_hz:g} Hz is too high",
            expected=f"below half the camera rate, {rate_hz / 2:g} Hz",
            todo="give a lower --cutoff, or none",
        )
    names = list(markers)
    stacked = lowpass(np.stack([markers[name] for name in names], axis=1), settings.cutoff_hz, rate_hz)
    return {name: stacked[:, i] for i, name in enumerate(names)}


def _vertical(trial: Trial, model: specs.Model) -> tuple[Array, str]:
    geometry = Geometry(model, _markers(trial, model), {}, trial.n_frames, np.zeros(3))
    feet = [geometry.point(p, side.name) for side in model.sides for p in (model.heel, model.toe)]
    with np.errstate(invalid="ignore"):
        stack = np.stack(feet)
        count = np.isfinite(stack).sum(axis=0)
        foot = np.where(count > 0, np.nansum(stack, axis=0) / np.maximum(count, 1), np.nan)
    normals = np.array([-plate_axes(p)[0][:, 2] for p in trial.plates]).reshape(-1, 3)
    return laboratory_vertical(normals, geometry.point(model.base.origin), foot, trial.up_hint)


def _subject(
    trial: Trial,
    model: specs.Model,
    needs: Mapping[str, Needs],
    subject_file: SubjectFile,
    static: Trial | None,
    up_g: Array,
) -> Subject:
    wanted = {"mass"} | {name for n in needs.values() for name in n.measurements}
    return resolve_subject(
        model,
        wanted,
        subject_file,
        trial.parameters,
        static.parameters if static is not None else None,
        _markers(static, model) if static is not None else None,
        static.n_frames if static is not None else 0,
        up_g,
    )


# --- the ground ---------------------------------------------------------------------------------------------


def _plates(
    trial: Trial,
    model: specs.Model,
    markers: Mapping[str, Array],
    subject: Subject,
    needs: Mapping[str, Needs],
    up_g: Array,
) -> tuple[list[PlateLoad], list[str], list[dict[str, Any]]]:
    loads: list[PlateLoad] = []
    warnings: list[str] = []
    geometry = Geometry(model, markers, {}, trial.n_frames, up_g)
    points = [geometry.point(p, side) for side in needs for p in (model.heel, model.toe)]
    for plate in trial.plates:
        if model.settings.force_cutoff_hz is not None and not model.settings.force_cutoff_hz < plate.rate_hz / 2:
            raise TrialError(
                f"the force cut-off {model.settings.force_cutoff_hz:g} Hz is too high",
                expected=f"below half the plates' rate, {plate.rate_hz / 2:g} Hz",
                todo="give a lower --force-cutoff, or none",
            )
        try:
            loads.append(plate_load(plate, trial.rate_hz, trial.n_frames, model.settings))
        except GaitidError as error:
            warnings.append(f"plate {plate.number} is not used: {error.line()}")
    lowest = min((float(load.centre_g @ up_g) for load in loads), default=0.0)
    result = []
    quality = []
    for load in loads:
        load = with_empty_reading(load, points, trial.rate_hz)
        size = float(np.linalg.norm(load.bias_g))
        if size > BIAS_WORTH_SAYING:
            warnings.append(
                f"plate {load.number} reads {size:.1f} N while it is empty; it was not zeroed, and nothing was removed"
            )
        result.append(replace(load, height_above_lowest=float(load.centre_g @ up_g) - lowest))
        quality.append(
            {
                "plate": load.number,
                "peak_vertical_N": float(np.nanmax(load.vertical)),
                "bias_N": [float(b) for b in load.bias_g],
                "noise_N": load.noise_N,
            }
        )
    return result, warnings, quality


def _check_forces(
    trial: Trial, plates: list[PlateLoad], contacts: list[Contact], require_forces: bool, warnings: list[str]
) -> None:
    if any(contact.plates for contact in contacts):
        return
    if not plates:
        why = "no usable force plate in the trial"
    else:
        why = "no foot stands wholly on the plates"
    if require_forces:
        raise TrialError(why, expected="at least one foot with a known load", todo="leave out --require-forces")
    warnings.append(f"{why}: wrenches are known in the air only")


# --- one leg ------------------------------------------------------------------------------------------------


def _side(
    geometry: Geometry,
    model: specs.Model,
    settings: specs.Settings,
    side: specs.Side,
    motions: Mapping[str, Motion],
    lengths: Mapping[str, Array],
    base: Motion,
    R_gp: Array,
    load: FootLoad,
    mass: float,
    gravity_g: Array,
    solver: str,
) -> SideResult:
    joints: dict[str, Array] = {}
    bodies: dict[str, BodyParameters] = {}
    links: list[Link] = []
    for body in model.chain:
        row = model.table.rows[body.row]
        motion, length = motions[body.segment], lengths[body.segment]
        joint = geometry.point(body.centre, side.name)
        body_mass = row.mass_fraction * mass
        mean_length = float(length[np.isfinite(length)].mean()) if np.isfinite(length).any() else np.nan
        used = length if settings.segment_length == "current" else np.full(geometry.n_frames, mean_length)
        # Principal moments about the centre of mass: m (ρ L)².
        moments = body_mass * (np.multiply.outer(used, row.gyration_fractions)) ** 2
        inertia = moments[:, :, None] * np.eye(3)
        joints[body.joint] = joint
        bodies[body.segment] = _body_parameters(motion, joint, body_mass, inertia, mean_length, row.source)
        links.append(
            Link(
                body_mass,
                inertia,
                motion.R_gs,
                motion.com_g,
                motion.acc_g,
                motion.omega_g,
                motion.alpha_g,
                joint,
                load.wrench if body.ground else None,
            )
        )
    wrenches = dict(zip(joints, SOLVERS[solver](links, gravity_g), strict=True))
    proximal = _proximal_motions(model, motions, base)
    axes: dict[str, dict[str, Array]] = {}
    powers: dict[str, Array] = {}
    for body in model.chain:
        above, below = proximal[body.joint], motions[body.segment]
        angle = model.angles[body.joint]
        axes[body.joint] = {
            "proximal": above.R_gs,
            "distal": below.R_gs,
            "jcs": joint_axes(
                geometry.frame(angle.proximal, side.name).R_gs,
                geometry.frame(angle.distal, side.name).R_gs,
                angle.sequence,
            ),
        }
        powers[body.joint] = dot(wrenches[body.joint].m_g, below.omega_g - above.omega_g) / mass
    angles = {
        name: clinical_angles(
            _angle_frame(geometry, spec.proximal, side.name, R_gp),
            _angle_frame(geometry, spec.distal, side.name, R_gp),
            spec,
            side.sign,
        )
        for name, spec in model.angles.items()
    }
    moments = {
        name: clinical_moments(wrenches[name].m_g / mass, geometry.frame(spec.axes, side.name).R_gs, spec, side.sign)
        for name, spec in model.moments.items()
    }
    return SideResult(
        load, motions, joints, wrenches, axes, angles, moments, powers, bodies,
        {joint: _coverage(wrench, load, geometry, joints[joint]) for joint, wrench in wrenches.items()},
    )  # fmt: skip


def _proximal_motions(model: specs.Model, motions: Mapping[str, Motion], base: Motion) -> dict[str, Motion]:
    above = [*(motions[body.segment] for body in model.chain[1:]), base]
    return {body.joint: motion for body, motion in zip(model.chain, above, strict=True)}


def _angle_frame(geometry: Geometry, name: str, side: str, R_gp: Array) -> Array:
    return R_gp if name == "progression" else geometry.frame(name, side).R_gs


def _body_parameters(
    motion: Motion, joint_g: Array, mass: float, inertia: Array, length: float, source: str
) -> BodyParameters:
    local = apply_transposed(motion.R_gs, motion.com_g - joint_g)
    known = known_rows(local)
    centre = local[known].mean(axis=0) if known.any() else np.full(3, np.nan)
    seen = known_rows(inertia)
    return BodyParameters(
        mass, centre, inertia[seen].mean(axis=0) if seen.any() else np.full((3, 3), np.nan), length, source
    )


def _coverage(wrench: Wrench, load: FootLoad, geometry: Geometry, joint_g: Array) -> dict[str, int]:
    """How many frames of a joint are filled, and why the others are empty."""
    filled = known_rows(wrench.m_g)
    unknown_load = ~known_rows(load.wrench.f_g)
    unseen = ~known_rows(joint_g)
    rest = ~filled
    counts = {"filled": int(filled.sum())}
    for words, mask in (("marker missing", unseen), ("load unknown", unknown_load)):
        counts[words] = int((rest & mask).sum())
        rest &= ~mask
    counts["end of a gap-free span, or marker missing farther up or down the leg"] = int(rest.sum())
    return counts


def _absent_side(model: specs.Model, n_frames: int) -> SideResult:
    """A side without markers: every column is there, every cell empty."""
    v, R = np.full((n_frames, 3), np.nan), np.full((n_frames, 3, 3), np.nan)
    motion = Motion(R, np.full((n_frames, 4), np.nan), v, v, v, v)
    joints = {body.joint: v for body in model.chain}
    load = FootLoad(np.full(n_frames, np.nan), Wrench(v, v, np.zeros(3)), v, v[:, 0])
    return SideResult(
        load=load,
        motions={body.segment: motion for body in model.chain},
        joints_g=joints,
        wrenches={joint: Wrench(v, v, v) for joint in joints},
        axes={joint: {"proximal": R, "distal": R, "jcs": R} for joint in joints},
        angles={n: dict.fromkeys(a.columns, v[:, 0]) for n, a in model.angles.items()},
        moments={n: dict.fromkeys(m.columns, v[:, 0]) for n, m in model.moments.items()},
        powers=dict.fromkeys(joints, v[:, 0]),
        bodies={},
        coverage={joint: {"filled": 0, "no markers of this side": n_frames} for joint in joints},
    )


def _marker_quality(markers: Mapping[str, Array]) -> dict[str, Any]:
    gaps = {name: int((~known_rows(m)).sum()) for name, m in markers.items()}
    return {"marker_frames_missing": {name: n for name, n in sorted(gaps.items()) if n}}


__all__ = ["AIR", "analyse"]
