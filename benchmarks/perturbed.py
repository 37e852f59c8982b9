"""Is what the budget says of one ingredient what happens? The table of docs/uncertainty_method.md.

One ingredient of a recorded walk is made wrong by one standard deviation, as a user would: another model, subject file,
table, or the C3D itself with a marker or the plates elsewhere. `gaitid run` computes it, `gaitid compare` says how far
both lie apart and why; beside it stands what the derivatives of `--uncertainty` predicted. Needs ../shared/trials.

python benchmarks/perturbed.py [--write]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pages import write_between

from gaitid.cli.run import command
from gaitid.compare.comparison import compare
from gaitid.compare.words import NAMES
from gaitid.model.load import bundled_folder
from gaitid.run import RunOptions, analyse_file, prepare
from gaitid.uncertainty.first_order import STEP
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.shift import Shift
from gaitid.uncertainty.sources import Sources, read_sources

ROOT = Path(__file__).resolve().parents[1]
TRIAL = ROOT.parent / "shared" / "trials" / "sydney" / "walk03.c3d"
HIP = """gaitid_model: 1
name: hip_moved
title: pig with both hip centres moved to the left
extends: pig.yaml
each_side:
  points:
    hip: {{in_frame: pelvis, offset: [hip_forward - asis_setback, sign * hip_outward + {m}, hip_up]}}
