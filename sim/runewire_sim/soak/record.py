"""The record of a soak: the traffic of each core, and the failures."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from runewire_jobs.record_text import record_text
from runewire_model import TranscoderParameters, __version__

from ..all_pairs import pairs
from ..design import generator
from .line_rounds import line_cores
from .segment_rounds import segment_cores


@dataclass(frozen=True)
class SoakFailure:
    """A failed round in its smallest form: the deviation, the file of its packets, the command that replays it."""

    round: int
    what: str
    file: str
    command: str


@dataclass
class Configuration:
    """The traffic of one core.

    ``verilog``: its design's `fingerprint`. ``generator``: the fingerprint of the generator that wrote
    the file last, empty if unknown.
    """

    verilog: str
    packets: int = 0
    bytes: int = 0
    generator: str = ""

    @property
    def present(self) -> bool:
        """Whether the present generator wrote the core; if not, its Verilog may still be the same."""
        return self.generator == generator()


@dataclass
class SoakRecord:
    """Everything that a soak has done; a soak can continue from it.

    ``rounds``: the number of the next round. ``version``: the version of runewire that played the last one. ``pairs``:
    it is a soak by pairs. ``segments``: it is one of texts in segments. ``lines``: it is one of lines. ``cycles``,
    ``seconds``: all rounds, those repeated for a changed core included.
    """

    seed: int = 0
    rounds: int = 0
    packets: int = 0
    bytes: int = 0
    cycles: int = 0
    seconds: float = 0.0
    configurations: dict[str, Configuration] = field(default_factory=dict)
    failures: list[SoakFailure] = field(default_factory=list)
    version: str = __version__
    pairs: bool = False
    segments: bool = False
    lines: bool = False

    @property
    def kind(self) -> str:
        """"pairs", "segments", "lines" or, for a soak of random cores, "random"."""
        return next((kind for kind in ("pairs", "segments", "lines") if getattr(self, kind)), "random")

    @property
    def listed(self) -> Sequence[TranscoderParameters] | None:
        """The cores of a soak with one round for each; None for random cores."""
        match self.kind:
            case "pairs":
                return pairs()
            case "segments":
                return segment_cores()
            case "lines":
                return line_cores()
        return None

    @property
    def total(self) -> int | None:
        """The number of rounds; None for a soak without end."""
        return None if self.listed is None else len(self.listed)

    @property
    def sent(self) -> dict[str, str]:
        """The Verilog of each core with traffic, by its name."""
        return {top: entry.verilog for top, entry in self.configurations.items() if entry.packets}

    def json(self) -> str:
        """The record as a text that `of` reads."""
        values = {**asdict(self), "seconds": round(self.seconds, 3)}
        values = {name: value for name, value in values.items() if value or name not in ("segments", "lines")}
        return record_text({**values, "configurations": dict(sorted(values["configurations"].items()))})

    @classmethod
    def of(cls, text: str) -> "SoakRecord":
        """The record that `json` wrote; raises ValueError for another text."""
        try:
            values = json.loads(text)
            values["configurations"] = {top: Configuration(**c) for top, c in values["configurations"].items()}
            values["failures"] = [SoakFailure(**failure) for failure in values["failures"]]
            record = cls(**values)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise ValueError("it is no record of a soak") from None
        return record
