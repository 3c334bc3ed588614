"""The documentation is correct: its examples run, its links lead somewhere, its latency table is right."""

import doctest
import importlib.util
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from runewire import datasheet
from runewire.cli import main
from runewire.compare.charts import picture
from runewire.compare.lines import line_core
from runewire.compare.quantities import matches
from runewire.compare.run import best_cores
from runewire.compare.verdict import number
from runewire.compare.works import WORKS
from runewire_fpga import designs
from runewire_model import TranscoderParameters, __version__
from runewire_model.report import COUNTERS, Sidebands
from runewire_model.transcoder import CORES, TRANSCODER
from runewire_rtl import describe, parameters, template_text
from runewire_rtl.packages import PACKAGES
from runewire_rtl.ports import ports
from runewire_sim.code_coverage import reasons

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = [page for page in PAGES if ">>>" in page.read_text(encoding="utf-8")]


def name(page: Path) -> str:
    return page.name


@pytest.mark.parametrize("page", EXAMPLES, ids=name)
def test_examples_give_what_they_show(page: Path) -> None:
    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert tried > 0
    assert failed == 0


def test_pages_with_rules_have_examples() -> None:
    assert {"README.md", "semantics.md", "integration.md", "design.md"} <= {page.name for page in EXAMPLES}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        linked = page.parent / path if path else page
        assert linked.exists(), f"{target} is not there"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), flags=re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in anchors, f"{target} is not there"


def test_every_page_is_found_from_the_readme_before_its_first_section() -> None:
    """What a core costs and what is proven, too."""
    first = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert [page.name for page in PAGES if f"]({page.relative_to(ROOT)})" not in first] == ["README.md"]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_files_that_are_named_exist(page: Path) -> None:
    """Python files, by their path or by their path in the package of a room; generated files are left out."""
    folders = [ROOT, *ROOT.glob("*/runewire*/")]
    for path in re.findall(r"`(?!runewire_)([\w/]+\.(?:py|vlt))`", page.read_text(encoding="utf-8")):
        assert any((folder / path).exists() for folder in folders), path


