"""The tables of docs/impacts.md: force cut-offs against the truth of simulated impacts, and peaks of recorded walks.

python benchmarks/impacts.py [--write] [--pictures FOLDER]
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from running_2d import convert  # noqa: E402
from shared_trials import SHARED  # noqa: E402
from simulated_trials import Simulated, simulated_walk  # noqa: E402 - the tests' walk as a trial in memory

from gaitid import run  # noqa: E402
from gaitid.analysis.pipeline import analyse  # noqa: E402
from gaitid.analysis.result import Result  # noqa: E402
from gaitid.body.subject import SubjectFile  # noqa: E402
from gaitid.ground.claims import ByHand  # noqa: E402
from gaitid.ground.contacts import Contact  # noqa: E402
from gaitid.model.load import load_model  # noqa: E402
from gaitid.numerics.lowpass import lowpass  # noqa: E402
from gaitid.read import read_trial  # noqa: E402
from gaitid.trial import Array, Mask, Trial  # noqa: E402

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
NORMS = SHARED.parent / "reference" / "norms" / "schwartz2008.csv"
WALKS = (
    *(f"children/{child}/walk.c3d" for child in ("HC002D", "HC030A", "HC031A", "HC036A")),
    "nexus_flatfoot/walk.c3d",
    *(f"sydney/walk0{i}.c3d" for i in (3, 4, 5)),
)
SAGITTAL = (("hip", "extension"), ("knee", "extension"), ("ankle", "plantarflexion"))
FORCE_CUTOFFS = (None, 100.0, 50.0, 20.0, 10.0, 7.0, "matched")
SEEDS = (1, 2, 3)
NOISE_M = 0.3e-3
# Height, m, by which markers sink on their bones after a strike, and how: 12 Hz, dying away in 40 ms.
WOBBLE_M = {"THI": 4e-3, "KNE": 2e-3, "TIB": 2e-3, "ANK": 1e-3}


# --- simulated: the truth is known ----------------------------------------------------------------------------


def recorded(walk: Simulated, seed: int, smoothed_hz: float | None, wobbling: bool = False) -> Trial:
    """The walk as recorded with noise; where it was smoothed before, with what the filter left of the noise."""
    points = np.array(walk.trial.points_g)
    if seed:
        points += np.random.default_rng(seed).normal(0, NOISE_M, points.shape)
    times = np.arange(len(points)) / walk.trial.rate_hz
    for stance in walk.walk.stances if wobbling else ():
        since = np.clip(times - stance.on_s - 0.01, 0, None)
        course = np.exp(-since / 0.04) * np.sin(2 * np.pi * 12 * since)
        for label, height in WOBBLE_M.items():
            points[:, walk.trial.labels.index(f"{stance.side[0].upper()}{label}"), 2] -= height * course
    if smoothed_hz is not None:
        points = lowpass(points, smoothed_hz, walk.trial.rate_hz)
    return replace(walk.trial, points_g=points)


def errors(walk: Simulated, trial: Trial, **settings: object) -> Array:
    """(stances, 3 joints, 3): RMS of the sagittal moment's error, N·m/kg, early in stance and later; largest early."""
    result = analyse(trial, load_model("pig", settings), SubjectFile())
    rate, found = trial.rate_hz, []
    for contact in (c for c in result.contacts if c.plates):
        (stance,) = (
            s for s in walk.walk.stances if s.side == contact.side and abs(s.on_s * rate - contact.first) < 0.15 * rate
        )
        on, off = int(np.ceil(stance.on_s * rate)), int(stance.off_s * rate)
        # the low-pass of markers and force reaches beyond both ends
        early, late = slice(on - 5, on + round(0.1 * (off - on))), slice(on + round(0.1 * (off - on)), off + 5)
        row = []
        for joint, way in SAGITTAL:
            truth = walk.truth.clinical[f"{contact.side}_{joint}_{way}_moment_Nm_per_kg"]
            error = result.sides[contact.side].moments[joint][way] - truth
            row.append([rms(error[early]), rms(error[late]), float(np.nanmax(np.abs(error[early])))])
        found.append(row)
    return np.array(found)


def plates(force: object) -> dict[str, object]:
    """The settings of a force cut-off."""
    if force == "matched":
        return {"force_cutoff_hz": "none", "joint_loads": "matched"}
    return {"force_cutoff_hz": "none" if force is None else force}


def words(force: object) -> str:
    return "`joint_loads: matched`" if force == "matched" else "none" if force is None else f"{force:g} Hz"


def rms(values: Array) -> float:
    return float(np.sqrt(np.nanmean(values**2)))


