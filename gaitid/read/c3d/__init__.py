"""A C3D file of any processor -> `Trial`: header, parameters, points, events."""
