"""The cores with names of their own, with their options as keyword arguments."""

from typing import Any

from .report import Sidebands
from .transcoder import TranscoderParameters, parameters


def ValidatorParameters(lanes: int = 8, pipeline: str = "fast", family: str = "ecp5",
                        **sidebands: Any) -> TranscoderParameters:
    """A validator: passes UTF-8 through and reports each packet's first error. ``sidebands``: fields of `Sidebands`."""
    return TranscoderParameters("utf-8", None, lanes, pipeline=pipeline, family=family,
                                sidebands=Sidebands(**sidebands))


def DecoderParameters(lanes: int = 8, errors: str = "replace", bom: str = "keep", packing: str = "dense",
                      pipeline: str = "fast", family: str = "ecp5", **sidebands: Any) -> TranscoderParameters:
    """A decoder: UTF-8 to UTF-32LE. ``sidebands``: fields of `Sidebands`."""
    return TranscoderParameters("utf-8", "utf-32le", lanes, errors, bom, packing, pipeline, family,
                                Sidebands(**sidebands))


def EncoderParameters(lanes: int = 4, errors: str = "replace", pipeline: str = "fast", family: str = "ecp5",
                      **sidebands: Any) -> TranscoderParameters:
    """An encoder: UTF-32LE to UTF-8. ``sidebands``: fields of `Sidebands`."""
    return TranscoderParameters("utf-32le", "utf-8", lanes, errors, pipeline=pipeline, family=family,
                                sidebands=Sidebands(**sidebands))


def SanitizerParameters(lanes: int = 8, errors: str = "replace", **options: Any) -> TranscoderParameters:
    """A sanitizer: UTF-8 to well-formed UTF-8. ``options``: ``replacement``, all other options of the core, and
    fields of `Sidebands`."""
    return parameters("sanitizer", lanes=lanes, errors=errors, **options)