def simulated_tables() -> Iterator[str]:
    heads = [
        "| plates | hip: first 10 % | greatest | later | knee: first 10 % | greatest | later | "
        "ankle: first 10 % | greatest | later |",
        "|---|" + "---|" * 9,
    ]
    none, taken, passed = (
        simulated_walk(),
        simulated_walk(impact_bw=0.4, impact_absorbed=1.0),
        simulated_walk(impact_bw=0.4),
    )
    cases: tuple[tuple[str, Simulated, tuple[int, ...], float | None, bool, object], ...] = (
        ("no impact; 0.3 mm of noise, markers low-passed at 7 Hz", none, SEEDS, None, False, 7.0),
        ("impact taken by inertia; 0.3 mm of noise, markers low-passed at 7 Hz", taken, SEEDS, None, False, 7.0),
        ("the same, and skin that wobbles by 4 mm", taken, SEEDS, None, True, 7.0),
        ("impact taken by inertia; markers smoothed before at 6 Hz", taken, SEEDS, 6.0, False, "none"),
        ("impact taken by inertia; markers smoothed before at 10 Hz", taken, SEEDS, 10.0, False, "none"),
        ("impact taken by inertia; markers as they are, without noise", taken, (0,), None, False, "none"),
        ("impact passed on by stiff joints; 0.3 mm, low-passed at 7 Hz", passed, SEEDS, None, False, 7.0),
    )
    for title, walk, seeds, smoothed_hz, wobbling, cutoff in cases:
        yield from ("", f"**{title}**", "", *heads)
        trials = [recorded(walk, seed, smoothed_hz, wobbling) for seed in seeds]
        for force in FORCE_CUTOFFS:
            settings = {"cutoff_hz": cutoff, **plates(force)}
            found = np.concatenate([errors(walk, trial, **settings) for trial in trials]).mean(axis=0)
            cells = " | ".join(f"{early:.3f} | {most:.3f} | {late:.3f}" for early, late, most in found)
            yield f"| {words(force)} | {cells} |"


# --- a forward simulation of running: its impact is the physics' own ------------------------------------------


def run_table() -> Iterator[str]:
    """The stride of `running_2d` (its README), 200 Hz, 0.3 mm of noise: RMS of the moments' errors, N·m."""
    folder, rate, every = SHARED / "running_2d", 200, 50
    noise = np.random.default_rng(1).normal(0, NOISE_M, (6001, 8))
    exact = np.loadtxt(folder / "all.mom")[::every]
    force = np.loadtxt(folder / "all.frc")
    on, off = np.flatnonzero(force[:, 1] > 20)[[0, -1]] / 10_000
    with tempfile.TemporaryDirectory() as name:
        source = Path(name)
        np.savetxt(source / "all.kin", np.loadtxt(folder / "all.kin") + np.repeat(noise[::every], every, axis=0)[:6001])
        np.savetxt(source / "all.frc", force)
        files = convert(source, source)
        rows = files[0].read_text(encoding="utf-8").splitlines()
        files[0].write_text("\n".join([rows[0], *rows[1::every]]) + "\n", encoding="utf-8")
        trial = read_trial(files[0], forces=files[1], plates=files[2])
    times = np.arange(trial.n_frames) / rate
    share = (times - on) / (off - on)
    parts = [(share >= a) & (share < b) for a, b in ((0.0, 0.1), (0.1, 0.3), (0.3, 1.0))]
    heads = " | ".join(f"{joint}: first 10 % | 10-30 % | later" for joint in ("hip", "knee", "ankle"))
    yield f"| markers, plates | {heads} |"
    yield "|---|" + "---|" * 9
    by_hand = (ByHand("right", (1,), None, None),)
    subject = SubjectFile({"mass": 70.0})
    for cutoff in (7.0, 14.0, 20.0):
        for given in (None, 20.0, "matched"):
            model = load_model("sagittal2d", {"cutoff_hz": cutoff, **plates(given)})
            result = analyse(trial, model, subject, by_hand=by_hand)
            cells = []
            for i, joint in enumerate(("hip", "knee", "ankle")):
                error = -result.sides["right"].wrenches[joint].m_g[:, 1] - exact[: trial.n_frames, i]
                cells += [f"{rms(error[part]):.1f}" for part in parts]
            yield f"| {cutoff:g} Hz, {words(given)} | {' | '.join(cells)} |"


# --- recorded: peaks ------------------------------------------------------------------------------------------

