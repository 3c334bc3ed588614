"""The filter: a packet without its ill-formed records, and these on a stream of their own.

`filter` joins a splitter, a validator, a buffer and a packer, of which validator and packer have `early_room`.
`record_buffer` holds each record until it is judged: its rows in a `row_store`, its judgement in `judgements`. A
`queue` and a `row_port` are before the rejects' sink.
"""

from .filter import Filter

__all__ = ["Filter"]
