"""What the stand-in refuses, said in the form of OpenAI's errors."""

from pydantic import JsonValue

_TYPES = {
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


class ApiFault(Exception):
    """An error status with its message; `param` names the field of the request."""

    def __init__(self, status: int, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.param = param

    @property
    def body(self) -> dict[str, JsonValue]:
        """The answer's body."""
        usual = "server_error" if self.status >= 500 else "invalid_request_error"
        error: dict[str, JsonValue] = {
            "message": str(self),
            "type": _TYPES.get(self.status, usual),
            "param": self.param,
            "code": None,
        }
        return {"error": error}
