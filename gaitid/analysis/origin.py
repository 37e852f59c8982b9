"""What a result was made from, so that it can be made again."""

from __future__ import annotations

from dataclasses import replace

from gaitid.analysis.pipeline import Prepared, prepare
from gaitid.body.subject import SubjectFile
from gaitid.model import specs
from gaitid.model.marker_sets import MarkerSet
from gaitid.records import frozen_dataclass
from gaitid.trial import Trial


@frozen_dataclass(eq=False)
class Origin:
    """What a result was made from, to make it again with another calibration.

    Attributes
    ----------
    model : Model
        As loaded, bound to no labels.
    subject_file : SubjectFile
    static : Trial or None
    marker_set : MarkerSet or None
    """

    model: specs.Model
    subject_file: SubjectFile
    static: Trial | None = None
    marker_set: MarkerSet | None = None

    def prepared(self, trial: Trial, static: Trial | None, foot_flat: bool | None) -> Prepared:
        """The trial's measurements with another static; `foot_flat` where nobody says it."""
        file = self.subject_file
        if file.foot_flat is None:
            file = replace(file, foot_flat=foot_flat)
        return prepare(trial, self.model, file, static, self.marker_set)
