"""What the files of this room hand to each other: a trial as named, a folder's content, a static, a planned trial."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gaitid.records import frozen_dataclass

# What a static and a trial may have in common: first the kind, then what it is (`gaitid.batch.statics.traits`).
Trait = tuple[str, ...]


@frozen_dataclass()
class Wanted:
    """One trial as the user named it.

    Attributes
    ----------
    path : Path
        As given: below a folder or a manifest's folder as that was given.
    exact : bool
        Whether a manifest names just this file: a trial then, even if it looks like a static.
    subject, session, condition : str
        Empty where nobody named one.
    root : Path or None
        The folder that results mirror, where a manifest says so.
    words : tuple of str
        Options of `gaitid run` that a manifest gives to this trial, each with its value.
    without : tuple of str
        Options that it is to have no file for: nothing is looked for.
    where : str
        The manifest's row, for messages.
    """

    path: Path
    exact: bool = False
    subject: str = ""
    root: Path | None = None
    words: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    where: str = ""
    session: str = ""
    condition: str = ""


@frozen_dataclass()
class Listing:
    """What lies in one folder, or matches a glob; hidden files and links to folders apart.

    Attributes
    ----------
    trials : tuple of Path
        What may be one, statics too, by name.
    left_out : tuple of (Path, str)
        Files with the suffix of a trial that are none, and why.
    files : tuple of Path
        All, also those that may lie beside a trial.
    folders : tuple of Path
    problem : str
        Why it could not be listed.
    """

    trials: tuple[Path, ...] = ()
    left_out: tuple[tuple[Path, str], ...] = ()
    files: tuple[Path, ...] = ()
    folders: tuple[Path, ...] = ()
    problem: str = ""


@frozen_dataclass()
class Static:
    """A calibration trial and how it was recognised.

    Attributes
    ----------
    path : Path
    how : str
        ``given``, ``by name``, ``by its folder``, ``as standing`` (by name), ``by content``.
    traits : frozenset of Trait
        Of its name, that trials may share.
    """

    path: Path
    how: str
    traits: frozenset[Trait] = frozenset()

    @property
    def sure(self) -> bool:
        """Whether its name or its folder alone makes it a static, even where no trial takes it."""
        return self.how in ("by name", "by its folder")

    @property
    def found(self) -> bool:
        """Whether it was looked for, and its trial stores nothing that it would be compared with."""
        return self.how not in ("given", "compared")


@frozen_dataclass()
class Planned:
    """One trial of a batch.

    Attributes
    ----------
    trial : Path
        As given.
    folder : Path
        Of its results: the folder of the trial, mirrored.
    subject : str
        As a manifest names it, else the trial's folder below the root of the data set, else the root.
    static : Static or None
    n_statics : int
        From so many it was chosen.
    words : tuple of str
        The options of `gaitid run` that are this trial's own, each with its value: its static and other files, what a
        manifest says.
    where : str
        The manifest's row, for messages.
    root : Path
        The folder that results mirror, as the trial's path begins.
    beside : Path or None
        A static that was found where the trial stores its calibration: the better is taken when it is the trial's turn
        (`gaitid.batch.job`).
    session : str
        As a manifest names it, else the trial's folder below the root of the data set, where a manifest names the
        subject: what tells recordings of one subject apart. Empty where that is not known: a folder may be a subject
        or a session.
    condition : str
        As a manifest names it; empty where none does: a folder does not say that it is a condition.
    session_given : bool
        Whether a manifest names the session.
    denied : bool
        Whether a manifest says that there is no static.
    others : tuple of Static
        Statics that would serve as well by their names, the best first.
    """

    trial: Path
    folder: Path
    subject: str
    static: Static | None
    n_statics: int
    words: tuple[str, ...]
    where: str
    root: Path = Path()
    beside: Path | None = None
    session: str = ""
    condition: str = ""
    session_given: bool = False
    denied: bool = False
    others: tuple[Static, ...] = ()

    @property
    def instead(self) -> Planned | None:
        """The same trial with the static that its stored calibration is to be compared with; of a trial with a static
        that was found, what is done where that does not fit: the next one, or none. None without either."""
        if self.static is not None and self.static.found:
            at = self.words.index("--static")
            following = self.others[0] if self.others else None
            static = () if following is None else ("--static", str(following.path))
            words = (*self.words[:at], *static, *self.words[at + 2 :])
            return replace(self, static=following, others=self.others[1:], words=words)
        if self.beside is None:
            return None
        words = ("--static", str(self.beside), *self.words)
        return replace(self, static=Static(self.beside, "compared"), beside=None, words=words)

    @property
    def static_words(self) -> str:
        """The static, or why there is none, as far as the plan knows it."""
        if self.static is not None:
            return str(self.static.path)
        if self.beside is not None:
            return f"not decided: the calibration stored in the trial, or {self.beside}"
        if self.n_statics:
            return f"none: {self.n_statics} there, none of them by name this trial's"
        return "none: the manifest says so" if self.denied else "none: no static was found"
