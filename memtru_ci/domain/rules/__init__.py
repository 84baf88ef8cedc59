"""The rows of the verdict tables, one small function each."""
