"""What keeps a figure from being one."""


class Disagreement(ValueError):
    """A peer's answer is not the golden model's: its speed would be that of something else."""
