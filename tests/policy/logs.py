"""Random logs of policy events, small enough to be full of coincidences."""

from typing import Any

from hypothesis import strategies as st

IDS = [f"e{number}" for number in range(9)]
SESSIONS = ["s1", "s2"]
KEYS = ["<key-one>", "<key-two>", "<key-three>"]
WORDS = ["apple", "pear", "plum"]
HOURS = st.integers(1, 6)


def at(hour: int) -> str:
    """An instant of the log, in one of two offsets."""
    return f"2026-01-01T{hour:02d}:00:00Z" if hour % 2 else f"2026-01-01T{hour + 2:02d}:00:00+02:00"


@st.composite
def event(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """A valid event with that id; its value and source occur nowhere else."""
    kind = draw(
        st.sampled_from(["assertion", "assertion", "correction", "correction", "tombstone"])
    )
    made: dict[str, Any] = {
        "id": name,
        "kind": kind,
        "session": draw(st.sampled_from([*SESSIONS[:1] * 4, SESSIONS[1]])),
        "source": f"<source-{name}>",
        "recorded_at": at(draw(HOURS)),
    }
    if kind == "tombstone":
        made["scope"] = draw(st.sampled_from(["record", "chain", "key"]))
        made["permanent"] = draw(st.booleans())
        made["key"] = draw(st.sampled_from(KEYS))
        made["target"] = draw(st.sampled_from(IDS))
        return made
    begins, length = draw(HOURS), draw(st.integers(1, 4))
    made["value"] = f"<value-{name}> {draw(st.sampled_from(WORDS))} {draw(st.sampled_from(WORDS))}"
    made |= {"valid_from": at(begins)} if draw(st.booleans()) else {}
    made |= (
        {"valid_from": at(begins), "valid_to": at(begins + length)} if draw(st.booleans()) else {}
    )
    if kind == "assertion" or draw(st.integers(0, 3)) == 0:
        made["key"] = draw(st.sampled_from(KEYS))
    if kind == "correction":
        made["target"] = draw(st.sampled_from(IDS))
    return made


@st.composite
def logs(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Events with ids of their own, in any order of arrival."""
    names = draw(st.lists(st.sampled_from(IDS), unique=True, min_size=1))
    return [draw(event(name)) for name in names]


@st.composite
def queries(draw: st.DrawFn) -> dict[str, Any]:
    """A query that may be about any of it."""
    asked: dict[str, Any] = {"session": draw(st.sampled_from(SESSIONS)), "at": at(draw(HOURS))}
    asked |= {"known_at": at(draw(HOURS))} if draw(st.booleans()) else {}
    words = st.lists(st.sampled_from([*WORDS, "key", "value"]), min_size=1, max_size=3)
    if draw(st.booleans()):
        asked |= {"query": " ".join(draw(words)), "limit": draw(st.integers(1, 4))}
    return asked
