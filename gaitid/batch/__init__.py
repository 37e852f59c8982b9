"""Folders of trials -> a folder of results: trials and statics found, worked on by supervised processes, resumable.

What comes in are names of files and folders; what goes out are the files of `gaitid.run` for each trial and a table of
all. It knows nothing of markers, plates or physics.

In reading order; each file imports only from those above it:

- ``types``: what the others hand to each other. ``results_folder``: its names and its lock.
- The plan: ``files`` (which may be trials), ``manifest``, ``discovery`` (all trials of a data set), ``statics`` (by
  name), ``standing`` (by content), ``pairs`` (which static for which trial), ``plan``, ``fetched`` (what URLs name).
- The work: ``job`` (one trial), ``local`` (processes here) and ``cluster`` (Dask), which give jobs to workers.
- What is kept: ``journal``, ``table``, ``parquet``, ``previous`` (what earlier batches left).
- ``supervisor``: the batch, from jobs to ``batch.csv``. ``progress``: the bar on a terminal.
"""
