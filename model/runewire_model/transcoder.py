"""The parameters of a core, shared by model and hardware."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

from .byte_order_mark import BYTE_ORDER_MARK
from .core_front import behind_of, check_split, packer_of, splitter_of
from .encodings import BYTES, ENCODINGS, NUL_REJECTING, PAIRS, Encoding, Pair, canonical
from .errors import OCTETS, ErrorKind, Named, ParameterError, check_bytes, check_choice, check_flag, check_octet
from .filtering import Reject, filtered
from .golden_answer import PacketResult, answer, lane_units, units_of
from .option_hints import sparse_with, wider
from .port_options import (
    FILTER,
    PACKER,
    SPLITTER,
    check_options,
    delimiter_name,
    listed,
    named_for,
    port_options,
    separated,
    with_defaults,
)
from .record_options import check_records, with_tail
from .report import Sidebands
from .scalars import REPLACEMENT
from .splitting import record_packets

ERRORS = ("replace", "drop")
"""Treatment of ill-formed input; the packet is flagged either way."""
BOMS = ("keep", "strip", "add")
"""Treatment of a byte order mark at a packet's start. "add" puts one before each packet without."""
PACKINGS = ("dense", "sparse")
PIPELINES = ("fast", "balanced", "compact")
FAMILIES = ("ecp5", "ice40", "gowin-5a", "xilinx-7", "generic")

USUAL = Sidebands()
"""The default sidebands: a report in ``tuser`` alone."""

MOST_PLACES = 128
"""Greatest number of unit places in a beat's row, before packing. Twice as many fill half of the largest device in the
datasheet."""
MOST_NAMED_PLACES = 64
"""The same limit for a core with a name of its own."""
MOST_BYTES = 128
"""Greatest number of bytes in an input beat of a core that converts or takes null bytes anywhere. The row's limit may
allow fewer."""
MOST_ROW_BYTES = 256
"""Greatest number of bytes in an output beat."""


FLAGS = ("reject_nul", "replace_runs")
"""Options about text that are on or off."""


class NamedCore(NamedTuple):
    """A core with a name of its own: its source and target, its options in order, and its default lanes."""

    source: str
    target: str | None
    options: tuple[str, ...]
    lanes: int


CORES: dict[str, NamedCore] = {
    "validator": NamedCore("utf-8", None, ("lanes", "pipeline", "family", "reject_nul"), 8),
    "decoder": NamedCore("utf-8", "utf-32le", ("lanes", "errors", "bom", "packing", "pipeline", "family", *FLAGS), 8),
    "encoder": NamedCore("utf-32le", "utf-8", ("lanes", "errors", "pipeline", "family", *FLAGS), 4),
    "sanitizer": NamedCore("utf-8", "utf-8",
                           ("lanes", "errors", "replacement", "bom", "packing", "pipeline", "family", *FLAGS), 8),
    PACKER: NamedCore(BYTES.name, BYTES.name, ("lanes", "pipeline", "family"), 8),
    SPLITTER: NamedCore(BYTES.name, BYTES.name, ("lanes", "pipeline", "family"), 8),
    FILTER: NamedCore(BYTES.name, BYTES.name, ("lanes", "pipeline", "family"), 8),
}
"""The named cores."""
TRANSCODER = "transcoder"
"""The name of every other core."""


