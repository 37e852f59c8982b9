"""The markers and measurements that a model needs, found in a trial, its static and what the user says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gaitid.analysis.recorded import Recorded, measured_legs
from gaitid.body.measured import measured_joint_notes, with_measured
from gaitid.body.sanity import reading_notes
from gaitid.body.subject import Sources, Subject, SubjectFile, recording
from gaitid.errors import TrialError
from gaitid.ground.vertical import AxesError, MirroredError, vertical, vertical_notes
from gaitid.model import specs
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
    bound: Recorded, trial: Trial, subject_file: SubjectFile, static: Trial | None, both_legs: bool = False
) -> Found:
    """Find the measurements that a model needs, of a trial that has its markers.

    Parameters
    ----------
    bound : Recorded
        The model, bound to the trial and the static.
    trial : Trial
    subject_file : SubjectFile
    static : Trial or None
    both_legs : bool
        Whether a leg that lacks measurements refuses the trial where the other has all of its own.

    Raises
    ------
    SubjectError
        What the model needs and neither trial, static nor subject has.
    """
    (bound_to, needs, notes) = bound
    standing = in_static = None
    if static is not None and bound_to.static_model is not None:
        in_static = _up_in_static(static, bound_to.static_model)
        standing = recording(static, bound_to.static_model, in_static)
        in_static = None if static.scaled is not None else in_static  # an OpenSim model stands in no laboratory
    up_g, up_words = vertical(trial, bound_to.model, in_static)
    recorded = recording(trial, bound_to.model, up_g)
    sources = Sources(subject_file, trial.parameters, standing, recorded, trial.measured)
    notes += (*vertical_notes(trial, bound_to.model, up_g, up_words), *reading_notes(static))
    needs, subject, of_legs = measured_legs(bound_to.model, needs, sources, not both_legs)
    measured = {side: n.measurements for side, n in needs.items()}
    notes += of_legs + measured_joint_notes(bound_to.model, measured, subject)
    model = bound_to.model
    if model.table.by_sex:
        model = model._replace(table=model.table.by_sex[subject.sex])
    return Found(with_measured(model, subject_file.rows), needs, notes, up_g, up_words, sources, subject)


def _up_in_static(static: Trial, model: specs.Model) -> Array:
    """What points up in a static: of who lies on plates the way from the feet to the head, by which feet are levelled.

    Raises
    ------
    TrialError
    """
    try:
        try:
            return vertical(static, model)[0]
        except AxesError as error:
            if isinstance(error, MirroredError) or not static.plates:
                raise
            return vertical(replace(static, plates=()), model)[0]
    except TrialError as error:
        raise type(error)(
            f"static: {error.wrong}", expected=error.expected, found=error.found, todo=error.todo
        ) from None
