# Two commands do everything on a fresh machine: `make validate` and `make test`.
VENV ?= .venv
PYTHON := $(VENV)/bin/python
PYTEST_ARGS ?=
QUICK := tests/data tests/fit tests/numerics tests/native/comparisons/counts tests/native/comparisons/formula tests/test_text.py
export VENV
# Hundreds of tests start a Python: without bytecode each compiles 500 modules, and the whole takes twice as long.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup ready r-packages browser validate quick test suite nightly bench format lint docs wheel package clean

help: ## This list
	@echo "make validate   set up what is missing, compare with R, leave reports/validate.html, .json, .xml"
	@echo "make test       set up what is missing, run all tests that need no hour (PYTEST_ARGS='-k name' for a part)"
	@echo "make quick      the tests of models, fits and readers, without R: under a minute"
	@echo "make nightly    every test; keeps its closing line in tests/nightly.txt"
	@echo "make setup      set up again, also what could not be had the last time"
	@echo "make r-packages bring every R package that can be had, also those that make validate does not need"
	@echo "make browser    bring what the tests of the annotator's page ask for: chromium, its driver, axe-core"
	@echo "make bench      time pairproof beside the R packages and its Python peers"
	@echo "make format     write the code as black and isort have it (110 columns)"
	@echo "make lint       check the types with mypy"
	@echo "make docs       build the site of docs/ and the reference into reports/site (search, light and dark)"
	@echo "make wheel      build dist/pairproof-*.whl"
	@echo "make package    build sdist and wheel from PyPI's tools, check them, fit with the oldest and newest dependencies"
	@echo "make clean      remove what is built here, but not $(VENV)"

setup:
	@sh scripts/setup.sh all

# Seconds when the last set-up still holds.
ready:
	@sh scripts/setup.sh quick

# Every optional R package too: `make validate` needs none of them, the tests ask them where they are here.
r-packages: ready
	@sh scripts/setup.sh r-packages

# Nothing but the tests of the annotator's page needs these; it never fails, and names what it could not have.
browser: ready
	@sh scripts/browser.sh

validate: ready
	@mkdir -p reports
	@$(VENV)/bin/pairproof validate --report reports/validate.html --report reports/validate.json --report reports/validate.xml --force

test: ready suite

# Without a look at what is missing: .ci/run hides things on purpose, and the set-up would bring them.  Two workers share
# two cores: threads of BLAS beside them wait for each other, once for more than 300 s in one factorisation.
suite: export OPENBLAS_NUM_THREADS ?= 1
suite: export OMP_NUM_THREADS ?= 1
suite:
	@$(PYTHON) -m pytest -n 2 --dist loadgroup -m "not nightly" $(PYTEST_ARGS)

# For whoever changes a line: no R, no processes, nothing that takes seconds.
quick: export OPENBLAS_NUM_THREADS ?= 1
quick: ready
	@$(PYTHON) -m pytest -n 2 -q -m "not nightly and not slow and not r" $(QUICK) $(PYTEST_ARGS)

# The closing line says what ran, and at which commit; tests/test_house.py says when it has grown old.
nightly: export OPENBLAS_NUM_THREADS ?= 1
nightly: export OMP_NUM_THREADS ?= 1
nightly: ready
	@$(PYTHON) -m pytest -n 2 --dist loadgroup --closing-line tests/nightly.txt $(PYTEST_ARGS)

bench: ready
	@$(PYTHON) -m benchmarks

# What these two need, no other target does: a dependency group of pyproject.toml each, brought on the first use.
format: ready ## Write the code as its formatter has it
	@sh scripts/setup.sh group format
	@$(PYTHON) -m isort -q . && $(PYTHON) -m black -q .

lint: ready
	@$(PYTHON) -m mypy

docs: ready
	@sh scripts/setup.sh group docs
	@$(PYTHON) -m tools.site reports/site

# The build tools are those of the environment, so that it works where no package index is reached.
wheel: ready
	@rm -rf build dist/pairproof-*.whl
	@$(PYTHON) -m pip wheel -q --no-index --no-build-isolation --no-deps --wheel-dir dist .
	@rm -rf build; ls dist/pairproof-*.whl

# As for a release: sdist and wheel in a clean environment, checked, and fits with the oldest and newest dependencies.
package: ready
	@sh scripts/setup.sh group package
	@$(PYTHON) scripts/package.py dist

clean:
	rm -rf build dist reports *.egg-info .pytest_cache .mypy_cache .hypothesis
	find pairproof tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
