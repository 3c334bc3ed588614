"""Specifications of options that concern every encoding: U+0000 is rejected, one replacement a run, errors known early.

The source of an encoding is wrapped: ``run_source.v`` over ``nul_source.v`` over ``utf8_source.v``. Harnesses find the
outermost one under the name ``source``.
"""

from __future__ import annotations

from collections.abc import Sequence

from runewire_model import TranscoderParameters

from ..faults import Mutant, never, step
from ..miter import Change


def option_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken ways to reject U+0000, to replace runs, and to report an error early."""
    found = []
    if parameters.reject_nul:
        found.append(step("U+0000 is a character", r"zero0_l\d+", never))
        if parameters.sidebands.report != "none" and parameters.reads.unit_bytes == 1:
            found.append(step("a null byte is U+0000", r"nul_l\d+", lambda _: lambda nul, whole: nul))
    if parameters.replace_runs:
        found += [
            step("each part of a run is replaced", r"run_follows_l\d+", never),
            step("a run goes on over a character", r"run_recent_l\d+",
                 lambda _: lambda part, every, before: part | before),
            step("a run that follows a beat is another", r"run_first_l\d+",
                 lambda _: lambda every, whole, follows: every & whole),
        ]
    if parameters.sidebands.early and parameters.pipeline != "compact":
        found.append(step("an error is known in its own beat alone" if parameters.sidebands.report != "flag"
                          else "an error bit falls", "error_known", lambda _: lambda found, seen: found))
    return found


NAMES = ("plain_source", "source_without_nul")
"""Names of the inner sources."""


def wrapped(parameters: TranscoderParameters, source: str) -> tuple[list[str], list[Change]]:
    """The files of a core's source, ``source`` of its encoding first, and what changes in them."""
    options = (("nul", parameters.reject_nul), ("run", parameters.replace_runs))
    layers = [f"{name}_source.v" for name, on in options if on]
    files, changes = [source, *layers], list[Change]()
    for inner, outer, name in zip(files, layers, NAMES, strict=False):
        changes.append((inner, "module source #(", f"module {name} #("))
        if name != NAMES[0]:
            changes.append((outer, f"{NAMES[0]} #(", f"{name} #("))
    return files, changes


def counted(parameters: TranscoderParameters) -> list[Change]:
    """What changes in `sidebands.v`: it counts subparts, not runs."""
    if not parameters.replace_runs:
        return []
    return [("sidebands.v", "    source #(", f"    {NAMES[parameters.reject_nul]} #(")]


def in_place(parameters: TranscoderParameters) -> list[Change]:
    """What changes in the target of UTF-8 to UTF-8 in place and in its harness: bytes 00 are no part of a character,
    and the source says where the replacement of a run is."""
    changes: list[Change] = []
    if parameters.reject_nul:
        changes.append(("utf8_to_utf8_target.v", "if (whole[i + k] && size(",
                        "if (whole[i + k] && scalars[21*(i + k) +: 21] != 0 && size("))
    if parameters.replace_runs:
        changes += [
            ("utf8_to_utf8_target.v", "    output reg  [LANES-1:0]    there,",
             "    input  wire [LANES-1:0]    replaced,        // where an ill-formed subpart ends that is replaced\n"
             "    output reg  [LANES-1:0]    there,"),
            ("utf8_to_utf8_target.v", "ends[i] && !DROP;", "ends[i] && !DROP && replaced[i];"),
            ("window_ahead.v", ".there(want_present)", ".replaced(present), .there(want_present)"),
        ]
    return changes


EARLY_ROWS: dict[str, Sequence[tuple[str, str]]] = {
    "packing.v": [("told & {WIDTH{go_last}}", "told"),
                  ("1'b0, {LANES{1'b1}}, {WIDTH{1'b0}}}", "1'b0, {LANES{1'b1}}, extra_token[WIDTH-1:0]}"),
                  ("told & {WIDTH{early || (go && go_last)}}", "told")],
    "rows.v": [("REPORTS && go_last ? report", "REPORTS ? report")],
    "row.v": [("REPORTS && go_last ? report", "REPORTS ? report")],
    "rows_out.v": [("last ? report : {WIDTH{1'b0}}", "report")],
}
"""What changes in harnesses of rows, if each row has the error bit of the beat that completes it."""


def early_rows(parameters: TranscoderParameters, *files: str) -> list[Change]:
    """What changes in these files of harnesses of rows."""
    return [(file, *change) for file in files for change in EARLY_ROWS[file]] if parameters.sidebands.early else []


def early(parameters: TranscoderParameters, harnesses: Sequence[str]) -> list[Change]:
    """What changes in the window's harness and in the source of UTF-8, if the error bit is set as soon as it is known.

    UTF-8's source finds a sequence cut short only with the byte after it, which the core looks at too.
    """
    if not parameters.sidebands.early:
        return []
    changes: list[Change] = []
    for name in harnesses:
        wrong = "found" if name == "window_mark.v" else "wrong"
        # Without a beat the bit is not looked at.
        changes += [(name, "wire bad = reports ||", f"wire bad = (go && {wrong}) ||"),
                    (name, "(core_report ^ report[REPORT-1:0])",
                     "((core_report ^ report[REPORT-1:0]) & ~{{REPORT{1'b0}}, !core_report_valid})")]
    if parameters.source == "utf-8":
        changes += [
            ("utf8_source.v", ".state(error_state), .state_after(error_after), .found(found)",
             ".state(error_state), .state_after(error_after), .found(ends_ill)"),
            ("utf8_source.v", "    // A sequence that ends whole has nothing under way after it.",
             "    wire ends_ill;\n"
             "    assign found = errors[3*LANES +: 3] != 0\n"
             "        || under_way[25*LANES + 23 +: 2] != 0 && !(follows && next[7:6] == 2'b10);"),
        ]
    return changes
