"""The options of a core as typed keywords in Python, named as on the command line."""

from collections.abc import Sequence
from typing import Any, Literal, TypedDict

from runewire_model import ParameterError, TranscoderParameters
from runewire_model.core_options import core_parameters
from runewire_model.errors import OCTETS, Named, of_type

CoreName = Literal["validator", "decoder", "encoder", "sanitizer", "packer", "splitter", "filter", "transcoder"]
"""Name of a core."""
Encoding = Literal["utf-8", "utf-16le", "utf-16be", "utf-16", "utf-32le", "utf-32be", "utf-32", "latin-1", "ascii"]
"""Name of an encoding."""
Counter = Literal["code-points", "utf16-units", "replacements", "bytes", "ascii", "records", "bad-records"]
"""Name of a counter in the report."""


class CoreOptions(TypedDict, total=False):
    """The options of a core: the command's, with underscores. An option that is left out has its default.

    Which options a core has depends on its encodings: ``bom`` needs an encoding with a byte order mark, for example.
    """

    from_: Encoding
    """Transcoder: encoding of the input."""
    to: Encoding
    """Transcoder: encoding of the output."""
    encoding: Encoding
    """Validator: encoding to check, "utf-8" by default."""
    lanes: int
    """Units of the input per beat, a power of two: bytes of UTF-8, code points of UTF-32. Default 8, encoder 4."""
    errors: Literal["replace", "drop"]
    """Ill-formed parts become U+FFFD ("replace", the default) or nothing ("drop"). The report flags them either way."""
    replacement: int
    """Sanitizer, and to Latin-1 or ASCII: an ASCII byte instead of U+FFFD or ``?``, for example 0x3F."""
    bom: Literal["keep", "strip", "add"]
    """A byte order mark at a packet's start stays ("keep", the default) or is removed ("strip"); "add" puts one before
    each packet without."""
    packing: Literal["dense", "sparse"]
    """"dense" (the default) fills each output beat; "sparse" leaves each unit in its lane."""
    pipeline: Literal["fast", "balanced", "compact"]
    """"fast" (the default) has the highest clock, "compact" the lowest latency and area."""
    family: Literal["ecp5", "ice40", "gowin-5a", "xilinx-7", "generic"]
    """Devices that the layout suits; "ecp5" by default. "generic" has no duplicated registers."""
    reject_nul: bool
    """Whether U+0000 is ill-formed, an error of its own kind."""
    replace_runs: bool
    """Whether a run of adjoining ill-formed parts has one replacement, instead of one for each."""
    report: Literal["none", "flag", "kind", "full"]
    """What ``m_axis_tuser`` has of a packet's first error; "full" by default."""
    offset_bits: int
    """Width of the error's offset and of each counter, 16 to 64, by default 32."""
    report_port: Literal["none", "beside", "only"]
    """Reports on a stream of their own: no ("none", the default), too ("beside"), or only there ("only")."""
    count: Sequence[Counter]
    """Counters in the report: ``("code-points", "bytes")``."""
    records: int
    """The ASCII character that ends a record inside a packet: 0x0A for lines."""
    user: int
    """Width of the input's ``tuser``, 0 (the default) to 64; it leaves with its packet."""
    id: int
    """Width of ``tid``, 0 (the default) to 64."""
    dest: int
    """Width of ``tdest``, 0 (the default) to 64."""
    null_bytes: Literal["end", "anywhere"]
    """Where the input may have null bytes: at a packet's end ("end", the default), or in any lane of any beat."""
    split: int
    """The ASCII byte after which the input is split: a splitter before the core makes a packet of each record."""
    delimiter: Literal["keep", "drop"]
    """Splitter, ``split``: the byte that ends a record stays ("keep", the default) or not."""
    longest: int
    """The most bytes of a record, a power of two. Splitter, ``split``: a longer record is cut. Filter: it is rejected;
    16384 by default, the size of the buffer."""
    empty: Literal["keep", "drop"]
    """Splitter, ``split``: records without a byte but the delimiter become empty packets ("keep", the default) or
    nothing."""
    flows: int
    """Texts in segments: so many may be under way at the same time, 1 to 65536. ``tid`` is the flow's number."""
    early: bool
    """Whether the error bit of ``tuser`` is set on every output beat from the first in which an error is known."""
    record_report: bool
    """Whether a stream carries one beat per ill-formed record of ``records``: its number, kind of error and offset."""
    rejects: bool
    """Filter: whether rejected records leave on a stream of their own, ``m_rejects``."""


def checked_parameters(core: str, options: CoreOptions) -> TranscoderParameters:
    """The same as `core_parameters` for a caller in Python: messages have the keywords' names."""
    given: dict[str, Any] = {**options}
    for name in OCTETS:
        if not isinstance(given.get(name, 0), int | None):
            raise ParameterError(Named(name), " must be a number, such as ", Named(name, 0x0A), ", got "
                                 f"{of_type(given[name])}")
    try:
        return core_parameters(core, **given)
    except ParameterError as error:
        raise error.renamed({"from": "from_"}) from None
