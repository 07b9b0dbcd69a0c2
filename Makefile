# The project's verbs. `make` alone lists them.
#
# Each target makes what it needs: the virtual environment in .venv is built by the first target that uses it, and
# brought up to date when pyproject.toml or constraints.txt change.

PYTHON  ?= python3
WORKERS ?= auto

VENV := .venv
PY   := $(VENV)/bin/python
PIP  := $(PY) -m pip --disable-pip-version-check

# One stamp per dependency group. `dev` includes the others, so it sets all.
BASE  := $(VENV)/.stamp-base
PLAY  := $(VENV)/.stamp-play
TRAIN := $(VENV)/.stamp-train
DEV   := $(VENV)/.stamp-dev

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-13s %s\n", $$1, $$2 }'
	@echo
	@echo "  PYTHON=python3.12   which interpreter makes .venv (3.11 or newer; default: python3)"
	@echo "  WORKERS=4           how many processes run the tests (default: one per core, at most four)"

.PHONY: install
install: $(DEV) ## Make .venv with all that development needs

.PHONY: demo
demo: $(TRAIN) ## Solve Yatzy and measure the shipped agents against the optimum
	$(PY) scripts/demo.py

.PHONY: play
play: $(PLAY) ## Play against the agents in the browser
	$(PY) scripts/play.py yatzy

.PHONY: play-check
play-check: $(PLAY) ## Start the game's server, play one game through it, end it
	$(PY) scripts/maintain/play_check.py

.PHONY: test
test: $(DEV) ## Run the tests, without the slow ones
	OMP_NUM_THREADS=1 $(PY) -m pytest -n $(WORKERS) --maxprocesses 4 --dist worksteal

.PHONY: test-slow
test-slow: $(DEV) ## Run the slow tests alone, one after the other
	$(PY) -m pytest -m slow --timeout 3600

# Debian's package brings all that Chromium needs. Where it cannot be installed the tests skip, or fail under CI=1.
.PHONY: test-browser
test-browser: $(DEV) ## Play on the page in a real browser (Chromium, installed by apt-get if that is possible)
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  { echo "Installing Chromium"; apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; }; } \
	  || echo "Chromium is missing and cannot be installed here" >&2
	OMP_NUM_THREADS=1 $(PY) -m pytest tests/browser -n $(WORKERS) --maxprocesses 2 --dist worksteal

.PHONY: lint
lint: $(DEV) ## Check format, style, types and layers
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports --no-logo

.PHONY: check
check: ## Everything a change has to pass: lint, then test
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory test

.PHONY: format
format: $(DEV) ## Format the code and fix what can be fixed safely
	$(PY) -m ruff check --fix-only .
	$(PY) -m ruff format .

.PHONY: docs
docs: $(DEV) ## Write the generated parts of the documentation
	$(PY) scripts/maintain/make_docs.py

.PHONY: wheel
wheel: $(DEV) ## Build the wheel into dist/
	$(PY) -m build --wheel

.PHONY: constraints
constraints: ## Renew constraints.txt with the newest versions that fit
	@rm -rf out/constraints && mkdir -p out/constraints
	$(PYTHON) -m venv out/constraints/venv
	out/constraints/venv/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	grep '^torch==' constraints.txt > out/constraints/torch.txt
	out/constraints/venv/bin/python -m pip install --quiet --constraint out/constraints/torch.txt --group dev --group cluster --editable .
	sed '/^[^#]/,$$d' constraints.txt > out/constraints/new.txt
	out/constraints/venv/bin/python -m pip freeze --all --exclude pip --exclude-editable | grep -vE '^(nvidia|cuda|triton)' | sed 's/+cpu$$//' >> out/constraints/new.txt
	mv out/constraints/new.txt constraints.txt
	@rm -rf out/constraints

.PHONY: clean
clean: ## Remove caches and build products; keeps .venv and runs/
	rm -rf build dist out *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name $(VENV) -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

$(BASE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Python 3.11 or newer is needed and '$(PYTHON)' is not: name one with make PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --upgrade "pip>=25.1"
	@touch $@

$(PLAY): $(BASE) pyproject.toml constraints.txt
	@echo "Installing what play needs into $(VENV)"
	$(PIP) install --quiet --constraint constraints.txt --group play --editable .
	@touch $@

$(TRAIN): $(BASE) pyproject.toml constraints.txt
	@echo "Installing what training and evaluation need into $(VENV) (a few minutes the first time)"
	$(PIP) install --quiet --constraint constraints.txt --group train --editable .
	@touch $@

$(DEV): $(BASE) pyproject.toml constraints.txt
	@echo "Installing what development needs into $(VENV) (a few minutes the first time)"
	$(PIP) install --quiet --constraint constraints.txt --group dev --editable .
	@touch $(PLAY) $(TRAIN) $@
