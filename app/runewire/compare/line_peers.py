"""Software that validates each line: one verdict per line; the text is already cut into lines."""

import codecs
import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Sequence
from importlib.metadata import version
from itertools import accumulate
from typing import Any

from .measure import Run, timed
from .native import Simdutf, SimdutfPeer
from .node import Node, NodeJob, NodePeer
from .peers import CPythonDecode, Peer, Polars

ONE_BY_ONE = "a call for each line"
IN_A_COLUMN = "a column of lines, each looked at by itself; after one that is ill-formed it begins again"
ONWARDS = "the whole at once; after an error it begins again with the next line"
ESCAPES = "the whole at once, to the end, errors escaped; then those are searched, and the lines before them counted"
HALVES = "the whole at once; where that is ill-formed its halves, down to lines"
WHOLE = "the whole at once; only of use where nothing is ill-formed"


class LinePeer(ABC):
    """One way to a verdict on each line in software.

    ``way``: its description. ``each``: it checks every line separately. ``reads_on``: it gives verdicts after
    ill-formed lines too.
    """

    name: str
    way: str
    each = False
    reads_on = True

    @abstractmethod
    def available(self) -> bool:
        """Whether it can be measured here."""

    @property
    @abstractmethod
    def version(self) -> str:
        """Name and version of the software."""

    @property
    def missing(self) -> str:
        """The remedy if `available` is false."""
        return ""

    @abstractmethod
    def bind(self, lines: Sequence[bytes]) -> Callable[[], int]:
        """A call that determines all verdicts. It returns the sum of the 1-based numbers of the ill-formed lines.

        Preparation happens here: the lines, and their offsets in the text.
        """

    def timed(self, lines: Sequence[bytes]) -> Run:
        """The call of `bind`, timed with the peer's clock."""
        return timed(self.bind(lines))


def starts(lines: Sequence[bytes]) -> list[int]:
    """Offset of each line in the joined text, and the offset of the end."""
    return [0, *accumulate(map(len, lines))]


class OfPeer(LinePeer):
    """A way that uses the software of a `Peer`, which determines availability and version."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer

    def available(self) -> bool:
        return self._peer.available()

    @property
    def missing(self) -> str:
        return self._peer.missing

    @property
    def version(self) -> str:
        return self._peer.version


class OfCPython(OfPeer):
    """A way that uses CPython's codec."""

    def __init__(self) -> None:
        super().__init__(CPythonDecode("strict"))


class CPythonLines(OfCPython):
    """`bytes.decode` of every line."""

    name = "CPython, line by line"
    way = ONE_BY_ONE
    each = True

    def bind(self, lines: Sequence[bytes]) -> Callable[[], int]:
        def call() -> int:
            total = 0
            for number, line in enumerate(lines, 1):
                try:
                    line.decode()
                except UnicodeDecodeError:
                    total += number
            return total

        return call


class CPythonOnwards(OfCPython):
    """The codec on the complete text; it reports the first error's position. It then continues after that line."""

    name = "CPython, onwards"
    way = ONWARDS

    def bind(self, lines: Sequence[bytes]) -> Callable[[], int]:
        begin = starts(lines)
        whole = memoryview(b"".join(lines))
        decode = codecs.utf_8_decode

        def call() -> int:
            total = at = 0
            while at < len(whole):
                try:
                    decode(whole[at:], "strict", True)
                except UnicodeDecodeError as error:
                    number = bisect_right(begin, at + error.start)
                    total += number
                    at = begin[number]
                else:
                    break
            return total

        return call


class CPythonEscapes(OfCPython):
    """The codec on the complete text, with a lone surrogate for each ill-formed byte: valid text contains none."""

    name = "CPython, escapes"
    way = ESCAPES

    def bind(self, lines: Sequence[bytes]) -> Callable[[], int]:
        whole = b"".join(lines)
        search = re.compile("[\udc80-\udcff]").search

        def call() -> int:
            text = whole.decode("utf-8", "surrogateescape")
            total = at = number = 0
            while found := search(text, at):
                number += text.count("\n", at, found.start()) + 1
                total += number
                at = text.index("\n", found.start()) + 1
            return total

        return call


class NodeLines(OfPeer):
    """`isUtf8` of every line, in a loop of JavaScript; simdutf does the work."""

    name = "Node.js, line by line"
    way = ONE_BY_ONE
    each = True
    _job: NodeJob = "lines"

    def __init__(self, node: Node) -> None:
        super().__init__(NodePeer("validate", node))
        self._node = node

    def bind(self, lines: Sequence[bytes]) -> Callable[[], int]:
        return lambda: self._node.work(self._job, lines, 1).answer

    def timed(self, lines: Sequence[bytes]) -> Run:
        return lambda times: self._node.work(self._job, lines, times)


class NodeHalves(NodeLines):
    """`isUtf8` of the complete text, then of its halves if it is ill-formed, and so on."""

    name = "Node.js, halves"
    way = HALVES
    each = False
    _job = "halves"


class PolarsWhole(OfPeer):
    """polars' check of the complete text, which does not report an error's position."""

    name = "polars, whole"
    way = WHOLE
    reads_on = False

    def __init__(self) -> None:
        super().__init__(Polars())

    def bind(self, lines: Sequence[bytes]) -> Callable[[], int]:
        check = self._peer.bind([b"".join(lines)])

        def call() -> int:
            if not check():
                raise ValueError("polars does not report where ill-formed text is")
            return 0

        return call


class Arrow(LinePeer):
    """Arrow's check of a column of strings, a loop in C++ that names the first ill-formed string."""

    name = "pyarrow"
    way = IN_A_COLUMN
    each = True
    missing = "pip install 'runewire[compare]'"

    def __init__(self) -> None:
        self._pyarrow: Any = None
        try:
            import pyarrow
        except ImportError:
            return
        self._pyarrow = pyarrow

    def available(self) -> bool:
        return self._pyarrow is not None

    @property
    def version(self) -> str:
        return f"pyarrow {version('pyarrow')}"

    def bind(self, lines: Sequence[bytes]) -> Callable[[], int]:
        raw = self._pyarrow.array(lines, type=self._pyarrow.binary())
        column = self._pyarrow.StringArray.from_buffers(len(raw), *raw.buffers()[1:])
        invalid = self._pyarrow.ArrowInvalid

        def call() -> int:
            total = at = 0
            while at < len(lines):
                try:
                    column.slice(at).validate(full=True)
                except invalid as error:
                    found = re.search(r"string index (\d+)", str(error))
                    if found is None:
                        raise
                    at += int(found[1]) + 1
                    total += at
                else:
                    break
            return total

        return call


class SimdutfLines(OfPeer):
    """`simdutf::validate_utf8` of every line, in a compiled loop."""

    name = "simdutf, line by line"
    way = ONE_BY_ONE
    each = True
    _job = "lines"

    def __init__(self, simdutf: Simdutf) -> None:
        super().__init__(SimdutfPeer("validate", simdutf))
        self._simdutf = simdutf

    def bind(self, lines: Sequence[bytes]) -> Callable[[], int]:
        return lambda: self.timed(lines)(1).answer

    def timed(self, lines: Sequence[bytes]) -> Run:
        return lambda times: self._simdutf.work(self._job, lines, times)


class SimdutfOnwards(SimdutfLines):
    """`simdutf::validate_utf8_with_errors` of the complete text, and again from the line after each error."""

    name = "simdutf, onwards"
    way = ONWARDS
    each = False
    _job = "onwards"
