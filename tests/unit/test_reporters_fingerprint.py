"""The fingerprints of findings, against values that code scanning is known to compute."""

import pytest

from memtru_ci.reporters.fingerprint import finding_key, line_hashes, stable_name

GREETING = [
    "e9496ae3ebfced30:1",
    "fb7c023a8b9ccb3f:1",
    "ce8ba1a563dcdaca:1",
    "e20e36e16fcb0cc8:1",
    "b3edc88f2938467e:1",
    "c8e28b0b4002a3a0:1",
    "c129715d7a2bc9a3:1",
]


@pytest.mark.parametrize(
    ("text", "hashes"),
    [
        ("", ["c129715d7a2bc9a3:1"]),
        (
            " a\nb\n  \t\tc\n d",
            ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"],
        ),
        (" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n", GREETING),
        (" hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r", GREETING),
        (" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n", GREETING),
    ],
)
def test_line_hashes_are_those_of_code_scanning(text: str, hashes: list[str]) -> None:
    assert line_hashes(text) == hashes


def test_equal_lines_of_a_file_are_told_apart_by_a_number() -> None:
    hashes = line_hashes("Lorem ipsum dolor sit amet.\n" * 10)
    assert hashes[:6] == [f"a7f2ff13bc495cf2:{number}" for number in range(1, 7)]
    assert hashes[6:] == [
        "a7f2ff1481e87703:1",
        "a9cf91f7bbf1862b:1",
        "55ec222b86bcae53:1",
        "cc97dc7b1d7d8f7b:1",
        "c129715d7a2bc9a3:1",
    ]


def test_a_line_hash_holds_while_the_line_moves() -> None:
    tail = "target: image:acme/memory\n" + "x" * 200
    assert line_hashes(tail)[0] == line_hashes("# new first line\n" + tail)[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("image:acme/memory:1.2", "image:acme/memory:1.3"),
        ("image:acme/memory", "image:acme/memory@sha256:" + "0" * 64),
        ("image:registry.test:5000/memory:1", "image:registry.test:5000/memory:2"),
        ("url:http://127.0.0.1:8080/v1", "url:http://127.0.0.1:9090/v1"),
        ("url:http://[::1]:8080", "url:http://[::1]"),
        ("url:http://user:secret@host:80", "url:http://host"),
    ],
)
def test_the_key_of_a_finding_outlives_tags_digests_and_ports(one: str, other: str) -> None:
    assert finding_key("MT-AF-001", one, "x") == finding_key("MT-AF-001", other, "x")


def test_the_key_of_a_finding_tells_rules_targets_and_findings_apart() -> None:
    keys = {
        finding_key(rule, target, finding)
        for rule in ("MT-AF-001", "MT-AF-002")
        for target in ("image:a", "image:b", "url:http://a")
        for finding in ("x", "y")
    }
    assert len(keys) == 12


def test_a_stable_name_keeps_what_names_the_target() -> None:
    assert stable_name("image:registry.test:5000/memory:1") == "image:registry.test:5000/memory"
    assert stable_name("process:python app.py") == "process:python app.py"
