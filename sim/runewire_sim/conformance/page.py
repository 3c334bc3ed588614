"""The result page: one HTML file with a row for each trap, and the first differing vector of each that fails."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from .judge import LEVELS, Outcome
from .port_map import PortMap

STYLE = """\
:root { color-scheme: light dark; --line: #8886; --pass: #18794e; --fail: #c62a2f; --back: #8881; }
@media (prefers-color-scheme: dark) { :root { --pass: #4cc38a; --fail: #ff8589; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; margin-top: 2rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .2rem; } h3 + p { margin: 0 0 .5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.mark { white-space: nowrap; }
.pass { color: var(--pass); } .fail { color: var(--fail); font-weight: 600; } .none { opacity: .55; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
table.first { background: var(--back); }
small { opacity: .75; display: block; }
.scroll { overflow-x: auto; }
td code { display: block; min-width: 7rem; }
"""


def page(port_map: PortMap, document: Mapping[str, Any], outcomes: Sequence[Outcome]) -> str:
    """The page of a core's outcomes on the vectors of ``document``."""
    failed = [outcome for outcome in outcomes if not outcome.passed]
    tried = [outcome for outcome in outcomes if outcome.counts]
    verdict = f'<span class="fail">fails {len(failed)} of {len(tried)} traps</span>' if failed else \
        f'<span class="pass">passes all {len(tried)} traps that were tried</span>'
    title = f"{port_map.core.top}: conformance of {document['encoding']}"
    heads = "".join(f"<th>{level}</th>" for level in LEVELS)
    rows = "\n".join(_row(outcome) for outcome in outcomes)
    details = "\n".join(_detail(outcome) for outcome in failed)
    return f"""\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{escape(title)}</title>
<style>
{STYLE}</style>
<h1>{escape(title)}</h1>
<p><code>{escape(port_map.core.top)}</code> {verdict}. Vectors of {document["encoding"]}, edition {document["edition"]}:
{len(document["vectors"])} texts.</p>
<div class="scroll"><table>
<tr><th>level</th><th>a core of this level</th><th>result</th></tr>
{"".join(_level(level, outcomes) for level in LEVELS)}</table></div>
{f"<h2>What differs</h2>{details}" if failed else ""}
<h2>Traps</h2>
<div class="scroll"><table>
<tr><th>trap</th>{heads}</tr>
{rows}
</table></div>
<h2>How to read this</h2>
<p>Each trap is a mistake that decoders make. A fraction such as 3/22 says that 3 of the trap's 22 texts are answered
wrongly. A dash says that there was nothing to try: the port map has no such port, or the texts have no error to
report. Begin with the first trap that fails: the later ones often fail for the same reason. If nearly all fail,
suspect the port map: the signal that ends an answer, the order of bytes, an inverted reset.</p>
<p>Errors are counted by maximal subparts (Unicode chapter 3, WHATWG). A report's offset is by the convention of the
port map: <i>simdutf</i> and <i>subpart</i> name the first unit of the ill-formed sequence, <i>grammar</i> the first
unit that cannot continue the text. Each vector is in the JSON file under its name, with all three.</p>
</html>
"""


def _level(level: str, outcomes: Sequence[Outcome]) -> str:
    tried = [outcome for outcome in outcomes if level in outcome.counts]
    failed = sum(bool(outcome.wrong.get(level)) for outcome in tried)
    result = '<td class="none">not tried</td>' if not tried else \
        f'<td class="fail">fails {failed} of {len(tried)} traps</td>' if failed else \
        f'<td class="pass">pass, {len(tried)} traps</td>'
    return f"<tr><td>{level}</td><td>{LEVELS[level]}</td>{result}</tr>\n"


def _row(outcome: Outcome) -> str:
    name = escape(outcome.name)
    link = name if outcome.passed else f'<a href="#{name}">{name}</a>'
    marks = "".join(_mark(outcome, level) for level in LEVELS)
    return f"<tr><td><b>{link}</b><small>{escape(outcome.title)}</small></td>{marks}</tr>"


def _mark(outcome: Outcome, level: str) -> str:
    count, wrong = outcome.counts.get(level, 0), len(outcome.wrong.get(level, []))
    if not count:
        return '<td class="mark none">–</td>'
    return f'<td class="mark fail">✗ {wrong}/{count}</td>' if wrong else f'<td class="mark pass">✓ {count}</td>'


def _detail(outcome: Outcome) -> str:
    source = f" <small>{escape(outcome.source)}</small>" if outcome.source else ""
    text = [f'<h3 id="{escape(outcome.name)}">{escape(outcome.name)}: {escape(outcome.title)}</h3>',
            f"<p>The usual mistake: {escape(outcome.mistake)}{source}</p>"]
    rows = []
    for level in LEVELS:
        if wrong := outcome.wrong.get(level):
            cells = (wrong[0].vector, _spaced(wrong[0].bytes), wrong[0].expected, wrong[0].got)
            rows.append(f"<tr><td>{level}<small>{len(wrong)} of {outcome.counts[level]}</small></td>"
                        + "".join(f"<td><code>{escape(cell)}</code></td>" for cell in cells) + "</tr>")
    heads = "".join(f"<th>{head}</th>" for head in ("level", "first vector", "bytes", "expected", "got"))
    return "\n".join([*text, f'<div class="scroll"><table class="first"><tr>{heads}</tr>', *rows, "</table></div>"])


def _spaced(digits: str) -> str:
    return " ".join(digits[at : at + 2] for at in range(0, len(digits), 2)) or "none"
