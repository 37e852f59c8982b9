"""What a result was made from, so that it can be made again."""

from __future__ import annotations

from gaitid.analysis.pipeline import Options, Prepared, analyse, prepare
from gaitid.analysis.result import Result
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

    def prepared(self, trial: Trial) -> Prepared:
        """The markers and measurements of a trial."""
        return prepare(trial, self.model, self.subject_file, self.static, self.marker_set)

    def analysed(self, trial: Trial) -> Result:
        """A trial's result."""
        options = Options(marker_set=self.marker_set)
        return analyse(trial, self.model, self.subject_file, self.static, options)
