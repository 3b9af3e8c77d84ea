# make demo   designs, the comparison table, every figure, and digits learned with three schemes, into demo/
# make test   the whole test suite, the linters and the type checker
# make quick  the unit tests without those marked slow: less than a minute
# make numbers   runs the commands behind every measured number of the pages again and shows what moved (15 minutes);
#                .venv/bin/python -m tools numbers --write keeps the new numbers and writes them on the pages
# make page-test   the atlas page in a browser
# make docs   the pages, into site/
# make dist   sdist and wheel, checked, installed into empty environments and tried there
# They make .venv and install into it by themselves.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

# Folders of unit tests; the others test commands, training, tools and everything together.
UNIT := $(addprefix tests/,assignment backbones bounds coding constructions data geometry nn spherical storage test_progress.py)

.PHONY: demo test quick numbers fuzz ray-test page-test lint bench docs dist clean
.DEFAULT_GOAL := test

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	touch $@

demo: $(STAMP)
	$(BIN)/python examples/demo.py

test: $(STAMP) lint
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

quick: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not slow" $(UNIT)

numbers: $(STAMP)
	$(BIN)/python -m tools numbers

fuzz: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.fuzz.code_files 10000
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.fuzz.other_files 10000
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.fuzz.certificates 10000

ray-test: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python tests/experiments/ray_with_a_dying_node.py

page-test: $(STAMP)  # needs a Chromium of the system and npm: apt-get install chromium npm
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[page-test]'
	npm install --silent --no-save --prefix .venv/axe axe-core@4
	PROTOSPHERE_AXE=.venv/axe/node_modules/axe-core/axe.min.js $(BIN)/python -m pytest -q tests/atlas_page

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/codespell docs examples src *.md
	$(BIN)/pyright

bench: $(STAMP)
	$(BIN)/python -m benchmarks

docs: $(STAMP)
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -d site/.doctrees docs site
	rm -rf jupyter_execute  # notebooks that myst-nb leaves beside its output

dist: $(STAMP)
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python -m tools release

clean:
	rm -rf .venv demo site dist
