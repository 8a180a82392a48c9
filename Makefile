# The commands of the README. `make lab` and `make test` are all that a newcomer needs.
#
#   make lab                  JupyterLab on the chapters
#   make test                 lint, types, every test
#   make book                 the static site, in _build/html
#   make record               execute the chapters, keep their outputs   (CHAPTER=01: only that one)
#   make bench                speed and fidelity
#   make clean                remove what these made in this folder

BIN := .venv/bin
export PYTHON LABKIT_KERNEL_SOURCE LAB
unexport PYTHONHOME PYTHONPATH
.PHONY: lab test book record bench setup clean

lab: setup
	@scripts/lab.sh

test:
	@scripts/setup.sh test
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests -n 2 --dist loadfile

book: setup
	$(BIN)/python scripts/book.py

record: setup
	$(BIN)/python scripts/record.py $(CHAPTER)

bench: setup
	$(BIN)/python -m bench

setup:
	@scripts/setup.sh

clean:
	rm -rf _build .venv .setup.lock .mypy_cache .ruff_cache .pytest_cache .hypothesis labkit.egg-info
