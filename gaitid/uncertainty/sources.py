"""A file of standard uncertainties, read and checked: configs/uncertainty/default.yaml, or the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gaitid.errors import ModelError
from gaitid.markers.gaps import LENGTH_95
from gaitid.model.fields import Faults, Fields, nearest
from gaitid.model.load import bundled_folder, find_file
from gaitid.model.specs import Model
from gaitid.model.yaml_file import load_yaml
from gaitid.records import NamedTuple
from gaitid.trial import Array
from gaitid.uncertainty.plates import of_clocks, of_estimated, of_plates, on_plates
from gaitid.uncertainty.shift import Error, Shift
from gaitid.write import DEFAULT_UNCERTAINTY

if TYPE_CHECKING:
    from gaitid.uncertainty.perturbed import Perturbed

METHODS = ("first_order", "monte_carlo")
#: Of `hip_centre`, where a model says no other.
OTHERWISE = "otherwise"
_SEGMENTS = ("pelvis", "thigh", "shank", "foot")
_UNITS = {"_mm": 1e-3, "_kg": 1.0, "_rad": 1.0, "_deg": 0.017453292519943295, "_m": 1.0, "_years": 1.0}
# Larger errors than these are mistakes of a unit, and derivatives would say nothing of them.
_MOST_MM, _MOST_PERCENT = 100.0, 60.0
# s. A low-pass at 6 Hz, and derivatives, feel a fill no farther beside it.
GAPS_APART_S = 0.2
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
    sizes : mapping of source to mapping of key to float
        Of the sources that say nothing but sizes, by their keys in the file.
    markerless : Markerless
    content : mapping
        As the file has it, for the record.
    knee_axis_rad : float
        Of a knee's axis that a functional trial found; 0: its ends are put as markers are.
    placement_of : mapping of role to float
        Of single markers, m.
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
    sizes: Mapping[str, Mapping[str, float]]
    markerless: Markerless
    content: Mapping[str, Any]
    knee_axis_rad: float = 0.0
    placement_of: Mapping[str, float] = {}


def _segment_parameters(sources: Sources, perturbed: Perturbed) -> Iterator[Error]:
    """Of each segment of both legs alike: one table serves both."""
    mass, com, inertia = sources.sizes["segment_parameters"].values()
    for spec in perturbed.result.model.chain:
        name = spec.segment
        if mass:
            yield Error("segment_parameters", f"mass of the {name}", Shift(mass={name: mass}))
        if inertia:
            yield Error("segment_parameters", f"inertia of the {name}", Shift(inertia={name: inertia}))
        for axis in range(3 if com else 0):
            words = f"centre of mass of the {name}, {'xyz'[axis]}"
            yield Error("segment_parameters", words, Shift(com={name: com * np.eye(3)[axis]}))


def _cutoff(sources: Sources, perturbed: Perturbed) -> Iterator[Error]:
    """Of the choice of its frequency, and what the low-pass takes of the motion itself.

    What it takes is found as Tukey's twicing finds a smoother's bias: by what it takes once more of what it has let
    through, where noise is gone (Stuetzle & Mittal 1979, Smoothing Techniques for Curve Estimation, LNM 757:171-195).
    """
    size, times = sources.sizes["cutoff"].values()
    if not isinstance(perturbed.result.settings.cutoff_hz, float):
        return
    if size and on_plates(perturbed):
        yield Error("cutoff", "logarithm of the cut-off", Shift(cutoff={"log": size}))
    if times:
        yield Error("cutoff", "what the low-pass takes", Shift(cutoff={"again": times}))


def _filled_gaps(sources: Sources, perturbed: Perturbed) -> Iterator[Error]:
    """Of fills, along each axis: the ways in which mock gaps of the same trial err (`gaitid.markers.gaps`).

    Gaps that lie apart share a shift: what is off in one is not what is off in the other, but no frame feels both.
    """
    times, result = sources.sizes["filled_gaps"]["times"], perturbed.result
    apart, n_frames = round(GAPS_APART_S * result.trial.rate_hz), result.trial.n_frames
    together: list[tuple[int, list[dict[str, Array]]]] = []
    gaps = [gap for gap in result.markers.gaps if gap.method and gap.label in result.markers.seen]
    for gap in sorted(gaps, key=lambda gap: gap.first) if times else ():
        free = next((k for k, (end, _) in enumerate(together) if end + apart < gap.first), len(together))
        tracks = together[free][1] if free < len(together) else []
        together[free : free + 1] = [(gap.last, tracks)]
        along = np.linspace(0.0, 1.0, gap.last - gap.first + 3)[1:-1]
        # where too little was seen to say, a fill may err by what the settings let pass, most of it half way
        unknown = result.settings.gap_error_mm * 1e-3 / LENGTH_95 * 64 * (along * (1 - along)) ** 3
        for k, mode in enumerate(gap.modes_m or (unknown,)):
            tracks += [{} for _ in range(k + 1 - len(tracks))]
            track = tracks[k].setdefault(gap.label, np.zeros(n_frames))
            track[gap.first : gap.last + 1] += times * np.asarray(mode)
    for k, (_, modes) in enumerate(together, start=1):
        for mode_of in modes:
            filtered = {label: perturbed.filtered(track)[perturbed.frames, None] for label, track in mode_of.items()}
            for axis in range(3):
                shift = Shift({label: track * np.eye(3)[axis] for label, track in filtered.items()})
                yield Error("filled_gaps", f"{' and '.join(filtered)}, {'xyz'[axis]} of the laboratory ({k})", shift)


def _share(percent: float) -> float:
    return percent / 100


class Source(NamedTuple):
    """Errors of one kind, the same over a trial where they are made by `errors`.

    Attributes
    ----------
    name : str
        Its key in a file of uncertainties.
    words : str
    label : str
        The same in a legend.
    sizes : mapping of key to (float, callable)
        Of the file: the largest that is no mistake of a unit, and what makes it SI. What else a source says is read by
        a function of its own.
    errors : callable or None
        Each as large as one standard deviation.
    """

    name: str
    words: str
    label: str
    sizes: Mapping[str, tuple[float, Callable[[float], float]]] = {}
    errors: Callable[[Sources, Perturbed], Iterator[Error]] | None = None


#: In the order in which a budget lists them.
_ROWS = (
    Source("marker_noise", "the markers' noise", "marker noise"),
    Source("soft_tissue", "soft tissue under the markers", "soft tissue"),
    Source("marker_placement", "where the anatomical markers were put", "marker placement"),
    Source("hip_centre", "the hip's centre", "hip centre"),
    Source("measurements", "the subject's measurements", "measurements"),
    Source(
        "segment_parameters",
        "the segments' masses, centres and inertia",
        "segment masses and inertia",
        {
            "mass_percent": (_MOST_PERCENT, _share),
            "com_percent_of_length": (_MOST_PERCENT, _share),
            "inertia_percent": (_MOST_PERCENT, _share),
        },
        _segment_parameters,
    ),
    Source(
        "force_plates",
        "the force plates",
        "force plates",
        {
            "gain_percent": (_MOST_PERCENT, _share),
            "force_N": (1000.0, float),
            "cop_mm": (_MOST_MM, lambda mm: mm * 1e-3),
            "free_moment_Nm": (100.0, float),
            "turn_deg": (30.0, lambda deg: deg * _UNITS["_deg"]),
            "crosstalk_percent": (_MOST_PERCENT, _share),
        },
        lambda sources, perturbed: of_plates(sources.sizes, perturbed),
    ),
    Source(
        "timing",
        "the timing of forces against markers",
        "timing",
        {"frames": (20.0, float), "laboratory_ms": (50.0, lambda ms: ms * 1e-3)},
        lambda sources, perturbed: of_clocks(sources.sizes, perturbed),
    ),
    Source(
        "cutoff",
        "the markers' low-pass",
        "low-pass",
        {"percent": (_MOST_PERCENT, _share), "taken_again": (10.0, float)},
        _cutoff,
    ),
    Source(
        "estimated_loads",
        "the loads that were estimated from the motion",
        "estimated loads",
        {"times": (10.0, float)},
        lambda sources, perturbed: of_estimated(sources.sizes, perturbed),
    ),
    Source("filled_gaps", "gaps of markers that were filled", "filled gaps", {"times": (10.0, float)}, _filled_gaps),
    Source("markerless", "the markerless system's estimates", "markerless estimates"),
)
#: By name.
SOURCES: Mapping[str, Source] = {source.name: source for source in _ROWS}


def find_sources(name: str | Path) -> Path:
    """The file of standard uncertainties that a user means: a path, or the bundled one of that name."""
    bundled = {path.stem: path for path in sorted(bundled_folder("configs").glob("uncertainty/*.yaml"))}
    return find_file("file of uncertainties", str(name), bundled)


def read_sources(name: str | Path) -> Sources:
    """Read a file of standard uncertainties, or the bundled one of that name.

    Raises
    ------
    ModelError
        Not found, or against the schema: one line that names each key.
    """
    path = find_sources(name)
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
    single = placement.mapping("of_markers_mm", {})
    placement_of = {role: single.number(role, 0.0, 0.0, _MOST_MM) * 1e-3 for role in single.values}
    single.done()
    knee_axis_rad = placement.number("functional_knee_axis_deg", 0.0, 0.0, 30.0) * _UNITS["_deg"]
    placement.done()
    hip = _source(sources, "hip_centre")
    of_methods = hip.mapping("coordinate_mm", {})
    hip_m = {way: of_methods.number(way, 0.0, 0.0, _MOST_MM) * 1e-3 for way in of_methods.values}
    of_methods.done()
    hip.done()
    measured = _source(sources, "measurements")
    measurements = {key: _measurement(measured, key) for key in measured.values if key != "source"}
    sizes: dict[str, dict[str, float]] = {}
    for source in _ROWS:
        if source.sizes:
            fields = _source(sources, source.name)
            sizes[source.name] = {
                key: to_si(fields.number(key, 0.0, 0.0, most)) for key, (most, to_si) in source.sizes.items()
            }
            fields.done()
    without_markers = _markerless(_source(sources, "markerless"))
    sources.done()
    faults.raise_if_any()
    found = Sources(
        label, title, path, method, samples, seed, noise_m, harmonics, soft, placement_m, excepted, hip_m,
        measurements, sizes, without_markers, content if isinstance(content, Mapping) else {}, knee_axis_rad,
        placement_of,
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
        s.placement_m, without.point_m, without.turn_rad, without.about_length_rad, without.origin_m,
        *(size for of in s.sizes.values() for size in of.values()), *s.hip_m.values(), *s.measurements.values(),
        *(size for segment in s.soft_tissue.values() for size in segment),
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