"""


class Case(NamedTuple):
    """One ingredient that is wrong by one standard deviation.

    Attributes
    ----------
    words : str
    shift : Shift
        What it is in terms of ingredients.
    options : tuple of str
        Of `gaitid run`, beside the trial.
    trial : Path
        The trial, or one that was changed.
    column : str
        A moment that it changes much.
    ingredient : str
        What `gaitid compare` should name, by its key.
    """

    words: str
    shift: Shift
    options: tuple[str, ...]
    trial: Path
    column: str
    ingredient: str


class Found(NamedTuple):
    """What was predicted of a case's column and what `gaitid compare` found; N·m/kg.

    `share` is what the ingredient makes of the differences of all curves, of 1; `apart` the RMS of the difference
    between what was predicted and what happened.
    """

    case: Case
    predicted: float
    happened: float
    apart: float
    named: str
    share: float


def cases(computation: Perturbed, sources: Sources, folder: Path) -> Iterator[Case]:
    """Of five sources one error each."""
    result = computation.result
    hip = sources.hip_m["davis"]
    (folder / "hip.yaml").write_text(HIP.format(m=hip), encoding="utf-8")
    moved = {result.model.place("point", "hip", side): np.array([0.0, hip, 0.0]) for side in computation.sides}
    words = f"both hip centres {1e3 * hip:.1f} mm to the left"
    options = ("--model", str(folder / "hip.yaml"))
    yield Case(words, Shift(centres=moved), options, TRIAL, "left_hip_abduction_moment_Nm_per_kg", "joint_centres")
    width = sources.measurements["knee_width_mm"]
    value = result.subject.numbers["left.knee_width"] + width
    (folder / "subject.yaml").write_text(f"left_knee_width_mm: {1e3 * value:.6g}\n", encoding="utf-8")
    shift = Shift(numbers={"left.knee_width": width})
    options = ("--model", "pig", "--subject", str(folder / "subject.yaml"))
    words = f"left knee {1e3 * width:.0f} mm wider"
    yield Case(words, shift, options, TRIAL, "left_knee_abduction_moment_Nm_per_kg", "subject_values")
    yield _heavier(sources, folder)
    label, size = "LKNE", sources.placement_m
    segment = result.body.segments["left", "thigh"].pose.R_gs[:, :, 0]
    changed = _with_marker(folder, label, size * segment)
    words = f"{label} {1e3 * size:.0f} mm forward on the thigh"
    shift = Shift(markers={label: size * segment})
    column = "left_knee_extension_moment_Nm_per_kg"
    yield Case(words, shift, ("--model", "pig"), changed, column, "marker_positions")
    cop_m = sources.sizes["force_plates"]["cop_mm"]
    cop = np.array([cop_m, 0.0, 0.0])
    changed = _with_plates(folder, cop)
    words = f"plates {1e3 * cop_m:.0f} mm along the laboratory's x"
    column = "right_ankle_plantarflexion_moment_Nm_per_kg"
    yield Case(words, Shift(load={"cop": cop}), ("--model", "pig"), changed, column, "plates")


def _heavier(sources: Sources, folder: Path) -> Case:
    """Thighs with more mass, and moments of inertia as they were."""
    text = (bundled_folder("configs") / "tables" / "winter_pig.yaml").read_text(encoding="utf-8")
    mass = sources.sizes["segment_parameters"]["mass_percent"]
    factor = 1 + mass
    thigh = "  thigh: {mass_fraction: 0.100, com_fraction: 0.433, gyration_fractions: [0.323, 0.323, 0]}"
    radius = 0.323 / np.sqrt(factor)
    heavier = f"  thigh: {{mass_fraction: {0.1 * factor:.9g}, com_fraction: 0.433, gyration_fractions: "
    assert thigh in text
    text = text.replace(thigh, f"{heavier}[{radius:.9g}, {radius:.9g}, 0]}}")
    (folder / "table.yaml").write_text(text, encoding="utf-8")
    model = "gaitid_model: 1\nname: heavier\ntitle: pig with heavier thighs\nextends: pig.yaml\ntable: table.yaml\n"
    (folder / "heavier.yaml").write_text(model, encoding="utf-8")
    words = f"thighs {100 * mass:.1f} % heavier"
    column = "left_hip_extension_moment_Nm_per_kg"
    options = ("--model", str(folder / "heavier.yaml"))
    return Case(words, Shift(mass={"thigh": mass}), options, TRIAL, column, "segment_parameters")


def _with_marker(folder: Path, label: str, displacement: np.ndarray) -> Path:
    import ezc3d

    content = ezc3d.c3d(str(TRIAL))
    i = content["parameters"]["POINT"]["LABELS"]["value"].index(label)
    content["data"]["points"][:3, i] += 1e3 * displacement.T
    return _written(content, folder / "marker" / TRIAL.name)


def _with_plates(folder: Path, offset: np.ndarray) -> Path:
    import ezc3d

    content = ezc3d.c3d(str(TRIAL))
    content["parameters"]["FORCE_PLATFORM"]["CORNERS"]["value"] += 1e3 * offset[:, None, None]
    return _written(content, folder / "plates" / TRIAL.name)


def _written(content: object, path: Path) -> Path:
    path.parent.mkdir()
    content.write(str(path))  # type: ignore[attr-defined]
    return path


def perturbed(folder: Path) -> list[Found]:
    """All cases, computed and compared."""
    found = []
    computation = Perturbed(analyse_file(TRIAL, prepare(RunOptions(model="pig"))))
    reference = _run(TRIAL, ("--model", "pig"), folder / "reference")
    for i, case in enumerate(cases(computation, read_sources("default"), folder)):
        result = _run(case.trial, case.options, folder / f"case{i}")
        comparison = compare(reference, result)
        change = (next(computation.columns([case.shift.times(STEP)])) - computation.unshifted) / STEP
        both = comparison.aligned.curves[case.column]
        predicted = change[:, computation.names.index(case.column)]
        happened = both.b - both.a
        known = np.isfinite(happened) & np.isfinite(predicted)
        named, share = comparison.ranked()[0]
        of = predicted[known], happened[known], (happened - predicted)[known]
        found.append(Found(case, *(float(np.sqrt(np.mean(values**2))) for values in of), named, share.share))
    return found


def _run(trial: Path, options: tuple[str, ...], folder: Path) -> Path:
    words = [str(trial), *options, "-o", str(folder), "--quiet"]
    if command.main(words, standalone_mode=False):
        raise RuntimeError(f"gaitid run {' '.join(words)}")
    return folder / f"{trial.stem}.run.json"


def table(found: list[Found]) -> list[str]:
    lines = [
        "| wrong by one standard deviation | moment | predicted, RMS | `gaitid compare`, RMS | apart, RMS "
        "| named first |",
        "|---|---|---|---|---|---|",
    ]
    for of in found:
        moment = of.case.column.removesuffix("_moment_Nm_per_kg").replace("_", " ")
        figures = " | ".join(f"{value:.4f}" for value in (of.predicted, of.happened, of.apart))
        lines.append(f"| {of.case.words} | {moment} | {figures} | {NAMES[of.named]}, {100 * of.share:.0f} % |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the table into docs/uncertainty_method.md")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        lines = table(perturbed(Path(name)))
    print("\n".join(lines))
    if given.write:
        write_between(ROOT / "docs" / "uncertainty_method.md", "perturbed", lines)


if __name__ == "__main__":
    main()
