"""The tables of docs/gaps.md: what fills, bridges and checks of labels are worth, on simulated and recorded walks.

python benchmarks/gaps.py [--write]

Recorded trials are left out where the shared folder is absent.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "benchmarks")]

from shared_trials import SHARED  # noqa: E402
from simulated_trials import simulated_walk  # noqa: E402 - the tests' walk as a trial in memory

from gaitid.analysis.pipeline import analyse  # noqa: E402
from gaitid.body.frames import Geometry  # noqa: E402
from gaitid.body.kinematics import segment_motions  # noqa: E402
from gaitid.body.subject import SubjectFile  # noqa: E402
from gaitid.markers.clean import model_markers  # noqa: E402
from gaitid.markers.exchanged import find_exchanged, mirrored  # noqa: E402
from gaitid.markers.gaps import GapLimits, bridge, fill_gaps  # noqa: E402
from gaitid.markers.labels import check_labels  # noqa: E402
from gaitid.markers.tracks import noise_of  # noqa: E402
from gaitid.markers.ways import smoothing_of, spline_weights  # noqa: E402
from gaitid.model.load import load_model  # noqa: E402
from gaitid.numerics.lowpass import lowpass  # noqa: E402
from gaitid.read.c3d.trial import read_c3d  # noqa: E402
from gaitid.trial import Array  # noqa: E402

Markers = Mapping[str, Array]
RECORDED = (
    *("children/HC030A/turn.c3d", "children/HC036A/walk.c3d", "nexus_flatfoot/walk.c3d", "qualisys/walk.c3d"),
    *("stairs/Movement_trial.c3d", "sydney/walk03.c3d"),
)
RATE = 100.0
LENGTHS_S = (0.01, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6)
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
    rate_hz: float, seen: Markers, truth: Markers, length_s: float, limits: GapLimits, only: str = ""
) -> list[tuple[str, float, float]]:
    """(method, estimated error, true error of the worst frame, m) of gaps in markers whose label ends in `only`."""
    n, found = max(1, round(length_s * rate_hz)), []
    for label in (x for x in seen if x.endswith(only)):
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


def row(*cells: object) -> str:
    return "| " + " | ".join(str(c) for c in cells) + " |"


def head(*cells: object) -> list[str]:
    return [row(*cells), "|" + "---|" * len(cells)]


# --- which spline -------------------------------------------------------------------------------------------


def spline_table() -> list[str]:
    lines = head("walk", "spline", *(f"{1e3 * s:.0f} ms" for s in LENGTHS_S[:7]))
    walks = [("simulated", RATE, walk(0.0)), ("simulated, 0.5 mm of noise", RATE, walk(0.5))]
    if SHARED.is_dir():
        walks += [(name, *recorded(name)) for name in ("sydney/walk03.c3d", "qualisys/walk.c3d")]
    truth = walk(0.0)
    for name, rate, seen in walks:
        for words, order, smooth in (("cubic", 2, False), ("quintic", 3, False), ("quintic, smoothing", 3, True)):
            cells = [
                q95(
                    error
                    for label, x in seen.items()
                    for error in _alone(x, truth[label] if "simulated" in name else x, rate, s, order, smooth)
                )
                for s in LENGTHS_S[:7]
            ]
            lines.append(row(name, words, *cells))
    return lines


def _alone(seen: Array, truth: Array, rate_hz: float, length_s: float, order: int, smooth: bool) -> Array:
    """Errors, m, of the worst frame of every possible gap of one marker, filled from itself."""
    n, reach = max(1, round(length_s * rate_hz)), round(0.1 * rate_hz)
    pattern = np.ones(n + 2 * reach, dtype=bool)
    pattern[reach : reach + n] = False
    weights = spline_weights(
        tuple(pattern.tolist()), n, reach, order, smoothing_of(noise_of(seen), rate_hz) if smooth else 0.0
    )
    windows = np.lib.stride_tricks.sliding_window_view(seen, len(pattern), axis=0)
    wanted = np.lib.stride_tricks.sliding_window_view(truth, len(pattern), axis=0)[..., reach : reach + n]
    return np.linalg.norm(windows[..., pattern] @ weights.T - wanted, axis=1).max(axis=1)


# --- errors of fills ----------------------------------------------------------------------------------------


def marker_table(noise_mm: float) -> list[str]:
    lines = head("marker", *(f"{1e3 * s:.0f} ms" for s in LENGTHS_S))
    seen, truth = walk(noise_mm), walk(0.0)
    for role in ("ASI", "PSI", "THI", "KNE", "TIB", "ANK", "HEE", "TOE"):
        cells = []
        for s in LENGTHS_S:
            found = fills(RATE, seen, truth, s, ANY, role)
            ways = [m for m, _, _ in found]
            most = max(set(ways), key=ways.count)
            cells.append(f"{q95(e for _, _, e in found)} {most[:1]}")
        lines.append(row(role, *cells))
    return lines


def trial_table() -> list[str]:
    lines = head("walk", *(f"{1e3 * s:.0f} ms" for s in LENGTHS_S[1:7]))
    walks = [("simulated", RATE, walk(0.0), walk(0.0)), ("simulated, 0.5 mm of noise", RATE, walk(0.5), walk(0.0))]
    if SHARED.is_dir():
        for file in RECORDED:
            rate, markers = recorded(file)
            walks.append((file, rate, markers, markers))
    for name, rate, seen, truth in walks:
        cells = []
        for s in LENGTHS_S[1:7]:
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


# --- beside open gaps ---------------------------------------------------------------------------------------


def beside_table() -> list[str]:
    lines = head("markers", "gap", "derived", *(f"frame {k}" for k in (1, 2, 3, 4)))
    subject = analyse(simulated_walk().trial, MODEL, SubjectFile()).subject.numbers
    whole = MODEL.settings._replace(end_frames=0)

    def accelerations(markers: Markers) -> Array:
        """(frames, segments) accelerations of the left leg's centres of mass, (…, 3), m/s²."""
        geometry = Geometry(MODEL, markers, subject, len(markers["LANK"]), np.array([0.0, 0.0, 1.0]))
        parts = {}
        for body in MODEL.chain:
            length = np.asarray(geometry.value(body.length, "left"))
            fraction = MODEL.table.rows[body.row].com_fraction
            com = geometry.point(body.com, "left", length=length, com_fraction=fraction)
            parts[body.segment] = geometry.frame(body.frame, "left"), com
        return np.stack([m.acc_g for m in segment_motions(parts, RATE, whole).values()], axis=1)

    for words, noise_mm, cutoff_hz in (("no noise", 0.0, None), ("no noise", 0.0, 7.0), ("0.5 mm", 0.5, 7.0)):
        seen = walk(noise_mm)

        def derive(markers: Markers, cutoff_hz: float | None = cutoff_hz) -> Array:
            return accelerations(
                markers if cutoff_hz is None else {x: lowpass(m, cutoff_hz, RATE) for x, m in markers.items()}
            )

        full = derive(seen)
        for n in (10, 20, 40, 60):
            alone: list[Array] = []
            through: list[Array] = []
            for label in ("LASI", "LTHI", "LKNE", "LTIB", "LANK", "LTOE"):
                for first in range(110, 290, 30):
                    holed = masked(seen, [label], first, n)
                    for found, markers in ((alone, holed), (through, bridge(holed, RATE))):
                        off = np.linalg.norm(derive(markers) - full, axis=2)
                        off = np.fmax.reduce(off, axis=1)
                        found += [off[first - 4 : first][::-1], off[first + n : first + n + 4]]
            for how, found in (("span by span", alone), ("through the bridge", through)):
                values = np.array(found)
                cells = [f"{np.median(v[v > 0]):.2g} ({v.max():.2g})" for v in values.T]
                lines.append(
                    row(words + (f", {cutoff_hz:g} Hz" if cutoff_hz else ", no filter"), f"{10 * n} ms", how, *cells)
                )
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


