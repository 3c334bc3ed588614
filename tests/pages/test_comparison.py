"""The comparison with software says the same on all pages, of the cores of the datasheet."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from runewire_benchmark.best_chips import BestChip
from runewire_benchmark.findings import number
from runewire_benchmark.line_jobs import LINE_JOBS
from runewire_benchmark.lines import LineCase, LineFigure
from runewire_benchmark.quantities import matches
from runewire_benchmark.tasks import TASKS
from runewire_pages.comparison import comparison, has_present_cores
from runewire_pages.part import DOCS, README

COMPARED = [README, DOCS / "throughput.md"]


def tables(page: Path) -> list[list[list[str]]]:
    """The tables of a page, rows of cells; the first row is the heading."""
    found: list[list[list[str]]] = [[]]
    for line in page.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            found.append([])
        elif not set(line) <= set("|-: "):
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
    return [table for table in found if table]


@pytest.mark.parametrize("page", COMPARED, ids=lambda page: page.name)
def test_a_rate_says_in_its_heading_which_bytes_are_counted(page: Path) -> None:
    """Regression: the encoder had 23.7 GB/s in one table, of UTF-32, and 13.1 in the next, of UTF-8."""
    headings = [cell for table in tables(page) for cell in table[0] if "GB/s" in cell]
    assert headings
    for heading in headings:
        assert re.search(r"GB/s of (UTF-8|input)", heading), heading
    for table in tables(page):
        for row in table[1:]:
            assert not [cell for cell in row if "GB/s" in cell], "the unit stands in the heading"


def test_a_job_has_one_median_and_one_ratio_on_all_pages() -> None:
    """Regression: 3.79 and 3.93 were given for the same ratio, 3.94 and 4.25 for the same median."""
    medians: dict[str, set[str]] = {}
    ratios: dict[str, set[str]] = {}
    for page in COMPARED:
        for head, *rows in tables(page):
            for row in rows if head[0] == "job" else ():
                for heading, cell in zip(head, row, strict=True):
                    if heading.startswith(("software, GB/s", "median text, GB/s")):
                        medians.setdefault(row[0], set()).add(cell)
                    if heading == "times as fast":
                        ratios.setdefault(row[0], set()).add(cell)
        for line in page.read_text(encoding="utf-8").splitlines():
            for job in (task.title for task in TASKS.values()):
                if line.startswith(f"- {job}: "):
                    clean = line.split("With an error every")[0].replace("*", "")
                    medians.setdefault(job, set()).update(re.findall(r"the fastest .*?, moves ([\d.]+) GB/s", clean))
                    ratios.setdefault(job, set()).update(re.findall(r"moves ([\d.]+) times as much", clean))
    found = {TASKS[one.job].title: one for one in matches(comparison())}
    assert medians == {job: {number(one.rate)} for job, one in found.items()}
    assert ratios == {job: {number(one.hardware / one.rate)} for job, one in found.items()}


def test_a_range_of_the_pages_is_its_program_s_own() -> None:
    record = comparison()
    table, = (table for table in tables(COMPARED[1]) if "slowest text" in table[0])
    assert len(table) == 1 + len(matches(record))
    for one, row in zip(matches(record), table[1:], strict=True):
        cells = dict(zip(table[0], row, strict=True))
        own = [figure for figure in record.software if figure.peer == one.program.peer
               and figure.case.spacing is None]
        assert one.program.peer.startswith(cells["software"])
        assert {cells["slowest text"], cells["fastest text"]} == {
            f"{number(figure.median)} ({figure.case.text})" for figure in (
                min(own, key=lambda figure: figure.median), max(own, key=lambda figure: figure.median))}


def test_the_record_is_of_libsimdutf_on_a_processor_that_is_named_by_its_model() -> None:
    """Regression: the page named only "AMD EPYC" and the simdutf inside Node.js."""
    record = comparison()
    assert re.search(r"model \d+|[A-Z]?\d{4}", record.machine.cpu), record.machine.cpu
    assert record.missing == ()
    assert "simdutf 9." in " ".join(peer.version for peer in record.peers)
    assert record.large is not None
    assert (record.texts[0].bytes, record.large.bytes) == (1 << 16, 1 << 26)
    for page in COMPARED:
        assert record.machine.cpu in page.read_text(encoding="utf-8")


def test_the_comparison_has_the_cores_of_the_datasheet() -> None:
    found = comparison()
    assert has_present_cores(found), "run runewire pages --measure compared-cores"
    assert found.lines
    first = found.entries[0]
    elsewhere = BestChip("validate", replace(first, target="another-chip"), 99.0)
    assert not has_present_cores(replace(found, best_chips=(elsewhere,)))
    fewer = tuple(figure for figure in found.hardware if figure.entry != first)
    assert not has_present_cores(replace(found, hardware=fewer))
    for index, lines in enumerate(found.lines):
        assert lines.missing == ()
        assert lines.core is not None
        faster = replace(lines.core, entry=replace(lines.core.entry, clock_mhz=1.0))
        for core in (faster, None):
            others = [*found.lines[:index], replace(lines, core=core), *found.lines[index + 1:]]
            assert not has_present_cores(replace(found, lines=tuple(others)))


def test_a_job_on_lines_has_one_rate_on_its_page() -> None:
    """The fastest program of each kind of lines, and the core, in the table as in the record and in the sentences."""
    record = {lines.job.name: lines for lines in comparison().lines}
    page = COMPARED[1].read_text(encoding="utf-8")
    found = [table for table in tables(COMPARED[1]) if table[0][0].startswith("lines; ")]
    assert len(found) == len(record)
    for table, lines in zip(found, record.values(), strict=True):
        assert lines.core is not None
        rates = lines.core.rates
        best: dict[int | None, list[LineFigure]] = {one_in: [] for one_in in lines.job.shares}
        for row in table[1:]:
            text, lengths = row[0].split(", ")
            for one_in, cell in zip(lines.job.shares, row[1:], strict=False):
                fastest = lines.fastest(LineCase(text, lengths, one_in))
                assert fastest is not None
                assert cell == number(fastest.median)
                best[one_in].append(fastest)
            assert {*row[-2].split(" / ")} == {
                number(rates[LineCase(text, lengths, one_in)]) for one_in in lines.job.shares}
        said = next(line for line in page.splitlines() if line.startswith(f"{lines.job.title}: where none"))
        moves = {number(rate(rates.values())) for rate in (min, max)}
        named = re.search(r"\(modelled\) moves \*\*(.*?) GB/s\*\*", said)
        assert named is not None
        assert {*named[1].split(" to ")} == moves
        for one_in, figures in best.items():
            ends = {number(reduce(figure.median for figure in figures)) for reduce in (min, max)}
            named = re.search(r"moves \*\*(.*?)\*\*" if one_in is None
                              else rf"([^;.](?:[^;.]|\.\d)*) with one line in {one_in} ill", said)
            assert named is not None
            assert {*re.findall(r"\d+(?:\.\d+)?(?= \(| to)", named[1])} == ends
    for job in LINE_JOBS.values():
        assert job.name in record or f"{job.title}: not measured yet." in page
