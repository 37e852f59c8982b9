"""A mechanism in YAML -> its motion, its multipliers, and the force and torque at every constraint (planar, driven).

It knows nothing of trials; what it shares with their analysis are errors, the reading of YAML and the way of writing.
"""
