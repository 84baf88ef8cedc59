"""Writes the page of REST mappings: `python -m memtru_ci.services.rest [ROOT]`."""

import sys
from pathlib import Path

from memtru_ci.services.rest.page import documents


def main(root: Path) -> None:
    """Write the page below `root`."""
    for name, text in documents().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
