"""Deaths are told in words, and no log can flood a message."""

from memtru_ci.targets.death import LONGEST_LOG, exit_in_words, told


def test_an_exit_code_is_told() -> None:
    assert exit_in_words(3) == "it exited with code 3"


def test_a_signal_is_told_by_name() -> None:
    assert exit_in_words(137) == "it exited with code 137 (SIGKILL)"


def test_want_of_memory_is_told() -> None:
    assert exit_in_words(137, oom_killed=True).endswith("killed for want of memory")


def test_a_code_that_is_no_signal_stays_a_number() -> None:
    assert exit_in_words(255) == "it exited with code 255"


def test_an_empty_log_is_said_to_be_empty() -> None:
    assert told("it exited", []) == "it exited; it logged nothing."


def test_log_lines_are_marked_as_such() -> None:
    assert told("it exited", ["a", "b"]) == "it exited; its last log lines:\n  | a\n  | b"


def test_a_flood_is_cut_to_its_last_lines() -> None:
    message = told("it exited", [f"{number} {'x' * 250}" for number in range(200)])

    assert len(message) < LONGEST_LOG + 2000
    assert "| 199 " in message
    assert "| 0 " not in message


def test_control_characters_of_a_log_are_made_visible() -> None:
    assert told("it exited", ["\x1b[2Jgone"]).endswith("  | \\u001b[2Jgone")
