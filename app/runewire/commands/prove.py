"""``runewire prove``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from runewire_model import TranscoderParameters
from runewire_proofs import COMPACT, CORES, FAMILY, OPTIONS, Engine, Entry, Ledger, Outcome, Record, proofs, run

from ..console import error_console, output_console
from ..failure import UsageFailure, os_failure
from ..files import write_bytes
from ..options import with_core, writable


@with_core
def prove(
    parameters: TranscoderParameters | None = None,
    part: Annotated[list[str] | None, typer.Option(
        help="Only this part; may be given more than once. Default: all.", show_default=False)] = None,
    mutants: Annotated[bool, typer.Option(help="Also refute deliberately broken cores.")] = True,
    timeout: Annotated[float, typer.Option(
        metavar="SECONDS", help="Limit of each engine run, of processor time.")] = 600,
    output: Annotated[Path | None, typer.Option(
        "--json", metavar="FILE", show_default=False, callback=writable,
        help="Keep engine, verdict, depth and time of each run in FILE, and leave out what is there and still holds.",
    )] = None,
) -> int:
    """Prove cores against a byte-serial specification, for all inputs, and refute broken copies of them.

    Exit status 0: everything is proven and every broken copy refuted; 1: not so.
    """
    cores = [*CORES, *OPTIONS, *COMPACT, *FAMILY] if parameters is None else [parameters]
    names = list(dict.fromkeys(proof.name for parameters in cores for proof in proofs(parameters)))
    for name in part or ():
        if name not in names:
            raise UsageFailure(f"part must be one of {', '.join(names)}, got {name!r}")
    if timeout <= 0:
        raise UsageFailure(f"timeout must be above 0 seconds, got {timeout:g}")
    engine = Engine.find()
    ledger = _ledger(output)
    console = output_console()
    failed = 0
    for parameters in cores:
        for proof in proofs(parameters):
            if part and proof.name not in part:
                continue
            design = proof.miter(None).digest
            entry = ledger.settled(proof, design)
            if entry is None:
                known = ledger.known(parameters, proof, design)
                records = _watched(parameters, engine, timeout, mutants, proof.name, known)
                entry = ledger.enter(parameters, engine.version, records)
                if output is not None:
                    write_bytes(output, ledger.json().encode())
            failed += not entry.good
            _tell(console, parameters, entry)
    return 1 if failed else 0


def _ledger(path: Path | None) -> Ledger:
    """What is kept in the file already; raises UsageFailure if it holds something else."""
    if path is None or not path.is_file():
        return Ledger()
    try:
        return Ledger.of(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise os_failure(error, "cannot read", path) from error
    except ValueError as error:
        raise UsageFailure(f"cannot go on with {path}: {error}") from error


def _watched(
    parameters: TranscoderParameters, engine: Engine, timeout: float, mutants: bool, part: str,
    known: Mapping[str | None, Outcome],
) -> list[Record]:
    """The records of a part; on a terminal the present one is shown."""
    console = error_console()
    records = []
    with console.status("", spinner="line") as status:
        status.update(f"{parameters}: {part}")
        for record in run(parameters, engine, seconds=timeout, mutants=mutants, parts=[part], known=known):
            records.append(record)
            status.update(f"{parameters}: {part}: {record.mutant or 'as delivered'}: {record.outcome.verdict}")
    return records


def _tell(console: Console, parameters: TranscoderParameters, entry: Entry) -> None:
    """A line for the part of a core, which may be proven with another core, and a table of its runs."""
    sound = entry.sound
    same = "" if entry.parameters == parameters else f", the same as that of {entry.parameters}"
    depth = "" if sound.depth is None else f", depth {sound.depth}"
    console.print(
        f"{parameters}: {entry.part}{same}: {sound.verdict} by {sound.engine}{depth}; {entry.refuted} of "
        f"{len(entry.mutants)} broken ones refuted; {entry.seconds:.1f} s of {entry.engine}",
        style=None if entry.good else "red", highlight=False)
    failed = {title: outcome for title, outcome in entry.mutants.items() if outcome.verdict != "refuted"}
    if failed:
        table = Table("not refuted", "verdict", "seconds", box=None)
        for title, outcome in failed.items():
            table.add_row(title, outcome.verdict, f"{outcome.seconds:.1f}")
        console.print(table)
