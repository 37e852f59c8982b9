"""OpenSim's own inverse dynamics once more, from a model, coordinates and forces.

    OPENSIM_PYTHON benchmarks/opensim_again.py MODEL.osim COORDINATES.sto FORCES.mot CUTOFF_HZ|none LOADS.json OUT.sto

For an interpreter that has ``pip install opensim``; `opensim_terms.py --opensim PYTHON` calls it. LOADS.json names for
each body the columns of force, point and torque of the loads on it, without their axes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

LOAD = """<ExternalForce name="{name}"><applied_to_body>{body}</applied_to_body>
<force_expressed_in_body>ground</force_expressed_in_body><point_expressed_in_body>ground</point_expressed_in_body>
<force_identifier>{force}</force_identifier><point_identifier>{point}</point_identifier>
<torque_identifier>{torque}</torque_identifier></ExternalForce>"""
LOADS = """<?xml version="1.0" encoding="UTF-8"?><OpenSimDocument Version="40000"><ExternalLoads name="loads">
<objects>{loads}</objects><datafile>{forces}</datafile></ExternalLoads></OpenSimDocument>"""


def computed_again(
    python: str,
    model: Path,
    coordinates: Path,
    forces: Path,
    cutoff_hz: float | None,
    loads: Mapping[str, Sequence[tuple[str, str, str]]],
    out: Path,
) -> Path:
    """Run this file with another interpreter; the path of the generalised forces that it writes."""
    listed = out.with_suffix(".loads.json")
    listed.write_text(json.dumps(loads), encoding="utf-8")
    paths = [str(path.resolve()) for path in (model, coordinates, forces)]
    cutoff = "none" if cutoff_hz is None else str(cutoff_hz)
    command = [python, __file__, *paths, cutoff, str(listed.resolve()), str(out.resolve())]
    subprocess.run(command, check=True, cwd=out.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return out


def main(model: str, coordinates: str, forces: str, cutoff_hz: str, loads: str, out: str) -> int:
    import opensim as osim

    target = Path(out)
    external = target.with_suffix(".loads.xml")
    rows = [
        LOAD.format(name=f"{body}_{i}", body=body, force=force, point=point, torque=torque)
        for body, columns in json.loads(Path(loads).read_text(encoding="utf-8")).items()
        for i, (force, point, torque) in enumerate(columns)
    ]
    external.write_text(LOADS.format(loads="".join(rows), forces=forces), encoding="utf-8")
    table = osim.TimeSeriesTable(coordinates).getIndependentColumn()
    tool = osim.InverseDynamicsTool()
    tool.setModelFileName(model)
    tool.setCoordinatesFileName(coordinates)
    if cutoff_hz != "none":
        tool.setLowpassCutoffFrequency(float(cutoff_hz))
    tool.setStartTime(table[0])
    tool.setEndTime(table[-1])
    tool.setExternalLoadsFileName(str(external))
    excluded = osim.ArrayStr()
    excluded.append("All")
    tool.setExcludedForces(excluded)
    tool.setResultsDir(str(target.parent))
    tool.setOutputGenForceFileName(target.name)
    return 0 if tool.run() and target.is_file() else 1


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
