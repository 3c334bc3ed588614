"""``runewire board``, with the real programs."""

from pathlib import Path

import pytest
from runewire.cli import main
from runewire_fpga.boards import BOARDS


def complaint(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_boards_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["name", *BOARDS]
    assert main(["board", "icebreaker"]) == 0
    assert "1BitSquared iCEBreaker  Lattice iCE40UP5K  UART, 3 Mbaud" in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "message"), [
    (["fpga"], "board must be one of icebreaker, ulx3s-12f, "),
    (["icebreaker", "--build", "--ip", "10.0.0.1"], "icebreaker has no network: --ip, --flows and --filter are for"),
    (["ulx3s-12f", "--simulation", "--filter"], "ulx3s-12f has no network: --ip, --flows and --filter are for a board"),
    (["butterstick", "--build", "--flows", "12"], "a board's flows must be a power of two from 2 to 1024, got 12"),
    (["butterstick", "--build", "--flows", "8", "--filter"], "a board with the filter has no flows: "),
    (["butterstick", "--build", "--ip", "10.0.0"], "'10.0.0' is no IPv4 address, such as 192.168.1.50"),
    (["ulx3s-12f", "--load", "-o", "nowhere"], "no bitstream of ulx3s-12f in nowhere: build it with --build"),
])
def test_what_cannot_be_done_is_told_in_a_line(arguments: list[str], message: str, tmp_path: Path,
                                               monkeypatch: pytest.MonkeyPatch,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["board", *arguments]) == 2
    assert message in complaint(capsys)
    assert not any(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(("name", "suffix"), [
    pytest.param(name, "bin" if name == "icebreaker" else "bit",
                 marks=[] if name in ("icebreaker", "ulx3s-12f") else [pytest.mark.records]) for name in BOARDS])
def test_a_bitstream_is_built(name: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", name, "--build", "-o", str(tmp_path / "made")]) == 0
    board, out = BOARDS[name], capsys.readouterr().out
    file = tmp_path / "made" / f"{board.top}.{suffix}"
    assert file.stat().st_size > 10_000
    lines = out.splitlines()
    assert lines[-1] == str(file)
    assert lines[-2].endswith(f" MHz, and {board.mhz:g} MHz are needed")
    assert float(lines[-2].split()[1]) >= board.mhz
    used = {line[: line.index("  ")]: line.split()[-3:] for line in lines[1:-2]}
    assert set(used) == set(board.used.values())
    assert all(0 <= float(share) <= 100 for *_, share in used.values())
    assert {path.suffix for path in file.parent.iterdir()} >= {".v", f".{suffix}"}
