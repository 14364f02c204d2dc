# make demo   the whole pipeline, with simulated judges behind real HTTP; no key, no money
# make test   lint, types, architecture and every test: what CI runs
# make fuzz   random and hostile input on every surface, for minutes; SEED=2 tries other input
# make bench  speed and accuracy, as ratios; writes nothing
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
SEED   ?= 1
# The arithmetic of most processors, where this one has it.
USUAL  := $(shell grep -qs avx2 /proc/cpuinfo && echo Haswell)
ADAPTIVE := tests/test_docs.py \
  $(addprefix tests/core/panel/,test_fit.py test_guard.py test_learning.py)

.DEFAULT_GOAL := help
.PHONY: help demo test lint types imports unit numeric fuzz bench format clean

help:
	@sed -n 's/^# make/make/p' Makefile

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "adjudge needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: $(READY)
	$(BIN)/adjudge demo

test: lint types imports unit numeric

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

imports: $(READY)
	$(BIN)/lint-imports

# Tests start the program many times: compile its modules once. Tests that share what is dear to
# make share a worker.
unit: export PYTHONDONTWRITEBYTECODE =
unit: $(READY)
	OPENBLAS_CORETYPE=$(USUAL) $(BIN)/pytest -n auto --dist loadgroup

# The last bits of a sum differ between processors, and what adaptive runs do can hang on them: once
# more with arithmetic that any processor of this kind has.
numeric: $(READY)
	[ "$$(uname -m)" != x86_64 ] || OPENBLAS_CORETYPE=Prescott \
	  $(BIN)/pytest -n auto --dist loadgroup $(ADAPTIVE)

fuzz: $(READY)
	HYPOTHESIS_PROFILE=fuzz $(BIN)/pytest -n auto tests/fuzz --hypothesis-seed=$(SEED)

bench: $(READY)
	$(BIN)/python -m benchmarks

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
