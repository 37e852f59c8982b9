"""How far gaitid lies from another program, trial by trial, as one table to send back (docs/validate.md).

    python validation_table.py pairs.csv -o validation.csv

`pairs.csv` has a row a comparison: trial (a code, no name), program (with its version), result (a run.json), and
other: a C3D with stored outputs, OpenSim's .sto or .mot, or a CSV with `frame` and columns named as in joints.csv.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

import gaitid

FIGURES = ["column", "unit", "n", "rms", "bias", "largest", "r", "range_b"]


def of_table(ours: pd.DataFrame, theirs: pd.DataFrame) -> pd.DataFrame:
    """The figures of `gaitid compare`, of a table with columns of the same names; other less gaitid."""
    rows = []
    for column in ours.columns.intersection(theirs.columns):
        a, b = ours[column].align(theirs[column], join="inner")
        known = a.notna() & b.notna()
        if column == "time_s" or not known.any():
            continue
        a, b = a[known].astype(float), b[known].astype(float)
        d = b - a
        unit = next(unit for unit in ("Nm_per_kg", "W_per_kg", "deg", "") if column.endswith(unit))
        rms, largest = float(np.sqrt((d**2).mean())), d[d.abs().idxmax()]
        rows.append([column, unit, len(d), rms, d.mean(), largest, a.corr(b), b.max() - b.min()])
    return pd.DataFrame(rows, columns=FIGURES)


def compared(pair: dict[str, str], folder: Path) -> pd.DataFrame:
    result, other = gaitid.load(folder / pair["result"]), folder / pair["other"]
    if other.suffix.lower() == ".csv":
        table = of_table(result.joints.set_index("frame"), pd.read_csv(other, index_col="frame"))
    else:
        table = result.compare(other).curves[FIGURES].copy()
    facts = {
        "trial": pair["trial"],
        "program": pair["program"],
        "gaitid": result.record["gaitid"],
        "model": result.record["model"]["name"],
        "verdict": result.verdict["trial"],
    }
    for i, (name, value) in enumerate(facts.items()):
        table.insert(i, name, value)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    pairs = pd.read_csv(given.pairs, dtype=str).to_dict("records")
    table = pd.concat([compared(pair, given.pairs.parent) for pair in pairs])
    table.to_csv(given.output, index=False, float_format="%.6g")
    print(f"{len(pairs)} comparisons, {len(table)} rows: {given.output}")


if __name__ == "__main__":
    main()
