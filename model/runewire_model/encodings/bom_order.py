"""BOM-ordered encodings: a byte order mark at a packet's start sets its byte order."""

from typing import ClassVar

from ..errors import FirstError, check_bytes
from .base import Encoding


class BomOrdered(Encoding):
    """A BOM-ordered encoding. A packet without a byte order mark is big-endian.

    Output is big-endian, without a mark. The mark is a scalar of the text, like any other.
    """

    known: ClassVar[tuple[Encoding, ...]]
    """The encodings of fixed byte order, the big-endian one first."""

    @property
    def orders(self) -> tuple[Encoding, ...]:
        return self.known

    def order_of(self, data: bytes | bytearray | memoryview) -> Encoding:
        check_bytes("data", data)
        start = bytes(data[: self.unit_bytes])
        return next((encoding for encoding in self.known if encoding.mark(start)), self.known[0])

    def decode(self, data: bytes, errors: str = "replace", bom: str = "keep") -> list[int]:
        source = self.order_of(data)
        return source.decode(data, errors, bom)

    def first_error(self, data: bytes) -> FirstError | None:
        return self.order_of(data).first_error(data)

    def error_end(self, data: bytes, error: FirstError) -> int:
        return self.order_of(data).error_end(data, error)

    def ends(self, data: bytes, errors: str = "replace", bom: str = "keep") -> bytes:
        return self.order_of(data).ends(data, errors, bom)

    def count(self, data: bytes) -> int:
        return self.order_of(data).count(data)

    def unfinished(self, data: bytes) -> int:
        return self.order_of(data).unfinished(data)

    def cut(self, data: bytes | bytearray | memoryview, near: int) -> int:
        return self.order_of(data).cut(data, near)

    def unpack(self, data: bytes) -> list[int]:
        return self.order_of(data).unpack(data)
