"""Puts the parts together: what the command line and the action call."""

from memtru_ci.assembly.demonstration import Demonstration, demo
from memtru_ci.assembly.leftovers import clean
from memtru_ci.assembly.running import new_run_id
from memtru_ci.assembly.running import perform as test

__all__ = ["Demonstration", "clean", "demo", "new_run_id", "test"]
