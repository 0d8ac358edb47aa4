# Everything happens in .venv, inside the checkout. `make help` lists the targets.
PYTHON ?= python3
BIN := .venv/bin
# The demo compiles what it imports, a small part of all; `make env` compiles everything at once, on all cores.
INSTALL := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check
PIP := $(INSTALL) --constraint constraints.txt
# Every wheel is checked by its SHA-256; `make HASHES=no ...` is for systems whose wheels are not listed.
HASHES ?= yes
ifeq ($(HASHES),yes)
CHECKED = $(INSTALL) --require-hashes --no-deps --only-binary=:all: --requirement
PACKAGE = $(PIP) --no-build-isolation --editable
else
CHECKED = true
PACKAGE = $(PIP) --editable
endif

PYTEST = OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/pytest --numprocesses=4 --dist=worksteal --ignore=tests/cluster

# Tests start hundreds of processes: where bytecode is not kept, each would compile the package anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help env base demo test coverage test-cluster lint format docs golden bench-speed bench-terms bench-quality bench-experience bench-seeds bench-neural bench-tasks bench-tables bench-tables-neural bench-screen bench-load bench-scale bench-sources bench-attacks bench-watch clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-20s %s\n", $$1, $$2}'

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/base.done: pyproject.toml constraints.txt hashes-base.txt | .venv/bin/python
	$(CHECKED) hashes-base.txt
	$(PACKAGE) .
	@touch $@

.venv/all.done: pyproject.toml constraints.txt hashes.txt .venv/base.done
	$(CHECKED) hashes.txt
	$(PACKAGE) '.[dev,docs,bench,notebook,minilm,transformers,opensearch,aws]'
	@# Some packages hold templates that are no Python yet.
	@$(BIN)/python -m compileall -qq -j 0 .venv/lib || true
	@touch $@

base: .venv/base.done
env: .venv/all.done  ## make .venv with everything in it

demo: base  ## from 20 papers to the rest of their topic, on real PubMed records
	$(BIN)/likewise demo demo

lint: env  ## check format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: env  ## put the code into our format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

test: lint  ## lint, types, layers and every test
	$(PYTEST)

coverage: env  ## run every test and count the lines that none reaches: at most a tenth
	$(PYTEST) --cov --cov-report=
	$(BIN)/coverage report --skip-covered --sort=cover --fail-under=90

test-cluster: env  ## lose nodes of a real cluster; LIKEWISE_TEST_CLUSTER is the script that starts it
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/pytest tests/cluster

bench-speed: env  ## time reading, indexing and searching against the bare libraries
	$(BIN)/python -m benchmarks.speed.run

bench-terms: env  ## measure how many terms a more-like-these query should have
	$(BIN)/python -m benchmarks.terms.run

bench-quality: env  ## measure how well expand finds, decides and estimates (half an hour); PARTS=speed for a part
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.quality.run $(PARTS)

bench-experience: env  ## fit what other topics teach about the prior and the threshold
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.experience.run

bench-seeds: env  ## measure how often warnings about seeds are right
	$(BIN)/python -m benchmarks.seeds.run

bench-neural: env  ## measure the neural methods beside the default (about an hour)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.neural.run

bench-tasks: env  ## time making tasks out of a million documents (ten minutes the first time)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.tasks.run

bench-tables: env  ## run the quick methods for the tables of docs/benchmark.md; resumable
	$(BIN)/python -m benchmarks.tables.run quick

bench-tables-neural: env  ## run the networks for these tables (many hours); resumable
	$(BIN)/python -m benchmarks.tables.run costly

bench-screen: env  ## replay reviews beside ASReview, and time a round (long); resumable
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.screen.run

bench-load: env  ## let 50 clients search and mark while expansions run; bring 3,000 records in, learn and mark
	$(BIN)/python -m benchmarks.load.run
	$(BIN)/python -m benchmarks.load.bringing

bench-scale: env  ## what grows with a library of SIZE documents (1000000), and half a million beside OpenSearch; resumable
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.scale.growth --size $(or $(SIZE),1000000)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.scale.pools
	$(BIN)/python -m benchmarks.scale.run
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.scale.agreement
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.scale.more_like_this

bench-watch: env  ## measure what a watch calls new and likely (half an hour); resumable
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.watch.run

bench-sources: env  ## gather from local stand-ins of PubMed: what it costs, what it finds (an hour); resumable
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.sources.run

bench-citations: env  ## measure what planted citations add (ten minutes); PARTS=pools, PARTS=time, PARTS="rows 50000000" measure pools, time, files of links
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.citations.run $(PARTS)

bench-attacks: env  ## attack readers, commands and the server with broken files, kills and hostile requests (20 minutes)
	$(BIN)/python -m benchmarks.attacks.run

clean:  ## remove the environment and everything made
	rm -rf .venv demo dist build site artefacts benchmarks/*/work

docs: env  ## write the pages that are made of commands, schema and results; then build the site in site/
	$(BIN)/python scripts/write_cli_docs.py
	$(BIN)/python scripts/write_http_docs.py
	$(BIN)/python scripts/write_api_docs.py
	$(BIN)/python scripts/write_bench_docs.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The site is in site/: open site/index.html, or for its search: python3 -m http.server --directory site"

golden: env  ## write tests/golden/ anew; look at what changes
	$(BIN)/python scripts/write_golden.py
