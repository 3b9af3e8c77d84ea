"""Printed numbers: every measured number on a page has a command that makes it.

Six ideas, one file each:

* `maker.py`: a **maker** is a command that a reader can type, and the numbers that pages show of its answer. All makers
  are in `makers/`, one file a subject.
* `run.py`: runs a command with --json and returns what it printed, the **answer**.
* `record.py`: the answer of each maker is kept in `results/numbers/MAKER.json`, with the command, the seeds, the
  versions and the defaults it depends on.
* `pages.py`: pages show numbers between two comments that no reader sees,
  `<!-- number: MAKER.NAME -->93.0 to 94.9%<!-- /number -->`, and what stands between them is written from the record.
* `defaults.py`: what a default head or a default code does, as a few numbers. A default that changes while records stay
  turns `tests/tools/test_numbers.py` red.
* `command.py`: `python -m tools numbers` (or `make numbers`) runs every maker again and shows what moved;
  `--write` keeps the new answers and writes the pages.

To print a new number: write a maker (or add a name to one), put the two comments on the page with the command beside
them, and run `python -m tools numbers MAKER --write`.
"""
