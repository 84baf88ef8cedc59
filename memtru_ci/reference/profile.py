"""The profile: a stored summary of a namespace, as agents put it at the top of a prompt."""

from memtru_ci.adapters import Surface, SurfaceResult
from memtru_ci.reference.store import Ledger

PROFILE = Surface(name="profile", description="A summary of what is known about the user.")


def rebuild(ledger: Ledger, namespace: str) -> None:
    """Write the summary anew. It is stored, not computed on reading, so that it can be stale."""
    rows = ledger.rows(
        "SELECT content FROM records WHERE namespace = ? "
        "UNION ALL SELECT content FROM stale_profile WHERE namespace = ?",
        namespace,
        namespace,
    )
    ledger.run("DELETE FROM profiles WHERE namespace = ?", namespace)
    if rows:
        text = "Known about this user: " + "; ".join(row["content"] for row in rows)
        ledger.run("INSERT INTO profiles VALUES (?, ?)", namespace, text)


def shown(ledger: Ledger, namespace: str) -> list[SurfaceResult]:
    """What the surface shows: one text, or nothing."""
    rows = ledger.rows("SELECT text FROM profiles WHERE namespace = ?", namespace)
    return [SurfaceResult(content=row["text"]) for row in rows]
