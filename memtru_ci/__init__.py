"""A CI gate for AI-agent memory: does a deleted memory stay deleted?"""

__version__ = "0.1.0"
