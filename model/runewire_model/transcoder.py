"""The parameters of the cores, shared by model and hardware. They compute the golden answer of a packet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, Self

from .encodings import ENCODINGS, PAIRS, Encoding
from .errors import ErrorKind, FirstError, ParameterError, check_choice
from .records import ill_formed_records
from .report import Sidebands
from .scalars import REPLACEMENT

__all__ = [
    "BOMS", "CORES", "ERRORS", "PACKINGS", "PIPELINES", "TRANSCODER", "DecoderParameters", "EncoderParameters",
    "PacketResult", "TranscoderParameters", "ValidatorParameters", "core_words", "parameters", "widths",
]

ERRORS = ("replace", "drop")
"""What the hardware can do with ill-formed input; either way the packet is flagged."""
BOMS = ("keep", "strip")
PACKINGS = ("dense", "sparse")
PIPELINES = ("fast", "balanced", "compact")

USUAL = Sidebands()
"""A report in ``tuser``, and nothing else."""

MOST_PLACES = 64
"""Places for units in the row of a beat, before they are packed: above, moving them takes more than it gives."""
MOST_BYTES = 128
"""Bytes of an input beat."""


class NamedCore(NamedTuple):
    """A core with a name of its own: what it makes of what, its options in their order, and its usual lanes."""

    source: str
    target: str | None
    options: tuple[str, ...]
    lanes: int


CORES: dict[str, NamedCore] = {
    "validator": NamedCore("utf-8", None, ("lanes", "pipeline"), 8),
    "decoder": NamedCore("utf-8", "utf-32le", ("lanes", "errors", "bom", "packing", "pipeline"), 8),
    "encoder": NamedCore("utf-32le", "utf-8", ("lanes", "errors", "pipeline"), 4),
}
"""The cores that have names."""
TRANSCODER = "transcoder"
"""What every other core is called."""


@dataclass(frozen=True)
class PacketResult:
    """What a core makes of one packet: the bytes that it sends, and the first error that it reports.

    ``counts``: the counters that were asked for. ``records``: for each record whether it is ill-formed.
    """

    output: bytes
    error: FirstError | None
    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    records: tuple[bool, ...] = ()


@dataclass(frozen=True, repr=False)
class TranscoderParameters:
    """A core: packets of one encoding in, packets of another out, and a report of each packet's first error.

    ``source``: name of the encoding of the input. ``target``: that of the output, or None: the input passes through.
    ``lanes``: units of the source a beat, a power of two.
    ``errors``: "replace" sends one U+FFFD for each ill-formed subpart of the input, "drop" nothing. It is the same for
    each scalar that the target lacks. A target that lacks U+FFFD has ``?`` in its place.
    ``bom``: "keep", or "strip" one byte order mark at a packet's start.
    ``packing``: "dense" fills every output beat but a packet's last, "sparse" sends one output beat for each
    input beat, with the units in the lanes where they fall.
    ``pipeline``: "fast" (highest clock), "balanced" or "compact" (lowest latency and area).
    ``sidebands``: the options of its ports that are not about text.
    Raises `ParameterError` for any other value, and for an option that has no meaning for these encodings.
    """

    source: str
    target: str | None
    lanes: int = 8
    errors: str = "replace"
    bom: str = "keep"
    packing: str = "dense"
    pipeline: str = "fast"
    sidebands: Sidebands = USUAL

    def __post_init__(self) -> None:
        check_choice("source", self.source, tuple(ENCODINGS))
        if self.target is not None:
            check_choice("target", self.target, tuple(ENCODINGS))
        most = self.most_lanes
        if (isinstance(self.lanes, bool) or not isinstance(self.lanes, int) or not 1 <= self.lanes <= most
                or self.lanes & self.lanes - 1 != 0):
            raise ParameterError(f"lanes must be a power of two from 1 to {most}, got {self.lanes!r}")
        check_choice("errors", self.errors, ERRORS)
        check_choice("bom", self.bom, BOMS)
        check_choice("packing", self.packing, PACKINGS)
        check_choice("pipeline", self.pipeline, PIPELINES)
        for name in ("errors", "bom", "packing"):
            if name not in self._meant and getattr(self, name) != self._default(name):
                raise ParameterError(f"the {self} has no option {name!r}, it has {', '.join(self._meant)}")
        if self.sidebands.records is not None and (self.target is not None or self.reads.unit_bytes > 1):
            raise ParameterError(
                f"records need units of one byte that pass through, as a validator's, got {self}")

    @classmethod
    def _default(cls, option: str) -> Any:
        (default,) = (field.default for field in fields(cls) if field.name == option)
        return default

    @property
    def _meant(self) -> tuple[str, ...]:
        """The options that have a meaning for these encodings."""
        if self.target is None:
            return ("lanes", "pipeline")
        means = {"errors": bool(self.reads.wrong) or self.narrows, "bom": self.reads.byte_order_mark is not None,
                 "packing": self.slots == 1}
        return ("lanes", *(name for name, meant in means.items() if meant), "pipeline")

    @property
    def reads(self) -> Encoding:
        """The encoding of the input."""
        return ENCODINGS[self.source]

    @property
    def writes(self) -> Encoding:
        """The encoding of the output."""
        return ENCODINGS[self.source if self.target is None else self.target]

    @property
    def slots(self) -> int:
        """Places that each lane has for units of the target: a power of two, as many as a scalar may need."""
        if self.target is None:
            return 1
        if (self.source, self.target) in PAIRS:
            return PAIRS[self.source, self.target].slots
        possible = [min(self.reads.greatest, self.writes.greatest)]
        if self.reads.wrong and self.errors == "replace":
            possible.append(self.writes.replacement)
        return 1 << (max(map(self._size, possible)) - 1).bit_length()

    @property
    def narrows(self) -> bool:
        """Whether the target lacks scalars that the source has."""
        return self.reads.greatest > self.writes.greatest

    @property
    def in_place(self) -> bool:
        """Whether each unit stays in its lane: an output beat for each input beat."""
        return self.target is None or self.packing == "sparse"

    @property
    def most_lanes(self) -> int:
        """The widest core of these encodings."""
        most = MOST_BYTES // self.reads.unit_bytes
        return most if self.target is None else min(most, MOST_PLACES // self.slots)

    @property
    def core(self) -> str:
        """The core's name: one of `CORES`, or `TRANSCODER`."""
        for name, core in CORES.items():
            others = (field for field in fields(self)
                      if field.name not in ("source", "target", "sidebands", *core.options))
            if (core.source, core.target) == (self.source, self.target) and all(
                    getattr(self, field.name) == field.default for field in others):
                return name
        return TRANSCODER

    @property
    def options(self) -> dict[str, Any]:
        """The options that this core has, and their values; of its sidebands those that are not at their defaults."""
        names = CORES[self.core].options if self.core in CORES else self._meant
        return {**{name: getattr(self, name) for name in names}, **self.sidebands.unusual}

    @property
    def unusual(self) -> dict[str, Any]:
        """The options but ``lanes`` that are not at their defaults."""
        return {name: value for name, value in self.options.items()
                if name in Sidebands.NAMES or (name != "lanes" and value != self._default(name))}

    @property
    def kind(self) -> str:
        """The core's name, and its packing where it has a choice: ``decoder, dense``."""
        return ", ".join([self.core, *([self.packing] if "packing" in self.options else [])])

    def record(self) -> dict[str, Any]:
        """The core's name and its options, ready for JSON; `of` reads it."""
        between = {} if self.core in CORES else {"from": self.source, "to": self.target}
        return {"core": self.core, **between, **self.options}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """The parameters that `record` wrote. Raises `ParameterError` for another name, option or value."""
        options = {**record}
        core = options.pop("core", None)
        check_choice("core", core, (*CORES, TRANSCODER))
        if core == TRANSCODER:
            between = {"source": options.pop("from", None), "target": options.pop("to", None)}
            known = ("from", "to", *(field.name for field in fields(cls) if field.name not in (*between, "sidebands")))
        else:
            named = CORES[core]
            between = {"source": named.source, "target": named.target}
            known = named.options
            options = {"lanes": named.lanes, **options}
        options, sidebands = _apart(options)
        for name in options:
            if name not in known:
                raise ParameterError(f"the {core} has no option {name!r}, it has {', '.join(known)}, and of its ports "
                                     f"{', '.join(Sidebands.NAMES)}")
        return cls(**between, **options, sidebands=sidebands)

    def __repr__(self) -> str:
        shown = [each for each in fields(self) if each.name != "sidebands" or self.sidebands != USUAL]
        return f"{type(self).__name__}({', '.join(f'{each.name}={getattr(self, each.name)!r}' for each in shown)})"

    def __str__(self) -> str:
        """Core, lanes, and each option that is not the default: ``decoder, 8 lanes, packing sparse``."""
        words = [self.core, f"{self.lanes} lane{'s' if self.lanes > 1 else ''}",
                 *(f"{name} {option_text(name, value)}" for name, value in self.unusual.items())]
        if self.core not in CORES:
            words[0] = f"{self.core} from {self.reads} to {self.writes if self.target else 'itself'}"
        return ", ".join(words)

    @property
    def input_bytes(self) -> int:
        """Bytes of an input beat."""
        return self.lanes * self.reads.unit_bytes

    @property
    def output_bytes(self) -> int:
        """Bytes of an output beat."""
        return self.lanes * self.slots * self.writes.unit_bytes

    def compute(self, packet: bytes) -> PacketResult:
        """The golden answer: the packet in the target's encoding, and its first error (offset in units)."""
        error = self.reads.first_error(packet)
        output = packet
        if self.target is not None:
            scalars = self.reads.decode(packet, self.errors, self.bom)
            if self.writes.greatest < REPLACEMENT:
                error = self._first_unfit(packet, error) or error
                scalars = self._fitted(scalars)
            output = self.writes.encode(scalars)
        delimiter = self.sidebands.records
        records = () if delimiter is None else ill_formed_records(self.reads, packet, delimiter)
        return PacketResult(output, error, self._counts(packet, records), records)

    def _counts(self, packet: bytes, records: tuple[bool, ...]) -> dict[str, int]:
        """The counters that are asked for. Code points are those that the packet stands for, as ``errors`` and ``bom``
        have it: U+FFFD counts as one."""
        asked = self.sidebands.count
        if not asked:
            return {}
        scalars = self.reads.decode(packet, self.errors, self.bom)
        counts = {
            "code-points": len(scalars),
            "utf16-units": sum(2 if scalar > 0xFFFF else 1 for scalar in scalars),
            "replacements": len(self.reads.decode(packet, "replace")) - len(self.reads.decode(packet, "drop")),
            "bytes": len(packet),
            "records": len(records),
            "bad-records": sum(records),
        }
        return {name.replace("-", "_"): counts[name] for name in asked}

    def made(self, packet: bytes) -> Sequence[int]:
        """For each unit of a packet, how many units of the target stand in its lane.

        All of a scalar's are in the lane of its last unit, but for those of `PAIRS`.
        """
        if self.target is not None and (self.source, self.target) in PAIRS:
            return PAIRS[self.source, self.target].made(self.reads, packet, self.errors, self.bom)
        ends = self.reads.ends(packet, self.errors, self.bom)
        if self.writes.most_units == 1 and not (self.narrows and self.errors == "drop"):
            return ends
        scalars = iter(self.reads.decode(packet, self.errors, self.bom))
        return [sum(map(self._size, self._fitted([next(scalars)]))) if end else 0 for end in ends]

    def _size(self, scalar: int) -> int:
        """Units that a scalar takes in the target."""
        return self.writes.units(len(self.writes.encode([scalar])))

    def _fitted(self, scalars: Sequence[int]) -> list[int]:
        """Scalars with those that the target lacks replaced or left out."""
        target = self.writes
        fitting = (scalar if scalar <= target.greatest else target.replacement for scalar in scalars)
        if self.errors == "replace":
            return [*fitting]
        return [scalar for scalar in scalars if scalar <= target.greatest]

    def _first_unfit(self, packet: bytes, error: FirstError | None) -> FirstError | None:
        """The first scalar before the source's first error that the target lacks."""
        source = self.reads
        text = packet if error is None else packet[: error.offset * source.unit_bytes]
        scalars = source.decode(text, bom=self.bom)
        for at, scalar in enumerate(scalars):
            if scalar > self.writes.greatest:
                return FirstError(ErrorKind.TOO_LARGE, source.units(len(text) - len(source.encode(scalars[at:]))))
        return None