#: Name, table and column of a peak, its sign, and the block of Schwartz 2008.
PEAKS = (
    ("hip extension, N·m/kg", "moments", "hip", "extension", 1, ("Joint Moments", "Hip Ext/Flexion")),
    ("knee flexion, N·m/kg", "moments", "knee", "extension", -1, ("Joint Moments", "Knee Ext/Flexion")),
    ("knee extension, N·m/kg", "moments", "knee", "extension", 1, ("Joint Moments", "Knee Ext/Flexion")),
    (
        "ankle plantarflexion, N·m/kg",
        "moments",
        "ankle",
        "plantarflexion",
        1,
        ("Joint Moments", "Ankle Dorsi/Plantarflexion"),
    ),
    ("hip generation, W/kg", "powers", "hip", "", 1, ("Joint Power", "Hip")),
    ("knee generation, W/kg", "powers", "knee", "", 1, ("Joint Power", "Knee")),
    ("knee absorption, W/kg", "powers", "knee", "", -1, ("Joint Power", "Knee")),
    ("ankle generation, W/kg", "powers", "ankle", "", 1, ("Joint Power", "Ankle")),
)


def peak(result: Result, contact: Contact, kind: tuple[str, str, str, int], leave_out: Mask) -> tuple[float, float]:
    """Size of a peak within a contact, and its time after the strike, s."""
    table, joint, way, sign = kind
    side = result.sides[contact.side]
    values = sign * (side.moments[joint][way] if table == "moments" else side.powers[joint])[contact.loaded]
    values = np.where(leave_out[contact.loaded], np.nan, values)
    at = int(np.nanargmax(values))
    return float(values[at]), (contact.loaded.start + at - contact.first) / result.trial.rate_hz


def schwartz(block: tuple[str, str], sign: int) -> str:
    """Mean and standard deviation at the greatest mean of stance at free speed, outside 0-4 %."""
    if not NORMS.is_file():
        return "–"
    with NORMS.open(encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file) if r["group"] == block[0] and r["quantity"].startswith(block[1])]
    stance = [r for r in rows if 4 < float(r["percent_cycle"]) <= 62]
    if not stance:
        return "–"
    best = max(stance, key=lambda r: sign * float(r["free_mean"]))
    return f"{sign * float(best['free_mean']):.2f} ± {float(best['free_sd']):.2f} at {best['percent_cycle']} %"


def recorded_table() -> Iterator[str]:
    model = load_model("pig")
    plain = [(analyse(read_trial(SHARED / name), model, SubjectFile()), name) for name in WALKS]
    alike_model = load_model("pig", {"joint_loads": "matched"})
    matched = [analyse(read_trial(SHARED / name), alike_model, SubjectFile()) for name in WALKS]
    yield "| peak in stance | all frames | of which within 30 ms | outside impacts | loads matched | Schwartz 2008 |"
    yield "|---|---|---|---|---|---|"
    for name, *kind, block in PEAKS:
        before, after, alike, near = [], [], [], 0
        for (result, _), other in zip(plain, matched, strict=True):
            nothing = np.zeros(result.trial.n_frames, dtype=bool)
            for contact in (c for c in result.contacts if c.plates):
                what = (str(kind[0]), str(kind[1]), str(kind[2]), int(kind[3]))
                value, late_s = peak(result, contact, what, nothing)
                before.append(value)
                near += late_s <= 0.03
                after.append(peak(result, contact, what, result.impact_frames(contact.side))[0])
            alike += [peak(other, c, what, nothing)[0] for c in other.contacts if c.plates]
        cells = [f"{np.mean(v):.2f} ± {np.std(v):.2f}" for v in (before, after, alike)]
        norm = schwartz(block, int(kind[3]))
        yield f"| {name} | {cells[0]} | {near} of {len(before)} | {cells[1]} | {cells[2]} | {norm} |"
    bands = sorted(float(result.markers.quality["marker_bandwidth_hz"]) for result, _ in plain)
    yield ""
    yield f"Bandwidth of the markers of these trials: {bands[0]:.1f} to {bands[-1]:.1f} Hz."


# --- foot off -------------------------------------------------------------------------------------------------

