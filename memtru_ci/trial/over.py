"""How a trial ends early."""


class TrialOver(Exception):
    """The rest of the trial is pointless; its events say why."""