def _apart(options: Mapping[str, Any]) -> tuple[dict[str, Any], Sidebands]:
    """The options about text, and those that are not."""
    return ({name: value for name, value in options.items() if name not in Sidebands.NAMES},
            Sidebands(**{name: value for name, value in options.items() if name in Sidebands.NAMES}))


def option_text(name: str, value: Any) -> str:
    """The value of an option, as the command takes it: ``0A`` for ``records``, ``bytes,records`` for ``count``."""
    if name == "records":
        return f"{value:02X}"
    return ",".join(value) if isinstance(value, list | tuple) else str(value)


def core_words(parameters: TranscoderParameters) -> list[str]:
    """A core as the command takes it: its name, and the encodings that the name does not say."""
    if parameters.core != TRANSCODER:
        return [parameters.core]
    if parameters.target is None:
        return ["validator", "--encoding", parameters.source]
    return [TRANSCODER, "--from", parameters.source, "--to", parameters.target]


def ValidatorParameters(lanes: int = 8, pipeline: str = "fast", **sidebands: Any) -> TranscoderParameters:
    """A validator: passes UTF-8 through and reports each packet's first error. ``sidebands``: as `Sidebands` has
    them."""
    return TranscoderParameters("utf-8", None, lanes, pipeline=pipeline, sidebands=Sidebands(**sidebands))


