# The verbs of weir. Each sets up what it lacks; nothing here knows a machine.
#
#   SUITES=quick,mine  suites to measure       SITE=local  the site of config/sites to measure on
#   SCALE=full         edition of the suites (default: that of the site, which is quick for local)
#   TARGETS=disk,mine  of the site (default: all)
#   CAMPAIGN=2026-12   measure again, in results/SITE@CAMPAIGN, and compare with results/SITE

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

# Goals of one command come one after the other, also with -j: a report measures the machine that tests would load. What
# they call by $(MAKE) is at liberty.
ifneq ($(and $(filter 0,$(MAKELEVEL)),$(word 2,$(MAKECMDGOALS))),)
.NOTPARALLEL:
endif

SUITES ?= quick
SITE ?= local
SCALE ?=
CAMPAIGN ?=
TARGETS ?=
HISTORY ?=
LAB ?=
FUZZ_INPUTS ?= 3000000
FUZZ_LOGS ?=
SOAK_ROUNDS ?= 100
venv := .venv/bin
comma := ,

# What the linters of each language look at; a file that git does not know yet counts.
c_files = $(shell find src tests -name '*.[ch]' 2>/dev/null)
shell_files = $(shell find .ci bench config containers envs profiles reframe_checks reports src tests -type f -size -64k \
	-exec awk '/^\#!.*[\/ ](ba)?sh$$/ {print FILENAME} {nextfile}' {} + 2>/dev/null)
lint_steps := format-python lint-python types-python format-c lint-shell lint-yaml format-snakemake lint-r spelling

# Goals are commands: no file is one of them.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile)

help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' Makefile
	@echo "variables: SITE=$(SITE) SUITES=$(SUITES) SCALE=$(or $(SCALE),quick|half|full) TARGETS=NAME,NAME CAMPAIGN=NAME"

setup: ## install what measuring, analysing and reporting need, and compile meanwhile
	@envs/setup.sh --build measure analyse report
	@profiles/slurm/install.sh

setup-develop:
	@envs/setup.sh measure analyse report develop

build: ##- compile the engine to build/weir-io
	@envs/setup.sh measure
	@.ci/build

witness: ##- compile build/libweir-witness.so alone, for weir prove: a C compiler and nothing else
	@CC="$(CC)" python3 envs/wheel/witness_build.py build/libweir-witness.so

report: ## measure SUITES at SITE and print where the PDF and the HTML report are
	@envs/setup.sh --build measure --later analyse report
	@profiles/slurm/install.sh
	@$(MAKE) build
	@WEIR_STARTER_PROCESS=$$PPID $(venv)/weir report --set-up --suites $(SUITES) --site $(SITE) $(if $(SCALE),--scale $(SCALE)) $(if $(CAMPAIGN),--campaign $(CAMPAIGN)) \
		$(foreach one,$(subst $(comma), ,$(TARGETS)),--target $(one))

site: setup ## write results/SITE/index.html: all studies on one page (HISTORY=FOLDER: one per target)
	@$(venv)/weir site results/$(SITE) $(if $(HISTORY),--history $(HISTORY))

slurm-demo: setup-develop ## measure the suite nodes on a private Slurm of four virtual nodes, and report
	@$(MAKE) build
	@tests/slurm/demo.sh

lab: setup-develop setup-lab ## measure SUITES on real network file systems of this machine (LAB=NAME,NAME); root
	@$(MAKE) build
	@$(venv)/python -m tests.lab measure --suites $(SUITES) $(subst $(comma), ,$(LAB))

lab-down: ##- end the file systems of make lab and delete their data
	@$(venv)/python -m tests.lab down

lab-shell:
	@$(venv)/python -m tests.lab shell

setup-lab:
	@envs/setup.sh measure lab

# A warning of the compiler ends the build for those who change weir, never for those who measure with it.
check test test-weekly: export WEIR_WERROR := ON

