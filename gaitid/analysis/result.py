"""What one trial gives: frozen, SI units, NaN where unknown; and what it can be used for (`Verdict`, made by
`judge`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gaitid.analysis.stages import Stages
from gaitid.analysis.wording import reason_words, verdict_words
from gaitid.body.kinematics import SegmentMotion
from gaitid.body.poses import Body
from gaitid.body.quality import calibration_figures
from gaitid.body.subject import Subject
from gaitid.dynamics.chain import Chain, Wrench
from gaitid.faults.detectable import Detectable
from gaitid.faults.laboratory import Share
from gaitid.gait.emg import Envelopes
from gaitid.gait.impact import Impact, impact_frames
from gaitid.gait.spatiotemporal import Gait
from gaitid.ground.contacts import Contact, FootLoad, Loads
from gaitid.ground.ground import Ground
from gaitid.markers.clean import Markers
from gaitid.model.specs import Model, Settings
from gaitid.notes import Notes
from gaitid.notes.message import DO_NOT_USE
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, IntArray, Mask, Trial

if TYPE_CHECKING:
    from gaitid.analysis.applied_loads import AppliedLoad
    from gaitid.body.upper_body import WholeBody
    from gaitid.ground.from_motion import FromMotion


@frozen_dataclass()
class Reason:
    """Why a verdict is not better.

    Attributes
    ----------
    lowers_to : str
        One of `LEVELS`.
    code : str
        Of the notes that it stands for, or of `gaitid.notes.result.REASONS`.
    side : str
        The only leg that it concerns; empty where it concerns all.
    text : str
        In one line.
    cure : str
        What would make it good; empty where nothing is known.
    count : int
        So many notes say the same.
    """

    lowers_to: str
    code: str
    side: str
    text: str
    cure: str
    count: int = 1

    @property
    def words(self) -> str:
        """For a person, in one line."""
        return reason_words(vars(self))


@frozen_dataclass()
class Verdict:
    """What a trial can be used for.

    Attributes
    ----------
    trial : str
        One of `LEVELS`: the worst of the legs that were recorded.
    sides : mapping of side to str
    reasons : tuple of Reason
        The most serious first.
    others : Notes
        Notes of the result that no reason says: they lower nothing.
    angles_only : tuple of str
        ``trial`` and its sides that are `USABLE`, where nothing is known of any load in it.
    whole : tuple of int
        Places, among the contacts of the result, of the stances that are whole.
    not_seen : tuple of Detectable
        Faults of plates, clocks and laboratory, and how large they would have to be to be noticed.
    """

    trial: str
    sides: Mapping[str, str]
    reasons: tuple[Reason, ...]
    others: Notes = ()
    angles_only: tuple[str, ...] = ()
    whole: tuple[int, ...] = ()
    not_seen: tuple[Detectable, ...] = ()

    @property
    def words(self) -> str:
        """The verdicts alone: ``usable (left usable, right good)``."""
        return verdict_words(self.as_dict())

    @property
    def worst_reason(self) -> str:
        """What makes it no better, in one line; empty where it is good."""
        return self.reasons[0].words if self.reasons else ""

    def as_dict(self) -> dict[str, Any]:
        """For records: ``trial``, each side, ``reasons``, and of which ``angles_only`` are known, where of any."""
        only: dict[str, Any] = {"angles_only": list(self.angles_only)} if self.angles_only else {}
        only |= {"detectable": [one.as_dict() for one in self.not_seen]} if self.not_seen else {}
        return {"trial": self.trial, **self.sides, "reasons": [dict(vars(reason)) for reason in self.reasons], **only}


#: Of a result that is still being put together.
NOT_JUDGED = Verdict(DO_NOT_USE, {}, ())


@frozen_dataclass(eq=False)
class BodyParameters:
    """One segment's inertial parameters on this subject.

    Attributes
    ----------
    mass_kg : float
    com_s : (3,) array, m
        From the proximal joint, segment axes, mean over the trial.
    inertia_s : (3, 3) array, kg·m²
        About the centre of mass, segment axes, mean over the trial.
    length_m : float
        Mean over the trial.
    source : str
    """

    mass_kg: float
    com_s: Array
    inertia_s: Array
    length_m: float
    source: str


class LimbMotion(NamedTuple):
    """How a limb moves.

    Attributes
    ----------
    base : SegmentMotion
        Of the segment that it hangs from.
    segments : mapping of segment to SegmentMotion
    chain : Chain or None
        What is solved; None where the side was not recorded.
    """

    base: SegmentMotion
    segments: Mapping[str, SegmentMotion]
    chain: Chain | None


@frozen_dataclass(eq=False)
class SideResult:
    """Everything of one side's limb.

    Attributes
    ----------
    load : FootLoad
        As measured.
    acting : FootLoad
        What the wrenches were computed from: the same, but with `joint_loads: matched`.
    moving : callable
        Makes how it moves in some frames, an array of their indices in order, or in all.
    joints_g : mapping of joint to (frames, 3) array, m
    wrenches : mapping of joint to Wrench
        Of the proximal on the distal segment, about the joint's centre.
    axes : mapping of joint to mapping of frame of expression to (frames, 3, 3) array
        Columns are unit axes in laboratory axes (for ``jcs`` not orthogonal).
    angles, moments : mapping of name to mapping of column to (frames,) array, deg and N·m/kg
    powers : mapping of joint to (frames,) array, W/kg
    bodies : mapping of segment to BodyParameters
    coverage : mapping of joint to mapping of reason to frames
        ``filled`` and, for each reason of an empty frame, how many.
    trunk_angles : mapping of name to mapping of column to (frames,) array, deg
        Of the trunk to the laboratory and the pelvis, seen from this side; empty without its markers.
    emptied : (frames,) bool array or None
        Frames emptied as no body does what was there; None without any.
    """

    load: FootLoad
    acting: FootLoad
    moving: Callable[[IntArray | None], LimbMotion]
    joints_g: Mapping[str, Array]
    wrenches: Mapping[str, Wrench]
    axes: Mapping[str, Mapping[str, Array]]
    angles: Mapping[str, Mapping[str, Array]]
    moments: Mapping[str, Mapping[str, Array]]
    powers: Mapping[str, Array]
    bodies: Mapping[str, BodyParameters]
    coverage: Mapping[str, Mapping[str, int]]
    trunk_angles: Mapping[str, Mapping[str, Array]] = field(default_factory=dict)
    emptied: Mask | None = None

    @cached_property
    def _in_all_frames(self) -> LimbMotion:
        return self.moving(None)

    @property
    def motions(self) -> Mapping[str, SegmentMotion]:
        """How each segment moves, in all frames."""
        return self._in_all_frames.segments

    @property
    def chain(self) -> Chain | None:
        """What was solved, in all frames; its links are the segments of `motions` and the joints of `wrenches`, in
        their order. None where the side was not recorded.
        """
        return self._in_all_frames.chain


@frozen_dataclass(eq=False)
class Estimate:
    """Loads that no plate tells, from the body's motion (`gaitid.analysis.estimated`), and what follows.

    Attributes
    ----------
    by : str
        Whose motion told it: ``whole body``, or ``pelvis and legs``; empty where it may tell nothing.
    loads : FromMotion or None
        None where nothing was estimated.
    sides : mapping of side to SideResult
        With the estimated frames.
    on_feet : mapping of side to FootLoad
        What their joints are computed with.
    contacts : tuple of Contact
        With how the load of each is known.
    notes : Notes
    """

    by: str
    loads: FromMotion | None
    sides: Mapping[str, SideResult]
    on_feet: Mapping[str, FootLoad]
    contacts: tuple[Contact, ...]
    notes: Notes

    def frames(self, side: str) -> Mask:
        """(frames,) whether the load on a foot is estimated."""
        nowhere = np.zeros(len(self.sides[side].load.state), dtype=bool)
        return nowhere if self.loads is None else self.loads.estimated.get(side, nowhere)


@frozen_dataclass(eq=False)
class Result:
    """Everything of one trial.

    Attributes
    ----------
    trial, model, subject
        What came in.
    settings : Settings
        As resolved with the trial.
    markers, body, ground, loads
        The stages on the way.
    gravity_g : (3,) array, m/s²
    solve_base : callable
        Makes `base_wrench` and `base_chain`, which few ask for.
    base_body : BodyParameters or None
        None where the base has no mass.
    impacts : tuple of Impact
        Of feet with plates: no peak of a joint comes from their frames.
    notes : Notes
        Ranked.
    verdict : Verdict
        What it can be used for.
    applied_loads : tuple of AppliedLoad
        Measured loads on segments but the ground's.
    pipeline : Stages
        What it was made by (`gaitid.analysis.pipeline.pipeline_of`).
    whole_body : WholeBody or None
        Trunk, head and arms, and the centre of mass; None without markers of theirs.
    laboratory : (Share or None, str)
        What the trial tells of its laboratory, and the day that it was judged by.
    emg : Envelopes or None
        Of its electromyography; None where the file has none.
    stability : bool
        Whether its features and record hold its stability (`gaitid.analysis.stability`).
    estimate : Estimate or None
        Loads that no plate tells, and what follows; None where nobody asked for them.
    """

    trial: Trial
    model: Model
    settings: Settings
    solver: str
    subject: Subject
    markers: Markers
    body: Body
    ground: Ground
    loads: Loads
    gravity_g: Array
    solve_base: Callable[[], tuple[Wrench, Chain | None]]
    base_body: BodyParameters | None
    sides: Mapping[str, SideResult]
    gait: Gait
    impacts: tuple[Impact, ...]
    conventions: Mapping[str, str]
    notes: Notes
    verdict: Verdict
    pipeline: Stages
    applied_loads: tuple[AppliedLoad, ...] = ()
    whole_body: WholeBody | None = None
    laboratory: tuple[Share | None, str] = (None, "")
    emg: Envelopes | None = None
    stability: bool = False
    estimate: Estimate | None = None

    @property
    def base(self) -> SegmentMotion:
        """How the segment moves that the limbs of all sides hang from."""
        return self.body.motion().base

    @cached_property
    def _of_base(self) -> tuple[Wrench, Chain | None]:
        return self.solve_base()

    @property
    def base_wrench(self) -> Wrench:
        """On the base, from the part of the body that the model leaves out: about its proximal joint, or about its
        origin where it has no mass. NaN where the wrench of a limb on it is unknown.
        """
        return self._of_base[0]

    @property
    def base_chain(self) -> Chain | None:
        """Where the base has a mass: the links of all sides, in their order, and the base last, as one tree."""
        return self._of_base[1]

    @property
    def by_frame(self) -> Mapping[str, SideResult]:
        """The sides as tables by frame have them: with estimated loads, where these were asked for."""
        return self.sides if self.estimate is None else self.estimate.sides

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Of the feet with the ground, in order of their first frames."""
        return self.loads.contacts

    def carried_by_file(self, side: str) -> bool:
        """Whether the load on the foot of a side is that of a file (``--load``), the trial having no plates."""
        return side in self.pipeline.by_file

    def impact_frames(self, side: str) -> Mask:
        """(frames,) whether a frame of a side belongs to an impact."""
        return impact_frames(self.impacts, side, self.trial.n_frames)

    @cached_property
    def quality(self) -> dict[str, Any]:
        """Figures that tell how good the recording is, for its record."""
        angles = {name: side.angles for name, side in self.sides.items()}
        of_chain = {}
        if (fitted := self.body.geometry.fitted) is not None:
            from gaitid.body.chain import chain_figures  # of few models

            of_chain = {"multibody": chain_figures(fitted, self.model, self.trial.first_frame)}
        return {
            "plates": [plate.figures() for plate in self.ground.plates],
            **self.markers.quality,
            "calibration": calibration_figures(self.body.geometry, self.body.sides, angles, self.trial.first_frame),
            **of_chain,
        }