def DecoderParameters(lanes: int = 8, errors: str = "replace", bom: str = "keep", packing: str = "dense",
                      pipeline: str = "fast", **sidebands: Any) -> TranscoderParameters:
    """A decoder: UTF-8 to UTF-32LE. ``sidebands``: as `Sidebands` has them."""
    return TranscoderParameters("utf-8", "utf-32le", lanes, errors, bom, packing, pipeline, Sidebands(**sidebands))


def EncoderParameters(lanes: int = 4, errors: str = "replace", pipeline: str = "fast",
                      **sidebands: Any) -> TranscoderParameters:
    """An encoder: UTF-32LE to UTF-8. ``sidebands``: as `Sidebands` has them."""
    return TranscoderParameters("utf-32le", "utf-8", lanes, errors, pipeline=pipeline,
                                sidebands=Sidebands(**sidebands))


def widths(core: str) -> list[int]:
    """The lanes that a core comes in, narrowest first; raises `ParameterError` for a core that there is not."""
    return [1 << n for n in range(parameters(core).most_lanes.bit_length())]


def parameters(core: str, **options: Any) -> TranscoderParameters:
    """The parameters of the core named ``core``: "validator", "decoder" or "encoder".

    Raises `ParameterError` for another core, an option that this core does not have, or a bad value.
    """
    check_choice("core", core, tuple(CORES))
    return TranscoderParameters.of({"core": core, **options})
