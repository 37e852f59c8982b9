"""What `Analysis.compare` returns."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gaitid.api.words import File
from gaitid.compare.comparison import Comparison
from gaitid.compare.text import content_of, text_of
from gaitid.compare.words import verdict

if TYPE_CHECKING:
    import pandas as pd


class Compared:
    """How far two results lie apart, and why.

    Attributes
    ----------
    verdict : str
        What differs most, and which ingredient makes it.
    curves : DataFrame
        A row a curve: ``column``, ``quantity``, ``unit``, ``n``, ``only_a``, ``only_b``, ``rms``, ``range_a``,
        ``range_b``, ``r``, ``bias``, ``largest`` (B − A) and where it is.
    why : DataFrame
        A row an ingredient and quantity (empty: all curves together): ``rms``, ``share``, ``share_alone``,
        ``interaction``, ``size`` in words; the last rows are the ``remainder``. Without rows where no reasons are told.
    why_not : str
        Why no reasons are told; empty where they are.
    """

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison

    @property
    def verdict(self) -> str:
        return verdict(self._comparison)

    @property
    def why_not(self) -> str:
        return self._comparison.why_not

    @cached_property
    def curves(self) -> pd.DataFrame:
        import pandas as pd

        rows = [{k: v for k, v in row.items() if k != "parts"} for row in self.content["curves"]]
        return pd.DataFrame(rows)

    @cached_property
    def why(self) -> pd.DataFrame:
        import pandas as pd

        names = ("ingredient", "quantity", "rms", "share", "rms_alone", "share_alone", "interaction", "size")
        why = self.content["why"]
        rows: list[dict[str, Any]] = []
        for part in (*why["parts"], {"ingredient": "remainder", "size": "", **why["remainder"]}) if why else ():
            about = {"ingredient": part["ingredient"], "size": part["size"]}
            if part["all_curves"] is not None:
                rows.append(about | {"quantity": ""} | part["all_curves"])
            rows += [about | {"quantity": quantity} | share for quantity, share in part["quantities"].items()]
        return pd.DataFrame(rows, columns=list(names))

    @cached_property
    def content(self) -> dict[str, Any]:
        """What ``gaitid compare --json`` prints."""
        return content_of(self._comparison, {})

    def report(self, path: File) -> Path:
        """Write the page that ``gaitid compare -o`` writes.

        Raises
        ------
        GaitidError
        """
        from gaitid.compare.page import refuse_output, write_page

        output = Path(path)
        refuse_output(output, [*self._comparison.a.files, *self._comparison.b.files])
        write_page(output, self._comparison)
        return output

    def __repr__(self) -> str:
        return f"<gaitid.Compared: {self.verdict}>"

    def __str__(self) -> str:
        return text_of(self._comparison)
