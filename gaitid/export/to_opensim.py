"""A result -> what OpenSim's inverse kinematics and dynamics need: markers, loads, setup files that run as they are."""

from __future__ import annotations

from xml.sax.saxutils import escape

from gaitid.disk.regular import opened
from gaitid.errors import GaitidError
from gaitid.export import to_mot, to_trc
from gaitid.export.opensim_scaling import scaling
from gaitid.export.source import Made, Source

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
    <time_range>{first} {last}</time_range>
    <forces_to_exclude>Muscles</forces_to_exclude>
    <external_loads_file>{stem}.external_loads.xml</external_loads_file>
    <coordinates_file>{stem}.ik.mot</coordinates_file>
    <lowpass_cutoff_frequency_for_coordinates>{cutoff:.10g}</lowpass_cutoff_frequency_for_coordinates>
    <output_gen_force_file>{stem}.id.sto</output_gen_force_file>
    <results_directory>.</results_directory>
  </InverseDynamicsTool>
"""
_DOCUMENT = '<?xml version="1.0" encoding="UTF-8" ?>\n<OpenSimDocument Version="40000">\n{}</OpenSimDocument>\n'


def make(source: Source) -> Made:
    """What `to_trc` and `to_mot` make, ``walk.ik.xml``, ``walk.id.xml``, and ``walk.osim`` where the static is a model,
    else ``walk.scale.xml`` and ``walk.static.trc`` where there is a static.

    Where in no frame the load on every foot is known, what needs loads is left out.
    """
    trc = to_trc.make(source)
    contents: dict[str, str | bytes] = dict(trc.contents)
    stem, model = source.stem, f"{source.stem}.osim"
    result = source.analysed()
    time, cutoff = result.trial.time_s, result.settings.cutoff_hz
    setups = {"ik": _IK.format(stem=escape(stem), model=escape(model), start=time[0], end=time[-1])}
    remarks = list(trc.remarks)
    try:
        mot = to_mot.make(source)
    except GaitidError as error:
        remarks.append(f"no inverse dynamics: {error}")
    else:
        contents |= mot.contents
        remarks += mot.remarks[1:]
        rows = str(contents[f"{stem}.mot"]).split("endheader\n")[1].splitlines()[1:]
        first, last = (row.split("\t")[0] for row in (rows[0], rows[-1]))
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
    contents |= {f"{stem}.{kind}.xml": _DOCUMENT.format(setup) for kind, setup in setups.items()}
    if given is not None:
        with opened(given) as file:
            contents[model] = file.read()
        remarks.append(f"{model} is {given.name}")
    return Made(contents, tuple(remarks))
