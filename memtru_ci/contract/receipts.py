"""Receipts from which one more field is required, where the hook ran."""

from typing import Self

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from memtru_ci.contract.messages import BackupReceipt
from memtru_ci.domain.receipt import HookReceipt


class ReleaseAnswer(HookReceipt):
    """The receipt of a release; `processed` is required where `executed` is true."""

    @model_validator(mode="after")
    def _says_how_many(self) -> Self:
        if self.executed and self.processed is None:
            raise PydanticCustomError("missing_processed", "processed is required when executed")
        return self


class BackupAnswer(BackupReceipt):
    """The receipt of a backup; `backup_id` is required where `executed` is true."""

    @model_validator(mode="after")
    def _names_the_backup(self) -> Self:
        if self.executed and self.backup_id is None:
            raise PydanticCustomError("missing_backup_id", "backup_id is required when executed")
        return self
