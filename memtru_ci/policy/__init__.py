"""The temporal policy: which facts of a session hold, at which time, and why the others do not.

Standard library only, pure, without a clock. `docs/policy.md` states the rules by number.
"""
