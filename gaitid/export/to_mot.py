"""A result -> the load on each foot as OpenSim reads it: ``walk.mot``, and the external loads that name its columns."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

import numpy as np

from gaitid.analysis.result import SideResult
from gaitid.errors import GaitidError
from gaitid.export.opensim_axes import axes_of, known_stretch, storage
from gaitid.export.source import Made, Source
from gaitid.numerics.rotation import cross
from gaitid.trial import Array

_FORCE = """      <ExternalForce name={name}>
        <appliesForce>true</appliesForce>
        <applied_to_body>calcn_{s}</applied_to_body>
        <force_expressed_in_body>ground</force_expressed_in_body>
        <point_expressed_in_body>ground</point_expressed_in_body>
        <force_identifier>ground_force_{s}_v</force_identifier>
        <point_identifier>ground_force_{s}_p</point_identifier>
        <torque_identifier>ground_torque_{s}_</torque_identifier>
      </ExternalForce>
"""


def make(source: Source) -> Made:
    """``walk.mot`` and ``walk.external_loads.xml``.

    Raises
    ------
    GaitidError
        The model touches no ground, or in no frame the load on every foot is known.
    """
    result = source.analysed()
    axes, trial = axes_of(result), result.trial
    columns, values = ["time"], [trial.time_s[:, None]]
    forces = []
    for side, leg in result.sides.items() if result.model.touches_ground else ():
        s = side[:1]
        point, torque = _at_pressure(leg)
        columns += [f"ground_force_{s}_v{k}" for k in "xyz"] + [f"ground_force_{s}_p{k}" for k in "xyz"]
        columns += [f"ground_torque_{s}_{k}" for k in "xyz"]
        values += [axes.turned(leg.load.wrench.f_g), axes.turned(point), axes.turned(torque)]
        forces.append(_FORCE.format(name=quoteattr(f"{side}_foot"), s=s))
    table = np.hstack(values)
    stretch = known_stretch(table, trial.first_frame)
    if not forces or not stretch.words:
        raise GaitidError("in no frame is the load on every foot known", todo="see contacts.csv for the reasons")
    mot, xml = f"{source.stem}.mot", f"{source.stem}.external_loads.xml"
    about = [
        axes.words,
        "Force of the ground on the foot, N; the point where it acts, m; moment on the foot about that point, N.m.",
        f"Zeros: in the air. Rows: {stretch.words}.",
    ]
    text = storage(mot, about, columns, table[stretch.rows], in_degrees=True)
    loads = (
        '<?xml version="1.0" encoding="UTF-8" ?>\n<OpenSimDocument Version="40000">\n'
        f"  <ExternalLoads name={quoteattr(source.stem)}>\n    <objects>\n{''.join(forces)}    </objects>\n"
        f"    <groups />\n    <datafile>{escape(mot)}</datafile>\n  </ExternalLoads>\n</OpenSimDocument>\n"
    )
    return Made({xml: loads, mot: text}, (axes.words, stretch.words))


def _at_pressure(leg: SideResult) -> tuple[Array, Array]:
    """(frames, 3) point where the load acts, and its moment about it: together they are the whole load, always.

    The centre of pressure; under a load too small to have one, the nearest in time; zeros in the air.
    """
    force, cop = leg.load.wrench.f_g, leg.load.cop_g
    known = np.flatnonzero(np.isfinite(cop).all(axis=1))
    point = np.zeros_like(force)
    if len(known):
        frames = np.arange(len(force))
        after = np.clip(np.searchsorted(known, frames), 0, len(known) - 1)
        before = np.clip(after - 1, 0, None)
        nearer = np.abs(known[after] - frames) < np.abs(known[before] - frames)
        point = cop[np.where(nearer, known[after], known[before])]
    # in the air there is no point
    point = np.where((force == 0).all(axis=1, keepdims=True), 0.0, point)
    point = np.where(np.isfinite(force).all(axis=1, keepdims=True), point, np.nan)
    # M_point = M_p + (p − point) × F
    torque = leg.load.wrench.m_g + cross(leg.load.wrench.p_g - point, force)
    air = (force == 0).all(axis=1, keepdims=True) & (leg.load.wrench.m_g == 0).all(axis=1, keepdims=True)
    return point, np.where(air, 0.0, torque)
