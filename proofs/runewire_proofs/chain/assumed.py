"""A condition at a part's inputs, and all that a part gets.

Expressions are Verilog. Prefixes of names: `x_` for signals that come to a part's design, `core_` for its ports, `r_`
for the free inputs of the part's comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

WORDS = {
    "whole_beats": "a beat has bytes from byte 0 on, and only a packet's last beat lacks some",
    "one_tag": "all beats of a packet have the same tid and tdest",
    "last_is_beat": "nothing ends a packet but a beat",
    "items_with_beat": "without a beat no item is present",
    "last_places": "a lane's items are in its last places, without gaps",
    "report_at_end": "from the first beat on the report is zero except on a packet's last beat",
    "zero_if_absent": "bytes that are not kept are zero",
    "placed": "items and flags come to the output's row as they are numbered",
    "border": "rows are pushed in turns, and written soon enough, each for an accepted beat",
    "taken_if_accepted": "a beat is accepted only while the buffer accepts",
    "stall": "while a compact pipeline waits, none of its registers changes",
    "in_order": "the beats of the input port reach the pipeline in order, none lost or doubled",
    "extra_after_last": "extra beats follow a packet's last beat",
    "framed": "a packet has the beat before it and the extra beats that it needs, and no others",
    "first_says_so": "a packet's first beat says so, and no other",
    "between_packets": "beats before and after packets are in no packet",
    "of_packet": "all beats of a packet have what its first beat has",
    "sent_to_end": "the bytes that are sent end at one place, three bytes before the packet's end or later",
    "adds_before": "an added mark is a beat before a packet",
    "mark_before": "a mark's beat precedes each packet",
    "little_if_begun": "only a text that has begun is little-endian",
    "stays": "a beat stays until it is taken",
    "among": "characters that end are among all that ends",
    "early_report": "a packet's own report comes with its last beat",
    "report_of_error": "kind and offset come with an error",
    "record_lanes": "delimiters are kept, and a record that continues is ill-formed behind the last of them",
    "fields": "each beat has the numbers of its rows that follow from its bytes",
    "turns_of_packet": "the turns of a packet begin and end with it",
    "idle": "what comes without a beat has no effect",
}
"""Each condition in words."""

TAKEN, CARRIED, SENT, ANY = "taken", "carried", "sent", "any"
"""Places in a core with flows: the beats that are taken, those that come to the rotation, and those that it sends;
``ANY`` of these may lack bytes."""

WRITES = ("push", "returned", "lane_enable", "lane_row", "keep_enable", "keep_row", "metadata_enable", "metadata_row",
          "mark_enable", "mark_row")
"""What the border of the buffer is about."""

Ports = Mapping[str, str]


@dataclass(frozen=True)
class Assumed:
    """A condition at a part's inputs: the ports of its module in `spec/chain/` and their expressions.

    ``place``: where in a core with flows the inputs come from, for example `TAKEN`, or one of several values that have
    the condition. ``words``: instead of the condition's own.
    """

    condition: str
    ports: Ports = field(default_factory=dict)
    settings: Mapping[str, int] = field(default_factory=dict)
    place: str = ""
    words: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The condition and its place: what it is proven by."""
        return self.condition, self.place

    @property
    def said(self) -> str:
        """The condition in words."""
        return self.words or WORDS[self.condition]


@dataclass(frozen=True)
class Inputs:
    """What a part gets: its conditions, and the signals that it is free to have anything of.

    ``free``: expression of each free input of its comparison that has not the name of a port of its design.
    ``only_when``: signals that count only in some cycles, and in which. ``extra``: further free signals, with their
    widths. ``devices``: ports that belong to the proof, not to the design. ``given``: expressions of ports that are
    not free. ``own``: assertions of the part itself that hold so far. ``says``: Verilog before the conditions.
    ``among``: what counts only in some cycles has no effect in the others as long as the conditions hold.
    """

    assumed: Sequence[Assumed]
    free: Ports = field(default_factory=dict)
    only_when: Ports = field(default_factory=dict)
    extra: Mapping[str, int] = field(default_factory=dict)
    devices: frozenset[str] = frozenset()
    says: str = ""
    given: Ports = field(default_factory=dict)
    own: Sequence[str] = ()
    among: bool = False
