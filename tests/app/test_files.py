"""Output appears complete or not at all; input of every kind can be read."""

import contextlib
import os
from pathlib import Path

import pytest
from runewire.files import (
    check_file,
    check_folder,
    input_bytes,
    made_folder,
    output_stream,
    write_bytes,
    writing,
)
from runewire.hex_packets import HexPackets
from runewire.usage_errors import UsageFailure


def test_a_file_is_mapped(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc" * 1000)
    with input_bytes(tmp_path / "file") as content:
        assert bytes(content) == b"abc" * 1000


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with input_bytes(tmp_path / "file") as content:
        assert len(content) == 0


def test_a_pipe_is_spooled(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.write(write, b"through the pipe")
    os.close(write)
    with input_bytes(Path(f"/dev/fd/{read}")) as content:
        assert bytes(content) == b"through the pipe"
    os.close(read)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageFailure, match=r"cannot read .*none: No such file"), input_bytes(tmp_path / "none"):
        pass


def test_an_error_of_the_block_stays_itself(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"a")
    with pytest.raises(FileNotFoundError, match="mine"), input_bytes(tmp_path / "file"):
        raise FileNotFoundError("mine")


def test_output_replaces_at_the_end_only(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("before")
    target.chmod(0o640)
    with output_stream(target) as stream:
        stream.write(b"after")
        assert target.read_text() == "before"
    assert target.read_text() == "after"
    assert target.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError, OSError])
def test_output_is_left_alone_on_any_error(error: type[BaseException], tmp_path: Path) -> None:
    target = tmp_path / "target"

    def fail() -> None:
        with output_stream(target) as stream:
            stream.write(b"half")
            raise error

    with pytest.raises(error):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "file")
    write_bytes(tmp_path / "link", b"content")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "file").read_bytes() == b"content"


def test_a_device_is_written_to() -> None:
    write_bytes(Path("/dev/null"), b"content")
    with pytest.raises(UsageFailure, match="cannot write /dev/full: No space left on device"):
        write_bytes(Path("/dev/full"), b"content")


def test_a_disk_that_is_full_is_named_after_the_file_in_hand(tmp_path: Path) -> None:
    """Two outputs: the message names the one that failed, whichever was opened last."""
    with (pytest.raises(UsageFailure, match="cannot write /dev/full"), output_stream(Path("/dev/full")) as full,
          writing(tmp_path / "other")):
        full.write(b"x" * 1_000_000)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageFailure, match="it is a folder"):
        write_bytes(tmp_path, b"")


@pytest.mark.parametrize("path", ["new", "there", "link", "/dev/null", "-"])
def test_a_check_leaves_no_trace(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").write_text("before")
    (tmp_path / "link").symlink_to("target")
    check_file(Path(path))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "there"]
    assert (tmp_path / "there").read_text() == "before"


@pytest.mark.parametrize("path", [".", "new", "new/and/newer"])
def test_a_check_of_a_folder_leaves_no_trace(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_folder(Path(path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fault", [KeyboardInterrupt, SystemExit, UsageFailure])
def test_what_was_made_of_a_folder_goes_again(fault: type[BaseException], tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for path in (tmp_path / "there", tmp_path / "new" / "newer"):
        with contextlib.suppress(fault), made_folder(path):
            raise fault
    assert list(tmp_path.iterdir()) == [tmp_path / "there"]


def test_a_folder_that_is_made_stays(tmp_path: Path) -> None:
    with made_folder(tmp_path / "new" / "newer"):
        pass
    assert (tmp_path / "new" / "newer").is_dir()


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UsageFailure, match=r"cannot write .*file: Permission denied"):
        write_bytes(tmp_path / "file", b"")


@pytest.mark.parametrize(("text", "packets"), [
    (b"", []), (b"\n", [b""]), (b"41", [b"A"]), (b"41\n", [b"A"]), (b"41\n\n", [b"A", b""]),
    (b" 41 42 \r\n43\r\n", [b"AB", b"C"]), (b"\n\n\n", [b"", b"", b""]),
])
def test_hex_packets(text: bytes, packets: list[bytes]) -> None:
    reader = HexPackets(memoryview(text), "name")
    assert list(reader) == packets
    assert list(reader) == packets, "it can be read twice"


def test_hex_packets_across_blocks() -> None:
    packets = [bytes([number % 256]) * 5000 for number in range(500)]
    text = "".join(f"{packet.hex()}\n" for packet in packets).encode()
    assert len(text) > 4 << 20
    assert list(HexPackets(memoryview(text), "name")) == packets