#: Trials whose markers were not smoothed before: their forces, and a mass where they do not tell it. The last two are
#: a model's, whose motion and measured forces fit each other to some newtons.
HELD = (
    ("treadmill walk, 14 stances", "wild/padua_clusters/walk.c3d", None, 62.4),
    ("walk, 2", "wild/isb_bone_names/walk.c3d", None, None),
    ("treadmill run, 85", "wild/rbds_running/run.c3d", None, 60.4),
    ("model's walk, 2", "models/arnold_synthetic/subject01/markers.trc", "grf.mot", 70.0),
    ("model's walk, 2", "models/arnold_synthetic/subject18/markers.trc", "grf.mot", 70.0),
)
# Before and behind foot off, s.
_BEFORE_OFF_S, _BEHIND_OFF_S = 0.12, 0.06
#: Recorded stances of which peaks are counted by where they lie: walks and runs.
COUNTED = {
    "walks": (*WALKS, "qualisys/walk.c3d", "wild/isb_bone_names/walk.c3d", "wild/padua_clusters/walk.c3d"),
    "run": ("wild/rbds_running/run.c3d",),
}
_MASS = {name: mass for _, name, _, mass in HELD}
#: Smaller ones are no peaks that anybody reads: N·m/kg and W/kg.
_LEAST = {"moments": 0.1, "powers": 0.3}
_MOVED = (0.05, 0.10, 0.15)


def analysed(name: str, forces: str | None, mass_kg: float | None, settings: dict[str, object]) -> Result:
    """A shared trial as `gaitid run` takes it, with the static beside it."""
    path = SHARED / name
    with tempfile.TemporaryDirectory() as folder:
        subject = Path(folder) / "subject.yaml"
        subject.write_text(f"mass_kg: {mass_kg}\n", encoding="utf-8")
        given = run.RunOptions(
            static=next(iter(sorted(path.parent.glob("static.*"))), None),
            subject=subject if mass_kg else None,
            forces=path.parent / forces if forces else None,
            settings=settings,
        )
        return run.analyse_file(path, run.prepare(given))


