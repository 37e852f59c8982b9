"""What `gaitid.analyse` and `gaitid.load` return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from gaitid.analysis.result import Result
from gaitid.analysis.wording import level_words, verdict_words
from gaitid.api.source import Made, Source, Stored
from gaitid.api.words import File, file_path
from gaitid.errors import GaitidError
from gaitid.inputs import refuse_to_overwrite
from gaitid.write import BANDS, TABLES, UNCERTAINTY

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.figure import Figure

    from gaitid.api.shown import Compared

_TIMES = ("frame", "time_s")


class Analysis:
    """What one trial gives: tables as pandas DataFrames, the record, a page, a picture, files.

    Each table has exactly the columns of its file and is made when it is first asked for. The index counts rows;
    ``frame`` is a column.

    Attributes
    ----------
    angles, moments, powers : DataFrame
        ``frame``, ``time_s``, and the columns of `joints` in deg, N·m/kg and W/kg; moments are internal.
    joints : DataFrame
        The three together: ``walk.joints.csv``.
    wrenches : DataFrame
        Of the proximal on the distal segment, N and N·m, and the load on each foot.
    contacts : DataFrame
        One row a contact of a foot with the ground.
    cycles, stances : DataFrame
        Curves over 0 to 100 % of each gait cycle, and of each stance that lies in none.
    features, spatiotemporal : DataFrame
        Figures of each cycle; speed, lengths and times of each stride with mean, sd and n.
    segments, base : DataFrame
        Pose and motion of every segment; the wrench left over at the base.
    emg : DataFrame
        Envelope of each channel of electromyography, V, at the camera frames.
    stability : DataFrame
        Extrapolated centre of mass, margins of stability, the whole body's angular momentum.
    uncertainty : DataFrame
        Of every frame and column of `wrenches` and `joints` the standard uncertainty and the 95 % band, where
        ``uncertainty=True`` asked for it.
    record : dict
        What ``walk.run.json`` holds.
    verdict : dict
        ``trial``, ``left``, ``right``: ``good``, ``usable`` or ``do not use``, and ``reasons``.
    warnings : list of dict
        ``severity``, ``code``, ``text``, the most serious first.
    result : gaitid.analysis.result.Result or None
        The frozen arrays beneath, SI units; None for what `load` read.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._frames: dict[str, pd.DataFrame] = {}

    # --- tables -------------------------------------------------------------------------------------------

    def table(self, name: str) -> pd.DataFrame:
        """One of the tables that ``gaitid run`` writes.

        Parameters
        ----------
        name : str
            ``wrenches``, ``joints``, ``contacts``, ``cycles``, ``spatiotemporal``, ``features``, ``stances``,
            ``segments``, ``base``, ``uncertainty``, ``uncertainty_cycles``.

        Raises
        ------
        GaitidError
            No such table, or its file is absent.
        """
        if name not in (*TABLES, *BANDS):
            raise GaitidError(f"no table {name!r}", expected=", ".join((*TABLES, *BANDS)))
        if name not in self._frames:
            self._frames[name] = self._source.frame(name)
        return self._frames[name]

    def _of_joints(self, ends: str) -> pd.DataFrame:
        joints = self.joints
        return joints[[name for name in joints.columns if name in _TIMES or name.endswith(ends)]]

    @cached_property
    def angles(self) -> pd.DataFrame:
        return self._of_joints("_deg")

    @cached_property
    def moments(self) -> pd.DataFrame:
        return self._of_joints("_moment_Nm_per_kg")

    @cached_property
    def powers(self) -> pd.DataFrame:
        return self._of_joints("_power_W_per_kg")

    @property
    def joints(self) -> pd.DataFrame:
        return self.table("joints")

    @property
    def wrenches(self) -> pd.DataFrame:
        return self.table("wrenches")

    @property
    def contacts(self) -> pd.DataFrame:
        return self.table("contacts")

    @property
    def cycles(self) -> pd.DataFrame:
        return self.table("cycles")

    @property
    def stances(self) -> pd.DataFrame:
        return self.table("stances")

    @property
    def features(self) -> pd.DataFrame:
        return self.table("features")

    @property
    def spatiotemporal(self) -> pd.DataFrame:
        return self.table("spatiotemporal")

    @property
    def segments(self) -> pd.DataFrame:
        return self.table("segments")

    @property
    def base(self) -> pd.DataFrame:
        return self.table("base")

    @property
    def joint_power(self) -> pd.DataFrame:
        return self.table("joint_power")

    @property
    def com(self) -> pd.DataFrame:
        return self.table("com")

    @property
    def emg(self) -> pd.DataFrame:
        return self.table("emg")

    @property
    def stability(self) -> pd.DataFrame:
        return self.table("stability")

    @property
    def uncertainty(self) -> pd.DataFrame:
        return self.table(UNCERTAINTY)

    # --- what it is worth ---------------------------------------------------------------------------------

    @cached_property
    def record(self) -> dict[str, Any]:
        return self._source.record()

    @property
    def verdict(self) -> dict[str, Any]:
        results: dict[str, Any] = self.record.get("verdict", {})
        return results

    @property
    def warnings(self) -> list[dict[str, Any]]:
        results: list[dict[str, Any]] = self.record.get("warnings", [])
        return results

    @property
    def result(self) -> Result | None:
        return self._source.result if isinstance(self._source, Made) else None

    @property
    def name(self) -> str:
        """The trial's, without folder and suffix: the names of its files begin with it."""
        return self._source.stem

    # --- for people and other programs --------------------------------------------------------------------

    def write(self, folder: File) -> list[Path]:
        """Write the files that ``gaitid run -o FOLDER`` writes, the same to the byte.

        Returns
        -------
        list of Path

        Raises
        ------
        GaitidError
            The folder cannot be written to, or an input would be overwritten; nothing is written then.
        """
        return self._source.write(file_path("folder", folder))

    def report(
        self,
        path: File,
        *,
        norms: str | None = None,
        format: str | None = None,
        figures: str | Sequence[str] = (),
        width: str | float | None = None,
        cycles: bool = False,
        max_uncertainty: Mapping[str, float] | None = None,
    ) -> Path:
        """Write the clinical page (``.html``) or a picture (``.png``, ``.svg``, ``.pdf``), as ``gaitid report`` does.

        Parameters
        ----------
        path : path
        norms : str, optional
            Name of norms, a file of them, or ``none``; by default those that fit.
        format : str, optional
            ``html``, ``png``, ``svg`` or ``pdf``; by default what the suffix says.
        figures : str or sequence of str
            Of a picture: ``sheet``, ``kinematics``, ``moments``, ``powers``, ``ground``, or a panel (``hip_flexion``);
            of a chain that does not walk ``stick``, ``coordinates``, ``torques``, ``energies`` and others
            (docs/chains.md).
        width : str or float, optional
            Of a picture: ``single``, ``1.5``, ``double``, or mm.
        cycles : bool
            Draw every cycle in a picture, thin.
        max_uncertainty : mapping of str to float, optional
            Largest standard uncertainties that are good enough, as ``{"angle_deg": 3}``.

        Returns
        -------
        Path

        Raises
        ------
        GaitidError
        """
        from gaitid.report import Choices, write_report
        from gaitid.report.panels import Request
        from gaitid.uncertainty.usable import read_limits

        output = file_path("path", path)
        names = (figures,) if isinstance(figures, str) else tuple(figures)
        asked = Request(names, None if width is None else str(width), cycles)
        limits = read_limits([f"{name}={value}" for name, value in (max_uncertainty or {}).items()])
        choices = Choices(asked if asked != Request() else None, None, limits)
        if isinstance(self._source, Stored):
            return write_report([self._source.result.path], output, format, norms, choices)
        files = self._source.files
        refuse_to_overwrite([output], files)
        # a page names the folder of a result as its session: that of the trial
        session = next((file.absolute().parent.name for file in files if file.is_file()), "") or "memory"
        with TemporaryDirectory(prefix="gaitid-") as folder:
            *_, record = self.write(Path(folder, session))
            return write_report([record], output, format, norms, choices)

    def compare(
        self,
        other: Analysis | File,
        *,
        align: str | None = None,
        outputs: str | None = None,
        knee: str | None = None,
        start_s: float | None = None,
        same: str | None = None,
        repeatability: File | None = None,
    ) -> Compared:
        """Compare with another result, or with what another program computed of the trial, as ``gaitid compare`` does.

        Parameters
        ----------
        other : Analysis or path
            The B of the comparison: a result, in memory or in files; a C3D with stored outputs; OpenSim's file.
        align : str, optional
            ``frames``, ``time`` or ``cycle``; by default what fits.
        outputs : str, optional
            Of a C3D with several sets of outputs, what their labels end with.
        knee : str, optional
            Whose sign the knee of OpenSim's file has: ``gait2392`` or ``rajagopal``.
        start_s : float, optional
            When the first frame was, by the clock of OpenSim's file.
        same : str, optional
            What results of different trials have in common: ``session``, ``subject`` or ``nothing``; by default as
            their records show.
        repeatability : path, optional
            What ``gaitid repeatability`` wrote: the smallest detectable changes are taken from it.

        Returns
        -------
        Compared

        Raises
        ------
        GaitidError
        """
        from gaitid.api.shown import Compared
        from gaitid.compare.comparison import compare_curves
        from gaitid.compare.sources import Reading, open_pair

        if not isinstance(other, Analysis | str | PathLike):
            raise GaitidError(
                "other: nothing to compare with", expected="an Analysis or a path", found=type(other).__name__
            )
        sources = self._source, other._source if isinstance(other, Analysis) else Path(other)
        with TemporaryDirectory(prefix="gaitid-") as folder:
            placed = [
                (source, None) if isinstance(source, Path) else source.placed(Path(folder, name))
                for name, source in zip(("a", "b"), sources, strict=True)
            ]
            (a, of_a), (b, of_b) = placed
            pair = open_pair(a, b, Reading(outputs, knee, start_s), (of_a, of_b))
            sessions = None if repeatability is None else file_path("repeatability", repeatability)
            return Compared(compare_curves(*pair, way=align, start_s=start_s, same=same, sessions=sessions))

    def scores(self, norms: str | PathLike[str] | None = None) -> pd.DataFrame:
        """Gait Variable Scores and Gait Profile Scores (Baker et al. 2009, Gait Posture 30:265-269), deg.

        Parameters
        ----------
        norms : str or path, optional
            Name or file of norms; by default those that fit.

        Returns
        -------
        DataFrame
            ``side``, ``variable``, ``score_deg``, ``norm_deg`` (of people of the norm); last ``gait_profile_score`` of
            each side and of ``both``. ``attrs["norms"]`` and ``attrs["no_scores_because"]`` say against which, why not.
        """
        from gaitid.api.shown import scores_of

        return scores_of(self.record, self.cycles, self.spatiotemporal, None if norms is None else str(norms))

    def asymmetry(self) -> pd.DataFrame:
        """Features of both sides, means over cycles: ``feature``, ``unit``, ``left``, ``right``, ``difference``
        (left less right), ``ratio`` (left over right, where it means something: `gaitid.gait.feature_list`).
        """
        from gaitid.api.shown import asymmetries_of

        return asymmetries_of(self.features)

    def to_xarray(self, over: str = "time") -> xr.Dataset:
        """Angles, moments, powers and wrenches under named dimensions; needs ``gaitid[xarray]``.

        Parameters
        ----------
        over : str
            ``time``: joints and wrenches, a value a frame. ``percent``: curves over the gait cycle, one below the other
            along ``cycle``; each side counts its own cycles.

        Returns
        -------
        xarray.Dataset
            Dimensions ``side``, ``joint``, ``plane`` of angles and moments, ``axis`` (x, y, z) of wrenches. The unit of
            each variable is ``attrs["units"]``; ``angle_positive`` and ``moment_positive`` name the motion that is
            positive. NaN where unknown, and where a joint has no such number.

        Raises
        ------
        GaitidError
            xarray is absent; `over` is another word.
        """
        from gaitid.api.shown import to_dataset

        verdict = {f"verdict_{name}": str(self.verdict.get(name, "")) for name in ("trial", "left", "right")}
        about = {"trial": self.name, "model": self.record["model"]["name"], "gaitid": str(self.record["gaitid"])}
        return to_dataset(self.table, over).assign_attrs(about | verdict)

    def plot(self, columns: str | Sequence[str] | None = None) -> Figure:
        """Curves over the gait cycle, a line a cycle; over time where there is no cycle.

        Parameters
        ----------
        columns : str or sequence of str, optional
            Of `cycles`, without the side: ``knee_flexion_deg``. By default angle, moment and power of hip, knee and
            ankle in the sagittal plane.

        Returns
        -------
        matplotlib.figure.Figure
            Shown by a notebook; ``savefig`` writes it.

        Raises
        ------
        GaitidError
            No such column; matplotlib is absent.
        """
        from gaitid.drawing import load_matplotlib

        load_matplotlib("plot")
        from gaitid.api.picture import draw

        title = f"{self.name} · {self.record['model']['name']} · {level_words(self.verdict)}"
        return draw(title, self.cycles, self.joints, (columns,) if isinstance(columns, str) else columns)

    def __repr__(self) -> str:
        known = self.contacts["plates"] != ""
        cycles = self.cycles[["side", "cycle"]].drop_duplicates()
        model = self.record.get("model", {}).get("name", "")
        verdict = verdict_words(self.verdict) if self.verdict else "no verdict"
        return (
            f"<gaitid.Analysis {self.name}: model {model}; {verdict}; "
            f"{int(known.sum())} contacts on plates, {len(cycles)} cycles>"
        )

    def _repr_html_(self) -> str:
        from gaitid.api.shown import Shown, table_of

        return table_of(Shown(self.name, self.record, self.contacts, self.cycles, self.joints))
