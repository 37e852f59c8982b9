"""What a run took by default: the table of inertia, filters, and norms at an unknown age, as the record says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gaitid.norms import Norms
from gaitid.report.page.told import each_note, measured
from gaitid.report.result import Result
from gaitid.report.text import number

# The words of a command with which a choice is no default: options of `gaitid run`, and what `--set` may say.
_MARKERS_ASKED = ("--cutoff", "cutoff_hz", "marker_filter", "spline_mse_mm2", "raw_cutoff_hz")
_FORCES_ASKED = ("--force-cutoff", "force_cutoff_hz")


def taken_by_default(results: Sequence[Result], norms: Norms | None) -> tuple[str, ...]:
    """Short lines, each once; nothing of records that do not say it, and of what the command asked for.

    Parameters
    ----------
    results : sequence of Result
    norms : Norms or None
        Those that are drawn.
    """
    lines = [line for result in results for line in (_inertia(result), _markers(result), _forces(result)) if line]
    if norms is not None and measured(results, "age") is None:
        lines.append(f"Norms: {norms.title}, though no file says the age of the subject.")
    return tuple(dict.fromkeys(lines))


def _inertia(result: Result) -> str:
    source = result.record_at("model", "table", "source")
    if not source or _asked(result, "table"):
        return ""
    return f"Segment masses and inertia: {str(source).rstrip('. ')}."


def _markers(result: Result) -> str:
    settings = result.section("settings")
    if not isinstance(settings, Mapping) or "cutoff_hz" not in settings or _asked(result, *_MARKERS_ASKED):
        return ""
    if any(code in ("marker_filter", "markers_rough") for _, code, _ in each_note(result)):
        chosen = settings["cutoff_hz"]
        if isinstance(chosen, int | float):
            return f"Markers: low-passed at {number(float(chosen), 3)} Hz, chosen from their noise and movement."
        return "Markers: how they were treated stands in the notes below."
    noise = result.record_at("quality", "marker_noise_mm")
    if settings["cutoff_hz"] is None and isinstance(noise, int | float):
        return "Markers: no filter, as they were smoothed before they were stored (next to no noise in them)."
    return ""


def _forces(result: Result) -> str:
    settings = result.section("settings")
    if not isinstance(settings, Mapping) or not result.on_ground or _asked(result, *_FORCES_ASKED):
        return ""
    if "force_cutoff_hz" not in settings or settings["force_cutoff_hz"] is not None:
        return ""
    return "Forces of the plates: not filtered."


def _asked(result: Result, *options: str) -> bool:
    """Whether the command gave one of the options or settings."""
    command = result.section("command")
    words = [str(word) for word in command] if isinstance(command, list) else []
    return any(word.removeprefix("--set=").partition("=")[0] in options for word in words)
