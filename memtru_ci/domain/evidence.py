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
    status: int | None = Field(default=None, description="HTTP status; null without an answer.")
    answer: JsonValue = Field(default=None, description="The body that came, bounded.")
    reduced: bool = Field(default=False, description="The answer is kept in part only.")
    outcome: Outcome
    error: str = Field(default="", description="What was wrong with it.")
    started_ms: FiniteFloat
    ended_ms: FiniteFloat
