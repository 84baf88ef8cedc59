"""The settings as documents: the JSON Schema and the page that explains every key."""

import json
from typing import Any

from memtru_ci.settings.file import PLACES
from memtru_ci.settings.model import Settings
from memtru_ci.settings.options import OPTIONS, TARGET_KINDS, Option

SCHEMA_ID = "urn:memtru:schema:settings:1.0"

_HEAD = """# Settings

A run reads the first of {places}, or the file given with `--config`. The command line
overrides the file, and so do inputs of the action that differ from their default; `--env` is laid
over its `env`. Unknown keys, keys that are there twice and YAML aliases are errors. Texts are
texts: quote numbers and booleans where a text is meant.

```yaml
target: image:acme/memory:1.2
env:
  LOG_LEVEL: info
scenarios: [afterlife]
window: 5
fail_on: medium
```

No key leads to privileged mode, host namespaces, devices, bind mounts, the Docker socket or an
unconfined security profile. Volumes are named, never paths.

## Targets

| `target` | What it is |
| --- | --- |
{targets}

## Keys

| Key | Default | Allowed | Meaning |
| --- | --- | --- | --- |
{keys}
"""


def schema() -> str:
    """The JSON Schema of `memtru.yml`."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA_ID}
    model = Settings.model_json_schema(mode="validation")
    return json.dumps({**head, **model}, indent=2, ensure_ascii=False) + "\n"


def page() -> str:
    """The page of every key, in Markdown."""
    places = ", ".join(f"`{place}`" for place in PLACES)
    targets = "\n".join(f"| `{kind}:` | {what} |" for kind, what in TARGET_KINDS.items())
    keys = "\n".join(_row(key, option) for key, option in OPTIONS.items())
    return _HEAD.format(places=places, targets=targets, keys=keys)


def documents() -> dict[str, str]:
    """The generated files: path below the root of the repository, and text."""
    return {"schemas/settings.schema.json": schema(), "docs/settings.md": page()}


def _row(key: str, option: Option) -> str:
    return f"| `{key}` | {_default(option.default)} | {option.allowed} | {option.meaning} |"


def _default(value: Any) -> str:
    return "none" if value is None else f"`{json.dumps(value)}`"
