"""Shell completion of option values."""

from collections.abc import Callable, Iterable

Complete = Callable[[str], list[str]]
"""The values that begin with ``incomplete``; Typer requires that name."""


def one_of(choices: Iterable[str]) -> Complete:
    """Completion of one of these values."""
    def complete(incomplete: str) -> list[str]:
        return [choice for choice in choices if choice.startswith(incomplete)]

    return complete


def list_of(choices: Iterable[str]) -> Complete:
    """Completion of the last value in a comma-separated list; no value occurs twice."""
    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        given = before.split(",")
        return [f"{before}{comma}{choice}" for choice in choices if choice.startswith(last) and choice not in given]

    return complete


def devices(incomplete: str) -> list[str]:
    """Completion of a device for placed and routed cores."""
    from runewire_fpga import TARGETS  # slow to import

    return one_of(TARGETS)(incomplete)


def device_list(incomplete: str) -> list[str]:
    """Completion of the last device in a list, or of a name for the first devices that a core fits."""
    from runewire_fpga import AUTOMATIC, TARGETS  # slow to import

    return list_of((*AUTOMATIC, *TARGETS))(incomplete)
