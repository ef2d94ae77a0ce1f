# Two commands are enough: `make demo` to see it, `make test` to check it.
PYTHON ?= python3
PORT ?= 8000
RUN := .venv/bin/python
# Each process spends seconds before its first test: few tests are done sooner by two.
TWO := --numprocesses 2 --dist loadfile
CORES = $(shell getconf _NPROCESSORS_ONLN)
# One for each core, the longest first; and one of lower rank that computes while the others wait for
# browsers and servers. The lowest rank would never end on a busy machine.
PARTS := test-statistics test-surveys test-promises test-analytics test-postgresql test-others lint
BUNDLES := static/vendor/hpke.js static/vendor/curves.js
REWRITTEN := tests/__pycache__/rewritten
PACKAGE := tests/surveys/randomized_response
STATISTICS := $(PACKAGE) tests/oracles
AUDITED := audit-sqlite audit-postgresql audit-simulated audit-intervals audit-package audit-hypothesis
COMPUTED := comparison debiased_columns peeking random_intercept statistics
INTERVALS := tests/audit/test_intervals_audit.py
SIMULATED := $(addprefix tests/analytics/,comparison privacy topics workloads) tests/ranking/posterior \
	$(COMPUTED:%=tests/audit/test_%_audit.py) tests/audit/test_package_wheel.py
export DENIABLE_HTTPS ?= off
# Tests side by side: threads of linear algebra would wait for each other, at full speed.
test $(PARTS) $(AUDITED): export OPENBLAS_NUM_THREADS ?= 1
# The tests start hundreds of processes, which would all compile everything again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo install test $(PARTS) audit $(AUDITED) audit-tools bench bench-faults chromium format lock

demo: install
	@$(RUN) -m config.deniable demo --port $(PORT)

install: .venv/installed $(BUNDLES)

# Others' cryptography for pages; a server that runs it needs no node. One run builds all of it.
$(BUNDLES) &: $(addprefix static/vendor/,package.json package-lock.json digests.txt) config/bundles.py \
		surveys/trust/bundles.py config/node.lock | .venv/installed
	@echo "Building $(BUNDLES)"
	@$(RUN) -m config.bundles

.venv/installed: config/requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Deniable needs Python 3.11 or newer: make install PYTHON=python3.12"; exit 1; }
	@test -x $(RUN) || $(PYTHON) -m venv .venv || \
		{ echo "Python's venv module is missing; on Debian: apt-get install python3-venv"; exit 1; }
	@echo "Installing into .venv (once, about a minute)"
	@$(RUN) -m pip install --quiet --disable-pip-version-check --require-hashes -r config/requirements.lock
	@touch $@

# What databases do differently is tested on both; only the files that say so are read for that.
BOTH_DATABASES = $(shell grep -rl --include='test_*.py' both_databases tests)
BY_DATABASE := both_databases and database and not kills and not browser and not audit

ifdef ROOM
# One room on SQLite: make test ROOM=results, or ROOM=analytics/topics.
ROOMS := $(wildcard tests/surveys/$(ROOM) tests/$(ROOM))
test: install
	@test -n "$(ROOMS)" || { echo "There is no room tests/surveys/$(ROOM) or tests/$(ROOM)"; exit 1; }
	$(RUN) -m pytest $(TWO) $(ROOMS)
else
# Each part is a process that reads its own tests alone; processes that are handed files would each
# read all. On two cores a third of equal rank gains nothing: all together take more CPU.
test: install chromium $(REWRITTEN)
	@together=$$(mktemp -d) && trap 'rm -r "$$together"' EXIT && \
		TESTED_TOGETHER=$$together $(MAKE) --no-print-directory --jobs $$(($(CORES) + 1)) --keep-going \
		--old-file chromium $(PARTS)
endif

# In a fresh checkout each process would rewrite the assertions of all tests: ten seconds of each.
$(REWRITTEN): | install
	@collected=$$($(RUN) -m pytest --collect-only -qq) || { echo "$$collected"; exit 1; }
	@touch $@

test-surveys: install $(REWRITTEN)
	$(RUN) -m pytest tests/surveys --ignore $(firstword $(STATISTICS))

# Most of both are walks in one Chromium over one server.
test-promises: install chromium $(REWRITTEN)
	$(RUN) -m pytest tests/promises tests/browser

test-analytics: install $(REWRITTEN)
	$(RUN) -m pytest tests/analytics

