"""A `Result` -> the text of its files. The list of tables and the columns of each stand here, and nowhere else.

It knows nothing of how a number came about, and writes no file itself (`gaitid.disk`).
"""

#: Frames of expression of joint wrenches, and those that are written where none is asked for.
FRAMES_OF_EXPRESSION = ("global", "proximal", "distal", "jcs")
DEFAULT_FRAMES = ("global", "distal")
#: Tables that are written only when asked for (``--write``), and all that a run may write.
WRITE = ("segments", "base")
TABLES = ("wrenches", "joints", "contacts", "cycles", "spatiotemporal", *WRITE)
