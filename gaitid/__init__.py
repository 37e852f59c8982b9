"""gaitid: 3D gait analysis from markers and force plates to joint wrenches.

Importing the package loads nothing but the standard library: the command line stays quick, and each
module imports what it needs.
"""

__version__ = "0.1.0"
