"""Writes the generated contract documents: `python -m memtru_ci.contract [ROOT]`."""

import json
import sys
from pathlib import Path

from memtru_ci.contract.markdown import render
from memtru_ci.contract.openapi import document


def documents() -> dict[str, str]:
    """The generated files: path below the root of the repository, and text."""
    return {
        "schemas/openapi.json": json.dumps(document(), indent=2, ensure_ascii=False) + "\n",
        "docs/http-contract.md": render(),
    }


def main(root: Path) -> None:
    """Write the documents below `root`."""
    for name, text in documents().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
