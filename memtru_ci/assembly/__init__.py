"""Puts the parts together: what the command line and the action call."""

from memtru_ci.assembly.origin import Repository
from memtru_ci.assembly.running import new_run_id, test

__all__ = ["Repository", "new_run_id", "test"]
