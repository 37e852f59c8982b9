"""A `Result` -> the text of its files. The list of tables and the columns of each stand here, and nowhere else.

It knows nothing of how a number came about, and writes no file itself (`gaitid.disk`).
"""

#: Of ``walk.contacts.csv``.
CONTACT_COLUMNS = ("side", "plates", "first_frame", "last_frame", "peak_vertical_N", "method", "confidence", "reason")
