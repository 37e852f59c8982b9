"""Where an `Analysis` has its tables from: a result that was computed here, or one that lies in files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gaitid import run
from gaitid.analysis.result import Result
from gaitid.disk.atomic import write_all
from gaitid.disk.read_back import read_record, read_text_back
from gaitid.errors import GaitidError
from gaitid.inputs import refuse_to_overwrite
from gaitid.records import frozen_dataclass
from gaitid.results.find import RECORD_SUFFIX, refuse_no_record
from gaitid.write import BANDS, TABLES

if TYPE_CHECKING:
    import pandas as pd

    from gaitid.compare.mixture import Made as MadeFrom


@frozen_dataclass(eq=False)
class Made:
    """A result that was computed here.

    Attributes
    ----------
    stem : str
        That the names of its files begin with.
    result : Result
    setup : Setup
        How, with the model.
    inputs : tuple of mappings
        What it was made from, as a record names it: hashed when it was read.
    files : tuple of Path
        The files that it was made from, which nothing is written over.
    """

    stem: str
    result: Result
    setup: run.Setup
    inputs: tuple[Mapping[str, str], ...]
    files: tuple[Path, ...]

    def record(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(run.record_of(self.result, self.setup, self.inputs))
        return content

    def frame(self, table: str) -> pd.DataFrame:
        from gaitid.api.frames import bands_frame, frame_of, with_uncertainty

        if table in BANDS:
            found = run.estimate_of(self.result, self.setup)
            if found is None:
                raise GaitidError("nobody asked how sure the numbers are", todo="give uncertainty=True to analyse")
            return bands_frame(found, table)
        options = self.setup.options
        frame = frame_of(table, self.result, options.express_in, run.parts_of(self.result, options))
        return with_uncertainty(frame, run.estimate_of(self.result, self.setup)) if table == "features" else frame

    def write(self, folder: Path) -> list[Path]:
        assert self.setup.model is not None  # settled
        names = (*(f"{table}.csv" for table in (*TABLES, *BANDS)), "run.json")
        refuse_to_overwrite([folder / f"{self.stem}.{name}" for name in names], [*self.files, *self.setup.model.files])
        contents = run.file_contents(self.stem, self.result, self.setup, self.inputs)
        return run.put_in_place(folder, contents, self.setup.options)

    def placed(self, folder: Path) -> tuple[Path, MadeFrom | None]:
        """Its record in files of their own, and what it was made from."""
        from gaitid.compare.sources import made_of

        return self.write(folder)[-1], made_of(self.result, self.setup)


@frozen_dataclass(eq=False)
class Stored:
    """A result that lies in files.

    Attributes
    ----------
    stem : str
    path : Path
        Of ``walk.run.json``.
    content : mapping
        Of that file.
    """

    stem: str
    path: Path
    content: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> Stored:
        """Read the record; the tables are read when they are asked for."""
        refuse_no_record(path)
        return cls(path.name.removesuffix(RECORD_SUFFIX), path, dict(read_record(path)))

    def record(self) -> dict[str, Any]:
        return self.content

    def frame(self, table: str) -> pd.DataFrame:
        from gaitid.api.frames import frame_from

        return frame_from(self._file(table), table)

    def write(self, folder: Path) -> list[Path]:
        files = [path for table in (*TABLES, *BANDS) if (path := self._file(table)).is_file()]
        texts = {path.name: read_text_back(path, "result") for path in (*files, self.path)}
        refuse_to_overwrite([folder / name for name in texts], [*files, self.path])
        return write_all(folder, texts)

    def placed(self, folder: Path) -> tuple[Path, MadeFrom | None]:
        """Its record where it is."""
        return self.path, None

    def _file(self, table: str) -> Path:
        return self.path.with_name(f"{self.stem}.{table}.csv")


#: Where an `Analysis` has its tables and its record from.
Source = Made | Stored
