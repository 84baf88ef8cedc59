"""Pure values and functions: what was done, what was seen, and what it proves."""
