"""Who provides lifecycle events from outside of the service: holds, jobs, the model's log."""
