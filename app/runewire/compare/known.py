"""All the software that there is to compare with."""

from .line_peers import (
    Arrow,
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
from .node import Node, NodePeer, find_node
from .peers import CPythonDecode, CPythonEncode, GoldenModel, Peer, Polars, Simdutf, find_simdutf


def peers() -> list[Peer]:
    """Every peer that is known, available here or not, slowest kind first."""
    library = find_simdutf()
    node = Node(find_node())
    return [
        GoldenModel(),
        CPythonDecode("strict"),
        CPythonDecode("replace"),
        NodePeer("decode", node),
        Simdutf("decode", library),
        Polars(),
        NodePeer("validate", node),
        Simdutf("validate", library),
        CPythonEncode(),
        NodePeer("encode", node),
    ]


def line_peers() -> list[LinePeer]:
    """Every way that is known to validate each line, available here or not."""
    library = find_simdutf()
    node = Node(find_node())
    return [
        CPythonLines(), CPythonOnwards(), CPythonEscapes(), Arrow(), NodeLines(node), SimdutfLines(library),
        NodeHalves(node), SimdutfHalves(library), PolarsWhole(),
    ]
