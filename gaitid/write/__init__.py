"""A `Result` -> the text of its files. The list of tables and the columns of each stand here, and nowhere else.

It knows nothing of how a number came about, and writes no file itself (`gaitid.disk`).
"""
