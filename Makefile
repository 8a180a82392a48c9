# What people type. `make help` lists it, and the rest, which is in scripts/more.mk.

BIN := .venv/bin
NODE = cd web && { [ ! -x node_modules/.bin/$(firstword $(1)) ] || node_modules/.bin/$(strip $(1)); }
PYTEST := $(BIN)/python -m pytest -n 2
export PYTHON LABKIT_KERNEL_SOURCE LAB PACKETDRILL VM_MIRROR
unexport PYTHONHOME PYTHONPATH PYTHONDONTWRITEBYTECODE # uv leaves bytecode to the first import
.DEFAULT_GOAL := lab
.PHONY: lab check test book record bench clean help

lab: ## JupyterLab on the chapters; the lab kernel is built beside it
	@scripts/setup.sh lab
	@scripts/lab.sh

check: ## lint, types, the tests that need no lab kernel: before every commit
	@scripts/setup.sh check
	@$(MAKE) --no-print-directory --jobs=3 --output-sync=target lint types quick

test: ## check, and every test that what has changed can concern: the four doors below
	@scripts/setup.sh test
	@$(MAKE) --no-print-directory lint types
	$(PYTEST) tests --chosen --keep-times

book: setup ## the site, in _build/html
	$(BIN)/python scripts/book.py

record: setup ## execute the chapters, keep their outputs (CHAPTER=01: only that one)
	$(BIN)/python scripts/record.py $(CHAPTER)
	$(BIN)/python -m scripts.recorded_bits $(CHAPTER)

bench: setup ## speed and fidelity: writes the book's page of figures
	$(BIN)/python -m bench

clean: ## remove what these made in this folder
	rm -rf _build dist genindex.md .venv web/node_modules .setup.lock .mypy_cache .ruff_cache .pytest_cache .hypothesis labkit.egg-info

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -ts '|'

include scripts/more.mk
