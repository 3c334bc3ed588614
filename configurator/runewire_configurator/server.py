"""A server of static files for this machine alone."""

import contextlib
import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

LOOPBACK = "127.0.0.1"
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:; base-uri 'none'"
"""The browser refuses to fetch anything from another place."""


class _Files(SimpleHTTPRequestHandler):
    # A machine's own table may have other types for these, with which browsers refuse them.
    extensions_map: ClassVar[dict[str, str]] = {  # type: ignore[misc]  # typeshed has no class variable there
        **SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript", ".mjs": "text/javascript",
        ".wasm": "application/wasm", ".json": "application/json",
    }

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the command's output is the address."""


@contextlib.contextmanager
def serving(folder: Path, port: int = 0) -> Iterator[str]:
    """Serve the files of ``folder`` while the block lasts; yields their address. ``port``: 0 for any free one.

    Raises OSError if the port is taken.
    """
    with ThreadingHTTPServer((LOOPBACK, port), functools.partial(_Files, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://{LOOPBACK}:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
