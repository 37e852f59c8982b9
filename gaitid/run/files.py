"""A result -> the texts of its files and its record, and their place on the disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from gaitid.disk.atomic import Content, write_all
from gaitid.inputs import found_trial, input_record, refuse_to_overwrite
from gaitid.model.settings import READER
from gaitid.read.assignments import enf_files, forces_of
from gaitid.run.setup import Setup, given_files
from gaitid.settings import RunOptions
from gaitid.write import BANDS, TABLES, UNCERTAINTY, UNCERTAINTY_CYCLES, WRITE

if TYPE_CHECKING:
    from gaitid.analysis.contributions import Parts
    from gaitid.analysis.result import Result
    from gaitid.uncertainty.estimate import Estimate


def parts_of(result: Result, options: RunOptions) -> Parts | None:
    """What each cause contributes to each joint's wrench, where it was asked for."""
    if not options.contributions:
        return None
    from gaitid.analysis.contributions import contributed

    return contributed(result, options.observer)


def inputs_of(path: Path, result: Result, setup: Setup) -> list[Mapping[str, str]]:
    """Every file that a result was made from, as a record names it."""
    inputs = [input_record("trial", path, found_trial(path)), *setup.inputs]
    if result.whole_body is not None:
        files = (result.whole_body.upper.path, *result.whole_body.table_files)
        inputs += [input_record("upper body", file) for file in files]
    inputs += [input_record("forces", file) for file in forces_of(found_trial(path), setup.options.forces)]
    sources = " ".join(assignment.source for assignment in result.trial.assignments)
    if sources:
        inputs += [input_record("assignments", enf) for enf in enf_files(path) if enf.name in sources]
    if (file := result.trial.measured_in) is not None:
        named = setup.options.keep_names or file.stem not in result.trial.names  # a person's, mostly
        shown = file if named else file.with_stem("(not kept)")
        inputs.append(input_record("measurements", file) | {"path": str(shown)})
    return inputs


def files_read(path: Path, options: RunOptions) -> list[Path]:
    """The files that the user gave for a trial, itself first; those that were found and the model's apart."""
    return [found_trial(file) for file in (path, *given_files(options))]


def command_to_keep(options: RunOptions) -> tuple[str, ...]:
    """The command as a record has it: without the name of a subject, which is a person's, unless names are kept."""
    name = options.reader.subject_prefix
    if name is None or options.keep_names:
        return options.command
    given = [i for i, word in enumerate(options.command) if word == "--subject-prefix"]
    return tuple("(not kept)" if i - 1 in given else word for i, word in enumerate(options.command))


def reader_settings(options: RunOptions) -> dict[str, Any]:
    """What a record says of how the trial's file was read."""
    name = options.reader.subject_prefix
    kept = name if options.keep_names or name is None else "given"
    reader = options.reader
    said = {key: getattr(reader, key) for key in READER}
    return {**said, "subject_prefix": kept}


def refuse_to_replace_inputs(folder: Path, path: Path, setup: Setup) -> None:
    """Raise where a file of the result of a trial would take the place of one that it is made from.

    Raises
    ------
    WriteError
    """
    assert setup.model is not None  # settled
    results = [folder / f"{path.stem}.{name}" for name in (*(f"{t}.csv" for t in (*TABLES, *BANDS)), "run.json")]
    refuse_to_overwrite(results, [*files_read(path, setup.options), *setup.model.files])


def tables_of(options: RunOptions) -> tuple[str, ...]:
    """The tables that a run writes."""
    return tuple(table for table in TABLES if table not in WRITE or table in options.write)


def result_names(stem: str, options: RunOptions) -> list[str]:
    """The names of a result's files, the record last."""
    return [*(f"{stem}.{table}.csv" for table in (*tables_of(options), *bands_of(options))), f"{stem}.run.json"]


def bands_of(options: RunOptions) -> tuple[str, ...]:
    """The tables of how sure numbers are that a run writes."""
    if options.uncertainty is None:
        return ()
    if options.bands_by_percent:
        return BANDS if UNCERTAINTY in options.write else (UNCERTAINTY_CYCLES,)
    return (UNCERTAINTY,)


