"""The settings take what they name, and nothing else."""

import importlib
import pkgutil

import pytest
from pydantic import ValidationError

from memtru_ci import targets
from memtru_ci.assembly.targets import MAKERS
from memtru_ci.settings.model import Settings
from memtru_ci.settings.options import DEFAULT_CAPABILITIES, OPTIONS, TARGET_KINDS
from memtru_ci.settings.target import parse_target

MODES_THAT_LEAD_OUT = {
    "privileged": True,
    "network_mode": "host",
    "pid_mode": "host",
    "ipc_mode": "host",
    "userns_mode": "host",
    "devices": ["/dev/kvm"],
    "security_opt": ["seccomp=unconfined"],
    "cap_add": ["SYS_ADMIN"],
    "binds": ["/:/host"],
    "extra_hosts": {"metadata": "169.254.169.254"},
    "runtime": "runc",
    "sysctls": {},
}


def problem(**values: object) -> str:
    with pytest.raises(ValidationError) as caught:
        Settings.model_validate({"target": "image:x", **values})
    return str(caught.value)


def test_every_key_has_its_default_from_the_table_of_options() -> None:
    made = Settings().model_dump()
    assert made == {key: one.default for key, one in OPTIONS.items() if "." not in key}


def test_a_default_map_is_not_shared_between_settings() -> None:
    Settings().env["A"] = "1"
    assert Settings().env == {}


@pytest.mark.parametrize(("key", "value"), MODES_THAT_LEAD_OUT.items())
def test_no_key_leads_out_of_the_isolation(key: str, value: object) -> None:
    assert "Extra inputs are not permitted" in problem(**{key: value})


@pytest.mark.parametrize("name", ["/var/run/docker.sock", "../data", "/", "a/b", "", ".hidden"])
def test_a_volume_is_a_plain_name_and_never_a_path(name: str) -> None:
    problem(volumes={name: "/data"})


@pytest.mark.parametrize(
    "path", ["data", "/", "/a/../b", "/data:/etc", "/proc", "/dev/shm", "/a\n"]
)
def test_a_volume_goes_to_a_folder_of_the_image(path: str) -> None:
    problem(volumes={"data": path})


def test_a_named_volume_is_taken() -> None:
    assert Settings(volumes={"data": "/data"}).volumes == {"data": "/data"}


@pytest.mark.parametrize("options", ["bind", "size=1x", "mode=9999", "suid", "dev"])
def test_a_tmpfs_takes_harmless_options_only(options: str) -> None:
    problem(tmpfs={"/tmp": options})


def test_a_tmpfs_takes_size_and_mode() -> None:
    assert Settings(tmpfs={"/tmp": "size=64m,mode=1777", "/run": ""}).tmpfs["/run"] == ""


@pytest.mark.parametrize("name", ["SYS_ADMIN", "ALL", "NET_ADMIN", "chown"])
def test_only_capabilities_of_dockers_own_set_are_given_back(name: str) -> None:
    problem(capabilities=[name])


def test_the_set_of_capabilities_is_the_one_of_the_containers() -> None:
    from memtru_ci import containers

    assert set(DEFAULT_CAPABILITIES) == set(containers.DEFAULT_CAPABILITIES)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("window", 0.4),
        ("window", 301),
        ("window", float("nan")),
        ("window", "5"),
        ("window", True),
        ("port", 0),
        ("port", "8080"),
        ("port", 8080.0),
        ("timeout", float("inf")),
        ("fail_on", "sometimes"),
        ("fail_on_inconclusive", "true"),
        ("egress", "host"),
        ("memory", "5m"),
        ("memory", "1t"),
        ("cpus", 0),
        ("pids", -1),
        ("user", "root;id"),
        ("command", "python app.py"),
        ("health_path", "health"),
        ("health_path", "//elsewhere/health"),
        ("health_path", "/a b"),
        ("env", {"A B": "x"}),
        ("env", {"A": 1}),
        ("env", {"A": "x\0y"}),
        ("secrets", ["A=B"]),
        ("anchor", "/etc/passwd"),
        ("anchor", "../x:3"),
        ("anchor", "x:0"),
        ("sarif_category", ""),
        ("sarif_category", "a b"),
        ("output_dir", ""),
        ("seed", -1),
        ("scenarios", []),
        ("token_env", ""),
    ],
)
def test_nothing_is_coerced_and_limits_hold(key: str, value: object) -> None:
    assert key in problem(**{key: value})


def test_scenarios_may_be_one_text_of_several_names() -> None:
    assert Settings(scenarios="afterlife, MT-DEL-003\nall").scenarios == [
        "afterlife",
        "MT-DEL-003",
        "all",
    ]


def test_a_target_beside_a_build_is_a_contradiction() -> None:
    assert "two targets" in problem(build={})


def test_a_build_alone_is_the_target() -> None:
    settings = Settings(build={"context": "app"})
    assert settings.has_target
    assert settings.target_name.kind == "build"


def test_nothing_is_tested_by_default() -> None:
    assert not Settings().has_target


def test_a_variable_is_not_both_open_and_secret() -> None:
    assert "keep one" in problem(env={"A": "1"}, secrets=["A"])


def test_every_kind_of_target_can_be_named_made_and_has_a_file() -> None:
    files = {
        name
        for _, name, _ in pkgutil.iter_modules(targets.__path__)
        if hasattr(importlib.import_module(f"memtru_ci.targets.{name}"), f"{name.title()}Target")
    }
    assert files == set(MAKERS) == set(TARGET_KINDS)


@pytest.mark.parametrize(
    "text",
    [
        "image:acme/memory:1.2",
        "image:registry.example:5000/a/b@sha256:0123",
        "build",
        "container:memory-1",
        "url:http://127.0.0.1:8080",
        "process:python service.py --port 1",
        "python:acme.memory:Adapter",
        "embedded:",
        "embedded:delayed",
    ],
)
def test_a_target_reads_as_it_was_written(text: str) -> None:
    assert str(parse_target(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "acme/memory",
        "image:",
        "image:-v",
        "image:a b",
        "container:a/b",
        "url:ftp://x",
        "url:http://",
        "url:http://user@host",
        "process: ",
        "python:module",
        "embedded:No Such",
        "build:x",
    ],
)
def test_a_malformed_target_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is|begins"):
        parse_target(text)


def test_the_embedded_service_needs_no_colon() -> None:
    assert str(parse_target("embedded")) == "embedded:"


def test_an_image_without_its_kind_is_recognised() -> None:
    with pytest.raises(ValueError, match="Write image:acme/memory for an image"):
        parse_target("acme/memory")
