# Everything a contributor runs. `make help` lists it.

PYTHON ?= python3
ARGS ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-all lint bench bench-study bench-scale bench-lab browser clean afresh

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: .venv/.installed ## tune the example documents; the report is written to build/demo
	@mkdir -p build
	.venv/bin/chunkwright tune examples/docs --gold examples/gold.jsonl -o build/demo $(ARGS)

test: .venv/.installed-dev ## the fast tests
	.venv/bin/python -m pytest -n 2 --dist worksteal -m "not slow" $(ARGS)

test-all: .venv/.installed-dev browser ## all tests, slow ones too, and many more random examples
	HYPOTHESIS_PROFILE=thorough .venv/bin/python -m pytest -n 2 --dist worksteal $(ARGS)

lint: .venv/.installed-dev ## style, format, types, and who may import whom
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy
	.venv/bin/lint-imports --no-logo

bench: .venv-bench/.installed ## peers and chunkwright side by side
	.venv-bench/bin/python -m benchmarks.run $(ARGS)

bench-study: .venv-bench/.installed ## a study of 64 setups against the plain loop with peers
	.venv-bench/bin/python -m benchmarks.study $(ARGS)

bench-scale: .venv-bench/.installed ## time and memory from 1 to 100 MB
	.venv-bench/bin/python -m benchmarks.scale $(ARGS)

bench-lab: .venv/.installed-dev browser ## from a moved slider to painted chunks, in a browser
	.venv/bin/python -m benchmarks.lab $(ARGS)

# Without one, the tests of the lab are skipped, and say so.
browser:
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null || \
		{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
		echo "Installing Debian's Chromium (once)" && apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } || \
		echo "no Chromium: the tests of the lab will be skipped; install one (apt install chromium)"

clean: ## remove everything that these targets made
	rm -rf .venv .venv-bench build dist .hypothesis .pytest_cache .mypy_cache .ruff_cache \
		.import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +


# Virtual environments. A stamp holds the folder it was made for. It is taken away before pip
# starts and put back when pip is done, so what a killed install leaves behind has no stamp and
# is made afresh, as is an environment that was moved or whose Python is gone.

sound = $(shell test "$$(cat $(1)/.installed 2>/dev/null)" = "$(CURDIR)" \
	&& $(1)/bin/python -c "import pip" 2>/dev/null && echo yes)
venv_sound := $(call sound,.venv)
bench_sound := $(call sound,.venv-bench)

# make_venv FOLDER
define make_venv
@command -v $(PYTHON) >/dev/null || \
	{ echo "$(PYTHON) is not on the PATH: install Python 3.11 or newer" >&2; exit 1; }
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "chunkwright needs Python 3.11 or newer, $(PYTHON) is" \
	"$$($(PYTHON) -V 2>&1): try make PYTHON=python3.11" >&2; exit 1; }
@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	{ echo "$(PYTHON) cannot make a virtual environment: install the Debian package" \
	"python3-venv" >&2; exit 1; }
@rm -rf $(1)
@$(PYTHON) -m venv $(1)
endef

# pip_install FOLDER,WHAT,STAMPS
define pip_install
@echo "Installing into $(1) (once, about a minute): $(strip $(2))"
@rm -f $(1)/.installed $(1)/.installed-dev
@$(1)/bin/python -m pip install -qq --no-input --disable-pip-version-check $(2)
@for stamp in $(3); do echo "$(CURDIR)" > $(1)/$$stamp; done
endef

.venv/.installed: pyproject.toml $(if $(venv_sound),,afresh)
	$(if $(venv_sound),,$(call make_venv,.venv))
	$(call pip_install,.venv,-e .,.installed)

.venv/.installed-dev: .venv/.installed
	$(call pip_install,.venv,-e ".[dev]",.installed .installed-dev)

.venv-bench/.installed: pyproject.toml benchmarks/requirements.txt $(if $(bench_sound),,afresh)
	$(if $(bench_sound),,$(call make_venv,.venv-bench))
	$(call pip_install,.venv-bench,-r benchmarks/requirements.txt -e .,.installed)
