"""``runewire prove``."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from runewire_sim.proofs import Engine, Record, proofs, run

from ..console import output_console
from ..failure import UsageFailure
from ..files import write_bytes
from ..options import Bom, Core, Errors, Lanes, Packing, Pipeline, core_parameters


def prove(
    core: Core,
    lanes: Lanes = None,
    errors: Errors = None,
    bom: Bom = None,
    packing: Packing = None,
    pipeline: Pipeline = None,
    part: Annotated[list[str] | None, typer.Option(
        help="Only this part; may be given more than once. Default: all.", show_default=False)] = None,
    mutants: Annotated[bool, typer.Option(help="Also refute deliberately broken cores.")] = True,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="Limit of each engine run.")] = 600,
    output: Annotated[Path | None, typer.Option(
        "--json", metavar="FILE", help="Write engine, verdict, depth and time of each run.",
        show_default=False)] = None,
) -> int:
    """Prove a core against a byte-serial specification, for all inputs, and refute broken copies of it.

    Exit status 0: everything is proven and every broken copy refuted; 1: not so.
    """
    parameters = core_parameters(core, lanes=lanes, errors=errors, bom=bom, packing=packing, pipeline=pipeline)
    names = [proof.name for proof in proofs(parameters)]
    for name in part or ():
        if name not in names:
            raise UsageFailure(f"part must be one of {', '.join(names)}, got {name!r}")
    if timeout <= 0:
        raise UsageFailure(f"timeout must be above 0 seconds, got {timeout:g}")
    engine = Engine.find()
    console = output_console()
    records: list[Record] = []
    with console.status("proving", spinner="line") if console.is_terminal else _Quiet() as status:
        for record in run(parameters, engine, seconds=timeout, mutants=mutants, parts=part or ()):
            records.append(record)
            status.update(f"{record.part}: {record.mutant or 'as delivered'}: {record.outcome.verdict}")
    console.print(_table(records))
    failed = [record for record in records if not record.good]
    broken = sum(record.mutant is not None for record in records)
    console.print(
        f"{parameters!r}: {len(records) - broken - sum(r.mutant is None for r in failed)} of {len(records) - broken} "
        f"parts proven, {broken - sum(r.mutant is not None for r in failed)} of {broken} broken cores refuted"
        f" ({engine.version})")
    if output is not None:
        content = {"parameters": {"core": parameters.core, **asdict(parameters)}, "engine": engine.version,
                   "records": [record.to_json() for record in records]}
        write_bytes(output, (json.dumps(content, indent=2) + "\n").encode())
    return 1 if failed else 0


class _Quiet:
    """A status that nobody watches."""

    def __enter__(self) -> "_Quiet":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, _: str) -> None:
        pass


def _table(records: list[Record]) -> Table:
    table = Table("part", "core", "verdict", "depth", "seconds", "engine", box=None)
    for record in records:
        outcome = record.outcome
        table.add_row(
            record.part, record.mutant or "as delivered",
            outcome.verdict if record.good else f"{outcome.verdict} (FAILED)",
            "" if outcome.depth is None else str(outcome.depth), f"{outcome.seconds:.1f}", outcome.engine,
            style=None if record.good else "red",
        )
    return table
