"""The reference service as an ASGI application."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtru_ci.reference.service import ReferenceService

if TYPE_CHECKING:
    from memtru_ci.adapters.server import AdapterApp


def reference_app(
    data_dir: Path | str | None = None,
    defect: str | None = None,
    *,
    token: str | None = None,
    **options: Any,
) -> "AdapterApp":
    """The service behind the HTTP contract; `options` are those of `Options.of`.

    Raises `UsageError` where an option is unknown. Call `close()` on it where no server does.
    """
    from memtru_ci.adapters.server import asgi_app

    return asgi_app(ReferenceService(data_dir, defect=defect, **options), token=token)
