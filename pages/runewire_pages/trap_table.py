"""The table of the conformance kit's traps."""

from collections import Counter

from runewire_model.conformance import document

from .part import DOCS, Part


def table() -> str:
    """A row for each trap of UTF-8, in the kit's order."""
    vectors = document("utf-8")
    counts = Counter(vector["trap"] for vector in vectors["vectors"])
    rows = [f"| {trap['name']} | {trap['title']} | {trap['mistake']} | {counts[trap['name']]} |"
            for trap in vectors["traps"]]
    return "\n".join(["| trap | texts | the usual mistake | vectors |", "|---|---|---|--:|", *rows])


GENERATED = (Part("traps", DOCS / "conformance.md", table),)
