"""The filter: a packet without its ill-formed records, and these on a stream of their own.

`filter` joins a splitter, a validator, a buffer and a packer. `record_buffer` holds each record until it is judged: its
rows in a `row_store`, its judgement in `judgements`. A `queue` is before each output, and a `row_port` after the
rejects' queue.
"""

from .filter import Filter

__all__ = ["Filter"]
