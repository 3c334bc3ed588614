"""The list of all software to compare with."""

from .line_peers import Arrow as ArrowLines
from .line_peers import (
    CPythonEscapes,
    CPythonLines,
    CPythonOnwards,
    LinePeer,
    NodeHalves,
    NodeLines,
    PolarsWhole,
    SimdutfLines,
    SimdutfOnwards,
)
from .native import DIRECT, LOOPS, Simdutf, SimdutfLoopPeer, SimdutfPeer, find_simdutf
from .node import WAYS, Node, NodePeer, find_node
from .peers import (
    Arrow,
    CPythonCodecs,
    CPythonDecode,
    CPythonEncode,
    GoldenModel,
    Numpy,
    Peer,
    Polars,
    StringZilla,
)


def peers() -> list[Peer]:
    """Every peer, available here or not, the slowest kind first."""
    simdutf = Simdutf(find_simdutf())
    node = Node(find_node())
    return [
        GoldenModel(), CPythonDecode("strict"), CPythonDecode("replace"), CPythonEncode(),
        CPythonCodecs("utf-8 to utf-16le"), CPythonCodecs("utf-8 to utf-16le, replacing", "replace"),
        CPythonCodecs("utf-16le to utf-8"), CPythonCodecs("utf-16le to utf-8, replacing", "replace"),
        CPythonCodecs("latin-1 to utf-8"),
        CPythonCodecs("check utf-16le"), CPythonCodecs("check utf-32le"),
        StringZilla(), Arrow(), Polars(), Numpy("check utf-16le"), Numpy("check utf-32le"),
        *(NodePeer(way, node) for way in WAYS),
        *(SimdutfPeer(job, simdutf) for job in DIRECT),
        *(SimdutfLoopPeer(job, simdutf) for job in LOOPS),
    ]


def line_peers() -> list[LinePeer]:
    """Every way to validate each line, available here or not."""
    simdutf = Simdutf(find_simdutf())
    node = Node(find_node())
    return [
        CPythonLines(), CPythonOnwards(), CPythonEscapes(), ArrowLines(), NodeLines(node), SimdutfLines(simdutf),
        NodeHalves(node), SimdutfOnwards(simdutf), PolarsWhole(),
    ]