# --- the page -----------------------------------------------------------------------------------------------


def tables() -> str:
    """All tables as Markdown."""
    return "\n".join(
        [
            "### Which spline",
            "",
            "A marker filled from itself, every possible gap: 95 % quantile of the error in the gap's worst frame, mm.",
            "",
            *spline_table(),
            "",
            "### Simulated walk, by marker, limits lifted",
            "",
            "95 % quantile of the error in the gap's worst frame, mm, both sides; s: most were filled by the spline, "
            "p: from one neighbour, r: from three.",
            "",
            *marker_table(0.0),
            "",
            "With 0.5 mm of noise:",
            "",
            *marker_table(0.5),
            "",
            "### Within the limits",
            "",
            "All markers of the conventional model. Share of gaps filled, 95 % quantile of their error in the worst "
            "frame, share of fills that were within the error stated for them. Recorded markers are masked where they "
            "were seen.",
            "",
            *trial_table(),
            "",
            "### What a fill costs in moments",
            "",
            "Simulated walk of 70 kg, eight markers, seven places each. 95 % quantile and maximum of the change of a "
            "moment at the left ankle, knee or hip, in the gap's frames and four on each side.",
            "",
            *moment_table(),
            "",
            "### Beside an open gap",
            "",
            "Error of the acceleration of a left segment's centre of mass, m/s², in the first four frames beside a "
            "gap, against the same walk without it: median (maximum).",
            "",
            *beside_table(),
            "",
            "### Labels",
            "",
            "Seeded at random places: faults of which labels and frames were named exactly. The false alarms are those "
            "of the walk itself and of 150 times three markers hidden at the same time.",
            "",
            *label_table(),
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/gaps.md")
    write = parser.parse_args().write
    text = tables()
    print(text)
    if write:
        page = ROOT / "docs" / "gaps.md"
        before, _, rest = page.read_text(encoding="utf-8").partition("<!-- gaps: begin -->")
        _, _, after = rest.partition("<!-- gaps: end -->")
        page.write_text(f"{before}<!-- gaps: begin -->\n{text}\n<!-- gaps: end -->{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
