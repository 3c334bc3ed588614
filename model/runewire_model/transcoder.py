"""The parameters of the cores, shared by model and hardware. They compute the golden answer of a packet."""

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple, Self

from .byte_order_mark import BYTE_ORDER_MARK
from .encodings import ENCODINGS, PAIRS, Encoding, Pair, canonical
from .errors import (
    OCTETS,
    ErrorKind,
    FirstError,
    Named,
    ParameterError,
    check_bytes,
    check_choice,
    check_octet,
    meant,
)
from .records import ill_formed_records
from .report import Sidebands
from .report_fields import COUNTERS, PacketText
from .scalars import NARROW_REPLACEMENT, REPLACEMENT

__all__ = [
    "BOMS", "CORES", "ERRORS", "FAMILIES", "PACKINGS", "PIPELINES", "TRANSCODER", "DecoderParameters",
    "EncoderParameters", "PacketResult", "SanitizerParameters", "TranscoderParameters", "ValidatorParameters",
    "core_words", "parameters", "widths",
]

ERRORS = ("replace", "drop")
"""What the hardware can do with ill-formed input; either way the packet is flagged."""
BOMS = ("keep", "strip", "add")
"""What becomes of a byte order mark at a packet's start. The last: a packet without one gets one."""
PACKINGS = ("dense", "sparse")
PIPELINES = ("fast", "balanced", "compact")
FAMILIES = ("ecp5", "ice40", "generic")

USUAL = Sidebands()
"""A report in ``tuser``, and nothing else."""

MOST_PLACES = 128
"""Places for units in the row of a beat, before they are packed: twice as many take half of the largest device that
cores are measured on."""
MOST_NAMED_PLACES = 64
"""The same in a core with a name of its own."""
MOST_BYTES = 128
"""Bytes of an input beat, where it becomes another: else as many as there are of an output beat."""
MOST_ROW_BYTES = 256
"""Bytes of an output beat."""


class NamedCore(NamedTuple):
    """A core with a name of its own: what it makes of what, its options in their order, and its usual lanes."""

    source: str
    target: str | None
    options: tuple[str, ...]
    lanes: int


