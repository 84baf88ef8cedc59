"""Two reports side by side: what a broken store did, and what the fixed one did instead."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memtru_ci.domain.report import Report, ScenarioResult
from memtru_ci.domain.timeline import Phase
from memtru_ci.reporters.rows import Row, rows_of
from memtru_ci.reporters.text import terminal_safe

_SHOWN_PHASES = frozenset({Phase.DELETE, Phase.IMMEDIATE_CHECK, Phase.LIFECYCLE, Phase.OBSERVE})
_NOT_THERE = "-"
_OVERALL = "overall"


@dataclass(frozen=True)
class Line:
    """One line of the comparison: what it is about, and what is to be said of either side."""

    subject: str
    left: str
    right: str


def compare(left: Report, right: Report) -> list[Line]:
    """Line by line from the two reports alone: verdicts, then each event after the delete."""
    lines = [Line("", left.target.name, right.target.name)]
    for scenario in _in_order(left, right):
        lines.extend(_of_scenario(scenario, _result(left, scenario), _result(right, scenario)))
    lines.append(Line(_OVERALL, _gate(left), _gate(right)))
    return lines


def comparison_text(left: Report, right: Report) -> str:
    """The comparison for a terminal, in columns."""
    lines = [_terminal_cells(line) for line in compare(left, right)]
    widths = [max(len(cells[column]) for cells in lines) for column in range(3)]
    shown = ["  ".join(_padded(cells, widths)).rstrip() for cells in lines]
    rule = "  ".join("─" * width for width in widths)
    return "\n".join([shown[0], rule, *shown[1:]]) + "\n"


def _of_scenario(
    scenario: str, left: ScenarioResult | None, right: ScenarioResult | None
) -> Iterable[Line]:
    yield Line(scenario, _verdict(left), _verdict(right))
    sides = [_shown_rows(left), _shown_rows(right)]
    for action in _actions(sides):
        yield Line(action, _event(sides[0], action), _event(sides[1], action))


def _actions(sides: Sequence[Sequence[Row]]) -> list[str]:
    """The actions of both sides in order; what only one side has stands where it has it."""
    actions = [row.action for row in sides[0]]
    for index, row in enumerate(sides[1]):
        if row.action not in actions:
            before = [one.action for one in sides[1][:index] if one.action in actions]
            actions.insert(actions.index(before[-1]) + 1 if before else 0, row.action)
    return list(dict.fromkeys(actions))


def _shown_rows(result: ScenarioResult | None) -> list[Row]:
    return [row for row in rows_of(result) if row.phase in _SHOWN_PHASES] if result else []


def _event(rows: Sequence[Row], action: str) -> str:
    found = [row for row in rows if row.action == action]
    if not found:
        return _NOT_THERE
    row = next((one for one in found if one.decides), found[-1])
    if row.visible is None:
        return row.detail
    where = f" on {', '.join(row.surfaces)}" if row.surfaces else ""
    back = " <- back" if row.decides and row.visible else ""
    return f"marker visible{where}{back}" if row.visible else "marker absent"


def _verdict(result: ScenarioResult | None) -> str:
    if result is None:
        return _NOT_THERE
    after = f" after {result.trigger.value}" if result.trigger else ""
    cause = f" {result.cause.value}" if result.cause else ""
    return f"{result.verdict.value}{cause}{after}"


def _gate(report: Report) -> str:
    said = "open" if report.gate.open else "closed"
    return f"{report.verdict.value}, gate {said} (exit code {report.gate.exit_code})"


def _result(report: Report, scenario: str) -> ScenarioResult | None:
    return next((one for one in report.results if one.scenario == scenario), None)


def _in_order(*reports: Report) -> list[str]:
    return list(dict.fromkeys(one.scenario for report in reports for one in report.results))


def _terminal_cells(line: Line) -> list[str]:
    indent = "  " if line.subject.islower() and line.subject != _OVERALL else ""
    subject, *sides = (terminal_safe(cell) for cell in _cells(line))
    return [f"{indent}{subject}", *sides]


def _cells(line: Line) -> tuple[str, str, str]:
    return line.subject, line.left, line.right


def _padded(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
