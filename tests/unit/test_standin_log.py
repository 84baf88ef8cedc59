"""The log keeps what it can, says what it dropped, and knows a retry."""

from memtru_ci.standin.log import RequestLog

PATH = "/v1/chat/completions"


def _add(log: RequestLog, body: bytes = b"x", *prompts: str, counted: bool = False) -> int:
    request = log.add("POST", PATH, 1.0, body, prompts=prompts, is_counted_as_retry=counted)
    return request.number


def test_older_requests_are_dropped_beyond_a_number_and_that_is_said() -> None:
    log = RequestLog(most_requests=3)
    for index in range(5):
        _add(log, bytes([index]))
    assert [one.number for one in log.since(0)] == [3, 4, 5]
    assert (log.count, log.dropped) == (5, 2)
    assert not log.is_whole_since(1)
    assert log.is_whole_since(2)
    assert [one.number for one in log.since(4)] == [5]


def test_older_requests_are_dropped_beyond_a_number_of_bytes() -> None:
    log = RequestLog(most_bytes=100)
    _add(log, b"a", "x" * 60)
    _add(log, b"b", "y" * 30)
    assert log.dropped == 0
    _add(log, b"c", "ü" * 10)
    assert [one.number for one in log.since(0)] == [2, 3]


def test_a_request_larger_than_the_log_leaves_it_empty_and_not_whole() -> None:
    log = RequestLog(most_bytes=10)
    number = _add(log, b"a", "x" * 11)
    assert log.since(0) == []
    assert not log.is_whole_since(number - 1)
    _add(log, b"b", "x")
    assert log.is_whole_since(number)


def test_a_body_is_a_retry_after_a_refusal_until_it_is_answered() -> None:
    log = RequestLog()
    first = log.add("POST", PATH, 1.0, b"x")
    log.ended(first, 500)
    second = log.add("POST", PATH, 2.0, b"x")
    assert (first.is_retry, second.is_retry) == (False, True)
    log.ended(second, 200)
    assert not log.add("POST", PATH, 3.0, b"x").is_retry
    assert not log.add("POST", "/v1/embeddings", 3.0, b"x").is_retry


def test_a_body_that_was_held_is_a_retry_also_after_its_answer() -> None:
    log = RequestLog()
    first = log.add("POST", PATH, 1.0, b"x")
    log.held(first)
    log.ended(first, 200)
    second = log.add("POST", PATH, 2.0, b"x")
    log.ended(second, 200)
    assert second.is_retry
    assert log.add("POST", PATH, 3.0, b"x").is_retry


def test_a_body_that_was_held_and_refused_stays_a_retry() -> None:
    log = RequestLog()
    first = log.add("POST", PATH, 1.0, b"x")
    log.held(first)
    log.ended(first, 503)
    log.ended(log.add("POST", PATH, 2.0, b"x"), 200)
    assert log.add("POST", PATH, 3.0, b"x").is_retry


def test_what_the_client_counts_as_a_retry_is_one() -> None:
    log = RequestLog()
    _add(log, b"a", counted=True)
    assert log.since(0)[0].is_retry


def test_bodies_that_did_not_arrive_are_no_retries_of_each_other() -> None:
    log = RequestLog()
    for _ in range(2):
        log.ended(log.add("POST", PATH, 1.0, None), None)
    assert [one.is_retry for one in log.since(0)] == [False, False]
