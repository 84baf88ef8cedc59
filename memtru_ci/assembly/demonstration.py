"""The demo: a real run against a broken store, one against the fixed store, and both compared."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from memtru_ci.assembly.running import perform
from memtru_ci.domain.report import Report
from memtru_ci.domain.verdict import Verdict
from memtru_ci.ports import Progress
from memtru_ci.reporters.comparison import comparison_text
from memtru_ci.settings.model import Settings

BROKEN = "embedded:no_tombstones"
FIXED = "embedded:"
FAILS = frozenset({"MT-AF-001", "MT-AF-002"})
"""The scenarios that the broken store must fail; it keeps every other promise."""

SUITES = ("afterlife", "deletion")
"""What deleted memories do afterwards; a policy is another story."""

WINDOW_S = 2.0
"""Short, because the built-in store answers at once and its defect shows at once."""


@dataclass(frozen=True)
class Demonstration:
    """Both reports and their comparison."""

    broken: Report
    fixed: Report | None
    comparison: str

    @property
    def is_as_expected(self) -> bool:
        """Whether the broken store failed, and the fixed one passed, as they should."""
        performed = {one.scenario for one in self.broken.results}
        failed = {one.scenario for one in self.broken.results if one.verdict is Verdict.FAIL}
        fixed = self.fixed.results if self.fixed else []
        passed = [one.verdict is Verdict.PASS for one in fixed]
        return bool(failed) and failed == FAILS & performed and bool(passed) and all(passed)


def demo(
    output_dir: Path,
    watch: Callable[[str], AbstractContextManager[Progress]],
    *,
    suites: Sequence[str] = SUITES,
    window_s: float = WINDOW_S,
) -> Demonstration:
    """Perform both runs; reports go to the folders `broken` and `fixed` below `output_dir`.

    `watch` is told which store comes next, and gives the progress that is told of its run. The
    second run does not take place where the first was interrupted.
    """
    with watch("broken") as progress:
        broken = perform(_settings(BROKEN, suites, window_s, output_dir / "broken"), progress)
    if broken.interrupted:
        return Demonstration(broken, None, "")
    with watch("fixed") as progress:
        fixed = perform(_settings(FIXED, suites, window_s, output_dir / "fixed"), progress)
    return Demonstration(broken, fixed, comparison_text(broken, fixed))


def _settings(target: str, suites: Sequence[str], window_s: float, folder: Path) -> Settings:
    return Settings(target=target, scenarios=list(suites), window=window_s, output_dir=str(folder))
