"""The markers and measurements that a model needs, found in a trial, its static and what the user says."""

from __future__ import annotations

from collections.abc import Mapping

from gaitid.analysis.recorded import Bound, measured_legs, recorded
from gaitid.body.measured_joints import measured_joint_notes
from gaitid.body.measured_segments import with_measured
from gaitid.body.standing import reading_notes
from gaitid.body.subject import Sources, Subject, SubjectFile, recording
from gaitid.ground.vertical import plate_tilt, vertical
from gaitid.model import specs
from gaitid.model.marker_sets import MarkerSet, bundled_marker_sets, find_marker_set, load_marker_set
from gaitid.model.needs import Needs
from gaitid.notes import Notes
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Trial


@frozen_dataclass(eq=False)
class Found:
    """What a model needs, as it was found.

    Attributes
    ----------
    model : Model
        Bound to the trial's labels.
    needs : mapping of side to Needs
        Of the legs that were recorded.
    notes : Notes
        Of the legs.
    up_g : (3,) array
        The vertical.
    up_words : str
        How it was found.
    sources : Sources
    subject : Subject
    """

    model: specs.Model
    needs: Mapping[str, Needs]
    notes: Notes
    up_g: Array
    up_words: str
    sources: Sources
    subject: Subject

    @property
    def static_model(self) -> specs.Model | None:
        """The model bound to the labels of the static."""
        return None if self.sources.static is None else self.sources.static.model


def find(
    trial: Trial,
    model: specs.Model,
    subject_file: SubjectFile,
    static: Trial | None = None,
    marker_set: MarkerSet | None = None,
    both_legs: bool = False,
    known: tuple[Bound, dict[str, Needs], Notes] | None = None,
) -> Found:
    """Find the markers and the measurements that a model needs.

    Parameters
    ----------
    trial : Trial
    model : Model
    subject_file : SubjectFile
    static : Trial, optional
    marker_set : MarkerSet, optional
    both_legs : bool
        Whether a leg that lacks markers or measurements refuses the trial where the other has all of its own.
    known : tuple, optional
        What `recorded` gives, of who has asked it already: with a subject file that says nothing of labels or places.

    Raises
    ------
    TrialError, SubjectError
        What the model needs and neither trial, static nor subject has.
    """
    if marker_set is None and subject_file.marker_set and subject_file.marker_set in bundled_marker_sets():
        marker_set = load_marker_set(find_marker_set(subject_file.marker_set))
    places = subject_file.calibration.places
    bound, needs, notes = known or recorded(trial, model, static, marker_set, places, not both_legs)
    up_g, up_words = vertical(trial, bound.model)
    standing = None
    if static is not None and bound.static_model is not None:
        standing = recording(static, bound.static_model, vertical(static, bound.static_model)[0])
    sources = Sources(subject_file, trial.parameters, standing, recording(trial, bound.model, up_g))
    notes += (*plate_tilt(trial, bound.model, up_g), *reading_notes(static))
    needs, subject, of_legs = measured_legs(bound.model, needs, sources, not both_legs)
    notes += of_legs + measured_joint_notes(bound.model, {side: n.measurements for side, n in needs.items()}, subject)
    model = bound.model
    if model.table.by_sex:
        model = model._replace(table=model.table.by_sex[subject.sex])
    model = with_measured(model, subject_file.rows)
    return Found(model, needs, notes, up_g, up_words, sources, subject)
