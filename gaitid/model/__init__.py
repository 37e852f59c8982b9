"""YAML -> a checked `Model`: markers, points, frames, joints, signs, settings, tables; refusals name the key.

Formulas are parsed, never executed. It knows nothing of a trial: only what one must hold.
"""

#: In place of a model's name: the one that fits.
AUTO = "auto"