# What has no part of its own.
test-others: install $(REWRITTEN)
	$(RUN) -m pytest $(addprefix --ignore tests/,surveys promises browser analytics oracles audit)

# One process: two would collect twice, and SQLite's tests use the cores meanwhile.
test-postgresql: install $(REWRITTEN)
	$(RUN) -m tests.postgresql pytest -m "$(BY_DATABASE)" $(BOTH_DATABASES)

# The statistics package alone, and all oracles, without Django, whose fixtures would take as long as
# most of its tests. One process: another would collect again what takes a second. Its rank is just
# below that of the others: far below, a busy machine would leave it a tenth of a core.
test-statistics: install $(REWRITTEN)
	nice -n 2 $(RUN) -m pytest -c $(firstword $(STATISTICS))/pytest.ini \
		--confcutdir $(firstword $(STATISTICS)) $(STATISTICS)

lint: install
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	.venv/bin/lint-imports

# Three lines side by side: the first two mostly wait for clocks, disks and other processes; the others
# compute, at a lower rank, because the tests of those hold to seconds. The longest first; the last
# three begin as others end. A red line keeps none after it from running; each test is named as it ends.
audit: install chromium audit-tools
	.venv/bin/reuse lint --lines
	@$(MAKE) --no-print-directory --jobs 3 --keep-going --old-file chromium --old-file audit-tools \
		$(AUDITED)

# Real forms and the schema of DDI, which are not ours to copy: tests/audit/test_forms_audit.py and
# tests/audit/test_deposit_audit.py read them.
audit-sqlite: export DENIABLE_FORMS ?= ../shared/data/forms
audit-sqlite: export DENIABLE_DDI ?= ../shared/data/ddi
audit-sqlite: install chromium audit-tools
	THOROUGH=on $(RUN) -m pytest -m audit -vv -s --durations 20 $(addprefix --ignore ,$(SIMULATED) $(INTERVALS) $(PACKAGE))

audit-postgresql: install chromium audit-tools
	failed=; \
	$(RUN) -m tests.postgresql pytest -m "audit and database and not browser" -vv -s --durations 20 || failed=1; \
	$(RUN) -m tests.postgresql pytest -m "database and not browser and not audit" || failed=1; \
	THOROUGH=on $(RUN) -m pytest -m "browser and not audit" || failed=1; \
	test -z "$$failed"

audit-simulated audit-intervals audit-package audit-hypothesis: export THOROUGH = on
audit-simulated: install
	nice -n 5 $(RUN) -m pytest -m audit -vv -s --durations 20 $(SIMULATED)

audit-intervals: install
	nice -n 5 $(RUN) -m pytest -m audit -vv -s --durations 20 $(INTERVALS)

audit-package: install
	nice -n 5 $(RUN) -m pytest -m audit -vv -s --durations 20 $(PACKAGE)

audit-hypothesis: install
	nice -n 5 $(RUN) -m pytest -m "hypothesis and not audit" --hypothesis-profile audit

# A minute or two. Those that take longer say how to start them: ranking_pages, dashboards, crowded,
# memory, files, text_files, topics, tallies, ballots, visit, intervals, and bench-faults below.
bench: install
	$(RUN) -m benchmarks.submit
	$(RUN) -m benchmarks.statistics
	$(RUN) -m benchmarks.random_intercept
	$(RUN) -m benchmarks.ranking
	$(RUN) -m benchmarks.privacy
	$(RUN) -m benchmarks.comparison

# Some ten minutes: everything is killed again and again while thousands send.
bench-faults: install
	$(RUN) -m benchmarks.faults --database sqlite
	$(RUN) -m benchmarks.faults --database postgresql

chromium:
	@sh tests/chromium.sh

# nginx, Caddy and libfaketime, which only the audit needs.
audit-tools:
	@sh tests/audit-tools.sh

format: install
	$(RUN) -m ruff format .
	$(RUN) -m ruff check --fix .

# Needs uv; a lock names no package host. Of service.lock is the whole site, of the others a role.
COMPILE = uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-emit-find-links --no-header --no-annotate
lock:
	$(COMPILE) pyproject.toml --extra demo --extra dev --extra labelled --extra parquet --extra scale \
		--output-file config/requirements.lock
	$(COMPILE) pyproject.toml --extra labelled --extra parquet --extra scale \
		--constraint config/requirements.lock \
		--output-file config/service.lock
	for role in web staff worker; do $(COMPILE) --group $$role \
		--constraint config/requirements.lock --output-file config/$$role.lock || exit; done
