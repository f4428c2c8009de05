# Every target works from a fresh clone with Python >= 3.11 and make: environments are made on the way.

PYTHON ?= python3
# The lowest versions have wheels for Python 3.11 only, so that a newer $(PYTHON) is not used for them.
LOWEST_PYTHON ?= $(shell $(PYTHON) -c 'import sys; print("$(PYTHON)" if sys.version_info[:2] == (3, 11) else "python3.11")')
WORKERS ?= 2

BIN := .venv/bin
LOWEST := .venv-lowest
CORE := .venv/.core
DEV := .venv/.dev
BENCH := .venv/.bench
BROWSER := .venv/.browser
DOCS := .venv/.docs
# Targets that only run the package use whichever environment exists.
READY := $(if $(wildcard $(DEV)),$(DEV),$(CORE))

CHROMIUM ?= $(firstword $(wildcard /usr/bin/chromium) $(shell command -v chromium chromium-browser google-chrome) /usr/bin/chromium)

PIP := -m pip install -qq --disable-pip-version-check
TESTS ?= tests src
# tests/browser need a browser: `make lab-test` runs them.
PYTEST := -m pytest -q -n $(WORKERS) --ignore=tests/browser $(TESTS)
# Theorems and documents do not depend on numba or on versions, so that only the loops are tested without numba, and only
# the calls of other packages with the oldest versions.
NOT_PLAIN := $(addprefix --ignore=tests/,documents house theorems oracles theory report data cli selection)
NOT_LOWEST := $(addprefix --ignore=tests/,documents house theorems oracles theory estimators/test_same_model.py)

# Two workers with two threads each would wait for one another on two cores.
test lab-test plain lowest: export OPENBLAS_NUM_THREADS = 1
# Where it is set, as in many images of containers, every process that tests start would translate all modules anew.
test lab-test plain lowest: export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lab-test plain lowest lowest-environment check fuzz readme docs bench bench-full clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(READY)  ## study the sample: report.html and model.json, then check the model again
	@$(BIN)/separatrix study
	@$(BIN)/separatrix verify model.json

test: $(DEV)  ## all tests, and the examples in the docstrings
	@$(BIN)/python $(PYTEST)

lab-test: $(BROWSER)  ## the lab in a real Chromium: $CHROMIUM, by default that of the system
	@CHROMIUM="$(CHROMIUM)" $(BIN)/python -m pytest -q -n $(WORKERS) tests/browser

plain: $(DEV)  ## the loops without numba, on small data
	@PYTHONPATH=tests $(BIN)/python $(PYTEST) $(NOT_PLAIN) -p without_numba -m "not large"

lowest: lowest-environment  ## the calls of other packages, with the oldest versions that pyproject.toml allows
	@NUMBA_CACHE_DIR=$(CURDIR)/$(LOWEST)/numba $(LOWEST)/bin/python $(PYTEST) $(NOT_LOWEST)

lowest-environment: $(LOWEST)/.stamp

check: $(DEV)  ## style, types, direction of imports, sizes and documents
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python -m pytest -q tests/house

fuzz: $(DEV)  ## hold claims on hostile data against exact arithmetic, for a few minutes
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python tools/fuzz_claims.py --problems 3000 --seconds 300 --processes $(WORKERS)

readme: $(READY)  ## fill the generated blocks of README.md, CONTRIBUTING.md and docs/api.md
	@$(BIN)/python tools/documents.py

docs: $(DOCS)  ## build the documentation, docs/_build/html/index.html
	@$(BIN)/python -m sphinx -W --keep-going -q -a -j auto -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench: $(BENCH)  ## measure a quick set of all families against the peers, in ten minutes
	@$(BIN)/python benchmarks/run.py --quick

bench-full: $(BENCH)  ## measure all cases against all peers, which takes hours
	@$(BIN)/python benchmarks/run.py

clean:  ## remove caches and builds; environments stay
	@rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@rm -rf docs/_build docs/generated docs/gallery
	@find src tests tools examples benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

define require_python
@$(1) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "separatrix needs Python 3.11 or newer, and $(1) is %d.%d. Name another one: make PYTHON=python3.11" % sys.version_info[:2])'
endef

.venv/bin/python:
	$(call require_python,$(PYTHON))
	@$(PYTHON) -m venv .venv

$(CORE): pyproject.toml | .venv/bin/python
	@echo "installing separatrix into .venv"
	@$(BIN)/python $(PIP) -e ".[plot,data]"
	@touch $@

$(DEV): pyproject.toml | .venv/bin/python
	@echo "installing separatrix and the tools of its developers into .venv"
	@$(BIN)/python $(PIP) -e ".[dev]"
	@touch $(CORE) $@

$(BROWSER): pyproject.toml | .venv/bin/python
	@echo "installing separatrix and what drives a browser into .venv"
	@$(BIN)/python $(PIP) -e ".[dev,browser]"
	@touch $(CORE) $(DEV) $@

$(BENCH): pyproject.toml | .venv/bin/python
	@echo "installing separatrix and its peers into .venv (two of them need a C++ compiler)"
	@$(BIN)/python $(PIP) -e ".[bench]"
	@touch $(CORE) $@

$(DOCS): pyproject.toml | .venv/bin/python
	@echo "installing separatrix and what its documentation needs into .venv"
	@$(BIN)/python $(PIP) -e ".[docs]"
	@touch $(CORE) $@

$(LOWEST)/.stamp: pyproject.toml tools/lowest.py
	@$(LOWEST_PYTHON) -c 'import sys; sys.exit(None if sys.version_info[:2] == (3, 11) else "the lowest versions need Python 3.11, and $(LOWEST_PYTHON) is %d.%d. Name it: make lowest LOWEST_PYTHON=..." % sys.version_info[:2])'
	@echo "installing the lowest versions into $(LOWEST)"
	@rm -rf $(LOWEST)
	@$(LOWEST_PYTHON) -m venv $(LOWEST)
	@$(LOWEST)/bin/python tools/lowest.py > $(LOWEST)/requirements.txt
	@$(LOWEST)/bin/python $(PIP) --only-binary :all: -r $(LOWEST)/requirements.txt
	@$(LOWEST)/bin/python $(PIP) --no-deps -e .
	@touch $@
