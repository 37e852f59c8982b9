"""What an analyst corrected by hand, and what the page's editor needs to correct one trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gaitid.report.page.messages import named
from gaitid.report.result import Result
from gaitid.report.text import file_name

_TIMES = ("first_frame", "last_frame")


def corrections(results: Sequence[Result]) -> dict[str, Any] | None:
    """The entries of all trials, in words, and the editor of a page of one; None without either."""
    rows = [
        {
            "trial": name,
            "what": entry_words(entry),
            **{key: str(entry.get(key) or "") for key in ("reason", "author", "date")},
            "moved": len(moved) if isinstance(moved := entry.get("moved"), list) else None,
        }
        for name, result in named(results)
        for entry in result.mappings("corrections", "entries")
    ]
    editor = _editor(results[0]) if len(results) == 1 else None
    return {"rows": rows, "several": len(results) > 1, "editor": editor} if rows or editor else None


def entry_words(entry: Mapping[str, Any]) -> str:
    """What an entry says: ``left strike moved from frame 426 to 424``."""
    of = {key: str(value) for key, value in entry.items()}
    frames = f", frames {of['first_frame']}–{of['last_frame']}" if {*_TIMES} <= of.keys() else ""
    side = of.get("side", "")
    if of.get("list") == "events":
        where = f"from frame {of['from']} to {of.get('frame')}" if "from" in of else f"frame {of.get('frame')}"
        done = {"add": "added", "move": "moved", "remove": "removed"}.get(of.get("do", ""), of.get("do", ""))
        return (
            f"{side} {of.get('kind')} {done}, {where}" if done != "moved" else f"{side} {of.get('kind')} moved {where}"
        )
    if of.get("list") == "contacts":
        on = "on no plate" if of.get("plates") == "none" else f"on plate {of.get('plates')}"
        return f"{side} foot {on}{frames}"
    if of.get("list") == "leave_out":
        what = f"{side} cycle {of['cycle']}" if "cycle" in of else f"marker {of.get('marker')}"
        return f"{what} not used{frames}"
    if of.get("list") == "labels":
        return f"marker {of.get('from')} is {of.get('to')}{frames}"
    return f"{of.get('list')}: {side}{frames}"


def _editor(result: Result) -> dict[str, Any] | None:
    """What can be corrected on the page; None of a record that does not say it all, or of a trial without a file."""
    trial = next((entry for entry in result.mappings("inputs") if entry.get("role") == "trial"), {})
    path, sha256 = str(trial.get("path") or ""), str(trial.get("sha256") or "")
    events = result.mappings("events", "used")
    if result.is_chain or not (path and sha256) or path.endswith("(in memory)") or not events:
        return None
    first = int(result.frame[0])

    def frame(time_s: object) -> float:
        return round(first + float(time_s) / result.step_s, 2) if isinstance(time_s, int | float) else float(first)

    cycles = [
        {"side": side, "number": int(n), "first": float(a), "last": float(b), "out": False}
        for side, of in result.cycles.items()
        for n, a, b in zip(of.numbers, of.first_frame, of.last_frame, strict=True)
    ] + [
        {
            "side": of.get("side"),
            "number": of.get("number"),
            "first": frame(of.get("start_s")),
            "last": frame(of.get("end_s")),
            "out": True,
        }
        for of in result.mappings("events", "left_out_cycles")
    ]
    kept = [
        {key: of for key, of in entry.items() if key not in ("moved", "without_it")}
        for entry in result.mappings("corrections", "entries")
    ]
    return {
        "file": (file := file_name(path)),
        "name": f"{file.rpartition('.')[0]}.corrections.yaml",
        "sha256": sha256,
        "first": first,
        "last": int(result.frame[-1]),
        "step_s": result.step_s,
        "sides": list(result.sides),
        "plates": [str(plate.get("plate")) for plate in result.mappings("quality", "plates") if plate.get("plate")],
        "events": [
            {"side": e.get("side"), "kind": e.get("kind"), "frame": frame(e.get("time_s")), "source": e.get("source")}
            for e in events
            if e.get("side") in result.sides
        ],
        "contacts": [
            {"side": c.side, "plates": c.plates, "first": c.first_frame, "last": c.last_frame} for c in result.contacts
        ],
        "cycles": cycles,
        "kept": kept,
    }
