"""Soak test: random cores, packets and stalls without end, against the golden model and CPython's codecs.

A soak is a sequence of rounds. Its seed and a round's number decide everything in the round. A soak by pairs has an
end: a round for each core of `all_pairs`. Soaks of texts in segments and of lines also end: they have a
round for each of `segment_cores` and `line_cores`.
"""

from .comparison import Wrong, check
from .line_rounds import line_cores, line_round
from .playing import Played, enter, held, play, retry, soak_round
from .record import Configuration, SoakFailure, SoakRecord
from .rounds import ABREAST, LEG, Round, core_number, core_of, pair_round, round_of
from .segment_rounds import segment_cores, segment_round
from .shrinking import shrink

__all__ = [
    "ABREAST", "LEG", "Configuration", "Played", "Round", "SoakFailure", "SoakRecord", "Wrong", "check", "core_number",
    "core_of", "enter", "held", "line_cores", "line_round", "pair_round", "play", "retry", "round_of", "segment_cores",
    "segment_round", "shrink", "soak_round",
]
