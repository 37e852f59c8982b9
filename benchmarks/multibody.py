"""Multibody optimisation: what it is worth under soft-tissue motion.

    python benchmarks/multibody.py [--seeds N]

Soft tissue: the simulated walker of tests/any_markers.py with landmarks and clusters on his bones. The markers of a
segment slide over it together, in the rhythm of the stride with random amplitudes and phases, and each a little by
itself; amplitudes after Leardini et al. (2005), Gait Posture 21:212-225, and Benoit et al. (2006), Gait Posture
24:152-164. The same markers are analysed five ways: `landmarks` (direct frames), `cast` (a rigid fit for each segment),
`cast` as a chain with ball joints and all markers alike, and both with `--set pose=multibody`, whose weights are those
of the models. Root mean square errors against the bones.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from common import head, parser_of, row
from soft_tissue import CHAIN, analysed, errors, recorded

# --- soft tissue --------------------------------------------------------------------------------------------------


def compared(seeds: int) -> dict[str, dict[str, float]]:
    """Mean of the errors over so many walks, by way and by quantity."""
    walk = recorded()
    with tempfile.TemporaryDirectory() as folder:
        alike = Path(folder) / "alike.yaml"
        alike.write_text(CHAIN)
        chosen = {"pose": "multibody"}
        ways: dict[str, tuple[str, dict[str, str]]] = {
            "direct": ("landmarks", {}),
            "cluster": ("cast", {}),
            "alike": (str(alike), {}),
            "landmarks": ("landmarks", chosen),
            "cast": ("cast", chosen),
        }
        sums: dict[str, dict[str, float]] = {way: {} for way in ways}
        for seed in range(seeds):
            for way, (model, options) in ways.items():
                result = analysed(walk, seed, model, **options)
                for name, value in errors(walk, result).items():
                    sums[way][name] = sums[way].get(name, 0.0) + value / seeds
    return sums


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    given = parser.parse_args()
    table = compared(given.seeds)
    print(*head(f"{given.seeds} walks", *table), sep="\n")
    for name in table["direct"]:
        print(row(name, *(f"{of_way[name]:.2f}" for of_way in table.values())))


if __name__ == "__main__":
    main()
