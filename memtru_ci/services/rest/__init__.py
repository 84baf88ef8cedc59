"""Speaks a service's own REST API, by a mapping from the contract's operations to its endpoints."""
