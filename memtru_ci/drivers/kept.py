"""What the gate does itself, kept as an exchange of its own with its receipt as the meaning."""

from collections.abc import Mapping

from pydantic import JsonValue

from memtru_ci.domain.evidence import Exchange
from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.domain.timeline import Outcome
from memtru_ci.ports import Answer, ExchangeLog

BY_GATE = "GATE"
"""The method of what no service was asked for."""


class Kept:
    """An exchange that begins when this is made."""

    def __init__(
        self,
        log: ExchangeLog,
        operation: str,
        what: str,
        namespace: str,
        request: JsonValue,
        surface: str | None = None,
    ) -> None:
        self._log = log
        self._operation = operation
        self._what = what
        self._namespace = namespace
        self._request = request
        self._surface = surface
        self._started_ms = log.now_ms()
        self.step = log.next_step()

    def receipt(
        self,
        facts: Mapping[str, JsonValue],
        *,
        executed: bool,
        detail: str,
        processed: int | None = None,
    ) -> Answer[HookReceipt]:
        """Keep it as a hook that ran, or did not."""
        receipt = HookReceipt(executed=executed, detail=detail, processed=processed)
        meaning = receipt.model_dump(mode="json", exclude_none=True)
        self.end(dict(facts), meaning)
        return Answer(receipt, (self.step,))

    def end(
        self,
        answer: JsonValue,
        meaning: JsonValue,
        outcome: Outcome = Outcome.DONE,
        error: str = "",
    ) -> None:
        """Keep it as it came."""
        self._log.keep(
            Exchange(
                step=self.step,
                operation=self._operation,
                surface=self._surface,
                namespace=self._namespace,
                method=BY_GATE,
                path=self._what,
                request=self._request,
                answer=answer,
                meaning=meaning,
                outcome=outcome,
                error=error,
                started_ms=self._started_ms,
                ended_ms=self._log.now_ms(),
            )
        )
