"""A result and the sizes of the errors of what it was made from -> how sure each of its numbers is, and why.

Comes in: a `Result` and a file of standard uncertainties (configs/uncertainty). Goes out: the standard uncertainty and
the 95 % band of every column and feature, and how much of it each source makes. It computes nothing of gait itself: the
stages of the analysis are called again with shifted ingredients, and what the analysis decided (who stood where, what
is known, which frames are of an impact) stays as it was. It writes no file.
"""