check: setup-develop ##- linters and quick tests, under a minute
	@$(MAKE) --jobs=2 --keep-going tests-quick lint-r tests-quick-rest tests-quick-r $(lint_steps)

test: setup-develop ## linters and every test; ends with "N passed, N failed, N skipped"
	@[ "$$(id -u)" -ne 0 ] || $(MAKE) setup-lab || echo "tests/lab is skipped: its packages could not be installed"
	@+.ci/tests build $(lint_steps)

test-weekly: setup-develop ##- tests of what make test shows in a smaller way, and a soak of each kind of end
	@[ "$$(id -u)" -ne 0 ] || $(MAKE) setup-lab || echo "tests/lab is skipped: its packages could not be installed"
	@$(MAKE) build
	@$(venv)/pytest -m weekly --max-worker-restart=0 --numprocesses=2 --dist=loadfile

bench: setup-develop ##- run the benchmarks of weir itself, bench/*.py
	@$(MAKE) build
	@for script in $(filter-out bench/growth.py,$(wildcard bench/*.py)); do echo "== $$script"; $(venv)/python "$$script"; done
	@echo "== bench/growth.py"; $(venv)/python bench/growth.py --figure build/bench/growth.svg; echo build/bench/growth.svg

fuzz: fuzz-engine ##- new seeds: the fuzz targets of the engine, hostile configurations, damaged files, then mutated logs until Ctrl-C (or FUZZ_LOGS=50000)
	@$(MAKE) fuzz-config
	@$(MAKE) fuzz-files
	@$(venv)/python -m tests.fuzz_logs $(if $(FUZZ_LOGS),--inputs $(FUZZ_LOGS)) --keep build/fuzz-logs

fuzz-config: setup-develop ##- 10,000 hostile suites, sites, targets and contracts (FUZZ_CONFIGS=N): a plan or a message
	@$(venv)/python -m tests.fuzz_config --inputs $(or $(FUZZ_CONFIGS),10000) --keep build/fuzz-config

fuzz-files: setup-develop ##- 10,000 damaged files of weir's own (FUZZ_FILES=N): a message or no matter
	@$(venv)/python -m tests.fuzz_files --inputs $(or $(FUZZ_FILES),10000) --keep build/fuzz-files

fuzz-engine: setup-develop
	@mkdir -p build/asan
	@flock build/asan/build.lock .ci/step build-asan bash -c 'cmake -S . -B build/asan -G Ninja -DWEIR_SANITIZE=ON -DWEIR_WERROR=ON && cmake --build build/asan'
	@cd build/asan/fuzz && for target in fuzz-*; do \
		[ -x "$$target" ] || continue; \
		seed=$$(date +%s); echo "$$target, seed $$seed"; ASAN_OPTIONS=detect_leaks=0 "./$$target" $(FUZZ_INPUTS) "$$seed"; done

tsan: setup-develop ##- all personalities, batch included, and the emulator under the thread sanitizer
	@mkdir -p build/tsan
	@flock build/tsan/build.lock .ci/step build-tsan bash -c \
		'cmake -S . -B build/tsan -G Ninja -DWEIR_SANITIZE=thread -DWEIR_WERROR=ON && cmake --build build/tsan'
	@$(venv)/python -m tests.engine.thread_sanitizer

swap-attack: setup-develop ##- exchange directories for links while weir deletes, 10,000 rounds: no victim
	@$(venv)/python -m tests.swap_attack

soak: setup-develop ##- 100 kills of each kind in measurements, and 15 ends of each kind in long ones: nothing is lost or left
	@$(MAKE) build
	@$(venv)/python -m tests.workflow.soak --rounds $(SOAK_ROUNDS)
	@$(venv)/python -m tests.workflow.interrupts --rounds 15
	@$(venv)/python -m tests.slurm.ends --rounds 15

soak-ime: setup-develop ##- the emulated burst buffer: five times the operations, kills and losses of power of make test
	@WEIR_IME_TIMES=5 $(venv)/pytest -q tests/ime

zoo: setup-develop ##- fake storages with known answers, also for the real IOR=PATH: docs/zoo.md shows what weir reports
	@$(MAKE) build
	@$(venv)/python -m tests.zoo

zoo-composed: setup-develop ##- 300 cases of composed faults (CASES=N SEED=N IOR=PATH): misses and false alarms as rates
	@$(MAKE) build
	@$(venv)/python -m tests.zoo.composed --cases $(or $(CASES),300) --seed $(or $(SEED),1)

reference: setup ##- draw the published studies from reference/ alone and check their tables: build/reference
	@reports/reference.sh build/reference

tokio-year: setup-develop ##- print the study of a year of daily benchmarks: build/tokio-year/tokio-year.pdf
	@$(venv)/python bench/tokio_year.py reference/tokio-year.csv build/tokio-year
	@reports/print.sh reports/tokio-year/main.tex build/tokio-year build/tokio-year/tokio-year.pdf >build/tokio-year/print.log

clean-records: setup-develop ##- measure RECORDS=500 honest records in memory and on disk: the audit has to find nothing
	@$(MAKE) build
	@$(venv)/python -m tests.zoo.clean

bench-plan: setup ##- time the planning of 10,000 cells
	@$(venv)/python bench/growth.py --only plan --sizes 10000

bench-batches: setup ##- time 10,000 batches planned, 20 measured by Snakemake and 20 by ReFrame: the table of docs/scale.md
	@$(MAKE) build
	@$(venv)/python bench/batches.py
	@$(venv)/python -m bench.tables

bench-analysis: setup-develop ##- draw every part of 100,320 records: time, and the size of the largest table page
	@Rscript bench/analysis.R

bench-statistics: setup-develop ##- measure error rates of intervals, effects, accept, compare and history: the tables of their pages
	@$(MAKE) build
	@$(venv)/python bench/sampling.py build/sampling
	@Rscript bench/coverage.R reference/tokio-year.csv build/sampling/fixed/records.csv
	@$(venv)/python bench/decisions.py
	@$(venv)/python bench/history.py check
	@$(venv)/python bench/promises.py
	@$(venv)/python -m bench.tables

bench-scan: setup ##- scan 100,000 files of known content: table exact, rate kept, nothing written
	@$(venv)/python bench/scan.py

stacks: setup ## install the stacks of spack.yaml, probe them, measure their overhead (needs Spack)
	@$(MAKE) build
	@envs/spack/measure-stacks.sh

spack-mirror: ##- sources and binaries of the stacks in MIRROR=FOLDER for an air-gapped centre (needs Spack)
	@envs/spack/mirror.sh $(MIRROR)

bundle-offline: ##- code, wheels and Debian packages in DIR=FOLDER, with a script that installs them without network
	@envs/bundle-offline.sh $(DIR)

containers: ##- build build/containers/measure.sif and analyse.sif (needs Apptainer)
	@containers/build.sh measure
	@containers/build.sh analyse

docs: setup-develop ##- the documentation as a site, with the reports of the archived studies: build/site/index.html
	@$(venv)/snakemake --cores all --quiet all --config records=reference/ddn-lustre-2018.csv -- \
		results/archive/ddn-lustre-2018/report.html
	@$(MAKE) tokio-year
	@NO_MKDOCS_2_WARNING=1 .ci/step docs $(venv)/mkdocs build --quiet
	@printf '%s\n' build/site/index.html 'to search in it: python3 -m http.server --bind 127.0.0.1 -d build/site'

test-spack: setup-develop ##- audit, concretize, build and test the recipes with the Spack of SPACK_ROOT: an hour
	@$(MAKE) build
	@$(venv)/pytest --durations=0 --ignore=tests/stacks/test_spack_chain.py tests/stacks

test-spack-chain: setup-develop ##- the commands of docs/how-to/spack.md, from a clone to a report, with the Spack of SPACK_ROOT: hours
	@$(venv)/pytest -s tests/stacks/test_spack_chain.py

release-check: setup-develop ##- what a release needs: one version everywhere, an installable wheel, a dated change log
	@$(venv)/pytest -q tests/unit/setup/test_release.py tests/unit/setup/test_wheel.py
	@version=$$($(venv)/python -c 'import weir; print(weir.__version__)'); \
	if grep -q "^## $$version, not yet released" CHANGELOG.md; then \
		echo "CHANGELOG.md: $$version is not released: write its date in place of 'not yet released'"; exit 1; fi; \
	if [ -n "$$(git status --porcelain)" ]; then echo "there are changes without a commit"; exit 1; fi; \
	for lock in envs/spack/locks/$$version-*.lock; do \
		if envs/spack/built.sh "$$lock" 2>&1 | grep '^warning: src/ of HEAD'; then \
			echo "$$lock is of other sources: envs/spack/lock.sh makes it again"; exit 1; fi; done; \
	echo "ready: git tag v$$version"

audit-packages: setup-develop ##- the locked Python packages against published advisories (pip-audit); skipped where none can be reached
	@[ -x build/pip-audit/bin/pip-audit ] || { python3 -m venv build/pip-audit && build/pip-audit/bin/pip install --quiet \
		--require-hashes --requirement envs/pip/requirements-audit.txt; } || { rm -rf build/pip-audit; exit 1; }
	@$(venv)/python envs/audit.py build/pip-audit/bin/pip-audit envs/pip/requirements.txt envs/pip/requirements-develop.txt

release: setup-develop ##- what a release page holds, from the tag v<version>, in build/release: offline, the same bytes again
	@$(venv)/python envs/release.py "v$$($(venv)/python -c 'import weir; print(weir.__version__)')" build/release \
		$(if $(ADDRESS),--address $(ADDRESS)) $(if $(MAINTAINERS),--maintainers $(MAINTAINERS))

clean: ## remove build products and caches, never results/
	@rm -rf build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -not -path './.venv/*' -not -path './results/*' -prune -exec rm -rf {} +
	@echo "removed build products and caches; measurements in results/ and the environment .venv are untouched"

help-develop: ## the verbs for whoever changes weir
	@awk -F ':.*##- ' '/^[a-z-]+:.*##- / {printf "  make %-17s %s\n", $$1, $$2}' Makefile

# What is not worth a place in `make help-develop`: the linters alone.
lint: $(lint_steps)

# ---- steps of check and test ----------------------------------------------------------------------------------------

format-python:
	@.ci/step $@ $(venv)/ruff format --check .

lint-python:
	@.ci/step $@ $(venv)/ruff check .

types-python:
	@.ci/step $@ $(venv)/mypy

format-c:
	@.ci/step $@ clang-format --dry-run -Werror $(c_files)

lint-shell:
	@.ci/step $@ shellcheck $(shell_files)

lint-yaml:
	@.ci/step $@ $(venv)/yamllint --strict .

format-snakemake:
	@.ci/step $@ $(venv)/snakefmt --check Snakefile workflow/Snakefile

lint-r:
	@LC_ALL=C.UTF-8 .ci/step $@ Rscript .ci/lint.R

spelling:
	@.ci/step $@ $(venv)/codespell

tests-quick-r:
	@mkdir -p build/test-results
	@.ci/step $@ env R_ENABLE_JIT=0 Rscript .ci/testthat.R build/test-results/testthat-quick.tsv quick

# Two processes, each with half of the files: workers of xdist would read all of them, each for itself.
quick_half := $(wildcard tests/unit/[a-m]*)
# pytest starts a thread for the watchdog of each test: thousands, of a part that ends within a minute.
quick := env -u PYTHONDONTWRITEBYTECODE $(venv)/pytest -q -m "not slow" -o faulthandler_timeout=0
tests-quick: build
	@.ci/step $@ $(quick) $(quick_half)

tests-quick-rest: build
	@.ci/step $@ $(quick) tests $(quick_half:%=--ignore=%)
