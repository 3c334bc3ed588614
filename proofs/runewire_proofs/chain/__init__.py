"""How the parts of a core's proof join: another part proves what each assumes of its inputs, or the user promises it.

- `conditions`: what a part assumes, in words and as modules of `spec/chain/conditions.v`.
- `suppliers`: which assertions of which part it follows from.
- `opened`: a part's own comparison, with its design cut out; so nothing is said a second time.
- `joints`: the small miters. A part counts on no more than its conditions, and these follow from the assertions.
- `acceptance`: the input of a complete core takes beats only while its buffer accepts.
- `walk`: all of them for one core.
"""

from .walk import Link, chain

__all__ = ["Link", "chain"]
