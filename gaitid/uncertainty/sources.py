"""A file of standard uncertainties, read and checked: configs/uncertainty/default.yaml, or the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gaitid.errors import ModelError
from gaitid.model.fields import Faults, Fields, nearest
from gaitid.model.load import bundled_folder, find_file
from gaitid.model.specs import Model
from gaitid.model.yaml_file import load_yaml
from gaitid.records import NamedTuple
from gaitid.write import DEFAULT_UNCERTAINTY

#: Names of the sources, in the order in which a budget lists them.
SOURCES = (
    "marker_noise",
    "soft_tissue",
    "marker_placement",
    "hip_centre",
    "measurements",
    "segment_parameters",
    "force_plates",
    "timing",
    "cutoff",
    "markerless",
)
#: The same in words.
WORDS: Mapping[str, str] = {
    "marker_noise": "the markers' noise",
    "soft_tissue": "soft tissue under the markers",
    "marker_placement": "where the anatomical markers were put",
    "hip_centre": "the hip's centre",
    "measurements": "the subject's measurements",
    "segment_parameters": "the segments' masses, centres and inertia",
    "force_plates": "the force plates",
    "timing": "the timing of forces against markers",
    "cutoff": "the markers' low-pass",
    "markerless": "the markerless system's estimates",
}
METHODS = ("first_order", "monte_carlo")
#: Of `hip_centre`, where a model says no other.
OTHERWISE = "otherwise"
_SEGMENTS = ("pelvis", "thigh", "shank", "foot")
_UNITS = {"_mm": 1e-3, "_kg": 1.0, "_rad": 1.0, "_deg": 0.017453292519943295, "_m": 1.0, "_years": 1.0}
# Larger errors than these are mistakes of a unit, and derivatives would say nothing of them.
_MOST_MM, _MOST_PERCENT = 100.0, 60.0
_MOST_OF_UNIT = {"_mm": _MOST_MM, "_kg": 50.0, "_rad": 1.0, "_deg": 60.0, "_m": 0.1, "_years": 20.0}


class SoftTissue(NamedTuple):
    """Root mean squares of one segment's waves, m, each axis: of all its markers alike, and of each by itself."""

    together_m: float
    each_m: float


class Markerless(NamedTuple):
    """Of what a markerless system estimates: landmarks that are such points, and errors of these and of stored poses.

    Each axis, constant; `about_length_rad` turns thigh and shank about their length, `turn_rad` all else.
    """

    points: tuple[str, ...]
    point_m: float
    turn_rad: float
    about_length_rad: float
    origin_m: float


class Sources(NamedTuple):
    """Standard uncertainties, SI.

    Attributes
    ----------
    name, title : str
    path : Path
    method : str
        One of `METHODS`.
    samples, seed : int
        Of the Monte Carlo method.
    noise_m : float or None
        Of each coordinate of a marker; None where it is measured in the trial.
    harmonics : tuple of float
        Share of the variance of soft tissue's waves in each harmonic of the stride.
    soft_tissue : mapping of segment to SoftTissue
    placement_m : float
    placement_except : tuple of str
        Roles of markers.
    hip_m : mapping of method to float
    measurements : mapping of key in a subject file to float
        SI.
    mass, com, inertia : float
        Relative; the centre of mass in lengths of the segment.
    gain, force_N, cop_m, free_moment_Nm, turn_rad : float
        Of plates.
    delay_frames : float
        In camera frames.
    cutoff : float
        Of the logarithm.
    markerless : Markerless
    content : mapping
        As the file has it, for the record.
    """

    name: str
    title: str
    path: Path
    method: str
    samples: int
    seed: int
    noise_m: float | None
    harmonics: tuple[float, ...]
    soft_tissue: Mapping[str, SoftTissue]
    placement_m: float
    placement_except: tuple[str, ...]
    hip_m: Mapping[str, float]
    measurements: Mapping[str, float]
    mass: float
    com: float
    inertia: float
    gain: float
    force_N: float
    cop_m: float
    free_moment_Nm: float
    turn_rad: float
    delay_frames: float
    cutoff: float
    markerless: Markerless
    content: Mapping[str, Any]


