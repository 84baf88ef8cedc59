"""What odd and hostile services do to their answers, one small function each."""

from typing import Any

from tests.hostile.services import Answer, Seen

RELEASE = "/lifecycle/pending-writes/release"
HOSTILE_TEXT = (
    "::error::boom\n##[set-output name=x]y \x1b[31m \u202e </details><script>alert(1)</script> "
    "| @team #1 ``` [a](http://x) ::add-mask::a\r::stop-commands::x"
)


def nothing(answer: Answer, seen: Seen) -> None:
    """The service as it is."""


def is_read(answer: Answer) -> bool:
    """Whether the answer shows memories."""
    return isinstance(answer.body, dict) and "results" in answer.body


def _late_marker(answer: Answer, seen: Seen, form: Any) -> None:
    """After the release, show the bystander's neighbour again, in some other written form."""
    if is_read(answer) and seen.has(RELEASE):
        for one in answer.body["results"]:
            one["content"] = form(one["content"])


def shouted(answer: Answer, seen: Seen) -> None:
    """Contents in capital letters."""
    _late_marker(answer, seen, str.upper)


def spaced(answer: Answer, seen: Seen) -> None:
    """Contents with a hyphen between all letters."""
    _late_marker(answer, seen, "-".join)


def fullwidth(answer: Answer, seen: Seen) -> None:
    """Contents in full-width letters, as NFKC folds them back."""
    wide = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
    _late_marker(answer, seen, lambda text: text.translate(wide))


def empties_search(answer: Answer, seen: Seen) -> None:
    """Search finds nothing at all once something was deleted."""
    if answer.path == "/memories/search" and seen.has("/memories/mem", "DELETE"):
        answer.body["results"] = []


def loses_list(answer: Answer, seen: Seen) -> None:
    """The list is not there any more once something was deleted."""
    if answer.path == "/memories" and answer.method == "GET" and seen.has("/memories/m", "DELETE"):
        answer.status, answer.body = 501, {"title": "gone"}


def turns_in_circles(answer: Answer, seen: Seen) -> None:
    """The list names the same next page for ever."""
    if answer.path == "/memories" and answer.method == "GET":
        answer.status = 200
        answer.body = {"results": [], "next_cursor": "again"}


def says_yes(answer: Answer, seen: Seen) -> None:
    """Receipts say `yes` in place of true."""
    if isinstance(answer.body, dict) and "executed" in answer.body:
        answer.body["executed"] = "yes"


def says_both(answer: Answer, seen: Seen) -> None:
    """A release says that it ran, and that it did not."""
    if answer.path == RELEASE:
        answer.raw = b'{"executed": true, "executed": false, "processed": 1}'


def leaves_out_processed(answer: Answer, seen: Seen) -> None:
    """A release does not say what it dealt with."""
    if answer.path == RELEASE:
        answer.body.pop("processed")


def answers_html(answer: Answer, seen: Seen) -> None:
    """Search answers a page of an error after the delete."""
    if answer.path == "/memories/search" and seen.has("/memories/mem", "DELETE"):
        answer.raw = b"<html><script>alert(1)</script></html>"


def echoes(answer: Answer, seen: Seen) -> None:
    """Every read says again what was asked, and what was ever deleted, outside of its results."""
    if is_read(answer):
        answer.body["query"] = "access phrase locker"
        answer.body["debug"] = {"log": [one["content"] for one in answer.body["results"]]}


def adds_neighbours(answer: Answer, seen: Seen) -> None:
    """Search finds much that has nothing to do with the question."""
    if answer.path == "/memories/search":
        more = [{"id": f"other-{n}", "content": f"Something else {n}."} for n in range(90)]
        answer.body["results"] += more


def warms_up(answer: Answer, seen: Seen) -> None:
    """The first reads of a process find nothing."""
    if is_read(answer) and len(seen.paths) < 6 and not seen.has("/capabilities"):
        answer.body["results"] = []


def refuses_late_writes(answer: Answer, seen: Seen) -> None:
    """A release is told as a refusal that was dealt with."""
    if answer.path == RELEASE:
        answer.body["detail"] = "refused: version conflict"


def makes_much(answer: Answer, seen: Seen) -> None:
    """Receipts name very many records, at length."""
    if answer.path == RELEASE:
        answer.body["created"] = [{"kind": "session", "id": f"s{n}"} for n in range(20_000)]
        answer.body["detail"] = "x" * 500_000


def can_everything(answer: Answer, seen: Seen) -> None:
    """Very many capabilities that nobody knows."""
    if answer.path == "/capabilities":
        answer.body["capabilities"] += [f"X_{n}" for n in range(20_000)]


def has_search_twice(answer: Answer, seen: Seen) -> None:
    """A surface takes the name of another."""
    if answer.path == "/lifecycle/surfaces":
        answer.body["surfaces"].append({"name": "search", "description": "again"})


def has_too_many_surfaces(answer: Answer, seen: Seen) -> None:
    """More surfaces than anybody can watch."""
    if answer.path == "/lifecycle/surfaces":
        answer.body["surfaces"] = [{"name": f"s{n}", "description": ""} for n in range(200)]


def speaks_in_tongues(answer: Answer, seen: Seen) -> None:
    """Every text that a report may show tries to be something else."""
    if answer.path == "/capabilities":
        answer.body["service"] = {"name": HOSTILE_TEXT, "version": HOSTILE_TEXT}
        answer.body["capabilities"].append(HOSTILE_TEXT)
    if isinstance(answer.body, dict) and "detail" in answer.body:
        answer.body["detail"] = HOSTILE_TEXT
    if answer.path == "/memories/search" and seen.has("/memories/mem", "DELETE"):
        answer.status, answer.body = 500, {"title": HOSTILE_TEXT, "detail": HOSTILE_TEXT}


def adds_ids(answer: Answer, seen: Seen) -> None:
    """A field of a service's own has the name of another answer's."""
    if is_read(answer):
        answer.body["ids"] = ["x" * 500] * 40


def adds_results(answer: Answer, seen: Seen) -> None:
    """Receipts have long fields of a service's own, named as those of a read."""
    if isinstance(answer.body, dict) and "executed" in answer.body:
        answer.body["results"] = [{"content": "y" * 500}] * 40
        answer.body["ids"] = ["x" * 500] * 40
