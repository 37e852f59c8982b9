"""The tables of docs/events.md: events of each method against plates and exact ones, and strides against Vicon.

    python benchmarks/events.py [--write]

analyses ../shared/trials and the simulated walk and prints the tables; with --write it puts those of recorded walks
into docs/events.md between the marks there.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import ezc3d
import numpy as np
from common import SHARED, head, parser_of, show
from common import row as table_row
from gait_walks import KnownWalk, bent, events_of, known_walk, treadmill
from shared_trials import TRIALS

from gaitid.analysis.result import Result
from gaitid.body.feet import FootTrack, foot_tracks
from gaitid.gait.events import GaitEvents, Steps
from gaitid.gait.marker_events import KINDS, GaitEvent
from gaitid.gait.spatiotemporal import Gait, measure_strides
from gaitid.run import RunOptions, analyse_file, prepare
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.walk_setup import simulate_walk

METHODS = ("file", "zeni", "oconnor", "kinematics")

# Vicon's name -> ours and what to multiply ours by (s for a share of the stride)
STORED = {
    "Cadence": "cadence_steps_per_min",
    "Walking Speed": "speed_m_per_s",
    "Stride Time": "stride_time_s",
    "Step Time": "step_time_s",
    "Opposite Foot Off": "opposite_off_percent",
    "Opposite Foot Contact": "opposite_strike_percent",
    "Foot Off": "stance_percent",
    "Single Support": "single_support_percent",
    "Double Support": "double_support_percent",
    "Stride Length": "stride_length_m",
    "Step Length": "step_length_m",
    "Step Width": "step_width_m",
}


def real_gaits() -> dict[str, tuple[Result, Gait]]:
    """Every shared walk that `pig` can be applied to."""
    prepared = prepare(RunOptions("pig"))
    results = {known.name: analyse_file(known.path, prepared) for known in TRIALS}
    return {name: (result, result.gait) for name, result in results.items()}


def row(differences_s: Iterable[float | None], false: int | None) -> list[str]:
    """n, bias, SD, largest (ms), missed, false."""
    every = list(differences_s)
    found = 1e3 * np.array([d for d in every if d is not None])
    cells = [str(len(found))]
    cells += (
        [f"{found.mean():+.1f}", f"{found.std(ddof=1):.1f}", f"{np.abs(found).max():.0f}"]
        if len(found) > 1
        else ["–"] * 3
    )
    return [*cells, str(sum(d is None for d in every)), "–" if false is None else str(false)]


def differences(reference: Iterable[GaitEvent], other: tuple[GaitEvent, ...]) -> list[float | None]:
    pairs = ((event, Steps(other).nearest(event)) for event in reference)
    return [None if found is None else found.time_s - event.time_s for event, found in pairs]


def false_events(events: GaitEvents, result: Result, method: str, kind: str) -> int:
    """Events of a method where the plates know the load for 0.1 s about and show none."""
    rate, count = result.trial.rate_hz, 0
    for event in events.by_method[method]:
        first, last = (round((event.time_s + shift) * rate) for shift in (-0.1, 0.1))
        force = result.sides[event.side].load.wrench.f_g[max(first, 0) : last + 1]
        known = first >= 0 and last < result.trial.n_frames and np.isfinite(force).all()
        count += event.kind == kind and known and Steps(events.by_method["force"]).nearest(event) is None
    return int(count)


def real_table(gaits: dict[str, tuple[Result, Gait]], reference: str) -> list[str]:
    columns = ("n", "bias (ms)", "SD (ms)", "largest (ms)", "missed", "false")
    lines = head("walks", "event", "method", *columns)
    for walks, chosen in (("level", lambda n: "stairs" not in n), ("stairs", lambda n: "stairs" in n)):
        for kind in KINDS:
            for method in METHODS:
                found, false = [], 0
                for name, (result, gait) in gaits.items():
                    if chosen(name) and method != reference:
                        events = gait.events
                        found += differences(
                            [e for e in events.by_method[reference] if e.kind == kind], events.by_method[method]
                        )
                        false += false_events(events, result, method, kind)
                if any(d is not None for d in found):
                    cells = row(found, false if reference == "force" else None)
                    lines.append(table_row(walks, kind, method, *cells))
    return lines


def simulated_walks() -> dict[str, KnownWalk]:
    walk = simulate_walk(WalkSettings())
    walks = {"plain": known_walk(walk), "1 mm noise": known_walk(walk, noise_m=0.001)}
    walks |= {f"turned {a:g}°": known_walk(simulate_walk(WalkSettings(turn_deg=a))) for a in (30.0, 90.0, 180.0)}
    walks["mirrored"] = known_walk(simulate_walk(WalkSettings(mirror=True)))
    walks["200 Hz"] = known_walk(simulate_walk(WalkSettings(rate_hz=200.0)))
    walks["circle, radius 2 m"] = known_walk(walk, bent(2.0))
    walks["circle, radius 1 m"] = known_walk(walk, bent(1.0))
    walks["treadmill"] = known_walk(walk, treadmill(1.25))
    walks["backward"] = known_walk(walk, reverse=True)
    for scenario in ("crossing", "turn", "stumble", "stop", "ramp", "split_belt", "run"):
        walks[f"scenario {scenario}"] = known_walk(simulate_walk(WalkSettings(), scenario))
    walks["treadmill backward"] = known_walk(walk, treadmill(1.25), reverse=True)
    return walks


def simulated_table() -> list[str]:
    """Each method's difference from the exact events, ms, mean ± SD; how many both missed and made up."""
    heads = [f"{kind} {method}" for kind in KINDS for method in METHODS[1:3]]
    lines = head("walk", "events", *heads, "missed", "false")
    for name, known in simulated_walks().items():
        events = events_of(known)
        last = (len(known.pelvis) - 1) / known.rate_hz
        cells, missed, false = [], 0, 0
        for kind in KINDS:
            truth = [e for e in known.events if e.kind == kind]
            for method in METHODS[1:3]:
                own = [e for e in events.by_method[method] if e.kind == kind]
                late = differences(truth, tuple(own))
                found = 1e3 * np.array([d for d in late if d is not None])
                cells.append(f"{found.mean():+.1f} ± {found.std(ddof=1):.1f}")
                missed += sum(d is None and 0.1 < e.time_s < last - 0.1 for d, e in zip(late, truth, strict=True))
                false += sum(Steps(truth).nearest(e) is None for e in own)
        lines.append(table_row(name, len(known.events), *cells, missed, false))
    return lines