def peaks_at_off(result: Result, contacts: Sequence[Contact]) -> tuple[Array, dict[str, Array]]:
    """(stances, 6) peaks, the first two from 30 to 70 % of stance, the others behind its middle; curves at foot off."""
    rate, sizes, curves = result.trial.rate_hz, [], {joint: [] for joint, _ in SAGITTAL}
    before, behind = round(_BEFORE_OFF_S * rate), round(_BEHIND_OFF_S * rate)
    for contact in (c for c in contacts if c.plates):
        side, loaded = result.sides[contact.side], contact.loaded
        if not (before < loaded.stop < result.trial.n_frames - behind):
            continue
        late = slice((loaded.start + loaded.stop) // 2, loaded.stop + behind)
        powers = side.powers
        of = (-side.moments["hip"]["extension"], powers["hip"], -powers["knee"], powers["ankle"])
        length = loaded.stop - loaded.start
        middle = slice(loaded.start + round(0.3 * length), loaded.start + round(0.7 * length))
        steady = (side.moments["hip"]["abduction"][middle], side.moments["knee"]["extension"][middle])
        sizes.append([float(np.nanmax(values)) for values in (*steady, *(values[late] for values in of))])
        for joint, way in SAGITTAL:
            curves[joint].append(side.moments[joint][way][loaded.stop - before : loaded.stop + behind])
    return np.array(sizes), {joint: np.array(values) for joint, values in curves.items()}


def foot_off_table() -> Iterator[str]:
    """Markers at 6 Hz under each force cut-off, against the same trial with markers at 20 Hz and plates as they are."""
    yield (
        "| trial | markers, plates | hip abduction, 30-70 % | knee extension, 30-70 % | hip flexion | H3 | K3 | A2 | "
        "RMS of errors: hip | knee | ankle |"
    )
    yield "|---|---|" + "---|" * 9
    for words_of, name, forces, mass in HELD:
        held = analysed(name, forces, mass, {"cutoff_hz": 20.0, **plates(None)})
        reference, true = peaks_at_off(held, held.contacts)
        yield f"| {words_of} | 20 Hz, none | {sized(reference)} | | | |"
        for cutoff, force in ((15.0, None), *((6.0, force) for force in (None, 20.0, 10.0, "matched"))):
            given = {"cutoff_hz": cutoff, **plates(force)}
            sizes, curves = peaks_at_off(analysed(name, forces, mass, given), held.contacts)
            off = " | ".join(f"{rms(curves[joint] - true[joint]):.3f}" for joint, _ in SAGITTAL)
            yield f"| | {cutoff:g} Hz, {words(force)} | {sized(sizes)} | {off} |"


def sized(sizes: Array) -> str:
    return " | ".join(f"{value:.2f}" for value in np.nanmean(sizes, axis=0))


def moved_table() -> Iterator[str]:
    """Of peaks in each part of stance, how many matched loads move by how much."""
    yield "| peaks of | in | walks | > 0.05 | > 0.10 | > 0.15 | run | > 0.05 | > 0.10 | > 0.15 |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    found = {kind: list(moves(names)) for kind, names in COUNTED.items()}
    for table in _LEAST:
        for joint in ("hip", "knee", "ankle"):
            for part in ("strike", "middle", "foot off"):
                cells = []
                for moved in found.values():
                    sizes = np.array([size for *key, size in moved if key == [table, joint, part]])
                    shares = [f"{np.mean(np.abs(sizes) > limit):.0%}" if len(sizes) else "–" for limit in _MOVED]
                    cells += [str(len(sizes)), *shares]
                yield f"| {joint}, {table} | {part} | {' | '.join(cells)} |"


def moves(names: tuple[str, ...]) -> Iterator[tuple[str, str, str, float]]:
    """Table, joint, part of stance and how far a peak moves, of every stance and column, either way."""
    for name in names:
        plain, other = (analysed(name, None, _MASS.get(name), plates(force)) for force in (None, "matched"))
        for contact in (c for c in plain.contacts if c.plates):
            for table, joint, values, matched in columns(plain, other, contact):
                for sign in (1, -1):
                    if np.isfinite(values).all() and (size := float((sign * values).max())) > _LEAST[table]:
                        after = float((sign * matched).max())
                        at = int((sign * values).argmax())
                        yield table, joint, part_of(at, values, plain, contact), after - size


def columns(plain: Result, other: Result, contact: Contact) -> Iterator[tuple[str, str, Array, Array]]:
    """Table, joint and both results' curve over a stance, of sagittal and frontal moments and of powers."""
    one, two = plain.sides[contact.side], other.sides[contact.side]
    for joint in ("hip", "knee", "ankle"):
        for way in list(one.moments[joint])[:2]:
            yield "moments", joint, one.moments[joint][way][contact.loaded], two.moments[joint][way][contact.loaded]
        yield "powers", joint, one.powers[joint][contact.loaded], two.powers[joint][contact.loaded]


def part_of(at: int, values: Array, result: Result, contact: Contact) -> str:
    """Strike: the first tenth, or of the impact; foot off: the last 50 ms."""
    struck = result.impact_frames(contact.side)[contact.loaded]
    if struck[at] or at < 0.1 * len(values):
        return "strike"
    return "foot off" if len(values) - at <= 0.05 * result.trial.rate_hz else "middle"


def draw(folder: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    for name in ("children/HC030A/walk.c3d", "nexus_flatfoot/walk.c3d", "sydney/walk03.c3d"):
        trial = read_trial(SHARED / name)
        result = analyse(trial, load_model("pig"), SubjectFile())
        held = float(result.markers.quality["marker_bandwidth_hz"])
        other = analyse(trial, load_model("pig", {"joint_loads": "matched"}), SubjectFile())
        figure, axes = plt.subplots(3, 2, figsize=(14, 10), sharex=True)
        for column, side in enumerate(("left", "right")):
            for panel, (joint, way) in zip(axes[:, column], SAGITTAL, strict=True):
                for r, style in ((result, "-"), (other, "--")):
                    panel.plot(r.sides[side].moments[joint][way], style, lw=1)
                mask = result.impact_frames(side)
                panel.fill_between(np.arange(len(mask)), -1, 1.5, where=mask, alpha=0.2)
                panel.set_title(f"{side} {joint} {way}: plates as they are, and at {held:.1f} Hz (dashed)")
                panel.grid(alpha=0.3)
        figure.tight_layout()
        figure.savefig(folder / f"{Path(name).parent.name}.png", dpi=70)
        plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="into docs/impacts.md")
    parser.add_argument("--pictures", type=Path, help="folder for pictures of recorded walks")
    given = parser.parse_args()
    lines = ["### Simulated: errors of sagittal moments, N·m/kg", *simulated_tables(), ""]
    lines += ["### A forward simulation of running (`running_2d`), RMS of errors, N·m", ""]
    lines += list(run_table()) if SHARED.is_dir() else ["It is not beside this checkout."]
    lines += ["", "### Recorded: peaks of stances on plates, mean ± standard deviation", ""]
    lines += list(recorded_table()) if SHARED.is_dir() else ["The recorded walks are not beside this checkout."]
    if SHARED.is_dir():
        lines += ["", "### Foot off: raw markers low-passed at 6 Hz; mean peaks in N·m/kg and W/kg", ""]
        lines += [*foot_off_table(), "", "### Recorded: peaks that matched loads move, N·m/kg and W/kg", ""]
        lines += list(moved_table())
    text = "\n".join(lines)
    print(text)
    if given.pictures and SHARED.is_dir():
        given.pictures.mkdir(parents=True, exist_ok=True)
        draw(given.pictures)
    if given.write:
        page = ROOT / "docs" / "impacts.md"
        before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        page.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
