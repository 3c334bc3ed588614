"""What the documentation shows is so: its examples run, its links lead somewhere. Generated parts: tests/pages."""

import doctest
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
import yaml
from runewire.cli import main
from runewire_model import TranscoderParameters, __version__
from runewire_model.port_options import port_options
from runewire_model.report import COUNTERS, Sidebands
from runewire_model.transcoder import CORES, TRANSCODER
from runewire_pages.timing_diagrams import DIAGRAMS
from runewire_rtl import describe, parameters, template_text
from runewire_rtl.packages import PACKAGES
from runewire_rtl.ports import ports

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
    assert {"semantics.md", "integration.md", "design.md", "from-python.md"} <= {page.name for page in EXAMPLES}


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


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_files_that_are_named_exist(page: Path) -> None:
    """Python files, by their path or by their path in the package of a room; generated files are left out."""
    folders = [ROOT, ROOT / "tests", *ROOT.glob("*/runewire*/")]
    for path in re.findall(r"`(?!runewire_)([\w/]+\.(?:py|vlt))`", page.read_text(encoding="utf-8")):
        assert any((folder / path).exists() for folder in folders), path


@pytest.mark.parametrize("core", [*CORES, TRANSCODER])
def test_the_page_of_a_core_says_all_that_its_data_says(core: str) -> None:
    """Independently of the script that wrote the tables: ports from the description, options from the command."""
    page = (ROOT / "docs" / "cores" / f"{core}.md").read_text(encoding="utf-8")
    params = TranscoderParameters("utf-16le", "utf-8") if core == TRANSCODER else parameters(core, lanes=8)
    for port in ports(params):
        assert re.search(rf"^\| `{port.name}` \| {port.direction} \| {port.width} \| \|", page, re.MULTILINE), port.name
    for option in [*params.options, *Sidebands.NAMES]:
        has = option in (*params.options, *port_options(core))
        assert (f"| `--{option.replace('_', '-')}` |" in page) is has, option
    assert re.search(r"^## Limits$", page, re.MULTILINE)
    [command] = re.findall(r"^runewire generate (.*) -o build$", page, re.MULTILINE)
    assert command.split()[0] == core
    [diagram] = re.findall(r"\]\(\.\./(timing-\S+)\.svg\)", page)
    [shown] = [each.core for each in DIAGRAMS if each.name == diagram]
    assert shown.core == core


@pytest.mark.parametrize("core", ["packer", "validator"])
def test_the_page_of_a_core_has_the_rows_of_the_datasheet(core: str) -> None:
    """The packer's own ports are no option: its rows were left out."""
    page = (ROOT / "docs" / "cores" / f"{core}.md").read_text(encoding="utf-8")
    found = [re.match(rf"{core}-x(\d+)-ecp5-85k-8-distributed\.json$", path.name)
             for path in (ROOT / "records" / "datasheet").iterdir()]
    lanes = [match[1] for match in found if match]
    assert lanes
    for each in lanes:
        assert f"| {each}-lane {core} | ecp5-85k | distributed |" in page


def test_the_citation_is_valid_and_of_this_version() -> None:
    done = subprocess.run([Path(sys.executable).with_name("cffconvert"), "--validate", "-i", ROOT / "CITATION.cff"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == __version__


@pytest.mark.parametrize("options", [
    pytest.param({}, id="plain"),
    pytest.param({"report_port": "beside", "count": COUNTERS, "records": 0x0A, "record_report": True, "user": 1,
                  "id": 1, "dest": 1},
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
        if option == "filter":
            continue  # it is `records` of a filter
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


@pytest.mark.parametrize("picture", sorted((ROOT / "docs").rglob("*.svg")), ids=name)
def test_pictures_are_well_formed(picture: Path) -> None:
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
