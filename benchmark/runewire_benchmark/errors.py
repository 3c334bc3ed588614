"""Errors of a comparison."""


class Disagreement(ValueError):
    """A peer's answer differs from the golden model's: its speed would be the speed of another job."""
