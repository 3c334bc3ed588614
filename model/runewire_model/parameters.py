"""The parameters of the cores, shared by model and hardware. Each computes the golden answer of a packet."""

from dataclasses import dataclass, fields
from struct import pack, unpack
from typing import Any, ClassVar

from .decoder import decode
from .encoder import encode, validate_scalars
from .errors import FirstError, ParameterError, check_choice
from .validator import validate

ERRORS = ("replace", "drop")
"""What the hardware can do with ill-formed input; either way the packet is flagged."""
BOMS = ("keep", "strip")
PACKINGS = ("dense", "sparse")
PIPELINES = ("fast", "balanced", "compact")


@dataclass(frozen=True)
class PacketResult:
    """What a core makes of one packet: the bytes that it sends, and the first error that it reports."""

    output: bytes
    error: FirstError | None


def _words(parameters: "Parameters") -> str:
    """Core, lanes, and each option that is not the default: ``decoder, 8 lanes, packing sparse``."""
    _, *options = fields(parameters)
    chosen = [f"{option.name} {value}" for option in options
              if (value := getattr(parameters, option.name)) != option.default]
    return ", ".join([parameters.core, f"{parameters.lanes} lane{'s' if parameters.lanes > 1 else ''}", *chosen])


def _check_lanes(lanes: object, most: int) -> None:
    if (isinstance(lanes, bool) or not isinstance(lanes, int) or not 1 <= lanes <= most
            or lanes & lanes - 1 != 0):
        raise ParameterError(f"lanes must be a power of two from 1 to {most}, got {lanes!r}")


@dataclass(frozen=True)
class ValidatorParameters:
    """A validator: passes UTF-8 through and reports each packet's first error.

    ``lanes``: bytes a beat, a power of two from 1 to 128.
    ``pipeline``: "fast" (highest clock), "balanced" or "compact" (lowest latency and area).
    Raises `ParameterError` for any other value.
    """

    core: ClassVar[str] = "validator"
    most_lanes: ClassVar[int] = 128

    lanes: int = 8
    pipeline: str = "fast"

    def __post_init__(self) -> None:
        _check_lanes(self.lanes, self.most_lanes)
        check_choice("pipeline", self.pipeline, PIPELINES)

    def __str__(self) -> str:
        return _words(self)

    @property
    def input_bytes(self) -> int:
        """Bytes of UTF-8 in an input beat."""
        return self.lanes

    @property
    def output_bytes(self) -> int:
        """Bytes of UTF-8 in an output beat."""
        return self.lanes

    def compute(self, packet: bytes) -> PacketResult:
        """The golden answer: the packet itself, and its first error (offset in bytes)."""
        return PacketResult(packet, validate(packet))


@dataclass(frozen=True)
class DecoderParameters:
    """A decoder: UTF-8 to UTF-32LE.

    ``lanes``: bytes in and scalars out a beat, a power of two from 1 to 64.
    ``errors``: "replace" sends one U+FFFD for each maximal subpart of an ill-formed sequence, "drop" nothing.
    ``bom``: "keep", or "strip" one U+FEFF at a packet's start.
    ``packing``: "dense" fills every output beat but a packet's last, "sparse" sends one output beat for each
    input beat, with the scalars in the lanes where they fall.
    ``pipeline``: "fast" (highest clock), "balanced" or "compact" (lowest latency and area).
    Raises `ParameterError` for any other value.
    """

    core: ClassVar[str] = "decoder"
    most_lanes: ClassVar[int] = 64

    lanes: int = 8
    errors: str = "replace"
    bom: str = "keep"
    packing: str = "dense"
    pipeline: str = "fast"

    def __post_init__(self) -> None:
        _check_lanes(self.lanes, self.most_lanes)
        check_choice("errors", self.errors, ERRORS)
        check_choice("bom", self.bom, BOMS)
        check_choice("packing", self.packing, PACKINGS)
        check_choice("pipeline", self.pipeline, PIPELINES)

    def __str__(self) -> str:
        return _words(self)

    @property
    def input_bytes(self) -> int:
        """Bytes of UTF-8 in an input beat."""
        return self.lanes

    @property
    def output_bytes(self) -> int:
        """Bytes of UTF-32LE in an output beat."""
        return 4 * self.lanes

    def compute(self, packet: bytes) -> PacketResult:
        """The golden answer: the packet's scalars in UTF-32LE, and its first error (offset in bytes)."""
        scalars = decode(packet, self.errors, self.bom)
        return PacketResult(pack(f"<{len(scalars)}I", *scalars), validate(packet))


@dataclass(frozen=True)
class EncoderParameters:
    """An encoder: UTF-32LE to UTF-8.

    ``lanes``: scalars in a beat, a power of two from 1 to 16; an output beat holds four bytes for each.
    ``errors``: for a surrogate or a number above 10FFFF "replace" sends U+FFFD, "drop" nothing.
    ``pipeline``: "fast" (highest clock), "balanced" or "compact" (lowest latency and area).
    Raises `ParameterError` for any other value.
    """

    core: ClassVar[str] = "encoder"
    most_lanes: ClassVar[int] = 16

    lanes: int = 4
    errors: str = "replace"
    pipeline: str = "fast"

    def __post_init__(self) -> None:
        _check_lanes(self.lanes, self.most_lanes)
        check_choice("errors", self.errors, ERRORS)
        check_choice("pipeline", self.pipeline, PIPELINES)

    def __str__(self) -> str:
        return _words(self)

    @property
    def input_bytes(self) -> int:
        """Bytes of UTF-32LE in an input beat."""
        return 4 * self.lanes

    @property
    def output_bytes(self) -> int:
        """Bytes of UTF-8 in an output beat."""
        return 4 * self.lanes

    def compute(self, packet: bytes) -> PacketResult:
        """The golden answer: the UTF-8 of a packet of UTF-32LE, and its first error (offset in scalars).

        Raises `ParameterError` when the packet is not a whole number of scalars.
        """
        if len(packet) % 4 != 0:
            raise ParameterError(
                f"a packet for the encoder is UTF-32LE, a multiple of 4 bytes, got {len(packet)} bytes")
        scalars = unpack(f"<{len(packet) // 4}I", packet)
        return PacketResult(encode(scalars, self.errors), validate_scalars(scalars))


Parameters = ValidatorParameters | DecoderParameters | EncoderParameters

CORES: dict[str, type[ValidatorParameters] | type[DecoderParameters] | type[EncoderParameters]] = {
    kind.core: kind for kind in (ValidatorParameters, DecoderParameters, EncoderParameters)
}
"""The parameter class of each core, by the core's name."""


def widths(core: str) -> list[int]:
    """The lanes that a core comes in, narrowest first; raises `ParameterError` for a core that there is not."""
    check_choice("core", core, tuple(CORES))
    return [1 << n for n in range(CORES[core].most_lanes.bit_length())]


def parameters(core: str, **options: Any) -> Parameters:
    """The parameters of the core named ``core``: "validator", "decoder" or "encoder".

    Raises `ParameterError` for another core, an option that this core does not have, or a bad value.
    """
    check_choice("core", core, tuple(CORES))
    kind = CORES[core]
    known = [field.name for field in fields(kind)]
    for name in options:
        if name not in known:
            raise ParameterError(f"the {core} has no option {name!r}, it has {', '.join(known)}")
    return kind(**options)
