"""A service that keeps short texts for users, and finds them again."""
