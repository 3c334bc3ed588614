"""The golden model of runewire: UTF-8 (RFC 3629) in plain Python, without Python's own codec.

Read `grammar` beside the RFC first; `decoder`, `encoder` and `validator` are small steps from there.
"""

from .decoder import decode
from .encoder import encode, validate_scalars
from .errors import DecodeError, EncodeError, ErrorKind, FirstError, ParameterError
from .explain import Explanation, Octet, OctetClass, Piece, explain_bytes, explain_scalar
from .incremental import IncrementalDecoder
from .navigation import boundary, count_code_points, nth_offset, sequence_length
from .parameters import (
    DecoderParameters,
    EncoderParameters,
    PacketResult,
    Parameters,
    ValidatorParameters,
    parameters,
)
from .validator import validate

__all__ = [
    "DecodeError",
    "DecoderParameters",
    "EncodeError",
    "EncoderParameters",
    "ErrorKind",
    "Explanation",
    "FirstError",
    "IncrementalDecoder",
    "Octet",
    "OctetClass",
    "PacketResult",
    "ParameterError",
    "Parameters",
    "Piece",
    "ValidatorParameters",
    "boundary",
    "count_code_points",
    "decode",
    "encode",
    "explain_bytes",
    "explain_scalar",
    "nth_offset",
    "parameters",
    "sequence_length",
    "validate",
    "validate_scalars",
]
__version__ = "0.2.0.dev0"
