"""The example's settings, from the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class Settings:
    """Where the databases are, the port, and which variant of the application this is."""

    data: Path
    port: int
    honour_tombstones: bool


def settings_from(environment: Mapping[str, str]) -> Settings:
    """Read DATA_DIR, PORT and HONOUR_TOMBSTONES; raises ValueError for what cannot be read."""
    honour = environment.get("HONOUR_TOMBSTONES", "true")
    if honour not in _BOOLEANS:
        raise ValueError(f"HONOUR_TOMBSTONES: true or false is required, not {honour!r}")
    return Settings(
        data=Path(environment.get("DATA_DIR", "data")),
        port=int(environment.get("PORT", "8080")),
        honour_tombstones=_BOOLEANS[honour],
    )