def file_contents(stem: str, result: Result, setup: Setup, inputs: Sequence[Mapping[str, str]]) -> dict[str, Content]:
    """The files of a result by their names, the record last; long tables are made as they are written.

    Parameters
    ----------
    stem : str
        That the names begin with.
    result : Result
    setup : Setup
        With a model (`with_chosen_model`).
    inputs : sequence of mappings
        As `inputs_of` gives them.
    """
    from gaitid.write.tables import table_blocks

    options, parts = setup.options, parts_of(result, setup.options)
    contents: dict[str, Content] = {
        f"{stem}.{table}.csv": table_blocks(table, result, options.express_in, parts) for table in tables_of(options)
    }
    found = estimate_of(result, setup)
    if found is not None:
        from gaitid.analysis.cycle_curves import curves_of
        from gaitid.analysis.features import features
        from gaitid.write.cycles import features_blocks

        measured = features(result, curves_of(result))
        contents[f"{stem}.features.csv"] = features_blocks(measured, result.trial, found.of_features())
        tables = {UNCERTAINTY: found.table, UNCERTAINTY_CYCLES: found.cycles_table}
        contents |= {f"{stem}.{table}.csv": tables[table]() for table in bands_of(options)}
    return contents | {f"{stem}.run.json": record_of(result, setup, inputs)}


_ESTIMATES: WeakKeyDictionary[Result, Estimate] = WeakKeyDictionary()


def estimate_of(result: Result, setup: Setup) -> Estimate | None:
    """How sure the numbers of a result are, made once and kept as long as the result is; None where nobody asked."""
    if setup.sources is None:
        return None
    found = _ESTIMATES.get(result)
    if found is None:
        from gaitid.uncertainty.estimate import estimate

        found = estimate(result, setup.sources, setup.options.express_in, setup.progress)
        _ESTIMATES[result] = found
    return found


def record_of(result: Result, setup: Setup, inputs: Sequence[Mapping[str, str]]) -> str:
    """The text of a result's ``run.json``; parameters as of `file_contents`."""
    from gaitid.write.record import record, record_text

    options = setup.options
    content = record(result, command_to_keep(options), inputs, options.express_in, options.keep_names)
    content["settings"] |= reader_settings(options)
    for choice in setup.chosen_by_joints:
        content["model"]["choices"][choice]["by"] = "a joint that was measured (--functional or --subject)"
    if setup.chosen_because:
        content["model"]["chosen_because"] = setup.chosen_because
    if options.contributions:
        from gaitid.analysis.contributions import contributions_in_words

        content["settings"] |= {"contributions": True, "observer": options.observer}
        content["conventions"]["contributions"] = contributions_in_words(options.observer, bool(result.applied_loads))
    if result.trial.corrections is not None:
        from gaitid.analysis.corrections import effects

        content["corrections"] = effects(result)
    found = estimate_of(result, setup)
    if found is not None:
        from gaitid.uncertainty.usable import usable_for

        content["uncertainty"] = found.record()
        usable = usable_for(result, found.names, found.standard, options.max_uncertainty)
        content["verdict"]["usable_for"] = [one.as_dict() for one in usable]
    return record_text(content)


def put_in_place(
    folder: Path, contents: Mapping[str, Content], options: RunOptions, placed: Callable[[], object] = lambda: None
) -> list[Path]:
    """Write the files of a result, and take away those of an earlier one that this one does not have.

    Raises
    ------
    WriteError
        The folder cannot be made or written to; it is as it was before.
    """
    record = list(contents)[-1]
    again = (folder / record).is_file()
    written = write_all(folder, contents, placed)
    asked = (*tables_of(options), *bands_of(options))
    for name in (*WRITE, *BANDS) if again else ():
        if name not in asked:  # of an earlier run, perhaps with other settings
            (folder / f"{record.removesuffix('run.json')}{name}.csv").unlink(missing_ok=True)
    return written