def read_sources(name: str | Path) -> Sources:
    """Read a file of standard uncertainties, or the bundled one of that name.

    Raises
    ------
    ModelError
        Not found, or against the schema: one line that names each key.
    """
    bundled = {path.stem: path for path in sorted(bundled_folder("configs").glob("uncertainty/*.yaml"))}
    path = find_file("file of uncertainties", str(name), bundled)
    content = load_yaml(path)
    faults = Faults(path.name, path)
    top = Fields(content, "", faults)
    if top.raw("gaitid_uncertainty", None) != 1:
        raise ModelError(f"{path}: not a file of uncertainties", expected="a line `gaitid_uncertainty: 1`")
    title, method = top.text("title", ""), top.text("method", METHODS[0], METHODS)
    samples, seed = top.integer("samples", 1000, 20, 1_000_000), top.integer("seed", 1, 0, 2**31)
    label = top.text("name", path.stem)
    sources = top.mapping("sources")
    top.done()
    noise = _source(sources, "marker_noise")
    given = noise.raw("coordinate_mm", 0.0)
    noise_m = None if given == "trial" else noise.number("coordinate_mm", 0.0, 0.0, _MOST_MM) * 1e-3
    noise.done()
    soft, harmonics = _soft_tissue(_source(sources, "soft_tissue"))
    placement = _source(sources, "marker_placement")
    placement_m = placement.number("coordinate_mm", 0.0, 0.0, _MOST_MM) * 1e-3
    excepted = _markers(placement, "except")
    placement.done()
    hip = _source(sources, "hip_centre")
    of_methods = hip.mapping("coordinate_mm", {})
    hip_m = {way: of_methods.number(way, 0.0, 0.0, _MOST_MM) * 1e-3 for way in of_methods.values}
    of_methods.done()
    hip.done()
    measured = _source(sources, "measurements")
    measurements = {key: _measurement(measured, key) for key in measured.values if key != "source"}
    table = _source(sources, "segment_parameters")
    mass, com, inertia = (
        table.number(key, 0.0, 0.0, _MOST_PERCENT) / 100
        for key in ("mass_percent", "com_percent_of_length", "inertia_percent")
    )
    table.done()
    plates = _source(sources, "force_plates")
    gain = plates.number("gain_percent", 0.0, 0.0, _MOST_PERCENT) / 100
    force_N, moment_Nm = plates.number("force_N", 0.0, 0.0, 1000.0), plates.number("free_moment_Nm", 0.0, 0.0, 100.0)
    cop_m = plates.number("cop_mm", 0.0, 0.0, _MOST_MM) * 1e-3
    turn_rad = plates.number("turn_deg", 0.0, 0.0, 30.0) * _UNITS["_deg"]
    plates.done()
    timing = _source(sources, "timing")
    delay = timing.number("frames", 0.0, 0.0, 20.0)
    timing.done()
    low_pass = _source(sources, "cutoff")
    cutoff = low_pass.number("percent", 0.0, 0.0, _MOST_PERCENT) / 100
    low_pass.done()
    without_markers = _markerless(_source(sources, "markerless"))
    sources.done()
    faults.raise_if_any()
    found = Sources(
        label, title, path, method, samples, seed, noise_m, harmonics, soft, placement_m, excepted, hip_m,
        measurements, mass, com, inertia, gain, force_N, cop_m, moment_Nm, turn_rad, delay, cutoff,
        without_markers, content if isinstance(content, Mapping) else {},
    )  # fmt: skip
    if not _states_any(found):
        wrong = f"{path}: no error is stated, and every number would be exact"
        raise ModelError(
            wrong, expected="a size above 0 in at least one of the sources", todo="see docs/uncertainty.md"
        )
    return found


