"""Folders of trials -> a folder of results: trials and statics found, worked on by supervised processes, resumable.

What comes in are names of files and folders; what goes out are the files of `gaitid.run` for each trial and a table of
all. It knows nothing of markers, plates or physics.
"""
