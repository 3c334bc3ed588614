"""The server of static files."""

import urllib.request
from pathlib import Path

import pytest
from runewire_configurator.server import serving


@pytest.mark.parametrize(("name", "kind"), [
    ("a.html", "text/html"), ("a.js", "text/javascript"), ("a.mjs", "text/javascript"), ("a.wasm", "application/wasm"),
    ("a.json", "application/json"), ("a.css", "text/css"), ("a.svg", "image/svg+xml"),
])
def test_browsers_accept_the_types(tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / name).write_bytes(b"content")
    with serving(tmp_path) as address, urllib.request.urlopen(address + name) as answer:
        assert answer.headers.get_content_type() == kind
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
        assert answer.read() == b"content"


def test_it_is_for_this_machine_alone_and_ends_with_the_block(tmp_path: Path) -> None:
    with serving(tmp_path) as address:
        assert address.startswith("http://127.0.0.1:")
        port = int(address.rstrip("/").rpartition(":")[2])
        with pytest.raises(OSError, match="in use"), serving(tmp_path, port):
            pass
    with serving(tmp_path, port) as again:
        assert again == address
