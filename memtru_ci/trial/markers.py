"""All synthetic facts of one trial, and the threads they are said in."""

import random
from dataclasses import dataclass

from memtru_ci.domain.marker import Marker, mint_marker, mint_topic

MARKER_THREAD = "memtru-marker"
BYSTANDER_THREAD = "memtru-bystander"
UNRELATED_THREAD = "memtru-unrelated"


@dataclass(frozen=True)
class Markers:
    """All synthetic facts of one trial."""

    marker: Marker
    bystander: Marker
    unrelated: Marker
    held: Marker
    """The marker as the held update says it: same topic, same secret."""
    control: Marker
    control_update: Marker
    created: Marker
    created_bystander: Marker
    created_update: Marker

    @property
    def secrets(self) -> tuple[str, ...]:
        """The secrets that evidence must keep."""
        every = (
            *(self.marker, self.bystander, self.unrelated, self.control, self.control_update),
            *(self.created, self.created_bystander, self.created_update),
        )
        return tuple(one.secret for one in every)


def mint(source: random.Random) -> Markers:
    """Fresh markers, from a source of randomness that the run's seed gives."""
    topic = mint_topic(source)
    marker = mint_marker(source, topic)
    control_topic, created_topic = mint_topic(source), mint_topic(source)
    held = marker.content.replace("my access phrase", "my present access phrase")
    return Markers(
        marker=marker,
        bystander=mint_marker(source, topic, "the spare"),
        unrelated=mint_marker(source, mint_topic(source)),
        held=marker.model_copy(update={"content": held}),
        control=mint_marker(source, control_topic),
        control_update=mint_marker(source, control_topic, "my present"),
        created=mint_marker(source, created_topic),
        created_bystander=mint_marker(source, created_topic, "the spare"),
        created_update=mint_marker(source, created_topic, "my present"),
    )
