"""The datasheet: a folder of measurements, and the page and charts that are made of them alone."""

from .folder import add, read, refresh
from .page import pages, write

__all__ = ["add", "pages", "read", "refresh", "write"]
