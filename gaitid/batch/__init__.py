"""Folders of trials -> a folder of results: each trial paired with its static and analysed, resumable at any moment.

In come names of files and folders; out go the files of `gaitid.run` for each trial, and a table of all. It may know
nothing of markers, plates or physics.

In reading order; each file imports only from those above it:

- ``types``: what the others hand to each other. ``results_folder``: its names and its lock.
- The plan: ``files`` (which may be trials), ``manifest``, ``discovery`` (all trials of a data set), ``statics`` (by
  name and content), ``pairs`` (which static for which trial), ``plan``, ``fetched`` (what URLs name).
- The work: ``job`` (one trial), ``local`` (processes here) and ``cluster`` (Dask), which give jobs to workers.
- What is kept: ``journal``, ``table``, ``collected`` (tables across trials), ``parquet``, ``previous`` (what previous
  batches left).
- ``supervisor``: the batch, from jobs to the tables of all.
"""
