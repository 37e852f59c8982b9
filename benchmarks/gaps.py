"""What fills, bridges and checks of labels are worth, on simulated and recorded walks.

python benchmarks/gaps.py [--write]

The first table stands in docs/gaps.md. Recorded trials are left out where the shared folder is absent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from common import SHARED, head, parser_of, row, show
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.markers.clean import model_markers
from gaitid.markers.exchanged import find_exchanged, mirrored
from gaitid.markers.gaps import GapLimits, fill_gaps
from gaitid.markers.labels import check_labels
from gaitid.model.load import load_model
from gaitid.numerics.lowpass import lowpass
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Array

Markers = Mapping[str, Array]
RECORDED = (
    *("children/HC030A/turn.c3d", "children/HC036A/walk.c3d", "nexus_flatfoot/walk.c3d", "qualisys/walk.c3d"),
    *("stairs/Movement_trial.c3d", "sydney/walk03.c3d"),
)
RATE = 100.0
LENGTHS_S = (0.05, 0.1, 0.2)
ANY = GapLimits(sure_s=0, spline_s=np.inf, rigid_s=np.inf, error_m=np.inf)
MODEL = load_model("pig", {"cutoff_hz": "none"})


def walk(noise_mm: float) -> dict[str, Array]:
    rng = np.random.default_rng(0)
    truth = simulated_walk().truth.marker_g
    return {label: x + rng.normal(0.0, noise_mm / 1e3, x.shape) for label, x in truth.items()}


def recorded(file: str) -> tuple[float, dict[str, Array]]:
    trial = read_c3d(SHARED / file)
    return trial.rate_hz, model_markers(trial, load_model("pig"))


def masked(markers: Markers, labels: Iterable[str], first: int, n: int) -> dict[str, Array]:
    result = dict(markers)
    for label in labels:
        result[label] = markers[label].copy()
        result[label][first : first + n] = np.nan
    return result


def starts(frames: int, n: int, count: int = 8) -> Iterator[int]:
    """Where gaps of `n` frames begin, spread over the trial."""
    margin = 12
    yield from range(margin, frames - n - margin, max(1, (frames - n - 2 * margin) // count))


def fills(
    rate_hz: float, seen: Markers, truth: Markers, length_s: float, limits: GapLimits
) -> list[tuple[str, float, float]]:
    """(method, estimated error, true error of the worst frame, m)."""
    n, found = max(1, round(length_s * rate_hz)), []
    for label in seen:
        for first in starts(len(seen[label]), n):
            result = fill_gaps(masked(seen, [label], first, n), rate_hz, limits)
            (gap,) = (g for g in result.gaps if g.label == label and g.first == first)
            off = np.linalg.norm((result.markers[label] - truth[label])[first : first + n], axis=1)
            found.append((gap.method, gap.error_m, float(off.max())))
    return found


def q95(values: Iterable[float]) -> str:
    """95 % quantile in mm."""
    listed = np.array(list(values))
    if not listed.size:
        return "–"
    size = 1e3 * np.quantile(listed, 0.95)
    return "<0.01" if size < 0.01 else f"{size:.2g}" if size < 10 else f"{size:.0f}"


# --- errors of fills ----------------------------------------------------------------------------------------


def trial_table() -> list[str]:
    lines = head("walk", *(f"{1e3 * s:.0f} ms" for s in LENGTHS_S))
    walks = [("simulated", RATE, walk(0.0), walk(0.0)), ("simulated, 0.5 mm of noise", RATE, walk(0.5), walk(0.0))]
    if SHARED.is_dir():
        for file in RECORDED:
            rate, markers = recorded(file)
            walks.append((file, rate, markers, markers))
    for name, rate, seen, truth in walks:
        cells = []
        for s in LENGTHS_S:
            found = fills(rate, seen, truth, s, GapLimits())
            done = [(estimate, error) for method, estimate, error in found if method]
            inside = f"{np.mean([e <= estimate for estimate, e in done]):.0%}" if done else "–"
            cells.append(f"{len(done) / len(found):.0%}, {q95(e for _, e in done)} mm, {inside}" if done else "0%")
        lines.append(row(name, *cells))
    return lines


# --- what a fill costs --------------------------------------------------------------------------------------


def moment_table() -> list[str]:
    lines = head("markers", "gap", "filled within the limits", "error of all fills", "moment", "of those in limits")
    trial = simulated_walk().trial

    def moments(markers: Markers) -> Array:
        """(frames, joints) moments of the left leg with these markers, N·m."""
        holed = replace(trial, labels=tuple(markers), points_g=np.stack(list(markers.values()), axis=1))
        leg = analyse(holed, MODEL, SubjectFile()).sides["left"]
        return np.stack([leg.wrenches[joint].m_g for joint in ("ankle", "knee", "hip")], axis=1)

    cases: list[tuple[str, float, Callable[[Markers], Markers]]] = [
        ("no noise, no filter", 0.0, dict),
        ("0.5 mm of noise, 7 Hz", 0.5, lambda m: {label: lowpass(x, 7.0, RATE) for label, x in m.items()}),
    ]
    for words, noise_mm, smooth in cases:
        seen, truth = walk(noise_mm), walk(0.0)
        full = moments(smooth(seen))
        for n in (5, 10, 20, 30):
            errors, costs, kept = [], [], []
            for label in ("LASI", "RPSI", "LTHI", "LKNE", "LTIB", "LANK", "LHEE", "LTOE"):
                for first in range(125, 265, 20):  # all phases of the left stance on its plate, and swing
                    result = fill_gaps(masked(seen, [label], first, n), RATE, ANY)
                    off = np.linalg.norm(moments(smooth(result.markers)) - full, axis=2)[first - 4 : first + n + 4]
                    if np.isfinite(off).any():
                        errors.append(
                            float(
                                np.linalg.norm((result.markers[label] - truth[label])[first : first + n], axis=1).max()
                            )
                        )
                        costs.append(float(np.fmax.reduce(off, axis=None)))
                        kept.append(bool(fill_gaps(masked(seen, [label], first, n), RATE).gaps[0].method))
            moment, inside = np.array(costs), np.array(kept)
            ends = [
                f"{np.quantile(m, 0.95):.2g}, at most {m.max():.2g} N·m" if m.size else "–"
                for m in (moment, moment[inside])
            ]
            lines.append(row(words, f"{10 * n} ms", f"{inside.mean():.0%}", f"{q95(errors)} mm", *ends))
    return lines


# --- labels -------------------------------------------------------------------------------------------------


def label_table() -> list[str]:
    lines = head("walk", "swap", "swap after a gap of both", "jump of 50 mm", "exchange throughout", "false alarms")
    rng, tries = np.random.default_rng(5), 150
    walks = [("simulated, 0.5 mm of noise", RATE, walk(0.5))]
    if SHARED.is_dir():
        walks += [(file, *recorded(file)) for file in RECORDED]
    for name, rate, seen in walks:
        n, labels = len(next(iter(seen.values()))), list(seen)
        right = np.zeros(3, dtype=int)
        alarms = len(check_labels(seen, rate).faults) + len(find_exchanged(seen))
        for _ in range(tries):
            a, b, c = (str(x) for x in rng.choice(labels, 3, replace=False))
            length = int(rng.integers(1, n // 3))
            first = int(rng.integers(3, n - length - 3))
            right[0] += _found(swapped(seen, a, b, first, first + length), rate, {a, b}, first, first + length)
            gap = int(rng.integers(1, round(0.15 * rate)))
            late = int(rng.integers(int(0.7 * n), n - gap - 4))
            holed = masked(swapped(seen, a, b, late, n), (a, b), late, gap)
            right[1] += _found(holed, rate, {a, b}, late + gap, n)
            length = int(rng.integers(1, 25))
            shift = rng.normal(size=3)
            strayed = {**seen, a: seen[a].copy()}
            strayed[a][first : first + length] += 0.05 * shift / np.linalg.norm(shift)
            right[2] += _found(strayed, rate, {a}, first, min(first + length, n))
            length = int(rng.integers(2, round(0.6 * rate)))
            first = int(rng.integers(5, n - length - 5))
            alarms += len(check_labels(masked(seen, (a, b, c), first, length), rate).faults)
        pairs = list(_pairs(seen))
        named = sum(_named(seen, a, b) for a, b in pairs)
        lines.append(row(name, *(f"{k} of {tries}" for k in right), f"{named} of {len(pairs)}", alarms))
    return lines


def swapped(markers: Markers, a: str, b: str, first: int, stop: int) -> dict[str, Array]:
    result = {**markers, a: markers[a].copy(), b: markers[b].copy()}
    result[a][first:stop], result[b][first:stop] = markers[b][first:stop], markers[a][first:stop]
    return result


def _found(markers: Markers, rate_hz: float, labels: set[str], first: int, stop: int) -> bool:
    """Whether these labels alone are named, with exactly these frames."""
    faults = check_labels(markers, rate_hz).faults
    return len(faults) == 1 and set(faults[0].labels) == labels and faults[0].frames == ((first, stop - 1),)


def _pairs(markers: Markers) -> Iterator[tuple[str, str]]:
    other = mirrored(markers)
    sided = [label for label in markers if other.get(label, label) != label]
    for i, a in enumerate(sided):
        yield from ((a, b) for b in sided[i + 1 :] if a[0] == b[0] or other[a] == b)


def _named(markers: Markers, a: str, b: str) -> bool:
    other = mirrored(markers)
    faults = find_exchanged(swapped(markers, a, b, 0, len(markers[a])))
    return any(set(f.labels) in ({a, b}, {other[a], other[b]}) for f in faults)


TABLES: dict[str, tuple[str, Callable[[], list[str]]]] = {
    "Within the limits": (
        "All markers of the conventional model. Share of gaps filled, 95 % quantile of their error in the worst frame, "
        "share of fills that were within the error stated for them. Recorded markers are masked where they were seen.",
        trial_table,
    ),
    "What a fill costs in moments": (
        "Simulated walk of 70 kg, eight markers, seven places each. 95 % quantile and maximum of the change of a "
        "moment at the left ankle, knee or hip, in the gap's frames and four on each side.",
        moment_table,
    ),
    "Labels": (
        "Seeded at random places: faults of which labels and frames were named exactly. The false alarms are those of "
        "the walk itself and of 150 times three markers hidden at the same time.",
        label_table,
    ),
}


def main() -> None:
    given = parser_of(__doc__, "gaps").parse_args()
    for name, (words, table) in TABLES.items():
        print(f"\n{name}\n\n{words}\n")
        show(table(), given.write and table is trial_table, "gaps", "gaps")


if __name__ == "__main__":
    main()
