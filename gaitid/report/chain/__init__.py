"""Results of chains that do not walk -> pages and pictures: an arm, a linkage, a pendulum, as run or as simulated.

What is drawn (`drawn`) comes from a result that `gaitid run` wrote (`from_run`) or from the truth of a simulated trial
(`from_truth`). It knows nothing of gait cycles, plates or norms.
"""
