"""A result -> what OpenSim's inverse kinematics and dynamics need, with setup files that run as they are; and how its
scale tool makes a generic model as large as the subject, by the static.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from gaitid.analysis.pipeline import pipeline_of
from gaitid.analysis.result import Result
from gaitid.body.frames import Geometry
from gaitid.body.joints import Place
from gaitid.body.poses import segments_of_markers
from gaitid.disk.regular import opened
from gaitid.errors import GaitidError
from gaitid.export.opensim import DOCUMENT, facing, file_of, loads_of, to_trc
from gaitid.export.source import Made, Source
from gaitid.model.shapes import CarriedPoint
from gaitid.numerics.rotation import norm
from gaitid.records import NamedTuple
from gaitid.trial import Array

#: OpenSim's bodies by our segments: those of gait2354, gait2392 and Rajagopal 2016.
BODIES = {
    "pelvis": ("pelvis",),
    "thigh": ("femur_{s}",),
    "shank": ("tibia_{s}",),
    "foot": ("talus_{s}", "calcn_{s}", "toes_{s}"),
}
_PAIR = "<MarkerPairSet><objects><MarkerPair><markers>{} {}</markers></MarkerPair></objects></MarkerPairSet>"
_MEASUREMENT = """          <Measurement name={name}>
            <apply>true</apply>
            {pair}
            <BodyScaleSet><objects>{bodies}</objects></BodyScaleSet>
          </Measurement>
"""
_BODY = "<BodyScale name={}><axes>X Y Z</axes></BodyScale>"
_TASK = "          <IKMarkerTask name={}><apply>true</apply><weight>1</weight></IKMarkerTask>\n"
_SCALE = """  <ScaleTool name={name}>
    <mass>{mass:.10g}</mass>
    <GenericModelMaker>
      <model_file>{stem}.generic.osim</model_file>
    </GenericModelMaker>
    <ModelScaler>
      <apply>true</apply>
      <scaling_order>measurements</scaling_order>
      <MeasurementSet>
        <objects>
{measurements}        </objects>
      </MeasurementSet>
      <marker_file>{stem}.static.trc</marker_file>
      <time_range>{start:.10g} {end:.10g}</time_range>
      <preserve_mass_distribution>true</preserve_mass_distribution>
    </ModelScaler>
    <MarkerPlacer>
      <apply>true</apply>
      <IKTaskSet>
        <objects>
{tasks}        </objects>
      </IKTaskSet>
      <marker_file>{stem}.static.trc</marker_file>
      <time_range>{start:.10g} {end:.10g}</time_range>
      <output_model_file>{stem}.osim</output_model_file>
    </MarkerPlacer>
  </ScaleTool>
"""


class Measurement(NamedTuple):
    """The distance of two markers, by whose ratio to that in the generic model a segment of ours is scaled."""

    side: str
    segment: str
    labels: tuple[str, str]


def measurements(result: Result, static: Geometry) -> Iterator[Measurement]:
    """From the marker nearest to one joint of a segment to that nearest to its other; of a foot its two farthest apart.

    The same markers of both legs, by their distances in the static; a cluster is no landmark.
    """
    body, label_of = result.body, _labels(static)
    chain, proximal = body.model.chain, body.model.proximal
    segments = segments_of_markers(body, result.markers.filtered)

    def nearest(joint: int, side: str) -> str:
        definition = body.model.each_side.points.get(name := chain[joint].centre)
        centre = definition.point if isinstance(definition, CarriedPoint) else name
        far = {
            role: sum(_apart_m(static.tracks[label_of[of, role]], static.point(centre, of)) for of in body.sides)
            for _, role in label_of
            if all((of, role) in label_of for of in body.sides)
        }
        return label_of.get((side, min(far, key=far.__getitem__, default="")), "")

    hips = [nearest(k, side) for side in body.sides for k, above in enumerate(proximal) if above is None]
    ends = {("", body.model.base.segment): [(hips[0], hips[-1])]}
    for side in body.sides:
        for k, spec in enumerate(chain):
            below = [joint for joint, above in enumerate(proximal) if above == k]
            mine = [
                label for label, place in segments.items() if place == (side, spec.segment) and label in static.tracks
            ]
            ends[side, spec.segment] = (
                [(nearest(k, side), nearest(below[0], side))] if below else [*combinations(mine, 2)]
            )
    for (side, segment), pairs in ends.items():
        apart = {(a, b): _apart_m(static.tracks[a], static.tracks[b]) for a, b in pairs if a and b and a != b}
        known = {pair: far for pair, far in apart.items() if np.isfinite(far)}
        if known and segment in BODIES:
            yield Measurement(side, segment, max(known, key=known.__getitem__))


def _apart_m(a: Array, b: Array) -> float:
    """The mean distance of two tracks; infinite where they are never known at once."""
    apart = norm(a - b)
    known = apart[np.isfinite(apart)]
    return float(known.mean()) if len(known) else np.inf


def _labels(static: Geometry) -> dict[Place, str]:
    """The marker of each role that one has; not what another program stored, or a device for calibration."""
    labels = {(side, role): static.model.labels(role, side) for side, role in static.model.roles}
    return {place: of[0] for place, of in labels.items() if len(of) == 1 and of[0] in static.tracks}


def scaling(stem: str, result: Result) -> tuple[str, str] | None:
    """The scale tool's part of a document, and the static as it reads it; None where there is no static.

    Parameters
    ----------
    stem : str
        Of the files, as they stand beside each other.
    result : Result
    """
    before = pipeline_of(result)
    static, geometry = before.static, before.static_geometry
    if static is None or geometry is None or not (outcome := [*measurements(result, geometry)]):
        return None
    across = np.zeros(3)
    for of in outcome:
        if not of.side:  # from the left to the right hip
            across = np.nanmean(np.subtract(*(static.marker(label) for label in reversed(of.labels))), axis=0)
    trc, names = file_of(f"{stem}.static.trc", static, facing(result, np.cross(-result.gravity_g, across)), {})
    used = {label for side, role in geometry.model.roles for label in geometry.model.labels(role, side)}
    made = "".join(
        _MEASUREMENT.format(
            name=quoteattr(f"{of.side} {of.segment}".strip()),
            pair=_PAIR.format(*(escape(names[label]) for label in of.labels)),
            bodies="".join(_BODY.format(quoteattr(body.format(s=of.side[:1]))) for body in BODIES[of.segment]),
        )
        for of in outcome
    )
    tasks = "".join(_TASK.format(quoteattr(names[label])) for label in geometry.tracks if label in used)
    setup = _SCALE.format(
        name=quoteattr(stem),
        stem=escape(stem),
        mass=result.subject.mass_kg,
        measurements=made,
        tasks=tasks,
        start=static.time_s[0],
        end=static.time_s[-1],
    )
    return setup, trc


_IK = """  <InverseKinematicsTool name="{stem}">
    <model_file>{model}</model_file>
    <marker_file>{stem}.trc</marker_file>
    <time_range>{start:.10g} {end:.10g}</time_range>
    <output_motion_file>{stem}.ik.mot</output_motion_file>
    <report_errors>true</report_errors>
    <results_directory>.</results_directory>
  </InverseKinematicsTool>
