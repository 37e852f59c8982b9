"""Channels and geometry of force plates, from a C3D's FORCE_PLATFORM or a plates file -> `ForcePlate`."""
