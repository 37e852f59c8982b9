"""What picture is asked for: checked before a result is read."""

from __future__ import annotations

from collections.abc import Sequence

from gaitid.records import frozen_dataclass
from gaitid.report.chain.drawn import FIGURES as CHAIN_FIGURES
from gaitid.report.pictures.catalogue import GRIDS, SHEET, Row, rows_of
from gaitid.report.pictures.sizes import width_mm

FORMATS = ("png", "svg", "pdf")


@frozen_dataclass()
class Request:
    """What is asked for.

    Attributes
    ----------
    figures : sequence of str
        Names of figures or panels; none for the sheet.
    width : str or None
        A journal's column by name, or mm; two columns by default.
    cycles : bool
        Whether every curve is drawn too.
    """

    figures: Sequence[str] = ()
    width: str | None = None
    cycles: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.figures) or (SHEET,)

    @property
    def rows(self) -> list[Row]:
        """Refused where a name is none."""
        return rows_of(self.names)

    def check(self) -> None:
        """Refused where a name is none, of gait or of a chain, or the width is none."""
        rows_of([name for name in self.names if name not in CHAIN_FIGURES], tuple(CHAIN_FIGURES))
        _ = self.width_mm

    @property
    def width_mm(self) -> float:
        """Refused where it is none."""
        return width_mm(self.width)

    def each(self) -> dict[str, Request]:
        """A picture of its own for each figure that is asked for, or for each there is, by name."""
        names = tuple(self.figures) or tuple(GRIDS)
        return {name: Request((name,), self.width, self.cycles) for name in names}
