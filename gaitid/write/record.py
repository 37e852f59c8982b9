"""``walk.run.json``: everything that is needed to trust a result, or to make it again."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.analysis.result import Result
from gaitid.faults.laboratory import Share
from gaitid.faults.laboratory_file import share_record
from gaitid.numerics.masks import known_rows
from gaitid.version import __version__
from gaitid.write import SCHEMA
from gaitid.write.tables import contact_row

# one for all lines: each `json.dumps` with options makes its own
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, default=lambda value: _builtin(value))


def plain(value: Any) -> Any:
    """The same as JSON types: arrays as lists, unknown numbers as null."""
    if isinstance(value, str):  # most are; whether something is a mapping takes longest to ask
        return value
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    return value


def _builtin(value: Any) -> Any:
    """An array or a number of numpy, or a mapping, as a type that the encoder knows."""
    return dict(value) if isinstance(value, Mapping) else value.tolist()


def record(
    result: Result,
    command: Sequence[str],
    inputs: Sequence[Mapping[str, str]],
    express_in: Sequence[str],
    keep_names: bool,
) -> dict[str, Any]:
    """The record, with the top-level keys of the contract; arrays and unknown numbers as they are (`plain`).

    Parameters
    ----------
    result : Result
    command : sequence of str
        The words of one that makes the same again, of this trial only.
    inputs : sequence of mappings
        ``role``, ``path`` as given, ``sha256``.
    express_in : sequence of str
    keep_names : bool
        Whether names of people stored in the trial are kept.
    """
    trial, model, s = result.trial, result.model, result.settings
    first = trial.first_frame
    bodies = {f"{side}_{segment}": body for side, leg in result.sides.items() for segment, body in leg.bodies.items()}
    if result.base_body is not None:
        bodies[model.base.segment] = result.base_body
    segments = {
        name: {
            "mass_kg": body.mass_kg,
            "com_m": body.com_s,
            "inertia_kg_m2": body.inertia_s,
            "length_m": body.length_m,
            "source": body.source,
        }
        for name, body in bodies.items()
    }
    return {
        "gaitid": __version__,
        "schema": SCHEMA,
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "command": list(command),
        "inputs": [dict(i) for i in inputs],
        "trial": {
            "stem": trial.path.stem,
            "camera_rate_hz": trial.rate_hz,
            "frames": trial.n_frames,
            "first_frame": first,
            **({"subject_names": list(trial.names)} if keep_names else {}),
        },
        "model": {
            "name": model.name,
            "title": model.title,
            **({"unchecked": model.unchecked} if model.unchecked else {}),
            "files": [str(i["path"]) for i in inputs if i["role"] in ("model", "table")],
            "table": {"name": model.table.name, "source": model.table.source},
            "choices": {
                name: {"option": chosen.option or None, "by": chosen.by, "source": chosen.source or None}
                for name, chosen in model.choices.items()
            },
            "marker_set": model.marker_set or None,
            "markers": {
                f"{side}.{role}" if side else role: label
                for side, role in model.roles
                for label in model.labels(role, side)
                if trial.has(label)
            },
        },
        "settings": {
            "solver": result.solver,
            "express_in": list(express_in),
            **s._asdict(),
            **{name: chosen.option or None for name, chosen in model.choices.items()},
            "static_foot_flat": result.subject.foot_flat,
        },
        "subject": {
            name: {"value": m.value, "unit": m.unit, "source": m.source} for name, m in result.subject.measured.items()
        }
        | {
            name: {"value": words, "unit": "", "source": "subject file"}
            for name in ("sex", "reason")
            if (words := getattr(result.subject, name))
        },
        "segments": segments,
        **_whole_body(result),
        **_stability(result),
        **({"functional": dict(result.subject.functional)} if result.subject.functional else {}),
        "conventions": result.conventions,
        "passes": pass_rows(result),
        "contacts": [
            {**contact_row(contact, first), "whole": place in result.verdict.whole}
            for place, contact in enumerate(result.contacts)
        ],
        "impacts": [
            {
                "side": impact.side,
                "first_frame": impact.first + first,
                "last_frame": impact.last + first,
                "peak_frame": impact.peak + first,
                "size_body_weights": impact.size_BW,
            }
            for impact in result.impacts
        ],
        **({"loads": [load.record() for load in result.applied_loads]} if result.applied_loads else {}),
        "events": result.gait.record(),
        **({} if result.emg is None else {"emg": result.emg.record()}),
        "coverage": {
            side: {
                joint: {
                    "frames": trial.n_frames,
                    "filled": counts["filled"],
                    "empty": trial.n_frames - counts["filled"],
                    "reasons": {k: v for k, v in counts.items() if k != "filled" and v},
                    **_estimated(result, side, joint),
                }
                for joint, counts in leg.coverage.items()
            }
            for side, leg in result.sides.items()
        },
        **_estimate(result),
        "quality": result.quality,
        **_laboratory(*result.laboratory),
        "warnings": [note.as_dict() for note in result.notes],
        "verdict": result.verdict.as_dict(),
    }


def _estimate(result: Result) -> dict[str, Any]:
    if result.estimate is None:
        return {}
    from gaitid.analysis.estimated import record_of

    in_features = result.estimate.loads is not None and result.sides is result.estimate.sides
    return {"estimated_loads": record_of(result.estimate) | {"in_features": in_features}}


def _estimated(result: Result, side: str, joint: str) -> dict[str, int]:
    """In how many frames a joint's force follows from an estimated load."""
    if result.estimate is None:
        return {}
    known = known_rows(result.estimate.sides[side].wrenches[joint].f_g)
    return {"estimated": int(np.count_nonzero(known & result.estimate.frames(side)))}


def _stability(result: Result) -> dict[str, Any]:
    if not result.stability:
        return {}
    from gaitid.analysis.stability import stability_of

    return {"stability": stability_of(result).record()}


def _whole_body(result: Result) -> dict[str, Any]:
    if result.whole_body is None:
        return {}
    from gaitid.analysis.whole_body import whole_body_record

    return {"whole_body": whole_body_record(result.whole_body, result.body, result.trial, result.subject.mass_kg)}


def _laboratory(share: Share | None, day: str) -> dict[str, Any]:
    found = {} if share is None else share_record(share)
    found |= {"judged_by": day} if day else {}
    return {"laboratory": found} if found else {}


def pass_rows(result: Result) -> list[dict[str, Any]]:
    """Each walk of a recording: its frames as the file numbers them, and its direction."""
    first, walk = result.trial.first_frame, result.gait.events.heading
    return [
        {"first_frame": p.start + first, "last_frame": p.stop - 1 + first, "direction_deg": walk.angle_deg(p)}
        for p in result.markers.passes
    ]


def record_text(content: Mapping[str, Any]) -> str:
    """The record as JSON text: what a section holds stands in a line each, so that it can be read and compared."""
    sections = ",\n".join(f"{_compact(name)}: {_section(value)}" for name, value in content.items())
    return f"{{\n{sections}\n}}\n"


def _section(value: Any) -> str:
    if value and isinstance(value, Mapping):
        return "{\n" + ",\n".join(f"  {_compact(k)}: {_compact(v)}" for k, v in value.items()) + "\n}"
    if value and isinstance(value, (list, tuple)):
        return "[\n" + ",\n".join(f"  {_compact(v)}" for v in value) + "\n]"
    return _compact(value)


def _compact(value: Any) -> str:
    text = _ENCODER.encode(value)
    # looked for in the text: to go through every value first would take longer than to write it
    return _ENCODER.encode(plain(value)) if "NaN" in text or "Infinity" in text else text
