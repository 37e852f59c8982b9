"""Results on disk, found and read back: files or folders in, records and tables out that are whole and of one run.

It draws, exports and compares nothing, and computes no physics; what it refuses is damage, not a number.
"""
