"""The executable of the action's two steps."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import entrypoint
from memtru_ci import github


@pytest.mark.parametrize(
    ("name", "step"), [("memtru-action", "main_step"), ("memtru-cleanup", "post_step")]
)
def test_the_step_is_chosen_by_the_name_it_is_called_by(
    name: str, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(sys, "argv", [f"/usr/local/bin/{name}"])
    monkeypatch.setattr(github, step, lambda: 3)
    try:
        assert entrypoint.main() == 3
        assert signal.getsignal(signal.SIGTERM) is entrypoint.leave
    finally:
        signal.signal(signal.SIGTERM, before)


def test_an_unknown_name_is_wrong_usage() -> None:
    file = Path(entrypoint.__file__)
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=30)
    assert done.returncode == 2
    assert "memtru-action, memtru-cleanup" in done.stderr


def test_sigterm_ends_the_step_with_the_code_of_a_signal() -> None:
    with pytest.raises(SystemExit) as left:
        entrypoint.leave(signal.SIGTERM, None)
    assert left.value.code == 143
