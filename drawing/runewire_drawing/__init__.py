"""SVG pictures: elements, a style for light and dark pages, axes."""

from .axes import LinearAxis, LogAxis, clear_labels
from .style import COLOURS, style
from .svg import circle, document, group, path, rectangle, text, text_width, wrapped

__all__ = [
    "COLOURS", "LinearAxis", "LogAxis", "circle", "clear_labels", "document", "group", "path", "rectangle", "style",
    "text", "text_width", "wrapped",
]
