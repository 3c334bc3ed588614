"""The symbol of a core on the first page."""

from runewire_configurator.symbol import symbol
from runewire_model import DecoderParameters

from .part import DOCS, GeneratedFile

SHOWN = DecoderParameters(lanes=8)

GENERATED = (GeneratedFile("symbol", DOCS / "symbol.svg", lambda: symbol(SHOWN)),)
