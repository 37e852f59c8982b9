"""Bytes on disk: only of regular files, up to a limit that is known before, written whole or not at all;
and arrays of very long trials, in temporary files.

Names, bytes and arrays come in and go out. It knows nothing of trials or results.
"""
