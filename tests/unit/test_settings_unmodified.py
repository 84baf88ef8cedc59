"""The keys for services as they are: sidecars, a model, holds, jobs, and what contradicts what."""

from pathlib import Path
from typing import Any

import pytest

from memtru_ci.errors import SettingsError
from memtru_ci.settings.file import load
from memtru_ci.settings.health import Health
from memtru_ci.settings.holding import hold_by
from memtru_ci.settings.model import Settings
from memtru_ci.settings.options import DEFAULT_CAPABILITIES

REDIS = {"image": "redis:8"}
REST = {"kind": "rest", "preset": "mem0"}
HEAD = "target: image:x\nservices:\n  redis:\n    image: redis:8\n"


def settings(**values: Any) -> Settings:
    return Settings.model_validate({"target": "image:x", **values})


def refused(root: Path, text: str) -> str:
    (root / "memtru.yml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load(root)
    assert caught.value.exit_code == 2
    return str(caught.value).removeprefix(f"{root}/memtru.yml")


def test_a_sidecar_is_taken_in_the_form_of_github_workflows() -> None:
    given = {
        "image": "postgres:17",
        "env": {"POSTGRES_PASSWORD": "x"},
        "options": "--health-cmd pg_isready --health-retries 9",
        "volumes": ["data:/var/lib/postgresql/data"],
        "capabilities": "docker-default",
    }

    taken = settings(services={"db": given}).services["db"]

    assert taken.health == Health("pg_isready", retries=9)
    assert taken.mounts == {"data": "/var/lib/postgresql/data"}
    assert taken.capabilities == list(DEFAULT_CAPABILITIES)


def test_dockers_default_may_be_given_back_to_the_target_too() -> None:
    assert settings(capabilities="docker-default").capabilities == list(DEFAULT_CAPABILITIES)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ports: ['6379:6379']", ":5: `services.redis.ports`: it is refused: the target and its"),
        ("credentials: {}", ":5: `services.redis.credentials`: it is refused: log in"),
        ("privileged: true", ":5: `services.redis.privileged` is not a known key. Known keys"),
        ("imagee: x", ':5: `services.redis.imagee` is not a known key. Did you mean "image"?'),
        ("options: --privileged", ":5: `services.redis.options`: \"--privileged\" came, but "
         "--privileged is refused: only health checks"),
        ("options: -v /:/host", "but -v is refused"),
        ("options: --network host", "but --network is refused"),
        ("volumes: ['/var/run/docker.sock:/sock']", ":5: `services.redis.volumes[0]`: "),
        ("volumes: ['/data']", "only volumes with a name are taken"),
        ("volumes: ['./data:/data']", "only volumes with a name are taken"),
        ("volumes: ['data:/proc']", "the system's own folders"),
        ("volumes: ['data:/data:ro']", "not an absolute path"),
        ("volumes: ['data:/a', 'data:/b']", ":5: `services.redis.volumes`: a volume is named"),
        ("capabilities: all", ":5: `services.redis.capabilities`: \"all\" came; allowed: docker-d"),
        ("capabilities: [SYS_ADMIN]", "not among the capabilities that Docker gives"),
        ("command: redis-server", ":5: `services.redis.command`: \"redis-server\" came; allowed"),
        ("env: {A: 1}", ":5: `services.redis.env.A`: 1 came; allowed: a map of names to texts"),
        ("memory: 1k", ":5: `services.redis.memory`: "),
    ],
)  # fmt: skip
def test_what_a_sidecar_must_not_have_is_told_with_its_line(
    tmp_path: Path, line: str, said: str
) -> None:
    assert said in refused(tmp_path, f"{HEAD}    {line}\n")


@pytest.mark.parametrize("name", ["Redis", "redis.local", "-redis", "a b", "localhost", ""])
def test_a_sidecar_has_the_name_of_a_host(tmp_path: Path, name: str) -> None:
    said = refused(tmp_path, f'target: image:x\nservices:\n  "{name}":\n    image: redis:8\n')
    assert said.startswith(f":3: `services.{name}`: ")


def test_a_sidecar_without_an_image_runs_the_targets_own(tmp_path: Path) -> None:
    file = tmp_path / "memtru.yml"
    file.write_text("target: image:x\nservices:\n  worker:\n    command: [work]\n")
    assert load(tmp_path).settings.services["worker"].image is None


@pytest.mark.parametrize(
    "target", ["url:http://127.0.0.1:1", "process:x", "python:a:B", "container:a", "embedded"]
)
def test_sidecars_are_refused_where_the_target_could_not_reach_them(
    tmp_path: Path, target: str
) -> None:
    said = refused(tmp_path, HEAD.replace("image:x", target))
    assert said.startswith(f":2: `services`: {target.split(':')[0]}: targets cannot reach sidecars")


