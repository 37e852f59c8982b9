"""A result of `gaitid run`, from disk -> files that other programs read: C3D, OpenSim's, MATLAB's, tables.

What no table holds comes from analysing the trial again (`gaitid.run.command`). It computes no physics, and knows
nothing of how a number came about.
"""

#: What ``--to`` takes, and what it makes of a result ``walk``.
FORMATS = {
    "c3d": "a copy of the trial's C3D with the results as points",
    "trc": "markers with labels checked and gaps filled, for OpenSim",
    "mot": "ground reactions, with their external loads (XML), for OpenSim",
    "sto": "joint moments, and angles, under OpenSim's names of coordinates",
    "opensim": "trc and mot, with setup files of scaling, inverse kinematics and inverse dynamics",
    "mat": "all tables as structs, for MATLAB and Octave",
    "xlsx": "all tables as sheets of one workbook",
    "parquet": "one Parquet file a table",
    "long": "one tidy CSV: a row a number",
}
