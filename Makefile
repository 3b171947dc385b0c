# `make help` lists the targets. Each sets up .venv by itself, and again only when pyproject.toml or
# constraints.txt changed. V=1 shows what pip does and brings back Spark's log; PYTHON=python3.12 picks a Python.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
# Spark's classes, for the tests' many JVMs; made once.
CLASSES := $(VENV)/.classes

# Test processes at a time, each with a Spark of its own. The tests of a file share replays and stay together; files
# begin in the order of `testpaths`.
WORKERS ?= 2
PARALLEL := -n $(WORKERS) --dist loadfile --no-loadscope-reorder

V ?= 0
ifeq ($(V),0)
.SILENT:
MAKEFLAGS += --no-print-directory
# A notice about the theme's end of life, on every build.
export NO_MKDOCS_2_WARNING := 1
else
export SPARK_LOG_LEVEL ?= warn
endif
export V

# Keys are placed by hash(str), so driver and workers must hash alike.
export PYTHONHASHSEED := 0
# Quiet logs; see conf/log4j2.properties.
export SPARK_CONF_DIR ?= $(CURDIR)/conf

.DEFAULT_GOAL := help
.PHONY: help demo test check bench bench-idle bench-migrator chaos parity-deep parity-docs docs clean java servers pyspark-tests

help: ## list the targets
	awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: java $(STAMP) ## a legacy job on its whole way: scan, rewrite, verify (under two minutes)
	$(PY) -m samples.demo

test: java servers $(CLASSES) ## run the tests
	$(PY) -m pytest -q $(PARALLEL) $(ARGS)

check: java servers $(CLASSES) ## formatting, lint, types and tests: what CI runs
	scripts/check.sh $(PY) $(PARALLEL)

bench: java $(STAMP) ## measure both engines: ARGS="--against old.json" (or another checkout) compares
	$(PY) -m benchmarks.run $(ARGS)

bench-idle: java $(STAMP) ## the same with a batch every 2 s: from batch time to end of output
	$(PY) -m benchmarks.run --regime idle $(ARGS)

bench-migrator: $(STAMP) ## measure migrate scan and rewrite against a bare parse
	$(PY) -m benchmarks.migrator_speed $(ARGS)

chaos: java $(STAMP) ## kill -9 a job with state again and again and compare with an undisturbed run
	$(PY) -m tests.chaos $(ARGS)

parity-deep: java $(STAMP) ## random graphs on both engines for as long as you like: ARGS="--minutes 30"
	$(PY) -m parity_tests.deep $(ARGS)

parity-docs: java $(CLASSES) ## run the parity tests and write what they covered into docs/parity-coverage.md
	$(PY) -m parity_tests.coverage $(PARALLEL)

pyspark-tests: java $(STAMP) ## Spark's own tests of pyspark.streaming on dstream_compat: SPARK=path/to/its/sources
	$(PY) -m scripts.pyspark_tests $(SPARK) $(ARGS)

docs: $(STAMP) ## build the documentation into site/
	$(PY) -m mkdocs build --quiet --strict --site-dir site
	echo "docs: site/index.html"

clean: ## remove .venv and everything built
	rm -rf $(VENV) build dist site *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

java:
	scripts/java.sh

# What the tests of Kafka and MQTT start; without it they are skipped.
servers:
	scripts/servers.sh

$(STAMP): pyproject.toml constraints.txt
	scripts/venv.sh $(PYTHON) $(VENV)
	touch $@

$(CLASSES): $(STAMP)
	$(PY) -m scripts.class_archive
	touch $@
