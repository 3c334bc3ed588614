"""Soak test: random cores, packets and stalls without end, against the golden model and CPython's codecs.

A soak is a sequence of rounds. Its seed and a round's number decide everything in the round. A soak by pairs has an
end: a round for each core of `all_pairs`. A soak of texts in segments also ends: it has a round for
each of `segment_cores`.
"""

from .comparison import Wrong, check
from .playing import Played, enter, held, play, retry, soak_round
from .record import Configuration, SoakFailure, SoakRecord
from .rounds import ABREAST, LEG, Round, core_number, core_of, pair_round, round_of
from .segment_rounds import segment_cores, segment_round
from .shrinking import shrink

__all__ = [
    "ABREAST", "LEG", "Configuration", "Played", "Round", "SoakFailure", "SoakRecord", "Wrong", "check", "core_number",
    "core_of", "enter", "held", "pair_round", "play", "retry", "round_of", "segment_cores", "segment_round", "shrink",
    "soak_round",
]
