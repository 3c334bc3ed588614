"""The peers: all software that there is to compare with, a row each."""

import zlib
from collections.abc import Callable, Sequence

from runewire_model import decode

from . import callers, drop_callers, line_callers
from .callers import InProcess, InPython, codec, each
from .line_jobs import DROPPING, VALIDATING, LineJob
from .native import Simdutf, find_simdutf
from .node import Node, find_node
from .peers import LinePeer, Peer
from .tasks import Job
from .tool import Tool

LATIN_1 = "makes a string of CPython, with one byte a character where all are Latin-1"
COPIES = "copies a string that is all ASCII: CPython has one byte a character there"
HALF_WRITTEN = "writes UTF-16, half the bytes of the decoder's UTF-32 but for characters of four bytes"
HALF_READ = "reads UTF-16, half the bytes of the encoder's UTF-32 but for characters of four bytes"
V8_STRING = "makes a string of V8, whose units have one byte where all characters are Latin-1"
V8_GIVEN = "is given a string of V8, and so takes no time to make one"
LOOP = "calls simdutf again after each error and writes U+FFFD: simdutf converts no UTF-8 with replacement"

ONE_BY_ONE = "a call for each line"
IN_A_COLUMN = "a column of lines, each looked at alone; after one that is ill-formed it begins again"
ONWARDS = "the whole at once; after an error it begins again with the next line"
ESCAPES = "the whole at once, to the end, errors escaped; then those are searched, and the lines before them counted"
HALVES = "the whole at once; where that is ill-formed its halves, down to lines"
WHOLE = "the whole at once; only of use where nothing is ill-formed"
BLOCKS = "lines of so many bytes or more at once; of those that are ill-formed each half, down to lines"
PATTERN = "a column of lines, filtered by a pattern of well-formed UTF-8"


def _utf8(errors: str) -> InPython:
    return InPython(each(lambda packet: len(packet.decode("utf-8", errors))))


def python_peers() -> list[Peer]:
    """Software that is called from Python."""
    numpy16, numpy32 = each(callers.numpy_utf16), each(callers.numpy_utf32)
    return [
        Peer("golden model", InPython(each(lambda packet: len(decode(packet))), "runewire"), "decode", "yes"),
        Peer("CPython strict", _utf8("strict"), "decode", note=LATIN_1),
        Peer("CPython replace", _utf8("replace"), "decode", "yes", note=LATIN_1),
        Peer("CPython encode", InPython(callers.encode), "encode", note=COPIES),
        *(Peer(f"CPython {job}", InPython(codec(job, "replace" if job.endswith(", replacing") else "strict")), job,
               "yes" if job.endswith(", replacing") else "no")
          for job in ("utf-8 to utf-16le", "utf-8 to utf-16le, replacing", "utf-16le to utf-8",
                      "utf-16le to utf-8, replacing", "latin-1 to utf-8", "check utf-16le", "check utf-32le")),
        Peer("stringzilla", InPython(callers.stringzilla, "stringzilla", "5"), "decode", "yes"),
        Peer("pyarrow", InPython(callers.arrow, "pyarrow"), "validate"),
        Peer("polars", InPython(callers.polars, "polars"), "validate", "whole"),
        Peer("numpy check utf-16le", InPython(numpy16, "numpy"), "check utf-16le"),
        Peer("numpy check utf-32le", InPython(numpy32, "numpy"), "check utf-32le"),
    ]


def node_peers(node: Node) -> list[Peer]:
    """What Node.js does, most by simdutf through `isUtf8` and `transcode`, which throws at the first error.

    Each call makes a new buffer.
    """
    def by(job: str) -> InProcess:
        return InProcess(node, job)

    return [
        Peer("Node.js isUtf8", by("validate"), "validate", "yes"),
        Peer("Node.js UTF-16 decode", by("decode"), "decode", note=HALF_WRITTEN),
        Peer("Node.js UTF-16 encode", by("encode"), "encode", reads="utf-16le", note=HALF_READ),
        Peer("Node.js utf-8 to utf-16le", by("to16"), "utf-8 to utf-16le"),
        Peer("Node.js string", by("string"), "utf-8 to utf-16le, replacing", "yes", note=V8_STRING),
        Peer("Node.js Buffer", by("bytes"), "utf-8 to utf-16le, replacing", "yes"),
        Peer("Node.js utf-16le to utf-8", by("from16"), "utf-16le to utf-8"),
        Peer("Node.js latin-1 to utf-8", by("latin1"), "latin-1 to utf-8", note=V8_GIVEN),
    ]


