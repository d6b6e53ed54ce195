# Everything here needs python3 (3.11 or newer) with its venv module, and make.

PYTHON3 ?= python3
PYTHON := .venv/bin/python

# What Python compiles of the tests is kept in .venv, also where the environment forbids to keep it beside the sources:
# 5 s of each worker.
PYTEST := PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX=$(CURDIR)/.venv/bytecode $(PYTHON) -m pytest -n auto --dist worksteal

.PHONY: run test test-long test-fast test-random test-versions coverage setup bench lint lint-style lint-format lint-types lint-workflows tour wheel bundle deb clean

# The window; on a machine without a screen, pictures of it.
run: setup
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname)" = Darwin ]; then \
		$(PYTHON) main.py; \
	else \
		echo "There is no screen here (DISPLAY and WAYLAND_DISPLAY are empty): the tour goes into the folder tour instead."; \
		$(PYTHON) main.py tour tour; \
	fi

# .venv with everything in it; does only what is not done yet.
setup:
	@$(PYTHON3) scripts/set_up.py

# All tests but those that take more than a second each: about twelve minutes of a processor, half of it on two
# cores.
test: setup
	@$(PYTEST) -m "not long"

# Those: long random series, every action on every program, files at their limits, processes that start the whole
# program. .ci/run does both.
test-long: setup
	@$(PYTEST) -m long

# What is asked for again and again while one works: all tests but those marked slow or long, and a few that open the
# window; three quarters of all.
test-fast: setup
	@$(PYTEST) -m "not slow and not long"

# All tests that are not long, in another order each time: files in any order, and their tests. The first lines name the
# seed; `make test-random SEED=123456` repeats an order.
test-random: setup
	@$(PYTEST) -m "not long" $(if $(SEED),--random-order-seed=$(SEED),--random-order)

# The same tests with the lowest and the newest versions of every package, each on the Pythons that are here.
test-versions: setup
	@$(PYTHON) scripts/check_versions.py

# The tests once more, watched by coverage.py: what no test reaches of engine and datasets by line, and whether it is more
# than tests/reliability/coverage_allowed.txt says. `make coverage LOWER=--lower` writes smaller numbers into it.
coverage: setup
	@PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX=$(CURDIR)/.venv/bytecode \
		$(PYTHON) -m tests.reliability.coverage_ratchet $(LOWER)

# What the linter, the formatter, the type checker and the check of the workflow files say; `make -k lint` asks all of
# them even when one complains.
lint: lint-style lint-format lint-types lint-workflows

lint-style: setup
	@$(PYTHON) -m ruff check .

lint-format: setup
	@$(PYTHON) -m ruff format --check .

lint-types: setup
	@$(PYTHON) -m mypy --strict engine datasets
	@$(PYTHON) -m mypy gui main.py

lint-workflows: setup
	@$(PYTHON) -m check_jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

# Speed, compared with other programs measured in the same run.
bench: setup
	@$(PYTHON) -m tests.benchmarks

# Pictures of the whole program at work, into the folder tour.
tour: setup
	@$(PYTHON) main.py tour tour

# Build the wheel, install it beside another package called datasets, and run it.
wheel: setup
	@$(PYTHON) scripts/check_wheel.py

# The program with its own Python in dist/gradstep, built by PyInstaller and tried; and a Debian package of it.
bundle: setup
	@$(PYTHON) scripts/make_bundle.py

deb: setup
	@$(PYTHON) scripts/make_bundle.py --deb

clean:
	rm -rf .venv tour build dist .pytest_cache .mypy_cache .ruff_cache
