"""All the software that there is to compare with."""

from .line_peers import Arrow as ArrowLines
from .line_peers import (
    CPythonEscapes,
    CPythonLines,
    CPythonOnwards,
    LinePeer,
    NodeHalves,
    NodeLines,
    PolarsWhole,
    SimdutfHalves,
    SimdutfLines,
)
from .node import WAYS, Node, NodePeer, find_node
from .peers import (
    SYMBOLS,
    Arrow,
    CPythonCodecs,
    CPythonDecode,
    CPythonEncode,
    GoldenModel,
    Numpy,
    Peer,
    Polars,
    Simdutf,
    StringZilla,
    find_simdutf,
)


def peers() -> list[Peer]:
    """Every peer that is known, available here or not, slowest kind first."""
    library = find_simdutf()
    node = Node(find_node())
    return [
        GoldenModel(), CPythonDecode("strict"), CPythonDecode("replace"), CPythonEncode(),
        CPythonCodecs("utf-8 to utf-16le"), CPythonCodecs("utf-8 to utf-16le, replacing", "replace"),
        CPythonCodecs("utf-16le to utf-8"), CPythonCodecs("latin-1 to utf-8"),
        CPythonCodecs("check utf-16le"), CPythonCodecs("check utf-32le"),
        StringZilla(), Arrow(), Polars(), Numpy("check utf-16le"), Numpy("check utf-32le"),
        *(NodePeer(way, node) for way in WAYS),
        *(Simdutf(job, library) for job in SYMBOLS),
    ]


def line_peers() -> list[LinePeer]:
    """Every way that is known to validate each line, available here or not."""
    library = find_simdutf()
    node = Node(find_node())
    return [
        CPythonLines(), CPythonOnwards(), CPythonEscapes(), ArrowLines(), NodeLines(node), SimdutfLines(library),
        NodeHalves(node), SimdutfHalves(library), PolarsWhole(),
    ]