def stored_values(path: Path) -> dict[tuple[str, str], float]:
    """(side, Vicon's name) -> value of the ANALYSIS group, if the file has one."""
    group = ezc3d.c3d(str(path))["parameters"].get("ANALYSIS", {})
    if not group or not group["USED"]["value"][0]:
        return {}
    columns = (group[key]["value"] for key in ("CONTEXTS", "NAMES", "VALUES"))
    return {(side.lower(), name): float(value) for side, name, value in zip(*columns, strict=True)}


def strides_table(gaits: dict[str, tuple[Result, Gait]]) -> list[str]:
    """Largest difference of each figure from what Vicon stored, by the heel (ours) and by the toe (Vicon's choice)."""
    worst: dict[str, list[tuple[float, float]]] = {}
    for name, (result, gait) in gaits.items():
        stored = stored_values(SHARED / f"{name}.c3d")
        feet = {side: FootTrack(f.toe_g, f.toe_g) for side, f in foot_tracks(result.trial, result.model).items()}
        by_toe = measure_strides([s.cycle for s in gait.strides], feet, gait.events.heading)
        for heel, toe in zip(gait.strides, by_toe, strict=True):
            for theirs, ours in STORED.items():
                if (heel.cycle.side, theirs) in stored:
                    share = heel.cycle.duration_s / 100 if theirs.endswith("Support") else 1.0
                    value = stored[(heel.cycle.side, theirs)]
                    pair = tuple(abs(s.figures[ours] * share - value) for s in (heel, toe))
                    worst.setdefault(theirs, []).append(pair)  # type: ignore[arg-type]
    units = {"m_per_s": "m/s", "steps_per_min": "1/min", "_m": "m", "_s": "s", "percent": "%"}
    lines = head("figure", "n", "unit", "largest difference, heels", "with toe markers")
    for theirs, pairs in worst.items():
        unit = (
            "s" if theirs.endswith("Support") else next(u for end, u in units.items() if STORED[theirs].endswith(end))
        )
        heel, toe = np.max(pairs, axis=0)
        lines.append(table_row(theirs, len(pairs), unit, f"{heel:.2g}", f"{toe:.2g}"))
    return lines


def main() -> None:
    given = parser_of(__doc__, "events").parse_args()
    print("### Simulated walk, exact events", "", *simulated_table(), "", sep="\n")
    if SHARED.is_dir():
        gaits = real_gaits()
        print("### Real walks, against the events in the file", "", *real_table(gaits, "file"), "", sep="\n")
        plates = real_table(gaits, "force")
        print(*plates, "", sep="\n")
        plates = [line for line in plates if "| zeni |" not in line and "| oconnor |" not in line]
        text = ["### Real walks, against the 20 N crossings of the plates", "", *plates, ""]
        text += ["### Figures against those that Vicon stored", "", *strides_table(gaits)]
        show(text, given.write, "events", "tables")


if __name__ == "__main__":
    main()
