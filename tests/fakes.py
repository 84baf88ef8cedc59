"""Fakes of the ports."""


class RecordingProgress:
    """Listens, and says nothing."""

    def scenario_started(self, *told: object) -> None:
        """A scenario began."""

    def event_recorded(self, *told: object) -> None:
        """Something was done or seen."""

    def window_open(self, *told: object) -> None:
        """A watch goes on."""

    def scenario_ended(self, *told: object) -> None:
        """A scenario has its verdict."""
