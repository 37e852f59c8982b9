"""A leg of two bodies that follows a motion by computed torque (docs/joint_space.md)."""

import numpy as np

from gaitid.dynamics.control import computed_torque
from gaitid.dynamics.integration import Environment, integrate
from gaitid.dynamics.joint_tree import Body, JointTree

z, gravity_g = np.array([0.0, 0.0, 1.0]), np.array([0.0, -9.81, 0.0])
inertia = np.diag([0.05, 0.006, 0.05])
thigh = Body("thigh", -1, "revolute", z, np.eye(3), np.zeros(3), 3.0, np.array([0, -0.18, 0]), inertia)
shank = Body("shank", 0, "revolute", z, np.eye(3), np.array([0, -0.42, 0]), 2.0, np.array([0, -0.17, 0]), inertia)
leg = JointTree((thigh, shank))


def desired(t):
    return np.array([np.sin(t), -1.0]), np.array([np.cos(t), 0.0]), np.array([-np.sin(t), 0.0])


torque = computed_torque(leg, desired, kp=100.0, kd=20.0, gravity_g=gravity_g)
run = integrate(leg, [0.2, -0.8], [0.0, 0.0], torque, np.linspace(0, 2, 201), Environment(gravity_g))
print(run.q[-1] - desired(2.0)[0], run.energy_drift)
