"""Puts the parts together: what the command line and the action call."""

from memtru_ci.assembly.demonstration import Demonstration, demo
from memtru_ci.assembly.diagnosis import Check, Diagnosis, State
from memtru_ci.assembly.doctor import examine
from memtru_ci.assembly.leftovers import clean
from memtru_ci.assembly.running import new_run_id
from memtru_ci.assembly.running import perform as test

__all__ = [
    "Check",
    "Demonstration",
    "Diagnosis",
    "State",
    "clean",
    "demo",
    "examine",
    "new_run_id",
    "test",
]
