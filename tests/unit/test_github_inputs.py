"""The action's inputs become settings in one table, which action.yml and README keep to."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml

from memtru_ci.errors import EXIT_USAGE, UsageError
from memtru_ci.github.inputs import INPUTS, TARGETS, Inputs, read_inputs, variable_of
from memtru_ci.github.outputs import OUTPUTS
from memtru_ci.settings.options import OPTIONS

ROOT = Path(__file__).resolve().parents[2]


def read(**given: str) -> Inputs:
    """The inputs, with `_` for hyphens; everything else is sent as GitHub sends it."""
    sent = {variable_of(name): one.default for name, one in INPUTS.items()}
    sent |= {variable_of(name.replace("_", "-")): value for name, value in given.items()}
    return read_inputs(sent)


def overrides(**given: str) -> dict[str, Any]:
    """Settings that the inputs set."""
    return {one.key: one.value for one in read(**given).overrides}


def action() -> dict[str, Any]:
    """The document that GitHub reads."""
    document: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    return document


def test_the_action_declares_exactly_the_inputs_that_are_read_with_their_defaults() -> None:
    declared = {name: one.get("default", "") for name, one in action()["inputs"].items()}
    assert declared == {name: one.default for name, one in INPUTS.items()}
    assert list(declared) == list(INPUTS)


def test_the_action_declares_exactly_the_outputs_that_are_written() -> None:
    assert list(action()["outputs"]) == list(OUTPUTS)


def test_the_readme_names_every_input_and_output() -> None:
    readme = (ROOT / "README.md").read_text()
    assert [name for name in (*INPUTS, *OUTPUTS) if f"`{name}`" not in readme] == []


def test_every_input_stands_for_a_setting_or_is_the_actions_own() -> None:
    own = {name for name, one in INPUTS.items() if not one.key}
    assert own == {"config", "summary", "annotations"}
    assert {one.key for one in INPUTS.values() if one.key} <= set(OPTIONS)


@pytest.mark.parametrize("name", [name for name, one in INPUTS.items() if one.key and one.default])
def test_a_default_of_the_action_is_the_default_of_the_setting(name: str) -> None:
    one = INPUTS[name]
    assert one.read(one.default) == OPTIONS[one.key].default


def test_hyphens_of_an_input_stay() -> None:
    assert variable_of("fail-on") == "INPUT_FAIL-ON"


def test_nothing_said_overrides_nothing() -> None:
    assert read() == Inputs()
    assert read_inputs({}) == Inputs()


def test_every_input_reaches_its_setting() -> None:
    given = {
        "port": "9000",
        "env": "A=1\n\n# note\nB=x=y\n",
        "health_path": "/up",
        "ready_timeout": "1.5",
        "scenarios": "MT-AF-001, MT-AF-002\nMT-DEL-003",
        "require": "MT-AF-001",
        "consistency_window": "2",
        "timeout": "60",
        "egress": "bridge",
        "fail_on": "high",
        "fail_on_inconclusive": "false",
        "output_dir": "out",
        "sarif_category": "memtru/pr",
        "anchor": "src/a.py:3",
    }
    assert overrides(**given) == {
        "port": 9000,
        "env": {"A": "1", "B": "x=y"},
        "health_path": "/up",
        "ready_timeout": 1.5,
        "scenarios": ["MT-AF-001", "MT-AF-002", "MT-DEL-003"],
        "require": ["MT-AF-001"],
        "window": 2.0,
        "timeout": 60.0,
        "egress": "bridge",
        "fail_on": "high",
        "fail_on_inconclusive": False,
        "output_dir": "out",
        "sarif_category": "memtru/pr",
        "anchor": "src/a.py:3",
    }


@pytest.mark.parametrize(
    ("given", "settings"),
    [
        ({"image": "acme/memory:1"}, {"target": "image:acme/memory:1"}),
        ({"target_url": "http://m:1"}, {"target": "url:http://m:1"}),
        ({"target": "container:m"}, {"target": "container:m"}),
        (
            {"build_context": ".", "dockerfile": "docker/Dockerfile"},
            {"build.context": ".", "build.dockerfile": "docker/Dockerfile"},
        ),
    ],
)
def test_a_target_can_be_named_in_four_ways(
    given: dict[str, str], settings: dict[str, Any]
) -> None:
    assert overrides(**given) == settings


@pytest.mark.parametrize(("first", "second"), list(combinations(TARGETS, 2)))
def test_two_targets_contradict_each_other(first: str, second: str) -> None:
    given = {first.replace("-", "_"): "x", second.replace("-", "_"): "y"}
    with pytest.raises(UsageError, match="name 2 targets") as caught:
        read(**given)
    assert caught.value.exit_code == EXIT_USAGE


@pytest.mark.parametrize("name", ["fail_on_inconclusive", "summary", "annotations"])
@pytest.mark.parametrize("value", ["True", "yes", "1", "on", "no", "FALSE"])
def test_a_truth_is_true_or_false_and_nothing_else(name: str, value: str) -> None:
    with pytest.raises(UsageError, match="takes true or false"):
        read(**{name: value})


def test_summary_and_annotations_can_be_switched_off() -> None:
    inputs = read(summary="false", annotations="false")
    assert (inputs.summary, inputs.annotations, inputs.overrides) == (False, False, ())


@pytest.mark.parametrize(
    ("name", "value"),
    [("port", "80a"), ("port", "-1"), ("port", "٣"), ("timeout", "soon"), ("port", "8080.0")],
)
def test_what_is_no_number_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"input `{name}` takes a"):
        read(**{name: value})


@pytest.mark.parametrize("env", ["TOKEN", "=hidden", "A=1\nhidden"])
def test_a_bad_line_of_the_environment_is_told_by_its_number_alone(env: str) -> None:
    with pytest.raises(UsageError, match=r"line \d is not") as caught:
        read(env=env)
    assert "hidden" not in str(caught.value)
    assert "TOKEN" not in str(caught.value)


def test_a_variable_cannot_be_given_twice() -> None:
    with pytest.raises(UsageError, match="line 2 repeats one"):
        read(env="A=1\nA=2")


def test_blanks_around_a_value_are_not_part_of_it_but_those_of_a_variable_are() -> None:
    assert overrides(image=" acme/memory \n")["target"] == "image:acme/memory"
    assert overrides(env="A= x ")["env"] == {"A": " x "}


def test_an_unknown_input_is_warned_of_with_a_guess() -> None:
    inputs = read_inputs({"INPUT_FAIL_ON": "never", "INPUT_ARGS": "", "INPUT_fail-on": "x"})
    assert inputs.warnings == ('There is no input fail_on. Did you mean "fail-on"?',)


def test_an_override_names_the_input_to_the_user() -> None:
    (one,) = read(port="9000").overrides
    assert one.origin == "input port"
