"""The cores with names of their own, with their options as keyword arguments."""

from typing import Any

from .transcoder import TranscoderParameters, parameters


def ValidatorParameters(lanes: int = 8, pipeline: str = "fast", family: str = "ecp5",
                        **options: Any) -> TranscoderParameters:
    """A validator: passes UTF-8 through and reports each packet's first error. ``options``: ``reject_nul``, and fields
    of `Sidebands`."""
    return parameters("validator", lanes=lanes, pipeline=pipeline, family=family, **options)


def DecoderParameters(lanes: int = 8, errors: str = "replace", bom: str = "keep", packing: str = "dense",
                      pipeline: str = "fast", family: str = "ecp5", **options: Any) -> TranscoderParameters:
    """A decoder: UTF-8 to UTF-32LE. ``options``: ``reject_nul``, ``replace_runs``, and fields of `Sidebands`."""
    return parameters("decoder", lanes=lanes, errors=errors, bom=bom, packing=packing, pipeline=pipeline, family=family,
                      **options)


def EncoderParameters(lanes: int = 4, errors: str = "replace", pipeline: str = "fast", family: str = "ecp5",
                      **options: Any) -> TranscoderParameters:
    """An encoder: UTF-32LE to UTF-8. ``options``: ``reject_nul``, ``replace_runs``, and fields of `Sidebands`."""
    return parameters("encoder", lanes=lanes, errors=errors, pipeline=pipeline, family=family, **options)


def SanitizerParameters(lanes: int = 8, errors: str = "replace", **options: Any) -> TranscoderParameters:
    """A sanitizer: UTF-8 to well-formed UTF-8. ``options``: ``replacement``, all other options of the core, and
    fields of `Sidebands`."""
    return parameters("sanitizer", lanes=lanes, errors=errors, **options)
