"""What the model is shown, as a surface of a trial (catalogue, rule 19)."""

from memtru_ci.drivers.prompts import Prompts
from memtru_ci.trial.hold import UNTOLD
from memtru_ci.trial.noting import PROMPTED
from tests.fakes import FakeTarget, FakeWorld
from tests.performing import AGAIN, DELETED, LATE, Performance, actions, perform, world
from tests.unit.held_records import NO_HOOK, Idle
from tests.unit.test_drivers_provided import ModelLog


def prompting(made: FakeWorld, model: ModelLog, after: str) -> FakeTarget:
    """A service whose model is shown all that was ever said to it, from an operation on."""
    said: list[str] = []

    def remember(namespace: str) -> None:
        said.extend(str(one.body) for one in made.sent if one.operation in WRITES)

    def prompt(namespace: str) -> None:
        remember(namespace)
        model.asked(" ".join(said))

    made.after[after] = prompt
    return FakeTarget([made], prompts=Prompts(model, model.now))


WRITES = ("write", "record_conversation")


def performed(after: str, scenario: str) -> Performance:
    return perform(prompting(world(), ModelLog(), after), scenario)


def test_deleted_text_in_a_later_prompt_is_a_reappearance() -> None:
    performance = performed("search", DELETED)

    assert performance.verdict == ("FAIL", "delete_not_effective", "delete")
    assert "model_prompt" in performance.result.reason


def test_what_the_model_was_shown_before_the_delete_is_none() -> None:
    performance = performed("write", DELETED)

    assert performance.verdict == ("PASS", None, None)
    surfaces = {one.name: one.proven for one in performance.result.surfaces}
    assert surfaces["model_prompt"]


def test_a_model_that_is_never_asked_leaves_its_surface_unproven_and_nothing_else() -> None:
    performance = performed("nothing", DELETED)

    assert performance.verdict == ("PASS", None, None)
    surfaces = {one.name: one.proven for one in performance.result.surfaces}
    assert not surfaces["model_prompt"]
    assert surfaces["search"]


def test_a_kept_conversation_that_the_model_is_shown_again_is_a_note() -> None:
    performance = performed("consolidate", AGAIN)

    assert performance.verdict == ("PASS", None, None), performance.result.reason
    assert PROMPTED in performance.result.notes
    assert actions(performance.result)[-1] == "note_model_prompt"


def test_without_such_a_prompt_nothing_is_noted() -> None:
    performance = performed("nothing", AGAIN)

    assert performance.verdict == ("PASS", None, None)
    assert PROMPTED not in performance.result.notes


def test_what_a_held_write_shows_the_model_while_the_service_releases_it_is_none() -> None:
    performance = performed("release_pending_writes", LATE)

    assert performance.verdict == ("PASS", None, None), performance.result.reason


def test_deleted_text_that_the_model_is_shown_after_the_release_is_a_reappearance() -> None:
    made, model = world(), ModelLog()
    target = prompting(made, model, "search")
    prompt = made.after.pop("search")
    made.after["release_pending_writes"] = lambda _: made.after.update(search=prompt)

    performance = perform(target, LATE)

    assert performance.verdict == ("FAIL", "late_write_resurrected", "release_pending_writes")
    assert "model_prompt" in performance.result.reason


def test_a_write_that_is_answered_before_its_release_says_what_the_model_can_not_tell() -> None:
    made, model = world(NO_HOOK), ModelLog()
    target = prompting(made, model, "nothing")
    target.mechanism = Idle(made, "model_stand_in")

    assert UNTOLD in perform(target, LATE).result.notes
