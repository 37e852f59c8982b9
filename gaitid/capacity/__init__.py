"""A result and limits of its joints' torques -> what accelerations they could produce, posture by posture.

What goes out are tables and pictures; it may not change the result that it reads.
"""
