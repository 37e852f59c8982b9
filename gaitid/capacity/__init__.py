"""What accelerations a leg's joint torques could produce, posture by posture."""
