"""The filter: a packet without its ill-formed records, and these on a stream of their own.

`filter` joins a splitter, a validator, a buffer and a packer. `record_buffer` holds each record until it is judged, in
three `queue`s. `row_port` is the register at each of the buffer's two outputs.
"""

from .filter import Filter

__all__ = ["Filter"]