def test_a_model_with_nothing_in_it_takes_the_variables_of_openai() -> None:
    model = settings(model={}).model
    assert model is not None
    assert model.env == {"OPENAI_BASE_URL": "{url}/v1", "OPENAI_API_KEY": "memtru-stand-in"}
    assert model.dimensions == 1536


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model:\n  env: {A: x}", ":3: `model.env`: no value names {url}"),
        ("env: {OPENAI_API_KEY: x}\nmodel: {}", ":3: `model`: `OPENAI_API_KEY` is both in `env`"),
        ("secrets: [OPENAI_API_KEY]\nmodel: {}", ":3: `model`: `OPENAI_API_KEY` is both in `sec"),
        ("model: {dimensions: 0}", ":2: `model.dimensions`: 0 came; allowed: a whole number"),
        ("model: {url: x}", ":2: `model.url` is not a known key. Known keys: env, dimensions, p"),
        ("hold: {by: model}", ":2: `hold.by`: model needs the key `model`"),
        ("hold: {by: magic}", ':2: `hold.by`: "magic" came; allowed: service, model, store,'),
        ("hold: {by: worker}", ":2: `hold.by`: worker needs `hold.sidecar`"),
        ("hold: {by: store, port: 1}", ":2: `hold.port`: it is the port of a store"),
        ("hold: {sidecar: redis}", ':2: `hold.sidecar`: "redis" is not among the sidecars of `s'),
        ("service: {kind: rest}\nhold: {by: service}", ":3: `hold.by`: a service without the con"),
        ("service: {preset: mem0}", ":2: `service`: "),
        ("service: {kind: soap}", ":2: `service`: "),
        (
            "service: {kind: rest, presett: x}",
            '`service.presett` is not a known key. Did you mean "p',
        ),
        ("service: {kind: contract, preset: x}", "`service.preset` is not a key of this kind"),
        (
            "service:\n  kind: rest\n  operations:\n    write:\n      pth: /x",
            ':6: `service.operations.write.pth` is not a known key. Did you mean "path"?',
        ),
        (
            "service:\n  kind: rest\n  variables: {a: [1]}",
            ":4: `service.variables.a`: [1] came: Input should be a valid string; or: Input should",
        ),
        ("service: {kind: mcp, operations: {write: {tol: x}}}", 'Did you mean "tool"?'),
        ("model:", ":2: `model`: it has no value; leave it out, or give it a map"),
        ("hold:", ":2: `hold`: it has no value"),
        ("service:", ":2: `service`: it has no value"),
        ("jobs: {compact: {command: [x]}}", ":2: `jobs.compact`: "),
        ("jobs: {consolidate: {}}", ":2: `jobs.consolidate.command` is missing; allowed: a list"),
        ("jobs: {consolidate: {command: []}}", ":2: `jobs.consolidate.command`: [] came"),
        ("jobs: {consolidate: {command: [x], timeout: 0}}", ":2: `jobs.consolidate.timeout`: 0"),
        ("update_never_creates: 1", ":2: `update_never_creates`: 1 came; allowed: true or false"),
    ],
)
def test_what_contradicts_or_misses_something_is_told_with_its_line(
    tmp_path: Path, text: str, said: str
) -> None:
    assert said in refused(tmp_path, f"target: image:x\n{text}\n")


@pytest.mark.parametrize(
    ("hold", "said"),
    [
        ("{by: store, sidecar: redis}", ":5: `hold.by`: store needs `hold.port`"),
        ("{by: worker, sidecar: redis, port: 1}", ":5: `hold.port`: it means nothing to worker"),
        ("{by: wire, sidecar: redis}", ":5: `hold.sidecar`: it means nothing to wire"),
        ("{by: worker, sidecar: redus}", ":5: `hold.sidecar`: \"redus\" is not among"),
    ],
)  # fmt: skip
def test_a_hold_has_what_its_way_needs_and_nothing_else(
    tmp_path: Path, hold: str, said: str
) -> None:
    assert said in refused(tmp_path, f"{HEAD}hold: {hold}\n")


@pytest.mark.parametrize(
    ("target", "text", "said"),
    [
        ("url:http://h:1", "model: {}", "`model`: url: targets are told nothing by the gate"),
        ("container:a", "model: {}\nhold: {by: model}", "cannot lead container: targets"),
        (
            "embedded",
            "hold: {by: wire}",
            "`hold.by`: the embedded service holds its writes itself",
        ),
        ("python:a:B", "service: {kind: rest}", "`service`: python: targets speak the contract"),
        ("embedded", "service: {kind: mcp}", "`service`: embedded: targets speak the contract"),
    ],
)
def test_what_a_target_cannot_have_is_told(
    tmp_path: Path, target: str, text: str, said: str
) -> None:
    assert said in refused(tmp_path, f"target: {target}\n{text}\n")


@pytest.mark.parametrize(
    ("values", "by"),
    [
        ({}, "service"),
        ({"model": {}}, "service"),
        ({"model": {}, "hold": {}}, "model"),
        ({"hold": {}}, "wire"),
        ({"services": {"r": REDIS}, "hold": {"sidecar": "r"}}, "worker"),
        ({"services": {"r": REDIS}, "hold": {"sidecar": "r", "port": 1}}, "store"),
        ({"service": REST}, "wire"),
        ({"service": REST, "model": {}}, "model"),
        ({"service": REST, "services": {"r": REDIS}, "hold": {"sidecar": "r"}}, "worker"),
        ({"service": REST, "model": {}, "hold": {"by": "wire"}}, "wire"),
        ({"target": "container:a", "service": REST, "model": {}}, "wire"),
        ({"target": "embedded", "hold": {}}, "service"),
    ],
)
def test_the_strongest_way_of_holding_that_can_be_had_is_taken(
    values: dict[str, Any], by: str
) -> None:
    assert hold_by(settings(**values)) == by
