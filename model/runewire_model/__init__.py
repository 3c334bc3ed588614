"""The golden model of runewire: Unicode encodings in plain Python, without Python's own codecs.

`encodings` has one module per encoding; read the UTF-8 one next to RFC 3629. `transcoder` combines a source and a
target.
"""

from .encodings import ENCODINGS, Encoding, encoding
from .encodings.utf8.decoder import decode
from .encodings.utf8.encoder import encode
from .encodings.utf8.explain import Explanation, Octet, OctetClass, Piece, explain_bytes, explain_scalar
from .encodings.utf8.incremental import IncrementalDecoder
from .encodings.utf8.navigation import boundary, count_code_points, nth_offset, sequence_length
from .encodings.utf8.validator import validate
from .errors import DecodeError, EncodeError, ErrorKind, FirstError, ParameterError
from .flow import Flow
from .golden_answer import PacketResult
from .named_cores import DecoderParameters, EncoderParameters, SanitizerParameters, ValidatorParameters
from .scalars import validate_scalars
from .timing import AnyTiming, CompactTiming, JoinedTiming, Timing
from .transcoder import TranscoderParameters, parameters

__all__ = [
    "ENCODINGS",
    "AnyTiming",
    "CompactTiming",
    "DecodeError",
    "DecoderParameters",
    "EncodeError",
    "EncoderParameters",
    "Encoding",
    "ErrorKind",
    "Explanation",
    "FirstError",
    "Flow",
    "IncrementalDecoder",
    "JoinedTiming",
    "Octet",
    "OctetClass",
    "PacketResult",
    "ParameterError",
    "Piece",
    "SanitizerParameters",
    "Timing",
    "TranscoderParameters",
    "ValidatorParameters",
    "boundary",
    "count_code_points",
    "decode",
    "encode",
    "encoding",
    "explain_bytes",
    "explain_scalar",
    "nth_offset",
    "parameters",
    "sequence_length",
    "validate",
    "validate_scalars",
]
__version__ = "0.2.0"
