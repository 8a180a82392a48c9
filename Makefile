# The commands of the README. `make lab` and `make test` are all that a newcomer needs.
#
#   make lab                  JupyterLab on the chapters
#   make test                 lint, types, every test
#   make check                lint, types, the tests that need no lab kernel: under a minute
#   make fuzz                 what is tried at random, longer, by a seed that is drawn and printed (FUZZ=20: times)
#   make truth                the lab beside others: the kernel's own TCP tests, that kernel without our patches,
#                             iperf3, nuttcp, curl, nginx, aioquic, ssh, tshark   (PACKETDRILL=: that program, or its source's folder)
#   make chaos                signals at random moments, restricted places, twenty experiments in 25 environments
#                             (CHAOS=34: times six signals)
#   make mysteries            every hidden cause at every severity and place, five networks each: the tree finds it
#   make book                 the static site, in _build/html
#   make record               execute the chapters, keep their outputs   (CHAPTER=01: only that one)
#   make claims               the chapters shaken, ten times: which of their assertions hold under other seeds
#                             (CHAPTER=06 SHAKES=3 FROM=11 JOBS=4: one chapter, shakes 11 to 13, four at a time)
#                             (REUSE=1: results that the cache has are taken)
#   make tab                  the machine that a browser tab runs: its kernel and the state it starts from
#   make course-test          course work: every assignment for five students, hostile notebooks, the league
#   make wheels               what pip installs, and the source that belongs to it, in dist/   (WHEELS=--no-sources)
#   make container            the image of binder/Containerfile, by podman, and chapter 1 in it, confined   (BASE=: an image of Debian 13)
#   make vm                   the laboratory as a virtual machine, in dist/vm/, and a test that boots it   (VM_MIRROR=)
#   make bench                speed and fidelity
#   make clean                remove what these made in this folder

BIN := .venv/bin
export PYTHON LABKIT_KERNEL_SOURCE LAB PACKETDRILL VM_MIRROR
unexport PYTHONHOME PYTHONPATH
NODE = cd book/live && { [ ! -x node_modules/.bin/$(firstword $(1)) ] || node_modules/.bin/$(strip $(1)); }
FUZZ := 20
CHAOS := 34
SHAKES := 10
FROM := 1
.PHONY: lab test check lint types quick fuzz chaos truth mysteries course-test tab book record claims bench wheels vm container setup clean

lab:
	@scripts/setup.sh lab
	@scripts/lab.sh

test:
	@scripts/setup.sh test
	@$(MAKE) --no-print-directory lint types
	$(BIN)/python -m pytest tests -n 2 --keep-times

check:
	@scripts/setup.sh check
	@$(MAKE) --no-print-directory --jobs=3 --output-sync=target lint types quick

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check labkit tests bench scripts book/extensions
	@$(call NODE,biome check --error-on-warnings . ../../labkit ../../tests)

types:
	$(BIN)/mypy
	@$(call NODE,tsc)

quick:
	$(BIN)/python -m pytest tests/unit tests/project -n 2 -q

fuzz:
	@scripts/setup.sh test
	LABKIT_FUZZ=$(FUZZ) $(BIN)/python -m pytest tests/unit tests/guest tests/agent -n 2 -m "hypothesis or fuzz"

truth:
	@scripts/setup.sh test
	$(BIN)/labkit kernel build --bare
	$(BIN)/python -m pytest tests/guest -n 2 -m truth

chaos:
	@scripts/setup.sh test
	LABKIT_FUZZ=$(CHAOS) $(BIN)/python -m pytest \
		tests/guest/test_kills.py tests/guest/test_sandboxes.py tests/guest/test_environments.py

mysteries:
	@scripts/setup.sh test
	LABKIT_MYSTERIES=all $(BIN)/python -m pytest tests/guest/test_mysteries.py -n 2

course-test:
	@scripts/setup.sh test
	LABKIT_COURSE=5 $(BIN)/python -m pytest tests/course

tab:
	@scripts/setup.sh test
	$(BIN)/labkit kernel build --tab

book: setup
	$(BIN)/python scripts/book.py

record: setup
	$(BIN)/python scripts/record.py $(CHAPTER)

claims: setup
	$(BIN)/python -m scripts.claims $(CHAPTER) --shakes $(SHAKES) --first $(FROM) $(if $(JOBS),--jobs $(JOBS)) $(if $(REUSE),--reuse)

wheels:
	@scripts/setup.sh test
	$(BIN)/python -m scripts.wheels $(WHEELS)

container:
	@scripts/setup.sh container
	$(BIN)/python -m scripts.wheels --no-sources
	$(BIN)/python -m scripts.container $(if $(BASE),--base $(BASE))

vm:
	@scripts/setup.sh vm
	$(BIN)/python -m scripts.wheels --no-sources --out dist/vm/wheels
	$(BIN)/python -m scripts.vm --wheels dist/vm/wheels
	LABKIT_VM=dist/vm $(BIN)/python -m pytest tests/vm

bench: setup
	$(BIN)/python -m bench

setup:
	@scripts/setup.sh

clean:
	rm -rf _build dist genindex.md .venv book/live/node_modules .setup.lock .mypy_cache .ruff_cache .pytest_cache .hypothesis labkit.egg-info
