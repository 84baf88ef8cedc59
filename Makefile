# `make demo` and `make test` need only make and Python 3.11 to 3.14; they set up .venv themselves.
# Variables: PYTHON (which Python makes .venv), PYTEST_ARGS (added to every pytest call),
# MEMTRU_REQUIRE_DOCKER=1 (a missing Docker Engine fails the tests that need one).

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --require-hashes
IMAGE ?= memtru/ci
PYTEST_ARGS ?=
PYTEST := $(BIN)/python -m pytest $(PYTEST_ARGS)
UV_COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate $(if $(UPGRADE),--upgrade)

.DEFAULT_GOAL := help
.PHONY: help demo test integration test-examples bench-policy check format-check lint types layers drift lint-action \
	format generate lock image clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

demo: $(VENV)/.run ## Run the main job on the built-in reference service (no Docker needed)
	$(BIN)/memtru-ci demo

test: $(VENV)/.dev ## Run the tests; those that need Docker run when an engine answers
	$(PYTEST)

integration: $(VENV)/.dev ## Run only the tests that need Docker
	$(PYTEST) -m integration

test-examples: $(VENV)/.examples ## Run the tests of the LangGraph example, with its own packages
	$(VENV)/examples/bin/python -m pytest examples/langgraph

bench-policy: $(VENV)/.run ## Measure how the temporal policy grows with its events
	$(BIN)/python benchmarks/policy.py

check: format-check lint types layers drift test ## Everything that has to hold before a commit

format-check: $(VENV)/.dev
	$(BIN)/ruff format --check .

lint: $(VENV)/.dev
	$(BIN)/ruff check .

types: $(VENV)/.dev
	$(BIN)/mypy --strict

layers: $(VENV)/.dev
	$(BIN)/lint-imports

# Every generated file has to be in the tree as the code would write it now.
drift: $(VENV)/.dev
	@rm -rf build/drift && .ci/generate build/drift
	@cd build/drift && find . -type f | sort | while read -r file; do \
	  diff -u "../../$$file" "$$file" || { echo "error: $$file is out of step with the code: make generate" >&2; exit 1; }; done
	@echo "generated files are in step with the code"

generate: $(VENV)/.dev ## Write schemas and generated docs anew
	.ci/generate .

lint-action: $(VENV)/.ci ## Lint action.yml, the workflows and the Dockerfiles
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema custom.github-workflows-require-timeout .github/workflows/*.yml
	$(BIN)/actionlint
	$(BIN)/zizmor --offline --quiet .
	$(BIN)/hadolint --failure-threshold warning Dockerfile examples/*/Dockerfile

format: $(VENV)/.dev ## Format the code and fix what the linter can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: $(VENV)/.ci ## Bring the lock files in step with pyproject.toml (UPGRADE=1: newest versions)
	$(UV_COMPILE) pyproject.toml -o requirements.lock
	$(UV_COMPILE) --group build -c requirements.lock -o requirements-build.lock
	$(UV_COMPILE) pyproject.toml --group dev -c requirements.lock -c requirements-build.lock -o requirements-dev.lock
	$(UV_COMPILE) --group ci -c requirements-dev.lock -o requirements-ci.lock

image: ## Build the container image (IMAGE=memtru/ci)
	docker build --tag $(IMAGE) .

clean: ## Remove .venv, caches and results
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis \
		.import_linter_cache .coverage memtru-results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The venv is set up in steps, each with a stamp, so that `make demo` installs only what it runs.
$(VENV)/bin/python:
	@python=$$(PYTHON='$(PYTHON)' .ci/find-python) && echo "setting up $(VENV) with $$python" && \
	  { "$$python" -m venv $(VENV) || { rm -rf $(VENV); \
	    echo "error: $$python cannot make a virtual environment (on Debian: apt-get install python3-venv)" >&2; exit 1; }; }

$(VENV)/.run: $(VENV)/bin/python requirements.lock requirements-build.lock pyproject.toml
	$(PIP) -r requirements.lock -r requirements-build.lock
	$(BIN)/python -m pip --disable-pip-version-check install --quiet --no-index --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements-dev.lock
	$(PIP) -r requirements-dev.lock
	@touch $@

$(VENV)/.ci: $(VENV)/.dev requirements-ci.lock
	$(PIP) -r requirements-ci.lock
	@touch $@

$(VENV)/.examples: $(VENV)/bin/python examples/langgraph/requirements-test.lock
	$(BIN)/python -m venv $(VENV)/examples
	$(VENV)/examples/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes \
		-r examples/langgraph/requirements-test.lock
	@touch $@
