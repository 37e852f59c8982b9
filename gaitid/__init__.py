"""gaitid: 3D gait analysis from markers and force plates to joint wrenches.

Importing the package loads nothing but the standard library: the command line stays quick, and each
module imports what it needs.
"""

from gaitid.version import __version__

__all__ = ["__version__"]