def simdutf_peers(simdutf: Simdutf) -> list[Peer]:
    """Functions of libsimdutf, and loops around them where it has none with replacement.

    Results are written to one buffer. The loop of decoding is for damaged text: the function alone takes clean text.
    """
    direct: dict[Job, bool] = {
        "decode": False, "utf-8 to utf-16le": False, "utf-16le to utf-8": False, "utf-16le to utf-8, replacing": True,
        "latin-1 to utf-8": False, "validate": True, "check utf-16le": False, "check utf-32le": False, "encode": False}
    replacing = "utf-8 to utf-16le, replacing"
    return [
        *(Peer(f"simdutf {job}", InProcess(simdutf, job), job, "yes" if reads_on else "no")
          for job, reads_on in direct.items()),
        Peer("simdutf loop decode", InProcess(simdutf, "decode, replacing"), "decode", "only", note=LOOP),
        Peer(f"simdutf loop {replacing}", InProcess(simdutf, replacing), replacing, "yes", note=LOOP),
    ]


def peers() -> list[Peer]:
    """Every peer, available here or not, slowest kind first."""
    return [*python_peers(), *node_peers(Node(find_node())), *simdutf_peers(Simdutf(find_simdutf()))]


def jobs_on_lines() -> list[tuple[LineJob, list[LinePeer]]]:
    """The jobs on lines, each with its peers, available here or not."""
    simdutf = Simdutf(find_simdutf())
    return [(VALIDATING, line_peers(Node(find_node()), simdutf)), (DROPPING, drop_peers(simdutf))]


def line_peers(node: Node, simdutf: Simdutf) -> list[LinePeer]:
    """Every way to validate each line."""
    return [
        LinePeer("CPython, line by line", InPython(line_callers.one_by_one), ONE_BY_ONE, each=True),
        LinePeer("CPython, onwards", InPython(line_callers.onwards), ONWARDS),
        LinePeer("CPython, escapes", InPython(line_callers.escapes), ESCAPES),
        LinePeer("pyarrow", InPython(line_callers.arrow, "pyarrow"), IN_A_COLUMN, each=True),
        LinePeer("Node.js, line by line", InProcess(node, "lines"), ONE_BY_ONE, each=True),
        LinePeer("simdutf, line by line", InProcess(simdutf, "lines"), ONE_BY_ONE, each=True),
        LinePeer("Node.js, halves", InProcess(node, "halves"), HALVES),
        LinePeer("simdutf, onwards", InProcess(simdutf, "onwards"), ONWARDS),
        LinePeer("polars, whole", InPython(line_callers.polars_whole, "polars"), WHOLE, reads_on=False),
    ]


def drop_peers(simdutf: Simdutf) -> list[LinePeer]:
    """Every way to drop the ill-formed lines of a text."""
    def called(binding: Callable[[Sequence[bytes]], Callable[[], bytes]], package: str = "") -> InPython:
        return InPython(binding, package, said=zlib.crc32)

    def tool(name: str, maker: str, *command: str) -> LinePeer:
        return LinePeer(name, Tool(command, maker), f"`{' '.join(command)}`")

    return [
        LinePeer("CPython, line by line", called(drop_callers.one_by_one), ONE_BY_ONE, each=True),
        LinePeer("CPython, onwards", called(drop_callers.onwards), ONWARDS),
        LinePeer("pyarrow, column", called(drop_callers.arrow_column, "pyarrow"), IN_A_COLUMN, each=True),
        LinePeer("pyarrow, pattern", called(drop_callers.arrow_pattern, "pyarrow"), PATTERN, each=True),
        tool("GNU grep", "(GNU grep)", "grep", "-ax", ".*"),
        tool("GNU sed", "(GNU sed)", "sed", "-n", "/^.*$/p"),
        tool("ripgrep", "ripgrep", "rg", "-axNI", "--no-config", "-E", "none", ".*"),
        tool("iconv -c", "iconv", "iconv", "-c", "-f", "utf-8", "-t", "utf-8"),
        LinePeer("simdutf, line by line", InProcess(simdutf, "drop, line by line"), ONE_BY_ONE, each=True),
        LinePeer("simdutf, blocks of 512 bytes", InProcess(simdutf, "drop, blocks of 512 bytes"), BLOCKS),
        LinePeer("simdutf, blocks of 4 KiB", InProcess(simdutf, "drop, blocks of 4 KiB"), BLOCKS),
        LinePeer("simdutf, onwards", InProcess(simdutf, "drop, onwards"), ONWARDS),
    ]
