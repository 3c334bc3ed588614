"""Conformance vectors: packets on which decoders fail, and the right answer to each.

`vectors.document("utf-8")` is the JSON of one encoding. A trap is an entry in `utf8_traps`, `utf16_traps` or
`utf32_traps`.
"""

from .schema import SCHEMA
from .vectors import TRAPS, document

__all__ = ["SCHEMA", "TRAPS", "document"]
