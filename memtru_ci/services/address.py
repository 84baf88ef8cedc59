"""What a service's base address and token may be, and how ids are written in a path."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode

import httpx

from memtru_ci.errors import UsageError


def checked_base(base_url: str) -> str:
    """The base address without a slash at its end. Raises `UsageError`."""
    hint = "Name it as http://HOST:PORT or https://HOST, with a path where there is one."
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL as error:
        raise UsageError(f"The service's address is not a URL: {error}.", hint=hint) from None
    if url.scheme not in ("http", "https") or not url.host:
        raise UsageError("The service's address must be an http or https URL.", hint=hint)
    if url.userinfo or url.query or url.fragment:
        part = "a user or password, a query or a fragment"
        raise UsageError(f"The service's address must not hold {part}.", hint=hint)
    return str(url).rstrip("/")


def checked_token(token: str | None) -> str | None:
    """The token as it is. Raises `UsageError`, which does not show it."""
    if token is not None and not (token and all("!" <= char <= "~" for char in token)):
        raise UsageError(
            "The service's token must be visible ASCII characters without spaces.",
            hint="Look for a line end at its end.",
        )
    return token


def in_path(key: str) -> str:
    """An opaque id as one segment of a path."""
    encoded = quote(key, safe="")
    # Segments of dots would be resolved away, and the request would reach another endpoint.
    return encoded.replace(".", "%2E") if not encoded.strip(".") else encoded


def in_query(parameters: Mapping[str, str | list[str]]) -> str:
    """Parameters as a query, with its question mark; empty where there are none.

    A list repeats its parameter.
    """
    query = urlencode(parameters, doseq=True, safe="", quote_via=quote)
    return f"?{query}" if query else ""
