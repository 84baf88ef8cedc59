"""Evaluation: every case with the engine and with the baseline, saved so that anyone can check."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from memtru_ci.policy import answer, cases, code
from memtru_ci.policy.baseline import AppendOnlyStore
from memtru_ci.policy.cases import Case
from memtru_ci.policy.differences import differences
from memtru_ci.policy.sealed import CONTENT_HASH, HASHES, broken_seal, seal
from memtru_ci.policy.store import PolicyStore

FORMAT = "memtru-policy-evaluation/1"

METHODS: dict[str, tuple[str, Callable[[], PolicyStore]]] = {
    "baseline": ("Session-scoped append-only baseline", AppendOnlyStore),
    "engine": ("Temporal policy and TF-IDF", PolicyStore),
}
"""What is compared: name in the file, words in the table, and how a store is made."""


def evaluate(chosen: Sequence[Case] | None = None) -> dict[str, object]:
    """The document: hash of the cases, version of the code, every answer, and the counts."""
    asked = cases.load() if chosen is None else chosen
    performed = {name: [_perform(make(), one) for one in asked] for name, (_, make) in _methods()}
    return seal(
        {
            "format": FORMAT,
            "cases": {"count": len(asked), "sha256": cases_hash()},
            "code": code.version(),
            "matches": {name: sum(_matches(done)) for name, done in performed.items()},
            "answers": performed,
        }
    )


def verify(document: Mapping[str, Any]) -> list[str]:
    """What differs between a saved evaluation and one made now; empty where nothing does."""
    hashes = (HASHES, CONTENT_HASH)
    stored = {key: held for key, held in document.items() if key not in hashes}
    recomputed = {key: held for key, held in evaluate().items() if key not in hashes}
    return broken_seal(document) + differences(stored, recomputed)


def table(document: Mapping[str, Any]) -> list[str]:
    """The table of exact id sets, as Markdown."""
    count = document["cases"]["count"]
    rows = [f"| {words} | {document['matches'][name]}/{count} |" for name, (words, _) in _methods()]
    return ["| Method | Exact expected id sets |", "| --- | --- |", *rows]


def cases_hash() -> str:
    """The SHA-256 of the file of cases, byte by byte."""
    return sha256(cases.FILE.read_bytes()).hexdigest()


def _methods() -> Iterable[tuple[str, tuple[str, Callable[[], PolicyStore]]]]:
    return METHODS.items()


def _matches(performed: Iterable[Mapping[str, Any]]) -> Iterable[bool]:
    return (one["matched"] for one in performed)


def _perform(store: PolicyStore, case: Case) -> dict[str, Any]:
    rejections = store.add_all(case.events)
    answers = [store.query(one.query) for one in case.questions]
    pairs = zip(case.questions, answers, strict=True)
    return {
        "case": case.name,
        "matched": all(one.is_met_by(given.ids) for one, given in pairs),
        "rejected": [{"index": one.index, "reason": one.reason} for one in rejections],
        "answers": [answer.to_json(one) for one in answers],
    }
