"""What a run takes from its environment: the values behind names in the settings."""

from collections.abc import Mapping
from dataclasses import dataclass

from memtru_ci.domain.redaction import Redactor, guessed_secrets
from memtru_ci.errors import UsageError
from memtru_ci.settings.model import Settings


@dataclass(frozen=True)
class Surroundings:
    """The target's variables, the bearer token, and what keeps both out of sight."""

    env: Mapping[str, str]
    token: str | None
    redactor: Redactor


def look_around(settings: Settings, environment: Mapping[str, str]) -> Surroundings:
    """Resolve `secrets` and `token_env`; raises `UsageError` where a variable is not set."""
    secrets = {name: _value(name, "secrets", environment) for name in settings.secrets}
    token = None
    if settings.token_env is not None:
        token = _value(settings.token_env, "token_env", environment)
    hidden = [*secrets.values(), *guessed_secrets(settings.env), token or ""]
    return Surroundings({**settings.env, **secrets}, token, Redactor(hidden))


def _value(name: str, key: str, environment: Mapping[str, str]) -> str:
    if name not in environment:
        raise UsageError(
            f"The environment variable {name}, named by `{key}`, is not set.",
            hint="Set it where the gate runs; in a container, hand it in with `docker run -e`.",
        )
    return environment[name]
