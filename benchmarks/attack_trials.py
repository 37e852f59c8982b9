"""The trials that `mistakes.py` and `attacks.py` spoil: recorded in many laboratories, and simulated.

Each is read and its model chosen once, as `gaitid run --model auto` does; what is recorded of it is then only replaced
in memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from common import SHARED

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.model.specs import Model
from gaitid.read import read_trial
from gaitid.run import RunOptions, prepare, with_chosen_model
from gaitid.simulate.c3d_file import stored_parameters
from gaitid.simulate.settings import WalkSettings, noisy_channels, noisy_markers
from gaitid.simulate.walk import Walk
from gaitid.simulate.walk_setup import simulate_walk
from gaitid.trial import Array, Event, ForcePlate, Trial

#: Frames of a longer trial that are taken: some steps tell as much as all.
MOST_FRAMES = 600


@dataclass(frozen=True, eq=False)
class Case:
    """One trial as it is analysed.

    Attributes
    ----------
    name, laboratory : str
    trial : Trial
    model : Model
    subject : SubjectFile
    static : Trial or None
        That it is analysed with.
    spare_static : Trial or None
        Of the same person, where the trial stores what a static gives.
    other_static : Trial or None
        Of another person of the same laboratory.
    other_parameters : mapping of str to float
        Stored for another person of the same laboratory.
    walk : Walk or None
        The simulation that it comes from.
    slow : bool
        Its analysis takes a second: the first spoilt trial of each attack stands for all.
    """

    name: str
    laboratory: str
    trial: Trial
    model: Model
    subject: SubjectFile
    static: Trial | None = None
    spare_static: Trial | None = None
    other_static: Trial | None = None
    other_parameters: Mapping[str, float] = field(default_factory=dict)
    walk: Walk | None = None
    slow: bool = False

    @property
    def calibration(self) -> Trial | None:
        """A static of the same person."""
        return self.static or self.spare_static

    @cached_property
    def result(self) -> Result:
        """Of the trial as it was recorded."""
        return self.base("as it is")

    @cached_property
    def _results(self) -> dict[str, Result]:
        return {}

    def base(self, name: str) -> Result:
        """Of the unspoilt trial: ``as it is``, ``without events``, or ``with the static``."""
        if name not in self._results:
            trial = replace_events(self.trial) if name == "without events" else self.trial
            static = self.calibration if name == "with the static" else self.static
            self._results[name] = analyse(trial, self.model, self.subject, static)
        return self._results[name]

    @cached_property
    def side_of(self) -> Mapping[str, str]:
        """The side of each marker that the model uses (empty: the middle of the body), by label."""
        model, seen = self.result.model, self.result.markers.seen
        return {label: side for side, role in model.roles for label in model.labels(role, side) if label in seen}

    @cached_property
    def plates_used(self) -> list[int]:
        """Numbers of the plates that carry a contact that is known."""
        return sorted({number for contact in self.result.contacts for number in contact.plates})


@dataclass(frozen=True, eq=False)
class Spoilt:
    """One spoilt trial.

    Attributes
    ----------
    words : str
        Which plate, marker or frame.
    trial : Trial
    static : Trial or None
        In place of that of the base; None for the same.
    subject : SubjectFile or None
        In place of the case's.
    base : str
        The unspoilt analysis that it is held against (`Case.base`).
    """

    words: str
    trial: Trial
    static: Trial | None = None
    subject: SubjectFile | None = None
    base: str = "as it is"


def replace_events(trial: Trial, events: tuple[Event, ...] = ()) -> Trial:
    """The trial with other events."""
    return replace_fields(trial, events=events)


def replace_fields(trial: Trial, **fields: object) -> Trial:
    """The trial with other fields, its labels looked up anew."""
    return replace(trial, **fields)  # type: ignore[arg-type]


# --- recorded -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Recorded:
    """Where a recorded trial lies and what it is given.

    Attributes
    ----------
    file : str
        In the folder of shared trials.
    laboratory : str
    static, forces, subject : str
        Beside it.
    spare_static, other_static : str
        `Case`; in the folder of shared trials.
    mass_kg : float
        Where only somebody else says it: NaN for none.
    overrides : mapping
        Settings, as of ``--set``.
    """

    file: str
    laboratory: str
    static: str = ""
    forces: str = ""
    subject: str = ""
    spare_static: str = ""
    other_static: str = ""
    mass_kg: float = float("nan")
    slow: bool = False
    overrides: Mapping[str, object] = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        """Short."""
        return re.sub("^(children|wild|models|labs)/", "", self.file.rpartition(".")[0])


def _child(name: str, trial: str, other: str) -> Recorded:
    folder = f"children/{name}"
    statics = {"spare_static": f"{folder}/static.c3d", "other_static": f"children/{other}/static.c3d"}
    return Recorded(f"{folder}/{trial}.c3d", "McGill", **statics)


RECORDED = (
    _child("HC002D", "walk", "HC036A"),
    _child("HC030A", "walk", "HC031A"),
    _child("HC030A", "turn", "HC002D"),
    _child("HC031A", "walk", "HC030A"),
    _child("HC036A", "walk", "HC002D"),
    *(
        Recorded(f"sydney/walk0{i}.c3d", "Sydney", spare_static="sydney/static.c3d")  # of a marker set with KAD
        for i in (3, 4, 5)
    ),
    Recorded(
        "nexus_flatfoot/walk.c3d",
        "BTKData",
        spare_static="nexus_flatfoot/static.c3d",
        other_static="children/HC030A/static.c3d",
    ),
    Recorded("stairs/Movement_trial.c3d", "pyCGM", spare_static="stairs/Static_trial.c3d"),
    Recorded("qualisys/walk.c3d", "Qualisys", static="static.c3d"),
    Recorded("wild/cgm24/walk.c3d", "CGM2"),
    Recorded("wild/isb_bone_names/walk.c3d", "paf", static="static.c3d"),
    Recorded("wild/gait2392/walk.trc", "OpenSim", "static.trc", "walk_grf.mot", mass_kg=72.6),
    Recorded("wild/opencap/walk.trc", "OpenCap", "static.trc", "walk_grf.mot"),
    Recorded("wild/rbds_running/run.c3d", "RBDS", static="static.c3d"),
    # masses: those of the scaled models and of `_subject.json`; of padua what both plates carry on the mean
    Recorded("wild/rajagopal/run.trc", "BMC", "static.trc", "run_grf.mot", mass_kg=70.0),
    Recorded("wild/latrobe/sprint.trc", "La Trobe", "static.trc", "sprint_grf.mot", mass_kg=68.1, slow=True),
    Recorded("models/arnold_synthetic/subject01/markers.trc", "Arnold", forces="grf.mot", mass_kg=72.84),
    Recorded("wild/padua_clusters/walk.c3d", "Padua", mass_kg=float("inf")),
)


@cache
def recorded_case(recorded: Recorded) -> Case:
    """A recorded trial with the model that `auto` takes."""
    path = SHARED / recorded.file
    beside = (recorded.static, recorded.forces, recorded.subject)
    static, forces, given = (path.parent / name if name else None for name in beside)
    options = RunOptions(static=static, forces=forces, subject=given, settings=recorded.overrides)
    settled = with_chosen_model(prepare(options), path)
    assert settled.model is not None and settled.read is not None
    trial = first_frames(settled.read[2], MOST_FRAMES)
    mass = mean_load_kg(trial) if np.isinf(recorded.mass_kg) else recorded.mass_kg
    subject = SubjectFile({"mass": mass}) if np.isfinite(mass) else settled.subject
    spare, other = (
        read_trial(SHARED / name) if name else None for name in (recorded.spare_static, recorded.other_static)
    )
    return Case(
        recorded.name,
        recorded.laboratory,
        trial,
        settled.model,
        subject,
        static=settled.static,
        spare_static=spare,
        other_static=other,
        other_parameters={} if other is None else other.parameters,
        slow=recorded.slow,
    )


def first_frames(trial: Trial, n: int) -> Trial:
    """The trial cut after n frames."""
    if trial.n_frames <= n:
        return trial
    plates = []
    for plate in trial.plates:
        last = round((n / trial.rate_hz - plate.start_s) * plate.rate_hz)
        plates.append(replace(plate, force_p=plate.force_p[:last], moment_p=plate.moment_p[:last]))
    stored = {name: values[:n] for name, values in trial.stored.items()}
    return replace_fields(trial, points_g=trial.points_g[:n], plates=tuple(plates), stored=stored)


def mean_load_kg(trial: Trial) -> float:
    """What the plates carry together, on the mean, as a mass."""
    return sum(float(np.abs(np.nanmean(plate.force_p[:, 2]))) for plate in trial.plates) / 9.81


# --- simulated ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SimulatedCase:
    """A scenario and the settings of its recording."""

    scenario: str
    words: str = ""
    settings: Mapping[str, object] = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        return f"simulated {self.scenario}{self.words and ' '}{self.words}"


NOISY = {"marker_noise_mm": 0.3, "force_noise_N": 1.0, "seed": 3}
SIMULATED = (
    SimulatedCase("walk"),
    SimulatedCase("walk", "mirrored, noisy", {"mirror": True, "turn_deg": 200.0, **NOISY}),
    SimulatedCase("run"),
    SimulatedCase("turn"),
    SimulatedCase("split_belt"),
    SimulatedCase("over_edge"),
)


@cache
def simulated_case(simulated: SimulatedCase) -> Case:
    """A simulated trial as a laboratory would have recorded it, with events and what a static gives."""
    settings = WalkSettings(**simulated.settings)  # type: ignore[arg-type]
    return case_of_walk(simulated.name, simulate_walk(settings, simulated.scenario))


def case_of_walk(name: str, walk: Walk) -> Case:
    """A simulated walk as a laboratory would have recorded it, with the noise of its settings."""
    settings = walk.settings
    draw = np.random.default_rng(settings.seed)
    markers = noisy_markers(walk.at(settings.times_s).marker_g, settings, draw)
    channels = noisy_channels(walk.plate_channels(settings.analog_times_s), settings, draw)
    standing = noisy_markers(walk.static_markers(20), settings, draw)
    plates = tuple(
        ForcePlate(p.number, 2, p.corners_g, p.sensor_p, settings.analog_rate_hz, *channels[p.number])
        for p in walk.plates
    )

    def trial(name: str, of: Mapping[str, Array], **fields: object) -> Trial:
        points, up = np.stack(list(of.values()), axis=1), np.array([0.0, 0.0, 1.0])
        return Trial(Path(name), settings.rate_hz, 1, tuple(of), points, up_hint=up, **fields)  # type: ignore[arg-type]

    events = [
        Event(name, stance.side, at)
        for stance in walk.stances
        for name, at in (("Foot Strike", stance.on_s), ("Foot Off", stance.off_s))
        if 0 <= at <= settings.times_s[-1]
    ]
    return Case(
        name,
        "simulated",
        trial(
            "walk.c3d",
            markers,
            plates=plates,
            events=() if settings.no_events else tuple(events),
            parameters=stored_parameters(walk.subject, with_offsets=True),
        ),
        load_model("pig"),
        SubjectFile(),
        spare_static=trial("static.c3d", standing, parameters=stored_parameters(walk.subject, with_offsets=False)),
        walk=walk,
    )
