"""One process that reads whatever it is handed and says how it went: started, watched and ended by `fuzzing`.

    python tests/fuzz/worker.py MEGABYTES [MODULE:FUNCTION]

On stdin: kind, length and bytes of each input; on stdout one line of JSON each: what happened, and which lines of the
readers ran that had not run before in this process.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import resource
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
from inputs import kinds

import gaitid.read
from gaitid.errors import GaitidError
from gaitid.trial import Trial

PACKAGE = Path(gaitid.read.__file__).parents[1]
READERS = (str(PACKAGE / "read"), str(PACKAGE / "model"))
# Characters of a message: some name eight markers, or what a model knows.
LONGEST = 3000


class Coverage:
    """Lines of the readers that have run."""

    def __init__(self) -> None:
        self.seen: set[tuple[CodeType, int]] = set()

    def call(self, frame: FrameType, event: str, arg: object) -> Any:
        return self.line if frame.f_code.co_filename.startswith(READERS) else None

    def line(self, frame: FrameType, event: str, arg: object) -> Any:
        self.seen.add((frame.f_code, frame.f_lineno))
        return self.line


def read(kind: str, folder: Path) -> None:
    """Read one input the way the command line would, and check what came of it."""
    if kind in ("model", "subject"):
        from gaitid.body.subject_file import read_subject
        from gaitid.model.load import load_model

        model = load_model(folder / "model.yaml" if kind == "model" else "pig")
        if kind == "subject":
            read_subject(folder / "subject.yaml", model)
        return
    trial = folder / kinds()[kind].trial
    forces = {"plates": "forces", "cal": "anc"}.get(kind, kind)
    forces = kinds()[forces].name if forces in ("forces", "mot", "qtm_forces", "cortex", "anc") else None
    plates = "plates.yaml" if kind in ("forces", "plates", "nexus") else "b.cal" if kind in ("anc", "cal") else None
    given = {"forces": forces and folder / forces, "plates": plates and folder / plates}
    check(gaitid.read.read_trial(trial, **given, stored=True))


def check(trial: Trial) -> None:
    """What every trial must be, however broken its file: AssertionError otherwise."""
    assert 0 < trial.rate_hz < math.inf
    assert not np.isinf(trial.points_g).any()
    for plate in trial.plates:
        assert 0 < plate.rate_hz < math.inf
        assert np.isfinite(plate.sensor_p).all()
        assert not np.isinf(plate.force_p).any() and not np.isinf(plate.moment_p).any()
    assert all(math.isfinite(event.time_s) for event in trial.events)
    assert all(math.isfinite(value) for value in trial.parameters.values())
    texts = [*trial.labels, *trial.names, *trial.origin.values(), *trial.refused_plates.values()]
    texts += [note.text for note in trial.notes]
    for text in [*texts, *(event.name for event in trial.events)]:
        check_line(text)


def check_line(text: str) -> None:
    """A terminal shows it as one line."""
    assert text.isprintable(), f"not printable: {text!r}"[:300]
    assert len(text) <= LONGEST, f"{len(text)} characters: {text[:200]}"


def attempt(target: Callable[[str, Path], None], kind: str, folder: Path) -> dict[str, str]:
    """read, refused or fault, with the words."""
    try:
        target(kind, folder)
    except GaitidError as error:
        line = error.line()
        try:
            check_line(line)
        except AssertionError as wrong:
            return {"outcome": "fault", "words": f"message {wrong}"}
        return {"outcome": "refused", "words": line[:300]}
    except BaseException as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if "gaitid" in f.filename]
        where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
        return {"outcome": "fault", "words": f"{type(error).__name__}: {str(error)[:300]} at {where}"}
    return {"outcome": "read", "words": ""}


def main() -> None:
    limit = int(sys.argv[1]) * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    target = read
    if len(sys.argv) > 2:
        module, _, function = sys.argv[2].partition(":")
        target = getattr(importlib.import_module(module), function)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else is printed must not look like an answer
    warnings.simplefilter("error")
    coverage = Coverage()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sound = {kind.name: kind.seeds[0] for kind in kinds().values()}
        for file, content in sound.items():
            (folder / file).write_bytes(content)
        print("ready", file=answers, flush=True)
        while header := sys.stdin.buffer.readline():
            kind, length = header.decode().split()
            file = folder / kinds()[kind].name
            file.write_bytes(sys.stdin.buffer.read(int(length)))
            before = len(coverage.seen)
            sys.settrace(coverage.call)
            answer = attempt(target, kind, folder)
            sys.settrace(None)
            print(json.dumps(answer | {"new": len(coverage.seen) - before}), file=answers, flush=True)
            file.write_bytes(sound[file.name])
            left = sorted(p.name for p in folder.iterdir())
            assert left == sorted(sound), f"files were written: {left}"


if __name__ == "__main__":
    main()
