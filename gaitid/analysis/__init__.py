"""A trial, a model and what is known of the subject -> a frozen `Result`: the whole job on one screen.

`pipeline` calls every stage once, in the order in which the data go; `limb` solves one leg. What comes in was read, and
what goes out is arrays in SI units: nothing here knows of files, columns or the command line.
"""
