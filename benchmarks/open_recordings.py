"""Make the tables of docs/accuracy.md about recorded trials again, from openly licensed recordings.

    python benchmarks/open_recordings.py FOLDER               which of the recordings lie below FOLDER, by their SHA-256
    python benchmarks/open_recordings.py FOLDER --download    fetch those that are missing into FOLDER: needs a network
    python benchmarks/open_recordings.py FOLDER --tables      and the tables, of what is there

benchmarks/open_recordings.yaml names each recording: its address, its licence and its hash. Files are recognised by
their hash alone, whatever they are called and wherever they lie: FOLDER may hold clones of the repositories.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import numpy as np
import yaml

MANIFEST = Path(__file__).with_suffix(".yaml")
HOST = "https://raw.githubusercontent.com"
#: A recording larger than this is none of the list's (bytes).
LARGEST = 50_000_000


@dataclass(frozen=True)
class Recording:
    """A file of the list.

    Attributes
    ----------
    file : str
        Its path among the shared trials, by which the benchmarks know it.
    sha256, licence : str
    addresses : tuple of str
        ``OWNER/NAME@COMMIT:PATH`` on GitHub.
    """

    file: str
    sha256: str
    licence: str
    addresses: tuple[str, ...]

    @property
    def urls(self) -> Iterator[str]:
        for address in self.addresses:
            repository, _, path = address.partition(":")
            name, _, commit = repository.partition("@")
            yield f"{HOST}/{name}/{commit}/{quote(path)}"


def read_manifest(file: Path = MANIFEST) -> list[Recording]:
    """All recordings of the list, in its order."""
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    licences = {name: source["licence"] for name, source in content["sources"].items()}
    return [
        Recording(entry["file"], entry["sha256"], licences[entry["source"]], tuple(entry["addresses"]))
        for entry in content["recordings"]
    ]


def find(folder: Path, recordings: Sequence[Recording]) -> dict[str, Path]:
    """Where each recording lies below a folder, by its name in the list; none where no file has its hash."""
    suffixes = {Path(recording.file).suffix.lower() for recording in recordings}
    by_hash: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in suffixes and path.is_file() and path.stat().st_size <= LARGEST:
            by_hash.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), path)
    return {one.file: by_hash[one.sha256] for one in recordings if one.sha256 in by_hash}


def download(recording: Recording, folder: Path) -> str:
    """Fetch a recording into a folder; why not, where it could not be had."""
    reasons = []
    for url in recording.urls:
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                content = answer.read(LARGEST + 1)
        except (urllib.error.URLError, TimeoutError) as error:
            reasons.append(f"{url}: {getattr(error, 'reason', error)}")
            continue
        if hashlib.sha256(content).hexdigest() != recording.sha256:
            reasons.append(f"{url}: its SHA-256 is another")
            continue
        target = folder / recording.file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        return ""
    return "; ".join(reasons)


def lay_out(there: dict[str, Path], folder: Path) -> None:
    """Put the recordings where the benchmarks look for them."""
    for name, path in there.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())


def tables(folder: Path) -> str:
    """Of the trials in a folder that is laid out like the shared ones; of those that are there."""
    os.environ["GAITID_TRIALS"] = str(folder)  # read when the trials' list is loaded
    sys.path.insert(0, str(Path(__file__).parent))
    import accuracy

    accuracy.TRIALS = tuple(trial for trial in accuracy.TRIALS if trial.path.is_file())
    parts = accuracy.tables() if accuracy.TRIALS else []
    if all((folder / f"running_2d/all.{kind}").is_file() for kind in ("kin", "frc", "mom")):
        parts += ["### `sagittal2d` against the exact moments of a simulated running stride\n", *running_table(folder)]
    return "\n".join(parts)


def running_table(folder: Path) -> list[str]:
    """The lines of the table of docs/accuracy.md: rows 2751 to 5501, unfiltered."""
    from running_2d import convert

    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        convert(folder / "running_2d", out)
        words = (
            "run running.csv --forces running.forces.csv --plates running.plates.yaml --model sagittal2d --cutoff none"
        )
        command = [sys.executable, "-m", "gaitid", *words.split(), "--assign", "right=1", "-o", "results", "--quiet"]
        subprocess.run(command, cwd=out, check=True)
        file = out / "results" / "running.wrenches.csv"
        columns = file.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
        values = np.genfromtxt(file, delimiter=",", skip_header=1)
    exact = np.loadtxt(folder / "running_2d" / "all.mom")[2750:5501]
    cells: dict[str, list[str]] = {"range of the exact moment, N·m": [], "RMS difference, N·m": []}
    for i, joint in enumerate(("hip", "knee", "ankle")):
        ours = -values[2750:5501, columns.index(f"right_{joint}_moment_global_y_Nm")]
        cells["range of the exact moment, N·m"].append(f"{np.ptp(exact[:, i]):.1f}")
        cells["RMS difference, N·m"].append(f"{np.sqrt(np.mean((ours - exact[:, i]) ** 2)):.2g}")
    rows = [f"| {name} | {' | '.join(row)} |" for name, row in cells.items()]
    return ["| rows 2751–5501, unfiltered | hip | knee | ankle |", "|---|---|---|---|", *rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the recordings lie, or are to be put")
    parser.add_argument("--download", action="store_true", help="fetch what is missing")
    parser.add_argument("--tables", action="store_true", help="make the tables of what is there")
    given = parser.parse_args()
    recordings = read_manifest()
    there = find(given.folder, recordings)
    for recording in recordings:
        words = f"there, {there[recording.file]}" if recording.file in there else "missing"
        if given.download and recording.file not in there:
            words = download(recording, given.folder) or "fetched"
        print(f"{recording.file}: {words}", file=sys.stderr)
    if given.download:
        there = find(given.folder, recordings)
    print(f"{len(there)} of {len(recordings)} recordings are there, with the hashes of the list", file=sys.stderr)
    if given.tables:
        with tempfile.TemporaryDirectory() as name:
            lay_out(there, Path(name))
            print(tables(Path(name)))
    sys.exit(0 if len(there) == len(recordings) else 1)


if __name__ == "__main__":
    main()
