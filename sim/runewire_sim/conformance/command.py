"""The kit's command: simulate a core on the vectors, print a line for each trap, write the result page."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .answers import ResultsError, read_answers
from .judge import LEVELS, Outcome, judged
from .page import page
from .port_map import PortMap, PortMapError, read
from .simulation import RESULTS, SIMULATORS, SimulationFailure, prepare, simulate
from .wiring import passes


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line. Returns 0 if the core passes, 1 if it fails a trap, 2 if it could not be tried."""
    given = _parser().parse_args(arguments)
    try:
        port_map = read(given.port_map)
        return _tried(given, port_map)
    except (PortMapError, SimulationFailure, ResultsError, OSError) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="run.py", description="Try a Unicode core on the conformance vectors.")
    parser.add_argument("port_map", type=Path, metavar="PORTMAP", help="TOML file with the core's ports")
    parser.add_argument("--sim", default="icarus", metavar="NAME",
                        help=f"{', '.join(SIMULATORS)} (with another simulator than Icarus: cocotb:ghdl …), or none: "
                             "only write the bench's files, for a simulator of your own")
    parser.add_argument("--results", type=Path, metavar="FILE", help="judge this results file, simulate nothing")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR",
                        help="folder for the page and the bench's files; default: PORTMAP's name and _conformance")
    parser.add_argument("--vectors", type=Path, metavar="FILE", help="another file of vectors")
    return parser


def _tried(given: argparse.Namespace, port_map: PortMap) -> int:
    file = given.vectors or Path(__file__).parents[1] / "vectors" / f"{port_map.core.encoding}.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    if document["format"] != 1 or document["encoding"] != port_map.core.encoding:
        raise PortMapError(f"{file} has vectors of {document['encoding']} in format {document['format']}; needed: "
                           f"{port_map.core.encoding} in format 1")
    room = given.output or Path(f"{given.port_map.stem}_conformance")
    results = given.results or room / RESULTS
    if given.results is None:
        sources = prepare(port_map, document["vectors"], room)
        if given.sim == "none":
            print("Compile these files and run the module conformance_top in the folder "
                  f"{room}:\n{''.join(f'  {source}{chr(10)}' for source in sources)}"
                  f"then: run.py {given.port_map} --results {results}")
            return 0
        simulate(given.sim, given.port_map, port_map, sources, room)
    with results.open() as lines:
        answers = read_answers(lines, passes(port_map))
    outcomes = judged(port_map, document, answers)
    _print(outcomes)
    room.mkdir(parents=True, exist_ok=True)
    (room / "results.html").write_text(page(port_map, document, outcomes), encoding="utf-8")
    print(f"\n{room / 'results.html'}")
    return 0 if all(outcome.passed for outcome in outcomes) else 1


def _print(outcomes: Sequence[Outcome]) -> None:
    """A line for each trap, with the first differing vector of each level below it; then the levels."""
    for outcome in outcomes:
        failed = [level for level in LEVELS if outcome.wrong.get(level)]
        mark = "FAIL" if failed else "pass" if outcome.counts else "  – "
        print(f"{mark}  {outcome.name:24} {outcome.title}{'' if outcome.counts else ': not tried, the input has none'}")
        for level in failed:
            first = outcome.wrong[level][0]
            print(f"      {level}: {len(outcome.wrong[level])} of {outcome.counts[level]} differ, first "
                  f"{first.vector}\n        bytes    {_short(first.bytes)}\n        expected {_short(first.expected)}\n"
                  f"        got      {_short(first.got)}")
    print()
    for level, does in LEVELS.items():
        tried = [outcome for outcome in outcomes if level in outcome.counts]
        failed_traps = sum(bool(outcome.wrong.get(level)) for outcome in tried)
        said: Any = "not tried: the port map has no such output" if not tried else \
            f"FAIL: {failed_traps} of {len(tried)} traps" if failed_traps else f"pass, {len(tried)} traps"
        print(f"level {level:12} {said}  ({does})")


def _short(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:70]} … {text[-25:]}"
