"""What has to stay in step: versions, lock files, action.yml, the image and the workflow."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import memtru_ci

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
DOCKERFILE = (ROOT / "Dockerfile").read_text()
LOCKS = [
    "requirements.lock",
    "requirements-build.lock",
    "requirements-dev.lock",
    "requirements-ci.lock",
]
PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)
# In halves, so that this file does not name what it looks for.
REGISTRY_HOSTS = [
    "python" + "hosted.org",
    "pypi" + ".org/simple",
    "registry" + ".npmjs",
    "deb" + ".debian.org",
]


def pins(lock: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, version in PIN.findall((ROOT / lock).read_text()):
        found.setdefault(canonicalize_name(name), set()).add(version)
    return found


def wanted(group: str | None) -> list[Requirement]:
    """What the runtime (None) or a dependency group asks for, without the groups it includes."""
    lines = PYPROJECT["dependency-groups"][group] if group else PYPROJECT["project"]["dependencies"]
    return [Requirement(line) for line in lines if isinstance(line, str)]


def tracked_files() -> list[Path]:
    done = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
    )
    if done.returncode != 0:
        pytest.skip("not a git checkout")
    return [path for name in done.stdout.split("\0") if name and (path := ROOT / name).is_file()]


@pytest.mark.parametrize(
    ("lock", "group"),
    [
        ("requirements.lock", None),
        ("requirements-build.lock", "build"),
        ("requirements-dev.lock", None),
        ("requirements-dev.lock", "build"),
        ("requirements-dev.lock", "dev"),
        ("requirements-ci.lock", "ci"),
    ],
)
def test_a_lock_file_pins_what_pyproject_asks_for(lock: str, group: str | None) -> None:
    pinned = pins(lock)
    for requirement in wanted(group):
        versions = pinned.get(canonicalize_name(requirement.name), set())
        assert versions, f"{requirement.name} is missing in {lock}: make lock"
        assert all(requirement.specifier.contains(v) for v in versions), f"{requirement}: make lock"


def test_the_lock_files_agree_on_every_version() -> None:
    everything: dict[str, set[str]] = {}
    for lock in LOCKS:
        for name, versions in pins(lock).items():
            everything.setdefault(name, versions)
            assert everything[name] == versions, f"{name} in {lock}"


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_a_hash(lock: str) -> None:
    blocks = re.split(r"\n(?=\S)", (ROOT / lock).read_text().strip())
    assert len(blocks) == len(PIN.findall((ROOT / lock).read_text()))
    assert all("--hash=sha256:" in block for block in blocks)


def test_the_backend_is_the_one_that_the_build_group_locks() -> None:
    backend = {Requirement(line).name for line in PYPROJECT["build-system"]["requires"]}
    assert backend <= {requirement.name for requirement in wanted("build")}


def test_no_file_names_a_package_registry() -> None:
    named = [
        (str(path.relative_to(ROOT)), host)
        for path in tracked_files()
        for host in REGISTRY_HOSTS
        if host.encode() in path.read_bytes()
    ]
    assert named == []


def test_the_image_carries_the_version_of_the_package() -> None:
    assert f'image.version="{memtru_ci.__version__}"' in DOCKERFILE


def test_the_changelog_has_the_version_of_the_package() -> None:
    assert f"## [{memtru_ci.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_the_supported_pythons_are_the_same_everywhere() -> None:
    listed = [
        line.rpartition(" ")[2]
        for line in PYPROJECT["project"]["classifiers"]
        if re.search(r":: 3\.\d+$", line)
    ]
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    assert workflow["jobs"]["check"]["strategy"]["matrix"]["python"] == listed
    assert PYPROJECT["project"]["requires-python"] == f">={listed[0]}"
    bounds = re.search(
        r"\((3), (\d+)\) <= .* <= \((3), (\d+)\)", (ROOT / ".ci/find-python").read_text()
    )
    assert bounds
    assert [".".join(bounds.group(1, 2)), ".".join(bounds.group(3, 4))] == [listed[0], listed[-1]]


def test_action_yml_is_valid() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "check_jsonschema",
            "--builtin-schema",
            "vendor.github-actions",
            str(ROOT / "action.yml"),
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_input_is_optional_and_its_default_a_string() -> None:
    for name, declared in ACTION["inputs"].items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
        assert declared["required"] is False
        assert isinstance(declared["default"], str), name
        assert declared["description"].endswith("."), name


def test_the_action_calls_executables_that_the_image_has() -> None:
    for key in ("entrypoint", "post-entrypoint"):
        assert f"/opt/memtru/entrypoint.py {ACTION['runs'][key]}" in DOCKERFILE
        assert Path(ACTION["runs"][key]).name in (ROOT / "entrypoint.py").read_text()


def test_the_image_names_no_user_since_the_action_has_to_be_root() -> None:
    assert not re.search(r"^USER\b", DOCKERFILE, re.MULTILINE)


def test_nothing_but_the_needed_files_goes_into_the_build() -> None:
    allowed = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in allowed
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    assert names == {line[1:].rstrip("/") for line in allowed if line.startswith("!")}


def test_every_action_of_the_workflows_is_pinned_by_its_commit() -> None:
    for file in (ROOT / ".github" / "workflows").glob("*.yml"):
        for used in re.findall(r"uses: (\S+)", file.read_text()):
            assert used == "./" or re.search(r"@[0-9a-f]{40}$", used), f"{file.name}: {used}"


def test_the_wheel_holds_every_file_of_the_package(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    package = {str(file.relative_to(ROOT)) for file in tracked_files()}
    missing = {name for name in package if name.startswith("memtru_ci/")} - held
    assert missing == set()
    assert "memtru_ci/py.typed" in held
