"""One performance of a scenario: its verbs, its stage, its journal."""
