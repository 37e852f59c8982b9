"""Bytes on disk: only of regular files, up to a limit that is known before, written whole or not at all.

Names and bytes come in and go out. It knows nothing of trials or results.
"""
