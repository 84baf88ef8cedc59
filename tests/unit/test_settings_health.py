"""The options of a sidecar: health checks are read, and everything else is refused by name."""

import pytest

from memtru_ci.settings.health import Health, read_health

REFUSED = (
    *(
        "--privileged",
        "--volume",
        "-v",
        "--network",
        "--net",
        "--pid",
        "--ipc",
        "--uts",
        "--userns",
    ),
    *("--cap-add", "--cap-drop", "--security-opt", "--device", "--device-cgroup-rule", "--gpus"),
    *("--publish", "-p", "--publish-all", "-P", "--mount", "--tmpfs", "--volumes-from"),
    *("--add-host", "--dns", "--link", "--hostname", "-h", "--ip", "--mac-address", "--expose"),
    *("--env", "-e", "--env-file", "--user", "-u", "--entrypoint", "--workdir", "-w", "--name"),
    *(
        "--memory",
        "-m",
        "--memory-swap",
        "--cpus",
        "--pids-limit",
        "--ulimit",
        "--oom-kill-disable",
    ),
    *("--sysctl", "--runtime", "--cgroup-parent", "--cgroupns", "--log-driver", "--log-opt"),
    *("--restart", "--rm", "--init", "--read-only", "--label", "-l", "--isolation", "--platform"),
    *("--pull", "--shm-size", "--stop-signal", "--stop-timeout", "--storage-opt", "--group-add"),
    *("--no-healthcheck", "--health-start-interval", "--health-cmdx", "redis", "-"),
)


@pytest.mark.parametrize("flag", REFUSED)
@pytest.mark.parametrize("form", ["{}", "{} x", "{}=x", "--health-cmd true {}"])
def test_an_option_that_is_no_health_check_is_refused_by_name(flag: str, form: str) -> None:
    with pytest.raises(ValueError, match=f"^{flag} is refused: only health checks"):
        read_health(form.format(flag))


def test_the_form_of_github_workflows_is_read() -> None:
    options = """
      --health-cmd "redis-cli ping"
      --health-interval 10s --health-timeout=500ms
      --health-retries 5
      --health-start-period 1m30s
    """

    assert read_health(options) == Health("redis-cli ping", 10.0, 0.5, 5, 90.0)


@pytest.mark.parametrize("options", ["", "  \n "])
def test_no_options_are_no_health_check(options: str) -> None:
    assert read_health(options) is None


def test_what_is_not_given_is_left_to_the_image() -> None:
    assert read_health("--health-interval 2s") == Health(interval_s=2.0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--health-cmd", "--health-cmd has no value"),
        ("--health-cmd=", "--health-cmd has no value"),
        ("--health-cmd 'a", "cannot be split"),
        ("--health-cmd a --health-cmd b", "--health-cmd is there twice"),
        ("--health-interval 5", "--health-interval 5 is not a time"),
        ("--health-interval -5s", "is not a time"),
        ("--health-interval 0s", "is not from 1ms to 1h"),
        ("--health-timeout 2h", "is not from 1ms to 1h"),
        ("--health-timeout 1d", "is not a time"),
        ("--health-retries 0", "--health-retries 0 is not a number from 1 to 1000"),
        ("--health-retries 1.5", "is not a number"),
        ("--health-retries many", "is not a number"),
    ],
)
def test_a_value_that_docker_would_not_take_is_named(options: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_health(options)
