"""Takes a stream of bytes apart into lines, none of them longer than a bound."""


class Lines:
    """The whole lines of what was fed; an overlong one is skipped to its end."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._begun = bytearray()
        self._skipping = False

    def fed(self, data: bytes) -> list[bytes | None]:
        """The lines that are whole now, without their ends; None for an overlong one."""
        whole: list[bytes | None] = []
        *ended, rest = data.split(b"\n")
        for piece in ended:
            self._take(piece, whole)
            if not self._skipping:
                whole.append(bytes(self._begun))
            self._begun.clear()
            self._skipping = False
        self._take(rest, whole)
        return whole

    def _take(self, piece: bytes, whole: list[bytes | None]) -> None:
        if self._skipping:
            return
        self._begun += piece
        if len(self._begun) > self._most:
            self._begun.clear()
            self._skipping = True
            whole.append(None)
