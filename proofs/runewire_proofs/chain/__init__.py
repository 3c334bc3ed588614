"""How the parts of a core's proof join: another part proves what each assumes of its inputs, or the user promises it.

- `assumed`: a condition, in words and as a module of `spec/chain/`, and all inputs of a part.
- `conditions`, `segments`, `splitters`: what each part assumes; of any core, with flows, and of a splitter.
- `suppliers`, `segment_suppliers`: which assertions of which part it follows from.
- `widened`: parts with flows that are proven again here, as less is assumed.
- `looks`: where the comparisons of parts with flows look at their designs.
- `opened`: a part's own comparison, with its design cut out; so nothing is said a second time.
- `joints`: the small miters. A part counts on no more than its conditions, and these follow from the assertions.
- `acceptance`: the input of a complete core takes beats only while its buffer accepts.
- `walk`: all of them for one core.
"""

from .walk import Link, chain

__all__ = ["Link", "chain"]