CORES: dict[str, NamedCore] = {
    "validator": NamedCore("utf-8", None, ("lanes", "pipeline", "family"), 8),
    "decoder": NamedCore("utf-8", "utf-32le", ("lanes", "errors", "bom", "packing", "pipeline", "family"), 8),
    "encoder": NamedCore("utf-32le", "utf-8", ("lanes", "errors", "pipeline", "family"), 4),
    "sanitizer": NamedCore("utf-8", "utf-8",
                           ("lanes", "errors", "replacement", "bom", "packing", "pipeline", "family"), 8),
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
    ``bom``: "keep", or "strip" one byte order mark at a packet's start, or "add" one to each packet without; an input
    beat's time is spent on it.
    ``packing``: "dense" fills every output beat but a packet's last, "sparse" sends one output beat for each
    input beat, with the units in the lanes where they fall.
    ``pipeline``: "fast" (highest clock), "balanced" or "compact" (lowest latency and area: few registers, which wait
    together; ``family`` changes nothing there).
    ``family``: the devices that the hardware is laid out for, "ecp5", "ice40", or "generic": no replicas.
    ``sidebands``: the options of its ports that are not about text.
    ``replacement``: an ASCII byte, 0 to 127, that is sent in place of U+FFFD or ``?`` where the target is Latin-1 or
    ASCII, or source and target are UTF-8. None for these two themselves.
    Raises `ParameterError` for any other value, and for an option that has no meaning for these encodings.
    """

    source: str
    target: str | None
    lanes: int = 8
    errors: str = "replace"
    bom: str = "keep"
    packing: str = "dense"
    pipeline: str = "fast"
    family: str = "ecp5"
    sidebands: Sidebands = USUAL
    replacement: int | None = None

    def __post_init__(self) -> None:
        for name in ("source", "target"):
            object.__setattr__(self, name, canonical(getattr(self, name)))
        check_choice("source", self.source, tuple(ENCODINGS))
        if self.target is not None:
            check_choice("target", self.target, tuple(ENCODINGS))
        most = self.most_lanes
        if (isinstance(self.lanes, bool) or not isinstance(self.lanes, int) or not 1 <= self.lanes <= most
                or self.lanes & self.lanes - 1 != 0):
            raise ParameterError(Named("lanes"), f" must be a power of two from 1 to {most}, got {self.lanes!r}",
                                 *self._wider())
        check_choice("errors", self.errors, ERRORS)
        check_choice("bom", self.bom, BOMS)
        check_choice("packing", self.packing, PACKINGS)
        check_choice("pipeline", self.pipeline, PIPELINES)
        check_choice("family", self.family, FAMILIES)
        if self.replacement is not None:
            check_octet("replacement", self.replacement)
        for name in ("errors", "replacement", "bom", "packing"):
            if name not in self._meant and getattr(self, name) != self._default(name):
                raise ParameterError(f"the {self} has no option ", Named(name, quoted=True), ", it has ",
                                     *_listed(self._meant), *self._sparse_with(name))
        if self.bom not in self._boms:
            raise ParameterError(Named("bom"), f" of {self._way} must be one of {', '.join(self._boms)}, got "
                                 f"{self.bom!r}")
        if self.replacement == self.writes.replacement:
            object.__setattr__(self, "replacement", None)
        if self.sidebands.records is not None and (self.target is not None or self.reads.unit_bytes > 1):
            of = [name for name, each in ENCODINGS.items() if each.unit_bytes == 1]
            got = f"a validator of {self.source}" if self.target is None else f"{self.source} to {self.target}"
            raise ParameterError(Named("records"), f" is an option of validators of {', '.join(of[:-1])} and "
                                 f"{of[-1]}, got {got}")

    def _wider(self) -> list[str | Named]:
        """The end of the message about ``lanes``: the options with which there may be as many."""
        lanes = self.lanes
        if type(lanes) is not int or lanes < 1 or lanes & lanes - 1:
            return []
        most = 0

        def enough(made: "TranscoderParameters") -> bool:
            nonlocal most
            most = max(most, made.most_lanes)
            return made.most_lanes >= lanes

        options = self._options_where(enough, lanes=1)
        return [": with ", *options, f" up to {most}"] if options else []

    def _sparse_with(self, name: str) -> list[str | Named]:
        """The end of the message that there is no ``packing``: the options with which there is."""
        options = self._options_where(lambda made: name in made._meant, packing="dense") if name == "packing" else []
        return ["; with ", *options, " it has ", Named(name), " too"] if options else []

    def _options_where(self, holds: Callable[["TranscoderParameters"], bool], **usual: Any) -> list[str | Named]:
        """The options that spare U+FFFD its three bytes and make ``holds`` true, as parts of a message; ``usual``
        options take the place of this core's own."""
        found: list[str | Named] = []
        for name, value in (("errors", "drop"), ("replacement", NARROW_REPLACEMENT)):
            with contextlib.suppress(ParameterError):
                if holds(replace(self, **{**usual, name: value})):
                    found += [" or ", Named(name, value)]
        return found[1:]

    @classmethod
    def _default(cls, option: str) -> Any:
        (default,) = (field.default for field in fields(cls) if field.name == option)
        return default

    @property
    def _meant(self) -> tuple[str, ...]:
        """The options that have a meaning for these encodings."""
        if self.target is None:
            return ("lanes", "pipeline", "family")
        replaces = bool(self.reads.wrong) or self.narrows
        means = {"errors": replaces, "replacement": replaces and self.errors == "replace" and self._takes_a_byte,
                 "bom": len(self._boms) > 1, "packing": self.slots == 1}
        return ("lanes", *(name for name, meant in means.items() if meant), "pipeline", "family")

    @property
    def _boms(self) -> tuple[str, ...]:
        """Values of ``bom`` that have a meaning: only what is read has a mark, and only what is written gets one."""
        if self.target is None:
            return ("keep",)
        means = {"keep": True, "strip": bool(self.reads.byte_order_marks),
                 "add": self.writes.greatest >= BYTE_ORDER_MARK}
        return tuple(name for name, meant in means.items() if meant)

    @property
    def _way(self) -> str:
        """From what to what: ``UTF-8 to Latin-1``."""
        return f"{self.reads} to {self.writes if self.target else 'itself'}"

    @property
    def mark(self) -> bytes:
        """What is put before the text of each packet: a byte order mark, or nothing."""
        return self.writes.encode([BYTE_ORDER_MARK]) if self.bom == "add" and "add" in self._boms else b""

    @property
    def mark_units(self) -> int:
        """Its units in the target. They come before those of the input, in a beat of their own."""
        return self.writes.units(len(self.mark))

    @property
    def mark_beats(self) -> int:
        """Beats that a packet has inside the core for that mark, before those of its text: 0 or 1."""
        return int(bool(self.mark))

    @property
    def _text_bom(self) -> str:
        """What becomes of the input's mark: one that is added takes its place."""
        return "keep" if self.bom == "keep" else "strip"

    @property
    def _takes_a_byte(self) -> bool:
        """Whether a byte of choice may stand for what is ill-formed or does not fit."""
        return self.writes.greatest < REPLACEMENT or (self._pair is not None and self._pair.takes_a_byte)

    @property
    def _pair(self) -> Pair | None:
        return None if self.target is None else PAIRS.get((self.source, self.target))

    @property
    def reads(self) -> Encoding:
        """The encoding of the input."""
        return ENCODINGS[self.source]

    @property
    def writes(self) -> Encoding:
        """The encoding of the output."""
        return ENCODINGS[self.source if self.target is None else self.target]

    @property
    def used_slots(self) -> int:
        """Units of the target that one lane has at most, or a lane of the beat of a mark that is added."""
        return max(self._text_slots, -(-self.mark_units // self.lanes))

    @property
    def _text_slots(self) -> int:
        if self.target is None:
            return 1
        if self.fused is not None:
            return self.fused.slots
        possible = [min(self.reads.greatest, self.writes.greatest)]
        if self.reads.wrong and self.errors == "replace":
            possible.append(self.writes.replacement)
        return max(map(self._size, possible))

    @property
    def slots(self) -> int:
        """Places that each lane has for units of the target: a power of two, as rows are. `used_slots` of them, the
        last, may have one."""
        return _places(self.used_slots)

    @property
    def fused(self) -> Pair | None:
        """What stands in place of the two encodings, where they are fused with these options."""
        pair = self._pair
        return pair if pair is not None and pair.serves(self.errors, self.replacement) else None

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
        if self.target is None:
            return MOST_ROW_BYTES // self.reads.unit_bytes
        most = MOST_BYTES // self.reads.unit_bytes
        places = MOST_NAMED_PLACES if self.core in CORES else MOST_PLACES
        slots = _places(self._text_slots)
        return min(most, places // slots, MOST_ROW_BYTES // (slots * self.writes.unit_bytes))

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
        """The options that this core has, and their values; of its family, its sidebands and what is replaced, those
        that are not at their defaults."""
        named = CORES.get(self.core)
        names = self._meant if named is None else [name for name in named.options if name in self._meant]
        values = {name: getattr(self, name) for name in names}
        shown = {name: value for name, value in values.items()
                 if name not in ("family", "replacement") or value != self._default(name)}
        return {**shown, **self.sidebands.unusual}

    @property
    def unusual(self) -> dict[str, Any]:
        """The options but ``lanes`` that are not at their defaults."""
        return {name: value for name, value in self.options.items()
                if name in Sidebands.NAMES or (name != "lanes" and value != self._default(name))}

    @property
    def kind(self) -> str:
        """The core's name, and its packing where it has a choice: ``decoder, dense``. A core without a name is called
        after its encodings: ``UTF-16LE to UTF-8``, ``UTF-16LE checked``."""
        name = self.core
        if name == TRANSCODER:
            name = f"{self.reads} checked" if self.target is None else f"{self.reads} to {self.writes}"
        return ", ".join([name, *([self.packing] if "packing" in self.options else [])])

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
                raise ParameterError(f"the {core} has no option ", Named(name, quoted=True), ", it has ",
                                     *_listed(known), ", and of its ports ", *_listed(Sidebands.NAMES),
                                     meant(name, (*known, *Sidebands.NAMES)))
        return cls(**between, **options, sidebands=sidebands)

    def __repr__(self) -> str:
        shown = [each for each in fields(self) if each.name not in ("family", "sidebands", "replacement")
                 or getattr(self, each.name) != each.default]
        return f"{type(self).__name__}({', '.join(f'{each.name}={getattr(self, each.name)!r}' for each in shown)})"

    def __str__(self) -> str:
        """Core, lanes, and each option that is not the default: ``decoder, 8 lanes, packing sparse``."""
        words = [self.core, f"{self.lanes} lane{'s' if self.lanes > 1 else ''}",
                 *(f"{name} {option_text(name, value)}" for name, value in self.unusual.items())]
        if self.core not in CORES:
            words[0] = f"{self.core} from {self._way}"
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
        check_bytes("packet", packet)
        error = self.reads.first_error(packet)
        output = packet
        if self.target is not None:
            scalars = self._scalars(packet)
            if self.writes.greatest < REPLACEMENT:
                error = self._first_unfit(packet, error) or error
                scalars = self._fitted(scalars)
            output = self.mark + self.writes.encode(scalars)
        delimiter = self.sidebands.records
        records = () if delimiter is None else ill_formed_records(self.reads, packet, delimiter)
        return PacketResult(output, error, self._counts(packet, records), records)

    def _scalars(self, packet: bytes) -> list[int]:
        """The scalars that a packet stands for, or what is sent for them."""
        scalars = self.reads.decode(packet, self.errors, self._text_bom)
        if self.replacement is None:
            return scalars
        whole, every = (self.reads.ends(packet, errors, self._text_bom) for errors in ("drop", "replace"))
        kept = [fine for fine, end in zip(whole, every, strict=True) if end]
        return [scalar if fine else self.replacement for scalar, fine in zip(scalars, kept, strict=True)]

    def _counts(self, packet: bytes, records: tuple[bool, ...]) -> dict[str, int]:
        """The counters that are asked for, by the names of their fields."""
        if not self.sidebands.count:
            return {}
        scalars = self.reads.decode(packet, self.errors, self._text_bom)
        if self.mark:
            scalars = [BYTE_ORDER_MARK, *scalars]
        replaced, well_formed = (self.reads.decode(packet, errors) for errors in ERRORS)
        text = PacketText(packet, scalars, replaced, well_formed, records)
        counters = (COUNTERS[name] for name in self.sidebands.count)
        return {counter.field: counter.value(text) for counter in counters}

    def made(self, packet: bytes) -> Sequence[int]:
        """For each unit of a packet, how many units of the target stand in its lane, a mark that is added not counted.

        All of a scalar's are in the lane of its last unit, but for those of `PAIRS`.
        """
        if self.fused is not None:
            return self.fused.made(self.reads, packet, self.errors, self._text_bom)
        ends = self.reads.ends(packet, self.errors, self._text_bom)
        if self.writes.most_units == 1 and not (self.narrows and self.errors == "drop"):
            return ends
        scalars = iter(self.reads.decode(packet, self.errors, self._text_bom))
        return [sum(map(self._size, self._fitted([next(scalars)]))) if end else 0 for end in ends]

    def _size(self, scalar: int) -> int:
        """Units that a scalar takes in the target."""
        return self.writes.units(len(self.writes.encode([scalar])))

    def _fitted(self, scalars: Sequence[int]) -> list[int]:
        """Scalars with those that the target lacks replaced or left out."""
        target = self.writes
        other = target.replacement if self.replacement is None else self.replacement
        fitting = (scalar if scalar <= target.greatest else other for scalar in scalars)
        if self.errors == "replace":
            return [*fitting]
        return [scalar for scalar in scalars if scalar <= target.greatest]

    def _first_unfit(self, packet: bytes, error: FirstError | None) -> FirstError | None:
        """The first scalar before the source's first error that the target lacks."""
        source = self.reads
        text = packet if error is None else packet[: error.offset * source.unit_bytes]
        scalars = source.decode(text, bom=self._text_bom)
        for at, scalar in enumerate(scalars):
            if scalar > self.writes.greatest:
                return FirstError(ErrorKind.TOO_LARGE, source.units(len(text) - len(source.encode(scalars[at:]))))
        return None


def _places(slots: int) -> int:
    """The least power of two that is not below."""
    return 1 << (slots - 1).bit_length()


def _listed(names: Iterable[str]) -> list[str | Named]:
    """Names of parameters with commas between, as parts of a message."""
    return [part for name in names for part in (", ", Named(name))][1:]


def _apart(options: Mapping[str, Any]) -> tuple[dict[str, Any], Sidebands]:
    """The options about text, and those that are not."""
    return ({name: value for name, value in options.items() if name not in Sidebands.NAMES},
            Sidebands(**{name: value for name, value in options.items() if name in Sidebands.NAMES}))


def option_text(name: str, value: Any) -> str:
    """The value of an option, as the command takes it: ``0A`` for ``records``, ``bytes,records`` for ``count``."""
    if name in OCTETS:
        return f"{value:02X}"
    return ",".join(value) if isinstance(value, list | tuple) else str(value)


def core_words(parameters: TranscoderParameters) -> list[str]:
    """A core as the command takes it: its name, and the encodings that the name does not say."""
    if parameters.core != TRANSCODER:
        return [parameters.core]
    if parameters.target is None:
        return ["validator", "--encoding", parameters.source]
    return [TRANSCODER, "--from", parameters.source, "--to", parameters.target]


def ValidatorParameters(lanes: int = 8, pipeline: str = "fast", family: str = "ecp5",
                        **sidebands: Any) -> TranscoderParameters:
    """A validator: passes UTF-8 through and reports each packet's first error. ``sidebands``: as `Sidebands` has
    them."""
    return TranscoderParameters("utf-8", None, lanes, pipeline=pipeline, family=family,
                                sidebands=Sidebands(**sidebands))


def DecoderParameters(lanes: int = 8, errors: str = "replace", bom: str = "keep", packing: str = "dense",
                      pipeline: str = "fast", family: str = "ecp5", **sidebands: Any) -> TranscoderParameters:
    """A decoder: UTF-8 to UTF-32LE. ``sidebands``: as `Sidebands` has them."""
    return TranscoderParameters("utf-8", "utf-32le", lanes, errors, bom, packing, pipeline, family,
                                Sidebands(**sidebands))


def EncoderParameters(lanes: int = 4, errors: str = "replace", pipeline: str = "fast", family: str = "ecp5",
                      **sidebands: Any) -> TranscoderParameters:
    """An encoder: UTF-32LE to UTF-8. ``sidebands``: as `Sidebands` has them."""
    return TranscoderParameters("utf-32le", "utf-8", lanes, errors, pipeline=pipeline, family=family,
                                sidebands=Sidebands(**sidebands))


def SanitizerParameters(lanes: int = 8, errors: str = "replace", replacement: int | None = None, bom: str = "keep",
                        packing: str = "dense", pipeline: str = "fast", family: str = "ecp5",
                        **sidebands: Any) -> TranscoderParameters:
    """A sanitizer: UTF-8 to well-formed UTF-8. ``replacement``: the byte in place of U+FFFD. ``sidebands``: as
    `Sidebands` has them."""
    return TranscoderParameters("utf-8", "utf-8", lanes, errors, bom, packing, pipeline, family,
                                Sidebands(**sidebands), replacement)


def widths(core: str, **options: Any) -> list[int]:
    """The lanes that a core comes in, narrowest first; raises `ParameterError` as `parameters`."""
    return [1 << n for n in range(parameters(core, **options).most_lanes.bit_length())]


def parameters(core: str, **options: Any) -> TranscoderParameters:
    """The parameters of the core named ``core``: "validator", "decoder", "encoder" or "sanitizer".

    Raises `ParameterError` for another core, an option that this core does not have, or a bad value.
    """
    check_choice("core", core, tuple(CORES))
    return TranscoderParameters.of({"core": core, **options})
