"""The built-in memory service: durable, correct by default, with one named defect at will.

It is a target to try the gate on, and the gate's own test: every defect must be found, and the
correct service must never be blamed.
"""
