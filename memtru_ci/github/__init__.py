"""The only part that knows GitHub Actions: inputs, outputs, the log, the summary, both steps."""

from memtru_ci.github.steps import main_step, post_step

__all__ = ["main_step", "post_step"]
