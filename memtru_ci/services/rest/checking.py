"""Checks that a mapping is whole: every template can be filled, every answer can be read."""

from memtru_ci.services.rest.mapping import RestMapping


def check(mapping: RestMapping) -> None:
    """Raises `UsageError`, which names the key."""
