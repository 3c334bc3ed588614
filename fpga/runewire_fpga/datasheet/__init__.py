"""The datasheet: a folder of measurements, and the page and charts that are made of them alone."""

from .folder import add, are_present, read, refresh
from .page import pages, write

__all__ = ["add", "are_present", "pages", "read", "refresh", "write"]
