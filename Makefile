# Two commands need nothing but Python 3.11 or newer, make and a package index:
#   make demo      simulated accounts and agents, the real library, a live page (FOR=20 stops after 20 seconds)
#   make test      the whole test suite
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8318

.PHONY: demo test check format coverage bench chaos soak clean

demo: $(VENV)/.ready
	$(BIN)/qr demo --port $(PORT) $(if $(FOR),--for $(FOR))

test: $(VENV)/.ready
	$(BIN)/python -m pytest $(ARGS)

# What a change must pass besides the tests.
check: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The pure core is covered branch by branch.
coverage: $(VENV)/.ready
	$(BIN)/python -m pytest --cov --cov-report=term-missing tests/quota tests/routing $(ARGS)

# What a pick costs; SHORT=1 takes half a minute instead of a quarter of an hour.
bench: $(VENV)/.ready
	$(BIN)/python -m benchmarks $(if $(SHORT),--short) $(ARGS)

# Kill the service in every way while picks go on. A seed draws the same faults each time.
SEED ?= 1
PICKS ?= 10000
chaos: $(VENV)/.ready
	$(BIN)/python -m tests.chaos chain --seed $(SEED) --picks $(PICKS)
	$(BIN)/python -m tests.chaos virtual --seed $(SEED) --picks $(PICKS)

# Storms with one seed after the other, from SEED on, for so many seconds.
soak: $(VENV)/.ready
	$(BIN)/python -m tests.chaos soak --seed $(SEED) --for $(or $(FOR),60)

$(VENV)/.ready: pyproject.toml hatch_build.py constraints.txt $(wildcard qr/abi/library/*)
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; this is " + sys.version.split()[0] \
		+ ". Name another one: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) qr/abi/built .mypy_cache .ruff_cache .pytest_cache .hypothesis