@dataclass(frozen=True, repr=False)
class TranscoderParameters:
    """A core: packets of one encoding in, packets of another out, and a report of each packet's first error.

    ``source``: name of the input's encoding.
    ``target``: name of the output's encoding; None if the input is only checked and passes through.
    ``lanes``: source units per beat, a power of two.
    ``errors``: "replace" outputs one U+FFFD for each ill-formed subpart of the input, "drop" nothing. A scalar that the
    target lacks is treated in the same way. A target that lacks U+FFFD has ``?`` instead.
    ``bom``: "keep" leaves a byte order mark at a packet's start, "strip" removes it, "add" puts one before each packet
    without, which takes one input cycle.
    ``packing``: "dense" fills every output beat except a packet's last. "sparse" outputs one beat for each input beat,
    and units stay in their lanes.
    ``pipeline``: "fast" (highest clock), "balanced" or "compact" (lowest latency and area: global stall, fewest
    registers; ``family`` has no effect there).
    ``family``: the devices that the layout suits: "ecp5", "ice40", "gowin-5a", "xilinx-7", or "generic" (no
    duplicated registers). Wide cores of two of them have a skid buffer at the output (`packet_beats.has_output_skid`).
    ``sidebands``: the options of the ports that do not concern text.
    ``replacement``: an ASCII byte, 0 to 127, to be output instead of U+FFFD or ``?``. The target must be Latin-1 or
    ASCII, or source and target UTF-8. None for the usual replacement.
    ``reject_nul``: U+0000 is ill-formed, of the kind NUL.
    ``replace_runs``: one replacement for a run of adjoining ill-formed subparts, instead of one for each.

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
    reject_nul: bool = False
    replace_runs: bool = False

    def __post_init__(self) -> None:
        for name in ("source", "target"):
            object.__setattr__(self, name, canonical(getattr(self, name)))
        if not self.moves_bytes:
            check_choice("source", self.source, tuple(ENCODINGS))
            if self.target is not None:
                check_choice("target", self.target, tuple(ENCODINGS))
        most = self.most_lanes
        if (isinstance(self.lanes, bool) or not isinstance(self.lanes, int) or not 1 <= self.lanes <= most
                or self.lanes & self.lanes - 1 != 0):
            raise ParameterError(Named("lanes"), f" must be a power of two from 1 to {most}, got {self.lanes!r}",
                                 *wider(self))
        check_choice("errors", self.errors, ERRORS)
        check_choice("bom", self.bom, BOMS)
        check_choice("packing", self.packing, PACKINGS)
        check_choice("pipeline", self.pipeline, PIPELINES)
        check_choice("family", self.family, FAMILIES)
        if self.replacement is not None:
            check_octet("replacement", self.replacement)
        for name in FLAGS:
            check_flag(name, getattr(self, name))
        for name in ("errors", "replacement", "bom", "packing", *FLAGS):
            if name not in self.text_options and getattr(self, name) != self._default(name):
                raise ParameterError(f"the {self} has no option ", Named(name, quoted=True), ", it has ",
                                     *listed(self.text_options), *sparse_with(self, name))
        if self.bom not in self._boms:
            raise ParameterError(Named("bom"), f" of {self._way} must be one of {', '.join(self._boms)}, got "
                                 f"{self.bom!r}")
        if self.replacement == self.writes.replacement:
            object.__setattr__(self, "replacement", None)
        for name, value in (("replacement", self.replacement), ("records", self.sidebands.records)):
            if self.reject_nul and value == 0:
                raise ParameterError(Named(name, 0), " is U+0000, which ", Named("reject_nul"), " rejects")
        if self.moves_bytes:
            # No text is read, so there is nothing to report.
            object.__setattr__(self, "sidebands", replace(self.sidebands, report="none"))
            check_options(self.core, self._options_of_cores(),
                          named_for(self.core, self.sidebands.unusual).keys() - {"report"})
        check_split(self)
        check_records(self)
        object.__setattr__(self, "sidebands", with_tail(self))

    @classmethod
    def _options_of_cores(cls) -> dict[str, tuple[str, ...]]:
        """The options of each core, without the ones of its ports."""
        own = tuple(field.name for field in fields(cls) if field.name not in ("source", "target", "sidebands"))
        return {**{name: core.options for name, core in CORES.items()}, TRANSCODER: ("from", "to", *own)}

    @classmethod
    def _default(cls, option: str) -> Any:
        (default,) = (field.default for field in fields(cls) if field.name == option)
        return default

    @property
    def text_options(self) -> tuple[str, ...]:
        """The options that have a meaning for these encodings."""
        if self.target is None:
            return ("lanes", "pipeline", "family", "reject_nul")
        replaces = bool(self.reads.wrong) or self.narrows
        means = {"errors": replaces, "replacement": replaces and self.errors == "replace" and self._takes_a_byte,
                 "bom": len(self._boms) > 1, "packing": self.slots == 1 and not self.moves_bytes}
        flags = {"reject_nul": not self.moves_bytes,
                 "replace_runs": bool(self.reads.wrong) and self.errors == "replace"}
        return ("lanes", *(name for name, meant in means.items() if meant), "pipeline", "family",
                *(name for name, meant in flags.items() if meant))

    @property
    def _boms(self) -> tuple[str, ...]:
        """The values of ``bom`` that have a meaning: stripping needs a mark in the source, adding one in the target."""
        if self.target is None:
            return ("keep",)
        means = {"keep": True, "strip": bool(self.reads.byte_order_marks),
                 "add": self.writes.greatest >= BYTE_ORDER_MARK}
        return tuple(name for name, meant in means.items() if meant)

    @property
    def moves_bytes(self) -> bool:
        """Whether the core moves bytes, and has no report of a packet's text: a packer, a splitter or a filter."""
        return self.source == self.target == BYTES.name

    @property
    def packs_bytes(self) -> bool:
        """Whether the core is a packer: it moves bytes and reads none."""
        return self.moves_bytes and not self.splits_bytes and not self.filters

    @property
    def splits_bytes(self) -> bool:
        """Whether the core is a splitter: it makes a packet of each record."""
        return self.moves_bytes and self.sidebands.split is not None

    @property
    def filters(self) -> bool:
        """Whether the core is a filter: it removes ill-formed records."""
        return self.moves_bytes and self.sidebands.filter is not None

    @property
    def splits(self) -> bool:
        """Whether a packet may become several, or none: one for each record."""
        return self.sidebands.split is not None

    @property
    def holes(self) -> bool:
        """Whether each input beat may keep any of its bytes, and each of them counts."""
        return self.packs_bytes or self.packer is not None

    @cached_property
    def packer(self) -> Self | None:
        """The packer before the core's input; None unless null bytes may be anywhere."""
        return packer_of(self)

    @cached_property
    def splitter(self) -> Self | None:
        """The splitter between the packer, if any, and the core; None unless records become packets."""
        return splitter_of(self)

    @cached_property
    def front(self) -> tuple[Self, ...]:
        """The packer and the splitter before the core, as far as it has them, in the order of a beat's way."""
        return tuple(core for core in (self.packer, self.splitter) if core is not None)

    @cached_property
    def behind(self) -> Self:
        """The core behind its packer and its splitter."""
        return behind_of(self)

    @property
    def does(self) -> str:
        """The core's function in words: ``UTF-8 to UTF-16LE``, ``UTF-8 checked``, ``null bytes removed``."""
        if self.packs_bytes:
            return "null bytes removed"
        if self.splits_bytes:
            return "records to packets"
        if self.filters:
            return "ill-formed records removed"
        return f"{self.reads} checked" if self.target is None else f"{self.reads} to {self.writes}"

    @property
    def _way(self) -> str:
        """Source and target: ``UTF-8 to Latin-1``."""
        return f"{self.reads} to {self.writes if self.target else 'itself'}"

    @property
    def mark(self) -> bytes:
        """The bytes that are put before each packet's text: a byte order mark, or nothing."""
        return self.writes.encode([BYTE_ORDER_MARK]) if self.bom == "add" and "add" in self._boms else b""

    @property
    def mark_units(self) -> int:
        """Target units of the added mark. They precede the packet's units, in a beat of their own."""
        return self.writes.units(len(self.mark))

    @property
    def mark_beats(self) -> int:
        """Beats inside the core for the added mark, 0 or 1."""
        return int(bool(self.mark))

    @property
    def text_bom(self) -> str:
        """Treatment of the input's mark: an added mark replaces it."""
        return "keep" if self.bom == "keep" else "strip"

    @property
    def _takes_a_byte(self) -> bool:
        """Whether the user may choose a replacement byte for input that is ill-formed or does not fit."""
        return self.writes.greatest < REPLACEMENT or (self._pair is not None and self._pair.takes_a_byte)

    @property
    def _pair(self) -> Pair | None:
        return None if self.target is None else PAIRS.get((self.source, self.target))

    @property
    def reads(self) -> Encoding:
        """The encoding of the input."""
        if self.moves_bytes:
            return BYTES
        return (NUL_REJECTING if self.reject_nul else ENCODINGS)[self.source]

    @property
    def writes(self) -> Encoding:
        """The encoding of the output."""
        return self.reads if self.target is None or self.moves_bytes else ENCODINGS[self.target]

    @property
    def kinds(self) -> tuple[ErrorKind, ...]:
        """The kinds of errors that the core may report."""
        return tuple(kind for kind in ErrorKind if self.reject_nul or kind is not ErrorKind.NUL)

    @property
    def used_slots(self) -> int:
        """Target units in one lane at most; the lanes of an added mark's beat count too."""
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
        return max(units_of(self.writes, scalar) for scalar in possible)

    @property
    def slots(self) -> int:
        """Unit places of each lane, a power of two, as rows are. Only the last `used_slots` of them are used."""
        return _places(self.used_slots)

    @property
    def fused(self) -> Pair | None:
        """The fused pair of the two encodings; None if these options do not permit fusing."""
        pair = self._pair
        return pair if pair is not None and pair.serves(self.errors, self.replacement) else None

    @property
    def narrows(self) -> bool:
        """Whether the target lacks scalars that the source has."""
        return self.reads.greatest > self.writes.greatest

    @property
    def in_place(self) -> bool:
        """Whether each unit stays in its lane: one output beat per input beat."""
        return self.target is None or self.packing == "sparse"

    @property
    def most_lanes(self) -> int:
        """The widest core for these encodings, in lanes."""
        most = MOST_BYTES // self.reads.unit_bytes
        if self.target is None:
            whole = self.sidebands.null_bytes == "end" and not self.splits
            return MOST_ROW_BYTES // self.reads.unit_bytes if whole else most
        places = MOST_NAMED_PLACES if self.core in CORES and not self.moves_bytes else MOST_PLACES
        slots = _places(self._text_slots)
        return min(most, places // slots, MOST_ROW_BYTES // (slots * self.writes.unit_bytes))

    @property
    def core(self) -> str:
        """The core's name: one of `CORES`, or `TRANSCODER`."""
        if self.splits_bytes:
            return SPLITTER
        if self.filters:
            return FILTER
        for name, core in CORES.items():
            others = (field for field in fields(self)
                      if field.name not in ("source", "target", "sidebands", *core.options))
            if (core.source, core.target) == (self.source, self.target) and all(
                    getattr(self, field.name) == field.default for field in others):
                return name
        return TRANSCODER

    @property
    def options(self) -> dict[str, Any]:
        """The options that this core has, with their values. Family, sidebands and replacement are listed only if they
        differ from their defaults."""
        named = CORES.get(self.core)
        names = self.text_options if named is None else [name for name in named.options if name in self.text_options]
        values = {name: getattr(self, name) for name in names}
        shown = {name: value for name, value in values.items()
                 if name not in ("family", "replacement", *FLAGS) or value != self._default(name)}
        ports, given = port_options(self.core), named_for(self.core, self.sidebands.unusual)
        usual = named_for(self.core, with_defaults(self.core, {}))
        return {**shown, **{name: value for name, value in given.items() if name in ports and usual.get(name) != value}}

    @property
    def unusual(self) -> dict[str, Any]:
        """The options that differ from their defaults, without ``lanes``."""
        return {name: value for name, value in self.options.items()
                if name in Sidebands.NAMES or (name != "lanes" and value != self._default(name))}

    @property
    def kind(self) -> str:
        """The core's name, with its packing if it has a choice: ``decoder, dense``. A core without a name is called
        after its encodings: ``UTF-16LE to UTF-8``, ``UTF-16LE checked``."""
        name = self.does if self.core == TRANSCODER else self.core
        return ", ".join([name, *([self.packing] if "packing" in self.options else [])])

    def record(self) -> dict[str, Any]:
        """The core's name and options, ready for JSON; `of` is the inverse."""
        between = {} if self.core in CORES else {"from": self.source, "to": self.target}
        return {"core": self.core, **between, **self.options}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """The parameters of a `record`. Raises `ParameterError` for an unknown name, option or value."""
        options = {**record}
        core = options.pop("core", None)
        check_choice("core", core, (*CORES, TRANSCODER))
        if core == TRANSCODER:
            between = {"source": options.pop("from", None), "target": options.pop("to", None)}
        else:
            named = CORES[core]
            between = {"source": named.source, "target": named.target}
            options = {"lanes": named.lanes, **options}
        options, sidebands = separated(options)
        check_options(core, cls._options_of_cores(), sidebands, options)
        try:
            return cls(**between, **options, sidebands=Sidebands(**with_defaults(core, sidebands)))
        except ParameterError as error:
            raise error.renamed(delimiter_name(core)) from None

    def __repr__(self) -> str:
        shown = [each for each in fields(self) if each.name not in ("family", "sidebands", "replacement", *FLAGS)
                 or getattr(self, each.name) != each.default]
        return f"{type(self).__name__}({', '.join(f'{each.name}={getattr(self, each.name)!r}' for each in shown)})"

    def __str__(self) -> str:
        """Core, lanes, and each option that differs from its default: ``decoder, 8 lanes, packing sparse``."""
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

    def compute(self, packet: bytes, *, in_run: bool = False) -> PacketResult:
        """The golden answer: the packet in the target's encoding, and its first error (offset in units). ``in_run``:
        the text before the packet ends with an ill-formed subpart. Raises ValueError for a core that splits: it has
        `answers`."""
        if self.splits:
            raise ValueError(f"a packet may become several, so ask for its answers: {self}")
        return answer(self, packet, in_run=in_run)

    def answers(self, packet: bytes) -> list[PacketResult]:
        """The golden answers to a packet, in order: one, but of a core that splits one for each packet of a record."""
        if not self.splits:
            return [self.compute(packet)]
        check_bytes("packet", packet)
        behind = self.behind
        return [behind.compute(each.data) for each in record_packets(packet, self.sidebands)]

    def rejects(self, packet: bytes) -> list[Reject]:
        """The records of a packet that a filter rejects, in order. None of any other core."""
        check_bytes("packet", packet)
        return filtered(packet, self.sidebands)[1] if self.filters else []

    def made(self, packet: bytes, *, in_run: bool = False) -> Sequence[int]:
        """For each unit of a packet, the number of target units in its lane, without an added mark. ``in_run`` as for
        `compute`."""
        return lane_units(self, packet, in_run=in_run)


def _places(slots: int) -> int:
    """The least power of two that is ``slots`` or more."""
    return 1 << (slots - 1).bit_length()


def option_text(name: str, value: Any) -> str:
    """The value of an option as the command accepts it: ``0A`` for ``records``, ``bytes,records`` for ``count``."""
    if name in OCTETS:
        return f"{value:02X}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(value) if isinstance(value, list | tuple) else str(value)


def widths(core: str, **options: Any) -> list[int]:
    """The widths of a core in lanes, narrowest first; raises `ParameterError` as `parameters` does."""
    return [1 << n for n in range(parameters(core, **options).most_lanes.bit_length())]


def parameters(core: str, **options: Any) -> TranscoderParameters:
    """The parameters of the core named ``core``: "validator", "decoder", "encoder" or "sanitizer".

    Raises `ParameterError` for an unknown core, an option that this core lacks, or an invalid value.
    """
    check_choice("core", core, tuple(CORES))
    return TranscoderParameters.of({"core": core, **options})
