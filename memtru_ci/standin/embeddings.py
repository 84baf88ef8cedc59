"""`POST /embeddings`: vectors without a model, near for texts with words in common."""

import base64
import struct

from pydantic import JsonValue

from memtru_ci.domain.vectors import MOST_DIMENSIONS, vector_of
from memtru_ci.standin.body import JsonObject
from memtru_ci.standin.faults import ApiFault
from memtru_ci.standin.rendering import model_of, tokens_in

MOST_INPUTS = 2048
MOST_NUMBERS = 4_000_000
"""In all vectors of one answer."""
MOST_CHARACTERS = 1_200_000
"""In all inputs of one request."""


def embed(body: JsonObject, dimensions: int) -> JsonObject:
    """The vectors, of `dimensions` numbers where the body does not say. Raises `ApiFault`."""
    texts = _texts(body.get("input"))
    size = _dimensions(body.get("dimensions"), dimensions)
    if len(texts) * size > MOST_NUMBERS:
        raise ApiFault(400, f"An answer may hold {MOST_NUMBERS} numbers.", "input")
    if sum(map(len, texts)) > MOST_CHARACTERS:
        raise ApiFault(400, f"All inputs may have {MOST_CHARACTERS} characters.", "input")
    is_packed = _is_packed(body.get("encoding_format"))
    data: list[JsonValue] = []
    for index, text in enumerate(texts):
        vector = vector_of(text, size)
        numbers: JsonValue = _packed(vector) if is_packed else [*vector]
        data.append({"object": "embedding", "index": index, "embedding": numbers})
    tokens = sum(map(tokens_in, texts))
    usage: JsonObject = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": model_of(body), "usage": usage}


def _texts(given: JsonValue) -> list[str]:
    """One text, several, one array of tokens, or several."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, list) or not given:
        raise ApiFault(400, "'input' must be a text, or a list that is not empty.", "input")
    if all(_is_token(one) for one in given):
        return [_of_tokens(given)]
    if len(given) > MOST_INPUTS:
        raise ApiFault(400, f"'input' may have {MOST_INPUTS} items.", "input")
    return [_one(one, f"input[{index}]") for index, one in enumerate(given)]


def _one(given: JsonValue, param: str) -> str:
    if isinstance(given, str):
        return given
    if isinstance(given, list) and given and all(_is_token(one) for one in given):
        return _of_tokens(given)
    raise ApiFault(400, "An input is a text, or an array of tokens.", param)


def _is_token(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def _of_tokens(tokens: list[JsonValue]) -> str:
    """A text with one word for each token: what the tokens mean is not known here."""
    return " ".join(f"t{one}" for one in tokens)


def _dimensions(given: JsonValue, otherwise: int) -> int:
    if given is None:
        return otherwise
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= MOST_DIMENSIONS:
        message = f"'dimensions' must be a whole number from 1 to {MOST_DIMENSIONS}."
        raise ApiFault(400, message, "dimensions")
    return given


def _is_packed(given: JsonValue) -> bool:
    if given not in (None, "float", "base64"):
        raise ApiFault(400, "'encoding_format' must be float or base64.", "encoding_format")
    return given == "base64"


def _packed(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
