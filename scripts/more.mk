# What is typed less often. Included by the Makefile; `make help` lists it.

FUZZ := 20
CHAOS := 34
SHAKES := 10
FROM := 1
KEYS := 10
.PHONY: setup lint types quick test-lab test-book test-page test-course test-all \
	fuzz truth chaos mysteries course-test claims wheels container vm

setup:
	@scripts/setup.sh

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check labkit tests bench scripts book/extensions binder
	@$(call NODE,biome check --error-on-warnings . ../labkit ../tests)

# Checked once in all clones: 3 s for 100.
types:
	@kept=$$($(BIN)/python -c 'from tests import kept; print(kept.folder())') && mkdir -p "$$kept" && \
		MYPY_CACHE_DIR="$$kept/mypy" flock "$$kept/mypy.lock" $(BIN)/mypy
	@$(call NODE,tsc)

quick:
	$(PYTEST) tests/unit tests/project -m "not slow" -q

# ---- The tests. `make test` is the four doors together; each takes what has changed and a quarter of the rest. ----

DOOR_lab := tests/unit tests/agent tests/guest tests/host tests/wasm
DOOR_book := tests/project tests/chapters
DOOR_page := tests/browser tests/web
DOOR_course := tests/course

test-lab: ## the laboratory: specs, agent, lab kernel, real time
test-book: ## the chapters and pages: recordings replayed, claims, case files
test-page: ## the site in a browser, and the laboratory in the page
test-course: ## course work: assignments, sandbox, league
test-lab test-book test-page test-course: test-%:
	@scripts/setup.sh test
	$(PYTEST) $(DOOR_$*) --chosen

test-all: ## everything, each live widget to its end: before a release
	@scripts/setup.sh test
	@$(MAKE) --no-print-directory lint types
	LABKIT_LIVE=all $(PYTEST) tests --keep-times

# ---- Longer trials ----

fuzz: ## what is tried at random, longer, by a seed that is printed (FUZZ=20: so many times)
	@scripts/setup.sh test
	LABKIT_FUZZ=$(FUZZ) $(PYTEST) tests/unit tests/guest tests/wasm tests/agent -m "hypothesis or fuzz"

truth: ## the lab beside others: the kernel's packetdrill tests, iperf3, nuttcp, curl, nginx, aioquic, ssh, tshark
	@scripts/setup.sh test
	$(BIN)/labkit kernel build --bare
	$(PYTEST) tests/guest -m truth

chaos: ## signals at random moments, restricted places, 25 environments (CHAOS=34: times six signals)
	@scripts/setup.sh test
	LABKIT_FUZZ=$(CHAOS) $(BIN)/python -m pytest tests/guest/walls/test_kills.py \
		tests/guest/walls/test_sandboxes.py tests/guest/kernel/test_environments.py

mysteries: ## every hidden cause at every severity and place, five networks each: the tree finds it
	@scripts/setup.sh test
	LABKIT_MYSTERIES=all $(PYTEST) tests/guest/sweeps/test_mysteries.py

course-test: ## every assignment for five students and ten keys (KEYS=100), hostile notebooks, the league
	@scripts/setup.sh test
	LABKIT_COURSE=5 LABKIT_COURSE_KEYS=$(KEYS) $(BIN)/python -m pytest tests/course

claims: setup ## the chapters shaken: which assertions hold (CHAPTER=06 SHAKES=3 FROM=11 JOBS=4 REUSE=1)
	$(BIN)/python -m scripts.claims $(CHAPTER) --shakes $(SHAKES) --first $(FROM) $(if $(JOBS),--jobs $(JOBS)) \
		$(if $(REUSE),--reuse)

# ---- What is handed on ----

wheels: ## what pip installs, and the source that belongs to it, in dist/ (WHEELS=--no-sources)
	@scripts/setup.sh wheels
	$(BIN)/python -m scripts.wheels $(WHEELS)

container: ## the image of binder/Containerfile by podman, and chapter 1 in it (BASE=: an image of Debian 13)
	@scripts/setup.sh container
	$(BIN)/python -m scripts.wheels --no-sources --no-others
	$(BIN)/python -m scripts.container $(if $(BASE),--base $(BASE))

vm: ## the virtual machine, in dist/vm/, and a test that boots it (VM_MIRROR=)
	@scripts/setup.sh vm
	$(BIN)/python -m scripts.wheels --no-sources --no-others --out dist/vm/wheels
	$(BIN)/python -m scripts.vm --wheels dist/vm/wheels
	LABKIT_VM=dist/vm $(BIN)/python -m pytest tests/vm
