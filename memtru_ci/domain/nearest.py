"""A guess at what was meant, for messages about unknown names."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`Did you mean "x"?`, or an empty text where nothing known is near."""
    by_folded = {one.casefold(): one for one in known}
    near = get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return f'Did you mean "{by_folded[near[0]]}"?' if near else ""
