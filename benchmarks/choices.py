"""The table of docs/choices.md: what each hip centre changes in a shared walk; printed too, what each table does.

    python benchmarks/choices.py [--write]

Each walk is analysed with the model's defaults and then with one option in place of a default, all else the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from common import SHARED, head, parser_of, show

import gaitid
from gaitid.model.load import bundled_models, load_model, merged_content
from gaitid.model.specs import SEXES


@dataclass(frozen=True)
class Walk:
    """A shared walk, its static and the model."""

    trial: str
    model: str
    static: str | None = None


WALKS = (Walk("sydney/walk03.c3d", "pig", "sydney/static.c3d"),)
# Column of joints.csv without its side, whether its largest or its smallest value is the peak, and its name here.
PEAKS = (
    ("hip_extension_moment_Nm_per_kg", max, "hip extension"),
    ("hip_extension_moment_Nm_per_kg", min, "hip flexion"),
    ("hip_abduction_moment_Nm_per_kg", max, "hip abduction"),
    ("knee_extension_moment_Nm_per_kg", max, "knee extension"),
    ("knee_abduction_moment_Nm_per_kg", max, "knee abduction"),
    ("ankle_plantarflexion_moment_Nm_per_kg", max, "ankle plantarflexion"),
)

# --- what each changes ------------------------------------------------------------------------------------------------


def analysed(walk: Walk, settings: Mapping[str, str], sex: str | None) -> gaitid.Analysis:
    static = None if walk.static is None else SHARED / walk.static
    subject: dict[str, Any] | None = None if sex is None else {"sex": sex}
    return gaitid.analyse(SHARED / walk.trial, model=walk.model, static=static, subject=subject, settings=settings)


def options_of(walk: Walk, choice: str) -> Iterator[tuple[str, str, str | None]]:
    """Each option but the default, and for one that asks for the sex both: label, name and sex."""
    of = merged_content(bundled_models()[walk.model]).choices[choice]
    for name in of.options:
        if name in (of.default, "functional"):  # what functional trials measure is theirs (docs/functional.md)
            continue
        model = load_model(walk.model, {choice: name})
        numbers = [number for scope in (model.middle, model.each_side) for number in scope.numbers.values()]
        if model.table.by_sex:
            continue  # the tables of both sexes stand for it
        if any("sex" in number.names for number in numbers):
            yield from ((f"{name}, {sex}", name, sex) for sex in SEXES)
        else:
            yield name, name, None


def hip_mm(analysis: gaitid.Analysis, like: gaitid.Analysis) -> np.ndarray:
    """How far an analysis has the hips from another's: forward, outward, up in the pelvis, mm; mean of both sides."""
    shifts = []
    for side in analysis.result.model.sides:
        ours, theirs = (a.result.body.geometry for a in (analysis, like))
        pelvis = theirs.frame("pelvis", "")
        moved = ours.point("hip", side.name) - theirs.point("hip", side.name)
        forward, left, up = np.nanmedian(np.einsum("fji,fj->fi", pelvis.R_gs, moved), axis=0)
        shifts.append([forward, side.sign * left, up])
    return 1e3 * np.mean(shifts, axis=0)


def changes(analysis: gaitid.Analysis, like: gaitid.Analysis) -> list[float]:
    """The change of each peak, N·m/kg, over frames that both know; mean of the sides that have any."""
    found = []
    for column, peak, _ in PEAKS:
        both = []
        for side in ("left", "right"):
            new, old = (a.moments[f"{side}_{column}"].to_numpy() for a in (analysis, like))
            known = np.isfinite(new) & np.isfinite(old)
            if known.any():
                both.append(peak(new[known]) - peak(old[known]))
        found.append(float(np.mean(both)) if both else np.nan)
    return found


def peaks(analysis: gaitid.Analysis) -> list[float]:
    columns = [[analysis.moments[f"{side}_{column}"] for side in ("left", "right")] for column, _, _ in PEAKS]
    return [float(np.mean([f(v.dropna()) for v in of])) for of, (_, f, _) in zip(columns, PEAKS, strict=True)]


def table_of(choice: str) -> str:
    """For each walk a table: the peaks with the default, and what each option changes."""
    parts = []
    for walk in WALKS:
        like = analysed(walk, {}, None)
        default = like.record["model"]["choices"][choice]["option"]
        shift = ["hip forward, mm", "outward", "up"] if choice == "hip_centre" else []
        lines = head("option", *shift, *(name for _, _, name in PEAKS))
        words = "with" if walk.static is None else f"with `{walk.static}`,"
        lines.append(f"| `{default}` | {'| ' * len(shift)}{' | '.join(f'{v:.2f}' for v in peaks(like))} |")
        for label, name, sex in options_of(walk, choice):
            try:
                analysis = analysed(walk, {choice: name}, sex)
            except gaitid.GaitidError as error:
                lines.append(f"| `{label}` | {error.line().split(': ', 1)[-1]} |{' |' * (len(shift) + len(PEAKS) - 1)}")
                continue
            moved = [f"{v:+.1f}" for v in hip_mm(analysis, like)] if shift else []
            lines.append(f"| `{label}` | {' | '.join([*moved, *(f'{v:+.3f}' for v in changes(analysis, like))])} |")
        parts.append(f"`{walk.trial}` {words} `{walk.model}`:\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


# --- the page ---------------------------------------------------------------------------------------------------------


def main() -> None:
    given = parser_of(__doc__, "choices").parse_args()
    print(table_of("table"))
    show(["", table_of("hip_centre"), ""], given.write, "choices", "hips")


if __name__ == "__main__":
    main()
