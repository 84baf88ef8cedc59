"""The REST mappings that come with the gate."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memtru_ci.services.mapping.presets import Presets
from memtru_ci.services.rest.mapping import RestMapping, RestService

FOLDER = Path(__file__).parent / "presets"
_PRESETS = Presets(FOLDER, "REST", "docs/rest-mapping.md")


def names() -> list[str]:
    """The presets there are."""
    return _PRESETS.names()


def preset(name: str) -> Mapping[str, Any]:
    """The keys of a preset. Raises `UsageError` for one that is unknown."""
    return _PRESETS.keys(name)


def merged(service: RestService) -> RestMapping:
    """The preset with the given keys laid over it; see `Presets.merged`."""
    return _PRESETS.merged(RestMapping, service.preset, service)
