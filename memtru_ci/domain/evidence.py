"""Requests and answers as they were, bounded in size, numbered in the order they began."""

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, JsonValue

from memtru_ci.domain.timeline import Outcome


class Exchange(BaseModel):
    """One request and what came back."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: int = Field(ge=1, description="Its number in the trial.")
    operation: str = Field(description="The contract's operation, for example `search`.")
    surface: str | None = Field(default=None, description="The surface, where it is a read.")
    namespace: str = Field(default="", description="The namespace that the request named.")
    method: str
    path: str = Field(description="Path and query as they were sent.")
    request: JsonValue = Field(default=None, description="The body that was sent.")
    status: int | None = Field(
        default=None,
        description="HTTP status; null without an answer, or where the protocol has none.",
    )
    answer: JsonValue = Field(default=None, description="The body that came, bounded.")
    meaning: JsonValue = Field(
        default=None,
        description="What the answer says in the contract's form, as the service's mapping reads "
        "it; null where the service speaks the contract.",
    )
    reduced: bool = Field(default=False, description="The answer is kept in part only.")
    outcome: Outcome
    error: str = Field(default="", description="What was wrong with it.")
    started_ms: FiniteFloat
    ended_ms: FiniteFloat

    @property
    def said(self) -> JsonValue:
        """What came, in the contract's form: what a verdict is made from."""
        return self.answer if self.meaning is None else self.meaning

    @property
    def is_success(self) -> bool:
        """Whether the answer itself reports success.

        Without a meaning that is for the HTTP status to say; a mapping knows what else means
        success, and protocols without statuses have nothing but it.
        """
        return self.meaning is not None or (self.status is not None and 200 <= self.status < 300)
