"""Bytes of a pipe become lines, and frames of the engine become output, however they are cut."""

import struct
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtru_ci.containers.pipe import Frames
from memtru_ci.services.mcp.lines import Lines


def cut(data: bytes, places: list[int]) -> list[bytes]:
    at = sorted({0, len(data), *(one % (len(data) + 1) for one in places)})
    return [data[begin:end] for begin, end in pairwise(at)]


@given(
    st.lists(st.binary(max_size=20).filter(lambda one: b"\n" not in one)), st.lists(st.integers(0))
)
def test_lines_are_the_same_however_the_bytes_are_cut(
    whole: list[bytes], places: list[int]
) -> None:
    lines = Lines(20)
    data = b"".join(one + b"\n" for one in whole)
    assert [line for piece in cut(data, places) for line in lines.fed(piece)] == whole


@pytest.mark.parametrize("size", [1, 7, 100])
def test_an_overlong_line_is_told_once_and_skipped_to_its_end(size: int) -> None:
    lines, data = Lines(10), b"short\n" + b"x" * 55 + b"\nnext\n" + b"y" * 10 + b"\n"
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    found = [line for piece in pieces for line in lines.fed(piece)]
    assert found == [b"short", None, b"next", b"y" * 10]


def test_a_line_that_never_ends_takes_no_more_room_than_its_bound() -> None:
    lines = Lines(10)
    for _ in range(1_000):
        lines.fed(b"x" * 10)
    assert len(lines._begun) <= 10


def frame(stream: int, data: bytes) -> bytes:
    return struct.pack(">BxxxL", stream, len(data)) + data


@given(
    st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.binary(max_size=30))),
    st.lists(st.integers(0)),
)
def test_only_standard_output_is_taken_from_frames_however_they_are_cut(
    sent: list[tuple[int, bytes]], places: list[int]
) -> None:
    frames, data = Frames(), b"".join(frame(*one) for one in sent)
    output = b"".join(frames.fed(piece) for piece in cut(data, places))
    assert output == b"".join(piece for stream, piece in sent if stream == 1)
