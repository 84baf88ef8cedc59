"""How the gate finds out whether it runs in a container itself."""

from memtru_ci.containers.vantage import own_ids

OWN, OTHER = "a" * 64, "b" * 64
ROOT = "/var/lib/docker/containers"


def mounted(root: str, point: str) -> str:
    return f"612 590 254:1 {root} {point} rw,relatime - ext4 /dev/vda1 rw"


def test_the_name_files_of_a_container_tell_its_id() -> None:
    mountinfo = "\n".join(
        mounted(f"{ROOT}/{OWN}/{name}", f"/etc/{name}") for name in ("resolv.conf", "hostname")
    )

    assert own_ids(mountinfo) == [OWN]


def test_the_files_of_a_rootless_engine_tell_it_too() -> None:
    line = mounted(f"/home/u/storage/overlay-containers/{OWN}/userdata/hosts", "/etc/hosts")

    assert own_ids(line) == [OWN]


def test_the_machine_itself_sees_mounts_of_containers_and_is_none_of_them() -> None:
    line = f"90 28 0:50 / {ROOT}/{OTHER}/mounts/shm rw,nosuid - tmpfs shm rw"

    assert own_ids(f"{line}\n{mounted('/', '/')}\n\nrubbish") == []