def _states_any(sources: Sources) -> bool:
    """Whether anything in a file is off at all."""
    s, without = sources, sources.markerless
    sizes = [
        s.placement_m, s.mass, s.com, s.inertia, s.gain, s.force_N, s.cop_m, s.free_moment_Nm, s.turn_rad,
        s.delay_frames, s.cutoff, without.point_m, without.turn_rad, without.about_length_rad, without.origin_m,
        *s.hip_m.values(), *s.measurements.values(), *(size for segment in s.soft_tissue.values() for size in segment),
    ]  # fmt: skip
    return s.noise_m is None or s.noise_m > 0 or any(sizes)


def _source(sources: Fields, name: str) -> Fields:
    """One source; left out, or with `none`, it counts for nothing."""
    found = sources.mapping(name, {})
    if found.values:
        found.text("source")  # a figure without a source is refused
    return found


def _markers(fields: Fields, key: str) -> tuple[str, ...]:
    names = fields.raw(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        fields.faults.add(f"{fields.at(key)}: expected a list of names of markers in a model")
        return ()
    return tuple(names)


def _markerless(fields: Fields) -> Markerless:
    points = _markers(fields, "points")
    point_m, origin_m = (fields.number(key, 0.0, 0.0, _MOST_MM) * 1e-3 for key in ("point_mm", "pose_origin_mm"))
    turns = ("pose_turn_deg", "pose_turn_about_length_deg")
    turn, about_length = (fields.number(key, 0.0, 0.0, 30.0) * _UNITS["_deg"] for key in turns)
    fields.done()
    return Markerless(points, point_m, turn, about_length, origin_m)


def _soft_tissue(fields: Fields) -> tuple[dict[str, SoftTissue], tuple[float, ...]]:
    harmonics = fields.raw("harmonics", [1.0])
    if (
        not isinstance(harmonics, list)
        or not 1 <= len(harmonics) <= 6
        or not all(isinstance(share, int | float) and 0 <= share <= 1 for share in harmonics)
        or abs(sum(harmonics) - 1) > 1e-6
    ):
        fields.faults.add(f"{fields.at('harmonics')}: expected one to six shares whose sum is 1, found {harmonics!r}")
        harmonics = [1.0]
    found = {}
    for segment in _SEGMENTS:
        of_segment = fields.mapping(segment, {})
        together, each = (of_segment.number(key, 0.0, 0.0, _MOST_MM) * 1e-3 for key in ("together_mm", "each_mm"))
        of_segment.done()
        found[segment] = SoftTissue(together, each)
    fields.done()
    return found, tuple(float(share) for share in harmonics)


def _measurement(fields: Fields, key: str) -> float:
    """In SI, by the unit at the end of the key."""
    unit = next((unit for unit in _UNITS if key.endswith(unit)), None)
    if unit is None:
        fields.faults.add(f"{fields.at(key)}: expected a key of a subject file with its unit, as leg_length_mm")
        return 0.0
    return fields.number(key, 0.0, 0.0, _MOST_OF_UNIT[unit]) * _UNITS[unit]


def refuse_names_of_nothing(sources: Sources, model: Model) -> None:
    """Names that neither the bundled file nor the model knows: what they stand for would count for nothing in silence.

    Raises
    ------
    ModelError
    """
    bundled = read_sources(DEFAULT_UNCERTAINTY)
    chosen = {choice.option for choice in model.choices.values()}
    given_and_known: Sequence[tuple[str, Iterable[str], set[str]]] = (
        ("hip_centre.coordinate_mm", sources.hip_m, {*bundled.hip_m, *chosen}),
        ("measurements", sources.measurements, {*bundled.measurements, *(m.key for m in model.subject.values())}),
        ("marker_placement.except", sources.placement_except,
         {*bundled.placement_except, *(role for _, role in model.roles)}),
        ("markerless.points", sources.markerless.points,
         {*bundled.markerless.points, *(role for _, role in model.roles)}),
    )  # fmt: skip
    faults = Faults(sources.path.name, sources.path)
    for where, given, known in given_and_known:
        for name in given:
            if name not in known:
                faults.add(
                    f"sources.{where}: '{name}' is known neither to model {model.name} nor to the bundled file"
                    f"{nearest(name, sorted(known))}"
                )
    faults.raise_if_any()