"""
_ID = """  <InverseDynamicsTool name="{stem}">
    <model_file>{model}</model_file>
    <time_range>{first:.10g} {last:.10g}</time_range>
    <forces_to_exclude>Muscles</forces_to_exclude>
    <external_loads_file>{stem}.external_loads.xml</external_loads_file>
    <coordinates_file>{stem}.ik.mot</coordinates_file>
    <lowpass_cutoff_frequency_for_coordinates>{cutoff:.10g}</lowpass_cutoff_frequency_for_coordinates>
    <output_gen_force_file>{stem}.id.sto</output_gen_force_file>
    <results_directory>.</results_directory>
  </InverseDynamicsTool>
"""


def to_opensim(source: Source) -> Made:
    """What `to_trc` and `to_mot` make, ``walk.ik.xml``, ``walk.id.xml``, and ``walk.osim`` where the static is a model,
    else ``walk.scale.xml`` and ``walk.static.trc`` where there is a static.

    Where in no frame the load on every foot is known, what needs loads is left out.
    """
    trc = to_trc(source)
    contents: dict[str, str | bytes] = dict(trc.contents)
    stem, model = source.stem, f"{source.stem}.osim"
    result = source.analysed
    time, cutoff = result.trial.time_s, result.settings.cutoff_hz
    setups = {"ik": _IK.format(stem=escape(stem), model=escape(model), start=time[0], end=time[-1])}
    remarks = list(trc.remarks)
    try:
        loads, stretch = loads_of(source)
    except GaitidError as error:
        remarks.append(f"no inverse dynamics: {error}")
    else:
        contents |= loads
        remarks.append(stretch.words)
        first, last = time[stretch.rows][[0, -1]]
        low_pass = -1 if cutoff is None else cutoff
        setups["id"] = _ID.format(stem=escape(stem), model=escape(model), first=first, last=last, cutoff=low_pass)
    given = next((path for path in source.inputs if path.suffix.lower() == ".osim"), None)
    scaled = scaling(stem, result) if given is None else None
    if scaled is not None:
        setups["scale"], contents[f"{stem}.static.trc"] = scaled
        generic = f"a generic model, with markers of these labels, beside them as {stem}.generic.osim"
        remarks.append(f"put {generic}: {stem}.scale.xml makes {model} of it")
    elif given is None:
        remarks.append(f"put the subject's scaled model, with markers of these labels, beside them as {model}")
    contents |= {f"{stem}.{kind}.xml": DOCUMENT.format(setup) for kind, setup in setups.items()}
    if given is not None:
        with opened(given) as file:
            contents[model] = file.read()
        remarks.append(f"{model} is {given.name}")
    return Made(contents, tuple(remarks))
