"""What a run takes from its environment: the values behind names in the settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from memtru_ci.domain.redaction import Redactor, guessed_secrets
from memtru_ci.errors import UsageError
from memtru_ci.settings.model import Settings


@dataclass(frozen=True)
class Surroundings:
    """The variables of target and sidecars, the bearer token, and what keeps all out of sight."""

    env: Mapping[str, str]
    token: str | None
    redactor: Redactor
    sidecar_env: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By the sidecar's name."""


def look_around(settings: Settings, environment: Mapping[str, str]) -> Surroundings:
    """Resolve `secrets` and `token_env`; raises `UsageError` where a variable is not set."""
    secrets = {name: _value(name, "secrets", environment) for name in settings.secrets}
    of_sidecars = {
        called: {
            name: _value(name, f"services.{called}.secrets", environment) for name in one.secrets
        }
        for called, one in settings.services.items()
    }
    token = None
    if settings.token_env is not None:
        token = _value(settings.token_env, "token_env", environment)
    hidden = [*secrets.values(), *guessed_secrets(settings.env), token or ""]
    for called, one in settings.services.items():
        hidden += [*of_sidecars[called].values(), *guessed_secrets(one.env)]
    sidecar_env = {
        called: {**one.env, **of_sidecars[called]} for called, one in settings.services.items()
    }
    env = {**settings.env, **secrets}
    return Surroundings(env, token, Redactor(hidden), sidecar_env)


def _value(name: str, key: str, environment: Mapping[str, str]) -> str:
    if name not in environment:
        raise UsageError(
            f"The environment variable {name}, named by `{key}`, is not set.",
            hint="Set it where the gate runs; in a container, hand it in with `docker run -e`.",
        )
    return environment[name]
