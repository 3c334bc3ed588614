"""What a shell completes values of options with."""

from collections.abc import Callable, Iterable

__all__ = ["device_list", "devices", "list_of", "one_of"]

Complete = Callable[[str], list[str]]
"""The values that begin as ``incomplete`` does; Typer goes by that name."""


def one_of(choices: Iterable[str]) -> Complete:
    """Completes one of these values."""
    def complete(incomplete: str) -> list[str]:
        return [choice for choice in choices if choice.startswith(incomplete)]

    return complete


def list_of(choices: Iterable[str]) -> Complete:
    """Completes the last of several values with commas between; none comes twice."""
    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        given = before.split(",")
        return [f"{before}{comma}{choice}" for choice in choices if choice.startswith(last) and choice not in given]

    return complete


def devices(incomplete: str) -> list[str]:
    """Completes a device that cores are placed and routed on."""
    from runewire_fpga import TARGETS  # takes its time

    return one_of(TARGETS)(incomplete)


def device_list(incomplete: str) -> list[str]:
    """Completes the last of several devices, or of names that stand for the first that a core fits."""
    from runewire_fpga import AUTOMATIC, TARGETS  # takes its time

    return list_of((*AUTOMATIC, *TARGETS))(incomplete)