def script(name: str) -> Any:
    """One of the scripts next to the pages."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(ROOT / "docs"))  # as where it is run
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return module


@pytest.mark.records
@pytest.mark.slow
def test_the_figures_of_the_verification_pages_are_those_that_are_kept() -> None:
    module = script("verification_tables")
    for path in module.SECTIONS:
        assert module.with_figures(path) == path.read_text(encoding="utf-8"), \
            "run python docs/verification_tables.py --write"


def test_a_record_that_is_not_of_the_present_design_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    module = script("verification_tables")
    for section in (module.mutants, module.soak):
        monkeypatch.setattr(module, "__version__", "9.9")
        monkeypatch.setattr(module, "fresh", lambda record: False)
        assert module.STALE in section()
        versions = sorted({record.version for record in module.mutant_records()} if section is module.mutants else {
            module.SoakRecord.of(module.RECORD.read_text()).version})
        told = " and ".join(versions)
        assert f"{module.STALE} Record of runewire {told}, not of the present design (9.9)." in section()
        monkeypatch.setattr(module, "fresh", lambda record: True)
        monkeypatch.setattr(module, "__version__", versions[0])
        assert module.STALE not in section()
        monkeypatch.undo()


def test_what_no_engine_decides_is_in_the_table_with_how_far_it_looked() -> None:
    module = script("verification_tables")
    said = {depth: module.verdict(module.Outcome("undecided", "bmc3", depth, 1234.5)) for depth in (None, 29)}
    assert said == {None: "**undecided**, 1,234 s", 29: "**undecided**, nothing wrong in 30 cycles, 1,234 s"}
    assert module.verdict(module.Outcome("proven", "pdr", 4, 2.0)) == "proven, 2 s, depth 4"


def test_the_mutants_are_those_of_the_listed_cores() -> None:
    module = script("verification_tables")
    page = module.PAGE.read_text(encoding="utf-8")
    commands = re.findall(r"^runewire mutate .* docs/mutants/(\S+)$", page, re.MULTILINE)
    assert sorted(commands) == sorted(path.name for path in module.MUTANTS.iterdir())
    left: set[tuple[str, int]] = set()
    for record in module.mutant_records():
        left |= {(module.title(record), fate.number) for fate in record.unexplained}
    # Undecided mutants are named there, with the known result, even if there is none.
    assert left == set(module.reasons())


def test_the_code_coverage_is_of_the_listed_cores_and_uses_every_reason() -> None:
    module = script("verification_tables")
    page = module.PAGE.read_text(encoding="utf-8")
    commands = re.findall(r"^runewire coverage .* docs/code_coverage/(\S+)$", page, re.MULTILINE)
    assert sorted(commands) == sorted(path.name for path in module.CODE.iterdir())
    assert module.Part(module.PAGE, "code coverage", "verification_tables.py --write").has(module.code()), \
        "run python docs/verification_tables.py --write"
    assert {why for record in module.code_records() for why in record.unreachable} == {
        reason.why for reason in reasons()}


@pytest.mark.parametrize("table", [pytest.param("latency_table", marks=pytest.mark.slow), "core_table",
                                   "tuser_table", "asic_table", "ethernet_table", "synthesis_table"])
def test_a_table_is_that_of_the_cores(table: str) -> None:
    module = script(table)
    assert module.PART.has(module.table()), f"run python docs/{table}.py --write"


@pytest.mark.slow
def test_every_synthesis_of_yosys_is_in_the_table() -> None:
    module = script("synthesis_table")
    _, found = module.load()
    assert list(found) == list(module.commands(module.yosys("help", ROOT).stdout)), \
        "run python docs/synthesis_table.py --measure"
    assert {command for command, results in found.items() if any(result.error for result in results.values())} == {
        "synth_easic", "synth_nanoxplore -family medium"}, "files of eASIC's own tools; ABC9"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["synth_gatemate", "synth_sf2", "synth_intel_alm -family cyclonev"])
def test_a_synthesis_gives_what_the_table_says(command: str) -> None:
    module = script("synthesis_table")
    _, found = module.load()
    core = module.cores()["compact"]
    assert module.tried(command, core) == found[command]["compact"]


def test_which_ethernet_is_carried_is_said_in_short_too() -> None:
    module = script("ethernet_table")
    assert module.SHORT.has(module.sentences()), "run python docs/ethernet_table.py --write"


def test_every_core_has_a_page_with_the_tables_of_its_data() -> None:
    module = script("core_pages")
    parts = list(module.parts())
    assert {part.page.stem for part, _ in parts} == {*CORES, TRANSCODER}
    for part, text in parts:
        assert part.has(text), "run python docs/core_pages.py --write"


@pytest.mark.parametrize("core", [*CORES, TRANSCODER])
def test_the_page_of_a_core_says_all_that_its_data_says(core: str) -> None:
    """Independently of the script that wrote the tables: ports from the description, options from the command."""
    page = (ROOT / "docs" / "cores" / f"{core}.md").read_text(encoding="utf-8")
    params = TranscoderParameters("utf-16le", "utf-8") if core == TRANSCODER else parameters(core, lanes=8)
    for port in ports(params):
        assert re.search(rf"^\| `{port.name}` \| {port.direction} \| {port.width} \| \|", page, re.MULTILINE), port.name
    for option in [*params.options, *Sidebands.NAMES]:
        assert (f"| `--{option.replace('_', '-')}` |" in page) is (option != "records" or core == "validator"), option
    assert re.search(r"^## Limits$", page, re.MULTILINE)
    [command] = re.findall(r"^runewire generate (.*) -o build$", page, re.MULTILINE)
    assert command.split()[0] == core
    [diagram] = re.findall(r"\]\(\.\./(timing-\S+)\.svg\)", page)
    [shown] = [each.core for each in script("timing_diagrams").DIAGRAMS if each.name == diagram]
    assert shown.core == core


@pytest.mark.records
@pytest.mark.slow
def test_the_cells_are_those_of_the_present_cores() -> None:
    module = script("asic_table")
    for record in module.load():
        made = designs.core(module.measured(record))
        assert made.digest == record["design"]["digest"], "run python docs/asic_table.py --measure"


def test_the_citation_is_valid_and_of_this_version() -> None:
    done = subprocess.run([Path(sys.executable).with_name("cffconvert"), "--validate", "-i", ROOT / "CITATION.cff"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == __version__


@pytest.mark.slow
def test_the_timing_diagrams_are_those_of_the_cores() -> None:
    module = script("timing_diagrams")
    for diagram in module.DIAGRAMS:
        kept = module.file_of(diagram).read_text(encoding="utf-8")
        assert module.drawing(diagram) == kept, "run python docs/timing_diagrams.py --write"


def test_the_comparison_is_that_of_the_kept_figures() -> None:
    module = script("comparison")
    found = module.comparison()
    assert module.PART.has(module.section(found)), "run python docs/comparison.py --write"
    assert module.DETAILS.has(module.details(found)), "run python docs/comparison.py --write"
    assert module.LINES.has(module.lines_section(found)), "run python docs/comparison.py --write"
    kept = module.CHART.read_text(encoding="utf-8") if module.CHART.exists() else None
    assert kept == picture(found), "run python docs/comparison.py --write"


COMPARED = [ROOT / "README.md", ROOT / "docs" / "throughput.md"]


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
            for job in (work.title for work in WORKS.values()):
                if line.startswith(f"- {job}: "):
                    clean = line.split("With an error every")[0].replace("*", "")
                    medians.setdefault(job, set()).update(re.findall(r"the fastest .*?, moves ([\d.]+) GB/s", clean))
                    ratios.setdefault(job, set()).update(re.findall(r"moves ([\d.]+) times as much", clean))
    found = {WORKS[one.job].title: one for one in matches(script("comparison").comparison())}
    assert medians == {job: {number(one.rate)} for job, one in found.items()}
    assert ratios == {job: {number(one.hardware / one.rate)} for job, one in found.items()}


def test_a_range_of_the_pages_is_its_program_s_own() -> None:
    record = script("comparison").comparison()
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
    record = script("comparison").comparison()
    assert re.search(r"model \d+|[A-Z]?\d{4}", record.machine.cpu), record.machine.cpu
    assert record.missing == ()
    assert "simdutf 9." in " ".join(peer.version for peer in record.peers)
    assert record.large is not None
    assert (record.texts[0].bytes, record.large.bytes) == (1 << 16, 1 << 26)
    for page in COMPARED:
        assert record.machine.cpu in page.read_text(encoding="utf-8")


def test_the_speed_of_simulation_is_that_of_the_kept_figures() -> None:
    module = script("fast_lane")
    assert module.PART.has(module.table()), "run python docs/fast_lane.py --write"


def test_the_comparison_has_the_cores_of_the_datasheet() -> None:
    found = script("comparison").comparison()
    placed = best_cores(datasheet.load(), found.target)
    cores = {entry.name: entry for work in WORKS.values() for entry in work.cores(placed)}
    assert {entry.name: entry for entry in found.entries} == cores, "run python docs/comparison.py --measure cores"


def test_the_comparison_of_lines_has_the_core_of_the_datasheet() -> None:
    found = script("comparison").comparison()
    placed = line_core(datasheet.load(), found.target)
    assert found.lines.core is not None
    assert placed is not None
    shown = replace(found.lines.core, gigabytes_per_second=placed.gigabytes_per_second)
    assert shown == placed, "run python docs/comparison.py --measure cores"


@pytest.mark.parametrize("options", [
    pytest.param({}, id="plain"),
    pytest.param({"report_port": "beside", "count": COUNTERS, "records": 0x0A, "user": 1, "id": 1, "dest": 1},
                 id="all"),
])
def test_the_interface_page_knows_every_port_key_and_kind(options: dict[str, Any]) -> None:
    page = (ROOT / "docs" / "interface.md").read_text(encoding="utf-8")
    description = describe(parameters("validator", lanes=8, **options))
    for port in description["ports"]:
        assert f"`{port['name']}`" in page
    for key in description:
        assert f"| `{key}` |" in page
    for kind, code in description["tuser"]["kinds"].items():
        assert f"{code} {kind}" in page
    for field in description["tuser"]["fields"]:
        assert f"`{field}`" in page
    json.dumps(description)


def test_the_interface_page_knows_every_option_and_counter() -> None:
    page = (ROOT / "docs" / "interface.md").read_text(encoding="utf-8")
    text = [option for core in CORES.values() for option in core.options]
    for option in [*text, *Sidebands.NAMES]:
        assert re.search(rf"^\| [^|]*`--{option.replace('_', '-')}`", page, re.MULTILINE), option
    for counter in COUNTERS:
        assert f"| `{counter}` | `{counter.replace('-', '_')}` |" in page


@pytest.mark.parametrize("arguments", [
    ["explain", "E2 82 AC FF"], ["plan", "--rate", "10G", "--text", "README.md"],
    ["generate", "validator", "--lanes", "1", "-o", "{}"]], ids=lambda words: words[0])
def test_the_interface_page_knows_every_key_of_the_json(arguments: list[str], tmp_path: Path,
                                                        capsys: pytest.CaptureFixture[str],
                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert main([*(word.format(tmp_path) for word in arguments), "--json"]) == 0
    page = (ROOT / "docs" / "interface.md").read_text(encoding="utf-8")
    section = page.partition("### JSON of the commands\n")[2].partition("\n## ")[0]

    def keys(value: Any) -> set[str]:
        if isinstance(value, list):
            return set().union(*map(keys, value))
        if isinstance(value, dict):
            named = {name: each for name, each in value.items() if name not in ("description", "core", "encodings")}
            return {*value}.union(*map(keys, named.values()))
        return set()

    for key in keys(json.loads(capsys.readouterr().out)):
        assert f"`{key}`" in section, key


@pytest.mark.parametrize(("page", "core", "shown"), [
    ("interface.md", "decoder", "| {start}, that is `start_cycles` |"),
    ("architecture.md", "validator", "| {start} | `ready`"),
])
def test_the_example_of_a_reset_is_that_of_the_core(page: str, core: str, shown: str) -> None:
    start = describe(parameters(core, lanes=8))["start_cycles"]
    assert shown.format(start=start) in (ROOT / "docs" / page).read_text(encoding="utf-8")


def test_the_instance_on_the_interface_page_is_the_template_s() -> None:
    page = (ROOT / "docs" / "interface.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"```verilog\n(.*?)```", page, flags=re.DOTALL)
    assert shown in template_text(parameters("decoder", lanes=8))


@pytest.mark.parametrize("package", PACKAGES)
def test_the_integration_page_knows_every_package_and_its_files(package: str) -> None:
    page = (ROOT / "docs" / "integration.md").read_text(encoding="utf-8")
    [files] = re.findall(rf"^\| \[`{package}`\]\(#\S+\) \| [^|]+ \| (.+) \|$", page, flags=re.MULTILINE)
    written = PACKAGES[package].files(parameters("decoder", lanes=8))
    assert re.findall(r"`([^`]+)`", files) == list(written)


def integration_example(language: str, word: str, folder: Path, package: str) -> str:
    """The one block of the integration page with this word in it; the folder gets the files of its package."""
    page = (ROOT / "docs" / "integration.md").read_text(encoding="utf-8")
    blocks = re.findall(rf"```{language}\n(.*?)```", page, flags=re.DOTALL)
    [block] = [block for block in blocks if word in block]
    folder.mkdir()
    for name, text in PACKAGES[package].files(parameters("decoder", lanes=8)).items():
        (folder / name).write_text(text)
    return block


def test_the_example_of_the_c_header_prints_what_it_says(tmp_path: Path) -> None:
    source = integration_example("c", "main", tmp_path / "build", "c")
    page = (ROOT / "docs" / "integration.md").read_text(encoding="utf-8")
    (command, expected), = re.findall(r"^(gcc .*?) && ./report +# (.*)$", page, flags=re.MULTILINE)
    (tmp_path / "report.c").write_text(source)
    subprocess.run(command.split(), cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "report"], capture_output=True, text=True, check=True).stdout == f"{expected}\n"


def test_the_example_of_litex_makes_verilog(tmp_path: Path) -> None:
    source = integration_example("python", "litex", tmp_path / "text", "litex")
    done = subprocess.run([sys.executable, "-c", source], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert re.search(r"^module text \(", done.stdout, flags=re.MULTILINE)
    assert re.search(r"^runewire_decoder_x8 runewire_decoder_x8 ?\(", done.stdout, flags=re.MULTILINE)


@pytest.mark.parametrize("picture", sorted((ROOT / "docs").glob("*.svg")), ids=name)
def test_pictures_are_well_formed(picture: Path) -> None:
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
