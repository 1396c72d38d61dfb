# The verbs of this project. Everything is installed into .venv, nothing outside it.
PYTHON ?= python3
BIN := .venv/bin
DATA ?= data

.PHONY: help demo run test lint manifest model bench lock results clean

help:  ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10

demo: .venv/runtime  ## a conversation read, stored and searched, from an empty file
	@$(BIN)/python demo/demo.py

run: .venv/runtime  ## the tools over HTTP on 127.0.0.1:8787
	@$(BIN)/commonplace serve

test: .venv/dev  ## every test
	@$(BIN)/python -m pytest

lint: .venv/dev  ## style, types, generated files
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy layers/commonplace/commonplace benchmarks training demo
	@$(BIN)/commonplace manifest --check tool_manifest.json
	@$(BIN)/python -m benchmarks.results_page --check

manifest: .venv/runtime  ## writes tool_manifest.json from tools.py
	@$(BIN)/commonplace manifest > tool_manifest.json

model: .venv/dev  ## trains the classifier of statements again (a minute or two)
	@$(BIN)/python training/train.py

bench: .venv/dev  ## every benchmark; DATA=folder of the public data sets (benchmarks/DATA.md)
	@for name in retrieval classification merges redaction timeranges latency footprint; do \
		echo "== $$name"; $(BIN)/python -m benchmarks.$$name --data $(DATA) || exit 1; done
	@$(BIN)/python -m benchmarks.results_page

lock: .venv/dev  ## pins every dependency again, with hashes
	@$(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --no-header --no-annotate \
		pyproject.toml --output-file requirements.txt
	@$(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --no-header --no-annotate \
		pyproject.toml --group dev --output-file requirements-dev.txt
	@echo "setuptools>=77" | $(BIN)/uv pip compile --quiet --generate-hashes --no-header --no-annotate - \
		--output-file requirements-build.txt

results: .venv/dev  ## writes benchmarks/RESULTS.md from benchmarks/results
	@$(BIN)/python -m benchmarks.results_page

clean:  ## removes what was installed and built
	rm -rf .venv build dist layers/commonplace/*.egg-info

.venv/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=python3.x")'
	@$(PYTHON) -m venv .venv
	@touch $@

.venv/runtime: .venv/python requirements.txt requirements-build.txt pyproject.toml
	@echo "installing into .venv ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-build.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $@

.venv/dev: .venv/runtime requirements-dev.txt
	@echo "installing what the tests need into .venv ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-dev.txt
	@touch $@
