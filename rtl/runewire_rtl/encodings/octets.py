"""Front and back end of the packer: bytes that are not read.

Four lanes, of which two are kept:

    lane               0    1    2    3
    byte               ?    61   ?    62     a null byte is unknown
    present            0    1    0    1
"""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..pipeline import Lanes
from .base import FrontEnd, Units
from .latin1 import Latin1Back, Latin1Front


class OctetsFront(Latin1Front):
    """Front end: bytes."""


class OctetsBack(Latin1Back):
    """Back end: bytes."""


def octets_to_octets(front: FrontEnd, keep: Lanes, parameters: TranscoderParameters) -> Units:
    """The bytes that are kept."""
    return Units(keep.beat(), lambda after: front.units.beat())
